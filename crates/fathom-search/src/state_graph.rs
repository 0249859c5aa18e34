//! The graph of all states that can be reached: for questions that no single pass over the states answers.
//!
//! States are numbered in breadth-first order, the initial ones first, so a number is also the place in the list of
//! states to be expanded. Steps are kept as numbers of the states that they lead to, four bytes each, the steps of a state next to
//! each other in the order of the system: the position of a step is the choice of a trace. States are packed
//! ([`PackedParts`]), so that a state costs about fourteen bytes and its share of interned groups.
//!
//! Whoever wants to know more about states than how they are connected looks at each expansion through a callback; nothing
//! is expanded twice.

use fathom_model::{NoRegion, Statistics, Steps, Stop, System};
use fathom_store::{Opened, PackedParts, Parts};

use crate::options::{Monitor, Options, Progress};
use crate::pace::Pace;
use crate::sample::sample;

/// Expansions between two looks at the monitor and at memory.
const EXPANSIONS_BETWEEN_POLLS: u32 = 1000;

/// States and steps, by number.
#[derive(Debug, Default)]
pub struct StateGraph {
    states: PackedParts,
    /// The number of each initial state of the system.
    initial: Vec<u32>,
    /// Where the steps of each state start, and one past the last.
    first_steps: Vec<u32>,
    /// The states that steps lead to.
    targets: Vec<u32>,
    /// For each state: the state that it was reached from first, and the choice there. Initial states are their own.
    parents: Vec<(u32, u32)>,
}

impl StateGraph {
    /// Number of states.
    pub fn n_states(&self) -> usize {
        self.first_steps.len() - 1
    }

    /// Number of steps.
    pub fn n_steps(&self) -> usize {
        self.targets.len()
    }

    /// The number of each initial state of the system, in its order.
    pub fn initial(&self) -> &[u32] {
        &self.initial
    }

    /// Where the steps of each state start in [`StateGraph::targets`], and one past the last.
    pub fn first_steps(&self) -> &[u32] {
        &self.first_steps
    }

    /// The states that steps lead to, the steps of each state together in their order.
    pub fn targets(&self) -> &[u32] {
        &self.targets
    }

    /// The explicit part of a state.
    pub fn state<'a>(&'a self, number: u32, opened: &'a mut Opened) -> &'a [u8] {
        self.states.open(number, opened)
    }

    /// A shortest way to a state: the index of an initial state, and the choices from there.
    pub fn way(&self, state: u32) -> (u32, Vec<u32>) {
        let mut choices = Vec::new();
        let mut at = state;
        loop {
            let (parent, choice) = self.parents[at as usize];
            if parent == at {
                choices.reverse();
                return (choice, choices);
            }
            choices.push(choice);
            at = parent;
        }
    }

    /// Bytes of memory in use.
    pub fn bytes(&self) -> usize {
        self.states.bytes()
            + (self.first_steps.capacity() + self.targets.capacity()) * size_of::<u32>()
            + self.parents.capacity() * size_of::<(u32, u32)>()
    }
}

/// A graph, or as much of it as was explored.
#[derive(Debug)]
pub struct Explored {
    /// The graph; complete if exploration ended with [`Stop::Exhausted`].
    pub graph: StateGraph,
    /// Why exploration ended.
    pub stop: Stop,
    /// What it cost; the time is left to the caller.
    pub statistics: Statistics,
}

/// Explores everything that can be reached, within the limits of the options on states and memory; a limit on depth counts
/// as one on what is looked at. `see` is shown the steps of each state when it is expanded, and says whether to go on.
///
/// The findings of `see` are kept until the next state: labels only if `steps` records them.
pub fn state_graph<S: System<Region = NoRegion>>(
    system: &S,
    options: &Options,
    mut steps: Steps<NoRegion, S::Label>,
    mut see: impl FnMut(u32, &Steps<NoRegion, S::Label>) -> bool,
    monitor: &mut dyn Monitor,
) -> Explored {
    let mut exploration = Exploration {
        graph: StateGraph { first_steps: vec![0], ..StateGraph::default() },
        options,
        opened: Opened::default(),
        levels: Vec::new(),
    };
    let sample = sample(system, options);
    if !sample.is_empty() {
        exploration.graph.states.fit(&mut sample.iter());
    }
    let stop = exploration.run(system, &mut steps, &mut see, monitor).err().unwrap_or(Stop::Exhausted);
    exploration.finish(stop)
}

struct Exploration<'o> {
    graph: StateGraph,
    options: &'o Options,
    opened: Opened,
    /// The number of the first state of each level.
    levels: Vec<u32>,
}

impl Exploration<'_> {
    fn run<S: System<Region = NoRegion>>(
        &mut self,
        system: &S,
        steps: &mut Steps<NoRegion, S::Label>,
        see: &mut impl FnMut(u32, &Steps<NoRegion, S::Label>) -> bool,
        monitor: &mut dyn Monitor,
    ) -> Result<(), Stop> {
        let mut scratch = system.scratch();
        let mut state = Vec::new();
        steps.clear();
        system.initial(&mut scratch, steps);
        for index in 0..steps.len() {
            let number = self.number_of(steps.state(index), None, index as u32)?;
            self.graph.initial.push(number);
        }
        let mut at = 0;
        let mut level_end = 0;
        let mut pace = Pace::from_now(EXPANSIONS_BETWEEN_POLLS);
        while at < self.graph.states.len() {
            if at == level_end {
                self.levels.push(at as u32);
                level_end = self.graph.states.len();
                if self.options.max_depth.is_some_and(|most| self.levels.len() as u64 > u64::from(most) + 1) {
                    return Err(Stop::Depth);
                }
            }
            if pace.is_due() || self.options.is_alarmed() {
                self.poll(at, monitor)?;
            }
            state.clear();
            state.extend_from_slice(self.graph.states.open(at as u32, &mut self.opened));
            steps.clear();
            system.successors(&state, &NoRegion, &mut scratch, steps);
            pace.count(steps.len(), steps);
            if !see(at as u32, steps) {
                return Err(Stop::Found);
            }
            for index in 0..steps.len() {
                let target = self.number_of(steps.state(index), Some(at as u32), index as u32)?;
                self.graph.targets.push(target);
            }
            let end = u32::try_from(self.graph.targets.len()).map_err(|_| Stop::Memory)?;
            self.graph.first_steps.push(end);
            at += 1;
        }
        Ok(())
    }

    /// The number of a state, a new one if it was not seen yet.
    fn number_of(&mut self, state: &[u8], parent: Option<u32>, choice: u32) -> Result<u32, Stop> {
        let states = &mut self.graph.states;
        let key = loop {
            match states.key(state, &mut self.opened) {
                Some(key) => break key,
                None => {
                    states.key_growth().ok_or(Stop::Memory)?;
                    states.grow_for_keys();
                }
            }
        };
        match states.find(key, state) {
            Ok(number) => Ok(number),
            Err(vacant) => {
                if states.len() as u64 >= self.options.max_states.unwrap_or(u64::MAX) {
                    return Err(Stop::States);
                }
                states.growth(state.len()).ok_or(Stop::Memory)?;
                let number = states.fill(vacant, key, state);
                self.graph.parents.push((parent.unwrap_or(number), choice));
                Ok(number)
            }
        }
    }

    fn poll(&mut self, at: usize, monitor: &mut dyn Monitor) -> Result<(), Stop> {
        let bytes = self.graph.bytes() as u64;
        if self.options.max_bytes.is_some_and(|most| bytes > most) {
            return Err(Stop::Memory);
        }
        let progress = Progress {
            states: self.graph.states.len() as u64,
            transitions: self.graph.targets.len() as u64,
            depth: self.levels.len() as u64,
            pending: (self.graph.states.len() - at) as u64,
            bytes,
        };
        monitor.poll(&progress).map_or(Ok(()), Err)
    }

    fn finish(self, stop: Stop) -> Explored {
        let (n_states, n_steps) = (self.graph.states.len() as u64, self.graph.targets.len() as u64);
        let n_initial = self.graph.initial.len() as u64;
        let statistics = Statistics {
            states: n_states,
            transitions: n_steps,
            matched: (n_steps + n_initial).saturating_sub(n_states),
            max_depth: (self.levels.len() as u64).saturating_sub(1),
            seconds: 0.0,
            store_bytes: self.graph.bytes() as u64,
            ..Statistics::default()
        };
        Explored { graph: self.graph, stop, statistics }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NoMonitor;

    /// A graph of bytes.
    struct Arrows(Vec<Vec<u8>>);

    impl System for Arrows {
        type Region = NoRegion;
        type Label = ();
        type Scratch = ();

        fn scratch(&self) {}

        fn initial(&self, (): &mut (), out: &mut Steps<NoRegion, ()>) {
            out.push(&[1], NoRegion, &[]);
            out.push(&[0], NoRegion, &[]);
            out.push(&[1], NoRegion, &[]);
        }

        fn successors(&self, state: &[u8], _: &NoRegion, (): &mut (), out: &mut Steps<NoRegion, ()>) {
            for &target in &self.0[usize::from(state[0])] {
                out.push(&[target], NoRegion, &[]);
            }
        }
    }

    fn explore(options: &Options) -> (Explored, Vec<u8>) {
        let system = Arrows(vec![vec![2, 0, 2], vec![1], vec![3, 1], vec![4], vec![]]);
        let explored = state_graph(&system, options, Steps::new(), |_, _| true, &mut NoMonitor);
        let mut opened = Opened::default();
        let states = (0..explored.graph.n_states() as u32)
            .map(|number| explored.graph.state(number, &mut opened)[0])
            .collect();
        (explored, states)
    }

    #[test]
    fn states_are_numbered_in_breadth_first_order_and_steps_keep_theirs() {
        let (explored, states) = explore(&Options::default());
        let graph = &explored.graph;
        assert_eq!(states, [1, 0, 2, 3, 4]);
        assert_eq!(graph.initial(), [0, 1, 0]);
        assert_eq!(graph.first_steps(), [0, 1, 4, 6, 7, 7]);
        assert_eq!(graph.targets(), [0, 2, 1, 2, 3, 0, 4]);
        assert_eq!(graph.way(4), (1, vec![0, 0, 0]));
        assert_eq!(graph.way(0), (0, vec![]));
        let cost = explored.statistics;
        assert_eq!((cost.states, cost.transitions, cost.matched, cost.max_depth), (5, 7, 5, 3));
        assert_eq!(explored.stop, Stop::Exhausted);
    }

    #[test]
    fn limits_end_exploration() {
        let (explored, _) = explore(&Options { max_states: Some(4), ..Options::default() });
        assert_eq!((explored.stop, explored.statistics.states), (Stop::States, 4));
        let (explored, _) = explore(&Options { max_states: Some(5), ..Options::default() });
        assert_eq!(explored.stop, Stop::Exhausted);
        let (explored, _) = explore(&Options { max_depth: Some(2), ..Options::default() });
        assert_eq!(explored.stop, Stop::Depth);
        let (explored, _) = explore(&Options { max_depth: Some(3), ..Options::default() });
        assert_eq!(explored.stop, Stop::Exhausted);
        let (explored, _) = explore(&Options { max_bytes: Some(1), ..Options::default() });
        assert_eq!(explored.stop, Stop::Memory);
    }
}
