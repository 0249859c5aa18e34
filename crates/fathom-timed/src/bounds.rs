//! Which constants a clock is still compared with, by location.
//!
//! At a location of a process, a clock matters up to the largest constant that it meets before it is set anew: in the
//! invariant of the location, in guards of edges that leave it, and beyond these edges (Behrmann, Bouyer, Fleury
//! and Larsen, "Static Guard Analysis in Timed Automata Verification", TACAS 2003). Constants of lower bounds
//! (`x > c`) and of upper ones (`x < c`) are told apart. The least solution is found by going round until nothing
//! changes. Another process may compare the clock, too: for a state, the largest constant over all processes counts.
//!
//! When a process sets a clock to another one, what all other processes compare the first with, they may from then on
//! compare the value of the second with: this goes into the constants of the second at once.

use std::collections::BTreeSet;

use fathom_zone::{Constraint, NO_BOUND};

use crate::expr::Interval;
use crate::network::{ClockConstraint, Network};
use crate::property::Conjunct;
use crate::ready::bound_of;
use crate::statement::Statement;

/// The constants by process and location.
#[derive(Clone, Debug)]
pub struct LocalBounds {
    dim: usize,
    /// By process: where its locations start, in rows.
    starts: Vec<usize>,
    /// Rows of `2 * dim`: constants of lower bounds, then of upper bounds, clock 0 first.
    rows: Vec<i32>,
    /// By row: what there is in it, with the index in the row. Most locations speak of a clock or two.
    sparse: Vec<Vec<(u32, i32)>>,
    /// The processes that have anything in their rows.
    with_constants: Vec<usize>,
}

/// Where the value of a clock comes from: another clock with something added, or a number.
type Source = Option<(usize, i64)>;

impl LocalBounds {
    /// The constants of a network that is asked about these conditions.
    pub fn new(network: &Network, asked: &[Conjunct]) -> LocalBounds {
        let dim = network.dim();
        let mut starts = Vec::new();
        let mut n_rows = 0;
        for process in &network.processes {
            starts.push(n_rows);
            n_rows += process.locations.len();
        }
        let mut rows = vec![NO_BOUND; n_rows * 2 * dim];
        for row in rows.chunks_exact_mut(2 * dim) {
            (row[0], row[dim]) = (0, 0);
        }
        let mut bounds = LocalBounds { dim, starts, rows, sparse: Vec::new(), with_constants: Vec::new() };
        let ranges = network.ranges();
        for (index, process) in network.processes.iter().enumerate() {
            for (location, declared) in process.locations.iter().enumerate() {
                bounds.add(index, location, &declared.invariant.clocks, &ranges);
                // Conditions may be asked anywhere.
                for conjunct in asked {
                    bounds.add(index, location, &conjunct.clocks, &ranges);
                }
            }
            for edge in &process.edges {
                bounds.add(index, edge.source, &edge.guard.clocks, &ranges);
            }
        }
        bounds.solve(network);
        let sparse = |row: &[i32]| {
            let entries =
                row.iter().enumerate().filter(|&(index, &constant)| index % dim != 0 && constant != NO_BOUND);
            entries.map(|(index, &constant)| (index as u32, constant)).collect()
        };
        bounds.sparse = bounds.rows.chunks_exact(2 * dim).map(sparse).collect();
        let has_constants = |process: &usize| {
            let start = bounds.starts[*process];
            let n_locations = network.processes[*process].locations.len();
            bounds.sparse[start..start + n_locations].iter().any(|row| !row.is_empty())
        };
        bounds.with_constants = (0..network.processes.len()).filter(has_constants).collect();
        bounds
    }

    fn row(&mut self, process: usize, location: usize) -> &mut [i32] {
        let start = (self.starts[process] + location) * 2 * self.dim;
        &mut self.rows[start..start + 2 * self.dim]
    }

    /// Raises the constants of a location to those of constraints.
    fn add(&mut self, process: usize, location: usize, constraints: &[ClockConstraint], ranges: &[Interval]) {
        let dim = self.dim;
        let row = self.row(process, location);
        for constraint in constraints {
            let Interval { least, most } = constraint.bound.interval(ranges);
            if least > most {
                continue;
            }
            let (least, most) = (clamp(least), clamp(most));
            let largest = least.abs().max(most.abs());
            match (&constraint.left, &constraint.right) {
                (Some(clock), None) => raise(&mut row[dim + 1..], clock.possible(), most),
                (None, Some(clock)) => raise(&mut row[1..dim], clock.possible(), -least),
                // Splitting goes by largest constants, and these by the constants of differences, too.
                (Some(left), Some(right)) => {
                    for clock in [left, right] {
                        raise(&mut row[dim + 1..], clock.possible(), largest);
                        raise(&mut row[1..dim], clock.possible(), largest);
                    }
                }
                (None, None) => {}
            }
        }
    }

    /// Goes round until nothing changes.
    fn solve(&mut self, network: &Network) {
        let edges: Vec<(usize, usize, usize, Vec<BTreeSet<Source>>)> = network
            .processes
            .iter()
            .enumerate()
            .flat_map(|(index, process)| {
                process.edges.iter().map(move |edge| {
                    (index, edge.source, edge.target, sources(&edge.update, network.clocks.len()))
                })
            })
            .collect();
        let mut is_changed = true;
        while is_changed {
            is_changed = false;
            for (process, source, target, sources) in &edges {
                for (clock, sources) in sources.iter().enumerate() {
                    for &(from, offset) in sources.iter().flatten() {
                        is_changed |=
                            self.propagate((*process, *target, clock), (*process, *source, from), offset);
                        if from != clock {
                            is_changed |=
                                self.propagate_to_others(network, *process, *source, clock, from, offset);
                        }
                    }
                }
            }
        }
    }

    fn propagate_to_others(
        &mut self,
        network: &Network,
        process: usize,
        source: usize,
        clock: usize,
        from: usize,
        offset: i64,
    ) -> bool {
        let mut is_changed = false;
        for other in (0..network.processes.len()).filter(|&other| other != process) {
            for location in 0..network.processes[other].locations.len() {
                is_changed |= self.propagate((other, location, clock), (process, source, from), offset);
            }
        }
        is_changed
    }

    /// What a clock is compared with at one place, another one is compared with at another, but for an offset.
    fn propagate(&mut self, of: (usize, usize, usize), to: (usize, usize, usize), offset: i64) -> bool {
        let dim = self.dim;
        let mut is_changed = false;
        for half in [0, dim] {
            let wanted = self.row(of.0, of.1)[half + of.2 + 1];
            if wanted == NO_BOUND {
                continue;
            }
            let wanted = clamp(i64::from(wanted) - offset);
            let entry = &mut self.row(to.0, to.1)[half + to.2 + 1];
            if wanted > *entry {
                *entry = wanted;
                is_changed = true;
            }
        }
        is_changed
    }

    /// The constants of a state, for each clock the largest over all processes: those of lower bounds, then those of
    /// upper bounds, clock 0 first in each half.
    #[inline]
    pub fn gather(&self, locations: &[u32], constants: &mut [i32]) {
        constants.fill(NO_BOUND);
        (constants[0], constants[self.dim]) = (0, 0);
        for &process in &self.with_constants {
            for &(index, constant) in &self.sparse[self.starts[process] + locations[process] as usize] {
                let entry = &mut constants[index as usize];
                *entry = (*entry).max(constant);
            }
        }
    }
}

fn clamp(constant: i64) -> i32 {
    let most = i64::from(-NO_BOUND) - 1;
    constant.clamp(-most, most) as i32
}

fn raise(constants: &mut [i32], clocks: std::ops::Range<usize>, to: i32) {
    for constant in &mut constants[clocks] {
        *constant = (*constant).max(to);
    }
}

/// By clock: where its value after some statements may come from.
fn sources(statements: &[Statement], n_clocks: usize) -> Vec<BTreeSet<Source>> {
    let mut sources: Vec<BTreeSet<Source>> =
        (0..n_clocks).map(|clock| BTreeSet::from([Some((clock, 0))])).collect();
    trace_sources(statements, &mut sources);
    sources
}

/// Sources after which a set is too large to be worth telling offsets apart.
const MANY_SOURCES: usize = 1000;

fn trace_sources(statements: &[Statement], sources: &mut Vec<BTreeSet<Source>>) {
    for statement in statements {
        match statement {
            Statement::Assign { .. } | Statement::Leave => {}
            Statement::Block(body) if leaves_early(body) => trace_weakly(body, sources),
            Statement::Block(body) => trace_sources(body, sources),
            Statement::SetClock { clock, from, value } => {
                // An offset that is not known is taken as the one that asks for most.
                let offset = value.constant().unwrap_or(0).max(0);
                let mut set = BTreeSet::new();
                match from {
                    None => {
                        set.insert(None);
                    }
                    Some(from) => {
                        for source in from.possible().flat_map(|from| &sources[from]) {
                            set.insert(source.map(|(clock, before)| (clock, before + offset)));
                        }
                    }
                }
                match clock.constant() {
                    Some(clock) => sources[clock] = set,
                    None => clock.possible().for_each(|clock| sources[clock].extend(set.iter().copied())),
                }
            }
            Statement::If { then, otherwise, .. } => {
                let mut other = sources.clone();
                trace_sources(then, sources);
                trace_sources(otherwise, &mut other);
                join(sources, other);
            }
            Statement::While { body, .. } => loop {
                let before = sources.clone();
                let mut after = sources.clone();
                trace_sources(body, &mut after);
                join(sources, after);
                if sources.iter().any(|set| set.len() > MANY_SOURCES) {
                    forget_offsets(sources);
                }
                if *sources == before {
                    break;
                }
            },
        }
    }
}

/// Whether statements can be left other than after the last one.
fn leaves_early(statements: &[Statement]) -> bool {
    statements.iter().any(|statement| match statement {
        Statement::Leave => true,
        Statement::If { then, otherwise, .. } => leaves_early(then) || leaves_early(otherwise),
        Statement::While { body, .. } => leaves_early(body),
        _ => false,
    })
}

/// Sources after statements of which any may be done or not.
fn trace_weakly(statements: &[Statement], sources: &mut Vec<BTreeSet<Source>>) {
    loop {
        let before = sources.clone();
        for statement in statements {
            match statement {
                Statement::If { then, otherwise, .. } => {
                    trace_weakly(then, sources);
                    trace_weakly(otherwise, sources);
                }
                Statement::While { body, .. } => trace_weakly(body, sources),
                Statement::Block(body) => trace_weakly(body, sources),
                one @ (Statement::SetClock { .. } | Statement::Assign { .. } | Statement::Leave) => {
                    let mut after = sources.clone();
                    trace_sources(std::slice::from_ref(one), &mut after);
                    join(sources, after);
                }
            }
        }
        if sources.iter().any(|set| set.len() > MANY_SOURCES) {
            forget_offsets(sources);
        }
        if *sources == before {
            break;
        }
    }
}

fn join(sources: &mut [BTreeSet<Source>], others: Vec<BTreeSet<Source>>) {
    for (set, other) in sources.iter_mut().zip(others) {
        // A clock with an offset asks for less than without.
        let other = other.into_iter().filter(|source| match source {
            Some((clock, offset)) if *offset > 0 => !set.contains(&Some((*clock, 0))),
            _ => true,
        });
        let other: Vec<Source> = other.collect();
        set.extend(other);
    }
}

fn forget_offsets(sources: &mut [BTreeSet<Source>]) {
    for set in sources {
        *set = set.iter().map(|source| source.map(|(clock, _)| (clock, 0))).collect();
    }
}

/// The bounds on differences of clocks in guards, invariants and conditions, for each pair of clocks that they may be
/// about.
pub(crate) fn diagonals(network: &Network, asked: &[Conjunct]) -> Vec<Constraint> {
    let mut diagonals: Vec<Constraint> = Vec::new();
    let clocks = network
        .guards()
        .flat_map(|guard| &guard.clocks)
        .chain(asked.iter().flat_map(|conjunct| &conjunct.clocks));
    let ranges = network.ranges();
    for constraint in clocks {
        let (Some(left), Some(right)) = (&constraint.left, &constraint.right) else { continue };
        let interval = constraint.bound.interval(&ranges);
        for constant in interval.least..=interval.most {
            for left in left.possible() {
                for right in right.possible() {
                    let bound = bound_of(constant as i32, constraint.is_strict);
                    let diagonal = Constraint { left: left + 1, right: right + 1, bound };
                    if left != right && !diagonals.contains(&diagonal) {
                        diagonals.push(diagonal);
                    }
                }
            }
        }
    }
    diagonals
}
