//! Specification patterns: what people usually want to say, in LTL and in CTL.
//!
//! The catalogue of Dwyer, Avrunin and Corbett (ICSE 1999): ten patterns in five scopes. The published formulas differ from each other
//! in details (whether a scope that never ends counts, whether events at its borders do), so ours are
//! derived from one definition, which the tests state directly:
//!
//! - A *scope* is a part of a run: all of it; before the first `r`, if there is one; from the first `q` on; from any
//!   `q` up to the next `r` after it, if there is one (*between*) or whether there is one or not (*after until*). The
//!   state with `q` belongs to it, the state with `r` does not. A state with both opens no scope.
//! - A *pattern* says something about the states of such a part.
//!
//! The CTL formula holds in a state iff the LTL formula holds on all paths from there. Where a scope must end for the
//! pattern to be violated, CTL asks whether the end can still be reached.
//!
//! ```
//! use fathom_logic::{Formulas, Pattern, Propositions, parse_pattern_text, print_formula};
//! let (mut formulas, mut propositions) = (Formulas::new(), Propositions::new());
//! let pattern = parse_pattern_text("response(p, s) after q", &mut formulas, &mut propositions).unwrap();
//! let ltl = pattern.to_ltl(&mut formulas);
//! assert_eq!(print_formula(&formulas, &propositions, ltl), "!q W (q && [] (p -> <> s))");
//! ```

use crate::ctl::{CtlFormula, CtlFormulas, CtlNode, Quantifier};
use crate::{Formula, Formulas, Node};

/// What is said about a scope. Operands come in the order in which things happen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PatternKind {
    /// `absence(p)`: never `p`.
    Absence,
    /// `existence(p)`: `p` at some time.
    Existence,
    /// `bounded(p, n)`: `p` comes true at most `n` times.
    BoundedExistence(usize),
    /// `universality(p)`: `p` all the time.
    Universality,
    /// `precedence(s, p)`: no `p` before the first `s`.
    Precedence,
    /// `response(p, s)`: every `p` is followed by `s`.
    Response,
    /// `precedence_chain_2_1(s, t, p)`: no `p` before `s` and, later, `t` have come.
    PrecedenceChain21,
    /// `precedence_chain_1_2(p, s, t)`: no `s` with a later `t` before the first `p`.
    PrecedenceChain12,
    /// `response_chain_2_1(s, t, p)`: every `s` with a later `t` is followed by `p`, not before that `t`.
    ResponseChain21,
    /// `response_chain_1_2(p, s, t)`: every `p` is followed by `s` and, later, `t`.
    ResponseChain12,
}

/// Which part of a run a pattern is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scope {
    /// All of it.
    Globally,
    /// Up to the first such state, if there is one.
    Before(Formula),
    /// From the first such state on.
    After(Formula),
    /// From every state of the first kind up to the next of the second kind, if there is one.
    Between(Formula, Formula),
    /// From every state of the first kind up to the next of the second kind, or for ever.
    AfterUntil(Formula, Formula),
}

/// A pattern in a scope, about state formulas.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pattern {
    /// What is said.
    pub kind: PatternKind,
    /// The operands, as many as the kind wants.
    pub operands: Vec<Formula>,
    /// About which part of a run.
    pub scope: Scope,
}

impl PatternKind {
    /// How many operands the pattern has, without the number of a bounded existence.
    pub fn n_operands(&self) -> usize {
        match self {
            PatternKind::Absence
            | PatternKind::Existence
            | PatternKind::BoundedExistence(_)
            | PatternKind::Universality => 1,
            PatternKind::Precedence | PatternKind::Response => 2,
            _ => 3,
        }
    }
}

impl Pattern {
    /// The pattern as a formula that must hold on every run.
    ///
    /// # Panics
    ///
    /// When there are fewer operands than the kind wants.
    pub fn to_ltl(&self, formulas: &mut Formulas) -> Formula {
        let mut to = Linear { formulas };
        match self.scope {
            Scope::Globally => to.pattern(self, None),
            Scope::Before(r) => {
                let inner = to.pattern(self, Some(r));
                let comes = to.formulas.eventually(r);
                to.formulas.implies(comes, inner)
            }
            Scope::After(q) => {
                let inner = to.pattern(self, None);
                let (not_yet, then) = (to.formulas.not(q), to.formulas.and(q, inner));
                to.formulas.weak_until(not_yet, then)
            }
            Scope::Between(q, r) | Scope::AfterUntil(q, r) => {
                let inner = to.pattern(self, Some(r));
                let not_r = to.formulas.not(r);
                let mut opens = vec![q, not_r];
                if let Scope::Between(..) = self.scope {
                    opens.push(to.formulas.eventually(r));
                }
                let opens = to.formulas.and_all(&opens);
                let implies = to.formulas.implies(opens, inner);
                to.formulas.always(implies)
            }
        }
    }

    /// The pattern as a formula that holds in a state iff the pattern holds on all paths from there.
    ///
    /// # Panics
    ///
    /// When there are fewer operands than the kind wants, or an operand is not a state formula.
    pub fn to_ctl(&self, formulas: &Formulas, ctl: &mut CtlFormulas) -> CtlFormula {
        let operands: Vec<CtlFormula> =
            self.operands.iter().map(|&operand| state_formula(formulas, operand, ctl)).collect();
        let mut state = |formula| state_formula(formulas, formula, ctl);
        match self.scope {
            Scope::Globally => Branching { ctl, end: End::Never }.pattern(&self.kind, &operands),
            Scope::Before(r) => {
                let r = state(r);
                Branching { ctl, end: End::Must(r) }.pattern(&self.kind, &operands)
            }
            Scope::After(q) => {
                let q = state(q);
                let inner = Branching { ctl, end: End::Never }.pattern(&self.kind, &operands);
                let (not_yet, then) = (ctl.not(q), ctl.make(CtlNode::And(q, inner)));
                ctl.make(CtlNode::WeakUntil(Quantifier::All, not_yet, then))
            }
            Scope::Between(q, r) | Scope::AfterUntil(q, r) => {
                let (q, r) = (state(q), state(r));
                let must = matches!(self.scope, Scope::Between(..));
                let end = if must { End::Must(r) } else { End::May(r) };
                let inner = Branching { ctl, end }.pattern(&self.kind, &operands);
                let not_r = ctl.not(r);
                let opens = ctl.make(CtlNode::And(q, not_r));
                let implies = ctl.make(CtlNode::Implies(opens, inner));
                ctl.make(CtlNode::Always(Quantifier::All, implies))
            }
        }
    }
}

/// Builds LTL for one scope that starts now and ends before the first `end`, if there is one.
struct Linear<'f> {
    formulas: &'f mut Formulas,
}

impl Linear<'_> {
    /// Up to the end.
    fn weak(&mut self, left: Formula, end: Option<Formula>) -> Formula {
        match end {
            None => self.formulas.always(left),
            Some(end) => self.formulas.weak_until(left, end),
        }
    }

    /// Up to the end or something else.
    fn weak_or(&mut self, left: Formula, right: Formula, end: Option<Formula>) -> Formula {
        let right = match end {
            None => right,
            Some(end) => self.formulas.or(right, end),
        };
        self.formulas.weak_until(left, right)
    }

    /// At some time before the end.
    fn within(&mut self, goal: Formula, end: Option<Formula>) -> Formula {
        match end {
            None => self.formulas.eventually(goal),
            Some(end) => {
                let not_end = self.formulas.not(end);
                let goal = self.formulas.and(goal, not_end);
                self.formulas.until(not_end, goal)
            }
        }
    }

    fn pattern(&mut self, pattern: &Pattern, end: Option<Formula>) -> Formula {
        let of = &pattern.operands;
        match &pattern.kind {
            PatternKind::Absence => {
                let not = self.formulas.not(of[0]);
                self.weak(not, end)
            }
            PatternKind::Existence => self.within(of[0], end),
            PatternKind::BoundedExistence(n) => {
                let not = self.formulas.not(of[0]);
                let mut formula = self.weak(not, end);
                for _ in 0..*n {
                    let while_true = self.weak_or(of[0], formula, end);
                    formula = self.weak_or(not, while_true, end);
                }
                formula
            }
            PatternKind::Universality => self.weak(of[0], end),
            PatternKind::Precedence => {
                let not = self.formulas.not(of[1]);
                self.weak_or(not, of[0], end)
            }
            PatternKind::Response => {
                let later = self.within(of[1], end);
                let implies = self.formulas.implies(of[0], later);
                self.weak(implies, end)
            }
            PatternKind::PrecedenceChain21 => {
                let not = self.formulas.not(of[2]);
                let second = self.weak_or(not, of[1], end);
                let second = self.formulas.next(second);
                let first = self.formulas.and_all(&[of[0], not, second]);
                self.weak_or(not, first, end)
            }
            PatternKind::PrecedenceChain12 => {
                let later = self.within(of[2], end);
                let later = self.formulas.next(later);
                let pair = self.formulas.and(of[1], later);
                let none = self.formulas.not(pair);
                self.weak_or(none, of[0], end)
            }
            PatternKind::ResponseChain21 => {
                let later = self.within(of[2], end);
                let (waiting, then) = (self.formulas.not(of[1]), self.formulas.and(of[1], later));
                let chain = self.weak_or(waiting, then, end);
                let chain = self.formulas.next(chain);
                let implies = self.formulas.implies(of[0], chain);
                self.weak(implies, end)
            }
            PatternKind::ResponseChain12 => {
                let second = self.within(of[2], end);
                let second = self.formulas.next(second);
                let first = self.formulas.and(of[1], second);
                let later = self.within(first, end);
                let implies = self.formulas.implies(of[0], later);
                self.weak(implies, end)
            }
        }
    }
}

/// How a scope ends.
#[derive(Clone, Copy)]
enum End {
    /// Never.
    Never,
    /// Before such a state; without one there is no scope.
    Must(CtlFormula),
    /// Before such a state, or never.
    May(CtlFormula),
}

/// Builds CTL for one scope that starts here.
struct Branching<'c> {
    ctl: &'c mut CtlFormulas,
    end: End,
}

impl Branching<'_> {
    /// On all paths up to the end.
    fn weak(&mut self, left: CtlFormula) -> CtlFormula {
        match self.end {
            End::Never => self.ctl.make(CtlNode::Always(Quantifier::All, left)),
            End::Must(end) | End::May(end) => self.ctl.make(CtlNode::WeakUntil(Quantifier::All, left, end)),
        }
    }

    /// On all paths up to the end or something else.
    fn weak_or(&mut self, left: CtlFormula, right: CtlFormula) -> CtlFormula {
        let right = match self.end {
            End::Never => right,
            End::Must(end) | End::May(end) => self.ctl.make(CtlNode::Or(right, end)),
        };
        self.ctl.make(CtlNode::WeakUntil(Quantifier::All, left, right))
    }

    /// On all paths at some time before the end; not on those that never end, if the scope must.
    fn within(&mut self, goal: CtlFormula) -> CtlFormula {
        let (end, must) = match self.end {
            End::Never => return self.ctl.make(CtlNode::Eventually(Quantifier::All, goal)),
            End::Must(end) => (end, true),
            End::May(end) => (end, false),
        };
        let not_end = self.ctl.not(end);
        let goal = self.ctl.make(CtlNode::And(goal, not_end));
        self.ctl.make(if must {
            CtlNode::WeakUntil(Quantifier::All, not_end, goal)
        } else {
            CtlNode::Until(Quantifier::All, not_end, goal)
        })
    }

    /// The state spoils the scope: it is forbidden, and the scope can still end if it must.
    fn spoils(&mut self, forbidden: CtlFormula) -> CtlFormula {
        match self.end {
            End::Must(end) => {
                let can_end = self.ctl.make(CtlNode::Eventually(Quantifier::Exists, end));
                self.ctl.make(CtlNode::And(forbidden, can_end))
            }
            _ => forbidden,
        }
    }

    fn never(&mut self, forbidden: CtlFormula) -> CtlFormula {
        let spoils = self.spoils(forbidden);
        self.ctl.not(spoils)
    }

    fn next(&mut self, formula: CtlFormula) -> CtlFormula {
        self.ctl.make(CtlNode::Next(Quantifier::All, formula))
    }

    fn pattern(&mut self, kind: &PatternKind, of: &[CtlFormula]) -> CtlFormula {
        match kind {
            PatternKind::Absence => {
                let not = self.never(of[0]);
                self.weak(not)
            }
            PatternKind::Existence => self.within(of[0]),
            PatternKind::BoundedExistence(n) => {
                let not = self.ctl.not(of[0]);
                let never = self.never(of[0]);
                let mut formula = self.weak(never);
                for _ in 0..*n {
                    let over = self.ctl.make(CtlNode::And(not, formula));
                    let while_true = self.weak_or(of[0], over);
                    let begun = self.ctl.make(CtlNode::And(of[0], while_true));
                    formula = self.weak_or(not, begun);
                }
                formula
            }
            PatternKind::Universality => {
                let not = self.ctl.not(of[0]);
                let never = self.never(not);
                self.weak(never)
            }
            PatternKind::Precedence => {
                let not = self.never(of[1]);
                self.weak_or(not, of[0])
            }
            PatternKind::Response => {
                let later = self.within(of[1]);
                let implies = self.ctl.make(CtlNode::Implies(of[0], later));
                self.weak(implies)
            }
            PatternKind::PrecedenceChain21 => {
                let not = self.never(of[2]);
                let second = self.weak_or(not, of[1]);
                let second = self.next(second);
                let first = self.ctl.make(CtlNode::And(of[0], not));
                let first = self.ctl.make(CtlNode::And(first, second));
                self.weak_or(not, first)
            }
            PatternKind::PrecedenceChain12 => self.precedence_chain_1_2(of),
            PatternKind::ResponseChain21 => {
                let later = self.within(of[2]);
                let waiting = self.ctl.not(of[1]);
                let then = self.ctl.make(CtlNode::And(of[1], later));
                let chain = self.weak_or(waiting, then);
                let chain = self.next(chain);
                let implies = self.ctl.make(CtlNode::Implies(of[0], chain));
                self.weak(implies)
            }
            PatternKind::ResponseChain12 => {
                let second = self.within(of[2]);
                let second = self.next(second);
                let first = self.ctl.make(CtlNode::And(of[1], second));
                let later = self.within(first);
                let implies = self.ctl.make(CtlNode::Implies(of[0], later));
                self.weak(implies)
            }
        }
    }

    /// No state with `s` from which some path has a later `t` in the scope.
    fn precedence_chain_1_2(&mut self, of: &[CtlFormula]) -> CtlFormula {
        let spoils = self.spoils(of[2]);
        let later = match self.end {
            End::Never => self.ctl.make(CtlNode::Eventually(Quantifier::Exists, spoils)),
            End::Must(end) | End::May(end) => {
                let not_end = self.ctl.not(end);
                let goal = self.ctl.make(CtlNode::And(spoils, not_end));
                self.ctl.make(CtlNode::Until(Quantifier::Exists, not_end, goal))
            }
        };
        let later = self.ctl.make(CtlNode::Next(Quantifier::Exists, later));
        let pair = self.ctl.make(CtlNode::And(of[1], later));
        let none = self.ctl.not(pair);
        self.weak_or(none, of[0])
    }
}

/// A state formula in the other table.
fn state_formula(formulas: &Formulas, formula: Formula, ctl: &mut CtlFormulas) -> CtlFormula {
    let operands: Vec<CtlFormula> =
        formulas.operands(formula).into_iter().map(|part| state_formula(formulas, part, ctl)).collect();
    match formulas.node(formula) {
        Node::True => CtlFormula::TRUE,
        Node::False => CtlFormula::FALSE,
        Node::Proposition(proposition) => ctl.make(CtlNode::Proposition(*proposition)),
        Node::Not(_) => ctl.not(operands[0]),
        Node::And(_) => join(ctl, &operands, CtlNode::And),
        Node::Or(_) => join(ctl, &operands, CtlNode::Or),
        Node::Implies(..) => ctl.make(CtlNode::Implies(operands[0], operands[1])),
        Node::Equivalent(..) => ctl.make(CtlNode::Equivalent(operands[0], operands[1])),
        _ => panic!("the operand of a pattern is about one state"),
    }
}

fn join(
    ctl: &mut CtlFormulas,
    list: &[CtlFormula],
    node: fn(CtlFormula, CtlFormula) -> CtlNode,
) -> CtlFormula {
    let (first, rest) = list.split_first().expect("at least two operands");
    rest.iter().fold(*first, |left, &right| ctl.make(node(left, right)))
}
