//! Automata for PSL.
//!
//! What can be said in LTL goes the usual way. Any other formula is read as an alternating
//! automaton: a state is an obligation, a function of letters and of obligations for the next state, as in the tableau for
//! LTL; a SERE is walked through by an automaton on finite words, one obligation per state, of which one must
//! (or, negated, all must) lead to what follows. Obligations that may not be put off for ever (strong
//! ones) are watched by a breakpoint (Miyano and Hayashi, 1984): a set of obligations is *owed*; when all
//! owed ones are paid, the transition is accepting and the strong ones that are there now become owed.

use rustc_hash::FxHashMap;

use super::sere::Matcher;
use super::{Psl, Sere};
use crate::automaton::{Automaton, Marks, StateIndex, Transition};
use crate::guard::{Guard, Guards};
use crate::tableau::{MOST_NODES, MOST_PRODUCTS};
use crate::translate::{TranslateError, Translator, smallest, with_one_set};
use crate::weak_deterministic::weak_deterministic;
use crate::{Formula, Formulas, Node, PropositionId};

impl Translator {
    /// An automaton with one acceptance set on states, for the infinite words that satisfy the formula.
    ///
    /// # Errors
    ///
    /// When the automaton is too large.
    pub fn psl(&mut self, formulas: &mut Formulas, psl: &Psl) -> Result<Automaton, TranslateError> {
        if let Some(formula) = psl.to_ltl(formulas) {
            return self.buchi(formulas, formula);
        }
        self.psl_by_breakpoint(formulas, psl)
    }

    /// The way of formulas that are not LTL; it is open to all.
    pub(super) fn psl_by_breakpoint(
        &mut self,
        formulas: &mut Formulas,
        psl: &Psl,
    ) -> Result<Automaton, TranslateError> {
        let mut automaton = alternating(formulas, psl, true, self.most_states)?;
        automaton.reduce();
        let mut candidates = with_one_set(&automaton);
        if let Ok(mut negation) = alternating(formulas, psl, false, self.most_states) {
            negation.reduce();
            candidates.extend(weak_deterministic(&automaton, &negation, 1000));
        }
        Ok(smallest(candidates.into_iter()))
    }
}

/// Names an obligation.
type ObligationId = usize;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Obligation {
    True,
    False,
    Letter(Guard),
    And(ObligationId, ObligationId),
    Or(ObligationId, ObligationId),
    Next(ObligationId),
    /// Until if strong, else release.
    Until {
        left: ObligationId,
        right: ObligationId,
        strong: bool,
    },
    Walk(Walk),
}

/// Being in a state of the automaton of a SERE.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Walk {
    matcher: usize,
    state: usize,
    /// Whether one way must lead to a match, or all matches must be followed.
    some: bool,
    /// Whether it may not be put off for ever.
    strong: bool,
    /// What must hold at the last letter of a match.
    then: ObligationId,
    accept: Guard,
    reject: Guard,
}

struct Builder<'f> {
    formulas: &'f mut Formulas,
    guards: Guards,
    /// Variables from here on are obligations, two for each: plain and owed.
    bound: u32,
    obligations: Vec<Obligation>,
    known: FxHashMap<Obligation, ObligationId>,
    matchers: Vec<(Sere, Matcher)>,
    functions: FxHashMap<(ObligationId, bool), Guard>,
}

const TOO_LARGE: TranslateError = TranslateError::TooManyStates { limit: 5000 };

fn alternating(
    formulas: &mut Formulas,
    psl: &Psl,
    sign: bool,
    most_states: usize,
) -> Result<Automaton, TranslateError> {
    let propositions = propositions_of(formulas, psl);
    let bound = propositions.last().map_or(0, |last| last.index() as u32 + 1);
    let mut builder = Builder {
        formulas,
        guards: Guards::new(),
        bound,
        obligations: Vec::new(),
        known: FxHashMap::default(),
        matchers: Vec::new(),
        functions: FxHashMap::default(),
    };
    builder.make(Obligation::True);
    builder.make(Obligation::False);
    let first = builder.lower(psl, sign, Guard::FALSE, Guard::FALSE)?;
    builder.explore(first, propositions, most_states)
}

impl Builder<'_> {
    fn make(&mut self, obligation: Obligation) -> ObligationId {
        if let Some(&known) = self.known.get(&obligation) {
            return known;
        }
        self.obligations.push(obligation.clone());
        self.known.insert(obligation, self.obligations.len() - 1);
        self.obligations.len() - 1
    }

    /// The function of a state formula.
    fn boolean(&mut self, formula: Formula) -> Guard {
        let operands: Vec<Guard> =
            self.formulas.operands(formula).into_iter().map(|part| self.boolean(part)).collect();
        match self.formulas.node(formula) {
            Node::True => Guard::TRUE,
            Node::Proposition(proposition) => self.guards.variable(proposition.index() as u32),
            Node::Not(_) => self.guards.not(operands[0]),
            Node::And(_) => operands.into_iter().fold(Guard::TRUE, |all, part| self.guards.and(all, part)),
            Node::Or(_) => operands.into_iter().fold(Guard::FALSE, |any, part| self.guards.or(any, part)),
            Node::Implies(..) => {
                let not = self.guards.not(operands[0]);
                self.guards.or(not, operands[1])
            }
            Node::Equivalent(..) => {
                let not = self.guards.not(operands[1]);
                self.guards.choose(operands[0], operands[1], not)
            }
            _ => Guard::FALSE,
        }
    }

    /// Accepted at once, or not rejected and the function.
    fn wrap(&mut self, function: Guard, accept: Guard, reject: Guard) -> Guard {
        let inner = self.guards.minus(function, reject);
        self.guards.or(accept, inner)
    }

    /// The obligation of a formula or of its negation under an accept and a reject condition.
    fn lower(
        &mut self,
        psl: &Psl,
        sign: bool,
        accept: Guard,
        reject: Guard,
    ) -> Result<ObligationId, TranslateError> {
        let obligation = match psl {
            Psl::Boolean(b) | Psl::StrongBoolean(b) => {
                let function = self.boolean(*b);
                let function = if sign { function } else { self.guards.not(function) };
                Obligation::Letter(self.wrap(function, accept, reject))
            }
            Psl::Not(f) => return self.lower(f, !sign, accept, reject),
            Psl::And(l, r) => {
                let (l, r) = (self.lower(l, sign, accept, reject)?, self.lower(r, sign, accept, reject)?);
                if sign { Obligation::And(l, r) } else { Obligation::Or(l, r) }
            }
            Psl::Next(f) => {
                let inner = self.lower(f, sign, accept, reject)?;
                let next = self.make(Obligation::Next(inner));
                let not_reject = self.guards.not(reject);
                let open = self.make(Obligation::Letter(not_reject));
                let accepted = self.make(Obligation::Letter(accept));
                let inner = self.make(Obligation::And(open, next));
                Obligation::Or(accepted, inner)
            }
            Psl::Until(l, r) => {
                let left = self.lower(l, sign, accept, reject)?;
                let right = self.lower(r, sign, accept, reject)?;
                Obligation::Until { left, right, strong: sign }
            }
            Psl::Abort(f, b) => {
                let aborted = self.boolean(*b);
                // Under a negation the condition rejects.
                let (accept, reject) = if sign {
                    let more = self.guards.minus(aborted, reject);
                    (self.guards.or(accept, more), reject)
                } else {
                    let more = self.guards.minus(aborted, accept);
                    (accept, self.guards.or(reject, more))
                };
                return self.lower(f, sign, accept, reject);
            }
            Psl::Strong(r) | Psl::Weak(r) => {
                let strong = matches!(psl, Psl::Strong(_));
                let matcher = self.matcher(r)?;
                if self.matchers[matcher].1.accepting[0] {
                    // The empty beginning matches.
                    return Ok(self.make(if sign { Obligation::True } else { Obligation::False }));
                }
                // Matched is matched: nothing is left to do, or all is lost.
                let then = self.make(if sign { Obligation::True } else { Obligation::False });
                Obligation::Walk(Walk {
                    matcher,
                    state: 0,
                    some: sign,
                    strong: strong == sign,
                    then,
                    accept,
                    reject,
                })
            }
            Psl::Suffix(r, f) => {
                let then = self.lower(f, sign, accept, reject)?;
                let matcher = self.matcher(r)?;
                let (some, strong) = (!sign, !sign);
                Obligation::Walk(Walk { matcher, state: 0, some, strong, then, accept, reject })
            }
        };
        Ok(self.make(obligation))
    }

    fn matcher(&mut self, sere: &Sere) -> Result<usize, TranslateError> {
        if let Some(known) = self.matchers.iter().position(|(other, _)| other == sere) {
            return Ok(known);
        }
        let matcher = Matcher::build(self.formulas, sere).ok_or(TOO_LARGE)?;
        self.matchers.push((sere.clone(), matcher));
        Ok(self.matchers.len() - 1)
    }

    fn is_strong(&self, obligation: ObligationId) -> bool {
        match &self.obligations[obligation] {
            Obligation::Until { strong, .. } => *strong,
            Obligation::Walk(walk) => walk.strong,
            _ => false,
        }
    }

    /// The variable of an obligation for the next state.
    fn next(&mut self, obligation: ObligationId, owed: bool) -> Guard {
        match self.obligations[obligation] {
            Obligation::True => return Guard::TRUE,
            Obligation::False => return Guard::FALSE,
            _ => {}
        }
        let owed = owed && self.is_strong(obligation);
        self.guards.variable(self.bound + 2 * obligation as u32 + u32::from(owed))
    }

    /// What an obligation says about now and next. What it leaves to an owed successor is owed.
    fn function(&mut self, obligation: ObligationId, owed: bool) -> Guard {
        if let Some(&known) = self.functions.get(&(obligation, owed)) {
            return known;
        }
        let result = match self.obligations[obligation].clone() {
            Obligation::True => Guard::TRUE,
            Obligation::False => Guard::FALSE,
            Obligation::Letter(guard) => guard,
            Obligation::And(l, r) => {
                let (l, r) = (self.function(l, owed), self.function(r, owed));
                self.guards.and(l, r)
            }
            Obligation::Or(l, r) => {
                let (l, r) = (self.function(l, owed), self.function(r, owed));
                self.guards.or(l, r)
            }
            Obligation::Next(f) => self.next(f, owed),
            Obligation::Until { left, right, strong } => {
                let (left, right) = (self.function(left, owed), self.function(right, owed));
                let later = self.next(obligation, owed);
                if strong {
                    let waiting = self.guards.and(left, later);
                    self.guards.or(right, waiting)
                } else {
                    let waiting = self.guards.or(left, later);
                    self.guards.and(right, waiting)
                }
            }
            Obligation::Walk(walk) => self.walk(&walk, owed),
        };
        self.functions.insert((obligation, owed), result);
        result
    }

    fn walk(&mut self, walk: &Walk, owed: bool) -> Guard {
        let edges = self.matchers[walk.matcher].1.edges[walk.state].clone();
        let then = self.function(walk.then, owed);
        let mut result = if walk.some { Guard::FALSE } else { Guard::TRUE };
        for (letter, target) in edges {
            let letter = self.boolean(letter);
            let goes_on = !self.matchers[walk.matcher].1.edges[target].is_empty();
            let later = if goes_on {
                let next = self.make(Obligation::Walk(Walk { state: target, ..walk.clone() }));
                Some(self.next(next, owed))
            } else {
                None
            };
            let matched = self.matchers[walk.matcher].1.accepting[target].then_some(then);
            if walk.some {
                let ways = [matched, later].into_iter().flatten();
                let ways = ways.fold(Guard::FALSE, |any, way| self.guards.or(any, way));
                let way = self.guards.and(letter, ways);
                result = self.guards.or(result, way);
            } else {
                let duties = [matched, later].into_iter().flatten();
                let duties = duties.fold(Guard::TRUE, |all, duty| self.guards.and(all, duty));
                let duty = self.guards.choose(letter, duties, Guard::TRUE);
                result = self.guards.and(result, duty);
            }
        }
        self.wrap(result, walk.accept, walk.reject)
    }

    fn explore(
        mut self,
        first: ObligationId,
        propositions: Vec<PropositionId>,
        most_states: usize,
    ) -> Result<Automaton, TranslateError> {
        // A state is a list of obligations with whether they are owed, ascending.
        let start = vec![(first, false)];
        let mut numbers: FxHashMap<Vec<(ObligationId, bool)>, StateIndex> = FxHashMap::default();
        numbers.insert(start.clone(), 0);
        let mut list = vec![start];
        let mut states: Vec<Vec<Transition>> = Vec::new();
        while states.len() < list.len() {
            let state = list[states.len()].clone();
            let parts: Vec<Guard> =
                state.iter().map(|&(obligation, owed)| self.function(obligation, owed)).collect();
            let function = parts.into_iter().fold(Guard::TRUE, |all, part| self.guards.and(all, part));
            let mut transitions = Vec::new();
            let products = self.guards.products_above(function, self.bound, MOST_PRODUCTS);
            let too_many = TranslateError::TooManyTransitions { limit: MOST_PRODUCTS };
            for product in products.ok_or(too_many)? {
                let guard = product.wide;
                let (target, is_paid) = self.successor(&product.variables);
                let target = *numbers.entry(target).or_insert_with_key(|target| {
                    list.push(target.clone());
                    list.len() - 1
                });
                let marks = if is_paid { Marks::all(1) } else { Marks::NONE };
                transitions.push(Transition { guard, marks, target });
            }
            if list.len() > most_states || self.guards.n_nodes() > MOST_NODES {
                return Err(TranslateError::TooManyStates { limit: most_states });
            }
            states.push(transitions);
        }
        let mut automaton = Automaton {
            propositions,
            guards: self.guards,
            initial: 0,
            states,
            n_sets: 1,
            is_state_based: false,
        };
        automaton.join_transitions();
        Ok(automaton)
    }

    /// The obligations that a product leaves, and whether nothing is owed any more.
    fn successor(&self, later: &[u32]) -> (Vec<(ObligationId, bool)>, bool) {
        let mut target: Vec<(ObligationId, bool)> = Vec::new();
        for &variable in later {
            let index = (variable - self.bound) as usize;
            let (obligation, owed) = (index / 2, index % 2 == 1);
            match target.last_mut() {
                Some(last) if last.0 == obligation => last.1 |= owed,
                _ => target.push((obligation, owed)),
            }
        }
        let is_paid = !target.iter().any(|&(_, owed)| owed);
        if is_paid {
            for part in &mut target {
                part.1 = self.is_strong(part.0);
            }
        }
        (target, is_paid)
    }
}

fn propositions_of(formulas: &Formulas, psl: &Psl) -> Vec<PropositionId> {
    fn of_sere(sere: &Sere, found: &mut Vec<Formula>) {
        match sere {
            Sere::Boolean(b) => found.push(*b),
            Sere::Empty => {}
            Sere::Concat(r, s) | Sere::Fusion(r, s) | Sere::Or(r, s) | Sere::And(r, s) => {
                of_sere(r, found);
                of_sere(s, found);
            }
            Sere::Star(r) => of_sere(r, found),
        }
    }
    fn of_psl(psl: &Psl, found: &mut Vec<Formula>) {
        match psl {
            Psl::Boolean(b) | Psl::StrongBoolean(b) => found.push(*b),
            Psl::Not(f) | Psl::Next(f) => of_psl(f, found),
            Psl::And(l, r) | Psl::Until(l, r) => {
                of_psl(l, found);
                of_psl(r, found);
            }
            Psl::Abort(f, b) => {
                of_psl(f, found);
                found.push(*b);
            }
            Psl::Strong(r) | Psl::Weak(r) => of_sere(r, found),
            Psl::Suffix(r, f) => {
                of_sere(r, found);
                of_psl(f, found);
            }
        }
    }
    let mut parts = Vec::new();
    of_psl(psl, &mut parts);
    let mut propositions: Vec<PropositionId> =
        parts.into_iter().flat_map(|part| formulas.propositions_of(part)).collect();
    propositions.sort_unstable();
    propositions.dedup();
    propositions
}
