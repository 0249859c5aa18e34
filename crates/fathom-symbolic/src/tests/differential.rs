//! The concrete states of the steps of a composite state are those that the interpreter reaches, and so are the findings.

use std::collections::BTreeSet;

use fathom_model::{Interpreter, Model, NoRegion, PropertyId, Steps, System};
use fathom_source::{MemoryLoader, SourceMap};

use crate::{Composite, DiagramRegion, Partition, Room};

/// Composite states with more states are not compared: these are listed one by one.
const MOST_STATES: f64 = 500.0;

pub(crate) fn model(text: &str) -> Model {
    let mut sources = SourceMap::default();
    let main = sources.add("m.pml", text);
    let (program, _, mut diagnostics) =
        fathom_promela::parse_program_and_macros(main, &mut sources, &MemoryLoader::new(), &[]);
    let (lowered, found) = fathom_promela::lower_program(&program, "m.pml");
    diagnostics.extend(found);
    lowered.unwrap_or_else(|| panic!("refused: {diagnostics:?}\n{text}"))
}

/// Explores under a partition, composite state by composite state, and compares each expansion.
pub(crate) fn compare(model: &Model, partition: &Partition) -> usize {
    let asked: Vec<PropertyId> = (0..model.properties.len()).map(PropertyId::from).collect();
    let interpreter = Interpreter::new(model, &asked);
    let composite = Composite::new(model, partition, &asked, Room { nodes: 1 << 20 });
    let (mut scratch, mut plain) = (composite.scratch(), interpreter.scratch());
    let mut steps = Steps::new();
    let mut offers = Steps::new();
    composite.initial(&mut scratch, &mut steps);
    interpreter.initial(&mut plain, &mut offers);
    let mut known: Vec<(Vec<u8>, DiagramRegion)> = Vec::new();
    let mut n_states = 0;
    let mut next = 0;
    compare_steps(&composite, &steps, &concrete_offers(&offers), &findings_of(&offers));
    loop {
        for index in 0..steps.len() {
            let (state, region) = (steps.state(index), steps.region(index));
            let is_known = |(known, other): &(Vec<u8>, DiagramRegion)| {
                known == state && fathom_model::Region::includes(other, region)
            };
            if !known.iter().any(is_known) {
                known.push((state.to_vec(), region.clone()));
            }
        }
        if next == known.len() || next > 60 {
            return n_states;
        }
        let (state, region) = known[next].clone();
        next += 1;
        if composite.count(&state, &region) > MOST_STATES {
            steps.clear();
            continue;
        }
        let (mut reached, mut found) = (BTreeSet::new(), BTreeSet::new());
        composite.for_each_state(&state, &region, &mut |concrete| {
            n_states += 1;
            offers.clear();
            interpreter.successors(concrete, &NoRegion, &mut plain, &mut offers);
            reached.append(&mut concrete_offers(&offers));
            found.append(&mut findings_of(&offers));
            true
        });
        steps.clear();
        composite.successors(&state, &region, &mut scratch, &mut steps);
        assert_eq!(composite.gave_up(), None);
        compare_steps(&composite, &steps, &reached, &found);
    }
}

fn concrete_offers(offers: &Steps<NoRegion, fathom_model::Move>) -> BTreeSet<Vec<u8>> {
    (0..offers.len()).map(|index| offers.state(index).to_vec()).collect()
}

/// Properties with findings, and what kind of fault it was.
fn findings_of<R, L>(steps: &Steps<R, L>) -> BTreeSet<(u32, String)> {
    let kind = |fault: &Option<fathom_model::Fault>| {
        format!("{fault:?}").split([' ', '{']).next().unwrap_or_default().to_owned()
    };
    steps.findings().iter().map(|finding| (finding.property.0, kind(&finding.fault))).collect()
}

fn compare_steps(
    composite: &Composite<'_>,
    steps: &Steps<DiagramRegion, ()>,
    reached: &BTreeSet<Vec<u8>>,
    found: &BTreeSet<(u32, String)>,
) {
    let mut ours = BTreeSet::new();
    for index in 0..steps.len() {
        let (state, region) = (steps.state(index), steps.region(index));
        fathom_model::Region::assert_valid(region);
        let mut n_shown = 0;
        composite.for_each_state(state, region, &mut |concrete| {
            n_shown += 1;
            ours.insert(concrete.to_vec())
        });
        assert_eq!(composite.count(state, region), f64::from(n_shown));
    }
    assert_eq!(&ours, reached, "the steps differ");
    assert_eq!(&findings_of(steps), found, "the findings differ");
}

/// Compares under the extreme partitions and some between.
fn check(text: &str) {
    let model = model(text);
    let all = Partition::symbolic(&model);
    let n_parts = all.sides().len();
    compare(&model, &Partition::explicit(&model));
    compare(&model, &all);
    let names: Vec<String> = all.sides().iter().map(|side| side.name.clone()).collect();
    for round in 0..4usize {
        let chosen: Vec<&str> = (0..n_parts)
            .filter(|part| (part * 7919 + round * 104_729 + part * round) % 5 < 2)
            .map(|part| names[part].as_str())
            .collect();
        compare(&model, &Partition::explicit(&model).with(&chosen, true).unwrap());
    }
}

#[test]
fn assignments_guards_and_selections() {
    check(
        "byte x; unsigned y : 3; bit b;
         active proctype p() { do :: x < 20 -> x = x * 3 + 1; y = x - y :: x > 5 -> x = x / 2 :: b = !b :: y > 3 && b -> y = y >> 1 :: else -> break od }",
    );
}

#[test]
fn faults_are_found_where_they_happen() {
    check(
        "unsigned x : 3 = 1; unsigned i : 3; bit a[5]; unsigned z : 5 = 10;
         active proctype p() { do :: i++ :: a[i] = x :: x = a[i] + i :: z = z / x :: z = z % (i - 2) :: assert(i != 3 || x != 2) od }",
    );
}

#[test]
fn channels_with_sorted_sends_random_receives_and_polls() {
    check(
        "chan c = [2] of { byte, bit }; chan d = [3] of { byte }; byte x; unsigned k : 2;
         active proctype p() { do :: k++ :: c!k,1 :: c!!k,0 :: d!!(3 - k) :: d!k :: x < 3 -> x++ od }
         active proctype q() { byte v; bit w; do :: c?v,w :: c??eval(k),w :: d?<v> :: d??[2] -> x = 0 :: d?v :: len(d) == 3 -> d?_ :: full(c) -> c?v,1 od }",
    );
}

#[test]
fn hand_shakes_atomic_sequences_and_blocks() {
    check(
        "chan r = [0] of { byte, bit }; byte x; unsigned k : 2;
         active proctype p() { do :: k++ :: atomic { r!k,1 -> x = k; if :: x > 1 -> x = 0 :: else fi } :: d_step { x = k; if :: x > 2 -> x = 1; k = 0 :: else -> skip fi } od }
         active proctype q() { byte v; do :: r?v,eval(x & 1) :: atomic { r?2,_ -> v = x; assert(v < 3) } :: atomic { do :: k > 0 -> k-- :: x < 2 -> x++ :: break od } od }",
    );
}

#[test]
fn processes_that_start_and_end_with_channels_of_their_own() {
    check(
        "byte n; unsigned k : 2;
         proctype w(byte a) { chan m = [1] of { byte }; byte v; m!a; m?v; n = n + v - a }
         init { do :: k++ :: _nr_pr < 3 -> run w(k) :: timeout -> k = 0 :: else od }",
    );
}

#[test]
fn remote_references_provided_clauses_priorities_and_escapes() {
    check(
        "byte x; unsigned k : 2;
         active proctype p() provided (x < 3) { byte w = 3; L: do :: x++ :: k++ :: { k > 1; x = 0 } unless { x == 2 } od }
         active proctype q() { byte v; do :: p@L -> v = p:w :: x > 1 -> x-- :: v = enabled(0) od }",
    );
    check(
        "byte x; active proctype p() priority 2 { do :: x < 2 -> x++ :: x > 3 -> break od }
         active proctype q() priority 5 { byte v; do :: x == 2 -> v = get_priority(0); set_priority(0, v + 4) :: x > 1 -> break od }",
    );
}
