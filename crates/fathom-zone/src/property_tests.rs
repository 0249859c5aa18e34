//! Random zones of several clocks: laws that every zone obeys.

use proptest::prelude::*;

use crate::extrapolation::{extrapolate_lu, extrapolate_lu_plus};
use crate::inclusion::{self, is_within_lu, shadow_lu};
use crate::minimal::{minimal_constraints, zone_of};
use crate::{Bound, Federation, NO_BOUND, Zone, matrix};

const N_CLOCKS: usize = 5;
const DIM: usize = N_CLOCKS + 1;
/// A dimension that no code is made for.
const LARGE: usize = 14;

#[derive(Clone, Debug)]
enum Operation {
    Up,
    Down,
    Reset(usize, i32),
    Copy(usize, usize),
    Advance(usize, i32),
    Free(usize),
    Constrain(usize, usize, Bound),
}

fn bound() -> impl Strategy<Value = Bound> {
    (-20..20_i32, any::<bool>()).prop_map(|(constant, is_strict)| {
        if is_strict { Bound::below(constant) } else { Bound::at_most(constant) }
    })
}

fn operation() -> impl Strategy<Value = Operation> {
    let clock = 1..DIM;
    prop_oneof![
        2 => Just(Operation::Up),
        1 => Just(Operation::Down),
        2 => (clock.clone(), 0..9_i32).prop_map(|(clock, value)| Operation::Reset(clock, value)),
        1 => (clock.clone(), clock.clone()).prop_map(|(clock, from)| Operation::Copy(clock, from)),
        1 => (clock.clone(), 0..9_i32).prop_map(|(clock, by)| Operation::Advance(clock, by)),
        1 => clock.prop_map(Operation::Free),
        4 => (0..DIM, 0..DIM, bound()).prop_filter_map("two clocks", |(left, right, bound)| {
            (left != right).then_some(Operation::Constrain(left, right, bound))
        }),
    ]
}

/// A zone made by operations; a constraint that would leave nothing is left out.
fn zone() -> impl Strategy<Value = Zone> {
    prop::collection::vec(operation(), 0..12).prop_map(|operations| {
        let mut zone = Zone::zero(N_CLOCKS);
        for operation in operations {
            match operation {
                Operation::Up => zone.up(),
                Operation::Down => zone.down(),
                Operation::Reset(clock, value) => zone.reset(clock, value),
                Operation::Copy(clock, from) => zone.copy(clock, from),
                Operation::Advance(clock, by) => zone.advance(clock, by),
                Operation::Free(clock) => zone.free(clock),
                Operation::Constrain(left, right, bound) => {
                    let mut smaller = zone.clone();
                    if smaller.constrain(left, right, bound) {
                        zone = smaller;
                    }
                }
            }
            zone.assert_valid();
        }
        zone
    })
}

fn constants() -> impl Strategy<Value = Vec<i32>> {
    prop::collection::vec(prop_oneof![Just(NO_BOUND), 0..20_i32], N_CLOCKS)
        .prop_map(|constants| [0].into_iter().chain(constants).collect())
}

/// The bounds of a zone as the first of a matrix that is so large that no code is made for its dimension; the other clocks are free.
fn enlarged(bounds: &[Bound]) -> Vec<Bound> {
    let mut large = vec![Bound::ZERO; LARGE * LARGE];
    matrix::make_all(&mut large, LARGE);
    for (row, large) in bounds.chunks(DIM).zip(large.chunks_mut(LARGE)) {
        large[..DIM].copy_from_slice(row);
    }
    large
}

/// The part of a large matrix that a small one was made to.
fn small_part(large: &[Bound]) -> Vec<Bound> {
    large.chunks(LARGE).take(DIM).flat_map(|row| &row[..DIM]).copied().collect()
}

proptest! {
    #[test]
    fn upper_bounds_together_are_those_one_by_one(
        zone in zone(),
        bounds in prop::collection::vec((1..DIM, bound()), 0..6),
    ) {
        let mut one_by_one = zone.clone();
        let has_value = bounds.iter().all(|&(clock, bound)| one_by_one.constrain(clock, 0, bound));
        let mut together = zone;
        prop_assert_eq!(matrix::constrain_above(together.bounds_mut(), DIM, bounds.into_iter()), has_value);
        if has_value {
            prop_assert_eq!(together, one_by_one);
        }
    }

    #[test]
    fn code_for_a_dimension_does_what_code_for_all_does(
        zone in zone(),
        at in (0..DIM, 0..DIM, bound()).prop_filter("two clocks", |(left, right, _)| left != right),
        lower in prop::collection::vec(-1..12_i32, DIM),
        upper in prop::collection::vec(-1..12_i32, DIM),
    ) {
        let (left, right, bound) = at;
        let (mut small, mut large) = (zone.bounds().to_vec(), enlarged(zone.bounds()));
        prop_assert!(matrix::close(&mut large, LARGE), "free clocks leave the others as they are");
        let has_value = matrix::constrain(&mut small, DIM, left, right, bound);
        prop_assert_eq!(matrix::constrain(&mut large, LARGE, left, right, bound), has_value);
        if has_value {
            prop_assert_eq!(small_part(&large), small.clone());
            let (mut lower, mut upper) = (lower, upper);
            (lower[0], upper[0]) = (0, 0);
            extrapolate_lu_plus(&mut small, DIM, &lower, &upper);
            lower.resize(LARGE, NO_BOUND);
            upper.resize(LARGE, NO_BOUND);
            extrapolate_lu_plus(&mut large, LARGE, &lower, &upper);
            prop_assert_eq!(small_part(&large), small);
        }
    }

    #[test]
    fn one_constraint_after_the_other_is_closing_all_at_once(
        zone in zone(),
        added in prop::collection::vec((0..DIM, 0..DIM, bound()), 1..6),
    ) {
        let mut stepwise = zone.clone();
        let mut at_once = zone.bounds().to_vec();
        let mut has_value = true;
        for (left, right, bound) in added.into_iter().filter(|(left, right, _)| left != right) {
            has_value = has_value && stepwise.constrain(left, right, bound);
            let entry = &mut at_once[left * DIM + right];
            *entry = (*entry).min(bound);
        }
        prop_assert_eq!(Zone::from_bounds(DIM, &at_once), has_value.then_some(stepwise));
    }

    #[test]
    fn the_short_form_gives_the_zone_back(zone in zone()) {
        let constraints = minimal_constraints(zone.bounds(), DIM);
        prop_assert_eq!(zone_of(N_CLOCKS, &constraints), Some(zone));
    }

    #[test]
    fn time_passed_and_passed_back_includes_the_zone(zone in zone()) {
        let (mut up, mut down) = (zone.clone(), zone.clone());
        up.up();
        down.down();
        prop_assert!(up.includes(&zone) && down.includes(&zone));
        let mut twice = up.clone();
        twice.up();
        prop_assert_eq!(&twice, &up);
        let mut back = up.clone();
        back.down();
        prop_assert!(back.includes(&down));
    }

    #[test]
    fn a_zone_is_what_subtraction_leaves_and_what_it_takes(first in zone(), second in zone()) {
        let mut rest = Federation::from(first.clone());
        rest.subtract(&second);
        for piece in rest.zones() {
            piece.assert_valid();
            prop_assert!(first.includes(piece));
            prop_assert!(piece.intersection(&second).is_none());
        }
        let mut whole = rest.clone();
        if let Some(both) = first.intersection(&second) {
            prop_assert!(first.includes(&both) && second.includes(&both));
            whole.add(both);
        }
        prop_assert!(whole.includes(&first));
        prop_assert_eq!(rest.is_empty(), second.includes(&first));
    }

    #[test]
    fn larger_extrapolations_include_smaller_ones(zone in zone(), lower in constants(), upper in constants()) {
        let (mut plain, mut plus) = (zone.clone(), zone.clone());
        extrapolate_lu(plain.bounds_mut(), DIM, &lower, &upper);
        extrapolate_lu_plus(plus.bounds_mut(), DIM, &lower, &upper);
        plain.assert_valid();
        plus.assert_valid();
        prop_assert!(plain.includes(&zone) && plus.includes(&plain));
        prop_assert!(is_within_lu(plus.bounds(), zone.bounds(), DIM, &lower, &upper));
    }

    #[test]
    fn inclusion_up_to_simulation_is_a_preorder_above_inclusion(
        zones in prop::collection::vec(zone(), 3),
        lower in constants(),
        upper in constants(),
    ) {
        let within = |inner: &Zone, outer: &Zone| {
            let is_within = is_within_lu(inner.bounds(), outer.bounds(), DIM, &lower, &upper);
            let mut shadow = [Bound::ZERO; DIM * DIM];
            shadow_lu(inner.bounds(), DIM, &lower, &upper, &mut shadow);
            assert_eq!(inclusion::is_within(&shadow, outer.bounds()), is_within);
            is_within
        };
        for first in &zones {
            prop_assert!(within(first, first));
            for second in &zones {
                prop_assert!(!second.includes(first) || within(first, second));
                for third in &zones {
                    prop_assert!(!(within(first, second) && within(second, third)) || within(first, third));
                }
            }
        }
    }
}
