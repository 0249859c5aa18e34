//! Formulas with constants in them as people would write them, for reports.
//!
//! Where a part was replaced by a constant, connectives around it say nothing any more: `AG (p -> false)` is `AG !p`. Path quantifiers are left alone, since on
//! fair paths even `EX true` may be false.

use crate::ctl::{CtlFormula, CtlFormulas, CtlNode};
use crate::{Formula, Psl};

/// A formula of computation tree logic without constants as operands of connectives. The meaning stays.
pub fn fold_ctl(formulas: &mut CtlFormulas, formula: CtlFormula) -> CtlFormula {
    const TRUE: CtlFormula = CtlFormula::TRUE;
    const FALSE: CtlFormula = CtlFormula::FALSE;
    let fold = |formulas: &mut CtlFormulas, operand| fold_ctl(formulas, operand);
    let node = match *formulas.node(formula) {
        CtlNode::True | CtlNode::False | CtlNode::Proposition(_) => return formula,
        CtlNode::Not(f) => match fold(formulas, f) {
            TRUE => return FALSE,
            FALSE => return TRUE,
            f => CtlNode::Not(f),
        },
        CtlNode::And(l, r) => match (fold(formulas, l), fold(formulas, r)) {
            (FALSE, _) | (_, FALSE) => return FALSE,
            (TRUE, f) | (f, TRUE) => return f,
            (l, r) => CtlNode::And(l, r),
        },
        CtlNode::Or(l, r) => match (fold(formulas, l), fold(formulas, r)) {
            (TRUE, _) | (_, TRUE) => return TRUE,
            (FALSE, f) | (f, FALSE) => return f,
            (l, r) => CtlNode::Or(l, r),
        },
        CtlNode::Implies(l, r) => match (fold(formulas, l), fold(formulas, r)) {
            (FALSE, _) | (_, TRUE) => return TRUE,
            (TRUE, f) => return f,
            (f, FALSE) => CtlNode::Not(f),
            (l, r) => CtlNode::Implies(l, r),
        },
        CtlNode::Equivalent(l, r) => match (fold(formulas, l), fold(formulas, r)) {
            (TRUE, f) | (f, TRUE) => return f,
            (FALSE, f) | (f, FALSE) => CtlNode::Not(f),
            (l, r) => CtlNode::Equivalent(l, r),
        },
        CtlNode::Next(q, f) => CtlNode::Next(q, fold(formulas, f)),
        CtlNode::Eventually(q, f) => CtlNode::Eventually(q, fold(formulas, f)),
        CtlNode::Always(q, f) => CtlNode::Always(q, fold(formulas, f)),
        CtlNode::Until(q, l, r) => CtlNode::Until(q, fold(formulas, l), fold(formulas, r)),
        CtlNode::WeakUntil(q, l, r) => CtlNode::WeakUntil(q, fold(formulas, l), fold(formulas, r)),
        CtlNode::Release(q, l, r) => CtlNode::Release(q, fold(formulas, l), fold(formulas, r)),
        CtlNode::StrongRelease(q, l, r) => CtlNode::StrongRelease(q, fold(formulas, l), fold(formulas, r)),
    };
    formulas.make(node)
}

/// A formula of the property specification language without constants as operands. The meaning on infinite runs stays.
pub fn fold_psl(psl: &Psl) -> Psl {
    const TRUE: Psl = Psl::Boolean(Formula::TRUE);
    const FALSE: Psl = Psl::Boolean(Formula::FALSE);
    match psl {
        Psl::Not(f) => match fold_psl(f) {
            TRUE => FALSE,
            FALSE => TRUE,
            Psl::Not(f) => *f,
            f => Psl::Not(Box::new(f)),
        },
        Psl::And(l, r) => match (fold_psl(l), fold_psl(r)) {
            (FALSE, _) | (_, FALSE) => FALSE,
            (TRUE, f) | (f, TRUE) => f,
            (l, r) => Psl::And(Box::new(l), Box::new(r)),
        },
        Psl::Next(f) => match fold_psl(f) {
            FALSE => FALSE,
            f => Psl::Next(Box::new(f)),
        },
        Psl::Until(l, r) => match (fold_psl(l), fold_psl(r)) {
            (_, FALSE) => FALSE,
            (FALSE, f) => f,
            (l, r) => Psl::Until(Box::new(l), Box::new(r)),
        },
        Psl::Abort(f, b) => Psl::Abort(Box::new(fold_psl(f)), *b),
        Psl::Suffix(r, f) => match fold_psl(f) {
            TRUE => TRUE,
            // Then the sequence does not happen.
            FALSE => Psl::Not(Box::new(Psl::Strong(r.before_any().unwrap_or(r).clone()))),
            f => Psl::Suffix(r.clone(), Box::new(f)),
        },
        Psl::Boolean(_) | Psl::StrongBoolean(_) | Psl::Strong(_) | Psl::Weak(_) => psl.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Formulas, Propositions, parse_ctl_text, parse_psl_text, print_ctl, psl_strengthenings, read_psl,
    };

    #[test]
    fn connectives_of_constants_are_not_shown() {
        for (text, expected) in [
            ("AG (p -> false)", "AG !p"),
            ("AG (true -> AF q)", "AG AF q"),
            ("(p && true) || false", "p"),
            ("AG !(p <-> true)", "AG !p"),
            ("EX true", "EX true"),
        ] {
            let (mut formulas, mut propositions) = (CtlFormulas::new(), Propositions::new());
            let formula = parse_ctl_text(text, &mut formulas, &mut propositions).expect("a formula");
            let folded = fold_ctl(&mut formulas, formula);
            assert_eq!(print_ctl(&formulas, &propositions, folded), expected);
        }
    }

    #[test]
    fn stronger_formulas_read_like_formulas() {
        for (text, part, expected) in [
            ("always (p -> eventually! q)", "at some time `q`", "never `p`"),
            ("always {p; q} |=> r", "`r`", "`p`, then `q` never happens"),
            ("p until q", "at some time `q`, and until then `p`", "at all times `p`"),
            ("always (p -> next[2] q)", "2 states on, if there is one, `q`", "never `p`"),
        ] {
            let (mut formulas, mut propositions) = (Formulas::new(), Propositions::new());
            let psl = parse_psl_text(text, &mut formulas, &mut propositions).expect("a formula");
            let read = |psl: &Psl| read_psl(&formulas, &propositions, psl);
            let found = psl_strengthenings(&psl).into_iter().find(|found| read(&found.part) == part);
            let found = found.unwrap_or_else(|| panic!("{text} has this part"));
            assert_eq!(read(&fold_psl(&found.formula)), expected, "{text}");
        }
    }
}
