//! All composite states of a model with the steps between them: a graph of explicit parts whose edges carry functions.
//!
//! Reachability first: what is pending of an explicit part is one region that grows until it is expanded, so that a part is expanded once for many states that reach it. Then each part is
//! expanded once more for all that was reached of it, unless that was done already, and its steps are kept. A set of states is a region for each part; what leads to a set is one substitution for each
//! step (da Costa, "Um Verificador de Modelos Explícito-Simbólico", 2005, has relations on the edges, which are scanned; here predecessors are found by
//! lists, and a set speaks about what is reached only, which mends negation and propositions there).

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use fathom_diagram::{Diagram, NoRoom, Substitution, Variable, Variables};
use fathom_model::visit::visit;
use fathom_model::{Base, Expr};
use rustc_hash::FxHashMap;

use crate::composite::{Composite, Expansion};
use crate::encoding::KnownBits;
use crate::machine::{Live, View};
use crate::path::Path;
use crate::prepared::PreparedParts;
use crate::shape::Shape;

/// Most nodes, by and large, of what an expression is made to for all parts at once.
const MOST_NODES: usize = 1 << 14;

/// A set of states: a diagram for each explicit part, by number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StatesOf {
    pub(crate) parts: Vec<Diagram>,
}

/// A step from one explicit part to another.
pub(crate) struct GraphStep {
    pub(crate) target: usize,
    condition: Diagram,
    substitution: Arc<Substitution>,
    choices: Option<Variables>,
}

impl GraphStep {
    pub(crate) fn new(
        target: usize,
        condition: Diagram,
        substitution: Arc<Substitution>,
        choices: Option<Variables>,
    ) -> GraphStep {
        GraphStep { target, condition, substitution, choices }
    }

    /// The same step for fewer values, to another part.
    pub(crate) fn under(&self, values: &Diagram, target: usize) -> Result<GraphStep, NoRoom> {
        let condition = self.condition.and(values)?;
        Ok(GraphStep::new(target, condition, self.substitution.clone(), self.choices.clone()))
    }

    /// Whether it is never taken.
    pub(crate) fn is_impossible(&self) -> bool {
        self.condition.is_false()
    }
}

/// An explicit part.
pub(crate) struct GraphPart {
    pub(crate) bytes: Vec<u8>,
    pub(crate) steps: Vec<GraphStep>,
    /// What has no step: it stays as it is for ever.
    pub(crate) at_rest: Diagram,
    /// Steps that lead here: part and place in its list.
    pub(crate) before: Vec<(usize, usize)>,
}

impl GraphPart {
    /// The same part, alone.
    pub(crate) fn without_steps(&self, at_rest: Diagram) -> GraphPart {
        GraphPart { bytes: self.bytes.clone(), steps: Vec::new(), at_rest, before: Vec::new() }
    }
}

/// Why there is no graph, or no set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoGraph {
    /// There is no room for diagrams.
    NoRoom,
    /// Somebody asked to stop.
    Stopped,
    /// There is evidence about a property of states that the system was asked for: a search knows the way to it.
    Found,
    /// An expression has no value in some state.
    Faulty,
}

impl From<NoRoom> for NoGraph {
    fn from(_: NoRoom) -> NoGraph {
        NoGraph::NoRoom
    }
}

/// All composite states of a model and their steps.
pub struct CompositeGraph<'c, 'm> {
    pub(crate) composite: &'c Composite<'m>,
    pub(crate) parts: Vec<GraphPart>,
    places: FxHashMap<Vec<u8>, usize>,
    reached: StatesOf,
    initial: StatesOf,
    n_expansions: u64,
}

/// The steps of a part for a region of it, and what of it has none.
struct PartExpansion {
    region: Diagram,
    paths: Vec<Path>,
    at_rest: Diagram,
}

/// Whether to go on, asked again and again with the number of expansions and of explicit parts.
pub type GoesOn<'g> = dyn FnMut(u64, u64) -> bool + 'g;

impl<'c, 'm> CompositeGraph<'c, 'm> {
    /// Explores a model under a partition. When there is a graph, no state in it is evidence about a property that the
    /// system was asked for.
    ///
    /// # Errors
    ///
    /// When there is no room, when told to stop, or at the first evidence.
    pub fn new(composite: &'c Composite<'m>, goes_on: &mut GoesOn<'_>) -> Result<Self, NoGraph> {
        let mut graph = CompositeGraph {
            composite,
            parts: Vec::new(),
            places: FxHashMap::default(),
            reached: StatesOf { parts: Vec::new() },
            initial: StatesOf { parts: Vec::new() },
            n_expansions: 0,
        };
        let mut known = KnownBits::default();
        let expansions = graph.reach(&mut known, goes_on)?;
        graph.add_steps(expansions, &mut known, goes_on)?;
        Ok(graph)
    }

    /// A graph of parts that are made already.
    pub(crate) fn of_parts(
        base: &CompositeGraph<'c, 'm>,
        parts: Vec<GraphPart>,
        reached: StatesOf,
        initial: StatesOf,
    ) -> Self {
        let (composite, n_expansions) = (base.composite, base.n_expansions);
        CompositeGraph { composite, parts, places: FxHashMap::default(), reached, initial, n_expansions }
    }

    pub(crate) fn no(&self) -> Diagram {
        self.composite.arithmetic.no.clone()
    }

    fn part(&mut self, bytes: &[u8]) -> usize {
        if let Some(&place) = self.places.get(bytes) {
            return place;
        }
        let place = self.parts.len();
        self.places.insert(bytes.to_vec(), place);
        let (steps, before) = (Vec::new(), Vec::new());
        self.parts.push(GraphPart { bytes: bytes.to_vec(), steps, at_rest: self.no(), before });
        let no = self.no();
        self.reached.parts.push(no.clone());
        self.initial.parts.push(no);
        place
    }

    /// Finds all that can be reached; gives the last expansion of every part.
    fn reach(
        &mut self,
        known: &mut KnownBits,
        goes_on: &mut GoesOn<'_>,
    ) -> Result<Vec<Option<PartExpansion>>, NoGraph> {
        let mut expansions: Vec<Option<PartExpansion>> = Vec::new();
        let (states, findings) = self.composite.build_initial(known)?;
        if !findings.is_empty() {
            return Err(NoGraph::Found);
        }
        let mut pending: Vec<Diagram> = Vec::new();
        let mut queue = VecDeque::new();
        let mut prepared = PreparedParts::default();
        let mut was_expanded: Vec<bool> = Vec::new();
        for (bytes, region) in states {
            let place = self.part(&bytes);
            self.initial.parts[place] = self.initial.parts[place].or(&region.diagram)?;
            self.reached.parts[place] = self.initial.parts[place].clone();
            pending.resize(self.parts.len(), self.no());
            if pending[place].is_false() {
                queue.push_back(place);
            }
            pending[place] = pending[place].or(&region.diagram)?;
        }
        while let Some(place) = queue.pop_front() {
            if !goes_on(self.n_expansions, self.parts.len() as u64) {
                return Err(NoGraph::Stopped);
            }
            self.n_expansions += 1;
            let no = self.no();
            let region = std::mem::replace(&mut pending[place], no);
            let bytes = self.parts[place].bytes.clone();
            was_expanded.resize(self.parts.len(), false);
            let is_first = !std::mem::replace(&mut was_expanded[place], true);
            let mut found: Vec<(usize, Diagram)> = Vec::new();
            let mut expansion = None;
            if let Some(made) = prepared.expand(self.composite, known, &bytes, &region)? {
                if !made.findings.is_empty() {
                    return Err(NoGraph::Found);
                }
                for (target, image) in made.images {
                    let target = self.part(&target);
                    found.push((target, image.minus(&self.reached.parts[target])?));
                }
            } else {
                let n_nodes = self.composite.diagrams().about_n_nodes();
                let Expansion { paths, at_rest, findings } = self.composite.expand(known, &bytes, &region)?;
                if !findings.is_empty() {
                    return Err(NoGraph::Found);
                }
                for path in &paths {
                    let target = self.part(&path.shape.bytes);
                    found.push((target, self.news(known, (&bytes, &region), path, (target, is_first))?));
                }
                expansion = Some(PartExpansion { region, paths, at_rest });
                let n_spent = self.composite.diagrams().about_n_nodes().saturating_sub(n_nodes);
                prepared.spend(&bytes, n_spent);
            }
            pending.resize(self.parts.len(), self.no());
            for (target, news) in found {
                // Another step may have brought some of it.
                let news = news.minus(&self.reached.parts[target])?;
                if news.is_false() {
                    continue;
                }
                self.reached.parts[target] = self.reached.parts[target].or(&news)?;
                if pending[target].is_false() {
                    queue.push_back(target);
                }
                pending[target] = pending[target].or(&news)?;
            }
            expansions.resize_with(self.parts.len(), || None);
            expansions[place] = expansion;
        }
        Ok(expansions)
    }

    /// What a path reaches that was not reached before. The first time that a part is expanded, what leads there is found by substitution, which is cheap where images are not: where everything is initial it is nothing, and the
    /// search is over. Later on there is something as a rule, and what leads there is a set of all choices with it, which is larger than the image.
    fn news(
        &self,
        known: &mut KnownBits,
        (bytes, region): (&[u8], &Diagram),
        path: &Path,
        (target, is_first): (usize, bool),
    ) -> Result<Diagram, NoRoom> {
        let reached = &self.reached.parts[target];
        if reached.is_true() {
            return Ok(self.no());
        }
        let (_, start) = self.composite.start(bytes, region);
        let mut machine = self.composite.machine(known, start, region);
        if reached.is_false() || !is_first {
            return machine.post(path)?.minus(reached);
        }
        let condition = machine.leading_to(path, &reached.not()?)?;
        if condition.is_false() {
            return Ok(self.no());
        }
        machine.post(&Path { condition, ..path.clone() })?.minus(reached)
    }

    /// Keeps the steps of every part for all that was reached of it.
    fn add_steps(
        &mut self,
        mut expansions: Vec<Option<PartExpansion>>,
        known: &mut KnownBits,
        goes_on: &mut GoesOn<'_>,
    ) -> Result<(), NoGraph> {
        let diagrams = &self.composite.encoding.diagrams;
        for place in 0..self.parts.len() {
            if !goes_on(self.n_expansions, self.parts.len() as u64) {
                return Err(NoGraph::Stopped);
            }
            let bytes = self.parts[place].bytes.clone();
            let reached = &self.reached.parts[place];
            let (paths, at_rest) = match expansions.get_mut(place).and_then(Option::take) {
                Some(expansion) if expansion.region == *reached => (expansion.paths, expansion.at_rest),
                _ => {
                    self.n_expansions += 1;
                    self.composite.steps_of(known, &bytes, reached)?
                }
            };
            self.parts[place].at_rest = at_rest;
            for path in paths {
                let target = *self.places.get(&path.shape.bytes).ok_or(NoGraph::NoRoom)?;
                let mut functions = Vec::with_capacity(path.bits.len());
                for (bit, function) in path.bits.iter() {
                    functions.push((known.variables(&self.composite.encoding, bit)?.now, function));
                }
                let choices = match path.choices.is_empty() {
                    true => None,
                    false => Some(diagrams.variables(&path.choices)?),
                };
                let substitution = Arc::new(diagrams.substitution(functions));
                let here = (place, self.parts[place].steps.len());
                self.parts[target].before.push(here);
                let step = GraphStep::new(target, path.condition, substitution, choices);
                self.parts[place].steps.push(step);
            }
        }
        Ok(())
    }

    /// Number of explicit parts.
    pub fn n_parts(&self) -> usize {
        self.parts.len()
    }

    /// Number of steps between explicit parts.
    pub fn n_steps(&self) -> usize {
        self.parts.iter().map(|part| part.steps.len()).sum()
    }

    /// Number of expansions that it took.
    pub fn n_expansions(&self) -> u64 {
        self.n_expansions
    }

    /// Number of concrete states in a set.
    pub fn count(&self, states: &StatesOf) -> f64 {
        let each = self.parts.iter().zip(&states.parts);
        each.map(|(part, diagram)| {
            let layout = (&self.composite.layout, &self.composite.cells);
            let n_bits = Shape::load(layout.0, layout.1, &part.bytes).n_symbolic_bits(layout.1);
            diagram.count(n_bits as u32)
        })
        .sum()
    }

    /// All states that can be reached.
    pub fn all(&self) -> &StatesOf {
        &self.reached
    }

    /// The initial states.
    pub fn initial(&self) -> &StatesOf {
        &self.initial
    }

    /// No state.
    pub fn none(&self) -> StatesOf {
        StatesOf { parts: vec![self.no(); self.parts.len()] }
    }

    /// Whether a set has no state.
    pub fn is_empty(&self, states: &StatesOf) -> bool {
        states.parts.iter().all(Diagram::is_false)
    }

    /// Whether a concrete state is in a set.
    pub fn contains(&self, states: &StatesOf, state: &[u8]) -> bool {
        let (place, values) = self.located(state);
        let Some(place) = place else { return false };
        states.parts[place].evaluate(|variable| values.get(&variable).copied().unwrap_or(false))
    }

    /// The part of a concrete state, if there is one, and the values of the rest.
    pub(crate) fn located(&self, state: &[u8]) -> (Option<usize>, HashMap<Variable, bool>) {
        let cells = &self.composite.cells;
        let bits = Shape::load(&self.composite.layout, cells, state).symbolic_bits(cells);
        let mut explicit = state.to_vec();
        let mut values = HashMap::with_capacity(bits.len());
        for bit in bits {
            let byte = &mut explicit[bit as usize / 8];
            values.insert(self.composite.encoding.variables(bit).now, *byte >> (bit % 8) & 1 == 1);
            *byte &= !(1 << (bit % 8));
        }
        (self.places.get(&explicit).copied(), values)
    }

    /// A concrete state of a set.
    pub fn pick(&self, states: &StatesOf) -> Option<Vec<u8>> {
        let each = self.parts.iter().zip(&states.parts);
        each.filter(|(_, diagram)| !diagram.is_false())
            .find_map(|(part, diagram)| self.composite.pick(&part.bytes, diagram))
    }

    /// The states in which an expression is not 0.
    ///
    /// # Errors
    ///
    /// When it has no value somewhere, or there is no room.
    pub fn satisfying(&self, expr: &Expr) -> Result<StatesOf, NoGraph> {
        let mut known = KnownBits::default();
        let mut parts = Vec::with_capacity(self.parts.len());
        if let Some(everywhere) = self.satisfying_everywhere(expr, &mut known)? {
            for reached in &self.reached.parts {
                parts.push(reached.and(&everywhere)?);
            }
            return Ok(StatesOf { parts });
        }
        for (part, reached) in self.parts.iter().zip(&self.reached.parts) {
            let (path, start) = self.composite.start(&part.bytes, reached);
            let mut machine = self.composite.machine(&mut known, start, reached);
            let mut live = Live::new(&path.condition);
            parts.push(machine.holds(&View::NOBODY, &path, expr, &mut live)?);
            if !live.faults.is_empty() {
                return Err(NoGraph::Faulty);
            }
        }
        Ok(StatesOf { parts })
    }

    /// The values that satisfy an expression in every part, where it reads nothing but symbolic variables that all parts have. None for other expressions, where there is much to be made for all values, and
    /// where it has no value for some.
    fn satisfying_everywhere(&self, expr: &Expr, known: &mut KnownBits) -> Result<Option<Diagram>, NoRoom> {
        let composite = self.composite;
        let mut is_alike = self.parts.len() > 1;
        visit(expr, &mut |one| {
            is_alike &= match one {
                Expr::Const(_) | Expr::Unary(..) | Expr::Binary(..) | Expr::Conditional(..) => true,
                Expr::Load(place) => {
                    place.base == Base::Global
                        && place.indices.is_empty()
                        && composite.cells.globals.symbolic[place.offset as usize]
                }
                _ => false,
            };
        });
        if !is_alike {
            return Ok(None);
        }
        let all = &composite.arithmetic.yes;
        let (path, start) = composite.start(&self.parts[0].bytes, all);
        let mut machine = composite.machine(known, start, all);
        let mut live = Live::new(all);
        let made = composite
            .diagrams()
            .within_allowance(MOST_NODES, || machine.holds(&View::NOBODY, &path, expr, &mut live))?;
        Ok(made.filter(|_| live.faults.is_empty()))
    }

    /// What of a part leads to values of the target of one of its steps.
    pub(crate) fn before_step(&self, step: &GraphStep, target: &Diagram) -> Result<Diagram, NoRoom> {
        let before = target.substitute(&step.substitution)?;
        match &step.choices {
            Some(choices) => before.and_exists(&step.condition, choices),
            None => before.and(&step.condition),
        }
    }

    /// What of a part leads to a set in one step; a state that cannot move repeats itself.
    pub(crate) fn before_in(&self, place: usize, states: &StatesOf) -> Result<Diagram, NoRoom> {
        let part = &self.parts[place];
        let mut before = part.at_rest.and(&states.parts[place])?;
        for step in &part.steps {
            if !states.parts[step.target].is_false() {
                before = before.or(&self.before_step(step, &states.parts[step.target])?)?;
            }
        }
        Ok(before)
    }
}
