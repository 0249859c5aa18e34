//! Candidates for the arguments of an action: what each of those that know the action says about a place, put together.
//!
//! A program has a domain, a list of values. A state machine may name values in some transitions and write `_` in others: then each value that it names is
//! a candidate, since it takes other transitions, and so is *any other value*, which is one candidate for all of them ([`Value::Any`]). It is as no
//! transition names it, whatever it is; a method that wants a value gets none from it.

use crate::value::Value;

/// What the arguments of an action may be at one place.
pub(crate) enum Choice {
    /// Nobody says anything.
    Unsaid,
    /// Anything; these values are told apart from all others.
    Open(Vec<Value>),
    /// One of these.
    Values(Vec<Value>),
}

impl Choice {
    /// Anything, and nothing told apart.
    pub(crate) fn any() -> Choice {
        Choice::Open(Vec::new())
    }

    /// What the possible transitions of a machine have at a place; one that has nothing there leaves it open.
    pub(crate) fn of_machine(transitions: &[&[Value]], place: usize) -> Choice {
        let said: Vec<&Value> = transitions.iter().filter_map(|arguments| arguments.get(place)).collect();
        let is_open = said.len() < transitions.len() || said.contains(&&Value::Any);
        let named = unique(said.into_iter().filter(|value| **value != Value::Any).cloned().collect());
        if is_open { Choice::Open(named) } else { Choice::Values(named) }
    }

    /// What both say.
    pub(crate) fn and(self, other: Choice) -> Choice {
        match (self, other) {
            (Choice::Unsaid, other) | (other, Choice::Unsaid) => other,
            (Choice::Open(left), Choice::Open(right)) => {
                Choice::Open(unique(left.into_iter().chain(right).collect()))
            }
            (Choice::Open(_), Choice::Values(values)) | (Choice::Values(values), Choice::Open(_)) => {
                Choice::Values(values)
            }
            (Choice::Values(left), Choice::Values(right)) => {
                Choice::Values(left.into_iter().filter(|value| right.contains(value)).collect())
            }
        }
    }

    /// The candidates.
    pub(crate) fn candidates(self) -> Vec<Value> {
        match self {
            Choice::Unsaid => vec![Value::Any],
            // There is no third truth value.
            Choice::Open(named) if named == [Value::Bool(false), Value::Bool(true)] => named,
            Choice::Open(mut named) => {
                named.push(Value::Any);
                named
            }
            Choice::Values(values) => values,
        }
    }
}

fn unique(mut values: Vec<Value>) -> Vec<Value> {
    values.sort();
    values.dedup();
    values
}

/// Whether arguments are as wanted: `_` is anything, and so is what is not written.
pub(crate) fn matches(wanted: &[Value], given: &[Value]) -> bool {
    wanted.iter().zip(given).all(|(wanted, given)| *wanted == Value::Any || wanted == given)
}

/// All ways to take one of each.
pub(crate) fn combinations(values: &[Vec<Value>]) -> Vec<Vec<Value>> {
    let mut all = vec![Vec::new()];
    for values in values {
        all = all
            .into_iter()
            .flat_map(|taken: Vec<Value>| {
                values.iter().map(move |value| taken.iter().cloned().chain([value.clone()]).collect())
            })
            .collect();
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(numbers: &[i64]) -> Vec<Value> {
        numbers.iter().map(|number| Value::Int(*number)).collect()
    }

    #[test]
    fn values_that_a_machine_names_stand_beside_any_other() {
        let (one, two, any) = (numbers(&[2, 1]), numbers(&[1]), vec![Value::Any]);
        let open = Choice::of_machine(&[&one, &any, &two], 0);
        assert_eq!(open.candidates(), [Value::Int(1), Value::Int(2), Value::Any]);
        assert_eq!(Choice::of_machine(&[&one, &two], 1).candidates(), [Value::Int(1), Value::Any]);
        assert_eq!(Choice::of_machine(&[&one, &two], 0).candidates(), numbers(&[1, 2]));
        let both = Choice::of_machine(&[&one, &any], 0).and(Choice::of_machine(&[&any], 0));
        assert_eq!(both.candidates(), [Value::Int(2), Value::Any]);
        let with_domain = Choice::of_machine(&[&one, &any], 0).and(Choice::Values(numbers(&[3, 4])));
        assert_eq!(with_domain.candidates(), numbers(&[3, 4]));
        let truth = [vec![Value::Bool(true)], any, vec![Value::Bool(false)]];
        let truth: Vec<&[Value]> = truth.iter().map(Vec::as_slice).collect();
        assert_eq!(Choice::of_machine(&truth, 0).candidates(), [Value::Bool(false), Value::Bool(true)]);
    }
}
