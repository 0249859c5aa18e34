//! From syntax to code: names, members and expressions other than operators.

use std::sync::Arc;

use fathom_source::Span;

use crate::code::{Code, Instr, Lambda, Library, Op};
use crate::compile::Body;
use crate::declare::{Declared, Instances, element_place};
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

    pub(crate) fn unknown() -> (Code, Type) {
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
                let mut codes = Vec::new();
                for part in parts {
                    let (code, ty) = self.expr(part);
                    codes.push(self.as_text(code, &ty, part.span));
                }
                (Code::Op(Op::Concat, codes, span), Type::Text)
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
            Some(meaning) => {
                self.no_value(&meaning, expr.span);
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
        if let (true, Some(ExprKind::Bool(value))) =
            (known.is_literal, known.value.as_ref().map(|value| &*value.kind))
        {
            // Whether code can be reached depends on it.
            return Meaning::Value(Code::Constant(Value::Bool(*value)), ty);
        }
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
        let Some(place) = element_place(&known.elements, &name.text) else {
            return self.no_member(&Type::Enum(id), name);
        };
        self.compiler.named_elements.insert((id, place));
        Some(Meaning::Value(Code::Constant(Value::Element(known.kind, place)), Type::Enum(id)))
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
                LambdaBody::Block(block) => inner.lambda_block(block, result, span),
                LambdaBody::Expr(value) => {
                    let (code, found) = inner.expr_as(value, result);
                    let code = inner.convert(code, &found, result, value.span);
                    (vec![Instr::Return(Some(code))], found)
                }
            };
            let (first, n_locals) = (inner.frozen, inner.n_locals);
            (Some(Lambda { parameters: slots, first, is_method: false, n_locals, body }), found)
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
