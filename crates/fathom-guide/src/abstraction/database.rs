//! An abstract distance database: how far every abstract state is from the goal.
//!
//! Source: Culberson and Schaeffer, "Pattern databases" (1998), and for model checking Qian and Nymeyer (2004) and Bui,
//! *Guided Random-Walk Based Model Checking* (2009), where weak variables are quantified out and the abstract goal is
//! searched backwards. Here the abstraction is explored forwards from the initial states first, which bounds it to
//! what matters, and then its edges are followed back, breadth first, from every abstract state that may be a goal.
//!
//! A step of the model is at most one step here, so a distance is never more than the true one, and a step changes it
//! by one at most: the estimate is admissible and consistent. What cannot reach the goal here cannot reach it at all.
//!
//! States are packed into 128 bits, which is more than an abstraction needs that fits into memory.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use fathom_model::{Expr, LocationId, TemplateId};

use super::machine::{Abstract, GiveUp, Machine, Treatment};
use super::shape::Shape;
use crate::formula::FAR;

/// What is looked for, in terms of single states and steps.
#[derive(Clone, Debug)]
pub(crate) enum AbstractGoal {
    /// An expression is true, or false.
    State(Expr, bool),
    /// An assertion fails in a step.
    Assertion,
    /// A process of a template is at one of these locations.
    At(TemplateId, Vec<LocationId>),
}

/// Why a database was not made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Unmade {
    /// It would be larger than allowed.
    TooLarge,
    /// The model does not lend itself to it.
    Unfit(GiveUp),
    /// Somebody did not want to wait.
    Interrupted,
}

impl From<GiveUp> for Unmade {
    fn from(reason: GiveUp) -> Unmade {
        Unmade::Unfit(reason)
    }
}

/// After so many abstract states somebody is asked whether to go on.
const STATES_BETWEEN_LOOKS: usize = 64;

/// How far to go.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    pub states: usize,
    pub edges: usize,
    /// Ways that are tried: see [`Machine::n_ways`].
    pub ways: usize,
}

/// Spreads the bits of a packed state.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Mixer(u64);

impl Hasher for Mixer {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    }

    fn write_u128(&mut self, word: u128) {
        self.write_u64(word as u64);
        self.write_u64((word >> 64) as u64);
    }

    fn finish(&self) -> u64 {
        self.0.wrapping_mul(0xd6e8_feb8_6659_fd93)
    }
}

type Numbers = HashMap<u128, u32, BuildHasherDefault<Mixer>>;

/// Where the value of a cell is in a packed state.
#[derive(Clone, Debug)]
struct Field {
    cell: usize,
    record: Option<usize>,
    /// The values that are told apart, sorted, each with the number of its class.
    codes: Vec<(i64, u32)>,
    /// The value that stands for a class.
    standing: Vec<i64>,
    shift: u32,
    mask: u128,
}

impl Field {
    fn code(&self, value: i64) -> Option<u32> {
        // Most sets are 0, 1, 2 and so on.
        if let Some(&(known, code)) = usize::try_from(value).ok().and_then(|index| self.codes.get(index))
            && known == value
        {
            return Some(code);
        }
        self.codes.binary_search_by_key(&value, |&(known, _)| known).ok().map(|index| self.codes[index].1)
    }
}

/// How states are packed.
#[derive(Clone, Debug)]
struct Packing {
    fields: Vec<Field>,
    record_shift: u32,
}

impl Packing {
    fn new(machine: &Machine<'_>) -> Result<Packing, Unmade> {
        let mut fields = Vec::new();
        let mut shift = 0;
        for (cell, treatment) in machine.treatments.iter().enumerate() {
            let of = &machine.shape.cells[cell];
            let set = &machine.sets[of.family as usize];
            let classes: Vec<Vec<i64>> = match treatment {
                Treatment::Dropped => continue,
                Treatment::Exact => {
                    let list = set.list().ok_or(GiveUp("a variable that is kept may have any value"))?;
                    // A record that does not exist is all zero.
                    let zero = (of.record.is_some() && !list.contains(&0)).then_some(0);
                    list.iter().copied().chain(zero).map(|value| vec![value]).collect()
                }
                Treatment::Grouped(classes) => {
                    classes.iter().map(|class| class.list().unwrap_or_default().to_vec()).collect()
                }
            };
            let bits = usize::BITS - (classes.len() - 1).leading_zeros();
            let coded = classes.iter().enumerate();
            let mut codes: Vec<(i64, u32)> = coded
                .flat_map(|(code, class)| class.iter().map(move |&value| (value, code as u32)))
                .collect();
            codes.sort_unstable();
            let standing = classes.iter().filter_map(|class| class.first().copied()).collect();
            fields.push(Field { cell, record: of.record, codes, standing, shift, mask: (1 << bits) - 1 });
            shift += bits;
        }
        if shift + 16 > u128::BITS {
            return Err(Unmade::TooLarge);
        }
        Ok(Packing { fields, record_shift: shift })
    }

    fn pack(&self, n_records: usize, value: impl Fn(usize) -> i64) -> Option<u128> {
        let mut packed = (n_records as u128) << self.record_shift;
        for field in &self.fields {
            if field.record.is_none_or(|record| record < n_records) {
                packed |= u128::from(field.code(value(field.cell))?) << field.shift;
            }
        }
        Some(packed)
    }

    fn unpack(&self, packed: u128, into: &mut Abstract) {
        into.n_records = (packed >> self.record_shift) as usize;
        for field in &self.fields {
            let exists = field.record.is_none_or(|record| record < into.n_records);
            let code = ((packed >> field.shift) & field.mask) as usize;
            into.values[field.cell] = if exists { field.standing[code] } else { 0 };
        }
    }
}

/// Distances of abstract states.
#[derive(Clone, Debug)]
pub(crate) struct Database {
    packing: Packing,
    numbers: Numbers,
    distances: Vec<u32>,
    /// Largest distance of a state that can reach the goal.
    pub largest: u32,
}

impl Database {
    /// Explores the abstraction of a machine, and measures.
    pub fn new(
        machine: &mut Machine<'_>,
        initial: &[Vec<u8>],
        goals: &[AbstractGoal],
        budget: Budget,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<Database, Unmade> {
        let packing = Packing::new(machine)?;
        let mut graph =
            Graph { states: Vec::new(), numbers: Numbers::default(), edges: Vec::new(), goals: Vec::new() };
        for state in initial {
            let start = machine.abstraction(state);
            let packed = start.and_then(|start| packing.pack(start.n_records, |cell| start.values[cell]));
            graph.number(packed.ok_or(GiveUp("states are not alike"))?);
        }
        graph.explore(machine, &packing, goals, budget, goes_on)?;
        let distances = graph.distances();
        let largest = distances.iter().copied().filter(|&distance| distance < FAR).max().unwrap_or(0);
        Ok(Database { packing, numbers: graph.numbers, distances, largest })
    }

    /// Number of abstract states.
    pub fn n_states(&self) -> usize {
        self.distances.len()
    }

    /// The distance of a state of the model; 0 for one that is not known here.
    pub fn distance(&self, shape: &Shape, state: &[u8]) -> u32 {
        let Some(n_records) = shape.n_records(state) else { return 0 };
        let packed = self.packing.pack(n_records, |cell| shape.read(cell, state));
        let number = packed.and_then(|packed| self.numbers.get(&packed));
        number.map_or(0, |&number| self.distances[number as usize])
    }

    /// Whether a state of the model is known here.
    #[cfg(test)]
    pub fn knows(&self, shape: &Shape, state: &[u8]) -> bool {
        let packed = shape
            .n_records(state)
            .and_then(|n_records| self.packing.pack(n_records, |cell| shape.read(cell, state)));
        packed.is_some_and(|packed| self.numbers.contains_key(&packed))
    }

    /// Whether some initial state can reach the goal.
    pub fn is_reachable(&self) -> bool {
        self.distances.first().is_some_and(|&distance| distance < FAR)
    }
}

/// The abstraction as a graph.
struct Graph {
    states: Vec<u128>,
    numbers: Numbers,
    edges: Vec<(u32, u32)>,
    goals: Vec<u32>,
}

impl Graph {
    fn number(&mut self, packed: u128) -> u32 {
        let next = self.states.len() as u32;
        *self.numbers.entry(packed).or_insert_with(|| {
            self.states.push(packed);
            next
        })
    }

    fn explore(
        &mut self,
        machine: &mut Machine<'_>,
        packing: &Packing,
        goals: &[AbstractGoal],
        budget: Budget,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<(), Unmade> {
        let mut state = Abstract { values: vec![0; machine.shape.cells.len()], ..Abstract::default() };
        let mut reached: Vec<u128> = Vec::new();
        let most_ways = machine.n_ways.saturating_add(budget.ways);
        let mut at = 0;
        while at < self.states.len() {
            packing.unpack(self.states[at], &mut state);
            reached.clear();
            let mut is_lost = false;
            machine.steps(
                &state,
                &mut |next| match packing.pack(next.n_records, |cell| next.values[cell]) {
                    Some(packed) => reached.push(packed),
                    None => is_lost = true,
                },
            )?;
            if is_lost {
                return Err(GiveUp("a value that was thought impossible").into());
            }
            let is_goal = goals.iter().any(|goal| match goal {
                AbstractGoal::State(expr, wanted) => machine.may_be(&state, expr, *wanted),
                AbstractGoal::Assertion => machine.may_fail,
                AbstractGoal::At(template, locations) => machine.may_be_at(&state, *template, locations),
            });
            if is_goal {
                self.goals.push(at as u32);
            }
            reached.sort_unstable();
            reached.dedup();
            for &packed in &reached {
                let to = self.number(packed);
                if to as usize != at {
                    self.edges.push((to, at as u32));
                }
            }
            if self.states.len() > budget.states
                || self.edges.len() > budget.edges
                || machine.n_ways > most_ways
            {
                return Err(Unmade::TooLarge);
            }
            if at.is_multiple_of(STATES_BETWEEN_LOOKS) && !goes_on() {
                return Err(Unmade::Interrupted);
            }
            at += 1;
        }
        Ok(())
    }

    /// Backwards from the goals, breadth first.
    fn distances(&mut self) -> Vec<u32> {
        self.edges.sort_unstable();
        let mut distances = vec![FAR; self.states.len()];
        let mut layer = std::mem::take(&mut self.goals);
        for &goal in &layer {
            distances[goal as usize] = 0;
        }
        let mut distance = 0;
        while !layer.is_empty() {
            distance += 1;
            let mut next = Vec::new();
            for to in layer {
                let start = self.edges.partition_point(|&(of, _)| of < to);
                for &(_, from) in self.edges[start..].iter().take_while(|&&(of, _)| of == to) {
                    if distances[from as usize] == FAR {
                        distances[from as usize] = distance;
                        next.push(from);
                    }
                }
            }
            layer = next;
        }
        distances
    }
}
