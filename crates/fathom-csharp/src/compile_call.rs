//! From syntax to code: calls, and what `new` makes.

use fathom_source::Span;

use crate::code::{Code, Instr, Library, Op, Pass, Target};
use crate::compile::Body;
use crate::compile_expression::{Meaning, empty};
use crate::declare::{Instances, ParameterInfo};
use crate::library::{self, Known};
use crate::syntax::{Argument, Expr, ExprKind, Name, Passing, TypeName, TypeNameKind};
use crate::types::{ClassId, Type};
use crate::value::Value;

/// An argument whose type may have to wait for the one that is wanted.
enum Given<'a> {
    Known(Code, Type),
    Later(&'a Expr),
    Place(Target, Type),
}

impl Given<'_> {
    fn fits(&self, wanted: &Type, passing: Passing) -> bool {
        match self {
            Given::Known(_, ty) => passing != Passing::Out && ty.fits(wanted),
            Given::Later(expr) => match (&*expr.kind, wanted) {
                (ExprKind::Lambda(parameters, _), Type::Function(types, _)) => {
                    parameters.len() == types.len()
                }
                (ExprKind::Lambda(..), _) => false,
                _ => true,
            },
            Given::Place(_, ty) => matches!(passing, Passing::Out | Passing::Ref) && ty.same(wanted),
        }
    }

    fn is_exact(&self, wanted: &Type) -> bool {
        match self {
            Given::Known(_, ty) => ty == wanted,
            _ => true,
        }
    }
}

impl Body<'_, '_> {
    fn given<'a>(&mut self, arguments: &'a [Argument]) -> Vec<Given<'a>> {
        let mut given = Vec::new();
        for argument in arguments {
            given.push(match argument.passing {
                Passing::Value | Passing::Rest => match &*argument.value.kind {
                    ExprKind::Lambda(..) | ExprKind::Default(None) => Given::Later(&argument.value),
                    _ => {
                        let (code, ty) = self.expr(&argument.value);
                        Given::Known(code, ty)
                    }
                },
                Passing::Out | Passing::Ref => {
                    let place = match &argument.declares {
                        Some((ty, name)) => {
                            let ty = match ty.kind {
                                TypeNameKind::Implicit => Type::Unknown,
                                _ => self.resolve(ty),
                            };
                            let slot = self.declare(&name.text, ty.clone());
                            Some((Target::Local(slot), ty))
                        }
                        None => self.target(&argument.value),
                    };
                    let (target, ty) = place.unwrap_or((Target::Nowhere, Type::Unknown));
                    Given::Place(target, ty)
                }
            });
        }
        given
    }

    fn take(&mut self, given: Given<'_>, wanted: &Type, span: Span) -> (Code, Type) {
        match given {
            Given::Known(code, ty) => (self.convert(code, &ty, wanted, span), ty),
            Given::Later(expr) => {
                let (code, ty) = self.expr_as(expr, wanted);
                (self.convert(code, &ty, wanted, span), ty)
            }
            Given::Place(..) => {
                self.error("csharp::type-mismatch", "a value is wanted here".to_string(), span);
                (Code::Constant(Value::Null), Type::Unknown)
            }
        }
    }

    pub(crate) fn call(&mut self, function: &Expr, arguments: &[Argument], span: Span) -> (Code, Type) {
        let unknown = (Code::Constant(Value::Null), Type::Unknown);
        let Some(meaning) = self.meaning(function) else {
            arguments.iter().for_each(|argument| drop(self.given(std::slice::from_ref(argument))));
            return unknown;
        };
        match meaning {
            Meaning::Methods(methods, instance) => self.call_method(&methods, instance, arguments, span),
            Meaning::OfValue(code, ty, name) => self.call_of_value(code, &ty, &name, arguments, span),
            Meaning::OfType(ty, name) => self.call_of_type(&ty, &name, arguments, span),
            Meaning::Path(path) => self.call_of_library(&path, arguments, span),
            Meaning::Value(code, Type::Function(parameters, result)) => {
                let given = self.given(arguments);
                if given.len() != parameters.len() {
                    self.wrong_count(parameters.len(), span);
                    return unknown;
                }
                let given = given.into_iter().zip(&parameters);
                let arguments = given.map(|(given, wanted)| self.take(given, wanted, span).0).collect();
                (Code::Invoke(Box::new(code), arguments, span), *result)
            }
            Meaning::Value(_, Type::Unknown) => unknown,
            Meaning::Value(..) | Meaning::Declared(_) | Meaning::Type(_) => {
                self.error("csharp::no-method", "this is not a method".to_string(), function.span);
                unknown
            }
        }
    }

    fn wrong_count(&mut self, wanted: usize, span: Span) {
        let word = if wanted == 1 { "argument is" } else { "arguments are" };
        self.error("csharp::wrong-arguments", format!("{wanted} {word} wanted here"), span);
    }

    fn call_method(
        &mut self,
        methods: &[usize],
        instance: Option<Code>,
        arguments: &[Argument],
        span: Span,
    ) -> (Code, Type) {
        let unknown = (Code::Constant(Value::Null), Type::Unknown);
        let given = self.given(arguments);
        let Some(method) = self.choose(methods, &given, span) else { return unknown };
        let known = &self.compiler.all.methods[method];
        let receiver = if known.is_static { None } else { self.receiver(instance, span) };
        self.compiler.ask(method);
        let passes = self.passes(&known.parameters, given, span);
        (Code::Call(method as u32, receiver.map(Box::new), passes, span), known.returns.clone())
    }

    /// The method that fits best.
    fn choose(&mut self, methods: &[usize], given: &[Given<'_>], span: Span) -> Option<usize> {
        let all = self.compiler.all;
        let fits = |method: &&usize| {
            let parameters = &all.methods[**method].parameters;
            let has_rest = parameters.last().is_some_and(|last| last.passing == Passing::Rest);
            if has_rest {
                return given.len() + 1 >= parameters.len();
            }
            let mut pairs = given.iter().zip(parameters);
            given.len() == parameters.len() && pairs.all(|(given, one)| given.fits(&one.ty, one.passing))
        };
        let n_exact = |method: &&usize| {
            let pairs = given.iter().zip(&all.methods[**method].parameters);
            pairs.filter(|(given, wanted)| given.is_exact(&wanted.ty)).count()
        };
        // Of equals the first.
        let best = methods.iter().filter(fits).rev().max_by_key(n_exact);
        if let Some(best) = best {
            return Some(*best);
        }
        match methods {
            // One method: say which argument does not fit.
            [only] if all.methods[*only].parameters.len() == given.len() => Some(*only),
            [only] => {
                self.wrong_count(all.methods[*only].parameters.len(), span);
                None
            }
            _ => {
                let message = "no method of this name takes these arguments".to_string();
                self.error("csharp::wrong-arguments", message, span);
                None
            }
        }
    }

    fn passes(&mut self, parameters: &[ParameterInfo], given: Vec<Given<'_>>, span: Span) -> Vec<Pass> {
        let mut passes = Vec::new();
        let mut given = given.into_iter();
        for parameter in parameters {
            if parameter.passing == Passing::Rest {
                let element = parameter.ty.element().unwrap_or(Type::Unknown);
                let rest: Vec<Given<'_>> = given.by_ref().collect();
                if let [Given::Known(code, ty)] = &rest[..]
                    && ty.fits(&parameter.ty)
                {
                    passes.push(Pass::Value(code.clone()));
                    continue;
                }
                let rest = rest.into_iter().map(|given| self.take(given, &element, span).0).collect();
                passes.push(Pass::Value(Code::ArrayOf(rest)));
                continue;
            }
            let Some(given) = given.next() else { break };
            passes.push(match (given, parameter.passing) {
                (Given::Place(target, _), Passing::Out) => Pass::Out(target),
                (Given::Place(target, _), Passing::Ref) => Pass::Ref(read(&target), target),
                (given, _) => Pass::Value(self.take(given, &parameter.ty, span).0),
            });
        }
        passes
    }

    /// A method of the library with these arguments, if one fits.
    fn call_known(
        &mut self,
        code: Option<Code>,
        known: Vec<Known>,
        given: Vec<Given<'_>>,
        span: Span,
    ) -> Option<(Code, Type)> {
        let fits = |known: &Known| {
            let mut pairs = given.iter().zip(&known.parameters);
            pairs.all(|(given, wanted)| given.fits(wanted, Passing::Value))
        };
        let place = known.iter().position(fits).unwrap_or(0);
        let Known { member: library, parameters, result } = known.into_iter().nth(place)?;
        let mut result = result;
        let mut codes: Vec<Code> = code.into_iter().collect();
        for (given, wanted) in given.into_iter().zip(&parameters) {
            let (code, found) = self.take(given, wanted, span);
            codes.push(code);
            if let (Library::Convert, Type::Function(_, gives)) = (library, found) {
                result = match result {
                    Type::Set(_) => Type::Set(gives),
                    Type::Bag(_) => Type::Bag(gives),
                    _ => Type::Sequence(gives),
                };
            }
        }
        Some((Code::Op(Op::Library(library), codes, span), result))
    }

    fn call_of_value(
        &mut self,
        code: Code,
        ty: &Type,
        name: &Name,
        arguments: &[Argument],
        span: Span,
    ) -> (Code, Type) {
        let unknown = (Code::Constant(Value::Null), Type::Unknown);
        let given = self.given(arguments);
        if *ty == Type::Unknown {
            return unknown;
        }
        if let (Type::Map(_, _), "TryGetValue", 2) = (ty, name.text.as_str(), given.len()) {
            return self.try_get(code, ty, given, span);
        }
        match (name.text.as_str(), given.len()) {
            ("ToString", 0) => return (Code::Op(Op::Library(Library::ToText), vec![code], span), Type::Text),
            ("Equals", 1) => {
                let mut given = given;
                let wanted = if ty.is_number() { Type::Object } else { ty.clone() };
                let Some(other) = given.pop() else { return unknown };
                let (other, _) = self.take(other, &wanted, span);
                return (Code::Op(Op::Equal(true), vec![code, other], span), Type::Bool);
            }
            _ => (),
        }
        let known = library::methods(ty, &name.text, given.len());
        if known.is_empty() {
            self.no_member::<()>(ty, name);
            return unknown;
        }
        if name.text == "Choose" && ty.element().is_some_and(|element| matches!(element, Type::Class(_))) {
            let message = "the first in an order that nobody knows is taken".to_string();
            let warning = fathom_source::Diagnostic::warning("csharp::choice", message);
            let note = "a program that asks for it may not be symmetric in the names of objects";
            self.compiler.diagnostics.push(warning.at(name.span, "").note(note));
        }
        self.call_known(Some(code), known, given, span).unwrap_or(unknown)
    }

    fn try_get(&mut self, map: Code, ty: &Type, given: Vec<Given<'_>>, span: Span) -> (Code, Type) {
        let Type::Map(key, value) = ty else { return (map, Type::Unknown) };
        let mut given = given.into_iter();
        let key = given.next().map(|given| self.take(given, key, span).0);
        let target = match given.next() {
            Some(Given::Place(target, found)) => {
                // `out var x` learns its type here.
                if found == Type::Unknown
                    && let Target::Local(slot) = target
                {
                    self.learn(slot, value);
                }
                target
            }
            _ => {
                self.error("csharp::type-mismatch", "an `out` argument is wanted here".to_string(), span);
                Target::Nowhere
            }
        };
        let key = key.unwrap_or(Code::Constant(Value::Null));
        let missing = self.default(value);
        (Code::TryGet(Box::new(map), Box::new(key), Box::new(target), missing, span), Type::Bool)
    }

    fn call_of_type(&mut self, ty: &Type, name: &Name, arguments: &[Argument], span: Span) -> (Code, Type) {
        let unknown = (Code::Constant(Value::Null), Type::Unknown);
        if let Type::Class(class) = ty {
            if !arguments.is_empty() {
                self.wrong_count(0, span);
            }
            self.ask_creation(*class);
            return (Code::Create(*class), ty.clone());
        }
        let given = self.given(arguments);
        let class = match ty {
            Type::Text => "string",
            Type::Double => "double",
            Type::Int => "int",
            _ => "",
        };
        if let (Type::Set(_), "BigUnion", 1) = (ty, name.text.as_str(), given.len()) {
            let wanted = Type::Enumerable(Box::new(ty.clone()));
            let known = Known { member: Library::BigUnion, parameters: vec![wanted], result: ty.clone() };
            return self.call_known(None, vec![known], given, span).unwrap_or(unknown);
        }
        match library::static_method(class, &name.text, given.len()) {
            Some(known) => self.call_known(None, vec![known], given, span).unwrap_or(unknown),
            None => {
                self.no_member::<()>(ty, name);
                unknown
            }
        }
    }

    /// Sees to it that what a fresh object runs is compiled.
    pub(crate) fn ask_creation(&mut self, class: ClassId) {
        let all = self.compiler.all;
        for method in all.methods(class, "Initialize") {
            self.compiler.ask(method);
        }
        for constructor in &all.classes[class.0 as usize].constructors {
            if all.methods[*constructor].parameters.is_empty() {
                self.compiler.ask(*constructor);
            }
        }
    }

    fn call_of_library(&mut self, path: &[String], arguments: &[Argument], span: Span) -> (Code, Type) {
        let unknown = (Code::Constant(Value::Null), Type::Unknown);
        let path: Vec<&str> = path.iter().map(String::as_str).filter(|part| *part != "System").collect();
        if let (["Enum", "GetValues"], [argument]) = (&path[..], arguments) {
            if let ExprKind::TypeOf(ty) = &*argument.value.kind
                && let Type::Enum(id) = self.resolve(ty)
            {
                let ty = Type::Enumerable(Box::new(Type::Enum(id)));
                return (Code::Op(Op::Elements(id), Vec::new(), span), ty);
            }
            self.unsupported("this argument", argument.value.span);
            return unknown;
        }
        let given = self.given(arguments);
        match (&path[..], given.len()) {
            (["Math", name @ ("Min" | "Max")], 2) => {
                let library = if *name == "Min" { Library::Min } else { Library::Max };
                self.math(library, given, span)
            }
            (["Math", "Abs"], 1) => self.math(Library::Abs, given, span),
            (["Object" | "object", "Equals" | "ReferenceEquals"], 2) => {
                let codes = given.into_iter().map(|given| self.take(given, &Type::Object, span).0).collect();
                (Code::Op(Op::Equal(true), codes, span), Type::Bool)
            }
            (["Console", name], n) => match library::static_method("Console", name, n) {
                Some(known) => self.call_known(None, vec![known], given, span).unwrap_or(unknown),
                None => {
                    self.unsupported("this", span);
                    unknown
                }
            },
            _ => {
                let message = format!("there is no method `{}` here", path.join("."));
                self.error("csharp::unknown-name", message, span);
                unknown
            }
        }
    }

    fn math(&mut self, library: Library, given: Vec<Given<'_>>, span: Span) -> (Code, Type) {
        let rank = |given: &Given<'_>| match given {
            Given::Known(_, Type::Double) => 2,
            Given::Known(_, Type::Long) => 1,
            _ => 0,
        };
        let ty = [Type::Int, Type::Long, Type::Double][given.iter().map(rank).max().unwrap_or(0)].clone();
        let codes = given.into_iter().map(|given| self.take(given, &ty, span).0).collect();
        (Code::Op(Op::Library(library), codes, span), ty)
    }

    pub(crate) fn new_value(&mut self, ty: &TypeName, arguments: &[Argument], span: Span) -> (Code, Type) {
        let unknown = (Code::Constant(Value::Null), Type::Unknown);
        let ty = self.resolve(ty);
        let given = self.given(arguments);
        let code = match &ty {
            Type::Unknown => return unknown,
            Type::Set(_) if given.is_empty() => empty(&ty, span),
            Type::Bag(_) | Type::Sequence(_) | Type::Map(..) if given.is_empty() => empty(&ty, span),
            Type::Set(element) => self.collect(element, given, [Library::NewSet, Library::SetOf], span),
            Type::Bag(element) => self.collect(element, given, [Library::NewBag, Library::BagOf], span),
            Type::Sequence(element) => {
                self.collect(element, given, [Library::NewSequence, Library::SequenceOf], span)
            }
            Type::Map(key, value) => self.new_map(key, value, given, span),
            Type::Tuple(parts) => {
                if parts.len() != given.len() {
                    self.wrong_count(parts.len(), span);
                    return (Code::Constant(Value::Null), ty);
                }
                let parts = given.into_iter().zip(parts).map(|(given, part)| self.take(given, part, span).0);
                let parts = parts.collect();
                Code::Op(Op::Library(Library::NewTuple), parts, span)
            }
            Type::Class(class) => return self.new_instance(*class, given, span),
            _ => {
                let message = format!("`{}` is not made with `new` here", self.shown(&ty));
                self.error("csharp::unsupported", message, span);
                return unknown;
            }
        };
        (code, ty)
    }

    /// A collection of values, or of the members of one value.
    fn collect(&mut self, element: &Type, given: Vec<Given<'_>>, how: [Library; 2], span: Span) -> Code {
        if let [Given::Known(code, ty)] = &given[..]
            && !ty.fits(element)
            && ty.element().is_some_and(|found| found.same(element))
        {
            return Code::Op(Op::Library(how[1]), vec![code.clone()], span);
        }
        let codes = given.into_iter().map(|given| self.take(given, element, span).0).collect();
        Code::Op(Op::Library(how[0]), codes, span)
    }

    fn new_map(&mut self, key: &Type, value: &Type, given: Vec<Given<'_>>, span: Span) -> Code {
        let pair = Type::Tuple(vec![key.clone(), value.clone()]);
        if let [Given::Known(code, ty)] = &given[..]
            && ty.element().is_some_and(|found| found.same(&pair))
        {
            return Code::Op(Op::Library(Library::MapOf), vec![code.clone()], span);
        }
        let is_pairs = given.iter().all(|given| given.fits(&pair, Passing::Value));
        if !is_pairs && !given.len().is_multiple_of(2) {
            self.error("csharp::wrong-arguments", "a key without a value".to_string(), span);
        }
        let mut codes = Vec::new();
        for (place, given) in given.into_iter().enumerate() {
            let wanted = if is_pairs { &pair } else { [key, value][place % 2] };
            codes.push(self.take(given, wanted, span).0);
        }
        if is_pairs {
            let pairs = Code::Op(Op::Library(Library::NewSequence), codes, span);
            return Code::Op(Op::Library(Library::MapOf), vec![pairs], span);
        }
        Code::Op(Op::Library(Library::NewMap), codes, span)
    }

    fn new_instance(&mut self, class: ClassId, given: Vec<Given<'_>>, span: Span) -> (Code, Type) {
        let unknown = (Code::Constant(Value::Null), Type::Class(class));
        let all = self.compiler.all;
        let known = &all.classes[class.0 as usize];
        match known.instances {
            Instances::Values => (),
            Instances::Objects => {
                let message = format!("objects are made by `{}.Create()`", known.name.text);
                self.error("csharp::new-object", message, span);
                return unknown;
            }
            Instances::None => {
                let message = format!(
                    "`{}` derives from neither `CompoundValue` nor `LabeledInstance`",
                    known.name.text
                );
                self.error("csharp::unsupported", message, span);
                return unknown;
            }
        }
        if known.constructors.is_empty() {
            if !given.is_empty() {
                self.wrong_count(0, span);
            }
            return (Code::New(class, None, Vec::new()), Type::Class(class));
        }
        let Some(constructor) = self.choose(&known.constructors.clone(), &given, span) else {
            return unknown;
        };
        self.compiler.ask(constructor);
        let arguments = self.values(constructor, given, span);
        (Code::New(class, Some(constructor as u32), arguments), Type::Class(class))
    }

    fn values(&mut self, method: usize, given: Vec<Given<'_>>, span: Span) -> Vec<Code> {
        let parameters = &self.compiler.all.methods[method].parameters;
        let passes = self.passes(parameters, given, span);
        let value = |pass| match pass {
            Pass::Value(code) => code,
            _ => Code::Constant(Value::Null),
        };
        passes.into_iter().map(value).collect()
    }

    /// `: this(…)` of a constructor of compound values: the fields of what the other makes.
    pub(crate) fn delegate(&mut self, arguments: &[Argument], span: Span, from: u32, out: &mut Vec<Instr>) {
        let all = self.compiler.all;
        let known = &all.classes[self.class.0 as usize];
        let others: Vec<usize> =
            known.constructors.iter().copied().filter(|other| *other != from as usize).collect();
        if known.instances != Instances::Values || others.is_empty() {
            return self.unsupported("a constructor that calls another here", span);
        }
        let given = self.given(arguments);
        let Some(other) = self.choose(&others, &given, span) else { return };
        self.compiler.ask(other);
        let arguments = self.values(other, given, span);
        let made = self.declare(" made", Type::Class(self.class));
        out.push(Instr::Let(made, Code::New(self.class, Some(other as u32), arguments)));
        for (place, (_, slot)) in self.fields.clone().into_iter().enumerate() {
            out.push(Instr::Let(slot, Code::Part(Box::new(Code::Local(made)), place as u32, span)));
        }
    }
}

/// The value of what is assigned to.
pub(crate) fn read(target: &Target) -> Code {
    match target {
        Target::Local(slot) => Code::Local(*slot),
        Target::Static(field) => Code::Static(*field),
        Target::Field(object, field, span) => Code::Field(Box::new(object.clone()), *field, *span),
        Target::Element(array, index, span) => {
            Code::ArrayAt(Box::new(array.clone()), Box::new(index.clone()), *span)
        }
        Target::Setter(..) | Target::Nowhere => Code::Constant(Value::Null),
    }
}
