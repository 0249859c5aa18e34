//! All zones of a small universe against the points of a grid: every operation means what it says about points.

use crate::extrapolation::{
    extrapolate_lu, extrapolate_lu_plus, extrapolate_max, extrapolate_max_plus, extrapolate_split,
};
use crate::inclusion::{self, is_within_lu, shadow_lu};
use crate::minimal::{minimal_constraints, zone_of};
use crate::small_universe::{Point, SCALE, fine_values, grid, matrices, zones};
use crate::{Bound, Constraint, Federation, NO_BOUND, Zone, matrix};

/// Checks an operation on every zone: which points are in the result.
fn check(operation: impl Fn(&mut Zone), is_in_result: impl Fn(&Zone, Point) -> bool) {
    let grid = grid();
    for before in zones() {
        let mut after = before.clone();
        operation(&mut after);
        after.assert_valid();
        for &point in &grid {
            let expected = is_in_result(&before, point);
            assert_eq!(after.contains(&point, SCALE), expected, "{before:?} to {after:?} at {point:?}");
        }
    }
}

#[test]
fn closing_keeps_the_points_and_finds_emptiness() {
    let points: Vec<Point> = grid();
    let fine: Vec<Point> = (0..=36).flat_map(|x| (0..=36).map(move |y| [0, x * 4, y * 4])).collect();
    for raw in matrices() {
        let allows = |point: &Point| matrix::contains(&raw, point, SCALE);
        match Zone::from_bounds(3, &raw) {
            None => assert!(!fine.iter().any(allows), "{raw:?} has a value"),
            Some(zone) => {
                zone.assert_valid();
                assert!(fine.iter().any(allows), "{raw:?} has no value");
                assert!(points.iter().all(|point| allows(point) == zone.contains(point, SCALE)), "{raw:?}");
            }
        }
    }
}

#[test]
fn up_is_what_waiting_reaches() {
    check(Zone::up, |zone, [_, x, y]| {
        fine_values()
            .take_while(|&delay| delay <= x.min(y))
            .any(|delay| zone.contains(&[0, x - delay, y - delay], SCALE))
    });
}

#[test]
fn down_is_what_reaches_by_waiting() {
    check(Zone::down, |zone, [_, x, y]| {
        fine_values().any(|delay| zone.contains(&[0, x + delay, y + delay], SCALE))
    });
}

#[test]
fn a_reset_clock_has_its_value_and_the_others_theirs() {
    for value in [0, 2] {
        check(
            |zone| zone.reset(1, value),
            |zone, [_, x, y]| {
                x == i64::from(value) * SCALE && fine_values().any(|was| zone.contains(&[0, was, y], SCALE))
            },
        );
    }
}

#[test]
fn a_copied_clock_equals_its_source() {
    check(
        |zone| zone.copy(2, 1),
        |zone, [_, x, y]| x == y && fine_values().any(|was| zone.contains(&[0, x, was], SCALE)),
    );
}

#[test]
fn an_advanced_clock_is_later() {
    check(
        |zone| zone.advance(1, 1),
        |zone, [_, x, y]| x >= SCALE && zone.contains(&[0, x - SCALE, y], SCALE),
    );
}

#[test]
fn a_free_clock_may_be_anything() {
    check(|zone| zone.free(2), |zone, [_, x, _]| fine_values().any(|was| zone.contains(&[0, x, was], SCALE)));
}

#[test]
fn a_constraint_keeps_the_points_that_satisfy_it() {
    let grid = grid();
    for zone in zones() {
        for (left, right) in [(0, 1), (1, 0), (2, 0), (1, 2), (2, 1)] {
            for bound in [Bound::at_most(-1), Bound::below(0), Bound::at_most(0), Bound::below(1)] {
                let mut after = zone.clone();
                let has_value = after.constrain(left, right, bound);
                for point in &grid {
                    let expected =
                        zone.contains(point, SCALE) && bound.allows(point[left] - point[right], SCALE);
                    assert!(!expected || has_value);
                    if has_value {
                        assert_eq!(after.contains(point, SCALE), expected);
                    }
                }
                if has_value {
                    after.assert_valid();
                }
            }
        }
    }
}

#[test]
fn inclusion_intersection_and_subtraction_are_those_of_points() {
    let grid = grid();
    let zones = zones();
    assert!(zones.len() > 100, "{}", zones.len());
    for first in &zones {
        for second in zones.iter().step_by(3) {
            let both = first.intersection(second);
            let mut rest = Federation::from(first.clone());
            rest.subtract(second);
            let mut is_within = true;
            for point in &grid {
                let (in_first, in_second) = (first.contains(point, SCALE), second.contains(point, SCALE));
                is_within &= !in_first || in_second;
                assert_eq!(
                    both.as_ref().is_some_and(|both| both.contains(point, SCALE)),
                    in_first && in_second
                );
                assert_eq!(rest.contains(point, SCALE), in_first && !in_second);
            }
            assert!(!second.includes(first) || is_within, "{first:?} {second:?}");
            // The other way round the grid cannot tell all zones apart, but subtraction is exact.
            assert_eq!(second.includes(first), rest.is_empty(), "{first:?} {second:?}");
        }
    }
}

#[test]
fn the_short_form_is_enough_and_nothing_in_it_is_too_much() {
    for zone in zones() {
        let constraints = minimal_constraints(zone.bounds(), 3);
        assert_eq!(zone_of(2, &constraints).as_ref(), Some(&zone));
        assert_eq!(closed(&constraints), zone.bounds());
        for index in 0..constraints.len() {
            let mut fewer = constraints.clone();
            fewer.remove(index);
            assert_ne!(closed(&fewer), zone.bounds(), "{constraints:?} without {index}");
        }
    }
}

/// The matrix that follows from constraints alone.
fn closed(constraints: &[Constraint]) -> Vec<Bound> {
    let mut bounds = vec![Bound::INFINITY; 9];
    for &Constraint { left, right, bound } in constraints {
        bounds[left * 3 + right] = bound;
    }
    for clock in 0..3 {
        bounds[clock * 4] = Bound::ZERO;
    }
    assert!(matrix::close(&mut bounds, 3));
    bounds
}

/// Whether some value of a zone is related to a point: each clock has the same value, or one of an interval that
/// depends on the clock and its value. Exact: the zone of values related in one of the ways is closed.
fn has_related(zone: &Zone, point: Point, intervals: impl Fn(usize, i64) -> Vec<(Bound, Bound)>) -> bool {
    // In units of the grid, so that the values of the point are constants.
    let scaled: Vec<Bound> = zone
        .bounds()
        .iter()
        .map(|bound| match bound.constant() {
            None => Bound::INFINITY,
            Some(constant) if bound.is_strict() => Bound::below(constant * SCALE as i32),
            Some(constant) => Bound::at_most(constant * SCALE as i32),
        })
        .collect();
    let scaled = Zone::from_bounds(3, &scaled).expect("a zone has a value in every unit");
    let choices = |clock: usize| {
        let value = point[clock] as i32;
        let mut choices = intervals(clock, point[clock]);
        choices.push((Bound::at_most(-value), Bound::at_most(value)));
        choices
    };
    choices(1).iter().any(|&(low_x, high_x)| {
        choices(2).iter().any(|&(low_y, high_y)| {
            let mut zone = scaled.clone();
            zone.constrain(0, 1, low_x)
                && zone.constrain(1, 0, high_x)
                && zone.constrain(0, 2, low_y)
                && zone.constrain(2, 0, high_y)
        })
    })
}

/// Constants that the guards of the universe may compare clocks with.
const CONSTANTS: [i32; 4] = [NO_BOUND, -1, 0, 1];

/// In units of the grid; without a constant every value is above it.
fn in_units(constant: i32) -> i32 {
    if constant == NO_BOUND { -1 } else { constant * SCALE as i32 }
}

/// Whether a point is simulated by a value of a zone: a clock may be smaller if it stays above the constants of lower
/// bounds, or larger if it is above those of upper bounds.
fn is_simulated(zone: &Zone, point: Point, lower: [i32; 3], upper: [i32; 3]) -> bool {
    has_related(zone, point, |clock, value| {
        let value = value as i32;
        let mut intervals = vec![(Bound::below(-in_units(lower[clock])), Bound::below(value))];
        if value > in_units(upper[clock]) {
            intervals.push((Bound::below(-value), Bound::INFINITY));
        }
        intervals
    })
}

/// Whether a point cannot be told from some value of a zone by comparing clocks with constants, each clock alone.
fn is_alike(zone: &Zone, point: Point, most: [i32; 3]) -> bool {
    has_related(zone, point, |clock, value| {
        let most = in_units(most[clock]);
        if value > i64::from(most) { vec![(Bound::below(-most), Bound::INFINITY)] } else { Vec::new() }
    })
}

#[test]
fn extrapolation_by_lower_and_upper_constants_stays_simulated() {
    let grid = grid();
    for zone in zones().iter().step_by(2) {
        for (index, lower) in pairs().enumerate() {
            for upper in pairs().skip(index % 2).step_by(2) {
                let (mut plain, mut plus) = (zone.clone(), zone.clone());
                extrapolate_lu(plain.bounds_mut(), 3, &lower, &upper);
                extrapolate_lu_plus(plus.bounds_mut(), 3, &lower, &upper);
                plain.assert_valid();
                plus.assert_valid();
                assert!(plain.includes(zone) && plus.includes(&plain));
                assert!(is_within_lu(plus.bounds(), zone.bounds(), 3, &lower, &upper));
                for &point in grid.iter().filter(|&point| plus.contains(point, SCALE)) {
                    assert!(is_simulated(zone, point, lower, upper), "{zone:?} {plus:?} {lower:?} {upper:?}");
                }
            }
        }
    }
}

#[test]
fn extrapolation_by_largest_constants_adds_what_is_alike_only() {
    let grid = grid();
    for zone in zones() {
        for most in pairs() {
            let (mut plain, mut plus) = (zone.clone(), zone.clone());
            extrapolate_max(plain.bounds_mut(), 3, &most);
            extrapolate_max_plus(plus.bounds_mut(), 3, &most);
            assert!(plain.includes(&zone) && plus.includes(&plain));
            for &point in grid.iter().filter(|&point| plus.contains(point, SCALE)) {
                assert!(is_alike(&zone, point, most), "{zone:?} {plus:?} {most:?} {point:?}");
            }
        }
    }
}

/// All pairs of constants, with clock 0.
fn pairs() -> impl Iterator<Item = [i32; 3]> + Clone {
    CONSTANTS.into_iter().flat_map(|x| CONSTANTS.into_iter().map(move |y| [0, x, y]))
}

#[test]
fn inclusion_up_to_simulation_is_that_of_points() {
    let grid = grid();
    let zones = zones();
    let (mut n_within, mut n_beyond_plain) = (0, 0);
    for (lower, upper) in
        [([0, 1, 0], [0, 0, 1]), ([0, 1, NO_BOUND], [0, 1, 0]), ([0, 0, 0], [0, 1, NO_BOUND])]
    {
        for outer in zones.iter().step_by(7) {
            let simulated: Vec<bool> =
                grid.iter().map(|&point| is_simulated(outer, point, lower, upper)).collect();
            for inner in &zones {
                let is_within = is_within_lu(inner.bounds(), outer.bounds(), 3, &lower, &upper);
                let mut shadow = [Bound::ZERO; 9];
                shadow_lu(inner.bounds(), 3, &lower, &upper, &mut shadow);
                assert_eq!(inclusion::is_within(&shadow, outer.bounds()), is_within, "{inner:?} {outer:?}");
                let points_are = grid
                    .iter()
                    .zip(&simulated)
                    .all(|(point, &is_simulated)| is_simulated || !inner.contains(point, SCALE));
                assert!(!is_within || points_are, "{inner:?} {outer:?} {lower:?} {upper:?}");
                // Every zone with inner points of the grid is told apart by them.
                if has_grid_interior(inner, &grid) {
                    assert_eq!(is_within, points_are, "{inner:?} {outer:?} {lower:?} {upper:?}");
                }
                n_within += usize::from(is_within);
                n_beyond_plain += usize::from(is_within && !outer.includes(inner));
            }
        }
    }
    assert!(n_within > 100 && n_beyond_plain > 100, "{n_within} {n_beyond_plain}");
}

/// Whether the grid has a point in every region of a zone: so it is when no difference is strictly between integers.
fn has_grid_interior(zone: &Zone, grid: &[Point]) -> bool {
    let at = |left, right| zone.bound(left, right);
    let is_thin = |left, right| {
        let width = at(left, right).plus(at(right, left));
        width == Bound::below(1)
    };
    !is_thin(1, 2) && grid.iter().any(|point| zone.contains(point, SCALE))
}

#[test]
fn pieces_of_a_split_extrapolation_respect_differences() {
    let grid = grid();
    let diagonals = [
        Constraint { left: 1, right: 2, bound: Bound::below(1) },
        Constraint { left: 2, right: 1, bound: Bound::at_most(0) },
    ];
    let side = |point: &Point| {
        diagonals.map(|Constraint { left, right, bound }| bound.allows(point[left] - point[right], SCALE))
    };
    for zone in zones() {
        for most in [[0, 1, 1], [0, 0, 1]] {
            let pieces = extrapolate_split(&zone, &most, &diagonals);
            let contains = |point: &Point| pieces.iter().any(|piece| piece.contains(point, SCALE));
            for point in grid.iter().filter(|point| zone.contains(*point, SCALE)) {
                assert!(contains(point));
            }
            for piece in &pieces {
                piece.assert_valid();
                // All of a piece is on one side of every constraint, and part of the zone is on that side.
                let mut sides = grid.iter().filter(|point| piece.contains(*point, SCALE)).map(side);
                let Some(first) = sides.next() else { continue };
                assert!(sides.all(|other| other == first), "{piece:?}");
                let mut part = zone.clone();
                let is_there = diagonals.iter().zip(first).all(
                    |(&Constraint { left, right, bound }, holds)| match bound.complement() {
                        _ if holds => part.constrain(left, right, bound),
                        Some(complement) => part.constrain(right, left, complement),
                        None => true,
                    },
                );
                assert!(is_there, "{zone:?} has nothing on the side of {piece:?}");
                for &point in grid.iter().filter(|point| piece.contains(*point, SCALE)) {
                    assert!(is_alike(&part, point, most), "{zone:?} {piece:?} {point:?}");
                }
            }
        }
    }
}
