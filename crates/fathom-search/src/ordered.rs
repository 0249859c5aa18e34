//! The frontier that keeps every state it reached, with an order for those that wait.
//!
//! Best-first, beam and last-first search remember a state the moment it is reached, recall it from the store when its turn comes, and know how it was
//! reached. They differ in whose turn it is: that is [`TakesTurns`]. Everything else is [`Ordered`].

use fathom_model::{Region, Steps, Stop};
use fathom_store::{StateId, Store};

use crate::frontier::{Frontier, Reached};

/// Whose turn it is.
pub trait TakesTurns<R: Region> {
    /// Whether it looks at the state from which another one is reached.
    const LOOKS_BACK: bool;

    /// Takes a state that was reached, by its number.
    fn put(&mut self, number: u32, reached: Arrival<'_, R>);

    /// The number of the state that comes next.
    fn take(&mut self) -> Option<u32>;

    /// How many states wait.
    fn n_waiting(&self) -> usize;

    /// Bytes of memory in use.
    fn bytes(&self) -> usize;
}

/// A state that was reached.
pub struct Arrival<'a, R> {
    /// The explicit part of the state from which it was reached; none for an initial one, and where the order does not look back.
    pub from: Option<&'a [u8]>,
    /// Its explicit part.
    pub state: &'a [u8],
    /// Its region.
    pub region: &'a R,
    /// Number of steps to it.
    pub depth: u32,
}

/// A state that was reached, and how.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub id: StateId,
    /// The node that was expanded, plus one; 0 for none.
    pub parent: u32,
    pub choice: u32,
    pub depth: u32,
}

/// The choices that lead to a node, the index of the initial state first.
pub(crate) fn way_to(nodes: &[Node], node: Option<u32>) -> Vec<u32> {
    let mut choices = Vec::new();
    let mut node = node.map(|number| &nodes[number as usize]);
    while let Some(Node { parent, choice, .. }) = node {
        choices.push(*choice);
        node = parent.checked_sub(1).map(|number| &nodes[number as usize]);
    }
    choices.reverse();
    choices
}

/// States in an order, for a store that recalls them.
#[derive(Debug)]
pub struct Ordered<R: Region, St: Store<R>, O> {
    pub(crate) order: O,
    nodes: Vec<Node>,
    current: Option<u32>,
    /// The explicit part of the current state, if the order looks back.
    from: Vec<u8>,
    opened: St::Opened,
}

impl<R: Region, St: Store<R>, O: TakesTurns<R>> Ordered<R, St, O> {
    /// Without any state.
    pub fn new(order: O) -> Ordered<R, St, O> {
        Ordered { order, nodes: Vec::new(), current: None, from: Vec::new(), opened: St::Opened::default() }
    }
}

impl<R: Region, St: Store<R>, O: TakesTurns<R>> Frontier<R, St> for Ordered<R, St, O> {
    fn add<L>(&mut self, steps: &Steps<R, L>, depth: u32, reached: &mut Reached<'_, St>) -> Result<(), Stop> {
        let parent = self.current.map_or(0, |number| number + 1);
        for index in 0..steps.len() {
            let (state, region) = (steps.state(index), steps.region(index));
            let key = reached.key(state, &mut self.opened)?;
            let Some(id) = reached.insert(key, state, region, depth)? else { continue };
            let number = u32::try_from(self.nodes.len()).ok().filter(|&number| number < u32::MAX);
            let number = number.ok_or(Stop::Memory)?;
            self.nodes.push(Node { id, parent, choice: index as u32, depth });
            let from = self.current.filter(|_| O::LOOKS_BACK).map(|_| self.from.as_slice());
            self.order.put(number, Arrival { from, state, region, depth });
        }
        Ok(())
    }

    fn flush(&mut self, _: &mut Reached<'_, St>) -> Result<(), Stop> {
        Ok(())
    }

    fn n_held_back(&self) -> usize {
        0
    }

    fn next(&mut self, reached: &mut Reached<'_, St>) -> Result<bool, Stop> {
        while let Some(number) = self.order.take() {
            if !reached.may_skip(self.nodes[number as usize].id) {
                self.current = Some(number);
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn current<'a>(&'a mut self, store: &'a St) -> (&'a [u8], &'a R) {
        let number = self.current.expect("a frontier stands at a state");
        let (state, region) = store.open(self.nodes[number as usize].id, &mut self.opened);
        if O::LOOKS_BACK {
            self.from.clear();
            self.from.extend_from_slice(state);
        }
        (state, region)
    }

    fn key(&mut self, state: &[u8], store: &mut St) -> Option<St::Key> {
        store.key(state, &mut self.opened)
    }

    fn depth(&self) -> u32 {
        self.current.map_or(0, |number| self.nodes[number as usize].depth)
    }

    fn way(&self) -> Vec<u32> {
        way_to(&self.nodes, self.current)
    }

    fn n_pending(&self) -> usize {
        self.order.n_waiting()
    }

    fn trail_bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>()
    }

    fn bytes(&self) -> usize {
        self.trail_bytes() + self.order.bytes()
    }
}
