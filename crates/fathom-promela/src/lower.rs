//! From a whole program to a model.

use std::collections::{HashMap, HashSet};

use fathom_model::{
    Expr, Frame, Initializer, Location, LocationId, Model, Property, Question, Start, Template, TemplateId,
    TemplateRole,
};
use fathom_source::{Diagnostic, Span, has_errors};

use crate::automaton;
use crate::body::lower_body;
use crate::constant::size_value;
use crate::context::Context;
use crate::declare::Home;
use crate::remote::close_references;
use crate::scope::Scopes;
use crate::syntax::{ExprKind, Monitor, MonitorKind, Process, Program, Sequence, Unit};
use crate::visit::for_each_expr;

/// Most processes that `active [n]` may start.
const MOST_ACTIVE: i64 = 60_000;

/// Most bytes of a state at the start.
const LARGEST_STATE: u64 = 16 << 20;

/// Most bytes of the steps that leave the initial state.
const LARGEST_STEPS: u64 = 2 << 30;

/// Lowers a program. The model is there only when no error was found.
pub fn lower_program(program: &Program, name: &str) -> (Option<Model>, Vec<Diagnostic>) {
    let model = Model { name: name.to_owned(), ..Model::default() };
    let mut lowering = Lowering {
        watched: watched_labels(program),
        context: Context { scopes: Scopes::new(), ..Context::new(model) },
        labels: Vec::new(),
    };
    lowering.declarations(program);
    lowering.implicit_properties();
    lowering.bodies(program);
    close_references(&mut lowering.context, &lowering.labels);
    let Context { model, mut diagnostics, .. } = lowering.context;
    if model.start.is_empty() {
        diagnostics.push(
            Diagnostic::error("promela::no-process", "the program starts no process")
                .help("declare `init { … }` or an `active proctype`"),
        );
    }
    check_priorities(&model, &mut diagnostics);
    check_state_size(&model, &mut diagnostics);
    let usable = !has_errors(&diagnostics);
    (usable.then_some(model), diagnostics)
}

/// Whether a hand-shake happens depends on two processes, which may have different priorities; the language
/// does not say what then.
fn check_priorities(model: &Model, diagnostics: &mut Vec<Diagnostic>) {
    if model.uses_priorities && model.channel_types.iter().any(|ty| ty.is_rendezvous()) {
        diagnostics.push(
            Diagnostic::error(
                "promela::priority-with-rendezvous",
                "priorities together with rendezvous channels",
            )
            .note("a rendezvous takes two processes, and priorities speak about one"),
        );
    }
}

/// A state that is too large to be stored even a few times is refused before anything is allocated.
fn check_state_size(model: &Model, diagnostics: &mut Vec<Diagnostic>) {
    let channels = |initializers: &[Initializer]| -> u64 {
        let size = |initializer: &Initializer| match initializer {
            Initializer::Channel { channel_type, .. } => {
                let ty = model.channel_type(*channel_type);
                u64::from(ty.capacity).saturating_mul(u64::from(ty.message_size())).saturating_add(4)
            }
            Initializer::Value { .. } => 0,
        };
        initializers.iter().map(size).fold(0, u64::saturating_add)
    };
    let process = |start: &Start| {
        let locals = &model.template(start.template).locals;
        u64::from(locals.size).saturating_add(channels(&locals.initializers)).saturating_add(8)
    };
    let globals = u64::from(model.globals.size).saturating_add(channels(&model.globals.initializers));
    let size = model.start.iter().map(process).fold(globals, u64::saturating_add);
    // Every process may have a step, and each step needs a state.
    let steps = size.saturating_mul(model.start.len() as u64);
    if size <= LARGEST_STATE && steps > LARGEST_STEPS {
        let message = format!("the steps of {} processes together need {steps} bytes", model.start.len());
        diagnostics.push(
            Diagnostic::error("promela::state-too-large", message)
                .note(format!("at most {LARGEST_STEPS} are allowed")),
        );
    }
    if size > LARGEST_STATE {
        let message = format!("a state of this program has {size} bytes, more than {LARGEST_STATE}");
        diagnostics.push(Diagnostic::error("promela::state-too-large", message));
    }
}

struct Lowering {
    context: Context,
    /// Labels that expressions ask about, by process.
    watched: HashMap<String, HashSet<String>>,
    /// Labels of each template.
    labels: Vec<HashMap<String, LocationId>>,
}

impl Lowering {
    /// Types, globals, and the names and parameters of processes.
    fn declarations(&mut self, program: &Program) {
        for unit in &program.units {
            match unit {
                Unit::Mtype(mtype) => self.context.declare_mtype(mtype),
                Unit::Typedef(typedef) => self.context.declare_typedef(typedef),
                Unit::Declaration(declaration) => {
                    for declared in self.context.declare(declaration, Home::Global) {
                        let initializers = self.context.initializers(&declared);
                        self.context.model.globals.initializers.extend(initializers);
                    }
                }
                Unit::Process(process) => self.declare_process(process),
                Unit::Monitor(_) | Unit::Ltl(_) => {}
            }
        }
    }

    fn declare_process(&mut self, process: &Process) {
        self.context.locals = Frame::default();
        self.context.scopes.enter();
        let mut places = Vec::new();
        for declaration in &process.parameters {
            for declared in self.context.declare(declaration, Home::Parameter) {
                if declared.initializer.is_some() {
                    let message = "a parameter cannot have a first value";
                    self.context.error("promela::syntax", message, declared.name.span, "a parameter");
                }
                places.extend(self.context.flatten(&declared.access));
            }
        }
        self.context.scopes.leave();
        let template = Template {
            name: process.name.name.clone(),
            role: TemplateRole::Process,
            locals: std::mem::take(&mut self.context.locals),
            parameters: places.clone(),
            locations: Vec::new(),
            edges: Vec::new(),
            initial: LocationId(0),
            provided: None,
            span: Some(process.name.span),
        };
        let id = self.add_template(template, process.name.span);
        self.context.parameters.push(places.iter().map(|place| place.ty).collect());
        self.start(process, id, places.len());
    }

    fn add_template(&mut self, template: Template, span: Span) -> TemplateId {
        let id = TemplateId::from(self.context.model.templates.len());
        if self.context.processes.insert(template.name.clone(), id).is_some() {
            let message = format!("process `{}` is declared twice", template.name);
            self.context.error("promela::duplicate-name", message, span, "declared again here");
        }
        self.context.model.templates.push(template);
        id
    }

    fn start(&mut self, process: &Process, template: TemplateId, n_parameters: usize) {
        let priority = self.context.priority(process.priority.as_ref()).unwrap_or(1);
        let Some(count) = &process.active else { return };
        let count = match size_value(&self.context, count) {
            Some(value @ 0..=MOST_ACTIVE) => value,
            _ => {
                let message = format!("the number of processes is a constant from 0 to {MOST_ACTIVE}");
                self.context.error("promela::constant-expected", message, count.span, "not such a constant");
                1
            }
        };
        let arguments = vec![Expr::Const(0); n_parameters];
        let start = Start { template, arguments, priority };
        self.context.model.start.extend((0..count).map(|_| start.clone()));
    }

    /// What is asked of every model.
    fn implicit_properties(&mut self) {
        let implicit = [
            ("deadlock", Question::Deadlock),
            ("assertion", Question::Assertion),
            ("runtime-error", Question::RuntimeError),
        ];
        for (name, question) in implicit {
            self.context.model.properties.push(Property { name: name.to_owned(), question, span: None });
        }
    }

    /// What labels of processes say about infinite runs.
    fn properties_of_labels(&mut self) {
        let model = &mut self.context.model;
        let has = |is_meant: fn(&Location) -> bool| {
            let processes = model.templates.iter().filter(|template| template.role == TemplateRole::Process);
            processes.flat_map(|template| &template.locations).any(is_meant)
        };
        let of_labels = [
            (has(|location| location.accept), "acceptance", Question::Acceptance),
            (has(|location| location.progress), "non-progress", Question::NonProgress),
        ];
        for (is_there, name, question) in of_labels {
            if is_there && model.properties.iter().all(|property| property.name != name) {
                model.properties.push(Property { name: name.to_owned(), question, span: None });
            }
        }
    }

    fn bodies(&mut self, program: &Program) {
        let mut next = 0;
        for unit in &program.units {
            if let Unit::Process(process) = unit {
                self.process_body(process, TemplateId::from(next));
                next += 1;
            }
        }
        for unit in &program.units {
            match unit {
                Unit::Monitor(monitor) => self.monitor(monitor),
                Unit::Ltl(ltl) => {
                    let formula = self.context.formula(&ltl.formula);
                    let name = ltl.name.as_ref().map(|name| name.name.clone());
                    self.property(name, "ltl", Question::Ltl(formula), ltl.span);
                }
                _ => {}
            }
        }
        self.properties_of_labels();
    }

    fn property(&mut self, name: Option<String>, kind: &str, question: Question, span: Span) {
        let properties = &mut self.context.model.properties;
        let taken = |name: &str| properties.iter().any(|property| property.name == name);
        let name = match name {
            Some(name) => name,
            None => {
                let mut numbered = (0..).map(|number| format!("{kind}_{number}"));
                numbered.find(|name| !taken(name)).expect("some number is free")
            }
        };
        if taken(&name) {
            let message = format!("property `{name}` is declared twice");
            self.context.error("promela::duplicate-name", message, span, "declared again here");
            return;
        }
        properties.push(Property { name, question, span: Some(span) });
    }

    fn process_body(&mut self, process: &Process, id: TemplateId) {
        let template = &mut self.context.model.templates[id.index()];
        self.context.locals = std::mem::take(&mut template.locals);
        self.context.scopes.enter();
        self.redeclare_parameters();
        if let Some(provided) = &process.provided {
            let provided = self.context.expr(provided);
            self.context.model.templates[id.index()].provided = Some(provided);
        }
        self.lower_into(id, &process.body, process.span, None);
        self.context.scopes.leave();
    }

    /// Makes the parameters visible to the body.
    fn redeclare_parameters(&mut self) {
        use crate::scope::{Symbol, VariableSymbol};
        for variable in self.context.locals.variables.clone() {
            let symbol = VariableSymbol {
                global: false,
                offset: variable.offset,
                ty: variable.ty,
                channel: None,
                constant: None,
                span: variable.span,
            };
            self.context.scopes.declare(&variable.name, Symbol::Variable(symbol));
        }
    }

    fn lower_into(&mut self, id: TemplateId, body: &Sequence, span: Span, monitor: Option<MonitorKind>) {
        let closing = Span { start: span.end.saturating_sub(1).max(span.start), ..span };
        let none = HashSet::new();
        let watched = self.watched.get(&self.context.model.template(id).name).unwrap_or(&none);
        let (mut flow, chain) = lower_body(&mut self.context, body, closing, watched, monitor);
        let automaton = automaton::build(&mut flow, chain, &mut self.context.diagnostics);
        let template = &mut self.context.model.templates[id.index()];
        template.locals = std::mem::take(&mut self.context.locals);
        template.locations = automaton.locations;
        template.edges = automaton.edges;
        template.initial = automaton.initial;
        if self.labels.len() <= id.index() {
            self.labels.resize(id.index() + 1, HashMap::new());
        }
        self.labels[id.index()] = automaton.labels;
    }

    fn monitor(&mut self, monitor: &Monitor) {
        let (kind, role) = match monitor.kind {
            MonitorKind::Never => ("never", TemplateRole::Claim),
            MonitorKind::Trace => ("trace", TemplateRole::EventTrace { negated: false }),
            MonitorKind::NoTrace => ("notrace", TemplateRole::EventTrace { negated: true }),
        };
        let name = monitor.name.as_ref().map(|name| name.name.clone());
        let template = Template {
            name: name.clone().unwrap_or_else(|| format!(":{kind}{}:", self.context.model.templates.len())),
            role,
            locals: Frame::default(),
            parameters: Vec::new(),
            locations: Vec::new(),
            edges: Vec::new(),
            initial: LocationId(0),
            provided: None,
            span: Some(monitor.span),
        };
        let id = self.add_template(template, monitor.span);
        self.context.parameters.push(Vec::new());
        self.context.locals = Frame::default();
        self.context.scopes.enter();
        self.lower_into(id, &monitor.body, monitor.span, Some(monitor.kind));
        self.context.scopes.leave();
        let question = match role {
            TemplateRole::Claim => Question::Claim(id),
            _ => Question::EventTrace(id),
        };
        self.property(name, kind, question, monitor.span);
    }
}

/// The labels that some expression asks about, by process.
fn watched_labels(program: &Program) -> HashMap<String, HashSet<String>> {
    let mut watched: HashMap<String, HashSet<String>> = HashMap::new();
    for_each_expr(program, &mut |expr| {
        if let ExprKind::RemoteLabel { process, label, .. } = &expr.kind {
            watched.entry(process.name.clone()).or_default().insert(label.name.clone());
        }
    });
    watched
}
