//! Programs explored without an engine, plainly and up to the names of objects.

mod corpus;
mod diagnostics;
mod examples;
mod faults;
mod fuzz;
mod language;
mod refusals;
mod symmetry;

use std::collections::{BTreeMap, BTreeSet};

use fathom_model::{NoRegion, Steps, System};
use fathom_program::{ProgramSystem, Symmetry};
use fathom_source::{Diagnostic, MemoryLoader, SourceMap, render_text};

use crate::{CSharpProgram, Options, load};

/// What there is in a program.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(crate) struct Explored {
    pub(crate) n_states: usize,
    pub(crate) n_steps: usize,
    /// By property, in how many states or steps there is evidence about it.
    pub(crate) findings: BTreeMap<String, usize>,
    /// What actions ran into.
    pub(crate) faults: BTreeSet<String>,
    /// Whether there is more than was looked at.
    pub(crate) is_cut: bool,
}

/// Looks at all states, or at some.
pub(crate) fn explore(program: &CSharpProgram, symmetry: Symmetry, most: usize) -> Explored {
    let system = &ProgramSystem::new(program, symmetry);
    let mut scratch = system.scratch();
    let mut steps = Steps::new();
    system.initial(&mut scratch, &mut steps);
    let mut pending: std::collections::VecDeque<Vec<u8>> =
        (0..steps.len()).map(|step| steps.state(step).to_vec()).collect();
    let mut seen: BTreeSet<Vec<u8>> = pending.iter().cloned().collect();
    let mut explored = Explored::default();
    while let Some(state) = pending.pop_front() {
        steps.clear();
        system.successors(&state, &NoRegion, &mut scratch, &mut steps);
        explored.n_steps += steps.len();
        for finding in steps.findings() {
            let name = system.properties()[finding.property.index()].name().to_string();
            *explored.findings.entry(name).or_default() += 1;
            explored.faults.extend(finding.fault.as_ref().map(ToString::to_string));
        }
        for step in 0..steps.len() {
            let next = steps.state(step).to_vec();
            if !seen.contains(&next) {
                if seen.len() >= most {
                    explored.is_cut = true;
                    continue;
                }
                seen.insert(next.clone());
                pending.push_back(next);
            }
        }
    }
    explored.n_states = seen.len();
    explored
}

/// Reads a text as a program, with what there is to say.
pub(crate) fn read_text(
    text: &str,
    options: &Options,
) -> (Option<CSharpProgram>, Vec<Diagnostic>, SourceMap) {
    let mut sources = SourceMap::new();
    let loader = MemoryLoader::new().with("test.cs", text);
    let (program, diagnostics) = load("test.cs", &loader, options, &mut sources);
    (program, diagnostics, sources)
}

/// Reads a text that is a program.
pub(crate) fn program(text: &str) -> CSharpProgram {
    let (program, diagnostics, sources) = read_text(text, &Options::default());
    match program {
        Some(program) => program,
        None => panic!("{}\n{text}", render_text(&sources, &diagnostics, false)),
    }
}
