//! Formulas about model programs, as they were asked on the command line or in a trace file.
//!
//! Their propositions are the properties of the program that speak about single states, by name.

use fathom_core::logic::{print_ctl, read_ctl, read_formula, read_psl};
use fathom_core::model::{AskedOfRuns, PropertyId, Trace};
use fathom_core::program::Runnable;
use fathom_core::search::Monitor;
use fathom_core::{
    Asked, CheckOptions, FormulaAnswer, ProgramFormula, ProgramTreeFormula, check_formula_again,
    check_program_formula, check_program_tree_formula, replay_program,
};
use fathom_source::{Diagnostic, SourceMap};

use crate::failure::Failure;
use crate::output::quoted;
use crate::session::{PROCESSES, run_end};
use crate::wire;

/// A formula about a program.
pub(super) struct AskedFormula {
    pub asked: wire::AskedProperty,
    question: Question,
}

enum Question {
    /// Of all runs.
    Runs(ProgramFormula),
    /// Of their branching.
    Tree(ProgramTreeFormula),
}

impl AskedFormula {
    /// Reads formulas without errors.
    pub fn read_all(
        program: &dyn Runnable,
        asked: Vec<wire::AskedProperty>,
    ) -> Result<Vec<AskedFormula>, Failure> {
        asked.into_iter().map(|asked| AskedFormula::read(program, asked)).collect()
    }

    /// Reads a formula.
    pub fn read(program: &dyn Runnable, asked: wire::AskedProperty) -> Result<AskedFormula, Failure> {
        let mut sources = SourceMap::new();
        let runs = |kind: Asked, sources: &mut SourceMap| {
            ProgramFormula::read(kind, &asked.text, program, sources).map(Question::Runs)
        };
        let question: Result<Question, Vec<Diagnostic>> = match asked.kind.as_str() {
            "ctl" if asked.fairness.iter().any(|text| text == PROCESSES) => {
                return Err(Failure::new(format!(
                    "--fair-ctl {PROCESSES} is not available for model programs: they have actions, not processes"
                )));
            }
            "ctl" => ProgramTreeFormula::read(&asked.text, &asked.fairness, program, &mut sources)
                .map(Question::Tree),
            "psl" => runs(Asked::Psl(run_end(asked.end.as_deref())?), &mut sources),
            "pattern" => runs(Asked::Pattern, &mut sources),
            "ltl" => runs(Asked::Ltl, &mut sources),
            kind => return Err(Failure::new(format!("no formulas of the kind '{kind}' for model programs"))),
        };
        match question {
            Ok(question) => Ok(AskedFormula { asked, question }),
            Err(said) => {
                let message = format!("cannot understand --{} {}", asked.kind, quoted(&asked.text));
                Err(Failure::of_diagnostics(message, &sources, &said))
            }
        }
    }

    /// The word for it in reports: a pattern is the formula that it stands for.
    pub fn kind(&self) -> &'static str {
        match &self.question {
            Question::Tree(_) => "ctl",
            Question::Runs(ProgramFormula { asked: AskedOfRuns::Psl(..), .. }) => "psl",
            Question::Runs(_) => "ltl",
        }
    }

    /// Whether it is true of a program.
    pub fn answer(
        &self,
        program: &dyn Runnable,
        property: PropertyId,
        options: &CheckOptions,
        monitor: &mut dyn Monitor,
    ) -> FormulaAnswer {
        match &self.question {
            Question::Runs(formula) => check_program_formula(program, property, formula, options, monitor),
            Question::Tree(formula) => {
                check_program_tree_formula(program, property, formula, options, monitor)
            }
        }
    }

    /// Follows a run that is said to violate it.
    ///
    /// # Errors
    ///
    /// When it is no run, or does not.
    pub fn check_again(&self, program: &dyn Runnable, trace: &Trace, is_stuck: bool) -> Result<(), String> {
        match &self.question {
            Question::Runs(formula) => check_formula_again(program, formula, trace, is_stuck),
            // That the formula is true or false is more than one path can show.
            Question::Tree(_) => replay_program(program, trace).map(drop).map_err(|error| error.to_string()),
        }
    }

    /// What it says.
    pub fn form(&self) -> wire::FormulaForm {
        match &self.question {
            Question::Tree(ProgramTreeFormula { formulas, formula, names, fairness, .. }) => {
                wire::FormulaForm {
                    text: self.asked.text.clone(),
                    reading: read_ctl(formulas, names, *formula),
                    pattern: None,
                    ctl: None,
                    fairness: fairness
                        .iter()
                        .map(|&constraint| print_ctl(formulas, names, constraint))
                        .collect(),
                    end: None,
                }
            }
            Question::Runs(ProgramFormula { formulas, asked, names, expansion, .. }) => {
                let expansion = expansion.as_ref();
                let (reading, end) = match asked {
                    AskedOfRuns::Ltl(ltl) => (read_formula(formulas, names, *ltl), None),
                    AskedOfRuns::Psl(psl, end) => {
                        (read_psl(formulas, names, psl), Some(end.name().to_owned()))
                    }
                };
                wire::FormulaForm {
                    text: expansion.map_or_else(|| self.asked.text.clone(), |found| found.ltl.clone()),
                    reading,
                    pattern: expansion.map(|found| found.pattern.clone()),
                    ctl: expansion.map(|found| found.ctl.clone()),
                    fairness: Vec::new(),
                    end,
                }
            }
        }
    }
}
