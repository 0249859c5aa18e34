//! A formula about runs of any system: the automaton of its violations, and its meaning on a run.
//!
//! Nothing here knows what a proposition says. A system that is asked about a formula has a property for each proposition, one after the
//! other, and finds in a state which of them are false, and which cannot be evaluated, as if they were invariants.
//! Models make such properties of expressions ([`LinearQuestion`](crate::LinearQuestion)); other systems have their own ways.

use fathom_logic::{Automaton, Formula, Formulas, PropositionId, Psl, TranslateError, Translator, evaluate};
use fathom_model::{Finding, PropertyId, RunEnd};

use crate::automaton::ForeignAutomaton;
use crate::claim::ClaimFormula;
use crate::sequence::SequenceFormula;
use crate::watcher::{Acceptance, Watcher};

/// A formula about runs, and the properties that stand for its propositions.
#[derive(Clone, Debug)]
pub struct RunFormula {
    pub(crate) formulas: Formulas,
    pub(crate) asked: Linear,
    /// What findings of products are about.
    pub(crate) property: PropertyId,
    /// The property that stands for the first proposition.
    pub(crate) first: PropertyId,
    pub(crate) n_propositions: usize,
}

/// The formula itself.
#[derive(Clone, Debug)]
pub(crate) enum Linear {
    Ltl(Formula),
    Psl(SequenceFormula),
    Claim(Box<ClaimFormula>),
    Automaton(Box<ForeignAutomaton>),
}

impl RunFormula {
    /// A formula of linear temporal logic about some propositions, asked as a property; those from `first` on stand for the propositions.
    pub fn of_ltl(
        (formulas, formula): (Formulas, Formula),
        n_propositions: usize,
        property: PropertyId,
        first: PropertyId,
    ) -> RunFormula {
        RunFormula { formulas, asked: Linear::Ltl(formula), property, first, n_propositions }
    }

    /// The same with a formula of the property specification language, and what a run that ends is taken for. If the formula [sees
    /// that](RunFormula::ended), one more property stands for it.
    pub fn of_psl(
        (mut formulas, psl, end): (Formulas, &Psl, RunEnd),
        n_propositions: usize,
        property: PropertyId,
        first: PropertyId,
    ) -> RunFormula {
        let sequence = SequenceFormula::new(psl, end, n_propositions, &mut formulas);
        let n_propositions = n_propositions + usize::from(sequence.sees_end());
        RunFormula { formulas, asked: Linear::Psl(sequence), property, first, n_propositions }
    }

    /// The properties that stand for the propositions.
    pub fn propositions(&self) -> impl Iterator<Item = PropertyId> {
        let first = self.first.index();
        (first..first + self.n_propositions).map(PropertyId::from)
    }

    /// The property that stands for the proposition that the run has ended, if the formula speaks about finite runs.
    pub fn ended(&self) -> Option<PropertyId> {
        match &self.asked {
            Linear::Psl(psl) if psl.sees_end() => self.propositions().last(),
            _ => None,
        }
    }

    /// Whether the formula cannot count steps, so that steps that change no proposition may be put in another order
    /// or taken together. A "no" may be wrong.
    pub fn is_stutter_invariant(&self) -> bool {
        let mut formulas = self.formulas.clone();
        match &self.asked {
            Linear::Ltl(formula) => {
                Translator::new().is_stutter_invariant(&mut formulas, *formula).unwrap_or(false)
            }
            Linear::Psl(psl) => psl.is_stutter_invariant(&mut formulas),
            Linear::Claim(claim) => claim.automaton().is_ok_and(Automaton::is_closed_under_stuttering),
            Linear::Automaton(automaton) => automaton.is_stutter_invariant(),
        }
    }

    /// The automaton that accepts the runs that violate the formula.
    ///
    /// # Errors
    ///
    /// When the automaton is too large.
    pub fn watcher(&self, acceptance: Acceptance) -> Result<Watcher, TranslateError> {
        let automaton = self.violations(acceptance)?;
        Ok(Watcher::new(automaton, self.property, self.first, self.n_propositions))
    }

    /// The automaton of the runs that violate the formula, over its propositions by their numbers.
    ///
    /// # Errors
    ///
    /// When the automaton is too large.
    pub fn violations(&self, acceptance: Acceptance) -> Result<Automaton, TranslateError> {
        let mut formulas = self.formulas.clone();
        let mut translator = Translator::new();
        Ok(match &self.asked {
            Linear::Ltl(formula) => {
                let negation = translator.simplifier.negate(&mut formulas, *formula);
                match acceptance {
                    Acceptance::Steps => translator.generalized(&mut formulas, negation)?,
                    Acceptance::States => translator.buchi(&mut formulas, negation)?,
                }
            }
            Linear::Psl(psl) => psl.violations(&mut formulas, &mut translator)?,
            Linear::Claim(claim) => claim.automaton()?,
            Linear::Automaton(automaton) => automaton.violations(acceptance),
        })
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
            Linear::Claim(claim) => claim.is_violated_by(letters, loop_start),
            Linear::Automaton(automaton) => automaton.accepts(letters, loop_start),
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

    /// What a system said about the propositions in a state.
    pub fn letter(&self, findings: &[Finding]) -> Letter {
        let mut letter = Letter::default();
        letter.read(findings, self.first.index(), self.n_propositions);
        letter
    }
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
    pub fn read(&mut self, findings: &[Finding], first: usize, n_propositions: usize) {
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
