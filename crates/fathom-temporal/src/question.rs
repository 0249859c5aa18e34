//! A formula of a model as a question to a product: its propositions, and the automaton of its violations.
//!
//! The bridge between a model and temporal logic as mathematics. Expressions that the formula is about become
//! propositions, numbered from left to right, equal ones once. In a copy of the model each is an invariant, so that any
//! system of the model, interpreted or compiled, reports in every state which of them are false, and which cannot be
//! evaluated: no engine needs to know another way to look at states.

use fathom_logic::{
    Automaton, Formula, Formulas, Guard, Marks, PropositionId, Propositions, Psl, Simplifier, StateIndex,
    TranslateError, Translator, evaluate, print_formula, read_psl, strengthenings,
};
use fathom_model::print::display_expr;
use fathom_model::{Expr, Fault, Finding, Formula as ModelFormula, Model, PropertyId, PslProperty, Question};

use crate::propositions::add_propositions;
use crate::sequence::SequenceFormula;

/// A formula with everything that is needed to check it.
#[derive(Clone, Debug)]
pub struct LinearQuestion {
    /// The model, with one more property for each proposition.
    model: Model,
    property: PropertyId,
    n_propositions: usize,
    formulas: Formulas,
    asked: Linear,
}

/// A formula about runs.
#[derive(Clone, Debug)]
enum Linear {
    Ltl(Formula),
    Psl(SequenceFormula),
}

impl LinearQuestion {
    /// The question of a property; none when it is not a formula of linear temporal logic.
    pub fn new(model: &Model, property: PropertyId) -> Option<LinearQuestion> {
        let formula = match &model.properties[property.index()].question {
            Question::Ltl(formula) => formula,
            Question::Psl(psl) => return Some(LinearQuestion::of_psl(model, property, psl)),
            _ => return None,
        };
        let mut bridge = Bridge::default();
        let formula = bridge.formula(formula);
        let propositions: Vec<Expr> = bridge.propositions.iter().map(|expr| (*expr).clone()).collect();
        let n_propositions = propositions.len();
        let mut watched = model.clone();
        add_propositions(&mut watched, property, &propositions);
        Some(LinearQuestion {
            model: watched,
            property,
            n_propositions,
            formulas: bridge.formulas,
            asked: Linear::Ltl(formula),
        })
    }

    fn of_psl(model: &Model, property: PropertyId, psl: &PslProperty) -> LinearQuestion {
        let mut formulas = psl.formulas.clone();
        let asked = SequenceFormula::new(psl, &mut formulas);
        let mut propositions = psl.propositions.clone();
        if asked.sees_end() {
            // Whether the run has ended; the system says so in another way.
            propositions.push(Expr::Const(1));
        }
        let n_propositions = propositions.len();
        let mut watched = model.clone();
        add_propositions(&mut watched, property, &propositions);
        LinearQuestion { model: watched, property, n_propositions, formulas, asked: Linear::Psl(asked) }
    }

    /// The property that stands for the proposition that the run has ended, if the formula speaks about finite runs: then
    /// systems to be watched are [`MarkedEnd`](crate::MarkedEnd) with it, else [`Stuttering`](crate::Stuttering).
    pub fn ended(&self) -> Option<PropertyId> {
        match &self.asked {
            Linear::Psl(psl) if psl.sees_end() => Some(PropertyId::from(self.model.properties.len() - 1)),
            _ => None,
        }
    }

    /// Questions that are harder: each says the same with a constant for one part. When the formula holds and one of these holds too, the
    /// part does not matter.
    pub fn harder(&self) -> Vec<Harder> {
        let names = self.names();
        let mut formulas = self.formulas.clone();
        match &self.asked {
            Linear::Ltl(formula) => {
                let mut simplifier = Simplifier::default();
                strengthenings(&mut formulas, *formula)
                    .into_iter()
                    .map(|found| {
                        let simple = simplifier.simplify(&mut formulas, found.formula);
                        let print = |formula| print_formula(&formulas, &names, formula);
                        Harder {
                            part: print(found.part),
                            formula: print(simple),
                            cause: found.cause.map(print),
                            question: LinearQuestion {
                                formulas: formulas.clone(),
                                asked: Linear::Ltl(simple),
                                ..self.clone()
                            },
                        }
                    })
                    .collect()
            }
            Linear::Psl(psl) => psl
                .harder(&mut formulas)
                .into_iter()
                .map(|(found, stronger)| {
                    let print = |psl: &Psl| read_psl(&formulas, &names, psl);
                    Harder {
                        part: print(&found.part),
                        formula: print(&found.formula),
                        cause: found.cause.as_ref().map(print),
                        question: LinearQuestion {
                            formulas: formulas.clone(),
                            asked: Linear::Psl(stronger),
                            ..self.clone()
                        },
                    }
                })
                .collect(),
        }
    }

    /// The formula with its table, if it is one of linear temporal logic.
    pub fn ltl(&self) -> Option<(&Formulas, Formula)> {
        match &self.asked {
            Linear::Ltl(formula) => Some((&self.formulas, *formula)),
            Linear::Psl(_) => None,
        }
    }

    /// What the propositions are called.
    pub fn names(&self) -> Propositions {
        if let Question::Psl(psl) = &self.model.properties[self.property.index()].question {
            return psl.names.clone();
        }
        let mut names = Propositions::new();
        for property in self.propositions() {
            let text = match &self.model.properties[property.index()].question {
                Question::Invariant(expr) => display_expr(&self.model, None, expr),
                _ => String::new(),
            };
            // Two expressions that look the same are still two propositions.
            let index = names.len();
            if names.intern(&text, None).index() != index {
                names.intern(&format!("{text} ({index})"), None);
            }
        }
        names
    }

    /// The expressions that the propositions stand for, without the one that says that the run has ended.
    pub fn expressions(&self) -> Vec<Expr> {
        let propositions = self.propositions().into_iter().filter(|property| Some(*property) != self.ended());
        propositions
            .filter_map(|property| match &self.model.properties[property.index()].question {
                Question::Invariant(expr) => Some(expr.clone()),
                _ => None,
            })
            .collect()
    }

    /// The model with a property for each proposition: systems to be watched are made of it.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The property in question.
    pub fn property(&self) -> PropertyId {
        self.property
    }

    /// The properties that stand for the propositions: systems to be watched are asked about them.
    pub fn propositions(&self) -> Vec<PropertyId> {
        let n_properties = self.model.properties.len();
        (n_properties - self.n_propositions..n_properties).map(PropertyId::from).collect()
    }

    /// The automaton that accepts the runs that violate the formula.
    ///
    /// # Errors
    ///
    /// When the automaton is too large.
    pub fn watcher(&self) -> Result<Watcher, TranslateError> {
        let mut formulas = self.formulas.clone();
        let mut translator = Translator::new();
        let automaton = match &self.asked {
            Linear::Ltl(formula) => {
                let negation = translator.simplifier.negate(&mut formulas, *formula);
                translator.buchi(&mut formulas, negation)?
            }
            Linear::Psl(psl) => psl.violations(&mut formulas, &mut translator)?,
        };
        let first = self.model.properties.len() - self.n_propositions;
        Ok(Watcher::new(automaton, self.property, PropertyId::from(first), self.n_propositions))
    }

    /// Whether the formula is false of a run: of the word of these letters, whose end goes back to `loop_start`.
    ///
    /// Computed from the meaning of the formula alone. A proposition that cannot be evaluated is not true.
    ///
    /// # Panics
    ///
    /// When `loop_start` is not a position.
    pub fn is_violated_by(&self, letters: &[Letter], loop_start: usize) -> bool {
        match &self.asked {
            Linear::Ltl(formula) => {
                let holds = |position: usize, proposition: PropositionId| {
                    letters[position].0[proposition.index()] == Truth::True
                };
                !evaluate(&self.formulas, *formula, letters.len(), loop_start, holds)[0]
            }
            Linear::Psl(psl) => psl.is_violated_by(&self.formulas, letters, Some(loop_start)),
        }
    }

    /// Whether the formula is false of a run that ends after these letters; none when the formula does not speak about finite
    /// runs.
    pub fn is_violated_by_finite(&self, letters: &[Letter]) -> Option<bool> {
        match &self.asked {
            Linear::Psl(psl) if psl.sees_end() => Some(psl.is_violated_by(&self.formulas, letters, None)),
            _ => None,
        }
    }

    /// What a system made of [`LinearQuestion::model`] said about the propositions in a state.
    pub fn letter(&self, findings: &[Finding]) -> Letter {
        let mut letter = Letter::default();
        letter.read(findings, self.model.properties.len() - self.n_propositions, self.n_propositions);
        letter
    }
}

/// A question that says more than another: with a constant for one of its parts.
#[derive(Clone, Debug)]
pub struct Harder {
    /// The part that was replaced, for people.
    pub part: String,
    /// The formula, for people.
    pub formula: String,
    /// What the part is the consequence of, for people.
    pub cause: Option<String>,
    /// The question.
    pub question: LinearQuestion,
}

/// What is known of a proposition in a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Truth {
    /// True.
    True,
    /// False.
    False,
    /// It cannot be evaluated.
    Faulty,
}

/// What a state says about the propositions, by their numbers.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Letter(pub Vec<Truth>);

impl Letter {
    /// Reads the findings about properties from `first` on: what is not said to be false is true.
    #[inline]
    pub(crate) fn read(&mut self, findings: &[Finding], first: usize, n_propositions: usize) {
        self.0.clear();
        self.0.resize(n_propositions, Truth::True);
        for finding in findings {
            if let Some(index) = finding.property.index().checked_sub(first)
                && index < n_propositions
            {
                self.0[index] = if finding.fault.is_some() { Truth::Faulty } else { Truth::False };
            }
        }
    }
}

/// An automaton that looks at a system: what a [`Product`](crate::Product) needs to know of it.
#[derive(Clone, Debug)]
pub struct Watcher {
    automaton: Automaton,
    /// The property it is about.
    pub(crate) property: PropertyId,
    /// The property that stands for the first proposition, and how many there are.
    pub(crate) first: usize,
    pub(crate) n_propositions: usize,
    /// For each state of the automaton.
    facts: Vec<StateFacts>,
    is_plain: bool,
}

#[derive(Clone, Copy, Debug)]
struct StateFacts {
    component: u32,
    is_accepting: bool,
    /// Accepting, in a component where not every state is.
    is_mixed: bool,
    /// Whatever comes, the run is accepted.
    is_final: bool,
}

impl Watcher {
    fn new(automaton: Automaton, property: PropertyId, first: PropertyId, n_propositions: usize) -> Watcher {
        let components = automaton.component_numbers();
        let sink = automaton.accepting_sink();
        let is_cyclic = |state: StateIndex| {
            automaton.states[state].iter().any(|step| components[step.target] == components[state])
        };
        let n_components = components.iter().flatten().max().map_or(0, |most| most + 1);
        let mut has_rejecting = vec![false; n_components];
        for (state, component) in components.iter().enumerate() {
            if let (Some(component), false) = (component, automaton.is_accepting(state)) {
                has_rejecting[*component] = true;
            }
        }
        let facts: Vec<StateFacts> = (0..automaton.n_states())
            .map(|state| {
                let component = components[state].unwrap_or(0);
                let is_accepting = automaton.is_accepting(state) && is_cyclic(state);
                StateFacts {
                    component: component as u32,
                    is_accepting,
                    is_mixed: is_accepting && has_rejecting.get(component).is_some_and(|has| *has),
                    is_final: sink == Some(state),
                }
            })
            .collect();
        let is_plain = facts.iter().all(|facts| !facts.is_accepting || facts.is_final);
        Watcher { automaton, property, first: first.index(), n_propositions, facts, is_plain }
    }

    /// Whether every violation shows after finitely many steps, so that a plain search answers the question.
    pub fn is_plain(&self) -> bool {
        self.is_plain
    }

    /// How many states the automaton has.
    pub fn n_states(&self) -> usize {
        self.automaton.n_states()
    }

    pub(crate) fn initial(&self) -> u32 {
        self.automaton.initial as u32
    }

    pub(crate) fn is_final(&self, state: u32) -> bool {
        self.facts[state as usize].is_final
    }

    pub(crate) fn is_accepting(&self, state: u32) -> bool {
        self.facts[state as usize].is_accepting
    }

    pub(crate) fn is_mixed(&self, state: u32) -> bool {
        self.facts[state as usize].is_mixed
    }

    pub(crate) fn component(&self, state: u32) -> u32 {
        self.facts[state as usize].component
    }

    /// The states that the automaton may go to when it reads a letter, or the first proposition that it asked for and
    /// that cannot be evaluated.
    #[inline]
    pub(crate) fn read(&self, state: u32, letter: &Letter, out: &mut Vec<u32>) -> Option<usize> {
        out.clear();
        let mut faulty = None;
        for transition in &self.automaton.states[state as usize] {
            debug_assert!(transition.marks.is_subset(Marks::all(self.automaton.n_sets)));
            let asked_faulty = std::cell::Cell::new(None);
            let holds = transition.guard == Guard::TRUE
                || self.automaton.guards.holds(transition.guard, |variable| {
                    let truth = letter.0[variable as usize];
                    if truth == Truth::Faulty {
                        asked_faulty.set(Some(variable as usize));
                    }
                    truth == Truth::True
                });
            faulty = faulty.or(asked_faulty.get());
            if holds && asked_faulty.get().is_none() {
                out.push(transition.target as u32);
            }
        }
        faulty
    }
}

/// The fault of a proposition in what a system said about a state.
pub(crate) fn fault_of(findings: &[Finding], property: usize) -> Option<Fault> {
    findings
        .iter()
        .find(|finding| finding.property.index() == property)
        .and_then(|finding| finding.fault.clone())
}

/// A formula of a model on its way into a table of formulas.
#[derive(Default)]
struct Bridge<'m> {
    formulas: Formulas,
    propositions: Vec<&'m Expr>,
}

impl<'m> Bridge<'m> {
    fn proposition(&mut self, expr: &'m Expr) -> Formula {
        if let Expr::Const(value) = expr {
            return self.formulas.constant(*value != 0);
        }
        let known = self.propositions.iter().position(|known| *known == expr);
        let index = known.unwrap_or_else(|| {
            self.propositions.push(expr);
            self.propositions.len() - 1
        });
        self.formulas.proposition(PropositionId::new(index))
    }

    fn formula(&mut self, formula: &'m ModelFormula) -> Formula {
        use ModelFormula as F;
        let pair = match formula {
            F::State(expr) => return self.proposition(expr),
            F::Not(operand) | F::Next(operand) | F::Always(operand) | F::Eventually(operand) => {
                (self.formula(operand), None)
            }
            F::And(left, right)
            | F::Or(left, right)
            | F::Implies(left, right)
            | F::Equivalent(left, right)
            | F::Until(left, right)
            | F::WeakUntil(left, right)
            | F::Release(left, right) => {
                let left = self.formula(left);
                (left, Some(self.formula(right)))
            }
        };
        let formulas = &mut self.formulas;
        match (formula, pair) {
            (F::Not(_), (operand, _)) => formulas.not(operand),
            (F::Next(_), (operand, _)) => formulas.next(operand),
            (F::Always(_), (operand, _)) => formulas.always(operand),
            (F::Eventually(_), (operand, _)) => formulas.eventually(operand),
            (F::And(..), (left, Some(right))) => formulas.and(left, right),
            (F::Or(..), (left, Some(right))) => formulas.or(left, right),
            (F::Implies(..), (left, Some(right))) => formulas.implies(left, right),
            (F::Equivalent(..), (left, Some(right))) => formulas.equivalent(left, right),
            (F::Until(..), (left, Some(right))) => formulas.until(left, right),
            (F::WeakUntil(..), (left, Some(right))) => formulas.weak_until(left, right),
            (F::Release(..), (left, Some(right))) => formulas.release(left, right),
            (_, (operand, _)) => operand,
        }
    }
}
