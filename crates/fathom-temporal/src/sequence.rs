//! Formulas of the property specification language as questions about runs.
//!
//! A run that ends is one that repeats its last state, or a finite one in one of the views of the standard. In the latter case the formula is
//! rewritten to speak about infinite runs in which a proposition says that the run has ended ([`Psl::until_ended`]).
//!
//! Runs are evaluated from the definition where that can be paid for; longer ones by the evaluator of linear temporal logic where the formula has a
//! place there, else by an automaton of the formula, which is not the one that found the run.

use fathom_logic::{
    Automaton, Formula, Formulas, Lasso, PropositionId, Psl, PslEnd, PslWord, Strengthening, TranslateError,
    Translator, Valuation, evaluate, is_stutter_invariant, psl_strengthenings,
};
use fathom_model::RunEnd;

use crate::run_formula::{Letter, Truth};

/// Runs of more letters are not evaluated from the definition, which is exponential in the formula.
const MOST_LETTERS: usize = 64;

/// A formula with what a run that ends is taken for.
#[derive(Clone, Debug)]
pub(crate) struct SequenceFormula {
    /// As written.
    psl: Psl,
    /// The view of finite runs; none if they repeat their last state.
    view: Option<PslEnd>,
    /// The formula about infinite runs that is watched.
    watched: Psl,
    /// The proposition that the run has ended.
    ended: usize,
}

impl SequenceFormula {
    /// A formula about so many propositions; formulas that it needs are added to the table.
    pub fn new(psl: &Psl, end: RunEnd, n_propositions: usize, formulas: &mut Formulas) -> SequenceFormula {
        let view = match end {
            RunEnd::Stutter => None,
            RunEnd::Neutral => Some(PslEnd::Stop),
            RunEnd::Weak => Some(PslEnd::Top),
            RunEnd::Strong => Some(PslEnd::Bottom),
        };
        let ended = n_propositions;
        SequenceFormula { watched: psl.clone(), psl: psl.clone(), view, ended }.with(psl.clone(), formulas)
    }

    /// Formulas that are harder to satisfy, as written and as watched.
    pub fn harder(&self, formulas: &mut Formulas) -> Vec<(Strengthening<Psl>, SequenceFormula)> {
        let stronger = psl_strengthenings(&self.psl).into_iter();
        stronger.map(|found| (found.clone(), self.with(found.formula, formulas))).collect()
    }

    /// Another formula with the same view of finite runs.
    fn with(&self, psl: Psl, formulas: &mut Formulas) -> SequenceFormula {
        let watched = match self.view {
            None => psl.clone(),
            Some(view) => {
                let proposition = formulas.proposition(PropositionId::new(self.ended));
                psl.until_ended(formulas, view, proposition)
            }
        };
        SequenceFormula { psl, watched, ..self.clone() }
    }

    /// Whether it speaks about finite runs.
    pub fn sees_end(&self) -> bool {
        self.view.is_some()
    }

    /// The automaton of the runs that violate it.
    pub fn violations(
        &self,
        formulas: &mut Formulas,
        translator: &mut Translator,
    ) -> Result<Automaton, TranslateError> {
        translator.psl(formulas, &self.watched.clone().negated())
    }

    /// Whether it cannot count steps. A "no" may be wrong.
    pub fn is_stutter_invariant(&self, formulas: &mut Formulas) -> bool {
        let mut translator = Translator::new();
        let holds = translator.psl(formulas, &self.watched);
        let fails = self.violations(formulas, &mut translator);
        matches!((holds, fails), (Ok(holds), Ok(fails)) if is_stutter_invariant(&holds, &fails))
    }

    /// Whether it is false of a run whose end goes back to a position, or which ends.
    pub fn is_violated_by(&self, formulas: &Formulas, letters: &[Letter], loop_start: Option<usize>) -> bool {
        let ended = 1 << self.ended;
        let valuation = |letter: &Letter| -> Valuation {
            let bits = letter.0.iter().enumerate().filter(|(_, truth)| **truth == Truth::True);
            // What a letter says about the end of the run is for the watcher.
            bits.map(|(index, _)| 1 << index).fold(0, |all, bit: Valuation| all | bit) & !ended
        };
        let mut letters: Vec<Valuation> = letters.iter().map(valuation).collect();
        let end = match (loop_start, self.view) {
            (Some(start), _) => PslEnd::Loop(start),
            (None, Some(view)) => view,
            // A run that repeats its last state.
            (None, None) => PslEnd::Loop(letters.len().saturating_sub(1)),
        };
        if letters.len() <= MOST_LETTERS {
            return !PslWord { letters, end }.satisfies(formulas, &self.psl);
        }
        let start = match end {
            PslEnd::Loop(start) => start,
            _ => {
                letters.push(ended);
                letters.len() - 1
            }
        };
        !self.is_satisfied_by_long(formulas, &letters, start)
    }

    fn is_satisfied_by_long(&self, formulas: &Formulas, letters: &[Valuation], start: usize) -> bool {
        let mut formulas = formulas.clone();
        if let Some(formula) = self.watched.to_ltl(&mut formulas) {
            return is_true(&formulas, formula, letters, start);
        }
        let automaton = Translator::new().psl(&mut formulas, &self.watched);
        let lasso = Lasso::new(&letters[..start], &letters[start..]);
        match (automaton, lasso) {
            (Ok(automaton), Some(lasso)) => automaton.accepts(&lasso),
            _ => false,
        }
    }
}

fn is_true(formulas: &Formulas, formula: Formula, letters: &[Valuation], start: usize) -> bool {
    evaluate(formulas, formula, letters.len(), start, |position, proposition| {
        letters[position] >> proposition.index() & 1 == 1
    })[0]
}
