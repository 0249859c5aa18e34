//! Ways back: the choices that lead to a stored state, from the parents in the store.
//!
//! A store keeps for each state the one it was reached from, but not by which step; that would be four bytes
//! more for every state, for the sake of the few on a trace. Each state on the way is expanded once more
//! instead, and the step is the first one that reaches the next state: the same explicit part, and regions
//! that include each other.

use fathom_model::{Region, Steps, System};
use fathom_store::{StateId, Store};

/// The choices from the initial states to a stored state, the index of the initial state first.
///
/// # Panics
/// When expanding a state again does not give what it gave before: a defect of the system.
pub(crate) fn rebuild_path<S: System, St: Store<S::Region>>(
    system: &S,
    store: &St,
    scratch: &mut S::Scratch,
    id: StateId,
) -> Vec<u32> {
    let mut ancestors = vec![id];
    let mut youngest = id;
    while let Some(parent) = store.parent(youngest) {
        ancestors.push(parent);
        youngest = parent;
    }
    let mut opened = St::Opened::default();
    let mut steps = Steps::new();
    system.initial(scratch, &mut steps);
    let mut choices = Vec::with_capacity(ancestors.len());
    for (index, &id) in ancestors.iter().enumerate().rev() {
        let (state, region) = store.open(id, &mut opened);
        choices.push(find_step(&steps, state, region));
        if index > 0 {
            steps.clear();
            system.successors(state, region, scratch, &mut steps);
        }
    }
    choices
}

fn find_step<R: Region, L>(steps: &Steps<R, L>, state: &[u8], region: &R) -> u32 {
    let found = (0..steps.len())
        .find(|&index| steps.state(index) == state && is_same_region(steps.region(index), region));
    found.expect("a state that was reached from its parent is reached from it again; please report this bug")
        as u32
}

/// Whether two regions stand for the same set.
pub(crate) fn is_same_region<R: Region>(one: &R, other: &R) -> bool {
    one.includes(other) && other.includes(one)
}
