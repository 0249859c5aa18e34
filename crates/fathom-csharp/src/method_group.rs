//! From syntax to code: methods that are values, as in `all.Forall(IsReady)`.
//!
//! A method becomes a function without a name that calls it with its own parameters. C# finds the instance when it makes the function, and we when the
//! function is called: so the instance has to be what no call changes, `this` or a local variable, which a function keeps as they are.

use std::sync::Arc;

use fathom_source::Span;

use crate::code::{Code, Instr, Lambda, Pass};
use crate::compile::Body;
use crate::compile_expression::Meaning;
use crate::library;
use crate::syntax::{Expr, ExprKind, Passing};
use crate::types::Type;

/// Methods with a name, and the instance if one is written.
pub(crate) type Group = (Vec<usize>, Option<Code>);

impl Body<'_, '_> {
    /// The methods that an expression names, if it is a name or a path that does.
    pub(crate) fn method_group(&mut self, expr: &Expr) -> Option<Group> {
        if !is_path(expr) {
            return None;
        }
        // What is wrong with it is said when it is compiled.
        let before = self.compiler.diagnostics.len();
        let meaning = self.meaning(expr);
        self.compiler.diagnostics.truncate(before);
        match meaning {
            Some(Meaning::Methods(methods, instance)) => Some((methods, instance)),
            _ => None,
        }
    }

    /// A function that calls the one of some methods that fits what is wanted.
    pub(crate) fn method_value(
        &mut self,
        group: Group,
        wanted: &[Type],
        result: &Type,
        span: Span,
    ) -> (Code, Type) {
        let (methods, instance) = group;
        let all = self.compiler.all;
        let fits = |method: &usize| {
            let known = &all.methods[*method];
            let mut pairs = known.parameters.iter().zip(wanted);
            known.parameters.len() == wanted.len()
                && pairs.all(|(one, wanted)| one.passing == Passing::Value && one.ty.same(wanted))
                && known.returns.same(result)
        };
        let Some(method) = methods.into_iter().find(fits) else {
            let ty = Type::Function(wanted.to_vec(), Box::new(result.clone()));
            let message = format!("no method of this name is a `{}`", self.shown(&ty));
            self.error("csharp::type-mismatch", message, span);
            return Body::unknown();
        };
        let known = &all.methods[method];
        let receiver = if known.is_static { None } else { self.receiver(instance, span) };
        if !matches!(receiver, None | Some(Code::Local(_))) {
            self.unsupported("a method of this instance as a value", span);
            return Body::unknown();
        }
        self.compiler.ask(method);
        let lambda = self.scoped(|inner| {
            let first = inner.n_locals;
            let parameters: Vec<u32> =
                wanted.iter().map(|ty| inner.declare(" argument", ty.clone())).collect();
            let passes = parameters.iter().map(|slot| Pass::Value(Code::Local(*slot))).collect();
            let call = Code::Call(method as u32, receiver.map(Box::new), passes, span);
            let body = vec![Instr::Return(Some(call))];
            Lambda { parameters, first, is_method: true, n_locals: inner.n_locals, body }
        });
        let ty = Type::Function(wanted.to_vec(), Box::new(known.returns.clone()));
        (Code::Lambda(Arc::new(lambda)), ty)
    }

    /// Says why something that a name or a path means is no value.
    pub(crate) fn no_value(&mut self, meaning: &Meaning, span: Span) {
        let (code, message) = match meaning {
            Meaning::Path(path) => ("csharp::unknown-name", format!("there is no `{}` here", path.join("."))),
            Meaning::OfValue(_, ty, name) if !is_library_method(ty, &name.text) => {
                return self.no_member::<()>(ty, name).unwrap_or_default();
            }
            Meaning::OfType(ty, name) => return self.no_member::<()>(ty, name).unwrap_or_default(),
            Meaning::OfValue(..) => {
                let message = "a method of the library is no value: write a function that calls it";
                ("csharp::no-value", message.to_string())
            }
            Meaning::Methods(..) => {
                ("csharp::no-value", "a method is a value only where a function is wanted".to_string())
            }
            Meaning::Declared(_) | Meaning::Type(_) => {
                ("csharp::no-value", "a type is not a value".to_string())
            }
            Meaning::Value(..) => return,
        };
        self.error(code, message, span);
    }
}

/// Whether it is made of names only: to look twice at what that means does nothing twice.
fn is_path(expr: &Expr) -> bool {
    match &*expr.kind {
        ExprKind::Name(_) | ExprKind::This | ExprKind::Type(_) => true,
        ExprKind::Member(object, _) => is_path(object),
        _ => false,
    }
}

fn is_library_method(ty: &Type, name: &str) -> bool {
    let of_all =
        ["ToString", "Equals", "CompareTo", "GetHashCode", "GetValueOrDefault", "TryGetValue", "Reduce"];
    of_all.contains(&name) || (0..4).any(|n_arguments| !library::methods(ty, name, n_arguments).is_empty())
}
