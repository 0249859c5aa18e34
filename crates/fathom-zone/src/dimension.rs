//! One source, compiled once for each small dimension.
//!
//! Rows of a matrix have a handful of entries. A loop whose length is a number of the program, and not of its input, has no head, no tail
//! and no tests: for the five rows of four clocks that is more than half of the work. Larger dimensions share the general code,
//! whose loops are long enough.

/// Evaluates an expression in which `$dim` is a constant, if it is small. What the expression calls has to be inlined always.
macro_rules! with_known_dim {
    ($dim:ident => $body:expr) => {
        crate::dimension::with_known_dim!($dim => $body; 2 3 4 5 6 7 8 9 10 11 12)
    };
    ($dim:ident => $body:expr; $($known:literal)*) => {
        match $dim {
            $($known => {
                let $dim: usize = $known;
                $body
            })*
            _ => $body,
        }
    };
}

pub(crate) use with_known_dim;
