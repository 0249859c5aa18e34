//! Formulas that hold for the wrong reason.
//!
//! A formula that holds is *vacuous* in an occurrence of a subformula if it would hold whatever stood there: for an occurrence of one
//! polarity it is enough to try the value that makes the formula hardest to satisfy (Beer, Ben-David, Eisner and Rodeh, 1997;
//! Kupferman and Vardi, 1999). So `[] (request -> <> grant)` holds vacuously if `[] !request` holds. Whoever
//! has found that a formula holds checks its [`strengthenings`]; one that holds too is a witness of vacuity, and says
//! which part does not matter.

use crate::{Formula, Formulas, Node};

/// A formula that implies the original: an occurrence of a part is replaced by a constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Strengthening {
    /// The part that was replaced.
    pub part: Formula,
    /// What it was replaced by: false where the part occurs positively, else true.
    pub value: bool,
    /// The stronger formula.
    pub formula: Formula,
}

/// The stronger formulas, one for each occurrence of a part that is not constant, outermost parts first.
///
/// Occurrences below an equivalence have both polarities and are replaced by both values.
pub fn strengthenings(formulas: &mut Formulas, formula: Formula) -> Vec<Strengthening> {
    let mut found = Vec::new();
    let mut queue = std::collections::VecDeque::from([Vec::new()]);
    while let Some(path) = queue.pop_front() {
        let Some((part, polarity)) = at_path(formulas, formula, &path) else { continue };
        for operand in 0..formulas.operands(part).len() {
            queue.push_back([&path[..], &[operand]].concat());
        }
        if path.is_empty() || matches!(formulas.node(part), Node::True | Node::False) {
            continue;
        }
        for value in [false, true] {
            // False is hardest where the part occurs positively, true where negatively.
            if polarity.is_none_or(|positive| positive != value) {
                let stronger = replace(formulas, formula, &path, formulas.constant(value));
                if found.iter().all(|other: &Strengthening| other.formula != stronger) {
                    found.push(Strengthening { part, value, formula: stronger });
                }
            }
        }
    }
    found
}

/// The part at a path of operands with its polarity; none for both polarities.
fn at_path(formulas: &Formulas, formula: Formula, path: &[usize]) -> Option<(Formula, Option<bool>)> {
    let mut part = formula;
    let mut polarity = Some(true);
    for &operand in path {
        polarity = match formulas.node(part) {
            Node::Not(_) => polarity.map(|positive| !positive),
            Node::Implies(..) if operand == 0 => polarity.map(|positive| !positive),
            Node::Equivalent(..) => None,
            _ => polarity,
        };
        part = *formulas.operands(part).get(operand)?;
    }
    Some((part, polarity))
}

fn replace(formulas: &mut Formulas, formula: Formula, path: &[usize], by: Formula) -> Formula {
    let Some((&first, rest)) = path.split_first() else { return by };
    let mut at = 0;
    formulas.map_operands(formula, |formulas, operand| {
        at += 1;
        if at == first + 1 { replace(formulas, operand, rest, by) } else { operand }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lasso::all_lassos;
    use crate::random::{RandomFormulas, Seed};
    use crate::{Propositions, Simplifier, parse_ltl_text, print_formula};

    #[test]
    fn a_response_is_vacuous_without_its_cause() {
        let (mut formulas, mut propositions) = (Formulas::new(), Propositions::new());
        let formula = parse_ltl_text("[] (p -> <> q)", &mut formulas, &mut propositions).expect("a formula");
        let mut simplifier = Simplifier::default();
        let found: Vec<(String, String)> = strengthenings(&mut formulas, formula)
            .into_iter()
            .map(|found| {
                let simple = simplifier.simplify(&mut formulas, found.formula);
                let print = |formula| print_formula(&formulas, &propositions, formula);
                (print(found.part), print(simple))
            })
            .collect();
        let expected = [("p -> <> q", "false"), ("p", "[] <> q"), ("<> q", "[] !p"), ("q", "[] !p")];
        assert_eq!(found, expected.map(|(part, simple)| (part.to_owned(), simple.to_owned())));
    }

    #[test]
    fn without_equivalences_a_strengthening_implies_the_formula() {
        let mut formulas = Formulas::new();
        let mut random = RandomFormulas::new(Seed(6), 2);
        let lassos = all_lassos(2, 1, 2);
        for round in 0..200 {
            let formula = random.formula(&mut formulas, 3 + round % 7);
            let parts = formulas.subformulas(formula);
            if parts.iter().any(|&part| matches!(formulas.node(part), Node::Equivalent(..))) {
                continue;
            }
            for stronger in strengthenings(&mut formulas, formula) {
                for lasso in &lassos {
                    let implies =
                        !lasso.satisfies(&formulas, stronger.formula) || lasso.satisfies(&formulas, formula);
                    assert!(implies, "round {round}");
                }
            }
        }
    }
}
