//! Symbolic constants: how they are stored, and how values of unlike enumerations meet.
//!
//! Enumerations that share a name are a group. In a variable, and in whatever is computed of values of one group, a symbolic constant is a number of that group, so that
//! it needs no more bits than it has to; numbers in an enumeration are themselves, and its names are numbered around them.
//!
//! Where values of two groups meet, or of a group and of a range, both are written in one code for the whole program ([`Flat::coded`]): there every symbolic constant has a number
//! of its own from [`FIRST_CODE`] on, and numbers are themselves. So a symbolic constant is never equal to a number, and the same number in two enumerations is one value.

use std::collections::{BTreeMap, BTreeSet};

use fathom_model::{BinaryOp as Op, Expr as ModelExpr};
use fathom_source::Span;

use crate::fault::can_fail;
use crate::flatten::Flat;
use crate::syntax::{Expr, ExprKind, Item, Program, Type, UnaryOp};
use crate::value::{Domain, Ty, Value, equal, fold};

/// The code of the first symbolic constant of a program.
const FIRST_CODE: i64 = 1 << 30;

/// Enumerations that share names.
#[derive(Clone, Default, Debug)]
pub(crate) struct Group {
    /// The numbers among the members.
    numbers: BTreeSet<i64>,
    /// The codes of the symbolic constants, by their number in the group.
    codes: BTreeMap<i64, i64>,
}

impl Group {
    /// The code of a value of the group.
    fn code(&self, stored: i64) -> i64 {
        self.codes.get(&stored).copied().unwrap_or(stored)
    }

    /// How far codes are from what is stored, when that is the same for all values.
    fn offset(&self) -> Option<i64> {
        let (stored, code) = self.codes.first_key_value()?;
        self.numbers.is_empty().then_some(code - stored)
    }
}

/// A member of an enumeration.
pub(crate) enum Member {
    Name(String),
    Number(i64),
}

pub(crate) fn member_of(expr: &Expr) -> Option<Member> {
    match &expr.kind {
        ExprKind::Name(name) => Some(Member::Name(name.clone())),
        ExprKind::Integer(value) => Some(Member::Number(*value)),
        ExprKind::Boolean(value) => Some(Member::Number(i64::from(*value))),
        ExprKind::Unary(UnaryOp::Negate, inner) => match inner.kind {
            ExprKind::Integer(value) => Some(Member::Number(-value)),
            _ => None,
        },
        _ => None,
    }
}

fn members_of(ty: &Type, found: &mut Vec<Member>) {
    match ty {
        Type::Enumeration(members) => found.extend(members.iter().filter_map(member_of)),
        Type::Array(_, _, element) => members_of(element, found),
        _ => {}
    }
}

/// The numbers and the names of enumerations that share names.
type Joined = (BTreeSet<i64>, Vec<String>);

/// Joins what an item declares to the groups before it: those that share a name become one, in the order of the first.
fn join(groups: Vec<Joined>, members: Vec<Member>) -> Vec<Joined> {
    let mut joined = Joined::default();
    for member in members {
        match member {
            Member::Number(number) => drop(joined.0.insert(number)),
            Member::Name(name) => joined.1.push(name),
        }
    }
    if joined.1.is_empty() {
        return groups;
    }
    let mut rest = Vec::new();
    for group in groups {
        if group.1.iter().any(|name| joined.1.contains(name)) {
            let (numbers, names) = joined;
            joined = (group.0.into_iter().chain(numbers).collect(), group.1);
            for name in names {
                if !joined.1.contains(&name) {
                    joined.1.push(name);
                }
            }
        } else {
            rest.push(group);
        }
    }
    rest.push(joined);
    rest
}

impl Flat {
    /// Numbers symbolic constants.
    pub(crate) fn number_literals(&mut self, program: &Program) {
        let mut groups: Vec<Joined> = Vec::new();
        for item in program.modules.iter().flat_map(|module| &module.items) {
            let mut members = Vec::new();
            match item {
                Item::Var(_, _, ty) => members_of(ty, &mut members),
                Item::Constants(names) => {
                    members.extend(names.iter().map(|name| Member::Name(name.text.clone())))
                }
                _ => {}
            }
            groups = join(groups, members);
        }
        for (group, (numbers, names)) in groups.into_iter().enumerate() {
            let mut free = (0..).filter(|number| !numbers.contains(number));
            let mut codes = BTreeMap::new();
            for name in names {
                if self.literals.contains_key(&name) {
                    continue;
                }
                let number = free.next().unwrap_or_default();
                codes.insert(number, FIRST_CODE + self.literals.len() as i64);
                self.literals.insert(name, (group, number));
            }
            self.groups.push(Group { numbers, codes });
        }
    }

    /// The codes of symbolic constants.
    fn is_code(&self, value: i64) -> bool {
        (FIRST_CODE..FIRST_CODE + self.literals.len() as i64).contains(&value)
    }

    /// Whether a value is a symbolic constant for all that is known, and no number.
    pub(crate) fn is_symbol(&self, value: &Value) -> bool {
        match (value.ty, &value.values) {
            (Ty::Enum(group), Some(values)) => {
                values.iter().all(|stored| self.groups[group].codes.contains_key(stored))
            }
            (Ty::Enum(group), None) => self.groups[group].numbers.is_empty(),
            (Ty::Any, Some(values)) => values.iter().all(|&code| self.is_code(code)),
            _ => false,
        }
    }

    /// A value as one of a group, when it is one whatever it is.
    pub(crate) fn of_group(&self, value: &Value, group: usize) -> Option<Value> {
        let is_of = match (value.ty, &value.values) {
            (Ty::Enum(own), _) => own == group,
            (Ty::Int, Some(values)) => values.is_subset(&self.groups[group].numbers),
            _ => false,
        };
        is_of.then(|| Value { ty: Ty::Enum(group), ..value.clone() })
    }

    /// A number or a symbolic constant in the code of the whole program.
    pub(crate) fn coded(&mut self, value: Value, span: Span) -> Value {
        let Ty::Enum(group) = value.ty else {
            let last = FIRST_CODE + self.literals.len() as i64;
            if value.ty == Ty::Int && value.most >= FIRST_CODE && value.least < last {
                return self.too_large(span);
            }
            return Value { ty: Ty::Any, ..value };
        };
        if self.groups[group].numbers.iter().any(|&number| self.is_code(number)) {
            return self.too_large(span);
        }
        let known = &self.groups[group];
        let codes = value.values.as_ref().map(|values| values.iter().map(|&one| known.code(one)).collect());
        let expr = match (fold(&value.expr), known.offset()) {
            (Some(stored), _) => ModelExpr::Const(known.code(stored)),
            (None, Some(offset)) => ModelExpr::binary(Op::Add, value.expr, ModelExpr::Const(offset)),
            (None, None) => {
                let possible = |stored: &i64| value.values.as_ref().is_none_or(|all| all.contains(stored));
                let names = known.codes.iter().filter(|(stored, _)| possible(stored));
                let pairs: Vec<(i64, i64)> = names.map(|(&stored, &code)| (stored, code)).collect();
                translated(&value.expr, &pairs, value.expr.clone())
            }
        };
        any(expr, codes)
    }

    fn too_large(&mut self, span: Span) -> Value {
        let message = format!("numbers from {FIRST_CODE} on do not go together with symbolic constants here");
        self.wrong("smv::unsupported", message, span)
    }

    /// A value in the code of the whole program as it is stored in a variable; what is none of its values becomes none.
    fn stored(&self, value: Value, group: usize, domain: &Domain) -> Value {
        let known = &self.groups[group];
        let expr = match known.offset() {
            Some(offset) => ModelExpr::binary(Op::Subtract, value.expr, ModelExpr::Const(offset)),
            None => {
                let pairs: Vec<(i64, i64)> =
                    domain.values().into_iter().map(|stored| (known.code(stored), stored)).collect();
                translated(&value.expr, &pairs, ModelExpr::Const(FIRST_CODE))
            }
        };
        let (least, most) = (i64::from(i32::MIN), i64::from(i32::MAX));
        Value { expr, ty: Ty::Enum(group), least, most, values: None }
    }

    /// A value as it is assigned to a variable; says so when it is of another kind, or can be no value of the variable.
    pub(crate) fn assignable(&mut self, value: Value, domain: &Domain, span: Span) -> Value {
        match (value.ty, domain.ty) {
            (Ty::Broken, _) | (_, Ty::Broken) => return value,
            (one, other) if one == other => return value,
            (Ty::Bool, Ty::Int) | (Ty::Int, Ty::Bool) => return value,
            (Ty::Enum(_) | Ty::Any, Ty::Int) | (Ty::Enum(_) | Ty::Any | Ty::Int, Ty::Enum(_)) => {}
            (found, wanted) => return self.expected(&wanted.describe(), found, span),
        }
        let found = value.ty;
        let Ty::Enum(group) = domain.ty else {
            let value = self.coded(value, span);
            if value.values.as_ref().is_some_and(|values| !values.iter().any(|&one| domain.has(one))) {
                return self.expected(&domain.ty.describe(), found, span);
            }
            return Value { ty: if value.ty == Ty::Broken { Ty::Broken } else { Ty::Int }, ..value };
        };
        if let Some(value) = self.of_group(&value, group) {
            return value;
        }
        let value = self.coded(value, span);
        if value.ty == Ty::Broken {
            return value;
        }
        let codes = domain.values().into_iter().map(|stored| self.groups[group].code(stored));
        let can_be = |code: i64| match &value.values {
            Some(values) => values.contains(&code),
            None => (value.least..=value.most).contains(&code),
        };
        if !codes.into_iter().any(can_be) {
            let message = "this is none of the values of the variable";
            return self.wrong("smv::type", message, span);
        }
        self.stored(value, group, domain)
    }

    /// Whether two values are equal of which at least one is of an enumeration, and that are not of one group.
    pub(crate) fn equal_anywhere(&mut self, a: Value, b: Value, span: Span) -> Value {
        let is_other = |value: &Value| !matches!(value.ty, Ty::Int | Ty::Enum(_) | Ty::Any);
        let are_unlike = is_other(&a)
            || is_other(&b)
            || a.ty == Ty::Int && self.is_symbol(&b)
            || b.ty == Ty::Int && self.is_symbol(&a);
        if are_unlike {
            return self.expected(&a.ty.describe(), b.ty, span);
        }
        for (one, other) in [(&a, &b), (&b, &a)] {
            if let Ty::Enum(group) = one.ty
                && let Some(other) = self.of_group(other, group)
            {
                return Value::truth(equal(one.expr.clone(), other.expr));
            }
        }
        let (a, b) = (self.coded(a, span), self.coded(b, span));
        if a.ty == Ty::Broken || b.ty == Ty::Broken {
            return Value::broken();
        }
        let may_fail = can_fail(&a.expr) || can_fail(&b.expr);
        match (&a.values, &b.values) {
            (Some(one), Some(other)) if one.is_disjoint(other) && !may_fail => Value::constant(0, Ty::Bool),
            _ => Value::truth(equal(a.expr, b.expr)),
        }
    }

    /// Two values of which one is chosen, in a common code, with their type.
    pub(crate) fn in_common(&mut self, one: Value, other: Value, span: Span) -> Option<(Value, Value, Ty)> {
        let is_symbolic = |ty: Ty| matches!(ty, Ty::Enum(_) | Ty::Any);
        match (one.ty, other.ty) {
            (Ty::Broken, _) | (_, Ty::Broken) => None,
            (first, second) if first == second => Some((one, other, first)),
            (Ty::Int, Ty::Bool) | (Ty::Bool, Ty::Int) => Some((one, other, Ty::Int)),
            (first, second)
                if is_symbolic(first) && (is_symbolic(second) || second == Ty::Int)
                    || first == Ty::Int && is_symbolic(second) =>
            {
                let Some(group) = [first, second].iter().find_map(|ty| match ty {
                    Ty::Enum(group) => Some(*group),
                    _ => None,
                }) else {
                    return Some((one, other, Ty::Any));
                };
                if let (Some(one), Some(other)) = (self.of_group(&one, group), self.of_group(&other, group)) {
                    return Some((one, other, Ty::Enum(group)));
                }
                let (one, other) = (self.coded(one, span), self.coded(other, span));
                (one.ty != Ty::Broken && other.ty != Ty::Broken).then_some((one, other, Ty::Any))
            }
            (first, second) => {
                self.expected(&first.describe(), second, span);
                None
            }
        }
    }

    /// The numbers of a type that follow one another, from the first to the last of each row.
    pub(crate) fn rows_of_numbers(&self, domain: &Domain) -> Vec<(i64, i64)> {
        let is_number = |value: &i64| match domain.ty {
            Ty::Enum(group) => !self.groups[group].codes.contains_key(value),
            _ => true,
        };
        if domain.gaps.is_none() && !matches!(domain.ty, Ty::Enum(_)) {
            return vec![(domain.least, domain.most)];
        }
        let mut rows: Vec<(i64, i64)> = Vec::new();
        for value in domain.values().into_iter().filter(is_number) {
            match rows.last_mut() {
                Some((_, last)) if *last + 1 == value => *last = value,
                _ => rows.push((value, value)),
            }
        }
        rows
    }
}

/// A value in the code of the whole program.
fn any(expr: ModelExpr, values: Option<BTreeSet<i64>>) -> Value {
    let least = values.as_ref().and_then(|values| values.first().copied()).unwrap_or(i32::MIN.into());
    let most = values.as_ref().and_then(|values| values.last().copied()).unwrap_or(i32::MAX.into());
    Value { expr, ty: Ty::Any, least, most, values }
}

/// Other values for some, and what the rest become.
fn translated(expr: &ModelExpr, pairs: &[(i64, i64)], rest: ModelExpr) -> ModelExpr {
    pairs.iter().rev().fold(rest, |rest, &(from, to)| {
        let is_it = equal(expr.clone(), ModelExpr::Const(from));
        ModelExpr::Conditional(Box::new(is_it), Box::new(ModelExpr::Const(to)), Box::new(rest))
    })
}
