//! From a formula to an automaton with several acceptance sets on its transitions.
//!
//! The tableau of Couvreur (FM 1999). A formula says what must hold now, what from the next state on, and what it
//! *promises* for later: `f U g` is `g || (f && promise(g) && X(f U g))`. This is a Boolean function of propositions,
//! of obligations for the next state, and of promises, kept as a decision diagram; every smallest product of
//! obligations and promises, with the letters for which it will do, is a transition. For each promise there is one acceptance set: the transitions that do not make it.
//!
//! States are these functions, so that formulas that say the same about now and later are one state. Below
//! an always operator, promises need no obligation: they are renewed anyway (Duret-Lutz, "LTL translation improvements
//! in Spot", 2011). Either a transition reads all letters for which its product will do, or only those for which no smaller
//! one does ([`Cut`]), which is more deterministic; it depends on the formula which is smaller in the end.

use rustc_hash::FxHashMap;

use crate::automaton::{Automaton, Marks, StateIndex, Transition};
use crate::guard::{Guard, Guards};
use crate::translate::TranslateError;
use crate::{Formula, Formulas, Node};

/// How the function of a state is cut into transitions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cut {
    /// Each product with all letters for which it will do.
    ByProduct,
    /// Each product with the letters for which no smaller one will do.
    ByLetter,
}

#[derive(Clone, Copy, Debug)]
enum Meaning {
    Next(Formula),
    Promise(usize),
}

/// Automata with more transitions are given up.
const MOST_TRANSITIONS: usize = 200_000;

/// No state may have more transitions.
pub(crate) const MOST_PRODUCTS: usize = 10_000;

/// Functions with more nodes, all together, are given up.
pub(crate) const MOST_NODES: usize = 1_000_000;

struct Tableau<'f> {
    formulas: &'f Formulas,
    guards: Guards,
    /// Variables from here on are obligations and promises.
    bound: u32,
    meanings: Vec<Meaning>,
    next: FxHashMap<Formula, u32>,
    promises: FxHashMap<Formula, u32>,
    functions: FxHashMap<(Formula, bool), Guard>,
}

/// The automaton of a formula in negation normal form.
///
/// # Errors
///
/// When it would have more than `most_states` states, or more than [`Marks::MOST`] acceptance sets.
pub fn tableau(
    formulas: &Formulas,
    formula: Formula,
    cut: Cut,
    most_states: usize,
) -> Result<Automaton, TranslateError> {
    let propositions = formulas.propositions_of(formula);
    let mut tableau = Tableau {
        formulas,
        guards: Guards::new(),
        bound: propositions.last().map_or(0, |last| last.index() as u32 + 1),
        meanings: Vec::new(),
        next: FxHashMap::default(),
        promises: FxHashMap::default(),
        functions: FxHashMap::default(),
    };
    let first = tableau.function(formula, false);
    let mut numbers: FxHashMap<Guard, StateIndex> = FxHashMap::from_iter([(first, 0)]);
    let mut order = vec![first];
    let mut states: Vec<Vec<Transition>> = Vec::new();
    let mut n_transitions = 0;
    while states.len() < order.len() {
        let mut transitions = Vec::new();
        for (guard, marks, obligations) in tableau.transitions(order[states.len()], cut)? {
            let parts: Vec<Guard> = obligations.iter().map(|&part| tableau.function(part, false)).collect();
            let function = tableau.all(parts);
            if function == Guard::FALSE {
                continue;
            }
            let target = *numbers.entry(function).or_insert_with(|| {
                order.push(function);
                order.len() - 1
            });
            transitions.push(Transition { guard, marks, target });
        }
        if order.len() > most_states {
            return Err(TranslateError::TooManyStates { limit: most_states });
        }
        n_transitions += transitions.len();
        if n_transitions > MOST_TRANSITIONS || tableau.guards.n_nodes() > MOST_NODES {
            return Err(TranslateError::TooManyTransitions { limit: MOST_TRANSITIONS });
        }
        states.push(transitions);
    }
    let n_sets = tableau.promises.len();
    if n_sets > Marks::MOST {
        return Err(TranslateError::TooManySets { limit: Marks::MOST });
    }
    let all = Marks::all(n_sets);
    for transition in states.iter_mut().flatten() {
        // So far the marks are promises made.
        transition.marks = Marks(all.0 & !transition.marks.0);
    }
    let guards = tableau.guards;
    let mut automaton = Automaton { propositions, guards, initial: 0, states, n_sets, is_state_based: false };
    automaton.join_transitions();
    Ok(automaton)
}

impl Tableau<'_> {
    fn next_variable(&mut self, formula: Formula) -> Guard {
        // An obligation to several things is several obligations.
        if let Node::And(list) = self.formulas.node(formula) {
            let parts: Vec<Guard> = list.iter().map(|&part| self.next_variable(part)).collect();
            return parts.into_iter().fold(Guard::TRUE, |all, part| self.guards.and(all, part));
        }
        if formula == Formula::TRUE {
            return Guard::TRUE;
        }
        let variable = *self.next.entry(formula).or_insert_with(|| {
            self.meanings.push(Meaning::Next(formula));
            self.bound + self.meanings.len() as u32 - 1
        });
        self.guards.variable(variable)
    }

    fn promise(&mut self, formula: Formula) -> Guard {
        let n_promises = self.promises.len();
        let variable = *self.promises.entry(formula).or_insert_with(|| {
            self.meanings.push(Meaning::Promise(n_promises));
            self.bound + self.meanings.len() as u32 - 1
        });
        self.guards.variable(variable)
    }

    /// The conjunction; false when the diagrams have become too large, which is looked at before anything is believed.
    fn all(&mut self, parts: Vec<Guard>) -> Guard {
        parts.into_iter().fold(Guard::TRUE, |all, part| {
            if self.guards.n_nodes() > MOST_NODES { Guard::FALSE } else { self.guards.and(all, part) }
        })
    }

    /// What a formula says about now, next and later. `renewed` means that it is required again in the next state.
    fn function(&mut self, formula: Formula, renewed: bool) -> Guard {
        if let Some(&known) = self.functions.get(&(formula, renewed)) {
            return known;
        }
        let result = match *self.formulas.node(formula) {
            Node::True => Guard::TRUE,
            Node::False => Guard::FALSE,
            Node::Proposition(proposition) => self.guards.variable(proposition.index() as u32),
            Node::Not(f) => {
                let operand = self.function(f, false);
                self.guards.not(operand)
            }
            Node::And(ref list) => {
                let parts: Vec<Guard> = list.iter().map(|&part| self.function(part, renewed)).collect();
                self.all(parts)
            }
            Node::Or(ref list) => {
                let parts: Vec<Guard> = list.iter().map(|&part| self.function(part, false)).collect();
                parts.into_iter().fold(Guard::FALSE, |any, part| self.guards.or(any, part))
            }
            Node::Next(f) => self.next_variable(f),
            Node::Always(f) => {
                let (now, later) = (self.function(f, true), self.next_variable(formula));
                self.guards.and(now, later)
            }
            Node::Eventually(f) => self.until(formula, Formula::TRUE, f, true, renewed),
            Node::Until(l, r) => self.until(formula, l, r, true, renewed),
            Node::WeakUntil(l, r) => self.until(formula, l, r, false, renewed),
            Node::Release(l, r) => self.release(formula, l, r, false, renewed),
            Node::StrongRelease(l, r) => self.release(formula, l, r, true, renewed),
            Node::Implies(..) | Node::Equivalent(..) => {
                unreachable!("formulas are brought into negation normal form first")
            }
        };
        self.functions.insert((formula, renewed), result);
        result
    }

    fn until(&mut self, formula: Formula, l: Formula, r: Formula, strong: bool, renewed: bool) -> Guard {
        let (left, right) = (self.function(l, false), self.function(r, false));
        let later = if renewed { Guard::TRUE } else { self.next_variable(formula) };
        let promise = if strong { self.promise(r) } else { Guard::TRUE };
        let waiting = self.guards.and(later, promise);
        let waiting = self.guards.and(left, waiting);
        self.guards.or(right, waiting)
    }

    fn release(&mut self, formula: Formula, l: Formula, r: Formula, strong: bool, renewed: bool) -> Guard {
        let (left, right) = (self.function(l, false), self.function(r, false));
        let later = if renewed { Guard::TRUE } else { self.next_variable(formula) };
        let promise = if strong { self.promise(l) } else { Guard::TRUE };
        let waiting = self.guards.and(later, promise);
        let either = self.guards.or(left, waiting);
        self.guards.and(right, either)
    }

    /// The transitions of a state: letters, promises made, obligations.
    fn transitions(
        &mut self,
        function: Guard,
        cut: Cut,
    ) -> Result<Vec<(Guard, Marks, Vec<Formula>)>, TranslateError> {
        if self.promises.len() > Marks::MOST {
            return Err(TranslateError::TooManySets { limit: Marks::MOST });
        }
        let mut transitions = Vec::new();
        let products = self.guards.products_above(function, self.bound, MOST_PRODUCTS);
        let too_many = TranslateError::TooManyTransitions { limit: MOST_PRODUCTS };
        for product in products.ok_or(too_many)? {
            let guard = match cut {
                Cut::ByProduct => product.wide,
                Cut::ByLetter => product.exact,
            };
            let mut promises = Marks::NONE;
            let mut obligations = Vec::new();
            for variable in product.variables {
                match self.meanings[(variable - self.bound) as usize] {
                    Meaning::Next(formula) => obligations.push(formula),
                    Meaning::Promise(set) => promises = promises.with(set),
                }
            }
            transitions.push((guard, promises, obligations));
        }
        Ok(transitions)
    }
}
