//! Cost, as in Uppaal Cora: `cost += e` on edges, `cost' == e` in invariants.
//!
//! `cost` has a meaning of its own unless it is declared. It grows at the same rate in all states in which time passes: the rates of
//! the processes add up, and each has one rate. An integer that is called `remaining` is a lower bound of what is still to be
//! paid.

use std::rc::Rc;

use fathom_timed::{Clock, Coordinates, CostClock, Urgency};

use crate::resolve::Lowering;
use crate::scope::{Scope, Storage, Symbol};
use crate::syntax::{Document, Expression, ExpressionKind, Statement};
use crate::types::INTEGERS;

const COST: &str = "cost";
const REMAINING: &str = "remaining";

impl<'a> Lowering<'a> {
    /// Gives the name `cost` its meaning, if the model speaks of it and does not declare it.
    pub fn declare_cost(&mut self, document: &'a Document, global: &Rc<Scope<'a>>) {
        if global.find(COST).is_some() || !mentions_cost(document) {
            return;
        }
        let clock = self.network.clocks.len();
        self.network.clocks.push(Clock { name: COST.to_owned() });
        let place = Coordinates { family: COST.to_owned(), elements: Vec::new() };
        self.network.scalars.clocks.push(place);
        let estimate = match global.find(REMAINING) {
            Some(Symbol::Object(object))
                if object.ty.is_integer() && matches!(object.storage, Storage::Network) =>
            {
                Some(object.base[INTEGERS])
            }
            _ => None,
        };
        self.network.cost = Some(CostClock { clock, grows: false, estimate });
        global.declare(COST, Symbol::Cost(clock));
    }

    /// Finds the one rate at which cost grows.
    pub fn settle_cost(&mut self) {
        let Some(mut cost) = self.network.cost else { return };
        let mut total = 0;
        for process in 0..self.network.processes.len() {
            let rate = |location: usize| {
                let here = |(of, at, ..): &&(usize, usize, i64, fathom_source::Span)| {
                    (*of, *at) == (process, location)
                };
                self.cost_rates.iter().find(here).map_or(0, |(.., rate, _)| *rate)
            };
            let locations = &self.network.processes[process].locations;
            let rates: Vec<i64> = (0..locations.len())
                .filter(|&location| locations[location].urgency == Urgency::None)
                .map(rate)
                .collect();
            if rates.windows(2).any(|pair| pair[0] != pair[1]) {
                let message = "cost has to grow at the same rate at all locations of a process";
                let name = self.network.processes[process].name.clone();
                let span = self.cost_rates.iter().find(|(of, ..)| *of == process).map(|(.., span)| *span);
                self.diagnostics.extend(span.map(|span| {
                    fathom_source::Diagnostic::error("uppaal::non-uniform-cost", message)
                        .at(span, "")
                        .note(format!("process '{name}' has other locations without this rate"))
                }));
                return;
            }
            total += rates.first().copied().unwrap_or(0);
        }
        if total > 1 {
            let message = format!("cost grows by {total} a unit of time; only 0 and 1 are supported");
            let span = self.cost_rates.first().map(|(.., span)| *span);
            self.diagnostics.extend(span.map(|span| {
                fathom_source::Diagnostic::error("uppaal::cost-rate", message)
                    .at(span, "")
                    .note("all prices can be divided by the rate")
            }));
        }
        cost.grows = total == 1;
        self.network.cost = Some(cost);
    }
}

fn mentions_cost(document: &Document) -> bool {
    let invariants = document.templates.iter().flat_map(|template| &template.locations);
    let edges = document.templates.iter().flat_map(|template| &template.edges);
    let local = document.templates.iter().flat_map(|template| &template.declarations);
    let functions = document.declarations.iter().chain(local).filter_map(|declaration| match declaration {
        crate::syntax::Declaration::Function(function) => Some(function),
        _ => None,
    });
    invariants.filter_map(|location| location.invariant.as_ref()).any(in_expression)
        || edges.flat_map(|edge| &edge.updates).any(in_expression)
        || functions.flat_map(|function| &function.body).any(in_statement)
}

fn in_expression(expression: &Expression) -> bool {
    match &expression.kind {
        ExpressionKind::Name(name) => name == COST,
        ExpressionKind::Number(_) | ExpressionKind::Bool(_) | ExpressionKind::Deadlock => false,
        ExpressionKind::Member(of, _)
        | ExpressionKind::Not(of)
        | ExpressionKind::Minus(of)
        | ExpressionKind::Rate(of)
        | ExpressionKind::Quantified(.., of) => in_expression(of),
        ExpressionKind::Increment { place, .. } => in_expression(place),
        ExpressionKind::Index(left, right)
        | ExpressionKind::Binary(_, left, right)
        | ExpressionKind::Assign(_, left, right) => in_expression(left) || in_expression(right),
        ExpressionKind::Call(_, arguments) => arguments.iter().any(in_expression),
        ExpressionKind::Conditional(condition, yes, no) => {
            in_expression(condition) || in_expression(yes) || in_expression(no)
        }
        ExpressionKind::List(items) => items.iter().any(|(_, item)| in_expression(item)),
    }
}

fn in_statement(statement: &Statement) -> bool {
    match statement {
        Statement::Expression(expression) => in_expression(expression),
        Statement::Block(body) => body.iter().any(in_statement),
        Statement::If(_, then, otherwise) => {
            in_statement(then) || otherwise.as_ref().is_some_and(|otherwise| in_statement(otherwise))
        }
        Statement::While(_, body) | Statement::DoWhile(body, _) | Statement::ForType(_, _, body) => {
            in_statement(body)
        }
        Statement::For(first, _, step, body) => {
            [first, step].into_iter().flatten().any(in_expression) || in_statement(body)
        }
        Statement::Variables(..) | Statement::Return(..) | Statement::Empty => false,
    }
}
