//! Which heuristic guides: what a user may choose, and how it is made of a model.

use fathom_guide::{
    AbstractHeuristic, AbstractPlan, AnyHeuristic, Combine, Heuristic, Kind, LazyAbstract, LocalTable,
    LocalTableHeuristic, ModelHeuristic, NoDatabase, PatternHeuristic, PatternTable, Recipe, Reversed,
    UnknownName, abstraction::DATABASE_STATES,
};
use fathom_hunt::{Bias, IsrOptions, Share, WalkOptions};
use fathom_model::{Expr, Model, NoRegion, PropertyId};

use crate::check::{CheckOptions, Engine};
use crate::reduce::{Reductions, reduce_and_look};

/// Which heuristics guide.
#[derive(Clone, PartialEq, Debug, Default)]
pub enum HeuristicChoice {
    /// Those that know something about the properties.
    #[default]
    Auto,
    /// This kind only.
    Kind(Kind),
    /// The value of an expression: small is near.
    Cost(Expr),
    /// The distance to an expression in place of the properties, measured as this kind does.
    Toward(Kind, Expr),
    /// Distances in abstractions: planned, or chosen from the dependencies of the model.
    Abstract(Option<AbstractPlan>),
    /// The moves of an error of a smaller instance.
    Pattern(PatternTable),
    /// A table of local distances.
    LocalTable(LocalTable),
}

/// What guided and sampled engines need to know beyond [`CheckOptions`].
#[derive(Clone, PartialEq, Debug)]
pub struct Guidance {
    /// Which heuristics guide.
    pub heuristic: HeuristicChoice,
    /// For hunts that choose heuristics themselves: the moves of an error of a smaller instance, beside the others.
    pub pattern: Option<PatternTable>,
    /// Turn estimates round, for experiments.
    pub reversed: bool,
    /// Weight of the estimate in A*.
    pub weight: f64,
    /// Most states of a layer in beam search.
    pub beam_width: usize,
    /// What branch and bound makes small; without it, the number of steps.
    pub cost: Option<Expr>,
    /// The reductions; without them, those that keep the number of steps.
    pub reductions: Option<Reductions>,
    /// Iterated search refinement; properties, threads, depth and seed come from elsewhere.
    pub isr: IsrOptions,
    /// Walks; properties, threads, depth and seed come from elsewhere.
    pub walk: WalkOptions,
    /// Walks and pruned searches are guided.
    pub guided: bool,
    /// How estimates become weights, for guided walks.
    pub bias: Bias,
    /// What weights are given to.
    pub share: Share,
    /// Say what the last successful pruned search took for equal.
    pub distinguish: bool,
    /// The seed.
    pub seed: u64,
}

impl Default for Guidance {
    fn default() -> Guidance {
        Guidance {
            heuristic: HeuristicChoice::Auto,
            pattern: None,
            reversed: false,
            weight: 1.0,
            beam_width: 1000,
            cost: None,
            reductions: None,
            isr: IsrOptions::default(),
            walk: WalkOptions::default(),
            guided: false,
            bias: Bias::default(),
            share: Share::EachStep,
            distinguish: false,
            seed: 1,
        }
    }
}

/// Why there is no heuristic as it was chosen.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum HeuristicError {
    /// The kind knows nothing about the properties.
    NothingKnown,
    /// No database.
    NoDatabase(NoDatabase),
    /// A table names what the model does not have.
    Unknown(UnknownName),
}

impl std::fmt::Display for HeuristicError {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            HeuristicError::NothingKnown => write!(out, "no heuristic knows anything about these properties"),
            HeuristicError::NoDatabase(reason) => write!(out, "{reason}"),
            HeuristicError::Unknown(UnknownName { row, name }) => {
                write!(out, "row {row} names '{name}', which the model does not have")
            }
        }
    }
}

/// Reductions that keep the number of steps.
pub(crate) const STEADY: Reductions =
    Reductions { slice: true, dead: true, fuse: false, partial_order: false, symmetry: false };
/// Most abstract states of a database that nobody asked for.
const MODEST_STATES: usize = 1 << 15;
/// Bytes that a database takes for each of its states while it is made, in proportion to what else may be needed: about
/// half of the memory is left to the search.
const BYTES_OF_ABSTRACT_STATE: u64 = 1024;

impl Guidance {
    /// The reductions that are used: those asked for, or those that keep the number of steps. Where a person names
    /// variables, nothing is left out unless asked for.
    pub(crate) fn reductions(&self) -> Reductions {
        let is_by_name = match &self.heuristic {
            HeuristicChoice::Abstract(plan) => plan.is_some(),
            HeuristicChoice::Pattern(_) | HeuristicChoice::LocalTable(_) => true,
            _ => self.pattern.is_some(),
        };
        self.reductions.unwrap_or(if is_by_name { Reductions::NONE } else { STEADY })
    }

    /// The model that is searched.
    pub(crate) fn prepare(&self, model: &Model, safety: &[PropertyId]) -> Model {
        let mut looked_at: Vec<Expr> = self.cost.iter().cloned().collect();
        if let HeuristicChoice::Cost(expr) | HeuristicChoice::Toward(_, expr) = &self.heuristic {
            looked_at.push(expr.clone());
        }
        reduce_and_look(model, safety, &looked_at, self.reductions())
    }
}

/// Heuristics, turned round or not.
pub(crate) enum Guides<'m> {
    Plain(Vec<AnyHeuristic<'m>>),
    Reversed(Vec<Reversed<AnyHeuristic<'m>>>),
}

impl<'m> Guides<'m> {
    pub fn new(plain: Vec<AnyHeuristic<'m>>, reversed: bool) -> Guides<'m> {
        match reversed {
            false => Guides::Plain(plain),
            true => Guides::Reversed(plain.into_iter().map(Reversed).collect()),
        }
    }

    pub fn named(&self) -> Vec<(&'static str, &dyn Heuristic<NoRegion>)> {
        match self {
            Guides::Plain(plain) => {
                plain.iter().map(|one| (one.name(), one as &dyn Heuristic<NoRegion>)).collect()
            }
            Guides::Reversed(reversed) => {
                reversed.iter().map(|one| (one.0.name(), one as &dyn Heuristic<NoRegion>)).collect()
            }
        }
    }

    pub fn names(&self) -> Vec<&'static str> {
        self.named().into_iter().map(|(name, _)| name).collect()
    }

    /// The first of them as it was made.
    pub fn first(&self) -> Option<&AnyHeuristic<'m>> {
        match self {
            Guides::Plain(plain) => plain.first(),
            Guides::Reversed(reversed) => reversed.first().map(|one| &one.0),
        }
    }

    /// Whether the estimates of the first are never too large; without a heuristic they are 0.
    pub fn is_lower_bound(&self) -> bool {
        match self {
            Guides::Plain(plain) => plain.first().is_none_or(AnyHeuristic::is_lower_bound),
            Guides::Reversed(reversed) => reversed.is_empty(),
        }
    }
}

/// The heuristics for a hunt.
pub(crate) fn heuristics_for_hunt<'m>(
    model: &'m Model,
    safety: &[PropertyId],
    guidance: &Guidance,
    goes_on: &dyn Fn() -> bool,
) -> Vec<AnyHeuristic<'m>> {
    if guidance.heuristic != HeuristicChoice::Auto {
        let recipe = Recipe { goes_on, ..Recipe::of_states(Combine::Sum, DATABASE_STATES) };
        return one_heuristic(model, safety, &guidance.heuristic, recipe).into_iter().collect();
    }
    // The control distance is part of the others.
    let kinds = Kind::ALL.into_iter().filter(|&kind| kind != Kind::Local);
    let known = kinds.filter_map(|kind| ModelHeuristic::new(model, safety, kind));
    let mut all: Vec<AnyHeuristic<'m>> = known.map(AnyHeuristic::Model).collect();
    if LazyAbstract::knows(model, safety) {
        let lazy = AnyHeuristic::Lazy(LazyAbstract::new(model, safety));
        all.insert(all.len().min(1), lazy);
    }
    let pattern = guidance.pattern.as_ref().and_then(|table| PatternHeuristic::new(model, table).ok());
    if let Some(pattern) = pattern {
        all.insert(0, AnyHeuristic::Pattern(pattern));
    }
    all
}

/// The heuristic for one engine: A* wants one that never overestimates.
pub(crate) fn heuristic_for<'m>(
    model: &'m Model,
    safety: &[PropertyId],
    options: &CheckOptions,
    goes_on: &dyn Fn() -> bool,
) -> Result<AnyHeuristic<'m>, HeuristicError> {
    let guidance = &options.guidance;
    let wants_bound = options.engine == Engine::AStar && guidance.weight <= 1.0
        || options.engine == Engine::BranchAndBound && guidance.cost.is_none();
    let combine = if wants_bound { Combine::Max } else { Combine::Sum };
    let affordable = options.max_bytes.map_or(usize::MAX, |bytes| (bytes / BYTES_OF_ABSTRACT_STATE) as usize);
    let of_states =
        |most: usize| Recipe { goes_on, ..Recipe::of_states(combine, most.min(affordable).max(1)) };
    if guidance.heuristic != HeuristicChoice::Auto {
        return one_heuristic(model, safety, &guidance.heuristic, of_states(DATABASE_STATES));
    }
    if wants_bound {
        match AbstractHeuristic::new(model, safety, of_states(MODEST_STATES)) {
            Ok(distances) if distances.is_lower_bound() => return Ok(AnyHeuristic::Abstract(distances)),
            Err(NoDatabase::Interrupted) => return Err(HeuristicError::NoDatabase(NoDatabase::Interrupted)),
            _ => {}
        }
        return one_heuristic(model, safety, &HeuristicChoice::Kind(Kind::Local), of_states(1));
    }
    let known = Kind::ALL.into_iter().find_map(|kind| ModelHeuristic::new(model, safety, kind));
    known.map(AnyHeuristic::Model).ok_or(HeuristicError::NothingKnown)
}

fn one_heuristic<'m>(
    model: &'m Model,
    safety: &[PropertyId],
    choice: &HeuristicChoice,
    recipe: Recipe<'_>,
) -> Result<AnyHeuristic<'m>, HeuristicError> {
    let nothing = HeuristicError::NothingKnown;
    match choice {
        HeuristicChoice::Auto => Err(nothing),
        HeuristicChoice::Kind(kind) => {
            ModelHeuristic::new(model, safety, *kind).map(AnyHeuristic::Model).ok_or(nothing)
        }
        HeuristicChoice::Cost(expr) => Ok(AnyHeuristic::Model(ModelHeuristic::cost(model, expr.clone()))),
        HeuristicChoice::Toward(kind, expr) => {
            Ok(AnyHeuristic::Model(ModelHeuristic::toward(model, expr.clone(), *kind)))
        }
        HeuristicChoice::Abstract(plan) => {
            let recipe = Recipe { plan: plan.as_ref(), ..recipe };
            let made = AbstractHeuristic::new(model, safety, recipe);
            made.map(AnyHeuristic::Abstract).map_err(HeuristicError::NoDatabase)
        }
        HeuristicChoice::Pattern(table) => {
            PatternHeuristic::new(model, table).map(AnyHeuristic::Pattern).map_err(HeuristicError::Unknown)
        }
        HeuristicChoice::LocalTable(table) => {
            LocalTableHeuristic::new(model, table).map(AnyHeuristic::Table).map_err(HeuristicError::Unknown)
        }
    }
}

/// A heuristic as a person may read it and change it.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum HeuristicData {
    /// One that is made of the properties alone.
    Kind(&'static str),
    /// Local distances.
    Local(LocalTable),
    /// Moves.
    Pattern(PatternTable),
    /// What databases keep, with their numbers of states and largest distances.
    Abstract(AbstractPlan, Vec<(usize, u32)>),
}

/// What there is to write down about the heuristic that a check would use.
///
/// Asks now and then whether to go on, since databases take a while.
///
/// # Errors
///
/// When it would use none, and why.
pub fn describe_heuristic(
    model: &Model,
    options: &CheckOptions,
    goes_on: &dyn Fn() -> bool,
) -> Result<HeuristicData, HeuristicError> {
    let safety = crate::hunt::safety_of(model, &options.properties);
    if options.engine.is_symbolic() {
        return crate::symbolic_guided::describe_distances(model, &safety, options, goes_on);
    }
    let prepared = options.guidance.prepare(model, &safety);
    let data = match heuristic_for(&prepared, &safety, options, goes_on)? {
        AnyHeuristic::Model(heuristic) if heuristic.name() == Kind::Local.name() => {
            HeuristicData::Local(heuristic.to_local_table())
        }
        AnyHeuristic::Model(heuristic) => HeuristicData::Kind(heuristic.name()),
        AnyHeuristic::Abstract(heuristic) => HeuristicData::Abstract(heuristic.plan(), heuristic.sizes()),
        AnyHeuristic::Lazy(_) => HeuristicData::Kind("abstract"),
        AnyHeuristic::Pattern(_) | AnyHeuristic::Table(_) => match &options.guidance.heuristic {
            HeuristicChoice::Pattern(table) => HeuristicData::Pattern(table.clone()),
            HeuristicChoice::LocalTable(table) => HeuristicData::Local(table.clone()),
            _ => HeuristicData::Kind("auto"),
        },
    };
    Ok(data)
}
