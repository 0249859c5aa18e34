//! One type for every heuristic of a model, as users choose them.

use std::sync::{Mutex, OnceLock, PoisonError};

use fathom_model::{Model, NoRegion, PropertyId};

use crate::abstraction::{AbstractHeuristic, Combine, NoDatabase, Recipe};
use crate::{Heuristic, LocalTableHeuristic, ModelHeuristic, PatternHeuristic};

/// Most abstract states of each: no engine that wants them can do anything else while they are made.
const MOST_STATES: usize = 1 << 15;

/// Databases that are made when they are first asked.
///
/// A hunt has many engines and may end before any of them looks at abstract distances. Where none can be made,
/// everything is as far away as everything else.
#[derive(Debug)]
pub struct LazyAbstract<'m> {
    model: &'m Model,
    properties: Vec<PropertyId>,
    made: OnceLock<Option<AbstractHeuristic>>,
    /// Held by the one who makes them.
    making: Mutex<()>,
}

impl<'m> LazyAbstract<'m> {
    /// Nothing made yet.
    pub fn new(model: &'m Model, properties: &[PropertyId]) -> LazyAbstract<'m> {
        LazyAbstract { model, properties: properties.to_vec(), made: OnceLock::new(), making: Mutex::new(()) }
    }

    /// Whether some property has a goal that an abstraction can measure.
    pub fn knows(model: &Model, properties: &[PropertyId]) -> bool {
        AbstractHeuristic::has_goal(model, properties)
    }

    /// Makes the databases, unless they are made or somebody does not want to wait. Whoever else wants them waits.
    fn make(&self, goes_on: &dyn Fn() -> bool) {
        let _making = self.making.lock().unwrap_or_else(PoisonError::into_inner);
        if self.made.get().is_some() || !goes_on() {
            return;
        }
        let recipe = Recipe { goes_on, ..Recipe::of_states(Combine::Sum, MOST_STATES) };
        match AbstractHeuristic::new(self.model, &self.properties, recipe) {
            Err(NoDatabase::Interrupted) => {}
            made => {
                let _ = self.made.set(made.ok());
            }
        }
    }

    /// The databases, made now if they were not yet.
    pub fn get(&self) -> Option<&AbstractHeuristic> {
        if self.made.get().is_none() {
            self.make(&|| true);
        }
        self.made.get()?.as_ref()
    }
}

impl Heuristic<NoRegion> for LazyAbstract<'_> {
    fn prepare(&self, goes_on: &dyn Fn() -> bool) {
        if self.made.get().is_none() {
            self.make(goes_on);
        }
    }

    fn estimate(&self, state: &[u8], region: &NoRegion) -> u32 {
        self.get().map_or(0, |made| made.estimate(state, region))
    }

    fn largest(&self) -> u32 {
        self.get().map_or(1, Heuristic::<NoRegion>::largest)
    }
}

/// Any heuristic of a model.
#[derive(Debug)]
pub enum AnyHeuristic<'m> {
    /// Control distance, formula distance, blocked processes, cost.
    Model(ModelHeuristic<'m>),
    /// Abstract distances.
    Abstract(AbstractHeuristic),
    /// Abstract distances, when they are asked for.
    Lazy(LazyAbstract<'m>),
    /// Moves of a smaller instance.
    Pattern(PatternHeuristic<'m>),
    /// A table of local distances.
    Table(LocalTableHeuristic<'m>),
}

impl AnyHeuristic<'_> {
    /// The name in reports and on the command line.
    pub fn name(&self) -> &'static str {
        match self {
            AnyHeuristic::Model(heuristic) => heuristic.name(),
            AnyHeuristic::Abstract(_) | AnyHeuristic::Lazy(_) => "abstract",
            AnyHeuristic::Pattern(_) => "pattern",
            AnyHeuristic::Table(_) => "local",
        }
    }

    /// Whether an estimate is never more than the number of steps to the nearest goal.
    pub fn is_lower_bound(&self) -> bool {
        match self {
            AnyHeuristic::Model(heuristic) => heuristic.is_lower_bound(),
            AnyHeuristic::Abstract(heuristic) => heuristic.is_lower_bound(),
            AnyHeuristic::Lazy(_) | AnyHeuristic::Pattern(_) | AnyHeuristic::Table(_) => false,
        }
    }

    fn inner(&self) -> &dyn Heuristic<NoRegion> {
        match self {
            AnyHeuristic::Model(heuristic) => heuristic,
            AnyHeuristic::Abstract(heuristic) => heuristic,
            AnyHeuristic::Lazy(heuristic) => heuristic,
            AnyHeuristic::Pattern(heuristic) => heuristic,
            AnyHeuristic::Table(heuristic) => heuristic,
        }
    }
}

impl Heuristic<NoRegion> for AnyHeuristic<'_> {
    fn prepare(&self, goes_on: &dyn Fn() -> bool) {
        self.inner().prepare(goes_on);
    }

    fn estimate(&self, state: &[u8], region: &NoRegion) -> u32 {
        self.inner().estimate(state, region)
    }

    fn estimate_step(&self, from: &[u8], to: &[u8], region: &NoRegion) -> u32 {
        self.inner().estimate_step(from, to, region)
    }

    fn largest(&self) -> u32 {
        self.inner().largest()
    }
}
