//! Counting loops: `for` and `select`, in terms of what they are made of.

use fathom_model::{ScalarKind, ScalarType, Type};
use fathom_source::Span;

use super::Body;
use crate::declare::Home;
use crate::flow::{JumpId, Node, skip};
use crate::syntax::{self, ExprKind, Sequence, Stmt, StmtKind};

impl Body<'_> {
    /// Adds a statement that the author did not write out.
    fn add_implied(&mut self, kind: StmtKind, span: Span) {
        self.statement(&Stmt { labels: Vec::new(), kind, span }, false);
    }

    pub(super) fn for_range(
        &mut self,
        variable: &syntax::VarRef,
        low: &syntax::Expr,
        high: &syntax::Expr,
        body: &Sequence,
        span: Span,
    ) -> Node {
        let exit = self.flow.enter_loop();
        self.add_implied(StmtKind::Assign(variable.clone(), low.clone()), span);
        self.flow.open();
        let within = comparison(syntax::BinaryOp::LessEqual, variable, high.clone(), span);
        self.add_implied(StmtKind::Expression(within), span);
        self.enter();
        self.sequence(body, false);
        self.leave();
        self.finish_loop(variable, exit, true, span)
    }

    /// Ends the main option of a counting loop, adds the option that leaves it, and makes the loop.
    fn finish_loop(&mut self, variable: &syntax::VarRef, exit: JumpId, with_else: bool, span: Span) -> Node {
        self.add_implied(StmtKind::Increment(variable.clone()), span);
        let main = self.flow.close();
        self.flow.open();
        if with_else {
            self.flow.add(Node::Else, Some(span), "else".to_owned(), &[]);
        }
        self.flow.add(Node::Goto(exit), Some(span), "break".to_owned(), &[]);
        let leave = self.flow.close();
        self.flow.leave_loop();
        Node::Select { options: vec![leave, main], exit: Some(exit) }
    }

    pub(super) fn for_in(
        &mut self,
        variable: &syntax::VarRef,
        container: &syntax::VarRef,
        body: &Sequence,
        span: Span,
    ) -> Node {
        let Some(access) = self.context.access(container) else { return Node::Basic(skip()) };
        match access.ty {
            Type::Array { length, .. } => {
                let number = |value| syntax::Expr { kind: ExprKind::Number(value), span: container.span };
                self.for_range(variable, &number(0), &number(i64::from(length) - 1), body, span)
            }
            Type::Scalar(ty) if ty.kind == ScalarKind::Channel => {
                self.for_channel(variable, container, body, span)
            }
            _ => {
                let message = "`for … in` needs an array or a channel";
                self.context.error("promela::type-mismatch", message, container.span, "neither");
                Node::Basic(skip())
            }
        }
    }

    /// Goes through the messages of a channel by taking each out and putting it back.
    fn for_channel(
        &mut self,
        variable: &syntax::VarRef,
        container: &syntax::VarRef,
        body: &Sequence,
        span: Span,
    ) -> Node {
        let name = syntax::Ident { name: format!(":for{}", self.next_scope), span };
        self.context.new_variable(&name, Type::Scalar(ScalarType::SHORT), Home::Local, None, None);
        let part = syntax::VarPart { name, index: None };
        let counter = syntax::VarRef { parts: vec![part], span };
        let exit = self.flow.enter_loop();
        let zero = syntax::Expr { kind: ExprKind::Number(0), span };
        self.add_implied(StmtKind::Assign(counter.clone(), zero), span);
        self.flow.open();
        let length = ExprKind::Channel(syntax::ChannelFunction::Len, container.clone());
        let length = syntax::Expr { kind: length, span: container.span };
        let within = comparison(syntax::BinaryOp::Less, &counter, length, span);
        self.add_implied(StmtKind::Expression(within), span);
        let arguments = vec![syntax::ReceiveArg::Variable(variable.clone())];
        let channel = container.clone();
        self.add_implied(StmtKind::Receive { channel, arguments, random: false, copy: false }, span);
        let value = syntax::Expr { kind: ExprKind::Variable(variable.clone()), span: variable.span };
        let channel = container.clone();
        self.add_implied(StmtKind::Send { channel, arguments: vec![value], sorted: false }, span);
        self.enter();
        self.sequence(body, false);
        self.leave();
        self.finish_loop(&counter, exit, true, span)
    }

    pub(super) fn select(
        &mut self,
        variable: &syntax::VarRef,
        low: &syntax::Expr,
        high: &syntax::Expr,
        span: Span,
    ) -> Node {
        if let Some(values) = self.few_values(variable, low, high) {
            let option = |value| {
                self.flow.open();
                let value = syntax::Expr { kind: ExprKind::Number(value), span };
                self.add_implied(StmtKind::Assign(variable.clone(), value), span);
                self.flow.close()
            };
            return Node::Select { options: values.map(option).collect(), exit: None };
        }
        self.add_implied(StmtKind::Assign(variable.clone(), low.clone()), span);
        self.flow.open();
        let below = comparison(syntax::BinaryOp::Less, variable, high.clone(), span);
        self.add_implied(StmtKind::Expression(below), span);
        let exit = self.flow.enter_loop();
        self.finish_loop(variable, exit, false, span)
    }

    /// A `select` between few literal values is a selection between assignments, outside inlines and for
    /// variables with plain names; any other counts up to the value it takes.
    fn few_values(
        &self,
        variable: &syntax::VarRef,
        low: &syntax::Expr,
        high: &syntax::Expr,
    ) -> Option<std::ops::RangeInclusive<i64>> {
        let [syntax::VarPart { name, index: None }] = variable.parts.as_slice() else { return None };
        let (ExprKind::Number(low), ExprKind::Number(high)) = (&low.kind, &high.kind) else { return None };
        let plain = name.name.chars().all(|character| character.is_ascii_alphanumeric());
        let few = *low >= 0 && low <= high && high - low <= 32;
        (plain && few && !self.in_inline).then_some(*low..=*high)
    }
}

fn comparison(
    op: syntax::BinaryOp,
    variable: &syntax::VarRef,
    bound: syntax::Expr,
    span: Span,
) -> syntax::Expr {
    let variable = syntax::Expr { kind: ExprKind::Variable(variable.clone()), span: variable.span };
    syntax::Expr { kind: ExprKind::Binary(op, Box::new(variable), Box::new(bound)), span }
}
