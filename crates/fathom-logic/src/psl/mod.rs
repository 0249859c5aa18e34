//! PSL, the property specification language: its linear part without clocks.
//!
//! The foundation language of IEEE 1850 (the simple subset and a little more): Boolean, `next`, `until`, `before` with weak and
//! strong forms, `abort`, and sequential extended regular expressions (SEREs). Everything else is brought down to
//! the core that [`Psl`] is. Meaning: [`PslWord::satisfies`], on infinite and on finite words, straight
//! from the formal semantics of the standard (appendix B), with the letters that satisfy everything and nothing. Automata:
//! [`Translator::psl`](crate::Translator::psl).
//!
//! The treatment of `abort` follows Tuerk, Schneider and Gordon (HVC 2006): a formula is read under an accept and a
//! reject condition; negation exchanges them.

mod automaton;
mod evaluate;
mod finite;
mod linear;
mod parse;
mod reading;
mod sere;
#[cfg(test)]
mod tests;

pub use evaluate::{PslEnd, PslWord};
pub use parse::{parse_psl, parse_psl_text};
pub use reading::read_psl;
pub use sere::Sere;

use crate::Formula;

/// A formula of the core. Boolean operands are state formulas of a table of [`Formulas`](crate::Formulas).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Psl {
    /// True in the first state, if there is one.
    Boolean(Formula),
    /// There is a first state, and this is true in it.
    StrongBoolean(Formula),
    /// Not.
    Not(Box<Psl>),
    /// Both.
    And(Box<Psl>, Box<Psl>),
    /// There is a next state, and this is true from there on (`next!`).
    Next(Box<Psl>),
    /// The second comes true, and until then the first holds (`until!`).
    Until(Box<Psl>, Box<Psl>),
    /// The formula holds, or the condition comes true before the formula has failed.
    Abort(Box<Psl>, Formula),
    /// A beginning of the word matches (`{r}!`).
    Strong(Sere),
    /// No beginning of the word rules out a match (`{r}`).
    Weak(Sere),
    /// Whenever a beginning matches, the formula holds from its last letter on (`{r} |-> f`).
    Suffix(Sere, Box<Psl>),
}

impl Psl {
    /// Not.
    #[must_use]
    pub fn negated(self) -> Psl {
        Psl::Not(Box::new(self))
    }

    /// Both.
    #[must_use]
    pub fn and(self, other: Psl) -> Psl {
        Psl::And(Box::new(self), Box::new(other))
    }

    /// One or both.
    #[must_use]
    pub fn or(self, other: Psl) -> Psl {
        self.negated().and(other.negated()).negated()
    }

    /// If the first, then the second.
    #[must_use]
    pub fn implies(self, other: Psl) -> Psl {
        self.and(other.negated()).negated()
    }

    /// `next!`, `n` times; or the weak form.
    #[must_use]
    pub fn next(self, n: usize, strong: bool) -> Psl {
        let inner = if strong { self } else { self.negated() };
        let moved = (0..n).fold(inner, |inner, _| Psl::Next(Box::new(inner)));
        if strong { moved } else { moved.negated() }
    }

    /// `eventually!`.
    #[must_use]
    pub fn eventually(self) -> Psl {
        Psl::Until(Box::new(Psl::Boolean(Formula::TRUE)), Box::new(self))
    }

    /// `always`.
    #[must_use]
    pub fn always(self) -> Psl {
        self.negated().eventually().negated()
    }

    /// `until!` or `until`.
    #[must_use]
    pub fn until(self, other: Psl, strong: bool) -> Psl {
        let until = Psl::Until(Box::new(self.clone()), Box::new(other));
        if strong { until } else { until.or(self.always()) }
    }

    /// `before!` or `before`; `inclusive` for the forms with an underscore, where both may come at once.
    #[must_use]
    pub fn before(self, other: Psl, strong: bool, inclusive: Inclusive) -> Psl {
        let not_other = other.negated();
        let goal = match inclusive {
            Inclusive::Yes => self,
            Inclusive::No => self.and(not_other.clone()),
        };
        not_other.until(goal, strong)
    }
}

/// Whether both things may happen in the same state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Inclusive {
    /// They may.
    Yes,
    /// They may not.
    No,
}
