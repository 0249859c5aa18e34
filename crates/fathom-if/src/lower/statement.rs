//! Statements: assignments join the edge under construction, control flow splits it.

use fathom_model::{Action, Base, BinaryOp, Expr, Guard, Place, TemplateId, VariableRole};
use fathom_source::Span;

use super::Lowering;
use super::body::{Pending, Text, range_check, when};
use super::expr::Access;
use super::scope::Symbol;
use super::types::{INTEGER, NIL, Ty};
use crate::syntax::{self, Name, Passing, Procedure, Statement, StatementKind};

/// Most statements of procedures, written out where they are called.
const MOST_WRITTEN_OUT: u32 = 100_000;

impl Lowering {
    pub(super) fn statements(
        &mut self,
        mut pending: Pending,
        statements: &[Statement],
        text: &Text<'_>,
    ) -> Pending {
        for statement in statements {
            pending = self.statement(pending, statement, text);
        }
        pending
    }

    fn statement(&mut self, mut pending: Pending, statement: &Statement, text: &Text<'_>) -> Pending {
        if !self.may_write_out(statement.span) {
            return pending;
        }
        match &statement.kind {
            StatementKind::Kill(process) => self.kill(pending, process, text, statement.span),
            StatementKind::If { condition, then, otherwise } => {
                self.conditional(pending, condition, (then, otherwise), text)
            }
            StatementKind::While { condition, body } => self.repetition(pending, condition, body, text),
            StatementKind::Output { signal, arguments, via, to } => {
                self.output(pending, (signal, arguments, via.as_ref(), to.as_ref()), text, statement.span)
            }
            StatementKind::Call { result, procedure, arguments } => {
                self.call(pending, result.as_ref(), procedure, arguments, text)
            }
            StatementKind::Fork { result, process, arguments } => {
                self.fork(pending, result.as_ref(), process, arguments, text, statement.span)
            }
            kind => {
                pending.text.push(text.of(statement.span));
                self.simple(&mut pending, kind, statement.span);
                pending
            }
        }
    }

    /// Whether another statement may be lowered. Those of procedures count, once for each call; too many is said once.
    fn may_write_out(&mut self, span: Span) -> bool {
        if self.calls.is_empty() {
            return self.n_written_out <= MOST_WRITTEN_OUT;
        }
        self.n_written_out += 1;
        if self.n_written_out == MOST_WRITTEN_OUT + 1 {
            let message = format!("calls written out are more than {MOST_WRITTEN_OUT} statements");
            self.error("if::calls", message, span);
        }
        self.n_written_out <= MOST_WRITTEN_OUT
    }

    /// Tells a process to end. A pid that is no process is a run-time error.
    fn kill(&mut self, pending: Pending, process: &syntax::Expr, text: &Text<'_>, span: Span) -> Pending {
        let value = self.value(process);
        self.expect(&value, &Ty::Pid, process.span);
        let Some(killed) = self.killed else { return pending };
        let written = text.of(span);
        let is_known = value.expr == Expr::OwnProcess || value.known().is_some_and(|pid| pid != NIL);
        let mut pending = if is_known { pending } else { self.fresh(pending) };
        let flag = self.killed_flag(killed, value.expr.clone());
        let tell = Action::Assign(flag, Expr::TRUE);
        if !is_known {
            let nobody = Expr::binary(BinaryOp::Equal, value.expr, Expr::Const(NIL));
            let fails = tell.clone();
            self.fail_for_nobody(&mut pending, &nobody, &written, |_, edge| edge.effect.push(fails));
        }
        pending.text.push(written);
        pending.effect.push(tell);
        pending
    }

    /// Statements that are assignments.
    fn simple(&mut self, pending: &mut Pending, kind: &StatementKind, span: Span) {
        match kind {
            StatementKind::Task(target, value) => {
                let Some(access) = self.access(target) else {
                    self.value(value);
                    return;
                };
                if access.ty == Ty::Clock {
                    return self.error(
                        "if::clock-assignment",
                        "clocks are changed by `set` and `reset`",
                        target.span,
                    );
                }
                self.store(pending, &access, value);
            }
            StatementKind::Set(clock, value) => self.set_clock(pending, clock, value),
            StatementKind::Reset(variable) => {
                let Some(access) = self.access(variable) else { return };
                self.check_writable(&access, variable.span);
                for (offset, ty) in self.scalars(&access.ty) {
                    let value = Expr::Const(ty.default_value());
                    pending.effect.push(Action::Assign(access.scalar(offset, &ty), value));
                }
            }
            StatementKind::Return(_) => {
                self.error("if::return", "`return` is the last statement of a procedure", span);
            }
            _ => {}
        }
    }

    fn check_writable(&mut self, access: &Access, span: Span) {
        if let Base::Other { .. } = access.base {
            self.error("if::not-writable", "a process writes only its own variables", span);
        }
    }

    /// Assigns the value of an expression.
    pub(super) fn store(&mut self, pending: &mut Pending, target: &Access, value: &syntax::Expr) {
        self.check_writable(target, value.span);
        if target.ty.is_scalar() {
            let lowered = self.value(value);
            self.expect(&lowered, &target.ty, value.span);
            return self.store_scalar(
                pending,
                target.scalar(0, &target.ty),
                &target.ty,
                (&lowered.ty, lowered.expr),
                value.span,
            );
        }
        let Some(source) = self.access(value) else { return };
        self.copy(pending, target, &source, value.span);
    }

    /// Assigns a variable of any type.
    fn copy(&mut self, pending: &mut Pending, target: &Access, source: &Access, span: Span) {
        if !target.ty.accepts(&source.ty) {
            let message =
                format!("expected {}, found {}", self.type_name(&target.ty), self.type_name(&source.ty));
            return self.error("if::type", message, span);
        }
        let (to, from) = (self.scalars(&target.ty), self.scalars(&source.ty));
        for ((to_offset, to_ty), (from_offset, from_ty)) in to.iter().zip(&from) {
            let value = Expr::Load(source.scalar(*from_offset, from_ty));
            self.store_scalar(pending, target.scalar(*to_offset, to_ty), to_ty, (from_ty, value), span);
        }
    }

    /// Assigns a scalar, with a check of its range where that can fail.
    fn store_scalar(&mut self, pending: &mut Pending, place: Place, ty: &Ty, value: (&Ty, Expr), span: Span) {
        let (from, value) = value;
        if let Some(check) = range_check(ty, from, &value) {
            if let (Expr::Const(known), Ty::Int { low, high }) = (&value, ty) {
                let message = format!("{known} is outside {low}..{high}");
                return self.error("if::out-of-range", message, span);
            }
            pending.effect.push(Action::Assert(check));
        }
        pending.effect.push(Action::Assign(place, value));
    }

    fn conditional(
        &mut self,
        pending: Pending,
        condition: &syntax::Expr,
        branches: (&[Statement], &[Statement]),
        text: &Text<'_>,
    ) -> Pending {
        let span = condition.span;
        let fork = self.pause(pending).from;
        let join = self.add_location(None, Some(span));
        let holds = self.condition(condition);
        let written = text.of(span);
        let sides = [
            (holds.clone(), format!("if {written}"), branches.0),
            (Expr::negation(holds), format!("if not ({written})"), branches.1),
        ];
        for (guard, label, branch) in sides {
            let mut pending = Pending::new(fork, when(guard), span);
            pending.text.push(label);
            let pending = self.statements(pending, branch, text);
            self.finish(pending, join, true);
        }
        Pending::new(join, Guard::Always, span)
    }

    fn repetition(
        &mut self,
        pending: Pending,
        condition: &syntax::Expr,
        body: &[Statement],
        text: &Text<'_>,
    ) -> Pending {
        let span = condition.span;
        let head = self.pause(pending).from;
        let holds = self.condition(condition);
        let written = text.of(span);
        let mut inside = Pending::new(head, when(holds.clone()), span);
        inside.text.push(format!("while {written}"));
        let first_edge = self.edges.len();
        let inside = self.statements(inside, body, text);
        self.finish(inside, head, true);
        self.warn_of_endless_loop(&holds, first_edge, span);
        let mut after = Pending::new(head, when(Expr::negation(holds)), span);
        after.text.push(format!("while not ({written})"));
        after
    }

    fn fork(
        &mut self,
        pending: Pending,
        result: Option<&syntax::Expr>,
        process: &Name,
        arguments: &[syntax::Expr],
        text: &Text<'_>,
        span: Span,
    ) -> Pending {
        let index = match self.scopes.find(&process.text) {
            Some(Symbol::Process(index)) => *index,
            Some(Symbol::Route(_)) => {
                self.unsupported("if::unsupported-fork", "signalroutes that are forked", process.span);
                return pending;
            }
            _ => {
                self.unknown("process", process);
                return pending;
            }
        };
        let parameters = self.processes[index].parameters.clone();
        if parameters.len() != arguments.len() {
            let message =
                format!("`{}` has {} parameters, not {}", process.text, parameters.len(), arguments.len());
            self.error("if::argument-count", message, process.span);
            return pending;
        }
        let at = self.pause(pending).from;
        let room =
            Expr::binary(BinaryOp::Less, Expr::ProcessCount, Expr::Const(i64::from(self.options.processes)));
        let mut full = Pending::new(at, Guard::When(Expr::negation(room.clone())), span);
        full.text.push(format!("more than {} processes", self.options.processes));
        full.effect.push(Action::Assert(Expr::Const(0)));
        self.finish(full, at, false);
        let mut pending = Pending::new(at, Guard::When(room), span);
        pending.text.push(text.of(span));
        let mut values = Vec::new();
        for (argument, ty) in arguments.iter().zip(&parameters) {
            values.extend(self.argument(&mut pending, argument, ty));
        }
        let template = TemplateId::from(index);
        pending.effect.push(Action::Create { template, arguments: values, priority: 1 });
        if let Some(result) = result
            && let Some(access) = self.access(result)
        {
            self.check_writable(&access, result.span);
            if access.ty == Ty::Pid {
                pending.effect.push(Action::Assign(access.scalar(0, &Ty::Pid), Expr::Created));
            } else {
                self.error("if::type", "a fork gives a pid", result.span);
            }
        }
        pending
    }

    /// The scalars of an argument, with checks of their ranges.
    pub(super) fn argument(&mut self, pending: &mut Pending, argument: &syntax::Expr, ty: &Ty) -> Vec<Expr> {
        let mut parts = Vec::new();
        if ty.is_scalar() {
            let value = self.value(argument);
            self.expect(&value, ty, argument.span);
            parts.push((value.ty, value.expr));
        } else if let Some(access) = self.access(argument) {
            if !ty.accepts(&access.ty) {
                let message =
                    format!("expected {}, found {}", self.type_name(ty), self.type_name(&access.ty));
                self.error("if::type", message, argument.span);
                return Vec::new();
            }
            let scalars = self.scalars(&access.ty);
            parts.extend(
                scalars.iter().map(|(offset, ty)| (ty.clone(), Expr::Load(access.scalar(*offset, ty)))),
            );
        }
        let expected = self.scalars(ty);
        for ((_, ty), (from, value)) in expected.iter().zip(&parts) {
            if let Some(check) = range_check(ty, from, value) {
                if let (Expr::Const(known), Ty::Int { low, high }) = (value, ty) {
                    self.error(
                        "if::out-of-range",
                        format!("{known} is outside {low}..{high}"),
                        argument.span,
                    );
                }
                pending.effect.push(Action::Assert(check));
            }
        }
        parts.into_iter().map(|(_, value)| value).collect()
    }

    /// Calls are written out: parameters and variables of the procedure are variables of the caller.
    fn call(
        &mut self,
        mut pending: Pending,
        result: Option<&syntax::Expr>,
        name: &Name,
        arguments: &[syntax::Expr],
        text: &Text<'_>,
    ) -> Pending {
        let Some(Symbol::Procedure(number)) = self.scopes.find(&name.text).cloned() else {
            self.unknown("procedure", name);
            return pending;
        };
        let (procedure, depth) = self.procedures[number].clone();
        if let Some(foreign) = procedure.foreign {
            self.unsupported("if::unsupported-foreign-code", "procedures in foreign code", foreign);
            return pending;
        }
        if self.calls.contains(&number) {
            self.error("if::recursion", format!("`{}` calls itself", name.text), name.span);
            return pending;
        }
        if procedure.parameters.len() != arguments.len() {
            let message = format!(
                "`{}` has {} parameters, not {}",
                name.text,
                procedure.parameters.len(),
                arguments.len()
            );
            self.error("if::argument-count", message, name.span);
            return pending;
        }
        let result = result.and_then(|result| self.access(result).map(|access| (access, result.span)));
        let level = self.procedure_scope(number, &procedure, depth);
        pending.text.push(format!("call {}", name.text));
        let mut copies_back = Vec::new();
        for (parameter, argument) in procedure.parameters.iter().zip(arguments) {
            let Some((Symbol::Variable { base, offset, ty }, _)) = level.get(&parameter.name.text).cloned()
            else {
                continue;
            };
            let inside = Access { base, offset, indices: Vec::new(), ty };
            if parameter.passing != Passing::Out {
                self.store(&mut pending, &inside, argument);
            }
            if parameter.passing != Passing::In
                && let Some(outside) = self.access(argument)
            {
                copies_back.push((outside, inside, argument.span));
            }
        }
        let hidden = self.scopes.split(depth);
        self.scopes.enter_again(level.clone());
        self.calls.push(number);
        pending = self.procedure_body(pending, &procedure, result, text);
        self.calls.pop();
        self.scopes.leave();
        for level in hidden {
            self.scopes.enter_again(level);
        }
        for (outside, inside, span) in copies_back {
            self.check_writable(&outside, span);
            self.copy(&mut pending, &outside, &inside, span);
        }
        // What is not needed any more must not tell states apart.
        for (symbol, _) in level.values() {
            if let Symbol::Variable { base, offset, ty } = symbol {
                for (inner, scalar) in self.scalars(ty) {
                    let place = Place::fixed(base.clone(), offset + inner, scalar.scalar());
                    pending.effect.push(Action::Assign(place, Expr::Const(scalar.default_value())));
                }
            }
        }
        pending
    }

    fn procedure_body(
        &mut self,
        mut pending: Pending,
        procedure: &Procedure,
        result: Option<(Access, Span)>,
        text: &Text<'_>,
    ) -> Pending {
        let (body, last) = match procedure.body.split_last() {
            Some((Statement { kind: StatementKind::Return(value), .. }, body)) => (body, value.as_ref()),
            _ => (&procedure.body[..], None),
        };
        pending = self.statements(pending, body, text);
        match (last, result) {
            (Some(value), Some((access, span))) => {
                self.store_result(&mut pending, &access, value, (procedure.returns.as_ref(), span));
            }
            (None, Some((_, span))) => {
                self.error("if::return", format!("`{}` returns nothing", procedure.name.text), span);
            }
            (Some(value), None) => {
                self.value(value);
            }
            (None, None) => {}
        }
        pending
    }

    /// Assigns what a procedure returns. It goes through a variable of the type that the procedure says when it may not fit there.
    fn store_result(
        &mut self,
        pending: &mut Pending,
        target: &Access,
        value: &syntax::Expr,
        (returns, span): (Option<&Name>, Span),
    ) {
        let returns = returns.map(|name| self.named_type(name)).filter(Ty::is_scalar);
        let Some(ty) = returns.filter(|ty| target.ty.is_scalar() && *ty != Ty::Clock) else {
            return self.store(pending, target, value);
        };
        self.check_writable(target, span);
        let lowered = self.value(value);
        self.expect(&lowered, &ty, value.span);
        self.expect(&super::expr::Value { ty: ty.clone(), expr: lowered.expr.clone() }, &target.ty, span);
        let to = target.scalar(0, &target.ty);
        if range_check(&ty, &lowered.ty, &lowered.expr).is_none() {
            // It may be narrower than the type says.
            return self.store_scalar(pending, to, &target.ty, (&lowered.ty, lowered.expr), value.span);
        }
        let between = self.scratch(&ty);
        self.store_scalar(pending, between.clone(), &ty, (&lowered.ty, lowered.expr), value.span);
        let result = Expr::Load(between.clone());
        self.store_scalar(pending, to, &target.ty, (&ty, result), span);
        pending.effect.push(Action::Assign(between, Expr::Const(ty.default_value())));
    }

    /// Variables of a procedure in the process at hand.
    fn procedure_scope(
        &mut self,
        number: usize,
        procedure: &Procedure,
        depth: usize,
    ) -> std::collections::BTreeMap<String, (Symbol, Span)> {
        if let Some(level) = self.procedure_scopes.get(&number) {
            return level.clone();
        }
        let hidden = self.scopes.split(depth);
        self.scopes.enter();
        let parameters = procedure.parameters.iter().map(|parameter| (&parameter.name, &parameter.ty));
        let variables = procedure.variables.iter().map(|variable| (&variable.name, &variable.ty));
        for (name, ty) in parameters.chain(variables) {
            let ty = self.named_type(ty);
            if ty == Ty::Clock {
                self.unsupported("if::unsupported-clock", "clocks of procedures", name.span);
                continue;
            }
            self.declare_local(name, ty, VariableRole::Internal);
            // A variable of the process may have the same name, and both may be named in a partition.
            if let Some(declared) = self.locals.variables.last_mut() {
                declared.name = format!("{}.{}", procedure.name.text, name.text);
            }
        }
        let level = self.scopes.leave();
        for level in hidden {
            self.scopes.enter_again(level);
        }
        self.procedure_scopes.insert(number, level.clone());
        level
    }

    fn set_clock(&mut self, pending: &mut Pending, clock: &syntax::Expr, value: &syntax::Expr) {
        let Some(access) = self.access(clock) else { return };
        if access.ty != Ty::Clock {
            return self.error("if::clock-assignment", "not a clock; use `task`", clock.span);
        }
        let value_lowered = self.value(value);
        self.expect(&value_lowered, &INTEGER, value.span);
        let limit = Ty::Int { low: 0, high: 30_000 };
        let from = (&value_lowered.ty, value_lowered.expr.clone());
        self.store_scalar(pending, access.scalar(0, &Ty::Clock), &limit, from, value.span);
    }
}
