//! Formulas of linear time on composite states: the product with an automaton whose states are explicit.
//!
//! The automaton accepts the runs that violate the formula. A state of the product is a state of the model with a state of the automaton and the marks of the transition that led to
//! it; its explicit part is as explicit as before. The formula is violated when a fair run, one that meets every acceptance set again and again, starts in an initial state: what fixpoints
//! give, by substitution alone and without reachability of the product. A lasso is found by walking through concrete states inside of that set.

use std::collections::HashMap;
use std::sync::Arc;

use fathom_diagram::Diagram;
use fathom_logic::{Automaton, Guard, Marks};
use fathom_model::{Expr, NoRegion, Steps, System};

use crate::graph::{CompositeGraph, GoesOn, GraphPart, GraphStep, NoGraph, StatesOf};

/// Longest lasso that is looked for.
const LONGEST_LASSO: usize = 50_000;

/// A run that goes round for ever, through concrete states.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConcreteLasso {
    /// The initial state.
    pub initial: Vec<u8>,
    /// Index of the step taken in each state.
    pub choices: Vec<u32>,
    /// The number of steps before the loop.
    pub loop_at: usize,
}

/// Whether some run is accepted by an automaton.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Accepted {
    /// None is.
    None,
    /// Some are; a lasso, unless it is too long to be shown.
    Some(Option<ConcreteLasso>),
}

/// The product of a graph and an automaton.
struct Watched<'g, 'c, 'm> {
    base: &'g CompositeGraph<'c, 'm>,
    automaton: &'g Automaton,
    /// Where the propositions are true.
    propositions: Vec<StatesOf>,
    /// States of the automaton with the marks of what led to them; the first is initial.
    layers: Vec<(usize, Marks)>,
    graph: CompositeGraph<'c, 'm>,
}

impl<'c, 'm> CompositeGraph<'c, 'm> {
    /// Whether a run is accepted by an automaton over these propositions. `system` is the reference interpreter of the model, every state of
    /// which has a step.
    ///
    /// # Errors
    ///
    /// When a proposition has no value somewhere, when there is no room, or when told to stop.
    pub fn accepted<S: System<Region = NoRegion>>(
        &self,
        automaton: &Automaton,
        propositions: &[Expr],
        system: &S,
        goes_on: &mut GoesOn<'_>,
    ) -> Result<Accepted, NoGraph> {
        let watched = Watched::new(self, automaton, propositions)?;
        let graph = &watched.graph;
        let sets: Vec<StatesOf> = (0..automaton.n_sets).map(|set| watched.marked(set)).collect();
        let fair = graph.always_fairly(graph.all(), &sets, goes_on)?;
        let bad = graph.both(graph.initial(), &fair)?;
        let Some(initial) = graph.pick(&bad) else { return Ok(Accepted::None) };
        Ok(Accepted::Some(watched.lasso(initial, &fair, &sets, system, goes_on)?))
    }
}

impl<'g, 'c, 'm> Watched<'g, 'c, 'm> {
    fn new(
        base: &'g CompositeGraph<'c, 'm>,
        automaton: &'g Automaton,
        propositions: &[Expr],
    ) -> Result<Self, NoGraph> {
        let propositions = propositions
            .iter()
            .map(|expr| base.satisfying(expr))
            .collect::<Result<Vec<StatesOf>, NoGraph>>()?;
        let mut layers = vec![(automaton.initial, Marks::NONE)];
        let mut numbers: HashMap<(usize, Marks), usize> = HashMap::from([(layers[0], 0)]);
        let mut next = 0;
        while next < layers.len() {
            for transition in &automaton.states[layers[next].0] {
                let layer = (transition.target, transition.marks);
                numbers.entry(layer).or_insert_with(|| {
                    layers.push(layer);
                    layers.len() - 1
                });
            }
            next += 1;
        }
        let n_parts = base.parts.len();
        let mut parts: Vec<GraphPart> = Vec::with_capacity(layers.len() * n_parts);
        let (mut reached, mut initial) = (Vec::new(), Vec::new());
        for number in 0..layers.len() {
            for (place, part) in base.parts.iter().enumerate() {
                parts.push(part.without_steps(base.no()));
                reached.push(base.all().parts[place].clone());
                initial.push(if number == 0 { base.initial().parts[place].clone() } else { base.no() });
            }
        }
        let mut guards = automaton.guards.clone();
        for (number, &(state, _)) in layers.iter().enumerate() {
            for transition in &automaton.states[state] {
                let target = numbers[&(transition.target, transition.marks)];
                let cubes = guards.cubes(transition.guard);
                for (place, part) in base.parts.iter().enumerate() {
                    let letters = letters(base, &propositions, place, &cubes)?;
                    let here = number * n_parts + place;
                    let mut add = |step: GraphStep| {
                        if !step.is_impossible() {
                            let place = parts[here].steps.len();
                            parts[step.target].before.push((here, place));
                            parts[here].steps.push(step);
                        }
                    };
                    for step in &part.steps {
                        add(step.under(&letters, target * n_parts + step.target)?);
                    }
                    // What cannot move repeats itself, and the automaton goes on.
                    let identity = Arc::new(base.composite.diagrams().substitution([]));
                    let stays = part.at_rest.and(&letters)?;
                    add(GraphStep::new(target * n_parts + place, stays, identity, None));
                }
            }
        }
        let graph =
            CompositeGraph::of_parts(base, parts, StatesOf { parts: reached }, StatesOf { parts: initial });
        Ok(Watched { base, automaton, propositions, layers, graph })
    }

    /// The states of the product to which a transition in an acceptance set led.
    fn marked(&self, set: usize) -> StatesOf {
        let n_parts = self.base.parts.len();
        let parts = self.graph.all().parts.iter().enumerate().map(|(node, reached)| {
            if self.layers[node / n_parts].1.contains(set) { reached.clone() } else { self.base.no() }
        });
        StatesOf { parts: parts.collect() }
    }

    fn contains(&self, states: &StatesOf, state: &[u8], layer: usize) -> bool {
        let (place, values) = self.base.located(state);
        let Some(place) = place else { return false };
        states.parts[layer * self.base.parts.len() + place]
            .evaluate(|variable| values.get(&variable).copied().unwrap_or(false))
    }

    fn lasso<S: System<Region = NoRegion>>(
        &self,
        initial: Vec<u8>,
        fair: &StatesOf,
        sets: &[StatesOf],
        system: &S,
        goes_on: &mut GoesOn<'_>,
    ) -> Result<Option<ConcreteLasso>, NoGraph> {
        let mut walker = Walker { watched: self, system, scratch: system.scratch(), steps: Steps::new() };
        let mut layered = Vec::with_capacity(sets.len());
        for set in sets {
            let goal = self.graph.both(fair, set)?;
            layered.push(self.graph.layers_until(fair, &goal, goes_on)?.1);
        }
        let mut rounds: HashMap<(Vec<u8>, usize), usize> = HashMap::new();
        let mut choices = Vec::new();
        let mut at = (initial.clone(), 0);
        while choices.len() <= LONGEST_LASSO {
            if let Some(&loop_at) = rounds.get(&at) {
                return Ok(Some(ConcreteLasso { initial, choices, loop_at }));
            }
            rounds.insert(at.clone(), choices.len());
            let Some((choice, next)) = walker.step_into(&at, fair) else { return Ok(None) };
            choices.push(choice);
            at = next;
            for layers in &layered {
                let Some(mut distance) = layers.iter().position(|layer| self.contains(layer, &at.0, at.1))
                else {
                    return Ok(None);
                };
                while distance > 0 {
                    let Some((choice, next)) = walker.step_into(&at, &layers[distance - 1]) else {
                        return Ok(None);
                    };
                    choices.push(choice);
                    at = next;
                    distance -= 1;
                }
            }
        }
        Ok(None)
    }
}

/// The letters of a guard, as values of a part.
fn letters(
    base: &CompositeGraph<'_, '_>,
    propositions: &[StatesOf],
    place: usize,
    cubes: &[Vec<(u32, bool)>],
) -> Result<Diagram, NoGraph> {
    let mut all = base.no();
    for cube in cubes {
        let mut one = base.all().parts[place].clone();
        for &(proposition, value) in cube {
            let holds = &propositions[proposition as usize].parts[place];
            one = if value { one.and(holds)? } else { one.minus(holds)? };
        }
        all = all.or(&one)?;
    }
    Ok(all)
}

/// A concrete state with a state of the automaton.
type Node = (Vec<u8>, usize);

struct Walker<'a, 'g, 'c, 'm, S: System> {
    watched: &'a Watched<'g, 'c, 'm>,
    system: &'a S,
    scratch: S::Scratch,
    steps: Steps<NoRegion, S::Label>,
}

impl<S: System<Region = NoRegion>> Walker<'_, '_, '_, '_, S> {
    /// The first step of the product into a set.
    fn step_into(&mut self, (state, layer): &Node, states: &StatesOf) -> Option<(u32, Node)> {
        let watched = self.watched;
        self.steps.clear();
        self.system.successors(state, &NoRegion, &mut self.scratch, &mut self.steps);
        let truths: Vec<bool> =
            watched.propositions.iter().map(|holds| watched.base.contains(holds, state)).collect();
        let reads =
            |guard: Guard| watched.automaton.guards.holds(guard, |variable| truths[variable as usize]);
        for transition in &watched.automaton.states[watched.layers[*layer].0] {
            if !reads(transition.guard) {
                continue;
            }
            let wanted = (transition.target, transition.marks);
            let target = watched.layers.iter().position(|known| *known == wanted)?;
            let found = (0..self.steps.len())
                .find(|&index| watched.contains(states, self.steps.state(index), target));
            if let Some(index) = found {
                return Some((index as u32, (self.steps.state(index).to_vec(), target)));
            }
        }
        None
    }
}
