//! Extrapolation: making zones larger, so that there are finitely many.
//!
//! An automaton that compares a clock with constants up to `m` cannot tell values above `m` apart. An extrapolation
//! drops what a zone says beyond such constants. All are those of Behrmann, Bouyer, Larsen and Pelánek, "Lower and
//! Upper Bounds in Zone-Based Abstractions of Timed Automata" (STTT 2006), there with their proofs:
//!
//! | function | knows | gives |
//! | --- | --- | --- |
//! | [`extrapolate_max`] | the largest constant of each clock | the classic one |
//! | [`extrapolate_max_plus`] | the same | also drops what is said about clocks that are above it |
//! | [`extrapolate_lu`] | largest constants in lower and in upper bounds | larger still |
//! | [`extrapolate_lu_plus`] | the same | the largest |
//!
//! Constants are indexed by clock, clock 0 included, whose constants are 0; [`NO_BOUND`] where a clock is not compared.
//! A negative constant is as good as none: no clock is below 0.
//! Extrapolation by largest constants keeps everything that a bisimulation keeps, deadlocks too; by lower and upper
//! ones, which locations can be reached.
//!
//! All of these are wrong for automata whose guards bound differences of clocks (Bouyer, "Untameable Timed
//! Automata!", STACS 2003). [`extrapolate_split`] is right for them: it cuts the zone along these constraints first,
//! extrapolates each piece, and takes from each result the side on which the piece was (Bengtsson and Yi, "On Clock
//! Difference Constraints and Termination in Reachability Analysis of Timed Automata", ICFEM 2003).

use crate::dimension::with_known_dim;
use crate::{Bound, Constraint, Zone, inclusion, matrix};

/// In place of a constant: the clock is compared with none.
pub const NO_BOUND: i32 = -Bound::MOST;

/// Drops what is said beyond the largest constant of each clock.
pub fn extrapolate_max(zone: &mut [Bound], dim: usize, most: &[i32]) {
    extrapolate_lu(zone, dim, most, most);
}

/// Drops what is said beyond the largest constant of each clock, and about clocks above theirs.
pub fn extrapolate_max_plus(zone: &mut [Bound], dim: usize, most: &[i32]) {
    extrapolate_lu_plus(zone, dim, most, most);
}

/// Drops upper bounds beyond the largest constant in lower bounds, and lower ones beyond the largest in upper bounds.
pub fn extrapolate_lu(zone: &mut [Bound], dim: usize, lower: &[i32], upper: &[i32]) {
    let mut is_changed = false;
    for left in 0..dim {
        for right in (0..dim).filter(|&right| right != left) {
            let entry = &mut zone[left * dim + right];
            if entry.is_infinite() {
                continue;
            }
            let constant = entry.raw_constant();
            if constant > lower[left] {
                *entry = unbounded(left);
                is_changed = true;
            } else if -constant > upper[right] {
                *entry = if upper[right] < 0 { unbounded(left) } else { Bound::below(-upper[right]) };
                is_changed = true;
            }
        }
    }
    close_again(zone, dim, is_changed);
}

/// Like [`extrapolate_lu`], and drops differences with clocks that are above their constants already.
pub fn extrapolate_lu_plus(zone: &mut [Bound], dim: usize, lower: &[i32], upper: &[i32]) {
    let is_changed = with_known_dim!(dim => drop_beyond(zone, dim, &lower[..dim], &upper[..dim]));
    close_again(zone, dim, is_changed);
}

/// Drops what [`extrapolate_lu_plus`] drops, without closing; says whether that was anything.
#[inline(always)]
fn drop_beyond(zone: &mut [Bound], dim: usize, lower: &[i32], upper: &[i32]) -> bool {
    let mut is_changed = false;
    let (first_row, rows) = zone.split_at_mut(dim);
    for (row, left) in rows.chunks_exact_mut(dim).zip(1..) {
        // The diagonal stays; as infinity it is not mistaken for something that is dropped.
        row[left] = Bound::INFINITY;
        let is_above = -first_row[left].raw_constant() > lower[left];
        // Without branches, so that it becomes vector instructions.
        for ((entry, first), &upper) in row.iter_mut().zip(&*first_row).zip(upper) {
            let is_dropped =
                is_above | (entry.raw_constant() > lower[left]) | (-first.raw_constant() > upper);
            let kept = if is_dropped { Bound::INFINITY } else { *entry };
            is_changed |= kept != *entry;
            *entry = kept;
        }
        row[left] = Bound::ZERO;
    }
    for (entry, &upper) in first_row.iter_mut().zip(upper).skip(1) {
        if -entry.raw_constant() > upper {
            let kept = if upper < 0 { Bound::ZERO } else { Bound::below(-upper) };
            is_changed |= kept != *entry;
            *entry = kept;
        }
    }
    is_changed
}

/// No bound, or for the difference of clock 0 and another one that no clock is below 0.
fn unbounded(left: usize) -> Bound {
    if left == 0 { Bound::ZERO } else { Bound::INFINITY }
}

fn close_again(zone: &mut [Bound], dim: usize, is_changed: bool) {
    if is_changed {
        let has_value = matrix::close(zone, dim);
        debug_assert!(has_value, "extrapolation makes zones larger");
    }
}

/// Extrapolates by largest constants for automata with guards on differences of clocks: `diagonals` are the
/// constraints on differences in them. Gives pieces whose union is the result, none of them within another.
pub fn extrapolate_split(zone: &Zone, most: &[i32], diagonals: &[Constraint]) -> Vec<Zone> {
    let mut results: Vec<Zone> = Vec::new();
    let mut pieces = vec![(zone.clone(), 0, Vec::new())];
    while let Some((mut piece, index, mut sides)) = pieces.pop() {
        let Some(&Constraint { left, right, bound }) = diagonals.get(index) else {
            extrapolate_max(piece.bounds_mut(), zone.dim(), most);
            let stays = sides.iter().all(|&(left, right, bound)| piece.constrain(left, right, bound));
            debug_assert!(stays, "an extrapolation includes the piece it was made of");
            if !results.iter().any(|known| inclusion::is_within(piece.bounds(), known.bounds())) {
                results.retain(|known| !inclusion::is_within(known.bounds(), piece.bounds()));
                results.push(piece);
            }
            continue;
        };
        let mut beyond = piece.clone();
        if let Some(complement) = bound.complement()
            && beyond.constrain(right, left, complement)
        {
            let mut sides: Vec<(usize, usize, Bound)> = sides.clone();
            sides.push((right, left, complement));
            pieces.push((beyond, index + 1, sides));
        }
        if piece.constrain(left, right, bound) {
            sides.push((left, right, bound));
            pieces.push((piece, index + 1, sides));
        }
    }
    results
}
