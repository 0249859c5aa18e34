//! Formulas given as text: the grammar of the logic around expressions of the model's language.
//!
//! The parsers of `fathom-logic` know operators; what stands between them is handed to the front end as an expression about one state. Places
//! in messages are places in the formula, so that a misspelt name is pointed at where it is written.

use fathom_logic::{
    CtlFormula, CtlFormulas, CtlNode, Formula, Formulas, Node, Pattern, PropositionId, Propositions,
    parse_ctl, parse_ltl, parse_pattern, parse_psl, print_ctl, print_formula, read_hoa,
};
use fathom_model::{
    AskedOfRuns, AutomatonProperty, CtlProperty, Expr, Formula as ModelFormula, Model, PslProperty, Question,
    RunEnd,
};
use fathom_source::{Diagnostic, FileId, SourceMap, Span, has_errors};

use crate::load::Asked;

/// Most propositions of a formula of the property specification language or of an automaton: bits of a letter of the evaluator.
const MOST_PROPOSITIONS: usize = 63;

/// A pattern as it was asked, and the formulas that it stands for.
#[derive(Clone, Debug)]
pub struct Expansion {
    /// The pattern as written.
    pub pattern: String,
    /// As a formula of linear temporal logic: this one is checked.
    pub ltl: String,
    /// As a formula of computation tree logic that is true in the same models.
    pub ctl: String,
}

/// The language that expressions about states are written in.
#[derive(Clone)]
pub(crate) enum Grammar {
    /// With the macros of the text: a property given from outside may use them.
    Promela(fathom_promela::Macros),
    /// With the names of the text, when it could be lowered.
    If(Option<Box<fathom_if::Names>>),
    /// With the names of the text, when it could be lowered.
    Smv(Option<Box<fathom_smv::Names>>),
}

/// What a formula can speak about.
pub(crate) struct Vocabulary<'a> {
    pub(crate) model: &'a Model,
    pub(crate) grammar: &'a Grammar,
    pub(crate) sources: &'a SourceMap,
}

impl Vocabulary<'_> {
    fn resolver(&self) -> Resolver<'_, Expr> {
        Resolver::new(self.sources, Box::new(|file, sources| self.state_expr(file, sources)))
    }

    /// The constraints of the text on runs: formulas are about runs that keep to them.
    fn names_of_smv(&self) -> Option<&fathom_smv::Names> {
        if let Grammar::Smv(Some(names)) = self.grammar { Some(names) } else { None }
    }

    /// The question whether a formula is true of all runs that the text speaks of.
    fn about_fair_runs(&self, formula: ModelFormula) -> Question {
        Question::Ltl(match self.names_of_smv().and_then(fathom_smv::Names::assumed) {
            Some(assumed) => ModelFormula::Implies(Box::new(assumed.clone()), Box::new(formula)),
            None => formula,
        })
    }

    fn process_names(&self) -> Vec<String> {
        self.model.templates.iter().map(|template| template.name.clone()).collect()
    }

    /// The expression about one state that is the whole text of a file of `sources`.
    fn state_expr(&self, file: FileId, sources: &SourceMap) -> Result<Expr, Vec<Diagnostic>> {
        match self.grammar {
            Grammar::Promela(macros) => {
                let (parsed, said) = fathom_promela::parse_expression_with_macros(
                    file,
                    sources,
                    &self.process_names(),
                    macros,
                );
                match parsed {
                    Some(parsed) if !has_errors(&said) => {
                        fathom_promela::lower_state_expr(self.model, &parsed)
                    }
                    _ => Err(said),
                }
            }
            Grammar::Smv(names) => {
                let (parsed, said) = fathom_smv::parse_expression(file, sources);
                match (parsed, names) {
                    (Some(parsed), Some(names)) if !has_errors(&said) => names.state_expr(&parsed),
                    _ => Err(said),
                }
            }
            Grammar::If(names) => {
                let (parsed, said) = fathom_if::parse_expression(file, sources);
                match (parsed, names) {
                    (Some(parsed), Some(names)) if !has_errors(&said) => names.state_expr(&parsed),
                    _ => Err(said),
                }
            }
        }
    }
}

/// An expression whose value in one state is wanted.
pub(crate) fn value_expr(vocabulary: &Vocabulary<'_>, file: FileId) -> Result<Expr, Vec<Diagnostic>> {
    // Other languages take numbers for truth values anyway.
    let Grammar::Smv(Some(names)) = vocabulary.grammar else { return state_question(vocabulary, file) };
    let (parsed, said) = fathom_smv::parse_expression(file, vocabulary.sources);
    match parsed {
        Some(parsed) if !has_errors(&said) => names.value_expr(&parsed),
        _ => Err(said),
    }
}

/// An expression about one state.
pub(crate) fn state_question(vocabulary: &Vocabulary<'_>, file: FileId) -> Result<Expr, Vec<Diagnostic>> {
    vocabulary.state_expr(file, vocabulary.sources)
}

/// A formula of linear temporal logic: in the grammar of Promela, or in that of the logic around expressions.
pub(crate) fn ltl_question(vocabulary: &Vocabulary<'_>, file: FileId) -> Result<Question, Vec<Diagnostic>> {
    if let Grammar::Promela(macros) = vocabulary.grammar {
        let names = vocabulary.process_names();
        let (parsed, said) =
            fathom_promela::parse_formula_with_macros(file, vocabulary.sources, &names, macros);
        return match parsed {
            Some(parsed) if !has_errors(&said) => {
                Ok(Question::Ltl(fathom_promela::lower_formula(vocabulary.model, &parsed)?))
            }
            _ => Err(said),
        };
    }
    let mut formulas = Formulas::new();
    let mut resolver = vocabulary.resolver();
    let mut resolve = |text: &str, span: Span| resolver.resolve(text, span);
    let (formula, said) = parse_ltl(file, vocabulary.sources, &mut formulas, &mut resolve);
    match formula {
        Some(formula) => {
            Ok(vocabulary.about_fair_runs(over_expressions(&formulas, formula, &resolver.propositions)))
        }
        None => Err(said),
    }
}

/// A formula of computation tree logic with its fairness constraints, each in a file of its own.
pub(crate) fn ctl_question(
    vocabulary: &Vocabulary<'_>,
    file: FileId,
    fairness: &[FileId],
) -> Result<(Question, Vec<Diagnostic>), Vec<Diagnostic>> {
    let mut resolver = vocabulary.resolver();
    let (mut formulas, formula, mut fairness, said) = tree_question(file, fairness, &mut resolver)?;
    for (text, expr) in vocabulary.names_of_smv().map_or(&[][..], fathom_smv::Names::fairness) {
        let id = resolver.add(text, expr);
        fairness.push(formulas.make(CtlNode::Proposition(id)));
    }
    let Resolver { names, propositions, .. } = resolver;
    let property = CtlProperty { formulas, formula, names, propositions, fairness };
    Ok((Question::Ctl(Box::new(property)), said))
}

/// A formula of computation tree logic, its fairness constraints, and warnings.
type TreeQuestion = (CtlFormulas, CtlFormula, Vec<CtlFormula>, Vec<Diagnostic>);

/// Reads a formula of computation tree logic with its fairness constraints, each in a file of its own.
///
/// # Errors
///
/// What is wrong with them.
pub(crate) fn tree_question<E>(
    file: FileId,
    fairness: &[FileId],
    resolver: &mut Resolver<'_, E>,
) -> Result<TreeQuestion, Vec<Diagnostic>> {
    let sources = resolver.sources;
    let mut formulas = CtlFormulas::new();
    let mut said = Vec::new();
    let mut parse = |file| {
        let mut resolve = |text: &str, span: Span| resolver.resolve(text, span);
        let (formula, diagnostics) = parse_ctl(file, sources, &mut formulas, &mut resolve);
        said.extend(diagnostics);
        formula
    };
    let formula = parse(file);
    let constraints: Vec<Option<CtlFormula>> = fairness.iter().map(|&file| parse(file)).collect();
    for (&file, constraint) in fairness.iter().zip(&constraints) {
        if constraint.is_some_and(|constraint| !formulas.is_boolean(constraint)) {
            let end = sources.file(file).text().len() as u32;
            let span = Span { file, start: 0, end };
            let message = "a fairness constraint is about one state";
            said.push(Diagnostic::error("ctl::fairness", message).at(span, "has a path quantifier"));
        }
    }
    match (formula, constraints.into_iter().collect::<Option<Vec<CtlFormula>>>()) {
        (Some(formula), Some(fairness)) if !has_errors(&said) => Ok((formulas, formula, fairness, said)),
        _ => Err(said),
    }
}

/// A formula of the property specification language.
pub(crate) fn psl_question(
    vocabulary: &Vocabulary<'_>,
    file: FileId,
    end: RunEnd,
) -> Result<Question, Vec<Diagnostic>> {
    let mut formulas = Formulas::new();
    let mut resolver = vocabulary.resolver();
    let mut resolve = |text: &str, span: Span| resolver.resolve(text, span);
    let psl = parse_psl(file, vocabulary.sources, &mut formulas, &mut resolve)?;
    let Resolver { names, propositions, .. } = resolver;
    refuse_many_propositions(propositions.len())?;
    Ok(Question::Psl(Box::new(PslProperty { formulas, psl, names, propositions, end })))
}

/// The evaluator of the property specification language has a bit for each proposition.
fn refuse_many_propositions(n_propositions: usize) -> Result<(), Vec<Diagnostic>> {
    if n_propositions <= MOST_PROPOSITIONS {
        return Ok(());
    }
    let message = format!("more than {MOST_PROPOSITIONS} different propositions");
    Err(vec![Diagnostic::error("psl::unsupported", message)])
}

/// Most states of an automaton from another tool.
const MOST_STATES: usize = 20_000;

/// An automaton in the Hanoi format, of the runs that must not be. Its propositions are expressions about states.
pub(crate) fn automaton_question(
    vocabulary: &Vocabulary<'_>,
    file: FileId,
) -> Result<Question, Vec<Diagnostic>> {
    let mut resolver = vocabulary.resolver();
    let mut resolve = |text: &str, span: Span| resolver.resolve(text, span);
    let automaton = read_hoa(file, vocabulary.sources, &mut resolve)?;
    let Resolver { names, propositions, .. } = resolver;
    let too_large = |what: &str, most: usize| {
        let end = vocabulary.sources.file(file).text().len() as u32;
        let message = format!("an automaton with more than {most} {what} is too large");
        Err(vec![Diagnostic::error("hoa::too-large", message).at(Span { file, start: 0, end }, "this one")])
    };
    if propositions.len() > MOST_PROPOSITIONS {
        return too_large("propositions", MOST_PROPOSITIONS);
    }
    if automaton.n_states() > MOST_STATES {
        return too_large("states", MOST_STATES);
    }
    Ok(Question::Automaton(Box::new(AutomatonProperty { automaton, names, propositions })))
}

/// A specification pattern, as the formula of linear temporal logic that it stands for.
pub(crate) fn pattern_question(
    vocabulary: &Vocabulary<'_>,
    file: FileId,
) -> Result<(Question, Expansion), Vec<Diagnostic>> {
    let mut formulas = Formulas::new();
    let mut resolver = vocabulary.resolver();
    let mut resolve = |text: &str, span: Span| resolver.resolve(text, span);
    let pattern = parse_pattern(file, vocabulary.sources, &mut formulas, &mut resolve)?;
    let Resolver { names, propositions, .. } = resolver;
    let (linear, expansion) = expand(&pattern, &mut formulas, &names, vocabulary.sources.file(file).text());
    Ok((vocabulary.about_fair_runs(over_expressions(&formulas, linear, &propositions)), expansion))
}

/// A formula about runs, and what its propositions mean.
pub(crate) struct RunQuestion<E> {
    pub(crate) formulas: Formulas,
    pub(crate) asked: AskedOfRuns,
    pub(crate) names: Propositions,
    pub(crate) propositions: Vec<E>,
    /// What a pattern stands for.
    pub(crate) expansion: Option<Expansion>,
}

/// Reads a formula about runs: a pattern, one of the property specification language, or else of linear temporal logic.
///
/// # Errors
///
/// What is wrong with it.
pub(crate) fn run_question<E>(
    asked: Asked,
    file: FileId,
    mut resolver: Resolver<'_, E>,
) -> Result<RunQuestion<E>, Vec<Diagnostic>> {
    let mut formulas = Formulas::new();
    let sources = resolver.sources;
    let mut resolve = |text: &str, span| resolver.resolve(text, span);
    let mut expansion = None;
    let asked = match asked {
        Asked::Psl(end) => {
            let psl = parse_psl(file, sources, &mut formulas, &mut resolve)?;
            refuse_many_propositions(resolver.propositions.len())?;
            AskedOfRuns::Psl(psl, end)
        }
        Asked::Pattern => {
            let pattern = parse_pattern(file, sources, &mut formulas, &mut resolve)?;
            let (formula, found) =
                expand(&pattern, &mut formulas, &resolver.names, sources.file(file).text());
            expansion = Some(found);
            AskedOfRuns::Ltl(formula)
        }
        _ => {
            let (formula, said) = parse_ltl(file, sources, &mut formulas, &mut resolve);
            AskedOfRuns::Ltl(formula.ok_or(said)?)
        }
    };
    let Resolver { names, propositions, .. } = resolver;
    Ok(RunQuestion { formulas, asked, names, propositions, expansion })
}

/// The formula of linear temporal logic that a pattern stands for, and what there is to say about it.
fn expand(
    pattern: &Pattern,
    formulas: &mut Formulas,
    names: &Propositions,
    text: &str,
) -> (Formula, Expansion) {
    let linear = pattern.to_ltl(formulas);
    let mut table = CtlFormulas::new();
    let branching = pattern.to_ctl(formulas, &mut table);
    let expansion = Expansion {
        pattern: text.trim().to_owned(),
        ltl: print_formula(formulas, names, linear),
        ctl: print_ctl(&table, names, branching),
    };
    (linear, expansion)
}

/// A formula with expressions for its propositions.
fn over_expressions(formulas: &Formulas, formula: Formula, propositions: &[Expr]) -> ModelFormula {
    let of = |operand: Formula| Box::new(over_expressions(formulas, operand, propositions));
    let joined = |list: &[Formula], join: fn(Box<ModelFormula>, Box<ModelFormula>) -> ModelFormula| {
        let mut parts = list.iter().rev().map(|&part| *of(part));
        let last = parts.next().unwrap_or(ModelFormula::State(Expr::Const(1)));
        parts.fold(last, |rest, part| join(Box::new(part), Box::new(rest)))
    };
    match formulas.node(formula) {
        Node::True => ModelFormula::State(Expr::Const(1)),
        Node::False => ModelFormula::State(Expr::Const(0)),
        Node::Proposition(proposition) => ModelFormula::State(propositions[proposition.index()].clone()),
        Node::Not(f) => ModelFormula::Not(of(*f)),
        Node::And(list) => joined(list, ModelFormula::And),
        Node::Or(list) => joined(list, ModelFormula::Or),
        Node::Implies(l, r) => ModelFormula::Implies(of(*l), of(*r)),
        Node::Equivalent(l, r) => ModelFormula::Equivalent(of(*l), of(*r)),
        Node::Next(f) => ModelFormula::Next(of(*f)),
        Node::Eventually(f) => ModelFormula::Eventually(of(*f)),
        Node::Always(f) => ModelFormula::Always(of(*f)),
        Node::Until(l, r) => ModelFormula::Until(of(*l), of(*r)),
        Node::WeakUntil(l, r) => ModelFormula::WeakUntil(of(*l), of(*r)),
        Node::Release(l, r) => ModelFormula::Release(of(*l), of(*r)),
        // Up to and including the moment of the first, which comes.
        Node::StrongRelease(l, r) => ModelFormula::Until(of(*r), Box::new(ModelFormula::And(of(*l), of(*r)))),
    }
}

/// Gives propositions their meaning as expressions about states, of whatever kind.
pub(crate) struct Resolver<'a, E> {
    pub(crate) sources: &'a SourceMap,
    /// The expression that is the whole text of a file.
    state_expr: StateExpr<'a, E>,
    pub(crate) names: Propositions,
    pub(crate) propositions: Vec<E>,
}

/// Reads the expression that is the whole text of a file.
pub(crate) type StateExpr<'a, E> = Box<dyn Fn(FileId, &SourceMap) -> Result<E, Vec<Diagnostic>> + 'a>;

impl<'a, E> Resolver<'a, E> {
    pub(crate) fn new(sources: &'a SourceMap, state_expr: StateExpr<'a, E>) -> Resolver<'a, E> {
        Resolver { sources, state_expr, names: Propositions::new(), propositions: Vec::new() }
    }

    pub(crate) fn resolve(&mut self, text: &str, span: Span) -> Result<PropositionId, Vec<Diagnostic>> {
        let expr = self.lower(span)?;
        let id = self.names.intern(text, Some(span));
        if id.index() == self.propositions.len() {
            self.propositions.push(expr);
        }
        Ok(id)
    }

    /// A proposition that is not written in the formula.
    fn add(&mut self, text: &str, expr: &E) -> PropositionId
    where
        E: Clone + PartialEq,
    {
        // The same text may mean something else there.
        let mut text = text.to_owned();
        loop {
            let id = self.names.intern(&text, None);
            if id.index() == self.propositions.len() {
                self.propositions.push(expr.clone());
            }
            if self.propositions[id.index()] == *expr {
                return id;
            }
            text.push('\'');
        }
    }

    /// The expression at a place of the formula.
    fn lower(&self, span: Span) -> Result<E, Vec<Diagnostic>> {
        let written = self.sources.text(span);
        let text = written.trim_matches('"');
        let start = span.start + (written.len() - written.trim_start_matches('"').len()) as u32;
        // A file of its own for the parser; what is said about it is said about the formula.
        let mut sources = self.sources.clone();
        let part = sources.add("proposition", text);
        let moved = |span_of_part: Span| {
            if span_of_part.file != part {
                return span_of_part;
            }
            Span { file: span.file, start: start + span_of_part.start, end: start + span_of_part.end }
        };
        (self.state_expr)(part, &sources).map_err(|mut said| {
            for label in said.iter_mut().flat_map(|one| one.primary.iter_mut().chain(&mut one.secondary)) {
                label.span = moved(label.span);
            }
            said
        })
    }
}
