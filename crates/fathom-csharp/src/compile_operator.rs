//! From syntax to code: operators and casts.
//!
//! Which operation an operator stands for depends on the types of its operands. One on values that may be null is the one on values, or
//! nothing if an operand is nothing ("lifted"). One on elements of an enumeration is one on their numbers.

use fathom_source::{Diagnostic, Span};

use crate::code::{Code, Library, Number, Op};
use crate::compile::Body;
use crate::declare::Instances;
use crate::syntax::{Expr, ExprKind, TypeName};
use crate::types::{EnumId, Type};
use crate::value::Value;

/// What becomes of the operands, what is done with them, and what that gives.
pub(crate) type Operation = (Type, Op, Type);

impl Body<'_, '_> {
    /// The kind of number that values of a type are in operations.
    fn number(&mut self, ty: &Type, span: Span) -> Option<Number> {
        match ty {
            Type::Int | Type::Char => Some(Number::Int),
            Type::Long => Some(Number::Long),
            Type::Double => Some(Number::Double),
            Type::Unknown => None,
            _ => {
                let message = format!("a number is wanted here, and this is `{}`", self.shown(ty));
                self.error("csharp::type-mismatch", message, span);
                None
            }
        }
    }

    pub(crate) fn unary(&mut self, operator: &'static str, value: &Expr, span: Span) -> (Code, Type) {
        if operator == "!" {
            let value = self.wanted(value, &Type::Bool);
            return (Code::Op(Op::Not, vec![value], span), Type::Bool);
        }
        let (code, ty) = self.expr(value);
        let Some(number) = self.number(bare(&ty), value.span) else { return Body::unknown() };
        let op = match (operator, number) {
            ("+", _) => Op::Convert(number),
            ("-", _) => Op::Negate(number),
            (_, Number::Double) => {
                self.unsupported("`~` of a number with a fraction", span);
                return Body::unknown();
            }
            _ => Op::Complement(number),
        };
        match ty {
            Type::Nullable(_) => {
                let lifted = Op::Lifted(Box::new(op));
                (Code::Op(lifted, vec![code], span), Type::Nullable(Box::new(of_number(number))))
            }
            _ => (Code::Op(op, vec![code], span), of_number(number)),
        }
    }

    /// What is added by `++`, and how.
    pub(crate) fn stepping(&mut self, amount: i64, ty: &Type, span: Span) -> Option<(Op, Value)> {
        let (op, amount) = match bare(ty) {
            Type::Enum(id) => {
                self.name_all(*id);
                (Op::OnElements("+", Some(*id)), Value::Int(amount))
            }
            inner => {
                let number = self.number(inner, span)?;
                let amount =
                    if number == Number::Double { Value::double(amount as f64) } else { Value::Int(amount) };
                (Op::Arithmetic("+", number), amount)
            }
        };
        let op = if matches!(ty, Type::Nullable(_)) { Op::Lifted(Box::new(op)) } else { op };
        Some((op, amount))
    }

    /// The operation of a binary operator on operands of these types.
    pub(crate) fn operation(
        &mut self,
        operator: &'static str,
        left: &Type,
        right: &Type,
        span: Span,
    ) -> Option<Operation> {
        if operator == "+" && (*left == Type::Text || *right == Type::Text) {
            return Some((Type::Object, Op::Concat, Type::Text));
        }
        if matches!(left, Type::Nullable(_)) || matches!(right, Type::Nullable(_)) {
            return self.lifted(operator, left, right, span);
        }
        if let Some(found) = self.on_elements(operator, left, right) {
            return Some(found);
        }
        let collection = matches!(left, Type::Set(_) | Type::Bag(_) | Type::Sequence(_) | Type::Map(..));
        match operator {
            "==" | "!=" => {
                let both = self.compared(left, right, span)?;
                Some((both, Op::Equal(operator == "=="), Type::Bool))
            }
            "+" | "-" | "*" if collection => {
                let library = match (operator, left) {
                    ("+", Type::Sequence(_)) => Library::Concatenate,
                    ("+", Type::Map(..)) => Library::OverrideAll,
                    ("+", _) => Library::Union,
                    ("-", _) => Library::Difference,
                    _ => Library::Intersect,
                };
                Some((left.clone(), Op::Library(library), left.clone()))
            }
            "<" | "<=" | ">" | ">=" if collection || self.is_term(left) => {
                self.compiler.show_names(left);
                if matches!(left, Type::Set(_)) {
                    let message = format!("`{operator}` compares the sizes of sets before their members");
                    let warning = Diagnostic::warning("csharp::set-order", message).at(span, "");
                    let note =
                        "this is the order of terms, as in NModel; `IsSubsetOf` and its like ask for members";
                    self.compiler.diagnostics.push(warning.note(note));
                }
                Some((left.clone(), Op::Compare(operator), Type::Bool))
            }
            "<" | "<=" | ">" | ">=" => {
                if let (Type::Enum(id), Type::Enum(other)) = (left, right)
                    && id == other
                {
                    self.name_all(*id);
                    return Some((left.clone(), Op::Compare(operator), Type::Bool));
                }
                let both = self.common(left, right, span)?;
                Some((both, Op::Compare(operator), Type::Bool))
            }
            "&" | "|" | "^" if *left == Type::Bool => Some((Type::Bool, Op::Logic(operator), Type::Bool)),
            _ => {
                let both = self.common(left, right, span)?;
                let number = self.number(&both, span)?;
                let is_bits = matches!(operator, "&" | "|" | "^" | "<<" | ">>");
                if is_bits && number == Number::Double {
                    self.unsupported("bits of a number with a fraction", span);
                    return None;
                }
                Some((both.clone(), Op::Arithmetic(operator, number), both))
            }
        }
    }

    /// Whether values of a type are terms, which have an order: pairs, triples and compound values.
    fn is_term(&self, ty: &Type) -> bool {
        match ty {
            Type::Tuple(_) => true,
            Type::Class(id) => self.compiler.all.classes[id.0 as usize].instances == Instances::Values,
            _ => false,
        }
    }

    /// The type of which both operands of `==` are.
    fn compared(&mut self, left: &Type, right: &Type, span: Span) -> Option<Type> {
        match (left.fits(right), right.fits(left)) {
            (true, _) => Some(right.clone()),
            (_, true) => Some(left.clone()),
            _ => {
                let message =
                    format!("`{}` and `{}` cannot be compared", self.shown(left), self.shown(right));
                self.error("csharp::type-mismatch", message, span);
                None
            }
        }
    }

    /// An operation on values of which one may be null.
    fn lifted(&mut self, operator: &'static str, left: &Type, right: &Type, span: Span) -> Option<Operation> {
        let (one, other) = (bare(left), bare(right));
        if matches!(operator, "==" | "!=") {
            let both = match (one, other) {
                (Type::Null, there) | (there, Type::Null) => there.clone(),
                _ => self.compared(one, other, span)?,
            };
            let both = Type::Nullable(Box::new(both));
            return Some((both, Op::Equal(operator == "=="), Type::Bool));
        }
        if *one == Type::Bool {
            self.unsupported(&format!("`{operator}` on truth values that may be null"), span);
            return None;
        }
        let (both, op, result) = self.operation(operator, one, other, span)?;
        let nullable = |ty: Type| if ty == Type::Object { ty } else { Type::Nullable(Box::new(ty)) };
        let result = if result == Type::Bool { result } else { nullable(result) };
        Some((nullable(both), Op::Lifted(Box::new(op)), result))
    }

    /// An operation on elements of an enumeration, or on one and a number.
    fn on_elements(&mut self, operator: &'static str, left: &Type, right: &Type) -> Option<Operation> {
        let (id, result) = match (operator, left, right) {
            ("+" | "-", Type::Enum(id), Type::Int) | ("+", Type::Int, Type::Enum(id)) => {
                (*id, Type::Enum(*id))
            }
            ("-", Type::Enum(id), Type::Enum(other)) if id == other => (*id, Type::Int),
            ("&" | "|" | "^", Type::Enum(id), Type::Enum(other)) if id == other => (*id, Type::Enum(*id)),
            _ => return None,
        };
        self.name_all(id);
        let gives = matches!(result, Type::Enum(_)).then_some(id);
        Some((Type::Object, Op::OnElements(operator, gives), result))
    }

    /// The elements of an enumeration have an order or numbers: none is like another.
    pub(crate) fn name_all(&mut self, id: EnumId) {
        let n_elements = self.compiler.all.enums[id.0 as usize].elements.len() as u32;
        self.compiler.named_elements.extend((0..n_elements).map(|place| (id, place)));
    }

    fn common(&mut self, left: &Type, right: &Type, span: Span) -> Option<Type> {
        let (left, right) = (self.number(left, span)?, self.number(right, span)?);
        Some(match (left, right) {
            (Number::Double, _) | (_, Number::Double) => Type::Double,
            (Number::Long, _) | (_, Number::Long) => Type::Long,
            _ => Type::Int,
        })
    }

    pub(crate) fn binary(
        &mut self,
        operator: &'static str,
        left: &Expr,
        right: &Expr,
        span: Span,
    ) -> (Code, Type) {
        match operator {
            "&&" | "||" => {
                let left = Box::new(self.wanted(left, &Type::Bool));
                let right = Box::new(self.wanted(right, &Type::Bool));
                let code = if operator == "&&" { Code::And(left, right) } else { Code::Or(left, right) };
                return (code, Type::Bool);
            }
            "??" => {
                let (code, ty) = self.expr(left);
                let (other, found) = self.expr_as(right, &ty);
                // What may still be null is so afterwards.
                let ty = if found.fits(bare(&ty)) { bare(&ty).clone() } else { ty };
                let other = self.convert(other, &found, &ty, right.span);
                return (Code::Coalesce(Box::new(code), Box::new(other)), ty);
            }
            _ => (),
        }
        let (left_code, left_ty) = self.expr(left);
        let (right_code, right_ty) = self.expr(right);
        if left_ty == Type::Unknown || right_ty == Type::Unknown {
            let is_test = matches!(operator, "==" | "!=" | "<" | "<=" | ">" | ">=");
            return (Code::Constant(Value::Null), if is_test { Type::Bool } else { Type::Unknown });
        }
        if let (Type::Enum(id), "==" | "!=", ExprKind::Int(0, _)) = (&left_ty, operator, &*right.kind) {
            // The number 0 stands for an element that may have no name.
            self.name_all(*id);
            let number = Code::Op(Op::ElementNumber, vec![left_code], span);
            return (Code::Op(Op::Equal(operator == "=="), vec![number, right_code], span), Type::Bool);
        }
        let Some((both, op, result)) = self.operation(operator, &left_ty, &right_ty, span) else {
            return Body::unknown();
        };
        let (left_code, right_code) = match op {
            Op::Concat => {
                (self.as_text(left_code, &left_ty, span), self.as_text(right_code, &right_ty, span))
            }
            _ => (left_code, right_code),
        };
        let left = self.convert(left_code, &left_ty, &both, left.span);
        let right = self.convert(right_code, &right_ty, &both, right.span);
        (Code::Op(op, vec![left, right], span), result)
    }

    /// A value that becomes a part of a text.
    pub(crate) fn as_text(&mut self, code: Code, ty: &Type, span: Span) -> Code {
        match self.shows(ty) {
            Library::ErrorText => Code::Op(Op::Library(Library::ErrorText), vec![code], span),
            _ => code,
        }
    }

    pub(crate) fn cast(&mut self, ty: &TypeName, value: &Expr, span: Span) -> (Code, Type) {
        let ty = self.resolve(ty);
        let (code, found) = self.expr(value);
        (self.cast_code(code, &found, &ty, span), ty)
    }

    fn cast_code(&mut self, code: Code, found: &Type, ty: &Type, span: Span) -> Code {
        match (found, ty) {
            (Type::Nullable(inner), to) if !matches!(to, Type::Nullable(_) | Type::Object) => {
                let code = Code::Op(Op::Library(Library::Unwrap), vec![code], span);
                self.cast_code(code, inner, ty, span)
            }
            (from, Type::Nullable(to)) if !from.has_null() => self.cast_code(code, from, to, span),
            (Type::Enum(id), Type::Int | Type::Long) => {
                self.name_all(*id);
                Code::Op(Op::ElementNumber, vec![code], span)
            }
            (Type::Enum(from), Type::Enum(to)) if from != to => {
                self.name_all(*from);
                self.name_all(*to);
                let number = Code::Op(Op::ElementNumber, vec![code], span);
                Code::Op(Op::NumberElement(*to), vec![number], span)
            }
            (Type::Int | Type::Long, Type::Enum(id)) => {
                self.name_all(*id);
                let known = &self.compiler.all.enums[id.0 as usize];
                if let Code::Constant(Value::Int(number)) = &code
                    && !known.elements.iter().any(|(_, other)| other == number)
                {
                    let message = format!("no element of `{}` has the number {number}", known.name);
                    self.error("csharp::no-element", message, span);
                }
                Code::Op(Op::NumberElement(*id), vec![code], span)
            }
            (Type::Char, Type::Char) => code,
            (from, Type::Char) if from.is_number() => Code::Op(Op::ToChar, vec![code], span),
            (from, to) if from.is_number() && to.is_number() => match self.number(to, span) {
                Some(number) => Code::Op(Op::Convert(number), vec![code], span),
                None => code,
            },
            (from, to) if from.fits(to) => self.convert(code, from, to, span),
            _ => {
                let message = format!("`{}` cannot become `{}`", self.shown(found), self.shown(ty));
                self.error("csharp::type-mismatch", message, span);
                code
            }
        }
    }
}

/// The type of values that are there.
pub(crate) fn bare(ty: &Type) -> &Type {
    if let Type::Nullable(inner) = ty { inner } else { ty }
}

fn of_number(number: Number) -> Type {
    match number {
        Number::Int => Type::Int,
        Number::Long => Type::Long,
        Number::Double => Type::Double,
    }
}
