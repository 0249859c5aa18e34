//! `fathom translate`: the automaton of a formula, for other tools.
//!
//! There is no model: propositions are whatever stands between the operators. So that an automaton can be taken from one tool to the next, a file in the
//! Hanoi format is read, too, and comes out smaller.

use clap::{Args, ValueEnum};
use fathom_core::logic::{
    Automaton, Formula, Formulas, Propositions, Psl, TranslateError, Translator, parse_ltl, parse_pattern,
    parse_psl, read_hoa, write_hoa, write_never,
};
use fathom_core::source::{Diagnostic, SourceMap};

use crate::failure::{self, Failure};
use crate::files::read_text;
use crate::output;

/// The flags of `translate`.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("what").required(true))]
pub struct TranslateArguments {
    /// A formula of linear temporal logic
    #[arg(value_name = "FORMULA", group = "what")]
    pub formula: Option<String>,
    /// A formula of the property specification language instead
    #[arg(long, value_name = "F", group = "what")]
    pub psl: Option<String>,
    /// A specification pattern instead
    #[arg(long, value_name = "P", group = "what")]
    pub pattern: Option<String>,
    /// An automaton in this file, in the Hanoi format (HOA), instead: it is reduced and written again
    #[arg(long, value_name = "FILE", group = "what", conflicts_with = "negate")]
    pub automaton: Option<String>,
    /// The automaton of the runs that violate the formula, as `check --automaton` wants it
    #[arg(long)]
    pub negate: bool,
    /// Where acceptance is
    #[arg(long, value_enum, default_value_t = Place::States)]
    pub acceptance: Place,
    /// What to write
    #[arg(long, value_enum, default_value_t = Form::Hoa)]
    pub form: Form,
}

/// Where acceptance is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Place {
    /// One set of accepting states
    States,
    /// Any number of sets of transitions: often fewer states
    Transitions,
}

/// What to write.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Form {
    /// The Hanoi format, version 1
    Hoa,
    /// A never claim in Promela
    Never,
}

/// Runs the command.
pub fn run(arguments: &TranslateArguments) -> Result<u8, Failure> {
    let place = match (arguments.form, arguments.acceptance) {
        (Form::Never, Place::Transitions) => {
            return Err(Failure::new("a never claim accepts on states: leave out --acceptance transitions"));
        }
        (_, place) => place,
    };
    let mut propositions = Propositions::new();
    let (automaton, name) = translate(arguments, place, &mut propositions)?;
    let text = match arguments.form {
        Form::Hoa => write_hoa(&automaton, &propositions, &name),
        Form::Never => write_never(&automaton, &propositions, &name),
    };
    output::print(&text)?;
    Ok(failure::HOLDS)
}

/// The automaton, and what to call it.
fn translate(
    arguments: &TranslateArguments,
    place: Place,
    propositions: &mut Propositions,
) -> Result<(Automaton, String), Failure> {
    let mut sources = SourceMap::new();
    if let Some(path) = &arguments.automaton {
        let file = sources.add(path.clone(), read_text(path)?);
        let found = read_hoa(file, &sources, propositions);
        let mut automaton = found.map_err(|said| refused(path, &sources, &said))?;
        match place {
            Place::States => automaton = automaton.to_buchi(),
            Place::Transitions => automaton.reduce(),
        }
        return Ok((automaton, path.clone()));
    }
    let mut formulas = Formulas::new();
    let (text, asked) = match (&arguments.formula, &arguments.psl, &arguments.pattern) {
        (Some(text), ..) => {
            let file = sources.add("<formula>", text.clone());
            let (formula, said) = parse_ltl(file, &sources, &mut formulas, propositions);
            (text, formula.map(Asked::Ltl).ok_or(said))
        }
        (_, Some(text), _) => {
            let file = sources.add("<formula>", text.clone());
            (text, parse_psl(file, &sources, &mut formulas, propositions).map(Asked::Psl))
        }
        (_, _, Some(text)) => {
            let file = sources.add("<pattern>", text.clone());
            let pattern = parse_pattern(file, &sources, &mut formulas, propositions);
            (text, pattern.map(|pattern| Asked::Ltl(pattern.to_ltl(&mut formulas))))
        }
        _ => return Err(Failure::new("there is nothing to translate")),
    };
    let asked = asked.map_err(|said| refused(text, &sources, &said))?;
    let name = if arguments.negate { format!("!({text})") } else { text.clone() };
    let automaton = of_formula(&mut formulas, asked, arguments.negate, place);
    Ok((automaton.map_err(|error| Failure::new(error.to_string()))?, name))
}

/// A formula of one of the logics.
enum Asked {
    Ltl(Formula),
    Psl(Psl),
}

fn of_formula(
    formulas: &mut Formulas,
    asked: Asked,
    negate: bool,
    place: Place,
) -> Result<Automaton, TranslateError> {
    let mut translator = Translator::new();
    let formula = match asked {
        Asked::Ltl(formula) if negate => formulas.not(formula),
        Asked::Ltl(formula) => formula,
        Asked::Psl(psl) => {
            let psl = if negate { psl.negated() } else { psl };
            match psl.to_ltl(formulas) {
                Some(formula) => formula,
                None => return translator.psl(formulas, &psl),
            }
        }
    };
    match place {
        Place::Transitions => translator.generalized(formulas, formula),
        Place::States => translator.buchi(formulas, formula),
    }
}

fn refused(text: &str, sources: &SourceMap, said: &[Diagnostic]) -> Failure {
    Failure::of_diagnostics(format!("cannot understand {}", output::quoted(text)), sources, said)
}
