//! From syntax to code: calls.

use fathom_source::Span;

use crate::code::{Code, Library, Op, Pass, Target};
use crate::compile::Body;
use crate::compile_expression::Meaning;
use crate::compile_operator::bare;
use crate::declare::{Instances, ParameterInfo};
use crate::library::{self, Known};
use crate::library_text::static_method;
use crate::syntax::{Argument, Expr, ExprKind, Name, Passing, TypeNameKind};
use crate::types::{ClassId, Type};
use crate::value::Value;

/// An argument whose type may have to wait for the one that is wanted.
pub(crate) enum Given<'a> {
    Known(Code, Type),
    Later(&'a Expr),
    /// `ref` or `out`.
    Place(Target, Type, Passing),
}

impl Given<'_> {
    pub(crate) fn fits(&self, wanted: &Type, passing: Passing) -> bool {
        match self {
            Given::Known(_, ty) => !matches!(passing, Passing::Out | Passing::Ref) && ty.fits(wanted),
            Given::Later(expr) => match (&*expr.kind, wanted) {
                (ExprKind::Lambda(parameters, _), Type::Function(types, _)) => {
                    parameters.len() == types.len()
                }
                (ExprKind::Lambda(..), _) => false,
                // A method that is a value.
                (ExprKind::Name(_) | ExprKind::Member(..), wanted) => matches!(wanted, Type::Function(..)),
                _ => true,
            },
            Given::Place(_, ty, written) => passing == *written && ty.same(wanted),
        }
    }

    /// The type, if it is known.
    pub(crate) fn ty(&self) -> Option<&Type> {
        match self {
            Given::Known(_, ty) => Some(ty),
            _ => None,
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
    pub(crate) fn given<'a>(&mut self, arguments: &'a [Argument]) -> Vec<Given<'a>> {
        let mut given = Vec::new();
        for argument in arguments {
            given.push(match argument.passing {
                Passing::Value | Passing::Rest => match &*argument.value.kind {
                    ExprKind::Lambda(..) | ExprKind::Default(None) => Given::Later(&argument.value),
                    _ if self.method_group(&argument.value).is_some() => Given::Later(&argument.value),
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
                            self.open.names.insert(slot, name.clone());
                            self.open.outs.insert(slot);
                            Some((Target::Local(slot), ty))
                        }
                        None if self.is_discard(argument) => None,
                        None => self.target(&argument.value),
                    };
                    let (mut target, ty) = place.unwrap_or((Target::Nowhere, Type::Unknown));
                    if matches!(target, Target::Setter(..)) {
                        let message = "a property is no variable: it cannot be `ref` or `out`".to_string();
                        self.error("csharp::no-target", message, argument.value.span);
                        target = Target::Nowhere;
                    }
                    Given::Place(target, ty, argument.passing)
                }
            });
        }
        given
    }

    /// Whether it is `out _`, and nothing has that name.
    fn is_discard(&mut self, argument: &Argument) -> bool {
        let is_underscore = matches!(&*argument.value.kind, ExprKind::Name(name) if name == "_");
        argument.passing == Passing::Out
            && is_underscore
            && self.find("_").is_none()
            && self.compiler.all.field(self.class, "_").is_none()
    }

    pub(crate) fn take(&mut self, given: Given<'_>, wanted: &Type, span: Span) -> (Code, Type) {
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
        if self.is_base_initialize(function, arguments) {
            return (Code::Constant(Value::Null), Type::Void);
        }
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

    /// `base.Initialize()` in a class of objects: that of `LabeledInstance` does nothing.
    fn is_base_initialize(&self, function: &Expr, arguments: &[Argument]) -> bool {
        let has_objects = self.compiler.all.classes[self.class.0 as usize].instances == Instances::Objects;
        let is_it = matches!(&*function.kind, ExprKind::Member(object, name)
            if name.text == "Initialize" && matches!(*object.kind, ExprKind::Base));
        has_objects && is_it && arguments.is_empty()
    }

    pub(crate) fn wrong_count(&mut self, wanted: usize, span: Span) {
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
    pub(crate) fn choose(&mut self, methods: &[usize], given: &[Given<'_>], span: Span) -> Option<usize> {
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

    pub(crate) fn passes(
        &mut self,
        parameters: &[ParameterInfo],
        given: Vec<Given<'_>>,
        span: Span,
    ) -> Vec<Pass> {
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
            if let Given::Place(Target::Local(slot), Type::Unknown, _) = &given {
                // `out var x` learns its type here.
                self.learn(*slot, &parameter.ty);
            }
            passes.push(match (given, parameter.passing) {
                (Given::Place(target, ty, written), passing) if written == passing => {
                    if !ty.same(&parameter.ty) {
                        let (wanted, found) = (self.shown(&parameter.ty), self.shown(&ty));
                        let message =
                            format!("a variable of type `{wanted}` is wanted here, and this is `{found}`");
                        self.error("csharp::type-mismatch", message, span);
                    }
                    if passing == Passing::Out { Pass::Out(target) } else { Pass::Ref(read(&target), target) }
                }
                (_, passing @ (Passing::Out | Passing::Ref)) => {
                    let word = if passing == Passing::Out { "out" } else { "ref" };
                    let message =
                        format!("`{}` is `{word}`: the argument has to say so", parameter.name.text);
                    self.error("csharp::type-mismatch", message, span);
                    Pass::Value(Code::Constant(Value::Null))
                }
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
            let becomes_text = matches!(library, Library::Format | Library::Join);
            codes.push(if becomes_text { self.as_text(code, &found, span) } else { code });
            if let (Library::Convert, Type::Function(_, gives)) = (library, found) {
                if let (Type::Map(..), false) =
                    (&result, matches!(&*gives, Type::Tuple(parts) if parts.len() == 2))
                {
                    let message =
                        format!("a `Pair` is wanted of this function, and it gives `{}`", self.shown(&gives));
                    self.error("csharp::type-mismatch", message, span);
                }
                result = library::of_converted(&result, &gives);
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
        self.compiler.call_in_order(ty, &name.text);
        if let (Type::Map(_, _), "TryGetValue", 2) = (ty, name.text.as_str(), given.len()) {
            return self.try_get(code, ty, given, span);
        }
        let given = match self.of_any_value(&code, ty, name, given, span) {
            Ok(found) => return found,
            Err(given) => given,
        };
        let known = library::methods(ty, &name.text, given.len());
        if known.is_empty() {
            self.no_member::<()>(ty, name);
            return unknown;
        }
        let chooses = ["Choose", "ChooseSubset", "ChooseNonemptySubset"].contains(&name.text.as_str());
        if chooses
            && given.is_empty()
            && ty.element().is_some_and(|element| matches!(element, Type::Class(_)))
        {
            let message = "the first in an order that nobody knows is taken".to_string();
            let warning = fathom_source::Diagnostic::warning("csharp::choice", message);
            let note = "a program that asks for it may not be symmetric in the names of objects";
            self.compiler.diagnostics.push(warning.at(name.span, "").note(note));
        }
        self.call_known(Some(code), known, given, span).unwrap_or(unknown)
    }

    /// A method that values of many types have; gives the arguments back if it is none.
    fn of_any_value<'a>(
        &mut self,
        code: &Code,
        ty: &Type,
        name: &Name,
        mut given: Vec<Given<'a>>,
        span: Span,
    ) -> Result<(Code, Type), Vec<Given<'a>>> {
        let unknown = (Code::Constant(Value::Null), Type::Unknown);
        let library = |library: Library, codes: Vec<Code>| Code::Op(Op::Library(library), codes, span);
        Ok(match (name.text.as_str(), given.len()) {
            ("ToString", 0) => {
                let how = self.shows(ty);
                (library(how, vec![code.clone()]), Type::Text)
            }
            ("Equals", 1) => {
                let wanted = if ty.is_number() { Type::Object } else { ty.clone() };
                let Some(other) = given.pop() else { return Err(given) };
                let (other, _) = self.take(other, &wanted, span);
                (Code::Op(Op::Equal(true), vec![code.clone(), other], span), Type::Bool)
            }
            ("GetValueOrDefault", 0 | 1) if matches!(ty, Type::Nullable(_)) => {
                let inner = bare(ty).clone();
                let other = match given.pop() {
                    Some(other) => self.take(other, &inner, span).0,
                    None => Code::Constant(self.default(&inner)),
                };
                (Code::Coalesce(Box::new(code.clone()), Box::new(other)), inner)
            }
            ("CompareTo", 1) => {
                if let Some(why) = self.lacks_order(ty) {
                    self.error("csharp::unsupported", why.to_string(), name.span);
                    return Ok(unknown);
                }
                if let Type::Enum(id) = ty {
                    self.name_all(*id);
                }
                self.compiler.show_names(ty);
                let Some(other) = given.pop() else { return Err(given) };
                let (other, _) = self.take(other, ty, span);
                (library(Library::CompareTo, vec![code.clone(), other]), Type::Int)
            }
            ("GetHashCode", 0) if matches!(ty, Type::Int | Type::Bool) => {
                (library(Library::HashCode, vec![code.clone()]), Type::Int)
            }
            ("GetHashCode", 0) => {
                let message = format!("the hash of a value of type `{}` is not supported", self.shown(ty));
                let error =
                    fathom_source::Diagnostic::error("csharp::unsupported", message).at(name.span, "");
                let note = "it is another one in other versions of .NET, so that no state may depend on it";
                self.compiler.diagnostics.push(error.note(note));
                unknown
            }
            ("Reduce", 2) if ty.element().is_some() => self.reduce(code, ty, given, span),
            _ => return Err(given),
        })
    }

    /// Why values of a type have no order that does not depend on anything else.
    fn lacks_order(&self, ty: &Type) -> Option<&'static str> {
        match ty {
            Type::Text => Some(
                "`CompareTo` of texts depends on the culture of the machine: use `string.CompareOrdinal`",
            ),
            Type::Class(id) if self.compiler.all.classes[id.0 as usize].instances == Instances::Objects => {
                Some("the order of objects depends on their names: it is not supported")
            }
            Type::Array(_) | Type::Enumerable(_) | Type::Function(..) | Type::Object | Type::Exception => {
                Some("this has no order")
            }
            _ => None,
        }
    }

    /// `Reduce(f, first)`: the type of the second argument, or of the second parameter, is that of the result.
    fn reduce(&mut self, code: &Code, ty: &Type, given: Vec<Given<'_>>, span: Span) -> (Code, Type) {
        let element = ty.element().unwrap_or(Type::Unknown);
        let mut given = given.into_iter();
        let (Some(function), Some(first)) = (given.next(), given.next()) else {
            return (Code::Constant(Value::Null), Type::Unknown);
        };
        let declared = match &function {
            Given::Later(expr) => match &*expr.kind {
                ExprKind::Lambda(parameters, _) => {
                    parameters.get(1).and_then(|parameter| parameter.ty.clone())
                }
                _ => None,
            },
            _ => None,
        };
        let result = match (declared, &first, &function) {
            (Some(declared), ..) => self.resolve(&declared),
            (None, _, Given::Known(_, Type::Function(_, result))) => (**result).clone(),
            (None, Given::Known(_, found), _) => found.clone(),
            _ => Type::Unknown,
        };
        let wanted = Type::Function(vec![element, result.clone()], Box::new(result.clone()));
        let (function, _) = self.take(function, &wanted, span);
        let (first, _) = self.take(first, &result, span);
        let codes = vec![code.clone(), function, first];
        (Code::Op(Op::Library(Library::Reduce), codes, span), result)
    }

    fn try_get(&mut self, map: Code, ty: &Type, given: Vec<Given<'_>>, span: Span) -> (Code, Type) {
        let Type::Map(key, value) = ty else { return (map, Type::Unknown) };
        let mut given = given.into_iter();
        let key = given.next().map(|given| self.take(given, key, span).0);
        let target = match given.next() {
            Some(Given::Place(target, found, Passing::Out)) => {
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
            Type::Char => "char",
            _ => "",
        };
        match (name.text.as_str(), given.len()) {
            ("Equals" | "ReferenceEquals", 2) => return self.same(&name.text, given, span),
            ("Concat", 1..) if *ty == Type::Text => {
                let codes = self.texts(given, span);
                return (Code::Op(Op::Concat, codes, span), Type::Text);
            }
            _ => (),
        }
        let types: Vec<&Type> = given.iter().filter_map(Given::ty).collect();
        let known = library::static_method_of(ty, &name.text, types.first().copied(), types.get(1).copied());
        let known = known.filter(|known| known.parameters.len() == given.len());
        let known = known.or_else(|| static_method(class, &name.text, given.len()));
        match known {
            Some(known) => self.call_known(None, vec![known], given, span).unwrap_or(unknown),
            None => {
                self.no_member::<()>(ty, name);
                unknown
            }
        }
    }

    /// Values that become texts.
    fn texts(&mut self, given: Vec<Given<'_>>, span: Span) -> Vec<Code> {
        let mut codes = Vec::new();
        for given in given {
            let (code, ty) = self.take(given, &Type::Object, span);
            codes.push(self.as_text(code, &ty, span));
        }
        codes
    }

    /// `Equals(a, b)`, and `ReferenceEquals(a, b)` where there are references.
    fn same(&mut self, name: &str, given: Vec<Given<'_>>, span: Span) -> (Code, Type) {
        let all = self.compiler.all;
        let is_reference = |ty: &Type| match ty {
            Type::Null | Type::Unknown => true,
            Type::Class(id) => all.classes[id.0 as usize].instances == Instances::Objects,
            _ => false,
        };
        if name == "ReferenceEquals" && !given.iter().filter_map(Given::ty).any(is_reference) {
            let message = "values have no identity of their own: use `Equals`".to_string();
            self.error("csharp::unsupported", message, span);
        }
        let codes = given.into_iter().map(|given| self.take(given, &Type::Object, span).0).collect();
        (Code::Op(Op::Equal(true), codes, span), Type::Bool)
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
            (["Object" | "object", name @ ("Equals" | "ReferenceEquals")], 2)
            | ([name @ ("Equals" | "ReferenceEquals")], 2) => self.same(name, given, span),
            (["Console", name], n) => match static_method("Console", name, n) {
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
        Target::Setter(_, of, span, Some(getter)) => {
            Code::Call(*getter, of.clone().map(Box::new), Vec::new(), *span)
        }
        Target::Setter(..) | Target::Nowhere => Code::Constant(Value::Null),
    }
}
