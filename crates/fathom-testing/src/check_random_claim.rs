//! The check of claims as written on a random model and a random claim, for tests and fuzz targets.
//!
//! The bytes make a claim and a program; whatever the engines say must be what a slow answer says, which follows the claim edge by edge beside
//! the graph of the model.

use fathom_core::model::{Action, Answer, Guard, Interpreter, LocationId, Model, Question, System, Template};
use fathom_core::search::NoMonitor;
use fathom_core::source::MemoryLoader;
use fathom_core::{CheckOptions, Code, Fairness, Language, Reductions, check, load};

use crate::check_random_formula::Judged;
use crate::naive_runs::{Product, graph};
use crate::{Entropy, random_promela};

/// Models with more states are not compared.
const MOST_STATES: usize = 300;

/// Makes a claim and a program from bytes and compares what everyone says.
///
/// # Panics
///
/// When Fathom has a bug. The message shows the program.
pub fn check_random_claim(bytes: &[u8]) -> Judged {
    let mut entropy = Entropy::new(bytes);
    let claim = claim(&mut entropy);
    let is_native = entropy.below(4) == 0;
    let program = format!("{}\n{claim}", random_promela(&mut entropy));
    let loader = MemoryLoader::new().with("random.pml", &program);
    let loaded = load("random.pml", Language::Promela, &loader, &[]).expect("a file in memory");
    let model = loaded.model.unwrap_or_else(|| panic!("{:?}\n{program}", loaded.diagnostics));
    let is_claim = |property: &&fathom_core::model::Property| matches!(property.question, Question::Claim(_));
    let index = model.properties.iter().position(|property| is_claim(&property)).expect("a claim");
    let Question::Claim(template) = model.properties[index].question else { panic!("not a claim") };
    let expected = |is_fair: bool| is_violated(&model, model.template(template), is_fair);
    let (Some(violated), Some(violated_fairly)) = (expected(false), expected(true)) else {
        return Judged::TooLarge;
    };
    for (code, reductions, fairness, threads, expected) in [
        (Code::Interpreted, Reductions::NONE, Fairness::None, 1, violated),
        (Code::Interpreted, Reductions::ALL, Fairness::None, 1, violated),
        (Code::Native, Reductions::ALL, Fairness::None, 2, violated),
        (Code::Interpreted, Reductions::ALL, Fairness::Weak, 1, violated_fairly),
        (Code::Native, Reductions::NONE, Fairness::Weak, 1, violated_fairly),
    ] {
        if code == Code::Native && !is_native {
            continue;
        }
        let properties = vec![index.into()];
        let options =
            CheckOptions { code, reductions, fairness, threads, properties, ..CheckOptions::default() };
        let answer = check(&model, &options, &mut NoMonitor).verdicts[0].answer;
        let expected = if expected { Answer::Violated } else { Answer::Holds };
        assert_eq!(answer, expected, "{code:?} {reductions:?} {fairness:?}\n{program}");
    }
    Judged::Agreed { violated, violated_fairly }
}

/// A claim with one to three states, as text.
fn claim(entropy: &mut Entropy<'_>) -> String {
    let n_states = 1 + entropy.below(3);
    let accepting: Vec<bool> = (0..n_states).map(|_| entropy.below(2) == 0).collect();
    let name = |state: usize| format!("{}{state}", if accepting[state] { "accept" } else { "s" });
    let mut text = "never {\n".to_owned();
    for state in 0..n_states {
        text.push_str(&format!("{}:\n  if\n", name(state)));
        let n_edges = 1 + entropy.below(3);
        for edge in 0..n_edges {
            let condition = match entropy.below(4) {
                0 => "true",
                1 if edge > 0 && edge + 1 == n_edges => "else",
                _ => entropy.pick(&["x == 1", "!(x == 1)", "y > 1", "z == green", "t.f == 0", "!(y > 1)"]),
            };
            let may_end = usize::from(entropy.below(3) == 0);
            let target = entropy.below(n_states + may_end);
            let target = if target == n_states { "done".to_owned() } else { name(target) };
            match entropy.below(8) {
                0 => {
                    text.push_str(&format!("  :: atomic {{ {condition} -> assert(y < 3) }}; goto {target}\n"))
                }
                1 => text.push_str(&format!("  :: atomic {{ {condition} -> x == 1; goto {target} }}\n")),
                _ => text.push_str(&format!("  :: {condition} -> goto {target}\n")),
            }
        }
        text.push_str("  fi;\n");
    }
    text + "done: skip\n}\n"
}

/// Whether some run of the model, a fair one if only those count, is one that the claim forbids. None when the model is too large.
///
/// A finite run that is forbidden can go on fairly.
fn is_violated(model: &Model, claim: &Template, is_fair: bool) -> Option<bool> {
    let interpreter = Interpreter::new(model, &[]);
    let nodes = graph(&interpreter, MOST_STATES)?;
    let n_locations = claim.locations.len();
    let mut scratch = interpreter.scratch();
    let mut ways = vec![Vec::new(); nodes.len() * n_locations];
    let mut is_error = vec![false; nodes.len() * n_locations];
    for (number, node) in nodes.iter().enumerate() {
        for location in 0..n_locations {
            let mut holds = |expr: &fathom_core::model::Expr| {
                interpreter.evaluate(&mut scratch, &node.state, expr).is_ok_and(|value| value != 0)
            };
            let pair = number * n_locations + location;
            let mut found = Vec::new();
            is_error[pair] = look(claim, LocationId::from(location), &mut holds, 0, &mut found);
            ways[pair] = found;
        }
    }
    let successors: Vec<Vec<(usize, &[u32])>> = (0..ways.len())
        .map(|pair| {
            let steps = nodes[pair / n_locations].steps.iter();
            let ways = &ways[pair];
            steps
                .flat_map(|(target, moved)| {
                    ways.iter().map(move |location| (target * n_locations + location.index(), &moved[..]))
                })
                .collect()
        })
        .collect();
    let start = claim.initial.index();
    if is_reached(&successors, start, &is_error) {
        return Some(true);
    }
    let is_accepted =
        |members: &[usize]| members.iter().any(|member| claim.locations[member % n_locations].accept);
    let product = Product { able: &|pair| &nodes[pair / n_locations].able, successors };
    Some(product.has_run(&[start], &is_accepted, is_fair))
}

fn is_reached(successors: &[Vec<(usize, &[u32])>], start: usize, wanted: &[bool]) -> bool {
    let mut is_seen = vec![false; successors.len()];
    let mut pending = vec![start];
    while let Some(node) = pending.pop() {
        if wanted[node] {
            return true;
        }
        if !std::mem::replace(&mut is_seen[node], true) {
            pending.extend(successors[node].iter().map(|(to, _)| *to));
        }
    }
    false
}

/// Where the claim may go from a location in a state; and whether the run is an error there.
fn look(
    claim: &Template,
    from: LocationId,
    holds: &mut dyn FnMut(&fathom_core::model::Expr) -> bool,
    n_taken: usize,
    found: &mut Vec<LocationId>,
) -> bool {
    if n_taken > 30 {
        return true;
    }
    let mut is_error = false;
    for group in &claim.location(from).groups {
        let mut is_taken = false;
        for &id in group {
            let edge = claim.edge(id);
            let is_executable = match &edge.guard {
                Guard::Always => true,
                Guard::When(condition) => holds(condition),
                Guard::Else => !is_taken,
                Guard::Youngest => false,
            };
            if !is_executable {
                continue;
            }
            is_taken = true;
            for action in &edge.effect {
                if let Action::Assert(condition) = action {
                    is_error |= !holds(condition);
                }
            }
            let mut following = claim.location(edge.target).groups.iter().flatten();
            if following.any(|edge| claim.edge(*edge).effect.contains(&Action::End)) {
                is_error = true;
            } else if edge.atomic {
                is_error |= look(claim, edge.target, holds, n_taken + 1, found);
            } else {
                found.push(edge.target);
            }
        }
        if is_taken {
            break;
        }
    }
    is_error
}
