//! Where a program may depend on the names of objects, although nothing of it names one.
//!
//! Sets, maps and bags are gone through in an order that goes by names, and texts have names in them. What comes of it is often the same under all
//! names, as for a loop that counts or one that only looks for something; where that cannot be seen here, symmetry is told to look.

use std::collections::BTreeSet;

use crate::compile::Compiler;
use crate::declare::{Declarations, Instances};
use crate::syntax::{Argument, Expr, ExprKind, Stmt, StmtKind};
use crate::types::Type;

/// Members of collections that depend on an order.
const ORDERED: [&str; 9] = [
    "Choose",
    "ChooseSubset",
    "ChooseNonemptySubset",
    "AllSubsets",
    "Minimum",
    "Maximum",
    "Reduce",
    "AsArray",
    "CopyTo",
];

impl Compiler<'_> {
    /// Notes that the order of the members of a value matters.
    pub(crate) fn go_in_order(&mut self, ty: &Type) {
        let is_ordered = !matches!(ty, Type::Set(_) | Type::Map(..) | Type::Bag(_) | Type::Enumerable(_));
        if !is_ordered && has_names(ty, self.all, &mut BTreeSet::new()) {
            self.may_ask_for_names = true;
        }
    }

    /// Notes that a member of a collection is called.
    pub(crate) fn call_in_order(&mut self, ty: &Type, member: &str) {
        if ORDERED.contains(&member) {
            self.go_in_order(ty);
        }
    }

    /// Notes that a value becomes a text, or is compared by an order.
    pub(crate) fn show_names(&mut self, ty: &Type) {
        self.may_ask_for_names |= has_names(ty, self.all, &mut BTreeSet::new());
    }
}

/// Whether there may be objects, or elements of abstract enumerations, in values of a type.
fn has_names(ty: &Type, all: &Declarations, seen: &mut BTreeSet<u32>) -> bool {
    match ty {
        Type::Enum(id) => all.enums[id.0 as usize].sort.is_some(),
        Type::Class(class) => match all.classes[class.0 as usize].instances {
            Instances::Objects => true,
            Instances::Values if seen.insert(class.0) => {
                let fields = all.instance_fields(*class);
                fields.iter().any(|field| has_names(&all.fields[*field].ty, all, seen))
            }
            _ => false,
        },
        Type::Set(of)
        | Type::Bag(of)
        | Type::Sequence(of)
        | Type::Nullable(of)
        | Type::Array(of)
        | Type::Enumerable(of) => has_names(of, all, seen),
        Type::Map(key, value) => has_names(key, all, seen) || has_names(value, all, seen),
        Type::Tuple(parts) => parts.iter().any(|part| has_names(part, all, seen)),
        Type::Object => true,
        _ => false,
    }
}

/// Whether the body of a loop only looks for something: it changes nothing, and wherever it returns it gives the same.
pub(crate) fn only_looks(body: &Stmt, all: &Declarations) -> bool {
    let mut gives = None;
    looks(body, all, &mut gives)
}

fn looks(stmt: &Stmt, all: &Declarations, gives: &mut Option<bool>) -> bool {
    match &stmt.kind {
        StmtKind::Block(block) => block.iter().all(|stmt| looks(stmt, all, gives)),
        StmtKind::Local(_, locals) | StmtKind::Const(_, locals) => {
            locals.iter().all(|(_, value)| value.as_ref().is_none_or(|value| is_pure(value, all)))
        }
        StmtKind::If(condition, then, other) => {
            is_pure(condition, all)
                && looks(then, all, gives)
                && other.as_ref().is_none_or(|other| looks(other, all, gives))
        }
        StmtKind::ForEach(_, _, source, body) => is_pure(source, all) && looks(body, all, gives),
        StmtKind::Return(Some(value)) => match *value.kind {
            ExprKind::Bool(value) => *gives.get_or_insert(value) == value,
            _ => false,
        },
        StmtKind::Break | StmtKind::Continue => true,
        _ => false,
    }
}

/// Whether it is plain that an expression changes nothing: of methods only those of collections are called.
fn is_pure(expr: &Expr, all: &Declarations) -> bool {
    let pure = |expr: &Expr| is_pure(expr, all);
    let all_pure = |arguments: &[Argument]| {
        arguments.iter().all(|argument| argument.declares.is_none() && is_pure(&argument.value, all))
    };
    // A name may be a property, or a method that is passed on.
    let is_method = |name: &str| {
        let mut names = all.methods.iter().map(|method| method.name.text.as_str());
        names.any(|known| known.strip_prefix("get_").unwrap_or(known) == name)
    };
    match &*expr.kind {
        ExprKind::Null
        | ExprKind::Bool(_)
        | ExprKind::Int(..)
        | ExprKind::Text(_)
        | ExprKind::Type(_)
        | ExprKind::This => true,
        ExprKind::Name(name) => !is_method(name),
        ExprKind::Member(of, name) => pure(of) && !is_method(&name.text),
        ExprKind::Index(of, places) => pure(of) && places.iter().all(pure),
        ExprKind::Unary(_, one) => pure(one),
        ExprKind::Binary(_, one, other) => pure(one) && pure(other),
        ExprKind::Call(function, arguments) => match &*function.kind {
            ExprKind::Member(of, name) => {
                let is_declared = all.methods.iter().any(|method| method.name.text == name.text);
                !is_declared && pure(of) && all_pure(arguments)
            }
            _ => false,
        },
        _ => false,
    }
}
