//! From syntax to code: what is assigned to, and assignments.

use fathom_source::{Diagnostic, Span};

use crate::code::{Code, Op, Target};
use crate::compile::{Body, Constructs};
use crate::compile_expression::Meaning;
use crate::compile_operator::bare;
use crate::declare::Declared;
use crate::syntax::{Expr, ExprKind};
use crate::types::Type;

impl Body<'_, '_> {
    /// What an expression is that is assigned to.
    pub(crate) fn target(&mut self, expr: &Expr) -> Option<(Target, Type)> {
        if let Some(setter) = self.setter(expr) {
            return setter;
        }
        let (code, ty) = self.expr(expr);
        let target = match code {
            Code::Local(slot) if slot < self.frozen => {
                self.unsupported("a function that assigns to a variable around it", expr.span);
                return None;
            }
            Code::Local(slot) => {
                if let Some(what) = self.fixed.get(&slot) {
                    let message = format!("{what} cannot be assigned to");
                    self.error("csharp::assigned-constant", message, expr.span);
                    return None;
                }
                Target::Local(slot)
            }
            Code::Static(field) => {
                self.check_writable(field, None, expr.span)?;
                if !self.compiler.all.fields[field as usize].is_constant {
                    self.compiler.assigned_statics.insert(field);
                }
                Target::Static(field)
            }
            Code::Field(object, field, span) => {
                self.check_writable(field, Some(&object), expr.span)?;
                Target::Field(*object, field, span)
            }
            Code::ArrayAt(array, index, span) => Target::Element(*array, *index, span),
            Code::Part(..) => {
                self.error(
                    "csharp::assigned-constant",
                    "compound values do not change".to_string(),
                    expr.span,
                );
                return None;
            }
            _ if ty == Type::Unknown => return None,
            _ => {
                self.error("csharp::no-target", "this cannot be assigned to".to_string(), expr.span);
                return None;
            }
        };
        Some((target, ty))
    }

    /// Says so if a field, of an object or of a class, is not for this method to assign to: what is `readonly` is for constructors.
    fn check_writable(&mut self, field: u32, object: Option<&Code>, span: Span) -> Option<()> {
        let known = &self.compiler.all.fields[field as usize];
        let is_own = match object {
            None => self.constructs == Some(Constructs::Class),
            Some(Code::Local(slot)) => {
                self.constructs == Some(Constructs::Instance) && self.this == Some(*slot)
            }
            Some(_) => false,
        };
        let message = if known.is_literal {
            format!("`{}` is a constant", known.name.text)
        } else if known.is_constant && !(is_own && known.class == self.class) {
            let constructor = if object.is_none() { "static constructor" } else { "constructors" };
            format!(
                "`{}` is read-only: only the {constructor} of its class may assign to it",
                known.name.text
            )
        } else {
            return Some(());
        };
        let declared = known.name.span;
        let error = Diagnostic::error("csharp::assigned-constant", message).at(span, "");
        self.compiler.diagnostics.push(error.also(declared, "declared here"));
        None
    }

    /// The setter of a property, if it is one.
    fn setter(&mut self, expr: &Expr) -> Option<Option<(Target, Type)>> {
        let (class, name, object) = match &*expr.kind {
            ExprKind::Name(name) if self.find(name).is_none() => (self.class, name.clone(), None),
            ExprKind::Member(object, name) => {
                // Types are known without code, so nothing is said twice here.
                let before = self.compiler.diagnostics.len();
                let meaning = self.meaning(object);
                self.compiler.diagnostics.truncate(before);
                match meaning? {
                    Meaning::Value(code, Type::Class(class)) => (class, name.text.clone(), Some(code)),
                    Meaning::Declared(Declared::Class(class)) => (class, name.text.clone(), None),
                    _ => return None,
                }
            }
            _ => return None,
        };
        let all = self.compiler.all;
        let setter = *all.methods(class, &format!("set_{name}")).first()?;
        let method = &all.methods[setter];
        self.compiler.ask(setter);
        let receiver = if method.is_static { None } else { self.receiver(object, expr.span) };
        let ty = method.parameters.first().map_or(Type::Unknown, |parameter| parameter.ty.clone());
        let getter = all.methods(class, &format!("get_{name}")).first().copied();
        getter.into_iter().for_each(|getter| self.compiler.ask(getter));
        let getter = getter.map(|getter| getter as u32);
        Some(Some((Target::Setter(setter as u32, receiver, expr.span, getter), ty)))
    }

    /// Whether what is read and then assigned to is a property that cannot be read, and says so.
    fn lacks_getter(&mut self, place: &Target, span: Span) -> bool {
        let lacks = matches!(place, Target::Setter(_, _, _, None));
        if lacks {
            self.error("csharp::no-getter", "this property cannot be read".to_string(), span);
        }
        lacks
    }

    pub(crate) fn assign(
        &mut self,
        target: &Expr,
        operator: Option<&'static str>,
        value: &Expr,
        span: Span,
    ) -> (Code, Type) {
        let Some((place, ty)) = self.target(target) else {
            self.expr(value);
            return Body::unknown();
        };
        let Some(operator) = operator else {
            let value = self.wanted(value, &ty);
            return (Code::Assign(Box::new(place), Box::new(value)), ty);
        };
        if self.lacks_getter(&place, span) {
            return Body::unknown();
        }
        if operator == "??" {
            return self.assign_if_null(place, &ty, value, span);
        }
        let (code, found) = self.expr(value);
        if found == Type::Unknown || ty == Type::Unknown {
            return Body::unknown();
        }
        let Some((both, op, result)) = self.operation(operator, &ty, &found, span) else {
            return Body::unknown();
        };
        // A character that gets a number stays one.
        if !result.fits(&ty) && (&ty, &result) != (&Type::Char, &Type::Int) {
            let message =
                format!("`{}` is wanted here, and this is `{}`", self.shown(&ty), self.shown(&result));
            self.error("csharp::type-mismatch", message, span);
            return Body::unknown();
        }
        let code = if op == Op::Concat { self.as_text(code, &found, span) } else { code };
        let value = self.convert(code, &found, &both, value.span);
        (Code::Update(Box::new(place), op, Box::new(value), false, span), ty)
    }

    /// `a ??= b`.
    fn assign_if_null(&mut self, place: Target, ty: &Type, value: &Expr, span: Span) -> (Code, Type) {
        if !ty.has_null() {
            let message = format!("`{}` is never null", self.shown(ty));
            self.error("csharp::type-mismatch", message, span);
            return Body::unknown();
        }
        let (code, found) = self.expr_as(value, ty);
        let code = self.convert(code, &found, ty, value.span);
        // What may still be null is so afterwards.
        let result = if found.fits(bare(ty)) { bare(ty).clone() } else { ty.clone() };
        (Code::AssignIfNull(Box::new(place), Box::new(code)), result)
    }

    pub(crate) fn step(&mut self, amount: i64, gives_old: bool, target: &Expr, span: Span) -> (Code, Type) {
        let Some((place, ty)) = self.target(target) else { return Body::unknown() };
        if self.lacks_getter(&place, span) {
            return Body::unknown();
        }
        let Some((op, amount)) = self.stepping(amount, &ty, target.span) else { return Body::unknown() };
        (Code::Update(Box::new(place), op, Box::new(Code::Constant(amount)), gives_old, span), ty)
    }
}
