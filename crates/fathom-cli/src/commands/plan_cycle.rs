//! Schedules that go on for ever: what is asked of a search for cycles, and the way to better ones.
//!
//! A schedule is a lasso in which the goal is true again and again and what is to be kept is true all along: a run against the formula that says
//! that there is none. The searches that check formulas find it. Runs that end are no schedules: of a run that was cut off nothing is known
//! (the weak view of the property specification language), so that it is never evidence.
//!
//! The largest value of an expression is made small round by round: each round keeps the value below that of the best schedule so far. The
//! round that proves that there is none more proves that the last one is optimal.

use fathom_core::model::Statistics;

use crate::failure::Failure;

/// A formula that says that no run visits the goal again and again and keeps the rest, in the property specification language.
pub(super) fn no_such_run(goal: Option<&str>, keep: &[String]) -> String {
    let goal = goal.map(|goal| format!("(eventually! (always (!({goal}))))"));
    let keep = keep.iter().map(|keep| format!("(eventually! (!({keep})))"));
    goal.into_iter().chain(keep).collect::<Vec<_>>().join(" || ")
}

/// The same in linear temporal logic, for whoever leaves runs that end aside in another way.
pub(super) fn no_such_run_in_ltl(goal: Option<&str>, keep: &[String]) -> String {
    let goal = goal.map(|goal| format!("<>[](!({goal}))"));
    let keep = keep.iter().map(|keep| format!("<>(!({keep}))"));
    goal.into_iter().chain(keep).collect::<Vec<_>>().join(" || ")
}

/// Adds what a round cost. The memory of a round is free again when the next begins.
pub(super) fn add_cost(total: &mut Statistics, round: &Statistics) {
    total.states += round.states;
    total.transitions += round.transitions;
    total.store_bytes = total.store_bytes.max(round.store_bytes);
}

/// What came of one round.
pub(super) enum Round<T> {
    /// A schedule, with the largest value of what is made small, if anything is.
    Found(T, Option<i64>),
    /// Proved: there is none.
    Impossible(T),
    /// A limit ended the search.
    Unknown(T),
}

/// What came of all rounds.
pub(super) struct Improved<T> {
    /// The best schedule, or why there is none.
    pub last: T,
    /// The largest value in it of what is made small.
    pub value: Option<i64>,
    /// Whether there is no better one.
    pub is_proved: bool,
}

/// Searches until there is nothing better. A round is given what has to be true besides: nothing at first.
pub(super) fn improve<T>(
    minimized: Option<&str>,
    mut round: impl FnMut(Option<String>) -> Result<Round<T>, Failure>,
) -> Result<Improved<T>, Failure> {
    let mut best: Option<(T, i64)> = None;
    loop {
        let bound = best.as_ref().zip(minimized).map(|((_, value), text)| format!("({text}) < {value}"));
        match (round(bound)?, best.take()) {
            (Round::Found(way, Some(value)), before) => {
                assert!(before.is_none_or(|(_, before)| value < before), "every round is better");
                best = Some((way, value));
            }
            (Round::Found(last, None), _) => return Ok(Improved { last, value: None, is_proved: false }),
            (Round::Impossible(_), Some((last, value))) => {
                return Ok(Improved { last, value: Some(value), is_proved: true });
            }
            (Round::Unknown(_), Some((last, value))) => {
                return Ok(Improved { last, value: Some(value), is_proved: false });
            }
            (Round::Impossible(last) | Round::Unknown(last), None) => {
                return Ok(Improved { last, value: None, is_proved: false });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rounds that find these values, one after the other, and then come to an end.
    fn rounds(values: &[i64], end: fn(i64) -> Round<i64>) -> (Improved<i64>, Vec<Option<String>>) {
        let (mut left, mut bounds) = (values.iter(), Vec::new());
        let improved = improve(Some("cost"), |bound| {
            bounds.push(bound);
            Ok(left.next().map_or(end(0), |&value| Round::Found(value, Some(value))))
        });
        (improved.unwrap(), bounds)
    }

    #[test]
    fn rounds_go_on_until_none_is_better() {
        let (improved, bounds) = rounds(&[7, 5], Round::Impossible);
        assert_eq!((improved.last, improved.value, improved.is_proved), (5, Some(5), true));
        assert_eq!(bounds, [None, Some("(cost) < 7".to_owned()), Some("(cost) < 5".to_owned())]);
    }

    #[test]
    fn a_limit_proves_nothing() {
        let (improved, _) = rounds(&[7], Round::Unknown);
        assert_eq!((improved.last, improved.value, improved.is_proved), (7, Some(7), false));
        let (improved, _) = rounds(&[], Round::Impossible);
        assert_eq!((improved.value, improved.is_proved), (None, false));
    }
}
