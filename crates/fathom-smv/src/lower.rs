//! From a program taken apart to a model: one process with one location, and an edge for each process of the text.
//!
//! The effect of an edge makes the values after the step in temporaries: what is assigned one value is computed, what is assigned a set or nothing is chosen and then
//! required to be in the set. Constraints are required as soon as all that they speak about is known, so that little is tried in vain. In the end the temporaries become the
//! variables, all at once. The initial states are made in the same way by the initial effect of the model.
//!
//! Processes are those of NuSMV: in each step one of them runs, and a variable that a process assigns changes only when that process does. What nobody assigns is free.

use std::collections::BTreeSet;

use fathom_model::{
    Action, Base, BinaryOp as Op, Edge, Enumeration, Expr as ModelExpr, Formula, Frame, Guard, Location,
    LocationId, Model, Place, PrintForm, PrintPart, Property, Question, ScalarKind, ScalarType, Start,
    Template, TemplateId, TemplateRole, Type as ModelType, Variable, VariableRole,
};
use fathom_source::{Diagnostic, has_errors};

use crate::expr::Context;
use crate::fault::can_fail;
use crate::flatten::{Flat, Scoped};
use crate::syntax::{Assigned, BinaryOp, Constraint, Expr, ExprKind, Program, VarKind};
use crate::value::{Domain, equal};

/// What a model came of, for expressions about it.
#[derive(Clone, Debug)]
pub struct Names {
    flat: Flat,
    fairness: Vec<(String, ModelExpr)>,
    assumed: Option<Formula>,
}

impl Names {
    /// What must be true again and again: as it is written, and as an expression about states.
    pub fn fairness(&self) -> &[(String, ModelExpr)] {
        &self.fairness
    }

    /// What is true of the runs that formulas of linear time are about, if not all are.
    pub fn assumed(&self) -> Option<&Formula> {
        self.assumed.as_ref()
    }

    /// Lowers an expression about one state.
    ///
    /// # Errors
    ///
    /// What is wrong with the expression.
    pub fn state_expr(&self, expr: &Expr) -> Result<ModelExpr, Vec<Diagnostic>> {
        let mut flat = self.flat.clone();
        flat.diagnostics.clear();
        let value = flat.truth(expr, &Context::state(0));
        if has_errors(&flat.diagnostics) { Err(flat.diagnostics) } else { Ok(value) }
    }

    /// Lowers an expression whose value in one state is wanted: a truth value, a number, a word, or an element of an enumeration.
    ///
    /// # Errors
    ///
    /// What is wrong with the expression.
    pub fn value_expr(&self, expr: &Expr) -> Result<ModelExpr, Vec<Diagnostic>> {
        let mut flat = self.flat.clone();
        flat.diagnostics.clear();
        let value = flat.value(expr, &Context::state(0)).expr;
        if has_errors(&flat.diagnostics) { Err(flat.diagnostics) } else { Ok(value) }
    }
}

/// Lowers a program. The model is there only when no error was found.
pub fn lower_program(
    program: &Program,
    name: &str,
    defines: &[(String, String)],
) -> (Option<(Model, Names)>, Vec<Diagnostic>) {
    let (overrides, said) = overrides(program, defines);
    let mut flat = Flat::new(program, overrides);
    flat.diagnostics.extend(said);
    if has_errors(&flat.diagnostics) {
        return (None, flat.diagnostics);
    }
    let mut model = Model { name: name.to_owned(), ..Model::default() };
    let mut lowering =
        Lowering { fair: Vec::new(), compassion: Vec::new(), n_hidden: 0, globals: Frame::default() };
    lowering.lay_out(&mut flat);
    lowering.add_fairness(&mut flat);
    lowering.add_compassion(&mut flat);
    model.enumerations = enumerations(&flat);
    model.initial_effect = lowering.effect(&mut flat, None);
    let template = lowering.template(&mut flat);
    for (name, question) in [
        ("deadlock", Question::Deadlock),
        ("assertion", Question::Assertion),
        ("runtime-error", Question::RuntimeError),
    ] {
        model.properties.push(Property { name: name.to_owned(), question, span: None });
    }
    let fair = std::mem::take(&mut lowering.fair);
    let compassion = std::mem::take(&mut lowering.compassion);
    crate::spec::add_properties(&mut flat, &fair, &compassion, &mut model);
    let fairness = fair.iter().map(|fair| crate::spec::constraint(&mut flat, fair)).collect();
    let assumed = crate::spec::assumed(&mut flat, &fair, &compassion);
    model.globals = lowering.globals;
    model.templates.push(template);
    model.start.push(Start { template: TemplateId(0), arguments: Vec::new(), priority: 1 });
    // What is wrong with a text is found again in every effect that it is part of.
    let mut diagnostics: Vec<Diagnostic> = Vec::new();
    for said in std::mem::take(&mut flat.diagnostics) {
        if !diagnostics.contains(&said) {
            diagnostics.push(said);
        }
    }
    if has_errors(&diagnostics) {
        return (None, diagnostics);
    }
    debug_assert_eq!(fathom_model::validate(&model), Ok(()));
    (Some((model, Names { flat, fairness, assumed })), diagnostics)
}

/// Values for defines, given from outside.
fn overrides(program: &Program, defines: &[(String, String)]) -> (Vec<(String, Expr)>, Vec<Diagnostic>) {
    let span = program.modules.first().map(|module| module.name.span);
    let mut values = Vec::new();
    let mut said = Vec::new();
    for (name, text) in defines {
        let kind = match text.as_str() {
            "TRUE" => ExprKind::Boolean(true),
            "FALSE" => ExprKind::Boolean(false),
            _ => match text.parse::<i32>() {
                Ok(number) => ExprKind::Integer(number.into()),
                Err(_) if text.trim_start_matches('-').starts_with(|first: char| first.is_ascii_digit()) => {
                    let message = format!("no value for a define: `{text}`");
                    said.push(Diagnostic::error("smv::define", message));
                    continue;
                }
                Err(_) => ExprKind::Name(text.clone()),
            },
        };
        let is_define = program.modules.iter().flat_map(|module| &module.items).any(|item| {
            matches!(item, crate::syntax::Item::Define(known, _) | crate::syntax::Item::DefineIn(_, known, _) if *name == known.text || name.ends_with(&format!(".{}", known.text)))
        });
        match span {
            Some(span) if is_define => values.push((name.clone(), Expr { kind, span })),
            _ => said.push(Diagnostic::error("smv::define", format!("no define `{name}`"))),
        }
    }
    (values, said)
}

fn enumerations(flat: &Flat) -> Vec<Enumeration> {
    let mut enumerations: Vec<Enumeration> = (0..flat.groups.len())
        .map(|group| Enumeration { name: format!("constants-{}", group + 1), members: Vec::new() })
        .collect();
    for (name, (group, number)) in &flat.literals {
        enumerations[*group].members.push((*number, name.clone()));
    }
    for enumeration in &mut enumerations {
        enumeration.members.sort();
    }
    enumerations
}

/// What must be true again and again, or is asked about that.
#[derive(Clone, Debug)]
pub(crate) enum Fair {
    /// Of states.
    State(Scoped),
    /// Of steps: a bit of the next state remembers whether it was.
    Step(Scoped, Place),
}

struct Lowering {
    fair: Vec<Fair>,
    compassion: Vec<(Fair, Fair)>,
    /// Bits that remember something about steps.
    n_hidden: usize,
    globals: Frame,
}

/// How a variable gets its value.
struct Job {
    variable: usize,
    actions: Vec<Action>,
    /// Offsets of what is read of the values after the step.
    reads: BTreeSet<u32>,
}

impl Lowering {
    /// Gives variables their places: inputs, which are no part of a state, come after all others.
    fn lay_out(&mut self, flat: &mut Flat) {
        let mut offset = 0;
        for is_input in [false, true] {
            for number in 0..flat.variables.len() {
                if (flat.variables[number].kind == VarKind::Input) != is_input {
                    continue;
                }
                flat.variables[number].offset = offset;
                let ty = flat.variables[number].domain.scalar(flat.kind_of(number));
                if !is_input {
                    self.globals.variables.push(Variable {
                        name: flat.variables[number].name.clone(),
                        ty: ModelType::Scalar(ty),
                        offset,
                        role: VariableRole::Plain,
                        span: Some(flat.variables[number].span),
                    });
                    self.globals.size = offset + ty.size();
                }
                offset += ty.size();
            }
            // Room for the bits that remember fairness of steps.
            if !is_input {
                offset += (flat.constraints.len() + 2 * flat.compassion.len()) as u32;
            }
        }
    }

    /// Fairness constraints.
    fn add_fairness(&mut self, flat: &mut Flat) {
        let constraints = flat.constraints.clone();
        for (_, scoped) in constraints.into_iter().filter(|(kind, _)| *kind == Constraint::Fairness) {
            let fair = self.remembered(flat, scoped, "fairness");
            self.fair.push(fair);
        }
    }

    fn add_compassion(&mut self, flat: &mut Flat) {
        for (first, second) in flat.compassion.clone() {
            let first = self.remembered(flat, first, "compassion");
            let second = self.remembered(flat, second, "compassion");
            self.compassion.push((first, second));
        }
    }

    /// What is about steps gets a bit of the state.
    fn remembered(&mut self, flat: &mut Flat, (expr, scope): Scoped, word: &str) -> Fair {
        let before = flat.diagnostics.len();
        flat.truth(&expr, &Context::state(scope));
        if flat.diagnostics.len() == before {
            return Fair::State((expr, scope));
        }
        flat.diagnostics.truncate(before);
        let offset = self.globals.size;
        self.n_hidden += 1;
        self.globals.variables.push(Variable {
            name: format!("{word}-{}", self.n_hidden),
            ty: ModelType::Scalar(ScalarType::BOOL),
            offset,
            role: VariableRole::Internal,
            span: Some(expr.span),
        });
        self.globals.size += 1;
        Fair::Step((expr, scope), Place::fixed(Base::Global, offset, ScalarType::BOOL))
    }

    fn template(&mut self, flat: &mut Flat) -> Template {
        let n_processes = flat.processes.len();
        let mut edges = Vec::new();
        for process in 0..n_processes {
            let scope = flat.processes[process];
            edges.push(Edge {
                guard: Guard::Always,
                sync: None,
                effect: self.effect(flat, Some(process)),
                target: LocationId(0),
                atomic: false,
                span: None,
                text: if n_processes == 1 { "step".to_owned() } else { flat.scopes[scope].name.clone() },
            });
        }
        let groups = vec![(0..n_processes).map(fathom_model::EdgeId::from).collect()];
        Template {
            name: "main".to_owned(),
            role: TemplateRole::Process,
            locals: Frame::default(),
            parameters: Vec::new(),
            locations: vec![Location { groups, ..Location::default() }],
            edges,
            initial: LocationId(0),
            provided: None,
            span: None,
        }
    }

    /// The effect of a step of a process, or what makes the initial states.
    fn effect(&self, flat: &mut Flat, running: Option<usize>) -> Vec<Action> {
        let kept = kept(flat, running);
        let context = Context {
            has_next: running.is_some(),
            has_inputs: running.is_some(),
            is_initial: running.is_none(),
            running,
            kept: &kept,
            ..Context::state(0)
        };
        let mut actions = Vec::new();
        let mut jobs: Vec<Job> = Vec::new();
        for (number, &is_kept) in kept.iter().enumerate() {
            let kind = flat.variables[number].kind;
            if kind == VarKind::Input && running.is_some() {
                jobs.push(Job { variable: number, actions: free(flat, number), reads: BTreeSet::new() });
            } else if kind != VarKind::Input && !is_kept {
                jobs.push(job(flat, number, &context));
            }
        }
        let requirements = requirements(flat, &context);
        self.in_order(flat, jobs, requirements, &mut actions);
        if running.is_some() {
            actions.extend(inputs_told(flat));
            let pairs = self.compassion.iter().flat_map(|(first, second)| [first, second]);
            for fair in self.fair.iter().chain(pairs) {
                if let Fair::Step((expr, scope), place) = fair {
                    let context = Context { scope: *scope, has_next: false, ..context.clone() };
                    let truth = flat.truth(expr, &context);
                    actions.push(Action::Assign(place.clone(), truth));
                }
            }
        }
        for (number, &is_kept) in kept.iter().enumerate() {
            if flat.variables[number].kind != VarKind::Input && !is_kept {
                let value = ModelExpr::Load(flat.place(number, Base::Temporary));
                actions.push(Action::Assign(flat.place(number, Base::Global), value));
            }
        }
        actions
    }

    /// Puts what reads after what is read, and requirements as early as they can be.
    fn in_order(
        &self,
        flat: &mut Flat,
        mut jobs: Vec<Job>,
        mut requirements: Vec<(ModelExpr, BTreeSet<u32>)>,
        actions: &mut Vec<Action>,
    ) {
        let mut open: BTreeSet<u32> = jobs.iter().map(|job| flat.variables[job.variable].offset).collect();
        loop {
            requirements.retain(|(condition, reads)| {
                let is_ready = reads.is_disjoint(&open);
                if is_ready {
                    actions.push(Action::Require(condition.clone()));
                }
                !is_ready
            });
            if jobs.is_empty() {
                return;
            }
            // What is computed comes before what is chosen: it makes no alternatives.
            let is_ready = |job: &Job| job.reads.is_disjoint(&open);
            let chooses =
                |job: &Job| job.actions.iter().any(|action| matches!(action, Action::Choose { .. }));
            let computed = jobs.iter().position(|job| is_ready(job) && !chooses(job));
            let Some(place) = computed.or_else(|| jobs.iter().position(is_ready)) else {
                let variable = &flat.variables[jobs[0].variable];
                let (message, span) = (format!("`{}` depends on itself", variable.name), variable.span);
                flat.error("smv::circular", message, Some(span));
                return;
            };
            let job = jobs.remove(place);
            open.remove(&flat.variables[job.variable].offset);
            actions.extend(job.actions);
        }
    }
}

/// Prints the inputs of a step, which are in no state; only traces and simulations hear it.
fn inputs_told(flat: &Flat) -> Option<Action> {
    let mut parts = Vec::new();
    for (number, input) in flat.variables.iter().enumerate() {
        if input.kind != VarKind::Input {
            continue;
        }
        let form = match flat.kind_of(number) {
            ScalarKind::Boolean => PrintForm::Truth,
            ScalarKind::Enumeration(enumeration) => PrintForm::Name(enumeration),
            _ => PrintForm::Decimal,
        };
        let value = ModelExpr::Load(flat.place(number, Base::Temporary));
        parts.push(PrintPart::Text(format!("{} = ", input.name)));
        parts.push(PrintPart::Value(value, form));
        parts.push(PrintPart::Text("\n".to_owned()));
    }
    (!parts.is_empty()).then_some(Action::Print(parts))
}

/// By variable: whether a step leaves it alone.
fn kept(flat: &Flat, running: Option<usize>) -> Vec<bool> {
    let is_kept = |variable: &crate::flatten::Variable| match (variable.kind, running) {
        (VarKind::Frozen, running) => running.is_some(),
        (VarKind::State, Some(process)) => variable.has_next() && variable.assigned_by(process).is_none(),
        _ => false,
    };
    flat.variables.iter().map(is_kept).collect()
}

/// Values from the least to the greatest of a type beyond which not all are tried where only some are wanted.
const MANY_VALUES: u64 = 1 << 12;

/// Whether there are far more numbers from the least to the greatest value of a type than so many.
fn is_wide(domain: &Domain, n_wanted: usize) -> bool {
    let n_values = domain.most.abs_diff(domain.least);
    n_values >= MANY_VALUES && n_values / 4 > n_wanted as u64
}

/// Chooses one of some values: first its number, in the place where the value goes.
fn one_of(place: &Place, values: Vec<ModelExpr>) -> Vec<Action> {
    let most = values.len() as i64 - 1;
    let number = ModelExpr::Load(place.clone());
    let numbered = values.into_iter().enumerate().map(|(at, value)| (at as i64, value)).rev();
    let chosen = numbered.reduce(|(_, rest), (at, value)| {
        let is_it = equal(number.clone(), ModelExpr::Const(at));
        (at, ModelExpr::Conditional(Box::new(is_it), Box::new(value), Box::new(rest)))
    });
    let value = chosen.map_or(ModelExpr::Const(0), |(_, value)| value);
    vec![Action::Choose { place: place.clone(), least: 0, most }, Action::Assign(place.clone(), value)]
}

/// Chooses any value of a variable.
fn free(flat: &Flat, number: usize) -> Vec<Action> {
    let (place, domain) = (flat.place(number, Base::Temporary), &flat.variables[number].domain);
    if let Some(values) = domain.gaps.as_ref().filter(|values| is_wide(domain, values.len())) {
        return one_of(&place, values.iter().map(|&value| ModelExpr::Const(value)).collect());
    }
    let mut actions = vec![Action::Choose { place: place.clone(), least: domain.least, most: domain.most }];
    if domain.gaps.is_some() {
        actions.push(Action::Require(domain.contains(&ModelExpr::Load(place))));
    }
    actions
}

fn job(flat: &mut Flat, number: usize, context: &Context<'_>) -> Job {
    let variable = &flat.variables[number];
    let after = Context { primed: true, has_next: false, has_inputs: false, ..context.clone() };
    let (assigned, context) = match (variable.assigned(Assigned::Current), context.is_initial) {
        (Some(value), _) => (Some(value.clone()), after),
        (None, true) => (variable.assigned(Assigned::Init).cloned(), after),
        (None, false) => {
            let process = context.running.unwrap_or_default();
            (variable.assigned_by(process).cloned(), context.clone())
        }
    };
    let mut reads = BTreeSet::new();
    let Some((expr, scope)) = assigned else {
        return Job { variable: number, actions: free(flat, number), reads };
    };
    let context = Context { scope, ..context };
    let own = flat.variables[number].offset;
    let place = flat.place(number, Base::Temporary);
    let domain = flat.variables[number].domain.clone();
    if let ExprKind::Set(members) = &expr.kind
        && is_wide(&domain, members.len())
        && !members.iter().any(|member| flat.is_set(member, scope))
    {
        let mut values = Vec::with_capacity(members.len());
        for member in members {
            let value = flat.value(member, &context);
            let value = flat.assignable(value, &domain, member.span);
            Flat::reads_after(&value.expr, &mut reads);
            values.push(value);
        }
        let fits = values.iter().all(|value| domain.includes(value));
        let mut actions = one_of(&place, values.into_iter().map(|value| value.expr).collect());
        if !fits {
            let chosen = ModelExpr::Load(place.clone());
            actions.push(Action::Assert(domain.contains(&chosen)));
            actions.push(Action::Assign(place, or_least(&domain, domain.contains(&chosen), chosen)));
        }
        return Job { variable: number, actions, reads };
    }
    if flat.is_set(&expr, scope) {
        let n_said = flat.diagnostics.len();
        let fits = flat.members_fit(&expr, &context, &domain);
        let n_wrong = flat.diagnostics.len();
        let is_safe = crate::value::fold(&fits) == Some(1);
        let mut actions = Vec::new();
        if !is_safe {
            Flat::reads_after(&fits, &mut reads);
            actions.push(Action::Assert(fits.clone()));
        }
        actions.extend(free(flat, number));
        let load = ModelExpr::Load(place);
        let is_least = ModelExpr::binary(Op::Equal, load.clone(), ModelExpr::Const(domain.least));
        let member = flat.member(&expr, &context, &domain.value(load));
        // What is no value of the variable is not compared with it, either: that is said once.
        flat.diagnostics.truncate(if n_wrong > n_said { n_wrong } else { flat.diagnostics.len() });
        Flat::reads_after(&member, &mut reads);
        if !flat.set_reads(&expr, &context, own) {
            reads.remove(&own);
        }
        // A member outside is an error, and there is a step all the same, so that it is seen.
        let instead =
            ModelExpr::Conditional(Box::new(fits), Box::new(ModelExpr::Const(0)), Box::new(is_least));
        let allowed = if is_safe { member } else { ModelExpr::binary(Op::Or, member, instead) };
        actions.push(Action::Require(allowed));
        return Job { variable: number, actions, reads };
    }
    let value = flat.value(&expr, &context);
    let value = flat.assignable(value, &domain, expr.span);
    Flat::reads_after(&value.expr, &mut reads);
    if domain.includes(&value) {
        return Job { variable: number, actions: vec![Action::Assign(place, value.expr)], reads };
    }
    // A value outside its range is an error, and what the variable becomes then does not matter.
    let fits = domain.contains(&value.expr);
    let value = or_least(&domain, fits.clone(), value.expr);
    let actions = vec![Action::Assert(fits), Action::Assign(place, value)];
    Job { variable: number, actions, reads }
}

/// A value where it fits, the least one elsewhere.
fn or_least(domain: &Domain, fits: ModelExpr, value: ModelExpr) -> ModelExpr {
    ModelExpr::Conditional(Box::new(fits), Box::new(value), Box::new(ModelExpr::Const(domain.least)))
}

/// What a step, or an initial state, must satisfy, part by part, with what is read of it.
fn requirements(flat: &mut Flat, context: &Context<'_>) -> Vec<(ModelExpr, BTreeSet<u32>)> {
    let after = Context { primed: true, has_next: false, has_inputs: false, ..context.clone() };
    let constraints = flat.constraints.clone();
    let mut found = Vec::new();
    for (kind, (expr, scope)) in &constraints {
        let context = match (kind, context.is_initial) {
            (Constraint::Init, true) | (Constraint::Invar, _) => Context { scope: *scope, ..after.clone() },
            (Constraint::Trans, false) => Context { scope: *scope, ..context.clone() },
            _ => continue,
        };
        let mut parts = Vec::new();
        conjuncts(expr, &mut parts);
        let mut before = BTreeSet::new();
        for part in parts {
            let truth = flat.truth(part, &context);
            let mut reads = BTreeSet::new();
            Flat::reads_after(&truth, &mut reads);
            before.extend(&reads);
            // What is written before it may be there so that it does not fail: it waits for all of that.
            let reads = if can_fail(&truth) { before.clone() } else { reads };
            found.push((truth, reads));
        }
    }
    found
}

fn conjuncts<'e>(expr: &'e Expr, found: &mut Vec<&'e Expr>) {
    match &expr.kind {
        ExprKind::Binary(BinaryOp::And, left, right) => {
            conjuncts(left, found);
            conjuncts(right, found);
        }
        _ => found.push(expr),
    }
}
