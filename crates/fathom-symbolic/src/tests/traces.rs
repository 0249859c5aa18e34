//! Ways through composite states become traces of the interpreter.

use fathom_model::{Interpreter, Model, PropertyId, Question, Steps, System};

use super::differential::model;
use crate::{Composite, CompositeVisit, Partition, Room};

/// Goes breadth-first to the first finding about a property; gives the way.
fn way_to(composite: &Composite<'_>, property: PropertyId) -> Vec<CompositeVisit> {
    let mut scratch = composite.scratch();
    let mut steps = Steps::new();
    composite.initial(&mut scratch, &mut steps);
    let mut ways: Vec<Vec<CompositeVisit>> = vec![vec![(steps.state(0).to_vec(), steps.region(0).clone())]];
    for next in 0.. {
        let way = ways[next].clone();
        let (state, region) = &way[way.len() - 1];
        steps.clear();
        composite.successors(state, region, &mut scratch, &mut steps);
        if steps.findings().iter().any(|finding| finding.property == property) {
            return way;
        }
        for index in 0..steps.len() {
            let mut longer = way.clone();
            longer.push((steps.state(index).to_vec(), steps.region(index).clone()));
            ways.push(longer);
        }
    }
    unreachable!("there is a finding")
}

fn property(model: &Model, is_meant: fn(&Question) -> bool) -> PropertyId {
    PropertyId::from(model.properties.iter().position(|property| is_meant(&property.question)).unwrap())
}

#[test]
fn a_way_under_any_partition_is_a_trace() {
    let model = model(
        "byte x; byte y; chan c = [1] of { byte };
         active proctype p() { do :: x < 4 -> x++ :: c!x od }
         active proctype q() { do :: c?y; assert(y != 3) od }",
    );
    let asked = property(&model, |question| matches!(question, Question::Assertion));
    let interpreter = Interpreter::new(&model, &[asked]);
    for names in [&[][..], &["x"], &["y", "messages(c)"], &["x", "y", "messages(c)", "len(c)"], &["all"]] {
        let partition = Partition::explicit(&model).with(names, true).unwrap();
        let composite = Composite::new(&model, &partition, &[asked], Room { nodes: 1 << 18 });
        let way = way_to(&composite, asked);
        let trace = composite.concrete_trace(&way, asked).unwrap().expect("the way is real");
        assert_eq!(trace.choices.len() + 1, way.len());
        // Two steps for each of three, a send, a receive; the assertion fails in the step after.
        assert_eq!(trace.choices.len(), 8, "{names:?}");
        fathom_search::replay(&interpreter, &trace).expect("the trace shows what it claims");
    }
}
