//! Up to the names of objects: as many classes as there are orbits, and the same findings.

use std::collections::{BTreeMap, BTreeSet};

use fathom_program::{Program, Symmetry};
use proptest::prelude::*;

use super::{explore, program};
use crate::{CSharpProgram, State, Value};

const RING: &str = include_str!("../../../../corpus/csharp/ok/philosophers.cs");

#[test]
fn a_ring_of_philosophers_has_as_many_classes_as_it_can_be_turned() {
    // Ernits (2007): 3^n - 1 states, and one before the table is laid; classes are orbits under rotation.
    for (n, classes) in [(2, 5), (3, 10), (4, 23), (5, 50), (6, 129)] {
        let program = program(&RING.replace("Count = 3", &format!("Count = {n}")));
        let plain = explore(&program, Symmetry::None, usize::MAX);
        assert_eq!(plain.n_states, 3_usize.pow(n));
        let quotient = explore(&program, Symmetry::Canonical, usize::MAX);
        assert_eq!(quotient.n_states, classes + 1, "{n} philosophers");
        assert_eq!(plain.findings, quotient.findings);
        assert_eq!(plain.findings, BTreeMap::from([("no deadlock".to_string(), 1)]));
    }
}

/// Conditions on `a`, `b` and `c` that ask no more of objects than whether two are the same.
const CONDITIONS: [&str; 14] = [
    "a == b",
    "a != b",
    "a.mark",
    "!b.mark",
    "a.next == b",
    "a.next == null",
    "a.friends.Contains(b)",
    "a.friends.Count < 2",
    "paint.ContainsKey(a)",
    "(!paint.ContainsKey(b) || paint[b] == c)",
    "line.Contains(a)",
    "line.Count < 2",
    "head == a",
    "n < 2",
];

const STATEMENTS: [&str; 14] = [
    "a.mark = !a.mark;",
    "a.next = b;",
    "b.next = null;",
    "a.friends = a.friends.Add(b);",
    "a.friends = a.friends.Remove(b);",
    "paint = paint.Override(a, c);",
    "paint = paint.RemoveKey(b);",
    "if (line.Count < 2) line = line.AddLast(a);",
    "if (!line.IsEmpty) line = line.Tail;",
    "head = b;",
    "n = (n + 1) % 3;",
    "nodes = nodes.Remove(a);",
    "foreach (Node x in nodes) if (x.next == a) x.mark = true;",
    "pairs = pairs.Add(new Pair<Node, Set<Node>>(a, nodes.Select(x => x.mark)));",
];

/// A program with objects, sets and maps: actions, each with conditions and statements, and invariants.
fn random_program(actions: &[(Vec<usize>, Vec<usize>)], invariants: &[usize], n_nodes: usize) -> String {
    let mut text = format!(
        "namespace Random {{
  [Abstract] enum Paint {{ P, Q }}
  class Node : LabeledInstance<Node> {{
    public bool mark; public Node next; public Set<Node> friends = Set<Node>.EmptySet;
  }}
  static class Program {{
    static Set<Node> nodes = Set<Node>.EmptySet;
    static Map<Node, Paint> paint = Map<Node, Paint>.EmptyMap;
    static Sequence<Node> line = Sequence<Node>.EmptySequence;
    static Set<Pair<Node, Set<Node>>> pairs = Set<Pair<Node, Set<Node>>>.EmptySet;
    static Node head; static int n;
    static bool GrowEnabled() {{ return nodes.Count < {n_nodes}; }}
    [Action] static void Grow([New] Node node) {{ nodes = nodes.Add(node); }}
    [StateFilter] static bool IsSmall() {{ return pairs.Count < 2; }}\n"
    );
    for (index, (conditions, statements)) in actions.iter().enumerate() {
        let condition = conditions.iter().map(|one| CONDITIONS[*one]).collect::<Vec<_>>().join(" && ");
        let condition = if condition.is_empty() { "true" } else { &condition };
        let statements: String = statements.iter().map(|one| STATEMENTS[*one]).collect();
        let parameters = "[Domain(\"nodes\")] Node a, [Domain(\"nodes\")] Node b, Paint c";
        text += &format!(
            "    static bool Do{index}Enabled(Node a, Node b, Paint c) {{ return {condition}; }}
    [Action] static void Do{index}({parameters}) {{ {statements} }}\n"
        );
    }
    for (index, invariant) in invariants.iter().enumerate() {
        let condition = CONDITIONS[*invariant].replace(" == c)", " == paint[b])");
        let body =
            format!("foreach (Node a in nodes) foreach (Node b in nodes) if ({condition}) return false;");
        text += &format!("    [StateInvariant] static bool Never{index}() {{ {body} return true; }}\n");
    }
    text + "  }\n}\n"
}

fn renamed(value: &Value, names: &[Vec<u32>]) -> Value {
    let all = |values: &[Value]| values.iter().map(|value| renamed(value, names)).collect::<Vec<_>>();
    match value {
        Value::Object(sort, number) => Value::Object(*sort, names[*sort as usize][*number as usize]),
        Value::Set(members) => Value::set(all(members)),
        Value::Sequence(members) => Value::sequence(all(members)),
        Value::Tuple(parts) => Value::Tuple(all(parts).into()),
        Value::Map(entries) => Value::map(
            entries.iter().map(|(key, value)| (renamed(key, names), renamed(value, names))).collect(),
        ),
        other => other.clone(),
    }
}

fn permutations(n: u32) -> Vec<Vec<u32>> {
    let mut all = vec![Vec::new()];
    for next in 0..n {
        all = all
            .into_iter()
            .flat_map(|order: Vec<u32>| {
                (0..=order.len()).map(move |place| {
                    let mut longer = order.clone();
                    longer.insert(place, next);
                    longer
                })
            })
            .collect();
    }
    all
}

/// All states, reached without a system.
fn states(program: &CSharpProgram) -> BTreeSet<State> {
    let mut seen: BTreeSet<State> = program.initial().into_iter().collect();
    let mut pending: Vec<State> = seen.iter().cloned().collect();
    while let Some(state) = pending.pop() {
        let mut actions = Vec::new();
        program.actions(&state, &mut actions);
        for action in actions {
            let mut next = state.clone();
            if program.try_apply(&action, &mut next).is_ok()
                && program.within_bounds(&next)
                && seen.insert(next.clone())
            {
                pending.push(next);
            }
        }
    }
    seen
}

/// The largest number of an object of any sort in a value.
fn largest_number(value: &Value) -> u32 {
    let all = |values: &[Value]| values.iter().map(largest_number).max().unwrap_or(0);
    match value {
        Value::Object(_, number) => *number,
        Value::Set(members) | Value::Sequence(members) => all(members),
        Value::Tuple(parts) => all(parts),
        Value::Map(entries) => entries
            .iter()
            .map(|(key, value)| largest_number(key).max(largest_number(value)))
            .max()
            .unwrap_or(0),
        _ => 0,
    }
}

/// Most nodes whose renamings are all tried: nodes that were removed may live on in pairs, beside new ones.
const MOST_NODES: u32 = 6;

/// Number of classes of states under all renamings of nodes and paints; none when there are too many nodes.
fn n_orbits(program: &CSharpProgram, states: &BTreeSet<State>) -> Option<usize> {
    let n_nodes = 1 + states.iter().flat_map(|state| state.0.iter()).map(largest_number).max().unwrap_or(0);
    if n_nodes > MOST_NODES {
        return None;
    }
    let sorts = &program.model.unit.all.sorts;
    let mut renamings: Vec<Vec<Vec<u32>>> = vec![Vec::new()];
    for sort in sorts {
        let names = match sort.name.as_str() {
            "Paint" => permutations(2),
            "Node" => permutations(n_nodes),
            _ => vec![vec![0]],
        };
        renamings = renamings
            .into_iter()
            .flat_map(|taken| {
                names.iter().map(move |names| {
                    let mut longer = taken.clone();
                    longer.push(names.clone());
                    longer
                })
            })
            .collect();
    }
    let least = |state: &State| {
        let under =
            |names: &Vec<Vec<u32>>| state.0.iter().map(|value| renamed(value, names)).collect::<Vec<_>>();
        renamings.iter().map(under).min()
    };
    Some(states.iter().map(least).collect::<BTreeSet<_>>().len())
}

fn check(text: &str) {
    let program = program(text);
    let plain = explore(&program, Symmetry::None, 400);
    if plain.is_cut {
        return;
    }
    let quotient = explore(&program, Symmetry::Canonical, usize::MAX);
    let states = states(&program);
    assert_eq!(plain.n_states, states.len());
    if let Some(n_orbits) = n_orbits(&program, &states) {
        assert_eq!(quotient.n_states, n_orbits, "{text}");
    }
    let found = |findings: &BTreeMap<String, usize>| findings.keys().cloned().collect::<Vec<_>>();
    assert_eq!(found(&plain.findings), found(&quotient.findings), "{text}");
    assert_eq!(plain.faults, quotient.faults, "{text}");
}

#[test]
fn removed_nodes_that_are_still_known_count() {
    check(&random_program(&[(vec![], vec![7, 11]), (vec![], vec![13])], &[], 2));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    #[test]
    fn random_programs_have_as_many_classes_as_orbits(
        actions in prop::collection::vec(
            (prop::collection::vec(0..CONDITIONS.len(), 0..3), prop::collection::vec(0..STATEMENTS.len(), 1..3)),
            1..4,
        ),
        invariants in prop::collection::vec(0..CONDITIONS.len(), 0..3),
        n_nodes in 1..3_usize,
    ) {
        check(&random_program(&actions, &invariants, n_nodes));
    }
}
