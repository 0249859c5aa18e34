//! A system whose states that differ in names only are one.
//!
//! A state is drawn as a graph of its objects together with the structure that permutations have to keep, and labelled
//! canonically. The names that come out need not fit the structure: the third in a ring may get the first name. What fits is
//! found by matching the structure under the new names with the structure itself, which depends on nothing else and is
//! remembered. Both together are a permutation that keeps the structure and takes the state to its canonical form.

use std::collections::HashMap;

use fathom_model::layout::{Layout, RecordKind, read_number};
use fathom_model::{Evidence, Move, NoRegion, Steps, System, Trace};
use fathom_symmetry::{Graph, Labeller, isomorphism, mix};

use super::Symmetry;
use super::shape::{Shape, records_of};

/// A system with the symmetry of its model.
#[derive(Clone, Debug)]
pub struct Quotient<S> {
    system: S,
    symmetry: Symmetry,
}

impl<S: System<Region = NoRegion, Label = Move>> Quotient<S> {
    /// A system of a model with the symmetry of the same model.
    pub fn of(system: S, symmetry: Symmetry) -> Quotient<S> {
        Quotient { system, symmetry }
    }
}

/// Buffers of one worker.
#[derive(Debug)]
pub struct QuotientScratch<S> {
    inner: S,
    steps: Steps<NoRegion, Move>,
    forms: Forms,
    bytes: Vec<u8>,
}

impl<S: System<Region = NoRegion, Label = Move>> Quotient<S> {
    /// Hands on what the system inside has pushed, in canonical form.
    fn push(&self, scratch: &mut QuotientScratch<S::Scratch>, out: &mut Steps<NoRegion, Move>) {
        let QuotientScratch { steps, forms, bytes, .. } = scratch;
        for index in 0..steps.len() {
            forms.canonical(&self.symmetry, steps.state(index), bytes);
            out.push(bytes, NoRegion, steps.labels(index));
        }
        for finding in steps.findings() {
            out.find(finding.property, finding.fault.clone(), steps.finding_labels(finding));
        }
    }

    fn start(scratch: &mut QuotientScratch<S::Scratch>, out: &Steps<NoRegion, Move>) {
        if scratch.steps.is_recording() != out.is_recording() {
            scratch.steps = if out.is_recording() { Steps::recording() } else { Steps::new() };
        }
        scratch.steps.clear();
    }
}

impl<S: System<Region = NoRegion, Label = Move>> System for Quotient<S> {
    type Region = NoRegion;
    type Label = Move;
    type Scratch = QuotientScratch<S::Scratch>;

    fn scratch(&self) -> Self::Scratch {
        let inner = self.system.scratch();
        QuotientScratch { inner, steps: Steps::new(), forms: Forms::default(), bytes: Vec::new() }
    }

    fn initial(&self, scratch: &mut Self::Scratch, out: &mut Steps<NoRegion, Move>) {
        Self::start(scratch, out);
        self.system.initial(&mut scratch.inner, &mut scratch.steps);
        self.push(scratch, out);
    }

    fn successors(
        &self,
        state: &[u8],
        region: &NoRegion,
        scratch: &mut Self::Scratch,
        out: &mut Steps<NoRegion, Move>,
    ) {
        Self::start(scratch, out);
        self.system.successors(state, region, &mut scratch.inner, &mut scratch.steps);
        self.push(scratch, out);
    }
}

/// Finds canonical forms, and remembers shapes.
#[derive(Debug, Default)]
pub(super) struct Forms {
    records: Vec<(RecordKind, u32)>,
    known: Vec<Known>,
    graph: Graph,
    labeller: Labeller,
}

/// A shape that was met.
#[derive(Debug)]
struct Known {
    records: Vec<(RecordKind, u32)>,
    shape: Shape,
    fits: Fits,
}

/// From, label, to.
type Edge = (u32, u64, u32);

/// Where objects go when names change the structure to these edges.
#[derive(Debug)]
struct Fit {
    edges: Vec<Edge>,
    targets: Vec<u32>,
}

/// Permutations that fit, by how names change the structure.
#[derive(Debug, Default)]
struct Fits {
    /// By a hash of the edges.
    known: HashMap<u64, Vec<Fit>>,
    edges: Vec<Edge>,
    /// Where each object goes.
    targets: Vec<u32>,
}

impl Forms {
    pub fn canonical(&mut self, symmetry: &Symmetry, state: &[u8], bytes: &mut Vec<u8>) {
        records_of(&symmetry.layout, state, &mut self.records);
        let known = self.known.iter().position(|known| known.records == self.records);
        let index = known.unwrap_or_else(|| {
            let (records, shape) = (self.records.clone(), Shape::of(symmetry, &self.records));
            self.known.push(Known { records, shape, fits: Fits::default() });
            self.known.len() - 1
        });
        let Known { shape, fits, .. } = &mut self.known[index];
        if shape.objects.is_empty() || !shape.is_set_up(symmetry, state) {
            bytes.clear();
            bytes.extend_from_slice(state);
            return;
        }
        draw(shape, symmetry, state, &mut self.graph);
        let mut write = |names: &[u32], bytes: &mut Vec<u8>| {
            fits.fit(shape, names);
            rename(shape, symmetry, state, &fits.targets, bytes);
        };
        let names = self.labeller.canonical(&self.graph, &mut write);
        write(names, bytes);
    }
}

/// Draws a state as a graph of its objects.
fn draw(shape: &Shape, symmetry: &Symmetry, state: &[u8], graph: &mut Graph) {
    graph.clear();
    for object in &shape.objects {
        graph.add_object(object.cell as u64);
    }
    for &(from, label, to) in &shape.edges {
        graph.add_edge(from, label, to);
    }
    for (object, ranges) in &shape.bytes {
        let hash = ranges.iter().fold(1, |hash, range| {
            state[range.start as usize..range.end as usize]
                .chunks(8)
                .fold(hash, |hash, chunk| mix(hash, word_of(chunk)))
        });
        graph.mark(*object, hash);
    }
    for spot in &shape.spots {
        let value = spot.ty.read(&state[spot.address as usize..]);
        let held = spot.sort.and_then(|sort| shape.object(sort, value));
        let label = if held.is_some() { mix(spot.label, 21) } else { mix(spot.label, value as u64) };
        let mut ties =
            spot.owner.into_iter().chain(spot.indices.iter().map(|&(object, _)| object)).chain(held);
        match (ties.next(), ties.next(), ties.next()) {
            (None, ..) => (),
            (Some(one), None, _) => graph.mark(one, label),
            (Some(one), Some(other), None) => graph.add_edge(one, label, other),
            (Some(one), Some(other), Some(third)) => {
                let knot = graph.add_knot();
                graph.mark(knot, label);
                for (place, object) in [one, other, third].into_iter().chain(ties).enumerate() {
                    graph.add_edge(knot, place as u64, object);
                }
            }
        }
    }
    draw_queues(shape, symmetry, state, graph);
    graph.finish();
}

fn draw_queues(shape: &Shape, symmetry: &Symmetry, state: &[u8], graph: &mut Graph) {
    for queue in &shape.queues {
        let layout = symmetry.layout.channels[queue.channel_type];
        let n_messages = n_messages(&symmetry.layout, state, queue.channel_type, queue.record);
        if let Some(owner) = queue.owner {
            graph.mark(owner, mix(queue.label, u64::from(n_messages)));
        }
        for slot in 0..n_messages {
            let start = queue.record + layout.messages + slot * layout.message_size;
            for (place, &(offset, ty, sort)) in queue.fields.iter().enumerate() {
                let value = ty.read(&state[(start + offset) as usize..]);
                let label = mix(mix(queue.label, u64::from(slot)), place as u64);
                let held = sort.and_then(|sort| shape.object(sort, value));
                match (queue.owner, held) {
                    (Some(owner), Some(held)) => graph.add_edge(owner, label, held),
                    (Some(owner), None) => graph.mark(owner, mix(label, value as u64)),
                    (None, Some(held)) => graph.mark(held, label),
                    (None, None) => (),
                }
            }
        }
    }
}

/// How many messages the channel in a record has.
pub(super) fn n_messages(layout: &Layout, state: &[u8], channel_type: usize, record: u32) -> u32 {
    let layout = layout.channels[channel_type];
    match layout.length_width {
        0 => 0,
        width => read_number(&state[(record + layout.length) as usize..], width),
    }
}

fn word_of(chunk: &[u8]) -> u64 {
    chunk.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
}

/// Writes a state whose objects go to these targets.
fn rename(shape: &Shape, symmetry: &Symmetry, state: &[u8], targets: &[u32], bytes: &mut Vec<u8>) {
    bytes.clear();
    bytes.extend_from_slice(state);
    let target = |object: u32| &shape.objects[targets[object as usize] as usize];
    let shift = |owner: Option<u32>, address: u32| match owner {
        None => address,
        Some(owner) => {
            let from = shape.objects[owner as usize].record.unwrap_or(0);
            address - from + target(owner).record.unwrap_or(0)
        }
    };
    let renamed = |sort: Option<usize>, value: i64| match sort.and_then(|sort| shape.object(sort, value)) {
        Some(object) => i64::from(target(object).number),
        None => value,
    };
    for (object, &size) in shape.record_sizes.iter().enumerate() {
        let (from, to) = (shape.objects[object].record, target(object as u32).record);
        if let (Some(from), Some(to)) = (from, to)
            && from != to
        {
            // Tags differ where templates are read as one.
            let tag = symmetry.layout.tag_width as usize;
            let (from, to, size) = (from as usize, to as usize, size as usize);
            bytes[to + tag..to + size].copy_from_slice(&state[from + tag..from + size]);
        }
    }
    for spot in &shape.spots {
        let value = spot.ty.read(&state[spot.address as usize..]);
        let mut address = shift(spot.owner, spot.address);
        for &(object, stride) in &spot.indices {
            let from = shape.objects[object as usize].number;
            address = address - from * stride + target(object).number * stride;
        }
        spot.ty.write(&mut bytes[address as usize..], renamed(spot.sort, value));
    }
    for queue in &shape.queues {
        let layout = symmetry.layout.channels[queue.channel_type];
        for slot in 0..n_messages(&symmetry.layout, state, queue.channel_type, queue.record) {
            let start = queue.record + layout.messages + slot * layout.message_size;
            for &(offset, ty, sort) in queue.fields.iter().filter(|(_, _, sort)| sort.is_some()) {
                let value = ty.read(&state[(start + offset) as usize..]);
                let address = shift(queue.owner, start + offset);
                ty.write(&mut bytes[address as usize..], renamed(sort, value));
            }
        }
    }
}

impl Fits {
    /// Finds the permutation that keeps the structure and gives objects these names, as far as the structure lets them.
    fn fit(&mut self, shape: &Shape, names: &[u32]) {
        self.targets.clear();
        let named = |object: u32| {
            let cell = &shape.cells[shape.objects[object as usize].cell];
            cell[names[object as usize] as usize]
        };
        self.targets.extend((0..shape.objects.len() as u32).map(named));
        if shape.edges.is_empty() {
            return;
        }
        self.edges.clear();
        let edges = shape.edges.iter();
        self.edges.extend(edges.map(|&(from, label, to)| (named(from), label, named(to))));
        self.edges.sort_unstable();
        if self.edges == shape.edges {
            return;
        }
        let word = |(from, label, to): &Edge| mix(*label, u64::from(*from) << 32 | u64::from(*to));
        let hash = self.edges.iter().fold(0, |hash, edge| mix(hash, word(edge)));
        let alike = self.known.entry(hash).or_default();
        let known = alike.iter().position(|fit| fit.edges == self.edges).unwrap_or_else(|| {
            alike.push(Fit { edges: self.edges.clone(), targets: matching(shape, &self.edges) });
            alike.len() - 1
        });
        for target in &mut self.targets {
            *target = alike[known].targets[*target as usize];
        }
        debug_assert!(keeps(shape, &self.targets), "a permutation keeps the structure");
    }
}

/// Whether a permutation keeps the structure.
fn keeps(shape: &Shape, targets: &[u32]) -> bool {
    let image = |object: u32| targets[object as usize];
    let is_edge = |&(from, label, to): &Edge| shape.edges.binary_search(&(image(from), label, image(to)));
    shape.edges.iter().all(|edge| is_edge(edge).is_ok())
}

/// Where objects go so that these edges become those of the structure.
fn matching(shape: &Shape, edges: &[Edge]) -> Vec<u32> {
    let graph_of = |edges: &[Edge]| {
        let mut graph = Graph::new();
        for object in &shape.objects {
            graph.add_object(object.cell as u64);
        }
        for &(from, label, to) in edges {
            graph.add_edge(from, label, to);
        }
        graph.finish();
        graph
    };
    let map = isomorphism(&graph_of(edges), &graph_of(&shape.edges));
    map.expect("a structure under other names is the same structure")
}

/// The trace of a system that a trace of its quotient stands for. `quotient` may take fewer steps than `plain`; none when
/// the trace is not one of the quotient.
pub fn plain_way<Q, P>(symmetry: &Symmetry, quotient: &Q, plain: &P, trace: &Trace) -> Option<Trace>
where
    Q: System<Region = NoRegion, Label = Move>,
    P: System<Region = NoRegion, Label = Move>,
{
    let (mut classes, mut states) = (quotient.scratch(), plain.scratch());
    let (mut of_class, mut steps) = (Steps::new(), Steps::new());
    let mut forms = Forms::default();
    quotient.initial(&mut classes, &mut of_class);
    plain.initial(&mut states, &mut steps);
    let first = trace.initial as usize;
    if first >= of_class.len() || first >= steps.len() {
        return None;
    }
    let (mut class, mut state) = (of_class.state(first).to_vec(), steps.state(first).to_vec());
    let mut choices = Vec::new();
    let mut form = Vec::new();
    for &choice in &trace.choices {
        of_class.clear();
        quotient.successors(&class, &NoRegion, &mut classes, &mut of_class);
        if choice as usize >= of_class.len() {
            return None;
        }
        class.clear();
        class.extend_from_slice(of_class.state(choice as usize));
        steps.clear();
        plain.successors(&state, &NoRegion, &mut states, &mut steps);
        let image = (0..steps.len()).find(|&index| {
            forms.canonical(symmetry, steps.state(index), &mut form);
            form == class
        })?;
        choices.push(image as u32);
        state = steps.state(image).to_vec();
    }
    steps.clear();
    plain.successors(&state, &NoRegion, &mut states, &mut steps);
    Some(Trace { choices, evidence: evidence_in(&steps, &trace.evidence), ..trace.clone() })
}

/// The evidence about the same property that there is in these steps: the words of a fault may have names in them.
fn evidence_in(steps: &Steps<NoRegion, Move>, evidence: &Evidence) -> Evidence {
    let Evidence::Finding { property, fault } = evidence else { return evidence.clone() };
    let mut found = steps.findings().iter().filter(|finding| finding.property == *property);
    let same = found.clone().find(|finding| finding.fault == *fault);
    match same.or_else(|| found.next()) {
        Some(finding) => Evidence::Finding { property: *property, fault: finding.fault.clone() },
        None => evidence.clone(),
    }
}
