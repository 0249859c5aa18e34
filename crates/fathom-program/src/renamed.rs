//! Whether states do under other names what they do under their own, looked at while an engine searches.
//!
//! [`promise`](crate::promise) looks at a few states before a search. A program [that may ask for names](Program::may_ask_for_names) is looked
//! at in every state that is expanded, since what it asks may matter late in a run only: the state is given other names, and has to lead to the same
//! classes, and to the same findings. The first name that differs ends the search, whose answers are worth nothing then.
//!
//! Not all names are tried, which would be as much work as no symmetry: the order of all objects of a sort is turned round, and goes round by up to
//! three numbers of places. So each of up to four objects is once in each place, and each of two before the other.
//! A difference is a proof that the program asks for names; that there is none proves nothing.

use std::sync::atomic::Ordering;

use fathom_model::{NoRegion, PropertyId, Steps};
use fathom_symmetry::Drawing;

use crate::data::{Data, Names, Parts, StateReader};
use crate::program::Program;
use crate::system::{Call, ProgramSystem, Scratch};

/// Most ways to go round that are tried.
const MOST_TURNS: usize = 3;

/// Buffers of one worker.
#[derive(Debug, Default)]
pub(crate) struct Renaming {
    drawing: Drawing,
    part: Vec<u8>,
}

/// Steps, and the first of them and of their findings that matter.
type From<'s> = (&'s Steps<NoRegion, Call>, usize, usize);

impl<P: Program> ProgramSystem<'_, P> {
    /// Whether some state did something else under other names, so that symmetry is not for the program.
    pub fn was_unfit(&self) -> bool {
        self.is_unfit.load(Ordering::Relaxed)
    }

    /// Compares what a state leads to with what it leads to under other names.
    pub(crate) fn compare_renamed(
        &self,
        state: &P::State,
        scratch: &mut Scratch<P::Action>,
        (out, n_steps, n_findings): From<'_>,
    ) {
        let Renaming { mut drawing, mut part } = std::mem::take(&mut scratch.renaming);
        drawing.clear();
        state.draw_state(&mut drawing);
        drawing.finish();
        let mut write = |names: &[u32]| {
            let mut bytes = Vec::new();
            let names = Names { drawing: &drawing, names };
            Parts::new(&mut bytes, &mut part, None).renaming(names).write_all(state);
            bytes
        };
        let own: Vec<u32> = drawing.objects().iter().map(|&(_, number)| number).collect();
        let mut seen = vec![write(&own)];
        let mut steps = Steps::new();
        let future = future_of((out, n_steps, n_findings));
        for names in other_names(drawing.objects()) {
            let renamed = write(&names);
            if seen.contains(&renamed) {
                continue;
            }
            steps.clear();
            let state = P::State::read_state(&mut StateReader::new(&renamed, None));
            self.expand(&state, scratch, &mut steps);
            if !scratch.writing.is_inexact && future_of((&steps, 0, 0)) != future {
                self.is_unfit.store(true, Ordering::Relaxed);
                break;
            }
            seen.push(renamed);
        }
        scratch.renaming = Renaming { drawing, part };
    }
}

/// Classes, and properties about which something is found.
fn future_of((steps, n_steps, n_findings): From<'_>) -> (Vec<&[u8]>, Vec<PropertyId>) {
    let mut classes: Vec<&[u8]> = (n_steps..steps.len()).map(|step| steps.state(step)).collect();
    classes.sort_unstable();
    let mut found: Vec<PropertyId> =
        steps.findings()[n_findings..].iter().map(|finding| finding.property).collect();
    found.sort_unstable();
    (classes, found)
}

/// Other names for objects, each given as a sort and a number, that are free for those of its sort.
fn other_names(objects: &[(u64, u32)]) -> Vec<Vec<u32>> {
    let of_sort = |sort: u64| {
        let mut places: Vec<usize> = (0..objects.len()).filter(|&place| objects[place].0 == sort).collect();
        places.sort_unstable_by_key(|&place| objects[place].1);
        places
    };
    let mut sorts: Vec<u64> = objects.iter().map(|&(sort, _)| sort).collect();
    sorts.sort_unstable();
    sorts.dedup();
    let sorts: Vec<Vec<usize>> = sorts.into_iter().map(of_sort).collect();
    let most = sorts.iter().map(Vec::len).max().unwrap_or(0);
    let with = |moved: &dyn Fn(usize, usize) -> usize| {
        let mut names = vec![0; objects.len()];
        for places in &sorts {
            for (rank, &place) in places.iter().enumerate() {
                names[place] = objects[places[moved(rank, places.len())]].1;
            }
        }
        names
    };
    let mut all = Vec::new();
    if most > 1 {
        all.push(with(&|rank, n| n - 1 - rank));
    }
    for turn in 0..MOST_TURNS.min(most.saturating_sub(1)) {
        all.push(with(&|rank, n| (rank + turn_by(turn, n)) % n));
    }
    all
}

/// By how many places a number of objects goes round: by all that there are, or by three that are far from each other.
fn turn_by(turn: usize, n_objects: usize) -> usize {
    if n_objects <= MOST_TURNS + 1 { turn + 1 } else { [1, n_objects / 2, n_objects - 1][turn] }
}

#[cfg(test)]
mod tests {
    use super::other_names;

    #[test]
    fn each_of_few_objects_comes_to_each_place_and_each_of_two_before_the_other() {
        let all = other_names(&[(7, 0), (7, 1), (7, 2), (9, 4)]);
        assert_eq!(all, [vec![2, 1, 0, 4], vec![1, 2, 0, 4], vec![2, 0, 1, 4]]);
        assert!(other_names(&[(7, 3), (9, 3)]).is_empty());
    }
}
