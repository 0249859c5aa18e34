//! Statements: from the syntax tree of a body to its control-flow graph.

mod loops;

use std::collections::HashSet;

use fathom_model::{Action, BinaryOp, ChannelTypeId, Expr, Guard, PrintPart, ScalarKind, Sync, Type};
use fathom_source::Span;

use crate::context::Context;
use crate::declare::{Declared, Home};
use crate::flow::{Basic, ChainId, Flow, GroupKind, Idle, NewLabel, Node, is_mark, skip};
use crate::print;
use crate::resolve::taken;
use crate::syntax::{self, ExprKind, MonitorKind, Sequence, Step, Stmt, StmtKind};

/// Lowers one body.
pub(crate) struct Body<'c> {
    context: &'c mut Context,
    flow: Flow,
    /// Labels of this process that expressions elsewhere ask about.
    watched: &'c HashSet<String>,
    /// Numbers of the blocks around the current statement, outermost first.
    scope: Vec<u32>,
    next_scope: u32,
    /// Still among the declarations at the start, where first values are set before the process runs.
    at_start: bool,
    in_dstep: bool,
    in_inline: bool,
    /// Set in a claim or an event trace.
    monitor: Option<MonitorKind>,
}

/// Lowers a body to its graph.
pub(crate) fn lower_body(
    context: &mut Context,
    body: &Sequence,
    closing: Span,
    watched: &HashSet<String>,
    monitor: Option<MonitorKind>,
) -> (Flow, ChainId) {
    let mut lowering = Body {
        context,
        flow: Flow::default(),
        watched,
        scope: Vec::new(),
        next_scope: 0,
        at_start: true,
        in_dstep: false,
        in_inline: false,
        monitor,
    };
    lowering.flow.open();
    lowering.sequence(body, false);
    lowering.flow.add(Node::End, Some(closing), "-end-".to_owned(), &[]);
    let chain = lowering.flow.close();
    (lowering.flow, chain)
}

impl Body<'_> {
    /// Lowers steps into the innermost open sequence. `else_first`: the first may be an `else`.
    fn sequence(&mut self, sequence: &Sequence, else_first: bool) {
        let mut first = true;
        for step in &sequence.steps {
            match step {
                Step::Declaration(declaration) => self.declaration(declaration),
                Step::Exclusive(exclusive) => self.exclusive(exclusive),
                Step::Statement(stmt) => {
                    self.statement(stmt, else_first && first);
                    first = false;
                }
            }
        }
    }

    /// `xr` and `xs` promise something to reductions; here they only have to name channels.
    fn exclusive(&mut self, exclusive: &syntax::Exclusive) {
        for variable in &exclusive.channels {
            let Some(access) = self.context.access(variable) else { continue };
            let element = match access.ty {
                Type::Array { element, .. } => *element,
                ty => ty,
            };
            if !matches!(element, Type::Scalar(ty) if ty.kind == ScalarKind::Channel) {
                let message = "a channel is expected here";
                self.context.error(
                    "promela::not-a-channel",
                    message,
                    variable.span,
                    "not declared as `chan`",
                );
            }
        }
    }

    /// Lowers a nested sequence.
    fn nested(&mut self, sequence: &Sequence, else_first: bool) -> ChainId {
        self.flow.open();
        self.at_start = false;
        self.sequence(sequence, else_first);
        self.flow.close()
    }

    /// Lowers a sequence in braces: its declarations are its own.
    fn block(&mut self, sequence: &Sequence, else_first: bool) -> ChainId {
        self.enter();
        let chain = self.nested(sequence, else_first);
        self.leave();
        chain
    }

    fn enter(&mut self) {
        self.scope.push(self.next_scope);
        self.next_scope += 1;
        self.context.scopes.enter();
    }

    fn leave(&mut self) {
        self.scope.pop();
        self.context.scopes.leave();
    }

    fn statement(&mut self, stmt: &Stmt, else_allowed: bool) {
        self.at_start = false;
        let node = self.node(stmt, else_allowed);
        let labels = self.labels(&stmt.labels);
        self.flow.add(node, Some(stmt.span), print::statement_line(stmt), &labels);
    }

    fn labels(&self, labels: &[syntax::Ident]) -> Vec<NewLabel> {
        labels
            .iter()
            .map(|label| NewLabel {
                name: label.name.clone(),
                span: label.span,
                scope: self.scope.clone(),
                needs_state: is_mark(&label.name) || self.watched.contains(&label.name),
            })
            .collect()
    }

    fn declaration(&mut self, declaration: &syntax::Declaration) {
        for declared in self.context.declare(declaration, Home::Local) {
            if self.at_start {
                let initializers = self.context.initializers(&declared);
                self.context.locals.initializers.extend(initializers);
            } else {
                self.late_declaration(&declared, declaration.span);
            }
        }
    }

    /// A declaration among statements is an assignment, even without a first value.
    fn late_declaration(&mut self, declared: &Declared, span: Span) {
        let name = &declared.name.name;
        let places = self.context.flatten(&declared.access);
        let (effect, text) = match &declared.initializer {
            Some(syntax::Initializer::Channel { span, .. }) => {
                let message = "a channel is created once, when its process starts";
                let label = "as if declared before the first statement";
                self.context.warning("promela::late-channel", message, *span, label);
                let initializers = self.context.initializers(declared);
                self.context.locals.initializers.extend(initializers);
                return;
            }
            Some(syntax::Initializer::Value(value)) => {
                let text = format!("{name} = {}", print::expression(value));
                let value = self.context.expr(value);
                let assign = |place| Action::Assign(place, value.clone());
                (places.into_iter().map(assign).collect(), text)
            }
            Some(syntax::Initializer::List(values)) => {
                let values: Vec<Expr> = values.iter().map(|value| self.context.expr(value)).collect();
                let effect = places
                    .into_iter()
                    .zip(values)
                    .map(|(place, value)| Action::Assign(place, value))
                    .collect();
                (effect, format!("{name} = {{…}}"))
            }
            None if matches!(declared.access.ty, Type::Record(_)) => (Vec::new(), format!("{name} = 0")),
            None => {
                let zero = |place| Action::Assign(place, Expr::Const(0));
                (places.into_iter().map(zero).collect(), format!("{name} = 0"))
            }
        };
        self.flow.add(Node::Basic(does(effect)), Some(span), text, &[]);
    }

    fn node(&mut self, stmt: &Stmt, else_allowed: bool) -> Node {
        match &stmt.kind {
            StmtKind::If(options) => Node::Select { options: self.options(options), exit: None },
            StmtKind::Do(options) => {
                let exit = self.flow.enter_loop();
                let options = self.options(options);
                self.flow.leave_loop();
                Node::Select { options, exit: Some(exit) }
            }
            StmtKind::ForRange { variable, low, high, body } => {
                self.for_range(variable, low, high, body, stmt.span)
            }
            StmtKind::ForIn { variable, container, body } => {
                self.for_in(variable, container, body, stmt.span)
            }
            StmtKind::Select { variable, low, high } => self.select(variable, low, high, stmt.span),
            StmtKind::Atomic(body) => {
                let chain = self.block(body, else_allowed);
                self.flow.make_atomic(chain, false, &mut self.context.diagnostics);
                Node::Group(GroupKind::Atomic, chain)
            }
            StmtKind::DStep(body) => {
                let outer = std::mem::replace(&mut self.in_dstep, true);
                let chain = self.block(body, else_allowed);
                self.in_dstep = outer;
                self.flow.make_atomic(chain, true, &mut self.context.diagnostics);
                Node::Group(GroupKind::DStep, chain)
            }
            StmtKind::Block { body, inline } => {
                let outer = self.in_inline;
                self.in_inline |= inline.is_some();
                let chain = self.block(body, else_allowed);
                self.in_inline = outer;
                Node::Group(GroupKind::Plain, chain)
            }
            StmtKind::Unless { main, escape } => self.unless(main, escape, else_allowed),
            StmtKind::Goto(label) => Node::Goto(self.flow.jump_to(&label.name, label.span, &self.scope)),
            StmtKind::Break => self.break_loop(stmt.span),
            StmtKind::Else => {
                if !else_allowed {
                    let message = "`else` that is not first in an option is always executable";
                    self.context.warning("promela::misplaced-else", message, stmt.span, "is a `::` missing?");
                }
                Node::Else
            }
            _ => Node::Basic(self.basic(stmt)),
        }
    }

    fn break_loop(&mut self, span: Span) -> Node {
        match self.flow.innermost_loop() {
            Some(exit) => Node::Goto(exit),
            None => {
                let message = "`break` outside a loop";
                self.context.error("promela::misplaced-break", message, span, "there is no loop to leave");
                Node::Basic(skip())
            }
        }
    }

    fn options(&mut self, options: &[Sequence]) -> Vec<ChainId> {
        let mut chains = Vec::new();
        let mut else_seen: Option<Span> = None;
        for option in options {
            if let Some(Step::Statement(Stmt { kind: StmtKind::Else, span, .. })) = option.steps.first() {
                if else_seen.is_some() {
                    let message = "a selection has one `else` at most";
                    self.context.error("promela::duplicate-else", message, *span, "second `else`");
                }
                else_seen = Some(*span);
            }
            chains.push(self.nested(option, true));
        }
        // In a claim each look counts.
        if self.monitor.is_none() {
            chains.iter().for_each(|&chain| self.flow.drop_repeated_skips(chain));
        }
        chains
    }

    fn unless(&mut self, main: &Stmt, escape: &Stmt, else_allowed: bool) -> Node {
        let main_node = self.node(main, else_allowed);
        let escape_node = self.node(escape, false);
        let escape_chain = match escape_node {
            Node::Group(GroupKind::Plain, chain) => chain,
            node => self.single(node, escape),
        };
        let main_chain = match main_node {
            Node::Group(GroupKind::Plain, chain) if main.labels.is_empty() => chain,
            node => self.single(node, main),
        };
        Node::Unless { main: main_chain, escape: escape_chain }
    }

    /// A sequence of one statement.
    fn single(&mut self, node: Node, stmt: &Stmt) -> ChainId {
        self.flow.open();
        let labels = self.labels(&stmt.labels);
        self.flow.add(node, Some(stmt.span), print::statement_line(stmt), &labels);
        self.flow.close()
    }

    /// A claim only looks; an event trace only names messages.
    fn check_monitor(&mut self, stmt: &Stmt) {
        let is_message = matches!(stmt.kind, StmtKind::Send { .. } | StmtKind::Receive { .. });
        let only_looks =
            matches!(stmt.kind, StmtKind::Expression(_) | StmtKind::Assert(_) | StmtKind::Printf { .. });
        match self.monitor {
            Some(MonitorKind::Never) if !only_looks => self.context.error(
                "promela::side-effect-in-claim",
                "a claim cannot change anything",
                stmt.span,
                "only conditions and assertions",
            ),
            Some(MonitorKind::Trace | MonitorKind::NoTrace) if !is_message => self.context.error(
                "promela::not-an-event",
                "an event trace is made of sends and receives",
                stmt.span,
                "not a message",
            ),
            _ => {}
        }
    }

    fn basic(&mut self, stmt: &Stmt) -> Basic {
        self.check_monitor(stmt);
        match &stmt.kind {
            StmtKind::Expression(condition) => self.condition(condition),
            StmtKind::Assign(variable, value) => self.assignment(variable, value),
            StmtKind::Increment(variable) => self.step_by(variable, BinaryOp::Add),
            StmtKind::Decrement(variable) => self.step_by(variable, BinaryOp::Subtract),
            StmtKind::Send { channel, arguments, sorted } => {
                let (channel, channel_type) = self.context.channel(channel);
                let fields = self.context.arguments(arguments);
                self.context.check_field_count(channel_type, fields.len(), stmt.span);
                let rendezvous = self.is_rendezvous(channel_type);
                Basic {
                    sync: Some(Sync::Send { channel, fields, sorted: *sorted }),
                    rendezvous,
                    ..does(Vec::new())
                }
            }
            StmtKind::Receive { channel, arguments, random, copy } => {
                let (channel, channel_type) = self.context.channel(channel);
                let patterns = self.context.patterns(arguments);
                self.context.check_field_count(channel_type, patterns.len(), stmt.span);
                let rendezvous = self.is_rendezvous(channel_type);
                let sync = Sync::Receive { channel, patterns, which: taken(*random), copy: *copy };
                Basic { sync: Some(sync), rendezvous, ..does(Vec::new()) }
            }
            StmtKind::Assert(condition) => does(vec![Action::Assert(self.context.expr(condition))]),
            StmtKind::Printf { format, arguments } => {
                let parts = self.context.print_parts(format, arguments, stmt.span);
                Basic { idle: Idle::Print, ..does(vec![Action::Print(parts)]) }
            }
            StmtKind::Printm(value) => {
                let form = self.context.name_form(value);
                let value = self.context.expr(value);
                Basic { idle: Idle::Print, ..does(vec![Action::Print(vec![PrintPart::Value(value, form)])]) }
            }
            StmtKind::SetPriority(process, priority) => {
                self.context.model.uses_priorities = true;
                let process = self.context.expr(process);
                let priority = self.context.expr(priority);
                does(vec![Action::SetPriority { process, priority }])
            }
            _ => unreachable!("composite statements are not basic"),
        }
    }

    fn is_rendezvous(&self, channel: Option<ChannelTypeId>) -> bool {
        channel.is_some_and(|channel| self.context.model.channel_type(channel).is_rendezvous())
    }

    /// Lowers an expression in which `run` may occur; gives what `run` does as well.
    fn expr_with_run(&mut self, expr: &syntax::Expr) -> (Expr, Vec<Action>) {
        self.context.creations = Some(Vec::new());
        let value = self.context.expr(expr);
        let creations = self.context.creations.take().unwrap_or_default();
        if self.monitor.is_some() && !creations.is_empty() {
            let message = "a claim cannot start processes";
            self.context.error("promela::side-effect-in-claim", message, expr.span, "`run` in a claim");
        }
        if self.in_dstep && !creations.is_empty() {
            let message = "`run` inside `d_step`";
            self.context.error("promela::run-in-d-step", message, expr.span, "use `atomic` instead");
        }
        (value, creations)
    }

    fn condition(&mut self, condition: &syntax::Expr) -> Basic {
        if condition.kind == ExprKind::Number(1) {
            return skip();
        }
        let (value, mut effect) = self.expr_with_run(condition);
        if effect.is_empty() {
            return Basic { guard: Guard::When(value), ..does(Vec::new()) };
        }
        if value != Expr::Created {
            effect.push(Action::Require(value));
        }
        does(effect)
    }

    fn assignment(&mut self, variable: &syntax::VarRef, value: &syntax::Expr) -> Basic {
        if let [part] = variable.parts.as_slice()
            && part.name.name == "_priority"
        {
            self.context.model.uses_priorities = true;
            let priority = self.context.expr(value);
            return does(vec![Action::SetPriority { process: Expr::OwnProcess, priority }]);
        }
        self.context.check_assignment(variable, value);
        let (value, mut effect) = self.expr_with_run(value);
        if let Some(place) = self.context.assignable(variable) {
            effect.push(Action::Assign(place, value));
        }
        does(effect)
    }

    fn step_by(&mut self, variable: &syntax::VarRef, op: BinaryOp) -> Basic {
        let Some(place) = self.context.assignable(variable) else { return skip() };
        if place.ty.kind == ScalarKind::Channel {
            self.context.channel_arithmetic(variable.span);
        }
        let value = Expr::binary(op, Expr::Load(place.clone()), Expr::Const(1));
        does(vec![Action::Assign(place, value)])
    }
}

/// A statement that is always executable.
fn does(effect: Vec<Action>) -> Basic {
    Basic { guard: Guard::Always, sync: None, effect, rendezvous: false, idle: Idle::No }
}
