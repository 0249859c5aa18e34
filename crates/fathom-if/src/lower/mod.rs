//! From a syntax tree to a model.
//!
//! The choices where IF, its sources and a finite model leave room are written down in the manual (`docs/if.md`). In short: a process is a template, a
//! control state without substates a location, a transition a chain of atomic edges, a queue a channel of the process that reads it.
//! Transitions of an enclosing state leave all its substates.
//!
//! Order: first everything that has a name, then the bodies, then the environment and time, which look at all processes.

mod body;
mod endless;
mod environment;
mod expr;
#[cfg(test)]
mod network_tests;
mod output;
mod process;
mod scope;
mod statement;
#[cfg(test)]
mod tests;
mod time;
mod types;
mod unassigned;

use std::collections::{BTreeMap, BTreeSet, HashSet};

use fathom_model::{
    Base, ChannelType, ChannelTypeId, Edge, Enumeration, EnumerationId, Expr, Frame, Initializer, Location,
    Model, Place, Property, Question, ScalarKind, ScalarType, Variable, VariableRole, Which,
};
use fathom_source::{Diagnostic, SourceMap, Span, has_errors};
use fathom_timed::extremum::Measured;
use fathom_timed::{Conjunct, Guard, Network};

use crate::options::{Options, Overflow};
use crate::syntax::{ConstDecl, Item, Procedure, System};
use crate::timed::{Conversion, convert};
use process::{ProcessInfo, Queue};
use scope::{Clock, Scopes, Signal, Symbol, wider};
use types::{Field, Ty};

pub use time::has_clocks;
pub(crate) use time::{ClockAt, TimeNote, Why};
pub(crate) use types::NIL;

/// Most bytes of a frame or a queue.
const LARGEST: u64 = 1 << 22;

/// What a model came of, for expressions about it.
#[derive(Clone, Debug)]
pub struct Names {
    lowering: Lowering,
}

/// Lowers a system without clocks. The model is there only when no error was found.
pub fn lower_system(
    system: &System,
    name: &str,
    sources: &SourceMap,
    options: Options,
) -> (Option<(Model, Names)>, Vec<Diagnostic>) {
    let mut lowering = Lowering::new(name, options);
    lowering.system(system, sources);
    let mut diagnostics = said_once(std::mem::take(&mut lowering.diagnostics));
    if has_clocks(system) {
        let message = "a system with clocks is a network of timed automata, not a model of discrete steps";
        diagnostics.push(Diagnostic::error("if::clocks", message));
    }
    if has_errors(&diagnostics) {
        return (None, diagnostics);
    }
    let model = lowering.model.clone();
    debug_assert_eq!(fathom_model::validate(&model), Ok(()));
    (Some((model, Names { lowering })), diagnostics)
}

/// Lowers a system with clocks, which are real numbers, to a network of timed automata. The network is there only when no error was found.
pub fn lower_timed(
    system: &System,
    name: &str,
    sources: &SourceMap,
    options: Options,
) -> (Option<TimedSystem>, Vec<Diagnostic>) {
    let mut lowering = Lowering::new(name, options);
    lowering.system(system, sources);
    let mut diagnostics = said_once(std::mem::take(&mut lowering.diagnostics));
    if has_errors(&diagnostics) {
        return (None, diagnostics);
    }
    let most_processes = lowering.options.processes;
    let conversion = convert(&lowering.model, &lowering.clocks_at(), &lowering.time_notes, most_processes);
    diagnostics.extend(said_once(conversion.diagnostics.clone()));
    if has_errors(&diagnostics) {
        return (None, diagnostics);
    }
    (Some(TimedSystem { names: Names { lowering }, conversion }), diagnostics)
}

/// Leaves out what was said before: a transition of a state with substates is lowered for each of them, and a process for each instance.
fn said_once(diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut known = HashSet::new();
    let key =
        |one: &Diagnostic| (one.code, one.primary.as_ref().map(|label| label.span), one.message.clone());
    diagnostics.into_iter().filter(|one| known.insert(key(one))).collect()
}

/// A system whose clocks are real numbers.
#[derive(Clone, Debug)]
pub struct TimedSystem {
    names: Names,
    conversion: Conversion,
}

impl TimedSystem {
    /// The network.
    pub fn network(&self) -> &Network {
        &self.conversion.network
    }

    /// The alternatives under which an expression about one state is true, or false.
    ///
    /// # Errors
    ///
    /// What is wrong with the expression.
    pub fn conjuncts(
        &self,
        expr: &crate::syntax::Expr,
        is_wanted: bool,
    ) -> Result<Vec<Conjunct>, Vec<Diagnostic>> {
        let clauses = self.converted(expr, |conversion, lowered| conversion.clauses(lowered, is_wanted))?;
        let conjunct = |Guard { conditions, clocks }| Conjunct { conditions, clocks, is_stuck: None };
        Ok(clauses.into_iter().map(conjunct).collect())
    }

    /// States in the middle of a transition that goes on, if there are any: they are not states of the system.
    pub fn middle(&self) -> Option<Conjunct> {
        let condition = self.conversion.inside.clone()?;
        Some(Conjunct { conditions: vec![condition], ..Conjunct::default() })
    }

    /// Only what is true of states that are not in the middle of a transition that goes on.
    pub fn between(&self, mut conjuncts: Vec<Conjunct>) -> Vec<Conjunct> {
        for conjunct in &mut conjuncts {
            let is_inside = self.conversion.inside.clone();
            conjunct.conditions.extend(
                is_inside.map(|is_inside| {
                    fathom_timed::Expr::Unary(fathom_timed::UnaryOp::Not, Box::new(is_inside))
                }),
            );
        }
        conjuncts
    }

    /// What the largest or least value of an expression is asked of: a clock or an integer.
    ///
    /// # Errors
    ///
    /// What is wrong with the expression.
    pub fn measured(&self, expr: &crate::syntax::Expr) -> Result<Measured, Vec<Diagnostic>> {
        self.converted(expr, |conversion, lowered| conversion.measured(lowered))
    }

    /// An expression about one state as a proposition of a formula: without clocks.
    ///
    /// # Errors
    ///
    /// What is wrong with the expression.
    pub fn proposition(&self, expr: &crate::syntax::Expr) -> Result<fathom_timed::Expr, Vec<Diagnostic>> {
        self.converted(expr, |conversion, lowered| conversion.proposition(lowered))
    }

    fn converted<T>(
        &self,
        expr: &crate::syntax::Expr,
        convert: impl FnOnce(&mut Conversion, &Expr) -> Option<T>,
    ) -> Result<T, Vec<Diagnostic>> {
        let lowered = self.names.state_expr(expr)?;
        let mut conversion = self.conversion.clone();
        conversion.diagnostics.clear();
        conversion.span = Some(expr.span);
        let found = convert(&mut conversion, &lowered);
        found.filter(|_| conversion.diagnostics.is_empty()).ok_or(conversion.diagnostics)
    }
}

impl Names {
    /// Lowers an expression about one state: variables of the system and of processes (`p.x`, `p[1].x`, `{p}1.x`, or only `x` when one
    /// process has it), and `p@s` for a process at a state.
    ///
    /// # Errors
    ///
    /// What is wrong with the expression.
    pub fn state_expr(&self, expr: &crate::syntax::Expr) -> Result<Expr, Vec<Diagnostic>> {
        let mut lowering = self.lowering.clone();
        lowering.is_property = true;
        lowering.clocks_allowed = true;
        let value = lowering.value(expr);
        if !matches!(value.ty, Ty::Bool | Ty::Int { .. } | Ty::Clock | Ty::Broken) {
            lowering.expect(&value, &Ty::Bool, expr.span);
        }
        if lowering.diagnostics.is_empty() { Ok(value.expr) } else { Err(lowering.diagnostics) }
    }
}

/// A signalroute.
#[derive(Clone, Debug)]
pub(crate) struct Route {
    pub(crate) name: String,
    /// By number; none is the environment.
    pub(crate) from: Option<usize>,
    pub(crate) to: Option<usize>,
    pub(crate) signals: Vec<usize>,
    pub(crate) lossy: bool,
    pub(crate) multicast: bool,
    pub(crate) order: Order,
    /// Most signals that may wait where the route leads to, itself and those of other routes included, if it says so.
    pub(crate) bound: Option<u32>,
    pub(crate) count: u32,
}

/// In which order signals of a route are taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Order {
    /// That in which they were sent: they wait in the queue of the process.
    Sent,
    /// Any: they wait in its bag.
    Any,
}

/// The state of lowering.
#[derive(Clone, Debug)]
pub(crate) struct Lowering {
    pub(crate) options: Options,
    pub(crate) model: Model,
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) scopes: Scopes,
    pub(crate) record_fields: Vec<Vec<Field>>,
    pub(crate) signals: Vec<Signal>,
    pub(crate) routes: Vec<Route>,
    pub(crate) processes: Vec<ProcessInfo>,
    /// The names declared in each process.
    pub(crate) locals_of: Vec<BTreeMap<String, (Symbol, Span)>>,
    pub(crate) procedures: Vec<(Procedure, usize)>,
    pub(crate) clocks: Vec<Clock>,
    /// Whether expressions may read clocks.
    pub(crate) clocks_allowed: bool,
    /// Whether names are those of a property.
    pub(crate) is_property: bool,
    /// Which processes were told to end, when some are.
    pub(crate) killed: Option<u32>,
    /// The process at hand, its variables and its automaton.
    pub(crate) current: usize,
    pub(crate) locals: Frame,
    pub(crate) locations: Vec<Location>,
    pub(crate) edges: Vec<Edge>,
    /// Variables of procedures in the process at hand.
    pub(crate) procedure_scopes: BTreeMap<usize, BTreeMap<String, (Symbol, Span)>>,
    /// Which signal of the queue inputs of the state at hand take: some pass over saved ones.
    pub(crate) taken: Which,
    /// Procedures under way.
    pub(crate) calls: Vec<usize>,
    /// Statements of procedures written out so far.
    pub(crate) n_written_out: u32,
    /// When time stops.
    pub(crate) time_notes: Vec<TimeNote>,
    /// The variables that the text declares.
    pub(crate) declared: Vec<unassigned::Declared>,
    /// What start transitions assign that are part of the initial state, by process and first byte.
    pub(crate) folded: BTreeSet<(usize, u32)>,
}

impl Lowering {
    fn new(name: &str, options: Options) -> Lowering {
        Lowering {
            options,
            model: Model { name: name.to_owned(), ..Model::default() },
            diagnostics: Vec::new(),
            scopes: Scopes::new(),
            record_fields: Vec::new(),
            signals: Vec::new(),
            routes: Vec::new(),
            processes: Vec::new(),
            locals_of: Vec::new(),
            procedures: Vec::new(),
            clocks: Vec::new(),
            clocks_allowed: false,
            is_property: false,
            killed: None,
            current: 0,
            locals: Frame::default(),
            locations: Vec::new(),
            edges: Vec::new(),
            procedure_scopes: BTreeMap::new(),
            taken: Which::Front,
            calls: Vec::new(),
            n_written_out: 0,
            declared: Vec::new(),
            folded: BTreeSet::new(),
            time_notes: Vec::new(),
        }
    }

    fn system(&mut self, system: &System, sources: &SourceMap) {
        for item in &system.items {
            match item {
                Item::Type(declaration) => self.declare_type(declaration),
                Item::Const(declaration) => self.declare_constant(declaration),
                Item::Procedure(procedure) => self.declare_procedure(procedure),
                _ => {}
            }
        }
        self.check_given_constants(system);
        for item in &system.items {
            if let Item::Signal(signal) = item {
                let parameters = signal.parameters.iter().map(|ty| self.named_type(ty)).collect();
                self.declare(&signal.name, Symbol::Signal(self.signals.len()));
                self.signals.push(Signal { name: signal.name.text.clone(), parameters });
            }
        }
        self.declare_processes(system);
        for item in &system.items {
            match item {
                Item::Route(route) => self.declare_route(route),
                Item::Var(variable) => {
                    let ty = self.named_type(&variable.ty);
                    self.declare_global(&variable.name, ty);
                }
                _ => {}
            }
        }
        self.declare_queues(system);
        self.declare_locals(system);
        if has_errors(&self.diagnostics) {
            return;
        }
        for (name, question) in [
            ("deadlock", Question::Deadlock),
            ("assertion", Question::Assertion),
            ("runtime-error", Question::RuntimeError),
        ] {
            self.model.properties.push(Property { name: name.to_owned(), question, span: None });
        }
        self.process_bodies(system, sources);
        self.free_unassigned();
        self.check_state_size();
        self.environment();
    }

    fn declare_constant(&mut self, declaration: &ConstDecl) {
        let name = &declaration.name;
        let given = self.options.constants.iter().rev().find(|(given, _)| *given == name.text);
        let (ty, value) = match (given.map(|(_, value)| value.clone()), &declaration.value) {
            (Some(text), _) => match text.as_str() {
                "true" => (Ty::Bool, 1),
                "false" => (Ty::Bool, 0),
                _ => match text.parse::<i32>() {
                    Ok(value) => (types::INTEGER, i64::from(value)),
                    Err(_) => {
                        let message =
                            format!("`{}` is given the value `{text}`, which is not a number", name.text);
                        return self.error("if::constant", message, name.span);
                    }
                },
            },
            (None, Some(value)) => {
                let lowered = self.value(value);
                let Some(known) = lowered.known() else {
                    self.error("if::not-constant", "not a constant", value.span);
                    return self.declare(name, Symbol::Const { ty: Ty::Broken, value: 0 });
                };
                (lowered.ty, known)
            }
            (None, None) => {
                let message = format!("the constant `{}` has no value", name.text);
                let diagnostic = Diagnostic::error("if::constant", message).at(name.span, "");
                self.diagnostics.push(diagnostic.help(format!("give it one with -D {}=VALUE", name.text)));
                (Ty::Broken, 0)
            }
        };
        self.declare(name, Symbol::Const { ty, value });
    }

    /// A definition from outside that no constant takes is a slip of the pen.
    fn check_given_constants(&mut self, system: &System) {
        let is_constant = |name: &str, items: &[Item]| {
            items.iter().any(|item| matches!(item, Item::Const(constant) if constant.name.text == name))
        };
        let known = |name: &str| {
            is_constant(name, &system.items)
                || system
                    .items
                    .iter()
                    .any(|item| matches!(item, Item::Process(process) if is_constant(name, &process.items)))
        };
        let unknown: Vec<String> = self
            .options
            .constants
            .iter()
            .filter(|(name, _)| !known(name))
            .map(|(name, _)| name.clone())
            .collect();
        for name in unknown {
            self.diagnostics
                .push(Diagnostic::warning("if::constant", format!("no constant is called `{name}`")));
        }
    }

    fn declare_procedure(&mut self, procedure: &Procedure) {
        self.declare(&procedure.name, Symbol::Procedure(self.procedures.len()));
        self.procedures.push((procedure.clone(), self.scopes.depth()));
    }

    /// Adds a variable to the globals.
    fn declare_global(&mut self, name: &crate::syntax::Name, ty: Ty) {
        if ty == Ty::Clock {
            let offset = self.add_global(&name.text, &Ty::Clock, 1, Some(name.span));
            self.declare(name, Symbol::Clock(self.clocks.len()));
            return self.clocks.push(Clock {
                name: name.text.clone(),
                offset,
                process: None,
                instances: None,
            });
        }
        let offset = self.add_global(&name.text, &ty, 0, Some(name.span));
        self.declared.push((None, offset, ty.clone()));
        self.declare(name, Symbol::Variable { base: Base::Global, offset, ty });
    }

    /// Adds storage to the globals: one variable, or `count` in an array. The first byte comes back.
    pub(crate) fn add_global(&mut self, name: &str, ty: &Ty, count: u32, span: Option<Span>) -> u32 {
        let stored = self.stored(ty);
        let stored = match count {
            0 | 1 => stored,
            length => fathom_model::Type::Array { element: Box::new(stored), length, first: 0 },
        };
        let mut frame = std::mem::take(&mut self.model.globals);
        let offset = self.add_to_frame(&mut frame, name, stored, VariableRole::Plain, span);
        for element in 0..count.max(1) {
            let start = offset + element * self.size_of(ty);
            self.first_values(&mut frame, Base::Global, start, ty);
        }
        self.model.globals = frame;
        offset
    }

    pub(crate) fn add_to_frame(
        &mut self,
        frame: &mut Frame,
        name: &str,
        ty: fathom_model::Type,
        role: VariableRole,
        span: Option<Span>,
    ) -> u32 {
        let size = ty.size(&self.model);
        let offset = frame.size;
        if u64::from(offset) + u64::from(size) > LARGEST {
            let diagnostic =
                Diagnostic::error("if::state-too-large", format!("more than {LARGEST} bytes of variables"));
            self.diagnostics.push(match span {
                Some(span) => diagnostic.at(span, ""),
                None => diagnostic,
            });
            return 0;
        }
        frame.variables.push(Variable { name: name.to_owned(), ty, offset, role, span });
        frame.size += size;
        offset
    }

    /// First values that are not zero.
    pub(crate) fn first_values(&self, frame: &mut Frame, base: Base, offset: u32, ty: &Ty) {
        for (inner, scalar) in self.scalars(ty) {
            if scalar.default_value() != 0 {
                let place = Place::fixed(base.clone(), offset + inner, scalar.scalar());
                frame
                    .initializers
                    .push(Initializer::Value { place, value: Expr::Const(scalar.default_value()) });
            }
        }
    }

    /// The largest bound of a queue: that of all, or that of a route which says so.
    pub(crate) fn largest_bound(&self) -> u32 {
        let bounds = self.routes.iter().map(|route| route.bound.unwrap_or(self.options.queue));
        bounds.max().unwrap_or(0).max(self.options.queue)
    }

    /// The type of all queues: the signal, then its parameters, each column wide enough for every signal.
    fn queue_type(&mut self) -> ChannelTypeId {
        let id = EnumerationId::from(self.model.enumerations.len());
        let members =
            self.signals.iter().enumerate().map(|(number, signal)| (number as i64, signal.name.clone()));
        self.model.enumerations.push(Enumeration { name: "signal".to_owned(), members: members.collect() });
        let bits = if self.signals.len() > 256 { 16 } else { 8 };
        let mut fields = vec![ScalarType { kind: ScalarKind::Enumeration(id), bits, signed: false }];
        for signal in &self.signals {
            let scalars = signal.parameters.iter().flat_map(|ty| self.scalars(ty));
            for (column, (_, ty)) in scalars.enumerate() {
                match fields.get_mut(column + 1) {
                    Some(field) => *field = wider(*field, ty.scalar()),
                    None => fields.push(ty.scalar()),
                }
            }
        }
        // One more than the bound, so that going beyond it can be seen.
        let more = u32::from(self.options.overflow == Overflow::Error);
        let ty = ChannelType { name: "queue".to_owned(), capacity: self.largest_bound() + more, fields };
        if u64::from(ty.capacity) * u64::from(ty.message_size()) > LARGEST {
            self.diagnostics.push(Diagnostic::error("if::state-too-large", "queues of signals that large"));
        }
        self.model.channel_types.push(ty);
        ChannelTypeId::from(self.model.channel_types.len() - 1)
    }

    /// A state that is too large to be stored even a few times is refused before anything is allocated.
    fn check_state_size(&mut self) {
        let queue = self.model.channel_types.first().map_or(0, |ty| {
            u64::from(ty.capacity).saturating_mul(u64::from(ty.message_size())).saturating_add(4)
        });
        let process = |info: &ProcessInfo, locals: u32| {
            let signals = queue.saturating_mul(1 + u64::from(info.bag != Queue::None));
            u64::from(info.count).saturating_mul(u64::from(locals).saturating_add(signals).saturating_add(8))
        };
        let sizes = self.processes.iter().zip(&self.model.templates);
        let size =
            sizes.map(|(info, template)| process(info, template.locals.size)).fold(0, u64::saturating_add);
        if size > LARGEST {
            let message = format!("a state of this system has {size} bytes, more than {LARGEST}");
            self.diagnostics.push(Diagnostic::error("if::state-too-large", message));
        }
    }

    /// Columns of a message after the signal.
    pub(crate) fn n_columns(&self) -> usize {
        self.model.channel_types.first().map_or(0, |ty| ty.fields.len() - 1)
    }
}
