//! Whether it pays to choose among the steps of a state.
//!
//! An order of steps costs time in every state, and a system that leaves nothing out can be searched from memory instead,
//! which is about twice as fast. There are models of which nothing can be left out anywhere, and a few random walks tell:
//! the reduction is given up only when none of their states lost a step.

use fathom_model::{Interpreter, Model, Move, NoRegion, PropertyId, Steps, System};
use fathom_reduce::{PartialOrder, Reduced};
use fathom_search::Random;

/// States that are looked at before it is said that nothing is left out.
const STATES: usize = 2000;
/// Steps of the first walk; each one goes on a little longer than the one before.
const WALK: usize = 32;
/// Bytes of states that are looked at. When they are used up the order is kept, as nothing is known against it.
const BYTES: usize = 1 << 22;

/// The order of the steps of a model, if it is wanted, possible and of any use.
pub(crate) fn order_of(model: &Model, properties: &[PropertyId], is_wanted: bool) -> Option<PartialOrder> {
    let order = is_wanted.then(|| PartialOrder::new(model, properties)).flatten()?;
    let all = Interpreter::new(model, properties);
    let some = Reduced::of(all.clone(), order.clone());
    leaves_out(&all, &some).then_some(order)
}

/// Whether a system that chooses steps may have fewer than the one that it chooses from.
fn leaves_out<A, B>(all: &A, some: &B) -> bool
where
    A: System<Region = NoRegion, Label = Move>,
    B: System<Region = NoRegion, Label = Move>,
{
    let (mut all_scratch, mut some_scratch) = (all.scratch(), some.scratch());
    let (mut all_steps, mut some_steps) = (Steps::new(), Steps::new());
    let mut initial = Steps::new();
    all.initial(&mut all_scratch, &mut initial);
    if initial.is_empty() {
        return false;
    }
    let mut random = Random::new(1);
    let (mut n_states, mut n_bytes, mut length) = (0, 0, WALK);
    while n_states < STATES {
        length = (length + length / 4).min(STATES);
        let mut state = initial.state(random.below(initial.len())).to_vec();
        for _ in 0..length {
            all_steps.clear();
            some_steps.clear();
            all.successors(&state, &NoRegion, &mut all_scratch, &mut all_steps);
            some.successors(&state, &NoRegion, &mut some_scratch, &mut some_steps);
            n_states += 1;
            n_bytes += (1 + all_steps.len() + some_steps.len()) * state.len();
            if some_steps.len() < all_steps.len() || n_bytes > BYTES {
                return true;
            }
            if some_steps.is_empty() {
                break;
            }
            let choice = random.below(some_steps.len());
            state.clear();
            state.extend_from_slice(some_steps.state(choice));
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Language, load};
    use fathom_source::MemoryLoader;

    fn is_chosen(text: &str) -> bool {
        let loader = MemoryLoader::new().with("m.pml", text);
        let model =
            load("m.pml", Language::Promela, &loader, &[]).expect("a program").model.expect("a model");
        let properties: Vec<PropertyId> = (0..model.properties.len()).map(PropertyId::from).collect();
        let safety = crate::hunt::safety_of(&model, &properties);
        order_of(&model, &safety, true).is_some()
    }

    #[test]
    fn an_order_is_kept_where_it_leaves_steps_out() {
        // Each process counts for itself, after a long time in which all share everything.
        let text =
            "byte x; active [3] proctype p() { byte y; do :: atomic { x < 60 -> x++ } :: x >= 60 -> break od;
            do :: y < 9 -> y++ :: y >= 9 -> break od }";
        assert!(is_chosen(text));
    }

    #[test]
    fn walks_that_end_at_once_come_to_an_end() {
        assert!(!is_chosen("byte x; active [2] proctype p() { x++ }"));
    }

    #[test]
    fn an_order_that_leaves_nothing_out_is_given_up() {
        let text = "byte x; active [3] proctype p() { do :: x = (x + 1) % 7 :: x = (x * 3) % 7 od }";
        assert!(!is_chosen(text));
    }
}
