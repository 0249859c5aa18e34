//! References into other processes, closed once every process is known.
//!
//! While bodies are lowered, `P[i]@label` and `P[i]:variable` stand for rows of [`Context::remote`]. This
//! pass replaces each by the location, or by the offset and type, that it turned out to mean.

use std::collections::HashMap;

use fathom_model::{
    Action, Base, Expr, Formula, Guard, Initializer, LocationId, Pattern, Place, PrintPart, Question, Sync,
    TemplateId, Type,
};

use crate::context::{Context, REMOTE_MARK, Remote};
use crate::resolve::Access;

/// What a row of [`Context::remote`] turned out to mean.
#[derive(Clone)]
enum Meaning {
    Location(LocationId),
    Place(Place),
    Unknown,
}

/// Closes all references in the model of a context.
pub(crate) fn close_references(context: &mut Context, labels: &[HashMap<String, LocationId>]) {
    let meanings = resolve(context, labels);
    let closer = Closer { meanings: &meanings };
    let mut model = std::mem::take(&mut context.model);
    closer.initializers(&mut model.globals.initializers);
    for template in &mut model.templates {
        closer.initializers(&mut template.locals.initializers);
        template.provided.iter_mut().for_each(|expr| closer.expr(expr));
        for edge in &mut template.edges {
            if let Guard::When(condition) = &mut edge.guard {
                closer.expr(condition);
            }
            edge.sync.iter_mut().for_each(|sync| closer.sync(sync));
            edge.effect.iter_mut().for_each(|action| closer.action(action));
        }
    }
    for property in &mut model.properties {
        match &mut property.question {
            Question::Invariant(expr) | Question::Reach(expr) => closer.expr(expr),
            Question::Ltl(formula) => closer.formula(formula),
            _ => {}
        }
    }
    context.model = model;
}

/// Closes the references in one expression.
pub(crate) fn close_expr(context: &mut Context, expr: &mut Expr, labels: &[HashMap<String, LocationId>]) {
    let meanings = resolve(context, labels);
    Closer { meanings: &meanings }.expr(expr);
}

/// Closes the references in one formula.
pub(crate) fn close_formula(
    context: &mut Context,
    formula: &mut Formula,
    labels: &[HashMap<String, LocationId>],
) {
    let meanings = resolve(context, labels);
    Closer { meanings: &meanings }.formula(formula);
}

fn resolve(context: &mut Context, labels: &[HashMap<String, LocationId>]) -> Vec<Meaning> {
    let rows = std::mem::take(&mut context.remote);
    rows.into_iter()
        .map(|row| match row {
            Remote::Label { template, label } => match labels[template.index()].get(&label.name) {
                Some(&location) => Meaning::Location(location),
                None => {
                    let process = context.model.template(template).name.clone();
                    let message =
                        format!("process `{process}` has no label `{}` that it can be at", label.name);
                    context.error("promela::undeclared-label", message, label.span, "no such label");
                    Meaning::Unknown
                }
            },
            Remote::Variable { template, parts, span } => {
                let place = resolve_variable(context, template, parts, span);
                place.map_or(Meaning::Unknown, Meaning::Place)
            }
        })
        .collect()
}

fn resolve_variable(
    context: &mut Context,
    template: TemplateId,
    parts: Vec<(crate::syntax::Ident, Option<Expr>)>,
    span: fathom_source::Span,
) -> Option<Place> {
    let mut parts = parts.into_iter();
    let (name, index) = parts.next()?;
    let Some(variable) = context.model.template(template).locals.find(&name.name).cloned() else {
        let process = context.model.template(template).name.clone();
        let message = format!("process `{process}` has no variable `{}`", name.name);
        context.error("promela::undeclared-name", message, name.span, "no such local variable");
        return None;
    };
    let mut access = Access {
        base: Base::Own,
        offset: variable.offset,
        indices: Vec::new(),
        ty: variable.ty,
        channel: None,
    };
    if let Some(index) = index {
        context.apply_index(&mut access, index, name.span, &name.name)?;
    }
    for (name, index) in parts {
        context.field(&mut access, &name)?;
        if let Some(index) = index {
            context.apply_index(&mut access, index, name.span, &name.name)?;
        }
    }
    let Type::Scalar(ty) = access.ty else {
        context.error("promela::type-mismatch", "a single variable is expected here", span, "not a scalar");
        return None;
    };
    Some(Place { base: access.base, offset: access.offset, indices: access.indices, ty })
}

struct Closer<'m> {
    meanings: &'m [Meaning],
}

impl Closer<'_> {
    fn expr(&self, expr: &mut Expr) {
        match expr {
            Expr::AtLocation { process, location, .. } => {
                process.iter_mut().for_each(|process| self.expr(process));
                if location.0 & REMOTE_MARK != 0
                    && let Meaning::Location(meant) = self.meanings[(location.0 & !REMOTE_MARK) as usize]
                {
                    *location = meant;
                } else if location.0 & REMOTE_MARK != 0 {
                    *expr = Expr::Const(0);
                }
            }
            Expr::Load(place) => self.place(place),
            Expr::Unary(_, operand) | Expr::Channel(_, operand) => self.expr(operand),
            Expr::Binary(_, left, right) => {
                self.expr(left);
                self.expr(right);
            }
            Expr::Conditional(condition, then, otherwise) => {
                [condition, then, otherwise].into_iter().for_each(|expr| self.expr(expr));
            }
            Expr::Poll { channel, patterns, .. } => {
                self.expr(channel);
                patterns.iter_mut().for_each(|pattern| self.pattern(pattern));
            }
            Expr::Enabled(process) | Expr::LocationOf(process) | Expr::Priority(process) => {
                self.expr(process)
            }
            Expr::Const(_)
            | Expr::OwnProcess
            | Expr::ProcessCount
            | Expr::LastProcess
            | Expr::Created
            | Expr::Timeout
            | Expr::NonProgress
            | Expr::SomeAccepting => {}
        }
    }

    fn place(&self, place: &mut Place) {
        if let Base::Other { process, .. } = &mut place.base {
            process.iter_mut().for_each(|process| self.expr(process));
            if place.offset & REMOTE_MARK != 0 {
                match &self.meanings[(place.offset & !REMOTE_MARK) as usize] {
                    Meaning::Place(meant) => {
                        place.offset = meant.offset;
                        place.indices.clone_from(&meant.indices);
                        place.ty = meant.ty;
                    }
                    _ => *place = Place::fixed(Base::Discard, 0, place.ty),
                }
            }
        }
        place.indices.iter_mut().for_each(|index| self.expr(&mut index.value));
    }

    fn pattern(&self, pattern: &mut Pattern) {
        match pattern {
            Pattern::Match(expr) => self.expr(expr),
            Pattern::Bind(place) => self.place(place),
        }
    }

    fn sync(&self, sync: &mut Sync) {
        match sync {
            Sync::Send { channel, fields, .. } => {
                self.expr(channel);
                fields.iter_mut().for_each(|field| self.expr(field));
            }
            Sync::Receive { channel, patterns, .. } => {
                self.expr(channel);
                patterns.iter_mut().for_each(|pattern| self.pattern(pattern));
            }
        }
    }

    fn action(&self, action: &mut Action) {
        match action {
            Action::Assign(place, value) => {
                self.place(place);
                self.expr(value);
            }
            Action::Choose { place, .. } => self.place(place),
            Action::Create { arguments, .. } => arguments.iter_mut().for_each(|argument| self.expr(argument)),
            Action::Require(expr) | Action::Assert(expr) => self.expr(expr),
            Action::SetPriority { process, priority } => {
                self.expr(process);
                self.expr(priority);
            }
            Action::Print(parts) => {
                for part in parts {
                    if let PrintPart::Value(value, _) = part {
                        self.expr(value);
                    }
                }
            }
            Action::End => {}
        }
    }

    fn initializers(&self, initializers: &mut [Initializer]) {
        for initializer in initializers {
            if let Initializer::Value { value, .. } = initializer {
                self.expr(value);
            }
        }
    }

    fn formula(&self, formula: &mut Formula) {
        match formula {
            Formula::State(expr) => self.expr(expr),
            Formula::Not(a) | Formula::Next(a) | Formula::Always(a) | Formula::Eventually(a) => {
                self.formula(a)
            }
            Formula::And(a, b)
            | Formula::Or(a, b)
            | Formula::Implies(a, b)
            | Formula::Equivalent(a, b)
            | Formula::Until(a, b)
            | Formula::WeakUntil(a, b)
            | Formula::Release(a, b) => {
                self.formula(a);
                self.formula(b);
            }
        }
    }
}
