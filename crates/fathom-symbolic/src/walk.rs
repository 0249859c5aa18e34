//! Random walks and trails over diagrams: single states, whose successors are sets.
//!
//! A walk is in one state at a time. All successors are one image, however many there are; the next state is drawn from it, every state being as likely as any other (Bui, *Guided Random-Walk Based
//! Model Checking*, 2009, section 3.11: SRMC). A guided walk divides the image by abstract distance first, and draws a distance before it draws a state (SGRMC): a lone good successor among
//! thousands is then chosen as often as its distance is. A *trail* leaves out the states that it has been in, and ends when there is no other.
//! Here evidence is looked for before a walk is ended, and what a complete database leaves out is no successor for guided walks: it never leads to evidence.
//!
//! Images are remembered, since walks come back to many states; what is drawn does not depend on it.

use std::collections::HashMap;
use std::sync::Arc;

use fathom_diagram::{Diagram, NoRoom};
use fathom_model::{Interpreter, Trace};

use crate::composite::with_bits;
use crate::concrete::follow;
use crate::distances::AbstractDistances;
use crate::relation::{CompositeRelation, Sets, add};

/// Most images that are remembered.
const MOST_IMAGES: usize = 1 << 14;

/// Where random choices come from.
pub trait Chance {
    /// A number from 0 to 1, without 1; all are as likely.
    fn uniform(&mut self) -> f64;

    /// Chooses among distances, each with the number of states at it; there is at least one, and the near ones come first.
    fn class(&mut self, classes: &[(u32, f64)]) -> usize;
}

/// What is done about states that a walk has been in.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SymbolicRepeats {
    /// Nothing.
    #[default]
    Allow,
    /// The walk ends there.
    End,
    /// They are no successors; the walk, a trail, ends when there is no other.
    Avoid,
}

/// How a walk goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SymbolicWalkRules {
    /// What is done about states that it has been in.
    pub repeats: SymbolicRepeats,
    /// Most steps.
    pub max_depth: Option<u32>,
}

/// Why a walk ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SymbolicWalkEnd {
    /// The last state shows evidence; without states, the model does before its first step.
    Found,
    /// There was nowhere to go.
    Over,
    /// The bound on its length was met.
    Cut,
    /// Somebody asked to stop.
    Stopped,
    /// There was no room for diagrams.
    NoRoom,
}

/// A walk that has ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SymbolicWalk {
    /// Why it ended.
    pub end: SymbolicWalkEnd,
    /// The states that it was in, one after the other.
    pub states: Vec<Vec<u8>>,
}

/// A state: its part, and the values of its symbolic bits.
type At = (usize, Vec<bool>);

/// What there is to know about a state.
struct Around {
    cube: Diagram,
    is_evidence: bool,
    /// Successors by distance, the near ones first; all at distance 0 for walks that are not guided.
    classes: Vec<Class>,
}

/// Successors at one distance, with the number of them.
#[derive(Clone)]
struct Class {
    distance: u32,
    states: Sets,
    counts: Vec<f64>,
}

impl Class {
    fn new(relation: &CompositeRelation<'_, '_>, distance: u32, states: Sets) -> Class {
        let count =
            |(&place, values): (&usize, &Diagram)| values.count(relation.parts[place].variables.len() as u32);
        let counts = states.iter().map(count).collect();
        Class { distance, states, counts }
    }

    fn count(&self) -> f64 {
        self.counts.iter().sum()
    }
}

/// Makes walks.
pub struct SymbolicWalker<'r, 'c, 'm> {
    relation: &'r CompositeRelation<'c, 'm>,
    distances: Option<&'r AbstractDistances>,
    known: HashMap<At, Arc<Around>>,
}

impl<'r, 'c, 'm> SymbolicWalker<'r, 'c, 'm> {
    /// Walks through a relation, guided by distances if there are some.
    pub fn new(
        relation: &'r CompositeRelation<'c, 'm>,
        distances: Option<&'r AbstractDistances>,
    ) -> SymbolicWalker<'r, 'c, 'm> {
        SymbolicWalker { relation, distances, known: HashMap::new() }
    }

    /// Makes a walk from an initial state; asks after every step whether to go on.
    pub fn walk(
        &mut self,
        rules: SymbolicWalkRules,
        chance: &mut dyn Chance,
        goes_on: &mut dyn FnMut(u64) -> bool,
    ) -> SymbolicWalk {
        let mut states = Vec::new();
        let end = self.try_walk(rules, chance, goes_on, &mut states).unwrap_or(SymbolicWalkEnd::NoRoom);
        SymbolicWalk { end, states }
    }

    fn try_walk(
        &mut self,
        rules: SymbolicWalkRules,
        chance: &mut dyn Chance,
        goes_on: &mut dyn FnMut(u64) -> bool,
        states: &mut Vec<Vec<u8>>,
    ) -> Result<SymbolicWalkEnd, NoRoom> {
        if self.relation.is_found_at_once {
            return Ok(SymbolicWalkEnd::Found);
        }
        let start = Class::new(self.relation, 0, self.relation.initial.clone());
        let Some(mut at) = self.draw(&start, chance) else { return Ok(SymbolicWalkEnd::Over) };
        let mut visited = Sets::new();
        loop {
            states.push(self.state(&at));
            let around = self.look_around(&at)?;
            if around.is_evidence {
                return Ok(SymbolicWalkEnd::Found);
            }
            let n_steps = states.len() as u64 - 1;
            if !goes_on(n_steps) {
                return Ok(SymbolicWalkEnd::Stopped);
            }
            let reduced;
            let mut classes = &around.classes;
            if rules.repeats == SymbolicRepeats::End
                && let Some(visited) = visited.get(&at.0)
                && visited.includes(&around.cube)?
            {
                return Ok(SymbolicWalkEnd::Over);
            }
            if rules.repeats != SymbolicRepeats::Allow {
                add(&mut visited, at.0, &around.cube)?;
            }
            if rules.repeats == SymbolicRepeats::Avoid {
                reduced = self.without(classes, &visited)?;
                classes = &reduced;
            }
            if classes.is_empty() {
                return Ok(SymbolicWalkEnd::Over);
            }
            if rules.max_depth.is_some_and(|most| n_steps >= u64::from(most)) {
                return Ok(SymbolicWalkEnd::Cut);
            }
            let choice = match classes.as_slice() {
                [_] => 0,
                several => {
                    let sizes: Vec<(u32, f64)> =
                        several.iter().map(|class| (class.distance, class.count())).collect();
                    chance.class(&sizes)
                }
            };
            let Some(next) = self.draw(&classes[choice], chance) else { return Ok(SymbolicWalkEnd::Over) };
            at = next;
        }
    }

    /// A state of a class, every one being as likely as any other.
    fn draw(&self, class: &Class, chance: &mut dyn Chance) -> Option<At> {
        let mut rest = match class.counts.len() {
            1 => 0.0,
            _ => chance.uniform() * class.count(),
        };
        let last = class.counts.len().checked_sub(1)?;
        let mut chosen = last;
        for (index, count) in class.counts.iter().enumerate() {
            rest -= count;
            if rest < 0.0 {
                chosen = index;
                break;
            }
        }
        let (&place, values) = class.states.iter().nth(chosen)?;
        let variables = &self.relation.parts[place].variables;
        Some((place, values.pick_uniformly(variables, &mut || chance.uniform())?))
    }

    fn look_around(&mut self, at: &At) -> Result<Arc<Around>, NoRoom> {
        if let Some(around) = self.known.get(at) {
            return Ok(around.clone());
        }
        let (place, values) = at;
        let part = &self.relation.parts[*place];
        let values: Vec<_> = part.variables.iter().copied().zip(values.iter().copied()).collect();
        let cube = self.relation.composite.diagrams().cube(&values)?;
        let is_evidence = !cube.and(&part.goal)?.is_false();
        let image = self.relation.image(*place, &cube)?;
        let mut by_distance: std::collections::BTreeMap<u32, Sets> = std::collections::BTreeMap::new();
        for (target, values) in image {
            let split = match self.distances {
                Some(distances) => distances.split(target, &values)?,
                None => vec![(0, values)],
            };
            for (distance, values) in split {
                add(by_distance.entry(distance).or_default(), target, &values)?;
            }
        }
        let class = |(distance, states)| Class::new(self.relation, distance, states);
        let classes = by_distance.into_iter().map(class).collect();
        let around = Arc::new(Around { cube, is_evidence, classes });
        if self.known.len() >= MOST_IMAGES {
            self.known.clear();
        }
        self.known.insert(at.clone(), around.clone());
        Ok(around)
    }

    /// Classes without states that were visited.
    fn without(&self, classes: &[Class], visited: &Sets) -> Result<Vec<Class>, NoRoom> {
        let mut left = Vec::with_capacity(classes.len());
        for class in classes {
            let mut states = Sets::new();
            let mut is_same = true;
            for (&place, values) in &class.states {
                let news = match visited.get(&place) {
                    Some(visited) => values.minus(visited)?,
                    None => values.clone(),
                };
                is_same &= news == *values;
                if !news.is_false() {
                    states.insert(place, news);
                }
            }
            if is_same {
                left.push(class.clone());
            } else if !states.is_empty() {
                left.push(Class::new(self.relation, class.distance, states));
            }
        }
        Ok(left)
    }

    fn state(&self, (place, values): &At) -> Vec<u8> {
        let part = &self.relation.parts[*place];
        with_bits(&part.bytes, &part.bits, values)
    }
}

impl CompositeRelation<'_, '_> {
    /// The trace through the states of a walk that has found evidence; none when the interpreter cannot be led there.
    pub fn trace_of(&self, walk: &SymbolicWalk) -> Option<Trace> {
        let interpreter = Interpreter::new(self.composite.model, &[self.property]);
        follow(&interpreter, &walk.states, self.property)
    }
}
