//! A model watched by a claim.
//!
//! A claim is an automaton that looks at each state of a run, the first one included, and moves. It describes
//! what must not happen: the run is an error when the claim gets to its end, or fails an assertion on the
//! way. A claim also accepts infinite runs that pass a location with an accept label for ever. The product of model and
//! claim is a system like any other: its states are a location of the claim in front of a state of the model.
//!
//! In each state the claim moves first; when it cannot, the run so far is none of its business and is
//! dropped. Then the model makes a step. A model that can make none stays where it is while the claim goes
//! on looking. Edges marked atomic are taken in one go, as the claims that Spin makes from formulas expect.

use crate::interpreter::Scratch;
use crate::{
    Accepting, Action, EdgeId, Fault, Guard, Interpreter, Location, LocationId, Model, Move, NoRegion,
    PropertyId, Question, Steps, System, Template, TemplateId,
};

/// Bytes of the claim's location in front of the state.
const PREFIX: usize = 4;

/// Most edges that a claim takes in one state before it counts as endless.
const LONGEST_LOOK: usize = 10_000;

/// A model and a claim, side by side.
#[derive(Clone, Debug)]
pub struct Watched<'m> {
    interpreter: Interpreter<'m>,
    claim: &'m Template,
    property: PropertyId,
}

/// What happens in a step of the product.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum WatchedMove {
    /// The claim takes an edge.
    Claim(EdgeId),
    /// The model moves.
    Model(Move),
}

impl<'m> Watched<'m> {
    /// The model watched by the claim of a property; nothing when the property is not a claim.
    pub fn new(model: &'m Model, property: PropertyId) -> Option<Watched<'m>> {
        let Question::Claim(claim) = model.properties[property.index()].question else { return None };
        let interpreter = Interpreter::new(model, &[]);
        Some(Watched { interpreter, claim: model.template(claim), property })
    }

    /// Whether the claim accepts nothing but finite runs, so that its end is all there is to look for.
    pub fn is_finite(model: &Model, claim: TemplateId) -> bool {
        model.template(claim).locations.iter().all(|location| !location.accept)
    }

    /// The state of the model in a state of the product.
    pub fn inner_state(state: &[u8]) -> &[u8] {
        &state[PREFIX..]
    }

    /// The ways of the claim in one state of the model: where each leads, and its edges in `looks.edges`.
    fn look(&self, looks: &mut Looks, from: LocationId, state: &[u8], scratch: &mut Scratch, out: &mut Out) {
        looks.clear();
        let mut edges = Vec::new();
        self.look_from(looks, from, state, scratch, &mut edges, out);
    }

    fn look_from(
        &self,
        looks: &mut Looks,
        from: LocationId,
        state: &[u8],
        scratch: &mut Scratch,
        edges: &mut Vec<WatchedMove>,
        out: &mut Out,
    ) {
        if edges.len() > LONGEST_LOOK {
            out.find(self.property, Some(Fault::EndlessInside), edges);
            return;
        }
        let mut taken = false;
        for group in &self.claim.location(from).groups {
            for &id in group {
                let edge = self.claim.edge(id);
                let executable = match &edge.guard {
                    Guard::Always => Ok(true),
                    Guard::When(condition) => {
                        self.interpreter.evaluate(scratch, state, condition).map(|value| value != 0)
                    }
                    Guard::Else => Ok(!taken),
                    Guard::Youngest => Ok(false),
                };
                match executable {
                    Ok(false) => continue,
                    Ok(true) => taken = true,
                    Err(fault) => {
                        out.find(self.property, Some(fault), edges);
                        continue;
                    }
                }
                edges.push(WatchedMove::Claim(id));
                self.assertions(&edge.effect, state, scratch, edges, out);
                if is_closing(self.claim, self.claim.location(edge.target)) {
                    out.find(self.property, None, edges);
                } else if edge.atomic {
                    self.look_from(looks, edge.target, state, scratch, edges, out);
                } else {
                    looks.push(edge.target, edges);
                }
                edges.pop();
            }
            if taken {
                return;
            }
        }
    }

    fn assertions(
        &self,
        effect: &[Action],
        state: &[u8],
        scratch: &mut Scratch,
        edges: &[WatchedMove],
        out: &mut Out,
    ) {
        for action in effect {
            if let Action::Assert(condition) = action {
                match self.interpreter.evaluate(scratch, state, condition) {
                    Ok(0) => out.find(self.property, Some(Fault::Assertion), edges),
                    Ok(_) => {}
                    Err(fault) => out.find(self.property, Some(fault), edges),
                }
            }
        }
    }
}

type Out = Steps<NoRegion, WatchedMove>;

/// Whether a location is the closing brace of a claim.
fn is_closing(claim: &Template, location: &Location) -> bool {
    location.groups.iter().flatten().any(|edge| claim.edge(*edge).effect.contains(&Action::End))
}

/// The ways of a claim in one state.
#[derive(Clone, Default, Debug)]
struct Looks {
    /// Where each way leads, and one past its last edge.
    ways: Vec<(LocationId, usize)>,
    edges: Vec<WatchedMove>,
}

impl Looks {
    fn clear(&mut self) {
        self.ways.clear();
        self.edges.clear();
    }

    fn push(&mut self, target: LocationId, edges: &[WatchedMove]) {
        self.edges.extend_from_slice(edges);
        self.ways.push((target, self.edges.len()));
    }
}

/// Buffers that one worker reuses from state to state.
#[derive(Debug)]
pub struct WatchedScratch {
    inner: Scratch,
    steps: Steps<NoRegion, Move>,
    looks: Looks,
    state: Vec<u8>,
    labels: Vec<WatchedMove>,
}

impl System for Watched<'_> {
    type Region = NoRegion;
    type Label = WatchedMove;
    type Scratch = WatchedScratch;

    fn scratch(&self) -> WatchedScratch {
        WatchedScratch {
            inner: self.interpreter.scratch(),
            steps: Steps::recording(),
            looks: Looks::default(),
            state: Vec::new(),
            labels: Vec::new(),
        }
    }

    fn initial(&self, scratch: &mut WatchedScratch, out: &mut Out) {
        let WatchedScratch { inner, steps, state, .. } = scratch;
        steps.clear();
        self.interpreter.initial(inner, steps);
        for index in 0..steps.len() {
            compose(state, self.claim.initial, steps.state(index));
            out.push(state, NoRegion, &[]);
        }
    }

    fn successors(&self, state: &[u8], _: &NoRegion, scratch: &mut WatchedScratch, out: &mut Out) {
        let WatchedScratch { inner, steps, looks, state: composed, labels } = scratch;
        let (location, model_state) = state.split_at(PREFIX);
        let location = LocationId(u32::from_le_bytes(location.try_into().expect("a prefix of four bytes")));
        self.look(looks, location, model_state, inner, out);
        if looks.ways.is_empty() {
            return;
        }
        steps.clear();
        self.interpreter.successors(model_state, &NoRegion, inner, steps);
        let mut start = 0;
        for &(target, end) in &looks.ways {
            let edges = &looks.edges[start..end];
            start = end;
            if steps.is_empty() {
                compose(composed, target, model_state);
                out.push(composed, NoRegion, edges);
            }
            for index in 0..steps.len() {
                compose(composed, target, steps.state(index));
                labels.clear();
                if out.is_recording() {
                    labels.extend_from_slice(edges);
                    labels.extend(steps.labels(index).iter().cloned().map(WatchedMove::Model));
                }
                out.push(composed, NoRegion, labels);
            }
        }
    }
}

impl Accepting for Watched<'_> {
    fn n_sets(&self) -> u32 {
        1
    }

    fn marks(&self, state: &[u8], _: &WatchedScratch, _: usize) -> u64 {
        u64::from(self.is_accepting(state))
    }

    fn is_state_based(&self) -> bool {
        true
    }

    fn is_accepting(&self, state: &[u8]) -> bool {
        let location = u32::from_le_bytes([state[0], state[1], state[2], state[3]]);
        self.claim.location(LocationId(location)).accept
    }
}

fn compose(out: &mut Vec<u8>, location: LocationId, state: &[u8]) {
    out.clear();
    out.extend_from_slice(&location.0.to_le_bytes());
    out.extend_from_slice(state);
}
