//! Slicing: what nobody asks about is not kept.
//!
//! A variable matters when a guard, a message, an assertion, an index, an argument or a property reads it, or
//! when it is read to compute one that matters (Tip, *A survey of program slicing techniques*, 1995, the
//! backward and static kind). Assignments to variables that do not matter are dropped, and messages are received
//! into nothing instead: states that would differ only in such variables become one. What is printed does not
//! matter, because a trace is followed on the original model before anyone reads it.
//!
//! What is counted in an atomic loop matters, too: a loop without end is an error, unless it comes back to where it was.
//!
//! Of an assignment whose computation could fail, the computation stays and its value goes nowhere: the fault is an
//! answer, the value is not.

use fathom_model::{Action, Base, BinaryOp, Expr, Guard, Initializer, Model, Pattern, Place, Sync, Template};

use crate::access::visit;
use crate::bits::Bits;
use crate::sticky::on_cycles;

/// Drops assignments to variables that do not matter. `looked_at` are the expressions about states that
/// properties ask about. Gives the number of assignments dropped.
pub fn slice(model: &mut Model, looked_at: &[Expr]) -> usize {
    let matters = Matters::find(model, looked_at);
    let mut n_dropped = 0;
    for (index, template) in model.templates.iter_mut().enumerate() {
        let variables = template.locals.variables.clone();
        let needless = |place: &Place| {
            let variable = match place.base {
                Base::Global => variable_of(&model.globals.variables, place.offset),
                Base::Own => variable_of(&variables, place.offset),
                _ => None,
            };
            let set = if place.base == Base::Global { &matters.globals } else { &matters.locals[index] };
            variable.is_some_and(|variable| !set.has(variable))
        };
        for edge in &mut template.edges {
            edge.effect.retain_mut(|action| {
                let Action::Assign(place, value) = action else { return true };
                if !needless(place) {
                    return true;
                }
                n_dropped += 1;
                let check = check_of(place, value);
                let stays = check.is_some();
                if let Some(check) = check {
                    *action = Action::Assign(Place::fixed(Base::Discard, 0, place.ty), check);
                }
                stays
            });
            if let Some(Sync::Receive { patterns, .. }) = &mut edge.sync {
                for pattern in patterns {
                    if let Pattern::Bind(place) = pattern
                        && needless(place)
                    {
                        place.base = Base::Discard;
                        n_dropped += 1;
                    }
                }
            }
        }
    }
    n_dropped
}

/// What is left of an assignment to a place that does not matter: whatever could fail.
fn check_of(place: &Place, value: &Expr) -> Option<Expr> {
    let index = (!has_fixed_indices(place)).then(|| Expr::Load(place.clone()));
    let value = may_fail(value).then(|| value.clone());
    match (index, value) {
        (Some(index), Some(value)) => Some(Expr::binary(BinaryOp::Add, value, index)),
        (index, value) => index.or(value),
    }
}

/// Whether every index of a place is a constant inside its array.
pub(crate) fn has_fixed_indices(place: &Place) -> bool {
    place.indices.iter().all(
        |index| matches!(index.value, Expr::Const(value) if (0..i64::from(index.length)).contains(&value)),
    )
}

/// Whether computing an expression may run into a fault.
pub(crate) fn may_fail(expr: &Expr) -> bool {
    let mut fails = false;
    visit(expr, &mut |part| {
        fails |= match part {
            Expr::Binary(BinaryOp::Divide | BinaryOp::Remainder, _, right) => {
                !matches!(**right, Expr::Const(value) if value != 0)
            }
            Expr::Load(place) => !has_fixed_indices(place),
            // Creation must not lose its number, and questions about channels may find none.
            Expr::Channel(..) | Expr::Poll { .. } | Expr::Enabled(_) | Expr::Created => true,
            _ => false,
        };
    });
    fails
}

/// The variable that an offset lies in.
fn variable_of(variables: &[fathom_model::Variable], offset: u32) -> Option<usize> {
    variables.partition_point(|variable| variable.offset <= offset).checked_sub(1)
}

/// The variables that matter.
struct Matters {
    globals: Bits,
    /// By template.
    locals: Vec<Bits>,
}

impl Matters {
    fn find(model: &Model, looked_at: &[Expr]) -> Matters {
        let mut matters =
            Matters { globals: Bits::default(), locals: vec![Bits::default(); model.templates.len()] };
        looked_at.iter().for_each(|expr| {
            matters.read(model, None, expr);
        });
        for (index, template) in model.templates.iter().enumerate() {
            matters.roots(model, index, template);
        }
        while matters.propagate(model) {}
        matters
    }

    fn roots(&mut self, model: &Model, index: usize, template: &Template) {
        // An atomic loop that counts goes on until it is an error; one that does not comes back to where it was, and is none.
        for edge in on_cycles(template, &|edge| template.edge(edge).atomic) {
            for action in &template.edges[edge].effect {
                if let Action::Assign(place, _) = action {
                    self.read(model, Some(index), &Expr::Load(place.clone()));
                }
            }
        }
        template.provided.iter().for_each(|expr| {
            self.read(model, Some(index), expr);
        });
        for edge in &template.edges {
            if let Guard::When(condition) = &edge.guard {
                self.read(model, Some(index), condition);
            }
            match &edge.sync {
                Some(Sync::Send { channel, fields, .. }) => {
                    self.read(model, Some(index), channel);
                    fields.iter().for_each(|field| {
                        self.read(model, Some(index), field);
                    });
                }
                Some(Sync::Receive { channel, patterns, .. }) => {
                    self.read(model, Some(index), channel);
                    for pattern in patterns {
                        match pattern {
                            Pattern::Match(value) => {
                                self.read(model, Some(index), value);
                            }
                            Pattern::Bind(place) if !place.indices.is_empty() => {
                                self.indices(model, index, place);
                                self.keep(model, index, place);
                            }
                            Pattern::Bind(_) => {}
                        }
                    }
                }
                None => {}
            }
            for action in &edge.effect {
                self.action_roots(model, index, action);
            }
        }
        for initializer in &template.locals.initializers {
            if let Initializer::Value { value, .. } = initializer {
                self.read(model, Some(index), value);
            }
        }
    }

    fn action_roots(&mut self, model: &Model, index: usize, action: &Action) {
        match action {
            // What is assigned matters only if the variable does; but whether the assignment fails is an answer.
            Action::Assign(place, value) => {
                self.indices(model, index, place);
                if may_fail(value) {
                    self.read(model, Some(index), value);
                }
            }
            // Outcomes are counted, so that none may go.
            Action::Choose { place, .. } => self.keep(model, index, place),
            Action::Create { arguments, .. } => arguments.iter().for_each(|argument| {
                self.read(model, Some(index), argument);
            }),
            Action::Require(condition) | Action::Assert(condition) => {
                self.read(model, Some(index), condition);
            }
            Action::SetPriority { process, priority } => {
                self.read(model, Some(index), process);
                self.read(model, Some(index), priority);
            }
            Action::Print(_) | Action::End => {}
        }
    }

    fn indices(&mut self, model: &Model, index: usize, place: &Place) {
        for part in &place.indices {
            self.read(model, Some(index), &part.value);
        }
    }

    /// The variable of a place matters.
    fn keep(&mut self, model: &Model, index: usize, place: &Place) {
        self.read(model, Some(index), &Expr::Load(Place { indices: Vec::new(), ..place.clone() }));
    }

    /// One round of: what is read to compute something that matters, matters. Gives whether anything was new.
    fn propagate(&mut self, model: &Model) -> bool {
        let mut changed = false;
        for (index, template) in model.templates.iter().enumerate() {
            for action in template.edges.iter().flat_map(|edge| &edge.effect) {
                let Action::Assign(place, value) = action else { continue };
                let matters = match place.base {
                    Base::Global => variable_of(&model.globals.variables, place.offset)
                        .is_none_or(|variable| self.globals.has(variable)),
                    Base::Own => variable_of(&template.locals.variables, place.offset)
                        .is_none_or(|variable| self.locals[index].has(variable)),
                    _ => false,
                };
                if matters {
                    changed |= self.read(model, Some(index), value);
                }
            }
        }
        changed
    }

    /// Everything that an expression reads matters. Gives whether anything was new.
    fn read(&mut self, model: &Model, own: Option<usize>, expr: &Expr) -> bool {
        let mut globals = Bits::default();
        let mut locals: Vec<(usize, usize)> = Vec::new();
        visit(expr, &mut |part| {
            let Expr::Load(place) = part else { return };
            match (&place.base, own) {
                (Base::Global, _) => {
                    if let Some(variable) = variable_of(&model.globals.variables, place.offset) {
                        globals.set(variable);
                    }
                }
                (Base::Own, Some(template)) => {
                    let variables = &model.templates[template].locals.variables;
                    if let Some(variable) = variable_of(variables, place.offset) {
                        locals.push((template, variable));
                    }
                }
                (Base::Other { template, .. }, _) => {
                    let variables = &model.template(*template).locals.variables;
                    if let Some(variable) = variable_of(variables, place.offset) {
                        locals.push((template.index(), variable));
                    }
                }
                _ => {}
            }
        });
        let mut changed = self.globals.add(&globals);
        for (template, variable) in locals {
            changed |= !self.locals[template].has(variable);
            self.locals[template].set(variable);
        }
        changed
    }
}
