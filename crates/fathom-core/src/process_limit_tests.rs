//! `run` beyond a limit: a state holds 65,535 processes, and one more is a run-time error.

use fathom_model::{Fault, Interpreter, NoRegion, PropertyId, Steps, System};
use fathom_source::MemoryLoader;

use crate::{Language, load};

#[test]
fn a_process_too_many_is_a_run_time_error() {
    let text = "proctype p() { end: false } active proctype q() { do :: run p() od }";
    let loader = MemoryLoader::new().with("m.pml", text);
    let model = load("m.pml", Language::Promela, &loader, &[]).expect("a program").model.expect("a model");
    let runtime_error = PropertyId(2);
    let interpreter = Interpreter::new(&model, &[runtime_error]);
    let mut scratch = interpreter.scratch();
    let mut steps = Steps::new();
    interpreter.initial(&mut scratch, &mut steps);
    let start = steps.state(0).to_vec();
    steps.clear();
    interpreter.successors(&start, &NoRegion, &mut scratch, &mut steps);
    // What one more process adds to a state.
    let record = steps.state(0)[start.len()..].to_vec();
    for (n_processes, is_possible) in [(65_534, true), (65_535, false)] {
        let mut state = start.clone();
        (1..n_processes).for_each(|_| state.extend_from_slice(&record));
        steps.clear();
        interpreter.successors(&state, &NoRegion, &mut scratch, &mut steps);
        assert_eq!(steps.len(), usize::from(is_possible), "{n_processes} processes");
        let faults: Vec<Option<Fault>> =
            steps.findings().iter().map(|finding| finding.fault.clone()).collect();
        let expected = if is_possible { vec![] } else { vec![Some(Fault::TooManyProcesses)] };
        assert_eq!(faults, expected, "{n_processes} processes");
    }
}
