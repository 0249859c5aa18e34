//! Processes: instances, variables, states, signalroutes.

use std::collections::BTreeMap;

use fathom_model::{
    Action, Base, ChannelTypeId, Expr, Frame, Guard, Initializer, Location, LocationId, Place, ScalarType,
    Start, Template, TemplateId, TemplateRole, Type, VariableRole, Which,
};
use fathom_source::{SourceMap, Span};

use super::body::Text;
use super::scope::{Clock, Symbol};
use super::types::Ty;
use super::{Lowering, Order, Route};
use crate::syntax::{
    Item, Name, Parameter, Passing, Process, RouteDecl, State, Statement, StatementKind, System, Terminator,
    Transition,
};

/// Most declarations of processes.
const MOST_PROCESSES: usize = 200;

/// Where the queue of a process is, or its bag.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Queue {
    /// Nobody sends to it.
    None,
    /// The only instance has it in the globals.
    Global(u32),
    /// Each instance has its own.
    Local(u32),
}

/// What is known about a process before its body is lowered.
#[derive(Clone, Debug)]
pub(crate) struct ProcessInfo {
    pub(crate) name: String,
    /// Number of its first instance, and instances at the start.
    pub(crate) first: u32,
    pub(crate) count: u32,
    pub(crate) is_forked: bool,
    pub(crate) parameters: Vec<Ty>,
    /// Signals in the order in which they came, if any come so.
    pub(crate) queue: Queue,
    /// Signals of routes without order, if there are any.
    pub(crate) bag: Queue,
    /// Where ended instances rest.
    pub(crate) stopped: Option<LocationId>,
    /// The locations of each state: its own, or those of its substates. The first is where it is entered.
    pub(crate) states: BTreeMap<String, Vec<LocationId>>,
}

impl ProcessInfo {
    /// Where signals wait that are taken in an order.
    pub(crate) fn waiting(&self, order: Order) -> Queue {
        match order {
            Order::Sent => self.queue,
            Order::Any => self.bag,
        }
    }
}

/// A state without substates, with what it has from the states around it.
struct Leaf<'s> {
    name: &'s Name,
    is_unstable: bool,
    transitions: Vec<&'s Transition>,
    time_progress: Vec<&'s crate::syntax::Expr>,
    save: Vec<&'s Name>,
}

fn processes(system: &System) -> impl Iterator<Item = &Process> {
    system
        .items
        .iter()
        .filter_map(|item| if let Item::Process(process) = item { Some(process) } else { None })
}

fn states(process: &Process) -> impl Iterator<Item = &State> {
    process.items.iter().filter_map(|item| if let Item::State(state) = item { Some(state) } else { None })
}

fn has_mark(state: &State, mark: &str) -> bool {
    state.marks.iter().any(|name| name.text == mark)
}

fn any_transition(states: &[&State], is_meant: &mut dyn FnMut(&Transition) -> bool) -> bool {
    states.iter().any(|state| {
        state.transitions.iter().any(&mut *is_meant)
            || any_transition(&state.states.iter().collect::<Vec<_>>(), is_meant)
    })
}

fn any_statement(statements: &[Statement], is_meant: &mut dyn FnMut(&StatementKind) -> bool) -> bool {
    statements.iter().any(|statement| {
        is_meant(&statement.kind)
            || match &statement.kind {
                StatementKind::If { then, otherwise, .. } => {
                    any_statement(then, is_meant) || any_statement(otherwise, is_meant)
                }
                StatementKind::While { body, .. } => any_statement(body, is_meant),
                _ => false,
            }
    })
}

/// Whether a statement like this is anywhere in the system, procedures included.
fn anywhere(system: &System, is_meant: &mut dyn FnMut(&StatementKind) -> bool) -> bool {
    let procedure = |item: &Item, is_meant: &mut dyn FnMut(&StatementKind) -> bool| match item {
        Item::Procedure(procedure) => any_statement(&procedure.body, is_meant),
        _ => false,
    };
    system.items.iter().any(|item| match item {
        Item::Process(process) => {
            process.items.iter().any(|item| procedure(item, is_meant))
                || any_transition(&states(process).collect::<Vec<_>>(), &mut |transition| {
                    any_statement(&transition.body, is_meant)
                })
        }
        item => procedure(item, is_meant),
    })
}

impl Lowering {
    /// Names of processes, their instances and their states.
    pub(super) fn declare_processes(&mut self, system: &System) {
        let kills = anywhere(system, &mut |kind| matches!(kind, StatementKind::Kill(_)));
        let mut first = 0;
        for process in processes(system) {
            let name = &process.name;
            let count = self.constant(&process.count).unwrap_or(0);
            if !(0..=10_000).contains(&count) {
                self.error(
                    "if::instances",
                    format!("{count} instances of `{}`", name.text),
                    process.count.span,
                );
            }
            let count = count.clamp(0, 10_000) as u32;
            let is_forked = anywhere(
                system,
                &mut |kind| matches!(kind, StatementKind::Fork { process, .. } if process.text == name.text),
            );
            let mut locations: u32 = 0;
            let mut names = BTreeMap::new();
            for state in states(process) {
                self.number_states(state, &mut locations, &mut names);
            }
            let stops = any_transition(&states(process).collect::<Vec<_>>(), &mut |transition| {
                matches!(transition.terminator, Terminator::Stop(_))
            });
            let stopped = (stops || kills).then_some(LocationId(locations));
            self.declare(name, Symbol::Process(self.processes.len()));
            self.processes.push(ProcessInfo {
                name: name.text.clone(),
                first,
                count,
                is_forked,
                parameters: Vec::new(),
                queue: Queue::None,
                bag: Queue::None,
                stopped,
                states: names,
            });
            first += count;
        }
        if self.processes.len() > MOST_PROCESSES {
            let message = format!("more than {MOST_PROCESSES} processes are declared");
            self.diagnostics.push(fathom_source::Diagnostic::error("if::instances", message));
        }
        if first == 0 {
            let error = fathom_source::Diagnostic::error("if::no-process", "the system starts no process");
            self.diagnostics.push(error.help("say how many there are at the start: `process p(1);`"));
        }
        self.options.processes = self.options.processes.max(first + 2);
        if kills {
            self.killed = Some(self.add_global("killed", &Ty::Bool, self.options.processes, None));
        }
    }

    fn number_states(
        &mut self,
        state: &State,
        next: &mut u32,
        names: &mut BTreeMap<String, Vec<LocationId>>,
    ) -> Vec<LocationId> {
        let mut own = Vec::new();
        if state.states.is_empty() {
            own.push(LocationId(*next));
            *next += 1;
        }
        let mut has_start = false;
        for inner in &state.states {
            if has_mark(inner, "start") && std::mem::replace(&mut has_start, true) {
                let message = format!("a second state in `{}` is marked `#start`", state.name.text);
                self.error("if::two-start-states", message, inner.name.span);
            }
            let inner_locations = self.number_states(inner, next, names);
            if has_mark(inner, "start") {
                own.splice(0..0, inner_locations);
            } else {
                own.extend(inner_locations);
            }
        }
        if names.insert(state.name.text.clone(), own.clone()).is_some() {
            self.error("if::duplicate", format!("a second state `{}`", state.name.text), state.name.span);
        }
        for mark in &state.marks {
            if !["start", "stable", "unstable"].contains(&mark.text.as_str()) {
                self.error("if::unknown-mark", format!("a state has no mark `#{}`", mark.text), mark.span);
            }
        }
        own
    }

    /// The number of the first instance of a process, and how many there are at the start.
    pub(super) fn instances(&self, process: usize) -> (u32, u32) {
        let info = &self.processes[process];
        (info.first, info.count)
    }

    pub(super) fn declare_route(&mut self, route: &RouteDecl) {
        let (from, to) = (self.end_of_route(&route.from), self.end_of_route(&route.to));
        let mut signals = Vec::new();
        for name in &route.signals {
            match self.scopes.find(&name.text) {
                Some(Symbol::Signal(signal)) => signals.push(*signal),
                _ => self.unknown("signal", name),
            }
        }
        let count = self.constant(&route.count).unwrap_or(1).clamp(0, 10_000) as u32;
        let (mut lossy, mut multicast, mut order) = (false, false, Order::Sent);
        let mut bound = None;
        for [one, other] in
            [["fifo", "multiset"], ["reliable", "lossy"], ["unicast", "multicast"], ["peer", "multicast"]]
        {
            let find = |text: &str| route.options.iter().find(|(option, _)| option.text == text);
            if let (Some(_), Some((option, _))) = (find(one), find(other)) {
                let message = format!("a signalroute is `#{one}` or `#{other}`, not both");
                self.error("if::contradicting-marks", message, option.span);
            }
        }
        for (option, bounds) in &route.options {
            let bounds: Vec<Option<i64>> = bounds.iter().map(|bound| self.constant(bound)).collect();
            let n_wanted = match option.text.as_str() {
                "delay" | "rate" => 2,
                "bounded" => 1,
                _ => 0,
            };
            if bounds.len() != n_wanted {
                let message = format!("`#{}` has {n_wanted} bounds, not {}", option.text, bounds.len());
                let error = fathom_source::Diagnostic::error("if::bounds", message).at(option.span, "");
                self.diagnostics.push(error.help("`#bounded[n]` says how many signals may wait"));
                continue;
            }
            match option.text.as_str() {
                "bounded" => match bounds[0] {
                    Some(most @ 1..=1000) => bound = Some(most as u32),
                    Some(_) => self.error("if::bounds", "a bound is a number from 1 to 1000", option.span),
                    None => {}
                },
                "fifo" | "reliable" | "peer" | "unicast" | "urgent" => {}
                "lossy" => lossy = true,
                "multicast" => multicast = true,
                "delay" if bounds.iter().all(|bound| *bound == Some(0)) => {}
                "multiset" => order = Order::Any,
                "delay" => self.unsupported("if::unsupported-delay", "routes with delay", option.span),
                "rate" => self.unsupported("if::unsupported-rate", "routes with a rate", option.span),
                _ => {
                    let message = format!("a signalroute has no option `#{}`", option.text);
                    self.error("if::unknown-mark", message, option.span);
                }
            }
        }
        self.declare(&route.name, Symbol::Route(self.routes.len()));
        let (Some(from), Some(to)) = (from, to) else { return };
        let name = route.name.text.clone();
        self.routes.push(Route { name, from, to, signals, lossy, multicast, order, bound, count });
    }

    /// The inner option is none for the environment.
    fn end_of_route(&mut self, name: &Name) -> Option<Option<usize>> {
        if name.text == "env" {
            return Some(None);
        }
        match self.scopes.find(&name.text) {
            Some(Symbol::Process(process)) => Some(Some(*process)),
            _ => {
                self.unknown("process", name);
                None
            }
        }
    }

    /// A queue for every process that can be sent to, and a bag for every one to which a route without order leads.
    pub(super) fn declare_queues(&mut self, system: &System) {
        let direct = anywhere(system, &mut |kind| matches!(kind, StatementKind::Output { to: Some(_), .. }));
        let mut wants = Vec::new();
        for (index, process) in processes(system).enumerate() {
            let inputs = any_transition(&states(process).collect::<Vec<_>>(), &mut |transition| {
                transition.input.is_some()
            });
            let is_reached = |order: Order| {
                self.routes.iter().any(|route| route.to == Some(index) && route.order == order)
            };
            let bag = is_reached(Order::Any);
            wants.push((direct || inputs && !bag || is_reached(Order::Sent), bag));
        }
        if !wants.iter().any(|(queue, bag)| *queue || *bag) || self.signals.is_empty() {
            return;
        }
        self.queue_type();
        for (index, (queue, bag)) in wants.into_iter().enumerate() {
            if queue {
                self.processes[index].queue = self.declare_queue(index, "queue");
            }
            if bag {
                self.processes[index].bag = self.declare_queue(index, "bag");
            }
        }
    }

    /// A place for signals. The only instance of a process has it in the globals; for others it is fixed when the variables of the process are.
    fn declare_queue(&mut self, process: usize, name: &str) -> Queue {
        let info = &self.processes[process];
        if info.count != 1 || info.is_forked {
            return Queue::Local(0);
        }
        let name = format!("{name}_{}", info.name);
        let mut frame = std::mem::take(&mut self.model.globals);
        let offset = self.add_queue(&mut frame, &name, Base::Global);
        self.model.globals = frame;
        Queue::Global(offset)
    }

    fn add_queue(&mut self, frame: &mut Frame, name: &str, base: Base) -> u32 {
        let ty = Type::Scalar(ScalarType::CHANNEL);
        let offset = self.add_to_frame(frame, name, ty, VariableRole::Plain, None);
        let place = Place::fixed(base, offset, ScalarType::CHANNEL);
        // All queues have the same type.
        let channel_type = ChannelTypeId(0);
        frame.initializers.push(Initializer::Channel { place, channel_type });
        offset
    }

    /// Variables of processes, so that processes can speak about each other.
    pub(super) fn declare_locals(&mut self, system: &System) {
        for (index, process) in processes(system).enumerate() {
            self.scopes.enter();
            self.current = index;
            self.locals = Frame::default();
            for item in &process.items {
                match item {
                    Item::Type(declaration) => self.declare_type(declaration),
                    Item::Const(declaration) => self.declare_constant(declaration),
                    Item::Procedure(procedure) => self.declare_procedure(procedure),
                    _ => {}
                }
            }
            let mut places = Vec::new();
            for parameter in &process.parameters {
                places.extend(self.declare_parameter(index, parameter));
            }
            for item in &process.items {
                if let Item::Var(variable) = item {
                    let ty = self.named_type(&variable.ty);
                    let offset = self.declare_local(&variable.name, ty.clone(), VariableRole::Plain);
                    self.declared.push((Some(index), offset, ty));
                }
            }
            let mut frame = std::mem::take(&mut self.locals);
            if let Queue::Local(_) = self.processes[index].queue {
                self.processes[index].queue = Queue::Local(self.add_queue(&mut frame, "queue", Base::Own));
            }
            if let Queue::Local(_) = self.processes[index].bag {
                self.processes[index].bag = Queue::Local(self.add_queue(&mut frame, "bag", Base::Own));
            }
            self.locals = frame;
            let level = self.scopes.leave();
            self.locals_of.push(level);
            self.model.templates.push(Template {
                name: process.name.text.clone(),
                role: TemplateRole::Process,
                locals: std::mem::take(&mut self.locals),
                parameters: places,
                locations: Vec::new(),
                edges: Vec::new(),
                initial: LocationId(0),
                provided: None,
                span: Some(process.name.span),
            });
        }
    }

    fn declare_parameter(&mut self, process: usize, parameter: &Parameter) -> Vec<Place> {
        if parameter.passing != Passing::In {
            self.error("if::parameter", "parameters of processes are `in`", parameter.name.span);
        }
        let ty = self.named_type(&parameter.ty);
        if ty == Ty::Clock {
            self.unsupported("if::unsupported-clock", "clocks as parameters", parameter.name.span);
            return Vec::new();
        }
        let offset = self.declare_local(&parameter.name, ty.clone(), VariableRole::Parameter);
        self.processes[process].parameters.push(ty.clone());
        self.scalars(&ty)
            .iter()
            .map(|(inner, ty)| Place::fixed(Base::Own, offset + inner, ty.scalar()))
            .collect()
    }

    /// Adds a variable to the process at hand.
    pub(super) fn declare_local(&mut self, name: &Name, ty: Ty, role: VariableRole) -> u32 {
        if ty == Ty::Clock {
            let info = &self.processes[self.current];
            // A process that is forked may have any number.
            let (first, count) = match info.is_forked {
                true => (0, self.options.processes),
                false => (info.first, info.count),
            };
            let global = format!("{}_{}", info.name, name.text);
            let offset = self.add_global(&global, &Ty::Clock, count.max(1), Some(name.span));
            self.declare(name, Symbol::Clock(self.clocks.len()));
            let name = format!("{}.{}", self.processes[self.current].name, name.text);
            let process = Some(self.current);
            self.clocks.push(Clock { name, offset, process, instances: Some((first, count.max(1))) });
            return 0;
        }
        let mut frame = std::mem::take(&mut self.locals);
        let stored = self.stored(&ty);
        let offset = self.add_to_frame(&mut frame, &name.text, stored, role, Some(name.span));
        if role != VariableRole::Parameter {
            self.first_values(&mut frame, Base::Own, offset, &ty);
        }
        self.locals = frame;
        self.declare(name, Symbol::Variable { base: Base::Own, offset, ty });
        offset
    }

    /// Automata of all processes, and the instances at the start.
    pub(super) fn process_bodies(&mut self, system: &System, sources: &SourceMap) {
        for (index, process) in processes(system).enumerate() {
            self.current = index;
            self.locals = std::mem::take(&mut self.model.templates[index].locals);
            self.scopes.enter_again(self.locals_of[index].clone());
            self.locations = Vec::new();
            self.edges = Vec::new();
            self.procedure_scopes = BTreeMap::new();
            let initial = self.automaton(process, sources);
            self.scopes.leave();
            let template = &mut self.model.templates[index];
            template.locals = std::mem::take(&mut self.locals);
            template.locations = std::mem::take(&mut self.locations);
            template.edges = std::mem::take(&mut self.edges);
            template.initial = initial;
            let scalars = self.processes[index].parameters.clone();
            let values = scalars.iter().flat_map(|ty| self.scalars(ty));
            let arguments: Vec<Expr> = values.map(|(_, ty)| Expr::Const(ty.default_value())).collect();
            for _ in 0..self.processes[index].count {
                let arguments = arguments.clone();
                self.model.start.push(Start { template: TemplateId::from(index), arguments, priority: 1 });
            }
        }
    }

    /// Locations and edges of the process at hand; where it starts comes back.
    fn automaton(&mut self, process: &Process, sources: &SourceMap) -> LocationId {
        let mut leaves = Vec::new();
        for state in states(process) {
            collect(state, &Around::default(), &mut leaves);
        }
        for leaf in &leaves {
            self.add_location(Some(leaf.name.text.clone()), Some(leaf.name.span));
        }
        if self.processes[self.current].stopped.is_some() {
            let stopped = self.add_location(Some("stopped".to_owned()), None);
            self.locations[stopped.index()].end = true;
        }
        let unstable: Vec<bool> = leaves.iter().map(|leaf| leaf.is_unstable).collect();
        let text = Text { sources, unstable: &unstable };
        for (number, leaf) in leaves.iter().enumerate() {
            let from = LocationId::from(number);
            self.end_when_killed(from);
            self.taken = self.taken_in(leaf);
            for transition in &leaf.transitions {
                self.transition(from, transition, &text);
            }
            let discarded = self.discards(from, leaf);
            self.note_time(from, leaf.transitions.as_slice(), &leaf.time_progress, &discarded);
        }
        let mut starts = states(process).filter(|state| has_mark(state, "start"));
        let start = starts.next();
        if let Some(second) = starts.next() {
            let message = format!("a second state of `{}` is marked `#start`", process.name.text);
            self.error("if::two-start-states", message, second.name.span);
        }
        let Some(start) = start else {
            let message = format!("`{}` has no state marked `#start`", process.name.text);
            self.error("if::no-start-state", message, process.name.span);
            return LocationId(0);
        };
        let start =
            self.processes[self.current].states[&start.name.text].first().copied().unwrap_or(LocationId(0));
        match leaves.get(start.index()) {
            Some(leaf) if leaf.transitions.len() == 1 => self.fold_start(start, &unstable),
            _ => start,
        }
    }

    pub(super) fn add_location(&mut self, label: Option<String>, span: Option<Span>) -> LocationId {
        let labels = label.into_iter().collect();
        self.locations.push(Location { labels, groups: vec![Vec::new()], span, ..Location::default() });
        LocationId::from(self.locations.len() - 1)
    }

    /// A start transition that only assigns to variables of its process is part of the initial state (da Costa 2005: the initial states are those
    /// after all start transitions).
    fn fold_start(&mut self, start: LocationId, unstable: &[bool]) -> LocationId {
        // After the only transition there may be edges that throw signals away, for which there is no time.
        let first = self.locations[start.index()].groups.last().and_then(|group| group.first());
        let Some(edge) = first.map(|edge| self.edges[edge.index()].clone()) else { return start };
        let folds = edge.guard == Guard::Always
            && edge.sync.is_none()
            && edge.target != start
            && edge.target.index() < unstable.len()
            && !unstable[edge.target.index()];
        let mut initializers = Vec::new();
        for action in &edge.effect {
            match action {
                Action::Assign(place, value)
                    if place.base == Base::Own && place.indices.is_empty() && is_own(value) =>
                {
                    initializers.push(Initializer::Value { place: place.clone(), value: value.clone() });
                }
                _ => return start,
            }
        }
        if !folds {
            return start;
        }
        for initializer in &initializers {
            if let Initializer::Value { place, .. } = initializer {
                self.folded.insert((self.current, place.offset));
            }
        }
        self.locals.initializers.extend(initializers);
        edge.target
    }

    /// Which signal of its queue a state takes: the first that it does not save.
    fn taken_in(&mut self, leaf: &Leaf<'_>) -> Which {
        let mut saved = 0;
        for name in &leaf.save {
            match self.signal(name) {
                Some(signal) if signal < 64 => saved |= 1 << signal,
                Some(_) => {
                    let what = "saved signals that are not among the first 64";
                    self.unsupported("if::unsupported-save", what, name.span);
                }
                None => {}
            }
        }
        let is_taken = |name: &&Name| {
            let mut inputs = leaf.transitions.iter().filter_map(|transition| transition.input.as_ref());
            inputs.any(|input| input.signal.text == name.text)
        };
        if let Some(name) = leaf.save.iter().copied().find(is_taken) {
            self.error("if::save", format!("`{}` is both saved and taken", name.text), name.span);
        }
        if leaf.save.is_empty() { Which::Front } else { Which::Beside(saved) }
    }

    /// Edges that throw signals away; which ones comes back.
    fn discards(&mut self, from: LocationId, leaf: &Leaf<'_>) -> Vec<usize> {
        let mut discarded = Vec::new();
        if !self.options.discard || leaf.is_unstable {
            return discarded;
        }
        let taken: Vec<&str> = leaf
            .transitions
            .iter()
            .filter_map(|transition| transition.input.as_ref())
            .map(|input| input.signal.text.as_str())
            .collect();
        for signal in 0..self.signals.len() {
            let name = self.signals[signal].name.as_str();
            if !taken.contains(&name) && !leaf.save.iter().any(|saved| saved.text == name) {
                self.discard(from, signal, leaf.name.span);
                discarded.push(signal);
            }
        }
        discarded
    }
}

/// Whether an expression reads only the process itself.
fn is_own(expr: &Expr) -> bool {
    match expr {
        Expr::Const(_) | Expr::OwnProcess => true,
        Expr::Load(place) => place.base == Base::Own && place.indices.is_empty(),
        Expr::Unary(_, operand) => is_own(operand),
        Expr::Binary(op, left, right) => {
            !matches!(op, fathom_model::BinaryOp::Divide | fathom_model::BinaryOp::Remainder)
                && is_own(left)
                && is_own(right)
        }
        Expr::Conditional(condition, then, otherwise) => {
            is_own(condition) && is_own(then) && is_own(otherwise)
        }
        _ => false,
    }
}

/// What substates have from the states around them.
#[derive(Clone, Default)]
struct Around<'s> {
    transitions: Vec<&'s Transition>,
    time_progress: Vec<&'s crate::syntax::Expr>,
    save: Vec<&'s Name>,
}

fn collect<'s>(state: &'s State, around: &Around<'s>, leaves: &mut Vec<Leaf<'s>>) {
    let mut inside = around.clone();
    inside.transitions.extend(&state.transitions);
    inside.time_progress.extend(&state.time_progress);
    inside.save.extend(&state.save);
    if state.states.is_empty() {
        let is_unstable = has_mark(state, "unstable");
        let Around { transitions, time_progress, save } = inside;
        leaves.push(Leaf { name: &state.name, is_unstable, transitions, time_progress, save });
        return;
    }
    for inner in &state.states {
        collect(inner, &inside, leaves);
    }
}
