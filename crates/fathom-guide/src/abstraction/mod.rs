//! Abstract distance databases as a heuristic.
//!
//! An abstraction knows some cells of a state and forgets the rest. The distance to the goal in it is a lower bound of
//! the true distance, and small abstractions can be measured completely beforehand. See `database` for the search,
//! `plan` for what is kept, `machine` for the steps of an abstraction, `value_sets` for what is known of the rest.
//!
//! Several databases are combined by their maximum, which stays a lower bound, or by their sum, which is none but
//! tells more states apart.

mod channels;
mod chooser;
mod database;
mod dependencies;
mod evaluate;
mod machine;
mod plan;
mod reads;
mod shape;
#[cfg(test)]
mod tests;
mod value_sets;
mod values;
mod writes;

use fathom_model::{Model, NoRegion, PropertyId, Question, TemplateId};

pub use plan::DatabasePlan;

use crate::Heuristic;
use crate::formula::FAR;
use crate::local::traps;
use database::{AbstractGoal, Budget, Unmade};
use plan::{Made, Planner};
use shape::Shape;
use value_sets::collect;

/// How several databases become one estimate.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Combine {
    /// The largest: never more than the true distance.
    #[default]
    Max,
    /// The sum of databases that know different things: may be more than the true distance.
    Sum,
}

/// What a person may want to know and change about the databases.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct AbstractPlan {
    /// What each keeps.
    pub databases: Vec<DatabasePlan>,
    /// How they are combined.
    pub combine: Combine,
}

/// Distances in abstractions of a model.
#[derive(Clone, Debug)]
pub struct AbstractHeuristic {
    shape: Shape,
    databases: Vec<Made>,
    combine: Combine,
    is_lower_bound: bool,
    largest: u32,
}

/// How databases are made.
#[derive(Clone, Copy)]
pub struct Recipe<'a> {
    /// What they keep; without a plan, what the dependencies of the model suggest.
    pub plan: Option<&'a AbstractPlan>,
    /// How they are combined, unless the plan says.
    pub combine: Combine,
    /// Most abstract states of each.
    pub most_states: usize,
    /// Asked now and then whether to go on: this may take a while.
    pub goes_on: &'a dyn Fn() -> bool,
}

impl Recipe<'_> {
    /// Chosen by themselves, of so many abstract states each at most, without interruption.
    pub fn of_states(combine: Combine, most_states: usize) -> Recipe<'static> {
        Recipe { plan: None, combine, most_states, goes_on: &|| true }
    }
}

/// Most abstract states of one database, unless said otherwise.
pub const DATABASE_STATES: usize = 1 << 18;

/// Why there is no heuristic.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoDatabase {
    /// Nothing is known about any of the properties.
    NoGoal,
    /// Something in the model.
    Unfit(&'static str),
    /// Even the smallest database would be too large.
    TooLarge,
    /// The plan names this cell, which does not exist or cannot be kept.
    NoCell(String),
    /// Somebody did not want to wait.
    Interrupted,
}

impl From<Unmade> for NoDatabase {
    fn from(reason: Unmade) -> NoDatabase {
        match reason {
            Unmade::TooLarge => NoDatabase::TooLarge,
            Unmade::Unfit(reason) => NoDatabase::Unfit(reason.0),
            Unmade::Interrupted => NoDatabase::Interrupted,
        }
    }
}

impl std::fmt::Display for NoDatabase {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NoDatabase::NoGoal => write!(out, "no abstract distances for these properties"),
            NoDatabase::Unfit(reason) => write!(out, "no abstract distances: {reason}"),
            NoDatabase::TooLarge => write!(out, "no abstract distances: the database would be too large"),
            NoDatabase::NoCell(name) => write!(out, "'{name}' is no cell whose values can be told apart"),
            NoDatabase::Interrupted => write!(out, "no abstract distances: there was no time to make them"),
        }
    }
}

impl AbstractHeuristic {
    /// Databases for properties.
    ///
    /// # Errors
    ///
    /// When there is nothing to measure, or no database can be made.
    pub fn new(
        model: &Model,
        properties: &[PropertyId],
        recipe: Recipe<'_>,
    ) -> Result<AbstractHeuristic, NoDatabase> {
        let Recipe { plan, combine, most_states, goes_on } = recipe;
        let (goals, is_complete) = goals_of(model, properties);
        if goals.is_empty() {
            return Err(NoDatabase::NoGoal);
        }
        let (mut machine, initial) = collect(model, goes_on)?;
        let budget = Budget {
            states: most_states,
            edges: most_states.saturating_mul(24),
            ways: most_states.saturating_mul(8),
        };
        let mut planner = Planner::new(&mut machine, &initial, &goals, budget, goes_on);
        let made = match plan {
            None => planner.by_itself(),
            Some(plan) => match planner.as_planned(&plan.databases) {
                Ok(Ok(made)) => Ok(made),
                Ok(Err(name)) => return Err(NoDatabase::NoCell(name)),
                Err(reason) => Err(reason),
            },
        };
        let databases = made?;
        if databases.is_empty() {
            return Err(NoDatabase::TooLarge);
        }
        let combine = plan.map_or(combine, |plan| plan.combine);
        let is_lower_bound = is_complete && (combine == Combine::Max || databases.len() == 1);
        let mut heuristic =
            AbstractHeuristic { shape: machine.shape, databases, combine, is_lower_bound, largest: 0 };
        let at_start = initial.first().map_or(0, |state| heuristic.estimate(state, &NoRegion));
        let in_databases = heuristic.databases.iter().map(|made| made.database.largest);
        let largest =
            if combine == Combine::Max { in_databases.max().unwrap_or(0) } else { in_databases.sum() };
        heuristic.largest = largest.max(if at_start < FAR { at_start } else { 0 }).max(1);
        Ok(heuristic)
    }

    /// Whether some property has a goal that can be measured.
    pub fn has_goal(model: &Model, properties: &[PropertyId]) -> bool {
        !goals_of(model, properties).0.is_empty()
    }

    /// Whether an estimate is never more than the number of steps to the nearest goal.
    pub fn is_lower_bound(&self) -> bool {
        self.is_lower_bound
    }

    /// What the databases keep.
    pub fn plan(&self) -> AbstractPlan {
        let databases = self.databases.iter().map(|made| made.plan.clone()).collect();
        AbstractPlan { databases, combine: self.combine }
    }

    /// Number of abstract states and largest distance of each database.
    pub fn sizes(&self) -> Vec<(usize, u32)> {
        self.databases.iter().map(|made| (made.database.n_states(), made.database.largest)).collect()
    }

    /// Whether some abstraction shows that the goal cannot be reached.
    pub fn is_unreachable(&self) -> bool {
        self.databases.iter().any(|made| !made.database.is_reachable())
    }

    /// The sum over those databases that group values, or that do not.
    fn sum(&self, state: &[u8], is_grouped: bool) -> u32 {
        let ours = self.databases.iter().filter(|made| made.is_grouped == is_grouped);
        ours.map(|made| made.database.distance(&self.shape, state))
            .fold(0, |sum, distance| sum.saturating_add(distance).min(FAR))
    }
}

impl Heuristic<NoRegion> for AbstractHeuristic {
    fn estimate(&self, state: &[u8], _: &NoRegion) -> u32 {
        match self.combine {
            Combine::Max => {
                let distances = self.databases.iter().map(|made| made.database.distance(&self.shape, state));
                distances.max().unwrap_or(0)
            }
            Combine::Sum => self.sum(state, true).max(self.sum(state, false)),
        }
    }

    fn largest(&self) -> u32 {
        self.largest
    }
}

/// The goals of properties, and whether every property has one that covers all its evidence.
fn goals_of(model: &Model, properties: &[PropertyId]) -> (Vec<AbstractGoal>, bool) {
    let mut goals = Vec::new();
    let mut is_complete = true;
    for property in properties {
        match &model.properties[property.index()].question {
            Question::Invariant(expr) => goals.push(AbstractGoal::State(expr.clone(), false)),
            Question::Reach(expr) => goals.push(AbstractGoal::State(expr.clone(), true)),
            Question::Assertion => {
                let mut effects =
                    model.templates.iter().flat_map(|template| &template.edges).flat_map(|edge| &edge.effect);
                if effects.any(|action| matches!(action, fathom_model::Action::Assert(_))) {
                    goals.push(AbstractGoal::Assertion);
                }
            }
            Question::Deadlock => {
                // The way into a trap says nothing about other deadlocks.
                is_complete = false;
                for (index, template) in model.templates.iter().enumerate() {
                    let locations = traps(template);
                    if !locations.is_empty() {
                        goals.push(AbstractGoal::At(TemplateId::from(index), locations));
                    }
                }
            }
            _ => is_complete = false,
        }
    }
    (goals, is_complete)
}
