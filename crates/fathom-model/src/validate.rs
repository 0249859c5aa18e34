//! Structural invariants of a model: what every analysis may take for granted.
//!
//! Front ends call [`validate`] in their tests and debug builds. A model that fails it is a bug of the front
//! end, not of the user, so the messages name tables and indices, not source text.

use crate::{
    Action, Base, Edge, Expr, Formula, Frame, Guard, Initializer, Model, Pattern, Place, PrintForm,
    PrintPart, Question, ScalarKind, ScalarType, Sync, Template, TemplateId, TemplateRole, Type,
};

/// Largest frame or channel record in bytes: offsets stay far from overflow.
const LARGEST_FRAME: u64 = 1 << 28;

/// Checks the structural invariants of a model; gives everything that is wrong.
pub fn validate(model: &Model) -> Result<(), Vec<String>> {
    let mut checker =
        Checker { model, context: String::new(), own: None, is_start: false, problems: Vec::new() };
    checker.check_tables();
    checker.check_frame("globals", &model.globals);
    for (index, template) in model.templates.iter().enumerate() {
        checker.check_template(TemplateId::from(index), template);
    }
    checker.own = None;
    for (index, start) in model.start.iter().enumerate() {
        checker.context = format!("start {index}");
        checker.check_creation(start.template, &start.arguments, start.priority);
    }
    checker.context = "initial effect".to_owned();
    checker.is_start = true;
    model.initial_effect.iter().for_each(|action| checker.check_action(action));
    checker.is_start = false;
    for property in &model.properties {
        checker.context = format!("property {}", property.name);
        checker.check_question(&property.question);
    }
    if checker.problems.is_empty() { Ok(()) } else { Err(checker.problems) }
}

/// Whether an effect has several outcomes.
fn chooses(effect: &[Action]) -> bool {
    effect.iter().any(|action| matches!(action, Action::Choose { .. }))
}

struct Checker<'m> {
    model: &'m Model,
    /// What is being checked, for messages.
    context: String,
    /// The template whose locals are in reach.
    own: Option<&'m Template>,
    /// Whether it is what happens at the start.
    is_start: bool,
    problems: Vec<String>,
}

impl<'m> Checker<'m> {
    fn problem(&mut self, message: impl AsRef<str>) {
        self.problems.push(format!("{}: {}", self.context, message.as_ref()));
    }

    fn require(&mut self, condition: bool, message: &str) {
        if !condition {
            self.problem(message);
        }
    }

    fn check_tables(&mut self) {
        for (index, ty) in self.model.channel_types.iter().enumerate() {
            self.context = format!("channel type {index}");
            for field in &ty.fields {
                self.check_scalar(*field);
            }
            let size = u64::from(ty.message_size()) * u64::from(ty.capacity);
            self.require(size <= LARGEST_FRAME, "the channel is too large");
        }
        for (index, record) in self.model.records.iter().enumerate() {
            self.context = format!("record type {index}");
            for field in &record.fields {
                self.check_type(&field.ty, index);
            }
        }
    }

    fn check_scalar(&mut self, ty: ScalarType) {
        self.require((1..=32).contains(&ty.bits), "a scalar has 1 to 32 bits");
        if let ScalarKind::Enumeration(id) = ty.kind {
            self.require(id.index() < self.model.enumerations.len(), "no such enumeration");
        }
    }

    /// Checks a type in which only records below `n_records` may occur.
    fn check_type(&mut self, ty: &Type, n_records: usize) {
        match ty {
            Type::Scalar(scalar) => self.check_scalar(*scalar),
            Type::Array { element, length, .. } => {
                self.require(*length > 0, "an array has at least one element");
                self.check_type(element, n_records);
            }
            Type::Record(record) => {
                self.require(record.index() < n_records, "no such record type, or one declared later");
            }
        }
    }

    fn check_frame(&mut self, name: &str, frame: &'m Frame) {
        self.context = format!("frame of {name}");
        self.require(u64::from(frame.size) <= LARGEST_FRAME, "the frame is too large");
        let mut variables: Vec<_> = frame.variables.iter().collect();
        variables.sort_by_key(|variable| variable.offset);
        let mut end = 0;
        for variable in variables {
            let before = self.problems.len();
            self.check_type(&variable.ty, self.model.records.len());
            if self.problems.len() > before {
                continue;
            }
            let size = variable.ty.size(self.model);
            if variable.offset < end || u64::from(variable.offset) + u64::from(size) > u64::from(frame.size) {
                self.problem(format!("variable {} overlaps another or leaves the frame", variable.name));
            }
            end = variable.offset.saturating_add(size);
        }
        for initializer in &frame.initializers {
            match initializer {
                Initializer::Value { place, value } => {
                    self.check_written(place);
                    self.check_expr(value);
                }
                Initializer::Channel { place, channel_type } => {
                    self.check_written(place);
                    let exists = channel_type.index() < self.model.channel_types.len();
                    self.require(exists, "no such channel type");
                }
            }
        }
    }

    fn check_template(&mut self, id: TemplateId, template: &'m Template) {
        self.own = Some(template);
        let name = format!("template {} ({})", id.0, template.name);
        self.check_frame(&name, &template.locals);
        self.context = name.clone();
        for parameter in &template.parameters {
            self.require(parameter.base == Base::Own, "a parameter is a local");
            self.check_written(parameter);
        }
        if let Some(provided) = &template.provided {
            self.check_expr(provided);
        }
        self.require(template.initial.index() < template.locations.len(), "no such initial location");
        for (index, location) in template.locations.iter().enumerate() {
            self.context = format!("{name}, location {index}");
            for edge in location.groups.iter().flatten() {
                self.require(edge.index() < template.edges.len(), "no such edge");
                let chooses = template.edges.get(edge.index()).is_some_and(|edge| chooses(&edge.effect));
                self.require(
                    !(location.deterministic && chooses),
                    "a deterministic location does not choose",
                );
            }
        }
        for (index, edge) in template.edges.iter().enumerate() {
            self.context = format!("{name}, edge {index}");
            self.require(edge.target.index() < template.locations.len(), "no such target");
            self.check_edge(edge);
        }
    }

    fn check_edge(&mut self, edge: &Edge) {
        if let Guard::When(condition) = &edge.guard {
            self.check_expr(condition);
        }
        match &edge.sync {
            None => {}
            Some(Sync::Send { channel, fields, .. }) => {
                self.check_expr(channel);
                fields.iter().for_each(|field| self.check_expr(field));
            }
            Some(Sync::Receive { channel, patterns, .. }) => {
                self.check_expr(channel);
                self.check_patterns(patterns);
            }
        }
        self.require(
            !chooses(&edge.effect) || edge.sync.is_none(),
            "an edge that chooses exchanges no message",
        );
        for (index, action) in edge.effect.iter().enumerate() {
            if *action == Action::End {
                self.require(index + 1 == edge.effect.len(), "nothing happens after the end of a process");
                self.require(edge.guard == Guard::Youngest, "only the youngest process may end");
            }
            self.check_action(action);
        }
    }

    fn check_action(&mut self, action: &Action) {
        match action {
            Action::Assign(place, value) => {
                self.check_written(place);
                self.check_expr(value);
            }
            Action::Choose { place, least, most } => {
                self.check_written(place);
                self.require(least <= most, "a choice has a value");
                let (fits, ty) = (|value: i64| place.ty.truncate(value) == value, place.ty);
                self.require(fits(*least) && fits(*most), "what is chosen fits its place");
                self.check_scalar(ty);
            }
            Action::Create { template, arguments, priority } => {
                self.check_creation(*template, arguments, *priority);
            }
            Action::Require(condition) | Action::Assert(condition) => self.check_expr(condition),
            Action::SetPriority { process, priority } => {
                self.require(self.model.uses_priorities, "the model does not say that it uses priorities");
                self.check_expr(process);
                self.check_expr(priority);
            }
            Action::Print(parts) => {
                for part in parts {
                    if let PrintPart::Value(value, form) = part {
                        self.check_expr(value);
                        let exists = !matches!(form, PrintForm::Name(id) if id.index() >= self.model.enumerations.len());
                        self.require(exists, "no such enumeration");
                    }
                }
            }
            Action::End => {}
        }
    }

    fn check_creation(&mut self, template: TemplateId, arguments: &[Expr], priority: u8) {
        arguments.iter().for_each(|argument| self.check_expr(argument));
        self.require(priority > 0, "priorities start at 1");
        match self.model.templates.get(template.index()) {
            None => self.problem("no such template"),
            Some(template) => {
                self.require(template.role == TemplateRole::Process, "only processes are created");
                self.require(template.parameters.len() == arguments.len(), "one argument for each parameter");
            }
        }
    }

    fn check_question(&mut self, question: &Question) {
        match question {
            Question::Deadlock
            | Question::Assertion
            | Question::RuntimeError
            | Question::NonProgress
            | Question::Acceptance => {}
            Question::Invariant(expr) | Question::Reach(expr) => self.check_expr(expr),
            Question::Ltl(formula) => self.check_formula(formula),
            Question::Ctl(ctl) => ctl.propositions.iter().for_each(|expr| self.check_expr(expr)),
            Question::Psl(psl) => psl.propositions.iter().for_each(|expr| self.check_expr(expr)),
            Question::Automaton(asked) => asked.propositions.iter().for_each(|expr| self.check_expr(expr)),
            Question::Claim(template) | Question::EventTrace(template) => {
                self.require(template.index() < self.model.templates.len(), "no such template");
            }
        }
    }

    fn check_formula(&mut self, formula: &Formula) {
        match formula {
            Formula::State(expr) => self.check_expr(expr),
            Formula::Not(inner) | Formula::Next(inner) => self.check_formula(inner),
            Formula::Always(inner) | Formula::Eventually(inner) => self.check_formula(inner),
            Formula::And(left, right)
            | Formula::Or(left, right)
            | Formula::Implies(left, right)
            | Formula::Equivalent(left, right)
            | Formula::Until(left, right)
            | Formula::WeakUntil(left, right)
            | Formula::Release(left, right) => {
                self.check_formula(left);
                self.check_formula(right);
            }
        }
    }

    fn check_patterns(&mut self, patterns: &[Pattern]) {
        for pattern in patterns {
            match pattern {
                Pattern::Match(expr) => self.check_expr(expr),
                Pattern::Bind(place) => self.check_written(place),
            }
        }
    }

    fn check_written(&mut self, place: &Place) {
        // Nobody does what is done at the start, so it may write what is anybody's.
        let is_allowed = self.is_start || !matches!(place.base, Base::Other { .. });
        self.require(is_allowed, "a process does not write locals of another");
        self.check_place(place);
    }

    fn check_place(&mut self, place: &Place) {
        self.check_scalar(place.ty);
        let size = match &place.base {
            Base::Global => Some(self.model.globals.size),
            Base::Own => {
                self.require(self.own.is_some(), "no process, no locals");
                self.own.map(|own| own.locals.size)
            }
            Base::Other { template, process } => {
                if let Some(process) = process {
                    self.check_expr(process);
                }
                let template = self.model.templates.get(template.index());
                self.require(template.is_some(), "no such template");
                template.map(|template| template.locals.size)
            }
            Base::Temporary => {
                self.require(place.indices.is_empty(), "temporaries have no indices");
                None
            }
            Base::Discard => None,
        };
        let mut end = u64::from(place.offset) + u64::from(place.ty.size());
        for index in &place.indices {
            self.require(index.length > 0, "an array has at least one element");
            end += u64::from(index.length.saturating_sub(1)) * u64::from(index.stride);
            self.check_expr(&index.value);
        }
        self.require(size.is_none_or(|size| end <= u64::from(size)), "a place leaves its frame");
    }

    fn check_expr(&mut self, expr: &Expr) {
        match expr {
            Expr::Const(value) => {
                let fits = i32::try_from(*value).is_ok() || u32::try_from(*value).is_ok();
                self.require(fits, "a constant has at most 32 bits");
            }
            Expr::Load(place) => self.check_place(place),
            Expr::Unary(_, operand) | Expr::Channel(_, operand) => self.check_expr(operand),
            Expr::Binary(_, left, right) => {
                self.check_expr(left);
                self.check_expr(right);
            }
            Expr::Conditional(condition, then, otherwise) => {
                self.check_expr(condition);
                self.check_expr(then);
                self.check_expr(otherwise);
            }
            Expr::Poll { channel, patterns, .. } => {
                self.check_expr(channel);
                self.check_patterns(patterns);
            }
            Expr::Enabled(process) | Expr::LocationOf(process) | Expr::Priority(process) => {
                self.check_expr(process);
            }
            Expr::AtLocation { template, process, location } => {
                if let Some(process) = process {
                    self.check_expr(process);
                }
                let template = self.model.templates.get(template.index());
                let exists = template.is_some_and(|template| location.index() < template.locations.len());
                self.require(exists, "no such template or location");
            }
            Expr::LastProcess => {
                self.require(self.model.uses_last, "the model does not say that it uses the last process");
            }
            Expr::Timeout => {
                self.require(self.model.uses_timeout, "the model does not say that it uses timeouts");
            }
            Expr::OwnProcess
            | Expr::ProcessCount
            | Expr::Created
            | Expr::NonProgress
            | Expr::SomeAccepting => {}
        }
    }
}
