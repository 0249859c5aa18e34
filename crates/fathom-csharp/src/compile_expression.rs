//! From syntax to code: expressions, operators, assignments.

use std::sync::Arc;

use fathom_source::Span;

use crate::code::{Code, Instr, Lambda, Library, Number, Op, Target};
use crate::compile::Body;
use crate::declare::{Declared, Instances};
use crate::library::{self, OfType};
use crate::syntax::{Expr, ExprKind, LambdaBody, Name, Parameter, TypeName, TypeNameKind};
use crate::types::{ClassId, EnumId, Type};
use crate::value::Value;

/// What a name or a path means.
pub(crate) enum Meaning {
    /// A value.
    Value(Code, Type),
    /// A type of the program.
    Declared(Declared),
    /// A type of the library.
    Type(Type),
    /// A class of the library, or a part of a path.
    Path(Vec<String>),
    /// Methods with a name, of an instance if there is one.
    Methods(Vec<usize>, Option<Code>),
    /// A method of the library, of a value.
    OfValue(Code, Type, Name),
    /// A method of the library, of a type.
    OfType(Type, Name),
}

impl Body<'_, '_> {
    /// Code for an expression that has a value.
    pub(crate) fn expr(&mut self, expr: &Expr) -> (Code, Type) {
        let (code, ty) = self.expr_or_void(expr);
        if ty == Type::Void {
            self.error("csharp::type-mismatch", "a value is wanted here".to_string(), expr.span);
            return (code, Type::Unknown);
        }
        (code, ty)
    }

    fn unknown() -> (Code, Type) {
        (Code::Constant(Value::Null), Type::Unknown)
    }

    /// Code for an expression, for its value or its effect.
    pub(crate) fn expr_or_void(&mut self, expr: &Expr) -> (Code, Type) {
        let span = expr.span;
        match &*expr.kind {
            ExprKind::Error => Body::unknown(),
            ExprKind::Null => (Code::Constant(Value::Null), Type::Null),
            ExprKind::Bool(value) => (Code::Constant(Value::Bool(*value)), Type::Bool),
            ExprKind::Int(value, is_long) => {
                (Code::Constant(Value::Int(*value)), if *is_long { Type::Long } else { Type::Int })
            }
            ExprKind::Double(value) => (Code::Constant(Value::double(*value)), Type::Double),
            ExprKind::Text(text) => (Code::Constant(Value::text(text)), Type::Text),
            ExprKind::Char(value) => (Code::Constant(Value::Char(*value)), Type::Char),
            ExprKind::Interpolated(parts) => {
                let parts = parts.iter().map(|part| self.expr(part).0).collect();
                (Code::Op(Op::Concat, parts, span), Type::Text)
            }
            ExprKind::Name(..) | ExprKind::Member(..) | ExprKind::Type(_) => self.named(expr),
            ExprKind::This => match self.this {
                Some(slot) => (Code::Local(slot), Type::Class(self.class)),
                None => {
                    self.error("csharp::no-instance", "there is no `this` here".to_string(), span);
                    Body::unknown()
                }
            },
            ExprKind::Base => {
                self.unsupported("`base`", span);
                Body::unknown()
            }
            ExprKind::Index(object, arguments) => self.index(object, arguments, span),
            ExprKind::Call(function, arguments) => self.call(function, arguments, span),
            ExprKind::New(ty, arguments) => self.new_value(ty, arguments, span),
            ExprKind::NewArray(ty, size, values) => {
                self.new_array(ty.as_ref(), size.as_ref(), values.as_deref(), span)
            }
            ExprKind::Unary(operator, value) => self.unary(operator, value, span),
            ExprKind::Step(amount, gives_old, target) => self.step(*amount, *gives_old, target, span),
            ExprKind::Binary(operator, left, right) => self.binary(operator, left, right, span),
            ExprKind::Assign(target, operator, value) => self.assign(target, *operator, value, span),
            ExprKind::Conditional(condition, then, other) => {
                let condition = self.wanted(condition, &Type::Bool);
                let (then_code, then_ty) = self.expr(then);
                let (other_code, other_ty) = self.expr(other);
                let ty = if then_ty.fits(&other_ty) { other_ty.clone() } else { then_ty.clone() };
                let then = self.convert(then_code, &then_ty, &ty, then.span);
                let other = self.convert(other_code, &other_ty, &ty, other.span);
                (Code::If(Box::new(condition), Box::new(then), Box::new(other)), ty)
            }
            ExprKind::Cast(ty, value) => self.cast(ty, value, span),
            ExprKind::Default(Some(ty)) => {
                let ty = self.resolve(ty);
                if let Type::Enum(id) = ty {
                    self.name_all(id);
                    let all = self.compiler.all;
                    return (Code::Constant(crate::compile::zero_element(all, id)), ty);
                }
                (Code::Constant(self.default(&ty)), ty)
            }
            ExprKind::Default(None) => {
                self.unsupported("`default` without a type here", span);
                Body::unknown()
            }
            ExprKind::TypeOf(_) => {
                self.unsupported("`typeof` here", span);
                Body::unknown()
            }
            ExprKind::Lambda(..) => {
                self.unsupported("a function whose type is not known", span);
                Body::unknown()
            }
        }
    }

    /// A name or a path that has to be a value.
    fn named(&mut self, expr: &Expr) -> (Code, Type) {
        match self.meaning(expr) {
            Some(Meaning::Value(code, ty)) => (code, ty),
            Some(_) => {
                self.error("csharp::no-value", "this is not a value".to_string(), expr.span);
                Body::unknown()
            }
            None => Body::unknown(),
        }
    }

    /// What an expression means that may be a type, a method or a value; none if a diagnostic says why.
    pub(crate) fn meaning(&mut self, expr: &Expr) -> Option<Meaning> {
        match &*expr.kind {
            ExprKind::Name(name) => self.name(name, expr.span),
            ExprKind::Type(ty) => match self.resolve(ty) {
                Type::Class(id) => Some(Meaning::Declared(Declared::Class(id))),
                Type::Enum(id) => Some(Meaning::Declared(Declared::Enum(id))),
                ty => Some(Meaning::Type(ty)),
            },
            ExprKind::Member(object, name) => self.member(object, name),
            ExprKind::Error => None,
            _ => {
                let (code, ty) = self.expr(expr);
                Some(Meaning::Value(code, ty))
            }
        }
    }

    fn name(&mut self, name: &str, span: Span) -> Option<Meaning> {
        if let Some(variable) = self.find(name) {
            return Some(Meaning::Value(Code::Local(variable.slot), variable.ty));
        }
        let mut outer = Some(self.class);
        while let Some(class) = outer {
            if let Some(found) = self.class_member(class, name, None, span) {
                return Some(found);
            }
            outer = self.compiler.all.classes[class.0 as usize].outer;
        }
        if let Some(found) = self.compiler.all.find_type(&[name.to_string()], self.class) {
            return Some(Meaning::Declared(found));
        }
        let mut quiet = Vec::new();
        let plain = TypeName { span, kind: TypeNameKind::Named(vec![name.to_string()], Vec::new()) };
        let ty = self.compiler.all.resolve(&plain, self.class, &mut quiet);
        if quiet.is_empty() && ty != Type::Object {
            return Some(Meaning::Type(ty));
        }
        Some(Meaning::Path(vec![name.to_string()]))
    }

    /// A member of a class, of an instance if there is one, else of this one or of the class.
    fn class_member(
        &mut self,
        class: ClassId,
        name: &str,
        instance: Option<Code>,
        span: Span,
    ) -> Option<Meaning> {
        let all = self.compiler.all;
        if let Some(field) = all.field(class, name) {
            return Some(self.field(field, instance, span));
        }
        let getters = all.methods(class, &format!("get_{name}"));
        if let Some(getter) = getters.first() {
            let method = &all.methods[*getter];
            let receiver = if method.is_static { None } else { self.receiver(instance, span) };
            self.compiler.ask(*getter);
            let call = Code::Call(*getter as u32, receiver.map(Box::new), Vec::new(), span);
            return Some(Meaning::Value(call, method.returns.clone()));
        }
        let methods = all.methods(class, name);
        (!methods.is_empty()).then_some(Meaning::Methods(methods, instance))
    }

    /// The instance that a member is of: the one given, or `this`.
    pub(crate) fn receiver(&mut self, instance: Option<Code>, span: Span) -> Option<Code> {
        if instance.is_none() && self.this.is_none() {
            self.error(
                "csharp::no-instance",
                "this belongs to instances, and there is none here".to_string(),
                span,
            );
        }
        instance.or(self.this.map(Code::Local))
    }

    fn field(&mut self, field: usize, instance: Option<Code>, span: Span) -> Meaning {
        let known = &self.compiler.all.fields[field];
        let ty = known.ty.clone();
        self.compiler.used_fields.insert(field as u32);
        if known.is_static {
            return Meaning::Value(Code::Static(field as u32), ty);
        }
        if instance.is_none() {
            // While a compound value is made its fields are variables.
            if let Some((_, slot)) = self.fields.iter().find(|(known, _)| *known == field) {
                return Meaning::Value(Code::Local(*slot), ty);
            }
        }
        let class = &self.compiler.all.classes[known.class.0 as usize];
        let instances = class.instances;
        let place = self.compiler.all.instance_fields(known.class).iter().position(|other| *other == field);
        let Some(receiver) = self.receiver(instance, span) else {
            return Meaning::Value(Code::Constant(Value::Null), ty);
        };
        let receiver = Box::new(receiver);
        match instances {
            Instances::Values => {
                Meaning::Value(Code::Part(receiver, place.unwrap_or_default() as u32, span), ty)
            }
            _ => Meaning::Value(Code::Field(receiver, field as u32, span), ty),
        }
    }

    fn member(&mut self, object: &Expr, name: &Name) -> Option<Meaning> {
        // In a constructor of a compound value `this.f` is a variable.
        if matches!(&*object.kind, ExprKind::This) && self.this.is_none() && !self.fields.is_empty() {
            let field = self.compiler.all.field(self.class, &name.text);
            if let Some(field) = field {
                return Some(self.field(field, None, name.span));
            }
        }
        match self.meaning(object)? {
            Meaning::Value(code, ty) => self.value_member(object, code, ty, name),
            Meaning::Declared(Declared::Enum(id)) => self.element(id, name),
            Meaning::Declared(Declared::Class(class)) => {
                let found = self.class_member(class, &name.text, None, name.span);
                if found.is_some() {
                    return found;
                }
                let path = [self.compiler.all.classes[class.0 as usize].name.text.clone(), name.text.clone()];
                if let Some(found) = self.compiler.all.find_type(&path, class) {
                    return Some(Meaning::Declared(found));
                }
                if name.text == "Create"
                    && self.compiler.all.classes[class.0 as usize].instances == Instances::Objects
                {
                    return Some(Meaning::OfType(Type::Class(class), name.clone()));
                }
                self.no_member(&Type::Class(class), name)
            }
            Meaning::Type(ty) => match library::static_property(&ty, &name.text) {
                Some(OfType::Empty) => Some(Meaning::Value(empty(&ty, name.span), ty)),
                Some(OfType::Constant(value, ty)) => Some(Meaning::Value(Code::Constant(value), ty)),
                None => Some(Meaning::OfType(ty, name.clone())),
            },
            Meaning::Path(mut path) => {
                path.push(name.text.clone());
                if let Some(found) = self.compiler.all.find_type(&path, self.class) {
                    return Some(Meaning::Declared(found));
                }
                Some(Meaning::Path(path))
            }
            _ => {
                self.error("csharp::no-value", "a method has no members".to_string(), object.span);
                None
            }
        }
    }

    fn value_member(&mut self, object: &Expr, code: Code, ty: Type, name: &Name) -> Option<Meaning> {
        if let Type::Class(class) = ty {
            let found = self.class_member(class, &name.text, Some(code.clone()), name.span);
            if found.is_some() {
                return found;
            }
        }
        if let (Type::Array(_), "Length") = (&ty, name.text.as_str()) {
            return Some(Meaning::Value(Code::ArrayLength(Box::new(code), name.span), Type::Int));
        }
        if let Some(known) = library::property(&ty, &name.text) {
            let op = Op::Library(known.member);
            return Some(Meaning::Value(Code::Op(op, vec![code], name.span), known.result));
        }
        // `Color Color`: a name that is a value and its type.
        if let ExprKind::Name(text) = &*object.kind
            && let Some(found) = self.compiler.all.find_type(std::slice::from_ref(text), self.class)
        {
            match found {
                Declared::Enum(id) if ty == Type::Enum(id) => return self.element(id, name),
                Declared::Class(class) if ty == Type::Class(class) => {
                    return self.class_member(class, &name.text, None, name.span);
                }
                _ => (),
            }
        }
        Some(Meaning::OfValue(code, ty, name.clone()))
    }

    fn element(&mut self, id: EnumId, name: &Name) -> Option<Meaning> {
        let known = &self.compiler.all.enums[id.0 as usize];
        let Some(place) = known.elements.iter().position(|(element, _)| *element == name.text) else {
            return self.no_member(&Type::Enum(id), name);
        };
        self.compiler.named_elements.insert((id, place as u32));
        Some(Meaning::Value(Code::Constant(Value::Element(known.kind, place as u32)), Type::Enum(id)))
    }

    pub(crate) fn no_member<T>(&mut self, ty: &Type, name: &Name) -> Option<T> {
        if *ty != Type::Unknown {
            let message = format!("`{}` has no `{}` that is supported", self.shown(ty), name.text);
            self.error("csharp::unknown-member", message, name.span);
        }
        None
    }

    fn index(&mut self, object: &Expr, arguments: &[Expr], span: Span) -> (Code, Type) {
        let (code, ty) = self.expr(object);
        let [argument] = arguments else {
            self.unsupported("an index of several values", span);
            return Body::unknown();
        };
        let (key, result) = match &ty {
            Type::Map(key, value) => ((**key).clone(), (**value).clone()),
            Type::Sequence(element) | Type::Array(element) => (Type::Int, (**element).clone()),
            Type::Text => (Type::Int, Type::Char),
            Type::Unknown => return Body::unknown(),
            _ => {
                let message = format!("`{}` has no index", self.shown(&ty));
                self.error("csharp::type-mismatch", message, object.span);
                return Body::unknown();
            }
        };
        let index = self.wanted(argument, &key);
        if matches!(ty, Type::Array(_)) {
            return (Code::ArrayAt(Box::new(code), Box::new(index), span), result);
        }
        (Code::Op(Op::Library(Library::Get), vec![code, index], span), result)
    }

    fn new_array(
        &mut self,
        ty: Option<&TypeName>,
        size: Option<&Expr>,
        values: Option<&[Expr]>,
        span: Span,
    ) -> (Code, Type) {
        let declared = ty.map(|ty| self.resolve(ty));
        if let Some(values) = values {
            let mut element = match &declared {
                Some(Type::Array(element)) => (**element).clone(),
                _ => Type::Unknown,
            };
            let mut codes = Vec::new();
            for value in values {
                let (code, found) = self.expr_as(value, &element);
                codes.push(self.convert(code, &found, &element, value.span));
                if element == Type::Unknown {
                    element = found;
                }
            }
            return (Code::ArrayOf(codes), Type::Array(Box::new(element)));
        }
        match (declared, size) {
            (Some(Type::Array(element)), Some(size)) => {
                let size = self.wanted(size, &Type::Int);
                let first = self.default(&element);
                (Code::NewArray(Box::new(size), first, span), Type::Array(element))
            }
            _ => {
                self.unsupported("this array", span);
                Body::unknown()
            }
        }
    }

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

    fn unary(&mut self, operator: &'static str, value: &Expr, span: Span) -> (Code, Type) {
        if operator == "!" {
            let value = self.wanted(value, &Type::Bool);
            return (Code::Op(Op::Not, vec![value], span), Type::Bool);
        }
        let (code, ty) = self.expr(value);
        let Some(number) = self.number(&ty, value.span) else { return Body::unknown() };
        let ty = of_number(number);
        match (operator, number) {
            ("+", _) => (code, ty),
            ("-", _) => (Code::Op(Op::Negate(number), vec![code], span), ty),
            (_, Number::Double) => {
                self.unsupported("`~` of a number with a fraction", span);
                Body::unknown()
            }
            _ => (Code::Op(Op::Complement(number), vec![code], span), ty),
        }
    }

    /// The operation of a binary operator on operands of these types: what to make of the operands, what it is, what it gives.
    fn operation(
        &mut self,
        operator: &'static str,
        left: &Type,
        right: &Type,
        span: Span,
    ) -> Option<(Type, Op, Type)> {
        let collection = matches!(left, Type::Set(_) | Type::Bag(_) | Type::Sequence(_) | Type::Map(..));
        match operator {
            "==" | "!=" => {
                let both = if left.fits(right) { right } else { left };
                if !left.fits(right) && !right.fits(left) {
                    let message =
                        format!("`{}` and `{}` cannot be compared", self.shown(left), self.shown(right));
                    self.error("csharp::type-mismatch", message, span);
                    return None;
                }
                Some((both.clone(), Op::Equal(operator == "=="), Type::Bool))
            }
            "+" if *left == Type::Text || *right == Type::Text => {
                Some((Type::Object, Op::Concat, Type::Text))
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
            "<" | "<=" | ">" | ">=" if matches!(left, Type::Set(_)) => {
                let library = match operator {
                    "<" => Library::IsProperSubset,
                    "<=" => Library::IsSubset,
                    ">" => Library::IsProperSuperset,
                    _ => Library::IsSuperset,
                };
                Some((left.clone(), Op::Library(library), Type::Bool))
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

    fn binary(&mut self, operator: &'static str, left: &Expr, right: &Expr, span: Span) -> (Code, Type) {
        match operator {
            "&&" | "||" => {
                let left = Box::new(self.wanted(left, &Type::Bool));
                let right = Box::new(self.wanted(right, &Type::Bool));
                let code = if operator == "&&" { Code::And(left, right) } else { Code::Or(left, right) };
                return (code, Type::Bool);
            }
            "??" => {
                let (code, ty) = self.expr(left);
                let ty = if let Type::Nullable(inner) = ty { *inner } else { ty };
                let other = self.wanted(right, &ty);
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
        let Some((both, op, result)) = self.operation(operator, &left_ty, &right_ty, span) else {
            return Body::unknown();
        };
        let left = self.convert(left_code, &left_ty, &both, left.span);
        let right = self.convert(right_code, &right_ty, &both, right.span);
        (Code::Op(op, vec![left, right], span), result)
    }

    fn cast(&mut self, ty: &TypeName, value: &Expr, span: Span) -> (Code, Type) {
        let ty = self.resolve(ty);
        let (code, found) = self.expr(value);
        let code = match (&found, &ty) {
            (Type::Enum(id), Type::Int | Type::Long) => {
                self.name_all(*id);
                Code::Op(Op::ElementNumber, vec![code], span)
            }
            (Type::Int | Type::Long, Type::Enum(id)) => {
                self.name_all(*id);
                Code::Op(Op::NumberElement(*id), vec![code], span)
            }
            (from, to) if from.is_number() && to.is_number() && *to != Type::Char => {
                let Some(number) = self.number(to, span) else { return Body::unknown() };
                Code::Op(Op::Convert(number), vec![code], span)
            }
            (Type::Nullable(inner), to) if **inner == *to => {
                Code::Op(Op::Library(Library::Unwrap), vec![code], span)
            }
            (from, to) if from.fits(to) => self.convert(code, from, to, span),
            _ => {
                let message = format!("`{}` cannot become `{}`", self.shown(&found), self.shown(&ty));
                self.error("csharp::type-mismatch", message, span);
                code
            }
        };
        (code, ty)
    }

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
            Code::Local(slot) => Target::Local(slot),
            Code::Static(field) => {
                let known = &self.compiler.all.fields[field as usize];
                if known.is_literal {
                    let message = format!("`{}` is a constant", known.name.text);
                    self.error("csharp::assigned-constant", message, expr.span);
                    return None;
                }
                if !known.is_constant {
                    self.compiler.assigned_statics.insert(field);
                }
                Target::Static(field)
            }
            Code::Field(object, field, span) => Target::Field(*object, field, span),
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
        Some(Some((Target::Setter(setter as u32, receiver, expr.span), ty)))
    }

    fn assign(
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
        if operator == "??" || matches!(place, Target::Setter(..)) {
            self.unsupported("this assignment", span);
            return Body::unknown();
        }
        let (code, found) = self.expr(value);
        if found == Type::Unknown || ty == Type::Unknown {
            return Body::unknown();
        }
        let Some((both, op, result)) = self.operation(operator, &ty, &found, span) else {
            return Body::unknown();
        };
        if !result.fits(&ty) {
            let message =
                format!("`{}` is wanted here, and this is `{}`", self.shown(&ty), self.shown(&result));
            self.error("csharp::type-mismatch", message, span);
            return Body::unknown();
        }
        let value = self.convert(code, &found, &both, value.span);
        (Code::Update(Box::new(place), op, Box::new(value), false, span), ty)
    }

    fn step(&mut self, amount: i64, gives_old: bool, target: &Expr, span: Span) -> (Code, Type) {
        let Some((place, ty)) = self.target(target) else { return Body::unknown() };
        if matches!(place, Target::Setter(..)) {
            self.unsupported("this assignment", span);
            return Body::unknown();
        }
        let Some(number) = self.number(&ty, target.span) else { return Body::unknown() };
        let amount = if number == Number::Double { Value::double(amount as f64) } else { Value::Int(amount) };
        let op = Op::Arithmetic("+", number);
        (Code::Update(Box::new(place), op, Box::new(Code::Constant(amount)), gives_old, span), ty)
    }

    /// A function without a name.
    pub(crate) fn lambda(
        &mut self,
        parameters: &[Parameter],
        body: &LambdaBody,
        wanted: &[Type],
        result: &Type,
        span: Span,
    ) -> (Code, Type) {
        if parameters.len() != wanted.len() {
            let message = format!("a function of {} parameters is wanted here", wanted.len());
            self.error("csharp::type-mismatch", message, span);
            return Body::unknown();
        }
        let outer = std::mem::replace(&mut self.frozen, self.n_locals);
        let (lambda, found) = self.scoped(|inner| {
            let mut slots = Vec::new();
            for (parameter, wanted) in parameters.iter().zip(wanted) {
                let declared = parameter.ty.as_ref().map(|ty| inner.resolve(ty));
                if let Some(declared) = declared.filter(|declared| !declared.same(wanted)) {
                    let message = format!("the parameter is `{}`", inner.shown(wanted));
                    inner.error("csharp::type-mismatch", message, parameter.name.span);
                    return (None, declared);
                }
                slots.push(inner.declare(&parameter.name.text, wanted.clone()));
            }
            let (body, found) = match body {
                LambdaBody::Block(block) => inner.lambda_block(block, result),
                LambdaBody::Expr(value) => {
                    let (code, found) = inner.expr_as(value, result);
                    let code = inner.convert(code, &found, result, value.span);
                    (vec![Instr::Return(Some(code))], found)
                }
            };
            (Some(Lambda { parameters: slots, n_locals: inner.n_locals, body }), found)
        });
        self.frozen = outer;
        let result = if *result == Type::Unknown { found } else { result.clone() };
        match lambda {
            Some(lambda) => {
                (Code::Lambda(Arc::new(lambda)), Type::Function(wanted.to_vec(), Box::new(result)))
            }
            None => Body::unknown(),
        }
    }
}

fn of_number(number: Number) -> Type {
    match number {
        Number::Int => Type::Int,
        Number::Long => Type::Long,
        Number::Double => Type::Double,
    }
}

/// A collection without members.
pub(crate) fn empty(ty: &Type, span: Span) -> Code {
    let value = match ty {
        Type::Set(_) => Value::set(Vec::new()),
        Type::Bag(_) => Value::Bag(Arc::new([])),
        Type::Sequence(_) => Value::sequence(Vec::new()),
        Type::Map(..) => Value::map(Vec::new()),
        _ => return Code::Op(Op::Library(Library::Ignore), Vec::new(), span),
    };
    Code::Constant(value)
}
