//! PSL in plain words.
//!
//! The core has no words of its own for `always`, `eventually!`, `||`, `->`, weak `next` and weak `until`: they are recognized by the shape
//! in which they are brought down to it.

use super::{Psl, Sere};
use crate::reading::{Phrase, listed, until, weak_until};
use crate::{Formula, Formulas, Propositions, read_formula};

/// A formula in words.
pub fn read_psl(formulas: &Formulas, propositions: &Propositions, psl: &Psl) -> String {
    Reader { formulas, propositions }.phrase(psl).text
}

struct Reader<'a> {
    formulas: &'a Formulas,
    propositions: &'a Propositions,
}

impl Reader<'_> {
    fn part(&self, psl: &Psl) -> String {
        self.phrase(psl).part()
    }

    fn boolean(&self, formula: Formula) -> Phrase {
        let text = read_formula(self.formulas, self.propositions, formula);
        let is_long = self.formulas.operands(formula).len() > 1;
        Phrase { text, is_long }
    }

    fn phrase(&self, psl: &Psl) -> Phrase {
        match psl {
            Psl::Boolean(b) => self.boolean(*b),
            Psl::StrongBoolean(b) => Phrase::short(format!("here {}", self.boolean(*b).part())),
            Psl::Not(f) => self.negation(f),
            Psl::And(l, r) => listed(vec![self.phrase(l), self.phrase(r)], "and"),
            Psl::Next(f) => Phrase::short(format!("there is a next state, and in it {}", self.part(f))),
            Psl::Until(l, r) if **l == Psl::Boolean(Formula::TRUE) => {
                Phrase::short(format!("at some time {}", self.part(r)))
            }
            Psl::Until(l, r) => until(self.phrase(l), self.phrase(r)),
            Psl::Abort(f, b) => {
                Phrase::long(format!("{}, unless {} comes first", self.part(f), self.boolean(*b).part()))
            }
            Psl::Strong(r) => Phrase::short(format!("{} happens from here on", self.sere(r))),
            Psl::Weak(r) => Phrase::short(format!("nothing rules out {} from here on", self.sere(r))),
            Psl::Suffix(r, f) => match r.before_any() {
                Some(r) => Phrase::long(format!(
                    "whenever {} happens, then in the next state {}",
                    self.sere(r),
                    self.part(f)
                )),
                None => Phrase::long(format!(
                    "whenever {} happens, then at its end {}",
                    self.sere(r),
                    self.part(f)
                )),
            },
        }
    }

    /// What is not so.
    fn negation(&self, psl: &Psl) -> Phrase {
        match psl {
            // always
            Psl::Until(l, r) if **l == Psl::Boolean(Formula::TRUE) => match &**r {
                Psl::Not(f) => match &**f {
                    Psl::Not(g) if !is_implication(g) => self.never(g),
                    f => Phrase::short(format!("at all times {}", self.part(f))),
                },
                f => self.never(f),
            },
            // or, implies, weak until
            Psl::And(l, r) => match (&**l, &**r) {
                (Psl::Not(l), Psl::Not(r)) => match (&**l, self.always_operand(r)) {
                    (Psl::Until(held, goal), Some(again)) if **held == *again => {
                        weak_until(self.phrase(held), self.phrase(goal))
                    }
                    _ => listed(vec![self.phrase(l), self.phrase(r)], "or"),
                },
                (l, Psl::Not(r)) => Phrase::long(format!("if {}, then {}", self.part(l), self.part(r))),
                _ => Phrase::short(format!("not {}", self.part(psl))),
            },
            // weak next
            Psl::Next(_) => self.weak_next(psl),
            _ => Phrase::short(format!("not {}", self.part(psl))),
        }
    }

    fn never(&self, psl: &Psl) -> Phrase {
        match psl {
            Psl::Strong(r) => Phrase::short(format!("{} never happens", self.sere(r))),
            _ => Phrase::short(format!("never {}", self.part(psl))),
        }
    }

    /// What holds at all times, if that is what a formula says.
    fn always_operand<'p>(&self, psl: &'p Psl) -> Option<&'p Psl> {
        let Psl::Not(inner) = psl else { return None };
        let Psl::Until(l, r) = &**inner else { return None };
        match (**l == Psl::Boolean(Formula::TRUE), &**r) {
            (true, Psl::Not(f)) => Some(f),
            _ => None,
        }
    }

    /// `next[n]`: the negation of so many strong ones of the negation.
    fn weak_next(&self, psl: &Psl) -> Phrase {
        let (mut inner, mut n) = (psl, 0);
        while let Psl::Next(next) = inner {
            inner = next;
            n += 1;
        }
        let where_to = if n == 1 { "in the next state".to_owned() } else { format!("{n} states on") };
        match inner {
            Psl::Not(f) => Phrase::short(format!("{where_to}, if there is one, {}", self.part(f))),
            f => Phrase::short(format!("{where_to}, if there is one, not {}", self.part(f))),
        }
    }

    fn sere(&self, sere: &Sere) -> String {
        match sere {
            Sere::Empty => "nothing".to_owned(),
            Sere::Boolean(b) if *b == Formula::TRUE => "any state".to_owned(),
            Sere::Boolean(b) => self.boolean(*b).part(),
            Sere::Concat(r, s) => format!("{}, then {}", self.sere(r), self.sere(s)),
            Sere::Fusion(r, s) => format!("({}) overlapping ({})", self.sere(r), self.sere(s)),
            Sere::Or(r, s) => format!("({}) or ({})", self.sere(r), self.sere(s)),
            Sere::And(r, s) => format!("both ({}) and ({})", self.sere(r), self.sere(s)),
            Sere::Star(r) => match &**r {
                Sere::Boolean(b) if *b == Formula::TRUE => "anything".to_owned(),
                r => format!("any number of {}", self.sere(r)),
            },
        }
    }
}

/// Whether the negation of a formula is an implication or a disjunction.
fn is_implication(psl: &Psl) -> bool {
    matches!(psl, Psl::And(_, r) if matches!(**r, Psl::Not(_)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_psl_text;

    #[test]
    fn formulas_are_read_in_words() {
        for (text, expected) in [
            ("always a", "at all times `a`"),
            ("never (a && b)", "never (`a` and `b`)"),
            ("always (a -> next b)", "at all times (if `a`, then in the next state, if there is one, `b`)"),
            ("a -> next[3] b", "if `a`, then 3 states on, if there is one, `b`"),
            ("next! a", "there is a next state, and in it `a`"),
            ("eventually! a", "at some time `a`"),
            ("a until! b", "at some time `b`, and until then `a`"),
            ("a until b", "`a` until `b`, or for ever"),
            (
                "(a until b) or (next! c)",
                "(`a` until `b`, or for ever) or there is a next state, and in it `c`",
            ),
            ("(a until! b) abort c", "(at some time `b`, and until then `a`), unless `c` comes first"),
            (
                "{a; b[*]; c} |=> d",
                "whenever `a`, then any number of `b`, then `c` happens, then in the next state `d`",
            ),
            ("{a; b} |-> c", "whenever `a`, then `b` happens, then at its end `c`"),
            ("{a | b; [*]; c}!", "(`a`) or (`b`), then anything, then `c` happens from here on"),
        ] {
            let (mut formulas, mut propositions) = (Formulas::new(), Propositions::new());
            let psl = parse_psl_text(text, &mut formulas, &mut propositions).expect("a formula");
            assert_eq!(read_psl(&formulas, &propositions, &psl), expected, "{text}");
        }
    }
}
