//! Formulas in plain words, for reports.
//!
//! Common shapes have phrases of their own ("every request is followed by grant"); the rest is read operator
//! by operator, with parentheses where a part has several parts itself.

use crate::ctl::{CtlFormula, CtlFormulas, CtlNode, Quantifier};
use crate::{Formula, Formulas, Node, Propositions};

/// An LTL formula in words.
pub fn read_formula(formulas: &Formulas, propositions: &Propositions, formula: Formula) -> String {
    LtlReader { formulas, propositions }.phrase(formula).text
}

/// A CTL formula in words.
pub fn read_ctl(formulas: &CtlFormulas, propositions: &Propositions, formula: CtlFormula) -> String {
    CtlReader { formulas, propositions }.phrase(formula).text
}

/// Words with whether they need parentheses as a part of something larger.
pub(crate) struct Phrase {
    pub text: String,
    pub is_long: bool,
}

impl Phrase {
    pub fn short(text: impl Into<String>) -> Phrase {
        Phrase { text: text.into(), is_long: false }
    }

    pub fn long(text: impl Into<String>) -> Phrase {
        Phrase { text: text.into(), is_long: true }
    }

    /// As a part of something larger.
    pub fn part(self) -> String {
        if self.is_long { format!("({})", self.text) } else { self.text }
    }
}

pub(crate) fn listed(parts: Vec<Phrase>, word: &str) -> Phrase {
    let parts: Vec<String> = parts.into_iter().map(Phrase::part).collect();
    Phrase::long(parts.join(&format!(" {word} ")))
}

fn proposition(propositions: &Propositions, id: crate::PropositionId) -> Phrase {
    Phrase::short(format!("`{}`", propositions.text(id)))
}

pub(crate) fn until(left: Phrase, right: Phrase) -> Phrase {
    let (left, right) = (left.part(), right.part());
    Phrase::long(format!("at some time {right}, and until then {left}"))
}

pub(crate) fn weak_until(left: Phrase, right: Phrase) -> Phrase {
    let (left, right) = (left.part(), right.part());
    Phrase::long(format!("{left} until {right}, or for ever"))
}

fn release(left: Phrase, right: Phrase) -> Phrase {
    let (left, right) = (left.part(), right.part());
    Phrase::long(format!("{right} up to and including the moment of {left}, or for ever"))
}

fn strong_release(left: Phrase, right: Phrase) -> Phrase {
    let (left, right) = (left.part(), right.part());
    Phrase::long(format!("at some time {left}, and up to and including that moment {right}"))
}

struct LtlReader<'a> {
    formulas: &'a Formulas,
    propositions: &'a Propositions,
}

impl LtlReader<'_> {
    fn part(&self, formula: Formula) -> String {
        self.phrase(formula).part()
    }

    fn phrase(&self, formula: Formula) -> Phrase {
        if let Some(phrase) = self.common(formula) {
            return phrase;
        }
        match self.formulas.node(formula) {
            Node::True => Phrase::short("true"),
            Node::False => Phrase::short("false"),
            Node::Proposition(id) => proposition(self.propositions, *id),
            Node::Not(f) => Phrase::short(format!("not {}", self.part(*f))),
            Node::And(list) => listed(list.iter().map(|&part| self.phrase(part)).collect(), "and"),
            Node::Or(list) => listed(list.iter().map(|&part| self.phrase(part)).collect(), "or"),
            Node::Implies(l, r) => Phrase::long(format!("if {}, then {}", self.part(*l), self.part(*r))),
            Node::Equivalent(l, r) => {
                Phrase::long(format!("{} exactly when {}", self.part(*l), self.part(*r)))
            }
            Node::Next(f) => Phrase::short(format!("in the next state {}", self.part(*f))),
            Node::Eventually(f) => Phrase::short(format!("at some time {}", self.part(*f))),
            Node::Always(f) => Phrase::short(format!("at all times {}", self.part(*f))),
            Node::Until(l, r) => until(self.phrase(*l), self.phrase(*r)),
            Node::WeakUntil(l, r) => weak_until(self.phrase(*l), self.phrase(*r)),
            Node::Release(l, r) => release(self.phrase(*l), self.phrase(*r)),
            Node::StrongRelease(l, r) => strong_release(self.phrase(*l), self.phrase(*r)),
        }
    }

    /// Phrases for common shapes.
    fn common(&self, formula: Formula) -> Option<Phrase> {
        let node = |formula: Formula| self.formulas.node(formula);
        let text = match *node(formula) {
            Node::Always(f) => match *node(f) {
                Node::Eventually(g) => format!("again and again {}", self.part(g)),
                Node::Not(g) => format!("never {}", self.part(g)),
                Node::Implies(l, r) => match *node(r) {
                    Node::Eventually(g) => {
                        let (cause, effect) = (self.part(l), self.part(g));
                        return Some(Phrase::long(format!(
                            "every {cause} is followed, at once or later, by {effect}"
                        )));
                    }
                    _ => {
                        let (cause, effect) = (self.part(l), self.part(r));
                        return Some(Phrase::long(format!("whenever {cause}, then {effect}")));
                    }
                },
                _ => return None,
            },
            Node::Eventually(f) => match *node(f) {
                Node::Always(g) => format!("from some time on always {}", self.part(g)),
                _ => return None,
            },
            Node::Not(f) => match *node(f) {
                Node::Eventually(g) => format!("never {}", self.part(g)),
                _ => return None,
            },
            _ => return None,
        };
        Some(Phrase::short(text))
    }
}

struct CtlReader<'a> {
    formulas: &'a CtlFormulas,
    propositions: &'a Propositions,
}

impl CtlReader<'_> {
    fn part(&self, formula: CtlFormula) -> String {
        self.phrase(formula).part()
    }

    fn phrase(&self, formula: CtlFormula) -> Phrase {
        let path = |quantifier: Quantifier, phrase: Phrase| {
            let which = if quantifier == Quantifier::All { "on every path" } else { "on some path" };
            Phrase { text: format!("{which} {}", phrase.text), is_long: phrase.is_long }
        };
        match *self.formulas.node(formula) {
            CtlNode::True => Phrase::short("true"),
            CtlNode::False => Phrase::short("false"),
            CtlNode::Proposition(id) => proposition(self.propositions, id),
            CtlNode::Not(f) => Phrase::short(format!("not {}", self.part(f))),
            CtlNode::And(l, r) => listed(vec![self.phrase(l), self.phrase(r)], "and"),
            CtlNode::Or(l, r) => listed(vec![self.phrase(l), self.phrase(r)], "or"),
            CtlNode::Implies(l, r) => Phrase::long(format!("if {}, then {}", self.part(l), self.part(r))),
            CtlNode::Equivalent(l, r) => {
                Phrase::long(format!("{} exactly when {}", self.part(l), self.part(r)))
            }
            CtlNode::Next(q, f) => path(q, Phrase::short(format!("in the next state {}", self.part(f)))),
            CtlNode::Eventually(Quantifier::Exists, f) => {
                Phrase::short(format!("it is possible to reach {}", self.part(f)))
            }
            CtlNode::Always(Quantifier::All, f) => {
                Phrase::short(format!("in every state that can be reached {}", self.part(f)))
            }
            CtlNode::Eventually(q, f) => path(q, Phrase::short(format!("at some time {}", self.part(f)))),
            CtlNode::Always(q, f) => path(q, Phrase::short(format!("at all times {}", self.part(f)))),
            CtlNode::Until(q, l, r) => path(q, until(self.phrase(l), self.phrase(r))),
            CtlNode::WeakUntil(q, l, r) => path(q, weak_until(self.phrase(l), self.phrase(r))),
            CtlNode::Release(q, l, r) => path(q, release(self.phrase(l), self.phrase(r))),
            CtlNode::StrongRelease(q, l, r) => path(q, strong_release(self.phrase(l), self.phrase(r))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{parse_ctl_text, parse_ltl_text};

    #[test]
    fn formulas_are_read_in_words() {
        for (text, expected) in [
            ("[] (p -> <> q)", "every `p` is followed, at once or later, by `q`"),
            ("[] !(p && q)", "never (`p` and `q`)"),
            ("[] <> p && <> [] x == 1", "again and again `p` and from some time on always `x == 1`"),
            ("p U (q W r)", "at some time (`q` until `r`, or for ever), and until then `p`"),
            ("[] (p -> X !q) || r", "(whenever `p`, then in the next state not `q`) or `r`"),
            (
                "(p R q) <-> (p M q)",
                "(`q` up to and including the moment of `p`, or for ever) exactly when (at some time `p`, and up to and including that moment `q`)",
            ),
            ("!<> p", "never `p`"),
        ] {
            let (mut formulas, mut propositions) = (Formulas::new(), Propositions::new());
            let formula = parse_ltl_text(text, &mut formulas, &mut propositions).expect("a formula");
            assert_eq!(read_formula(&formulas, &propositions, formula), expected);
        }
    }

    #[test]
    fn branching_formulas_are_read_in_words() {
        for (text, expected) in [
            ("AG EF p", "in every state that can be reached it is possible to reach `p`"),
            (
                "AG (p -> A [q U r])",
                "in every state that can be reached (if `p`, then (on every path at some time `r`, and until then `q`))",
            ),
            ("EX p || EG !q", "on some path in the next state `p` or on some path at all times not `q`"),
        ] {
            let (mut formulas, mut propositions) = (CtlFormulas::new(), Propositions::new());
            let formula = parse_ctl_text(text, &mut formulas, &mut propositions).expect("a formula");
            assert_eq!(read_ctl(&formulas, &propositions, formula), expected);
        }
    }
}
