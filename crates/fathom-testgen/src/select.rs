//! Fewer tests that reach the same: greedy set cover (Johnson 1974, Chvátal 1979), with the number of steps as the price.

use crate::goal_set::GoalSet;

/// The numbers of tests to keep, in order: together they reach what all of them reach. Each is given by its number of steps and the
/// goals that it reaches.
pub fn select(tests: &[(usize, GoalSet)]) -> Vec<usize> {
    let n_goals = tests.first().map_or(0, |test| test.1.bytes().len() * 8);
    let mut missing = GoalSet::empty(n_goals);
    tests.iter().for_each(|test| {
        test.1.iter().for_each(|goal| {
            missing.add(goal);
        })
    });
    let mut kept = Vec::new();
    while !missing.is_empty() {
        let gain = |test: &(usize, GoalSet)| test.1.iter().filter(|&goal| missing.has(goal)).count();
        // The best price for a goal; the products compare fractions.
        let better = |&one: &usize, &other: &usize| {
            let one_price = (tests[one].0 + 1) * gain(&tests[other]);
            let other_price = (tests[other].0 + 1) * gain(&tests[one]);
            one_price.cmp(&other_price).then(one.cmp(&other))
        };
        let open = (0..tests.len()).filter(|&test| gain(&tests[test]) > 0);
        let best = open.min_by(better).expect("some test reaches what is missing");
        tests[best].1.iter().for_each(|goal| missing.remove(goal));
        kept.push(best);
    }
    without_superfluous(tests, kept)
}

/// Leaves out tests that the others make superfluous, the longest first.
fn without_superfluous(tests: &[(usize, GoalSet)], mut kept: Vec<usize>) -> Vec<usize> {
    kept.sort_by_key(|&test| (std::cmp::Reverse(tests[test].0), test));
    let mut at = 0;
    while at < kept.len() {
        let is_needed = tests[kept[at]].1.iter().any(|goal| {
            kept.iter().enumerate().all(|(other, &test)| other == at || !tests[test].1.has(goal))
        });
        match is_needed {
            true => at += 1,
            false => {
                kept.remove(at);
            }
        }
    }
    kept.sort_unstable();
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(goals: &[u32]) -> GoalSet {
        let mut set = GoalSet::empty(16);
        goals.iter().for_each(|&goal| {
            set.add(goal);
        });
        set
    }

    #[test]
    fn a_long_test_for_everything_is_left_out_when_short_ones_do() {
        let tests = [(100, set(&[0, 1, 2, 3])), (2, set(&[0, 1])), (2, set(&[2, 3])), (5, set(&[3]))];
        assert_eq!(select(&tests), [1, 2]);
    }

    #[test]
    fn what_only_one_test_reaches_keeps_it() {
        let tests = [(1, set(&[0])), (9, set(&[0, 7])), (1, set(&[]))];
        assert_eq!(select(&tests), [1]);
    }
}
