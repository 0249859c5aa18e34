//! Where diagrams live: their nodes, the variables, and the room there is.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::{fmt, ptr};

use oxidd::bdd::{BDDFunction, BDDManagerRef};
use oxidd::util::{AllocResult, OutOfMemory};
use oxidd::{BooleanFunction, Manager, ManagerRef};

use crate::diagram::{Diagram, Substitution, Variables};

/// Bytes of a node, with its share of the table that keeps it once.
const BYTES_OF_A_NODE: usize = 24;
/// Bytes of a result that is remembered.
const BYTES_OF_A_RESULT: usize = 32;
/// Nodes for each result that is remembered.
const NODES_OF_A_RESULT: usize = 8;
/// Most results that are remembered, by how many bits the diagrams are about: with few bits there are few diagrams, and the table, which
/// is made at once, would cost more than all that is done with it.
const MOST_RESULTS: [(usize, usize); 5] =
    [(8, 1 << 12), (12, 1 << 14), (16, 1 << 15), (24, 1 << 19), (usize::MAX, 1 << 21)];
/// Fewest nodes there is room for.
const FEWEST_NODES: usize = 1 << 10;

/// A Boolean variable, by its place in the order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Variable(pub u32);

/// There is no room for the nodes of a result, not even after rubbish was collected.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NoRoom;

impl fmt::Display for NoRoom {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "no room for more nodes of decision diagrams")
    }
}

impl std::error::Error for NoRoom {}

/// How much room there is, in nodes. Memory is taken as it is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Room {
    /// Most nodes alive at a time.
    pub nodes: usize,
}

impl Room {
    /// The room that so many bytes give.
    pub fn of_bytes(bytes: u64) -> Room {
        let each = (BYTES_OF_A_NODE + BYTES_OF_A_RESULT / NODES_OF_A_RESULT) as u64;
        let nodes = usize::try_from(bytes / each).unwrap_or(usize::MAX);
        // The library counts nodes with 32 bits.
        Room { nodes: nodes.clamp(FEWEST_NODES, 1 << 31) }
    }
}

impl Default for Room {
    /// Room for 32 million nodes.
    fn default() -> Room {
        Room { nodes: 1 << 25 }
    }
}

/// Where diagrams live. Copies are the same place.
#[derive(Clone)]
pub struct Diagrams {
    place: Arc<Place>,
}

struct Place {
    manager: BDDManagerRef,
    /// Results that are remembered.
    n_results: usize,
    is_full: AtomicBool,
    /// Set by somebody else when it is time to stop, and whether anything has stopped for it.
    alarm: OnceLock<Arc<AtomicBool>>,
    is_heard: AtomicBool,
    /// What counts instead of it, for what is to be done after all.
    last_alarm: OnceLock<Arc<AtomicBool>>,
    /// The two constants: whoever is one of them is known by comparing, without asking the manager.
    no: BDDFunction,
    yes: BDDFunction,
}

thread_local! {
    /// Where operations of this thread fail for now, and beyond how many nodes: see [`Diagrams::within_allowance`]. Other threads
    /// at the same place go on, so that what they find does not depend on when an allowance is used up here.
    static ALLOWANCE: Cell<Option<(*const Place, usize)>> = const { Cell::new(None) };
}

impl fmt::Debug for Diagrams {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Diagrams").field("nodes", &self.n_nodes()).finish_non_exhaustive()
    }
}

impl Diagrams {
    /// An empty place with so much room.
    pub fn new(room: Room) -> Diagrams {
        Diagrams::about_bits(usize::MAX, room)
    }

    /// An empty place for sets of values of about so many bits.
    pub fn about_bits(n_bits: usize, room: Room) -> Diagrams {
        let most = MOST_RESULTS.iter().find(|(bits, _)| n_bits <= *bits).map_or(1 << 21, |(_, most)| *most);
        let n_results = (room.nodes / NODES_OF_A_RESULT).clamp(1 << 10, most);
        let manager = oxidd::bdd::new_manager(room.nodes, n_results, 1);
        let (no, yes) =
            manager.with_manager_shared(|manager| (BDDFunction::f(manager), BDDFunction::t(manager)));
        let is_full = AtomicBool::new(false);
        let (alarm, is_heard, last_alarm) = (OnceLock::new(), AtomicBool::new(false), OnceLock::new());
        let place = Place { manager, n_results, is_full, alarm, is_heard, last_alarm, no, yes };
        Diagrams { place: Arc::new(place) }
    }

    /// A variable that comes last in the order.
    pub fn new_variable(&self) -> Variable {
        Variable(self.place.manager.with_manager_exclusive(|manager| manager.add_vars(1).start))
    }

    /// Number of variables.
    pub fn n_variables(&self) -> u32 {
        self.place.manager.with_manager_shared(|manager| manager.num_vars())
    }

    /// Nodes alive, and those not collected yet.
    pub fn n_nodes(&self) -> usize {
        self.place.manager.with_manager_shared(|manager| manager.num_inner_nodes())
    }

    /// Bytes of memory in use, by and large: cheap enough to be asked often.
    pub fn bytes(&self) -> usize {
        self.about_n_nodes() * BYTES_OF_A_NODE + self.place.n_results * BYTES_OF_A_RESULT
    }

    /// Nodes alive, and those not collected yet, by and large: cheap enough to be asked often.
    pub fn about_n_nodes(&self) -> usize {
        self.place.manager.with_manager_shared(|manager| manager.approx_num_inner_nodes())
    }

    /// What this thread can make with at most so many more nodes, by and large, those of other threads meanwhile among them; none when it takes more. The place is not full then,
    /// and others go on. Allowances do not nest.
    ///
    /// # Errors
    ///
    /// When there is no room.
    pub fn within_allowance<T>(
        &self,
        n_nodes: usize,
        make: impl FnOnce() -> Result<T, NoRoom>,
    ) -> Result<Option<T>, NoRoom> {
        let most = self.about_n_nodes().saturating_add(n_nodes);
        let outer = ALLOWANCE.replace(Some((Arc::as_ptr(&self.place), most)));
        debug_assert!(outer.is_none(), "allowances do not nest");
        let made = make();
        ALLOWANCE.set(None);
        match made {
            Ok(made) => Ok(Some(made)),
            Err(NoRoom) if self.was_full() || self.was_stopped() => Err(NoRoom),
            Err(NoRoom) => Ok(None),
        }
    }

    /// Lets operations fail, as if there were no room, as soon as a flag is set. What is made of many operations then ends in the middle. The first flag counts.
    pub fn heed(&self, alarm: Arc<AtomicBool>) {
        let _ = self.place.alarm.set(alarm);
    }

    /// From here on another flag counts, and nothing has failed because of it: for what is to be done although the first one was set. The first such flag counts.
    pub fn heed_instead(&self, alarm: Arc<AtomicBool>) {
        if self.place.last_alarm.set(alarm).is_ok() {
            self.place.is_heard.store(false, Ordering::Relaxed);
        }
    }

    /// Whether it is time to stop.
    fn is_alarmed(&self) -> bool {
        let is_set = |alarm: &Arc<AtomicBool>| alarm.load(Ordering::Relaxed);
        // Asked before every operation: mostly the first flag is not set.
        self.place.alarm.get().is_some_and(is_set) && self.place.last_alarm.get().is_none_or(is_set)
    }

    /// Whether an operation has ever failed because of the flag.
    pub fn was_stopped(&self) -> bool {
        self.place.is_heard.load(Ordering::Relaxed)
    }

    /// Whether an operation has ever failed for want of room.
    pub fn was_full(&self) -> bool {
        self.place.is_full.load(Ordering::Relaxed)
    }

    /// The function that is true nowhere or everywhere.
    pub fn constant(&self, value: bool) -> Diagram {
        Diagram::constant(value)
    }

    /// What a diagram is for the library.
    pub(crate) fn function_of<'a>(&'a self, diagram: &'a Diagram) -> &'a BDDFunction {
        match diagram.node() {
            Some(node) => &node.function,
            None if diagram.is_true() => &self.place.yes,
            None => &self.place.no,
        }
    }

    /// The function that is true where a variable is.
    pub fn variable(&self, variable: Variable) -> Result<Diagram, NoRoom> {
        self.literal(variable, true)
    }

    /// The function that is true where a variable has a value.
    pub fn literal(&self, variable: Variable, value: bool) -> Result<Diagram, NoRoom> {
        let function = self.attempt(|| {
            self.place.manager.with_manager_shared(|manager| match value {
                true => BDDFunction::var(manager, variable.0),
                false => BDDFunction::not_var(manager, variable.0),
            })
        })?;
        Ok(self.diagram(function))
    }

    /// The function that is true where variables have these values. A variable is named at most once.
    pub fn cube(&self, values: &[(Variable, bool)]) -> Result<Diagram, NoRoom> {
        let mut sorted = values.to_vec();
        sorted.sort();
        let mut cube = self.constant(true);
        for &(variable, value) in sorted.iter().rev() {
            cube = cube.and(&self.literal(variable, value)?)?;
        }
        Ok(cube)
    }

    /// A set of variables to be quantified away.
    pub fn variables(&self, variables: &[Variable]) -> Result<Variables, NoRoom> {
        let values: Vec<(Variable, bool)> = variables.iter().map(|&variable| (variable, true)).collect();
        Ok(Variables { cube: self.cube(&values)? })
    }

    /// A substitution of functions for variables, all at once.
    pub fn substitution<'d>(&self, pairs: impl IntoIterator<Item = (Variable, &'d Diagram)>) -> Substitution {
        Substitution::new(self, pairs)
    }

    pub(crate) fn diagram(&self, function: BDDFunction) -> Diagram {
        if function == self.place.no {
            return Diagram::constant(false);
        }
        if function == self.place.yes {
            return Diagram::constant(true);
        }
        Diagram::new(function, self)
    }

    /// Does an operation; when there is no room, collects rubbish and tries again.
    pub(crate) fn attempt<T>(&self, operation: impl Fn() -> AllocResult<T>) -> Result<T, NoRoom> {
        if self.is_alarmed() {
            self.place.is_heard.store(true, Ordering::Relaxed);
            return Err(NoRoom);
        }
        if let Some((place, most)) = ALLOWANCE.get()
            && ptr::eq(place, &*self.place)
            && self.about_n_nodes() > most
        {
            return Err(NoRoom);
        }
        if let Ok(result) = operation() {
            return Ok(result);
        }
        // Alone, so that a collection under way in the background is over: another one would not begin beside it.
        self.place.manager.with_manager_exclusive(|manager| manager.gc());
        operation().map_err(|OutOfMemory| {
            self.place.is_full.store(true, Ordering::Relaxed);
            NoRoom
        })
    }
}
