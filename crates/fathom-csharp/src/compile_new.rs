//! From syntax to code: what `new` makes.

use fathom_source::Span;

use crate::code::{Code, Instr, Library, Op, Pass};
use crate::compile::Body;
use crate::compile_call::Given;
use crate::compile_expression::empty;
use crate::declare::Instances;
use crate::syntax::{Argument, Passing, TypeName};
use crate::types::{ClassId, Type};
use crate::value::Value;

impl Body<'_, '_> {
    pub(crate) fn new_value(&mut self, ty: &TypeName, arguments: &[Argument], span: Span) -> (Code, Type) {
        let unknown = (Code::Constant(Value::Null), Type::Unknown);
        let ty = self.resolve(ty);
        let given = self.given(arguments);
        let code = match &ty {
            Type::Unknown => return unknown,
            Type::Set(_) if given.is_empty() => empty(&ty, span),
            Type::Bag(_) | Type::Sequence(_) | Type::Map(..) if given.is_empty() => empty(&ty, span),
            Type::Set(element) => self.collect(element, given, [Library::NewSet, Library::SetOf], span),
            Type::Bag(element) if self.is_counts(element, &given) => self.counted_bag(element, given, span),
            Type::Bag(element) => self.collect(element, given, [Library::NewBag, Library::BagOf], span),
            Type::Sequence(element) => {
                self.collect(element, given, [Library::NewSequence, Library::SequenceOf], span)
            }
            Type::Map(key, value) => self.new_map(key, value, given, span),
            Type::Tuple(_) if given.is_empty() => Code::Constant(self.default(&ty)),
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
            Type::Exception => return (self.new_error("Exception", arguments, span), ty),
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
            if how[1] == Library::SequenceOf {
                self.compiler.go_in_order(ty);
            }
            return Code::Op(Op::Library(how[1]), vec![code.clone()], span);
        }
        let codes = given.into_iter().map(|given| self.take(given, element, span).0).collect();
        Code::Op(Op::Library(how[0]), codes, span)
    }

    /// Whether a bag is made of pairs of members and how often they are there.
    fn is_counts(&self, element: &Type, given: &[Given<'_>]) -> bool {
        let pair = Type::Tuple(vec![element.clone(), Type::Int]);
        let is_pair = |ty: &Type| ty.same(&pair) && !ty.fits(element);
        match given {
            [Given::Known(_, ty)] if ty.element().is_some_and(|found| is_pair(&found)) => true,
            _ => given.iter().all(|given| given.ty().is_some_and(is_pair)),
        }
    }

    fn counted_bag(&mut self, element: &Type, given: Vec<Given<'_>>, span: Span) -> Code {
        let pair = Type::Tuple(vec![element.clone(), Type::Int]);
        let pairs = self.collect(&pair, given, [Library::NewSequence, Library::SequenceOf], span);
        Code::Op(Op::Library(Library::BagOfCounts), vec![pairs], span)
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
