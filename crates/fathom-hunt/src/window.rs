//! Windows: a small breadth-first search from a state of a way to a later state of it, or to the evidence.
//!
//! From each state on the way, a bounded number of states around it is explored. Of the states met that lie on the
//! way, the one that saves most is taken, the way between is replaced, and the next window begins there. A way that
//! cannot be shortened this way has no short cut within the window anywhere.

use fathom_model::{Region, Steps, System};

use crate::bits::fingerprint;
use crate::race::{Done, Watch};
use crate::seen::Seen;
use crate::way::{Follower, Hop, Way, shows};

/// The states of a local search, with the ways to them.
pub(crate) struct Window<R> {
    bytes: Vec<u8>,
    nodes: Vec<Node<R>>,
    seen: Seen,
}

struct Node<R> {
    /// One past its last byte; it starts where the one before ends.
    end: usize,
    region: R,
    parent: u32,
    choice: u32,
    depth: u32,
}

/// A short cut: where it comes back to the way, and the choices.
struct ShortCut {
    to: usize,
    choices: Vec<u32>,
}

/// The way with short cuts of windows of so many states. It may have to be checked.
pub(crate) fn shorten_windows<S: System>(
    system: &S,
    way: &Way,
    max_states: usize,
    max_bytes: usize,
    watch: &Watch<'_>,
) -> Way {
    let Some(places) = places(system, way) else { return way.clone() };
    let mut follower = Follower::new(system);
    let mut window = Window::new();
    let mut shorter = Way { hops: Vec::new(), ..way.clone() };
    follower.start(way.initial);
    let mut at = 0;
    while at < way.len() {
        let done = Done { n_states: window.nodes.len() as u64, ..Done::default() };
        let cut = match watch.goes_on(done) {
            true => window.explore(system, &mut follower, way, at, &places, max_states, max_bytes),
            false => None,
        };
        match cut {
            None => {
                follower.take(way.hops[at]);
                shorter.hops.push(way.hops[at]);
                at += 1;
            }
            Some(cut) => {
                for choice in cut.choices {
                    let hop = Hop::among_all(choice as usize);
                    follower.take(hop);
                    shorter.hops.push(hop);
                }
                at = cut.to;
            }
        }
    }
    shorter
}

/// The places of the states of a way, by fingerprint. None when it cannot be followed.
fn places<S: System>(system: &S, way: &Way) -> Option<Seen> {
    let mut follower = Follower::new(system);
    let mut places = Seen::default();
    follower.start(way.initial).then_some(())?;
    for (place, &hop) in way.hops.iter().enumerate() {
        places.replace(fingerprint(&follower.state, follower.region().fingerprint()), place);
        follower.take(hop).then_some(())?;
    }
    places.replace(fingerprint(&follower.state, follower.region().fingerprint()), way.len());
    Some(places)
}

impl<R: Region> Window<R> {
    /// A search that has seen nothing.
    pub fn new() -> Window<R> {
        Window { bytes: Vec::new(), nodes: Vec::new(), seen: Seen::default() }
    }

    /// Number of states.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Bytes of the states.
    pub fn bytes(&self) -> usize {
        self.bytes.len()
    }

    /// Number of steps to a node.
    pub fn depth(&self, node: u32) -> u32 {
        self.nodes[node as usize].depth
    }

    /// The best short cut from the state of a follower, which is the one at this place of the way.
    #[allow(clippy::too_many_arguments)]
    fn explore<S: System<Region = R>>(
        &mut self,
        system: &S,
        follower: &mut Follower<'_, S>,
        way: &Way,
        at: usize,
        places: &Seen,
        max_states: usize,
        max_bytes: usize,
    ) -> Option<ShortCut> {
        self.clear();
        self.add(&follower.state, follower.region().clone(), 0, 0, 0);
        let mut best: Option<(usize, usize, u32)> = None;
        let mut next = 0;
        while next < self.nodes.len() && self.nodes.len() < max_states && self.bytes.len() < max_bytes {
            let depth = self.nodes[next].depth;
            // Nothing farther away saves more than what there is.
            let most = (way.len() - at).saturating_sub(depth as usize + 1);
            if best.is_some_and(|(saved, _, _)| saved >= most) {
                break;
            }
            self.expand(system, follower, next);
            if shows(&follower.steps, &way.evidence) {
                let saved = (way.len() - at).saturating_sub(depth as usize);
                if saved > 0 && best.is_none_or(|(old, _, _)| saved > old) {
                    best = Some((saved, way.len(), next as u32));
                }
            }
            let steps = std::mem::take(&mut follower.steps);
            for index in 0..steps.len() {
                let Some(node) = self.add_step(&steps, index, next as u32, depth + 1) else { continue };
                let fingerprint = fingerprint(steps.state(index), steps.region(index).fingerprint());
                let Some(place) = places.find(fingerprint) else { continue };
                let saved = place.saturating_sub(at + depth as usize + 1);
                if saved > 0 && best.is_none_or(|(old, _, _)| saved > old) {
                    best = Some((saved, place, node));
                }
            }
            follower.steps = steps;
            next += 1;
        }
        best.map(|(_, to, node)| ShortCut { to, choices: self.choices(node) })
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.nodes.clear();
        self.seen.clear();
    }

    /// The composite state of a node.
    pub fn state(&self, node: usize) -> (&[u8], &R) {
        let start = if node == 0 { 0 } else { self.nodes[node - 1].end };
        (&self.bytes[start..self.nodes[node].end], &self.nodes[node].region)
    }

    /// Expands a node into the buffer of a follower.
    pub fn expand<S: System<Region = R>>(&self, system: &S, follower: &mut Follower<'_, S>, node: usize) {
        let (state, region) = self.state(node);
        follower.steps.clear();
        system.successors(state, region, &mut follower.scratch, &mut follower.steps);
    }

    /// Adds the state of a step unless it is known.
    pub fn add_step<L>(
        &mut self,
        steps: &Steps<R, L>,
        choice: usize,
        parent: u32,
        depth: u32,
    ) -> Option<u32> {
        self.add(steps.state(choice), steps.region(choice).clone(), parent, choice as u32, depth)
    }

    /// Adds a state unless it is known.
    pub fn add(&mut self, state: &[u8], region: R, parent: u32, choice: u32, depth: u32) -> Option<u32> {
        let fingerprint = fingerprint(state, region.fingerprint());
        if self.seen.find(fingerprint).is_some() {
            return None;
        }
        let node = self.nodes.len();
        self.seen.insert(fingerprint, node);
        self.bytes.extend_from_slice(state);
        self.nodes.push(Node { end: self.bytes.len(), region, parent, choice, depth });
        Some(node as u32)
    }

    /// The choices that lead to a node.
    pub fn choices(&self, node: u32) -> Vec<u32> {
        let mut choices = Vec::new();
        let mut node = &self.nodes[node as usize];
        while node.depth > 0 {
            choices.push(node.choice);
            node = &self.nodes[node.parent as usize];
        }
        choices.reverse();
        choices
    }
}
