//! PSL as LTL, where that can be said.
//!
//! Formulas without SEREs, and SEREs in which only single letters are repeated: `{a; b[*]; c}!` is `a && X (b U c)`. The rest has
//! no place in LTL, or only a large one, and goes through `automaton.rs`.
//!
//! Everything is read under an accept and a reject condition, which exclude each other (for `abort`).

use super::{Psl, Sere};
use crate::{Formula, Formulas};

/// When to stop and accept, or to stop and reject.
#[derive(Clone, Copy)]
struct Conditions {
    accept: Formula,
    reject: Formula,
}

impl Conditions {
    fn exchanged(self) -> Conditions {
        Conditions { accept: self.reject, reject: self.accept }
    }

    /// Accepted at once, or not rejected and the formula.
    fn wrap(self, formulas: &mut Formulas, formula: Formula) -> Formula {
        if self.accept == Formula::FALSE && self.reject == Formula::FALSE {
            return formula;
        }
        let not_reject = formulas.not(self.reject);
        let inner = formulas.and(formula, not_reject);
        formulas.or(self.accept, inner)
    }
}

impl Psl {
    /// The formula as LTL, with the same meaning on infinite words; none if it is not seen to have one.
    pub fn to_ltl(&self, formulas: &mut Formulas) -> Option<Formula> {
        self.lower(formulas, Conditions { accept: Formula::FALSE, reject: Formula::FALSE })
    }

    fn lower(&self, formulas: &mut Formulas, under: Conditions) -> Option<Formula> {
        Some(match self {
            Psl::Boolean(b) | Psl::StrongBoolean(b) => under.wrap(formulas, *b),
            Psl::Not(f) => {
                let inner = f.lower(formulas, under.exchanged())?;
                formulas.not(inner)
            }
            Psl::And(l, r) => {
                let (l, r) = (l.lower(formulas, under)?, r.lower(formulas, under)?);
                formulas.and(l, r)
            }
            Psl::Next(f) => {
                let inner = f.lower(formulas, under)?;
                let next = formulas.next(inner);
                under.wrap(formulas, next)
            }
            Psl::Until(l, r) => {
                let (l, r) = (l.lower(formulas, under)?, r.lower(formulas, under)?);
                formulas.until(l, r)
            }
            Psl::Abort(f, b) => {
                let not_reject = formulas.not(under.reject);
                let aborted = formulas.and(*b, not_reject);
                let accept = formulas.or(under.accept, aborted);
                f.lower(formulas, Conditions { accept, ..under })?
            }
            Psl::Strong(r) | Psl::Weak(r) => {
                let mut parts = Vec::new();
                flatten(r, &mut parts);
                // What may be missing at the end need not be waited for.
                while parts.last().is_some_and(|last| matches!(last, Sere::Star(_) | Sere::Empty)) {
                    parts.pop();
                }
                if parts.is_empty() {
                    return Some(Formula::TRUE);
                }
                let strong = matches!(self, Psl::Strong(_));
                walk(formulas, &parts, Formula::TRUE, strong, under)?
            }
            Psl::Suffix(r, f) => {
                let then = f.lower(formulas, under)?;
                let not_then = formulas.not(then);
                let mut parts = Vec::new();
                flatten(r, &mut parts);
                let violated = walk(formulas, &parts, not_then, true, under.exchanged())?;
                formulas.not(violated)
            }
        })
    }
}

/// The parts of a sequence.
fn flatten<'s>(sere: &'s Sere, parts: &mut Vec<&'s Sere>) {
    if let Sere::Concat(r, s) = sere {
        flatten(r, parts);
        flatten(s, parts);
    } else {
        parts.push(sere);
    }
}

/// Some beginning matches the parts, and `then` holds at its last letter.
fn walk(
    formulas: &mut Formulas,
    parts: &[&Sere],
    then: Formula,
    strong: bool,
    under: Conditions,
) -> Option<Formula> {
    let (first, rest) = parts.split_first()?;
    match first {
        Sere::Boolean(b) => {
            let after = if rest.is_empty() {
                then
            } else {
                let next = walk(formulas, rest, then, strong, under)?;
                formulas.next(next)
            };
            let both = formulas.and(*b, after);
            Some(under.wrap(formulas, both))
        }
        Sere::Star(inner) => {
            let Sere::Boolean(b) = **inner else { return None };
            let after = walk(formulas, rest, then, strong, under)?;
            let waiting = under.wrap(formulas, b);
            Some(if strong { formulas.until(waiting, after) } else { formulas.weak_until(waiting, after) })
        }
        Sere::Empty => walk(formulas, rest, then, strong, under),
        Sere::Or(r, s) => {
            let cases = [r, s].map(|case| {
                let mut longer = Vec::new();
                flatten(case, &mut longer);
                longer.extend_from_slice(rest);
                walk(formulas, &longer, then, strong, under)
            });
            let [one, other] = cases;
            Some(formulas.or(one?, other?))
        }
        Sere::Concat(..) => {
            let mut longer = Vec::new();
            flatten(first, &mut longer);
            longer.extend_from_slice(rest);
            walk(formulas, &longer, then, strong, under)
        }
        Sere::Fusion(..) | Sere::And(..) => None,
    }
}
