//! A graph written down.

use std::ops::Range;
use std::sync::{Arc, Mutex};

use fathom_model::{Fault, NoRegion, PropertyId, Steps, System};

use super::GOAL;

/// A graph whose states are numbers. A label is the number of the state reached.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// The initial states.
    pub initial: Vec<u32>,
    /// By state; states without a row have no steps.
    pub edges: Vec<Vec<u32>>,
    /// Findings about states, and what went wrong.
    pub findings: Vec<(u32, PropertyId, Option<Fault>)>,
    /// Findings before the first step.
    pub initial_findings: Vec<PropertyId>,
    /// States in the order of their expansion, filled only when there is a log at all.
    pub log: Option<Arc<Mutex<Vec<u32>>>>,
    /// Whether all steps are in one portion; otherwise each is one of its own.
    pub is_undivided: bool,
}

impl Graph {
    /// 0 → 1 → … → `last`, with a finding about property 0 at the end.
    pub fn chain(last: u32) -> Graph {
        let edges = (0..last).map(|state| vec![state + 1]).collect();
        Graph { initial: vec![0], edges, findings: Graph::goals(&[last]), ..Graph::default() }
    }

    /// Findings about [`GOAL`] at states.
    pub fn goals(states: &[u32]) -> Vec<(u32, PropertyId, Option<Fault>)> {
        states.iter().map(|&state| (state, GOAL, Some(Fault::Assertion))).collect()
    }

    /// Whether there is a finding about [`GOAL`] at a state.
    pub fn is_goal(&self, state: u32) -> bool {
        self.findings.iter().any(|(found, property, _)| *found == state && *property == GOAL)
    }

    /// The bytes of a state: as few as possible, so that states differ in length.
    pub fn encode(state: u32) -> ([u8; 4], usize) {
        (state.to_le_bytes(), 4 - state.leading_zeros() as usize / 8)
    }

    /// The state with these bytes.
    pub fn decode(bytes: &[u8]) -> u32 {
        bytes.iter().rev().fold(0, |number, &byte| number << 8 | u32::from(byte))
    }

    /// The steps of a state.
    pub fn edges(&self, state: u32) -> &[u32] {
        self.edges.get(state as usize).map_or(&[], Vec::as_slice)
    }

    fn look(&self, state: u32, out: &mut Steps<NoRegion, u32>) {
        for (_, property, fault) in self.findings.iter().filter(|(found, _, _)| *found == state) {
            out.find(*property, fault.clone(), &[]);
        }
    }

    fn step(target: u32, out: &mut Steps<NoRegion, u32>) {
        let (bytes, length) = Graph::encode(target);
        out.push(&bytes[..length], NoRegion, &[target]);
    }

    /// What the log has collected, which is empty after that.
    pub fn take_log(&self) -> Vec<u32> {
        std::mem::take(&mut self.log.as_ref().unwrap().lock().unwrap())
    }

    /// All properties of findings about states, each once.
    pub fn properties(&self) -> Vec<PropertyId> {
        let mut properties: Vec<PropertyId> =
            self.findings.iter().map(|(_, property, _)| *property).collect();
        properties.sort();
        properties.dedup();
        properties
    }
}

impl System for Graph {
    type Region = NoRegion;
    type Label = u32;
    type Scratch = ();

    fn scratch(&self) {}

    fn initial(&self, _: &mut (), out: &mut Steps<NoRegion, u32>) {
        for &property in &self.initial_findings {
            out.find(property, None, &[77]);
        }
        for &state in &self.initial {
            let (bytes, length) = Graph::encode(state);
            out.push(&bytes[..length], NoRegion, &[state]);
        }
    }

    fn successors(&self, state: &[u8], _: &NoRegion, _: &mut (), out: &mut Steps<NoRegion, u32>) {
        let state = Graph::decode(state);
        if let Some(log) = &self.log {
            log.lock().unwrap().push(state);
        }
        self.look(state, out);
        for &target in self.edges(state) {
            Graph::step(target, out);
        }
    }

    fn portions(&self, state: &[u8], _: &NoRegion, _: &mut (), out: &mut Steps<NoRegion, u32>) -> usize {
        if self.is_undivided {
            return 1;
        }
        let state = Graph::decode(state);
        self.look(state, out);
        // One more than there are steps: portions may be empty.
        self.edges(state).len() + 1
    }

    fn portion(
        &self,
        among: Range<usize>,
        state: &[u8],
        region: &NoRegion,
        scratch: &mut (),
        out: &mut Steps<NoRegion, u32>,
    ) -> usize {
        if self.is_undivided {
            self.successors(state, region, scratch, out);
            return among.end;
        }
        // The first portion is the empty one.
        match among.clone().find(|&portion| portion > 0) {
            Some(portion) => {
                Graph::step(self.edges(Graph::decode(state))[portion - 1], out);
                portion + 1
            }
            None => among.end,
        }
    }
}
