//! What methods touch, with everything that they call, and calls for which that matters.
//!
//! A `ref` or `out` parameter gets its value back when the method ends, and an iterator that is no source of a `foreach` runs to its end at once. Both are
//! what C# does as long as nobody looks in between: calls where a method might are refused.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use fathom_source::{Diagnostic, Span};

use crate::code::{Code, Instr, MethodCode, Op, Pass, Target};
use crate::declare::Declarations;
use crate::types::Type;
use crate::value::Value;
use crate::walk::Walk;

type Methods = BTreeMap<u32, Arc<MethodCode>>;

/// Says which calls cannot be run as they are meant.
pub(crate) fn check_calls(
    all: &Declarations,
    methods: &Methods,
    initializers: &[Option<MethodCode>],
    diagnostics: &mut Vec<Diagnostic>,
) {
    let mut calls = Calls { all, methods, diagnostics };
    let codes = methods.values().map(|code| &**code).chain(initializers.iter().flatten());
    for code in codes {
        calls.block(&mut code.body.clone());
    }
}

/// What a method touches.
#[derive(Default)]
struct Effects {
    /// Fields that it may read or assign to and that change.
    fields: BTreeSet<u32>,
    /// It may change something: a field, an array, which objects there are.
    changes: bool,
    /// It may look at elements of arrays that others know.
    has_arrays: bool,
    /// It may call functions that others made.
    has_functions: bool,
    /// It may throw an error of its own.
    throws: bool,
    /// It has a loop without a condition.
    is_endless: bool,
}

/// Collects what methods touch.
struct Touch<'a> {
    all: &'a Declarations,
    methods: &'a Methods,
    seen: BTreeSet<u32>,
    effects: Effects,
}

impl Touch<'_> {
    fn method(&mut self, method: u32) {
        if !self.seen.insert(method) {
            return;
        }
        for parameter in &self.all.methods[method as usize].parameters {
            self.value_of(&parameter.ty);
        }
        if let Some(code) = self.methods.get(&method) {
            self.block(&mut code.body.clone());
        }
    }

    /// A value of a type is at hand.
    fn value_of(&mut self, ty: &Type) {
        self.effects.has_functions |= matches!(ty, Type::Function(..) | Type::Object);
        self.effects.has_arrays |= matches!(ty, Type::Array(_) | Type::Enumerable(_) | Type::Object);
    }

    fn field(&mut self, field: u32) {
        let known = &self.all.fields[field as usize];
        if !(known.is_static && known.is_constant) {
            self.effects.fields.insert(field);
        }
        self.value_of(&known.ty);
    }
}

impl Walk for Touch<'_> {
    fn instr(&mut self, instr: &mut Instr) {
        match instr {
            Instr::Throw(..) => self.effects.throws = true,
            Instr::Loop(None | Some(Code::Constant(Value::Bool(true))), ..) => self.effects.is_endless = true,
            _ => (),
        }
        self.parts_of_instr(instr);
    }

    fn code(&mut self, code: &mut Code) {
        match code {
            Code::Static(field) | Code::Field(_, field, _) => self.field(*field),
            Code::Call(method, ..) | Code::New(_, Some(method), _) => self.method(*method),
            Code::Create(class) => {
                self.effects.changes = true;
                let known = &self.all.classes[class.0 as usize];
                let of_class = known.methods.iter().chain(&known.constructors);
                of_class.for_each(|method| self.method(*method as u32));
            }
            Code::Invoke(..) => self.effects.has_functions = true,
            _ => (),
        }
        self.parts_of_code(code);
    }

    fn target(&mut self, target: &mut Target) {
        match target {
            Target::Static(field) | Target::Field(_, field, _) => {
                self.effects.changes = true;
                self.field(*field);
            }
            Target::Setter(method, _, _, getter) => {
                self.effects.changes = true;
                self.method(*method);
                getter.iter().for_each(|getter| self.method(*getter));
            }
            Target::Element(..) | Target::Local(_) | Target::Nowhere => (),
        }
        self.parts_of_target(target);
    }
}

/// Looks at calls.
struct Calls<'a> {
    all: &'a Declarations,
    methods: &'a Methods,
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl Calls<'_> {
    fn effects(&self, method: u32) -> Effects {
        let effects = Effects::default();
        let mut touch = Touch { all: self.all, methods: self.methods, seen: BTreeSet::new(), effects };
        touch.method(method);
        touch.effects
    }

    fn unsupported(&mut self, message: String, span: Span, note: &str) {
        let error = Diagnostic::error("csharp::unsupported", message).at(span, "");
        self.diagnostics.push(error.note(note.to_string()));
    }

    fn check_places(&mut self, method: u32, passes: &[Pass], span: Span) {
        let places = passes.iter().filter_map(|pass| match pass {
            Pass::Ref(_, place) | Pass::Out(place) => Some(place),
            Pass::Value(_) => None,
        });
        let places: Vec<&Target> = places.collect();
        if places.is_empty() {
            return;
        }
        let name = &self.all.methods[method as usize].name.text;
        let is_twice = |place: usize| places[..place].iter().any(|other| may_be_same(other, places[place]));
        if (1..places.len()).any(is_twice) {
            let message =
                format!("`{name}` may get the same variable twice, by `ref` or `out`: this is not supported");
            return self.unsupported(
                message,
                span,
                "give it two variables, and assign what is in them afterwards",
            );
        }
        let effects = self.effects(method);
        let is_touched = |place: &&&Target| match place {
            Target::Static(field) | Target::Field(_, field, _) => {
                effects.has_functions || effects.fields.contains(field)
            }
            Target::Element(..) => effects.has_functions || effects.has_arrays,
            Target::Setter(..) | Target::Local(_) | Target::Nowhere => false,
        };
        if places.iter().any(|place| is_touched(&place)) {
            let message = format!(
                "`{name}` may get to what it is given by `ref` or `out` in another way as well: this is not supported"
            );
            let note = "give it a variable of this method, and assign what is in it afterwards";
            self.unsupported(message, span, note);
        }
    }

    /// A call of an iterator whose values are not asked for one after the other.
    fn check_eager(&mut self, code: &Code) {
        let Code::Call(method, _, _, span) = code else { return };
        if !self.methods.get(method).is_some_and(|code| code.is_iterator) {
            return;
        }
        let effects = self.effects(*method);
        let is_seen = effects.changes || effects.has_arrays || effects.has_functions;
        if is_seen || effects.throws || effects.is_endless || !effects.fields.is_empty() {
            let message = "an iterator that looks at what may change, changes something or need not end is for `foreach` and for new collections alone";
            let note = "what it does in between would be seen: call it in `foreach (… in …)`, or as the argument of `new Sequence<T>(…)`";
            self.unsupported(message.to_string(), *span, note);
        }
    }
}

/// Whether two places may be one.
fn may_be_same(one: &Target, other: &Target) -> bool {
    match (one, other) {
        (Target::Local(one), Target::Local(other)) | (Target::Static(one), Target::Static(other)) => {
            one == other
        }
        (Target::Field(_, one, _), Target::Field(_, other, _)) => one == other,
        (Target::Element(_, Code::Constant(one), _), Target::Element(_, Code::Constant(other), _)) => {
            one == other
        }
        (Target::Element(..), Target::Element(..)) => true,
        _ => false,
    }
}

impl Walk for Calls<'_> {
    fn instr(&mut self, instr: &mut Instr) {
        if let Instr::ForEach(_, source @ Code::Call(..), body, _) = instr {
            // The call itself is where it belongs.
            self.call_of(source);
            self.block(Arc::make_mut(body));
            return;
        }
        self.parts_of_instr(instr);
    }

    fn code(&mut self, code: &mut Code) {
        match code {
            Code::Call(..) => {
                self.check_eager(code);
                self.call_of(code);
            }
            Code::Op(Op::Library(_), operands, _) => {
                if let Some((last @ Code::Call(..), others)) = operands.split_last_mut() {
                    self.codes(others);
                    self.call_of(last);
                } else {
                    self.codes(operands);
                }
            }
            code => self.parts_of_code(code),
        }
    }
}

impl Calls<'_> {
    fn call_of(&mut self, code: &mut Code) {
        if let Code::Call(method, _, passes, span) = code {
            let (method, span) = (*method, *span);
            self.check_places(method, passes, span);
        }
        self.parts_of_code(code);
    }
}
