//! Runs code on a state.
//!
//! A machine has a copy of a state, which costs no more than counting references, and runs one method or several on it. Whatever
//! goes wrong stops it with a message: it never panics, and what it may do is limited in steps, in depth and in the
//! size of values.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use fathom_source::Span;

use crate::calls::Consumer;
use crate::code::{Code, Instr, Lambda, Pass, Target};
use crate::first_values::Start;
use crate::operate::to_char;
use crate::types::ClassId;
use crate::unit::{Storage, Unit};
use crate::value::Value;

/// How many steps one evaluation may take.
const MOST_STEPS: u64 = 2_000_000;
/// How deep calls, statements and expressions may nest while they run: more than 5,000 calls, of methods that are not too deep themselves.
const MOST_NESTED: u32 = 100_000;
/// How much of the stack has to be free when something nests deeper, and how much is added where it is not.
const FREE_STACK: usize = 256 << 10;
const MORE_STACK: usize = 4 << 20;
/// How long a text, a collection or an array may get.
pub(crate) const MOST_MEMBERS: usize = 1 << 20;

/// Why an evaluation stopped.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stop {
    /// What the error is called that the program threw; empty for one of the language.
    kind: String,
    /// What went wrong.
    message: String,
    /// Where.
    pub span: Option<Span>,
    /// Whether it is a limit, which the program cannot catch.
    pub(crate) is_limit: bool,
}

impl Stop {
    /// What went wrong, for people.
    pub fn text(&self) -> String {
        if self.kind.is_empty() { self.message.clone() } else { format!("{}: {}", self.kind, self.message) }
    }

    /// The error that a handler gets.
    fn to_error(&self) -> Value {
        Value::Tuple([Value::text(&self.kind), Value::text(&self.message)].into())
    }
}

/// The result of an evaluation.
pub type Run<T> = Result<T, Box<Stop>>;

pub(crate) fn raise<T>(message: impl Into<String>, span: Span) -> Run<T> {
    let (kind, message) = (String::new(), message.into());
    Err(Box::new(Stop { kind, message, span: Some(span), is_limit: false }))
}

pub(crate) fn limit<T>(message: &str) -> Run<T> {
    let (kind, message) = (String::new(), message.to_string());
    Err(Box::new(Stop { kind, message, span: None, is_limit: true }))
}

/// Variables of a call.
#[derive(Clone, Default, Debug)]
pub(crate) struct Frame {
    pub(crate) locals: Vec<Value>,
    pub(crate) yielded: Vec<Value>,
    /// What goes through the values of an iterator while it runs.
    pub(crate) consumer: Option<Box<Consumer>>,
}

/// How a statement ends.
#[derive(Clone, Debug)]
pub(crate) enum Flow {
    Next,
    Break,
    Continue,
    Return(Value),
}

/// Arrays and functions that constants are: they are there before anything runs, and nobody changes them.
#[derive(Default, Debug)]
pub struct Lasting {
    pub(crate) arrays: Vec<Vec<Value>>,
    pub(crate) functions: Vec<(Arc<Lambda>, Frame)>,
}

/// Runs code on a state.
pub struct Machine<'u> {
    pub(crate) unit: &'u Unit,
    /// The state as it is now.
    pub state: Vec<Value>,
    /// The state as it was: its objects are not fresh.
    origin: Vec<Value>,
    is_changed: bool,
    /// Objects that are not fresh, when that has been asked.
    taken: Option<BTreeSet<(u32, u32)>>,
    created: Vec<(u32, u32)>,
    /// Those that do not last: their numbers come after those that do.
    pub(crate) arrays: Vec<Vec<Value>>,
    pub(crate) functions: Vec<(Arc<Lambda>, Frame)>,
    n_steps: u64,
    depth: u32,
    /// What classes have so far, while they get their first values.
    pub(crate) start: Option<Start>,
}

impl<'u> Machine<'u> {
    /// A machine on a copy of a state.
    pub fn new(unit: &'u Unit, state: &[Value]) -> Machine<'u> {
        Machine {
            unit,
            state: state.to_vec(),
            origin: state.to_vec(),
            is_changed: false,
            taken: None,
            created: Vec::new(),
            arrays: Vec::new(),
            functions: Vec::new(),
            n_steps: 0,
            depth: 0,
            start: None,
        }
    }

    /// Back to the state it began with.
    pub fn reset(&mut self) {
        if self.is_changed {
            self.state.clone_from(&self.origin);
            self.is_changed = false;
        }
        self.created.clear();
        self.taken = None;
        self.arrays.clear();
        self.functions.clear();
        self.n_steps = 0;
        self.depth = 0;
    }

    pub(crate) fn set_static(&mut self, field: u32, value: Value) {
        match self.unit.storage[field as usize] {
            Storage::Nowhere => (),
            Storage::Variable(place) => {
                self.is_changed = true;
                self.state[place as usize] = value;
            }
            Storage::Constant(place) => {
                if let Some(start) = &mut self.start {
                    start.constants[place as usize] = value;
                }
            }
        }
    }

    fn get_static(&mut self, field: u32) -> Run<Value> {
        self.begin_for(field)?;
        Ok(match self.unit.storage[field as usize] {
            Storage::Nowhere => Value::Null,
            Storage::Variable(place) => self.state[place as usize].clone(),
            Storage::Constant(place) => match &self.start {
                Some(start) => start.constants[place as usize].clone(),
                None => self.unit.constants[place as usize].clone(),
            },
        })
    }

    /// Says that an object is not fresh.
    pub fn take(&mut self, sort: u32, number: u32) {
        self.created.push((sort, number));
    }

    /// The first object of a sort that is nowhere in the state.
    pub fn fresh(&mut self, sort: u32) -> u32 {
        let origin = &self.origin;
        let taken = self.taken.get_or_insert_with(|| {
            let mut taken = BTreeSet::new();
            for value in origin {
                value.each_object(&mut |sort, number| {
                    taken.insert((sort, number));
                });
            }
            taken
        });
        let created = &self.created;
        let is_free = |number: &u32| !taken.contains(&(sort, *number)) && !created.contains(&(sort, *number));
        (0..=u32::MAX).find(is_free).unwrap_or(u32::MAX)
    }

    /// Gives a new object its fields.
    ///
    /// # Errors
    ///
    /// When the program runs into an error.
    pub fn initialize(&mut self, class: ClassId, number: u32) -> Run<()> {
        let known = &self.unit.all.classes[class.0 as usize];
        let object = Value::Object(known.sort, number);
        for field in self.unit.all.instance_fields(class) {
            let value = self.first_value(field as u32)?;
            self.set_field(&object, field as u32, value);
        }
        for constructor in &known.constructors {
            if self.unit.all.methods[*constructor].parameters.is_empty() {
                self.call(*constructor as u32, Some(object.clone()), Vec::new())?;
            }
        }
        for method in self.unit.all.methods(class, "Initialize") {
            let known = &self.unit.all.methods[method];
            if !known.is_static && known.parameters.is_empty() {
                self.call(method as u32, Some(object.clone()), Vec::new())?;
            }
        }
        Ok(())
    }

    fn first_value(&mut self, field: u32) -> Run<Value> {
        match &self.unit.initializers[field as usize] {
            Some(code) => Ok(self.run(code, None, Vec::new())?.0),
            None => Ok(Value::Null),
        }
    }

    fn set_field(&mut self, object: &Value, field: u32, value: Value) {
        let Storage::Variable(place) = self.unit.storage[field as usize] else { return };
        self.is_changed = true;
        let map = &mut self.state[place as usize];
        if let Value::Map(entries) = map {
            let mut changed = entries.to_vec();
            match entries.binary_search_by(|(key, _)| key.cmp(object)) {
                Ok(found) => changed[found].1 = value,
                Err(between) => changed.insert(between, (object.clone(), value)),
            }
            *map = Value::Map(changed.into());
        }
    }

    fn get_field(&mut self, object: &Value, field: u32, span: Span) -> Run<Value> {
        if *object == Value::Null {
            return raise("null has no fields", span);
        }
        if let Storage::Variable(place) = self.unit.storage[field as usize]
            && let Value::Map(entries) = &self.state[place as usize]
            && let Ok(found) = entries.binary_search_by(|(key, _)| key.cmp(object))
        {
            return Ok(entries[found].1.clone());
        }
        // An object that nobody has made yet, in the condition of an action that makes it.
        self.first_value(field)
    }

    pub(crate) fn charge(&mut self, n_steps: usize) -> Run<()> {
        self.n_steps += n_steps as u64 + 1;
        if self.n_steps > MOST_STEPS {
            limit("an evaluation takes more steps than Fathom follows: two million")
        } else {
            Ok(())
        }
    }

    pub(crate) fn deeper<T>(&mut self, run: impl FnOnce(&mut Self) -> Run<T>) -> Run<T> {
        if self.depth >= MOST_NESTED {
            return limit(
                "calls nest deeper than Fathom follows them: a limit of Fathom, not of the program",
            );
        }
        self.depth += 1;
        let result = stacker::maybe_grow(FREE_STACK, MORE_STACK, || run(self));
        self.depth -= 1;
        result
    }

    pub(crate) fn block(&mut self, block: &[Instr], frame: &mut Frame) -> Run<Flow> {
        for instr in block {
            match self.instr(instr, frame)? {
                Flow::Next => (),
                other => return Ok(other),
            }
        }
        Ok(Flow::Next)
    }

    fn instr(&mut self, instr: &Instr, frame: &mut Frame) -> Run<Flow> {
        self.charge(0)?;
        match instr {
            Instr::Do(code) => drop(self.eval(code, frame)?),
            Instr::Let(slot, code) => {
                let value = self.eval(code, frame)?;
                frame.locals[*slot as usize] = value;
            }
            Instr::Block(block) => return self.deeper(|machine| machine.block(block, frame)),
            Instr::If(condition, then, other) => {
                let branch = if self.truth(condition, frame)? { then } else { other };
                return self.deeper(|machine| machine.block(branch, frame));
            }
            Instr::Loop(condition, body, updates, is_first) => {
                return self
                    .deeper(|machine| machine.repeat(condition.as_ref(), body, updates, *is_first, frame));
            }
            Instr::ForEach(slot, source, body, span) => {
                if let Some(iterator) = self.iterator(source) {
                    return self.each_yielded(*slot, iterator, body, frame);
                }
                let source = self.eval(source, frame)?;
                return self.deeper(|machine| machine.each(*slot, &source, body, *span, frame));
            }
            Instr::Switch(value, sections) => {
                let value = self.eval(value, frame)?;
                let is_it = |labels: &[Option<Value>]| labels.iter().flatten().any(|label| *label == value);
                let section = sections.iter().find(|(labels, _)| is_it(labels));
                let section = section.or_else(|| sections.iter().find(|(labels, _)| labels.contains(&None)));
                if let Some((_, body)) = section {
                    return Ok(match self.deeper(|machine| machine.block(body, frame))? {
                        Flow::Break => Flow::Next,
                        other => other,
                    });
                }
            }
            Instr::Return(value) => {
                let value = match value {
                    Some(value) => self.eval(value, frame)?,
                    None => Value::Null,
                };
                return Ok(Flow::Return(value));
            }
            Instr::Yield(value) => {
                let value = self.eval(value, frame)?;
                if frame.consumer.is_some() {
                    return self.hand_over(value, frame);
                }
                if frame.yielded.len() >= MOST_MEMBERS {
                    return limit("a collection gets too large");
                }
                frame.yielded.push(value);
            }
            Instr::YieldBreak => return Ok(Flow::Return(Value::Null)),
            Instr::Break => return Ok(Flow::Break),
            Instr::Continue => return Ok(Flow::Continue),
            Instr::Throw(error, span) => {
                let Value::Tuple(parts) = self.eval(error, frame)? else {
                    return raise("null is no error", *span);
                };
                let mut texts = self.texts_of(&parts)?.into_iter();
                let (kind, message) = (texts.next().unwrap_or_default(), texts.next().unwrap_or_default());
                return Err(Box::new(Stop { kind, message, span: Some(*span), is_limit: false }));
            }
            Instr::Try(body, handler, last) => {
                return self.deeper(|machine| machine.attempt(body, handler.as_ref(), last, frame));
            }
        }
        Ok(Flow::Next)
    }

    fn repeat(
        &mut self,
        condition: Option<&Code>,
        body: &[Instr],
        updates: &[Code],
        is_first: bool,
        frame: &mut Frame,
    ) -> Run<Flow> {
        let mut is_asked = is_first;
        loop {
            self.charge(0)?;
            if let Some(condition) = condition.filter(|_| is_asked)
                && !self.truth(condition, frame)?
            {
                return Ok(Flow::Next);
            }
            is_asked = true;
            match self.block(body, frame)? {
                Flow::Break => return Ok(Flow::Next),
                Flow::Return(value) => return Ok(Flow::Return(value)),
                Flow::Next | Flow::Continue => (),
            }
            for update in updates {
                self.eval(update, frame)?;
            }
        }
    }

    fn each(
        &mut self,
        slot: u32,
        source: &Value,
        body: &[Instr],
        span: Span,
        frame: &mut Frame,
    ) -> Run<Flow> {
        // Elements of an array are read when it is their turn.
        let members = self.members(source, span)?;
        for (place, member) in members.into_iter().enumerate() {
            self.charge(0)?;
            frame.locals[slot as usize] = match source {
                Value::Array(array) => self.values_of(*array)[place].clone(),
                _ => member,
            };
            match self.block(body, frame)? {
                Flow::Break => break,
                Flow::Return(value) => return Ok(Flow::Return(value)),
                Flow::Next | Flow::Continue => (),
            }
        }
        Ok(Flow::Next)
    }

    fn attempt(
        &mut self,
        body: &[Instr],
        handler: Option<&(u32, Vec<Instr>)>,
        last: &[Instr],
        frame: &mut Frame,
    ) -> Run<Flow> {
        let depth = self.depth;
        let mut result = self.block(body, frame);
        if let (Err(stop), Some((slot, handler))) = (&result, handler)
            && !stop.is_limit
        {
            self.depth = depth;
            frame.locals[*slot as usize] = stop.to_error();
            result = self.block(handler, frame);
        }
        if result.as_ref().is_err_and(|stop| stop.is_limit) {
            return result;
        }
        self.depth = depth;
        match self.block(last, frame)? {
            Flow::Next => result,
            other => Ok(other),
        }
    }

    fn truth(&mut self, code: &Code, frame: &mut Frame) -> Run<bool> {
        Ok(self.eval(code, frame)? == Value::Bool(true))
    }

    fn all(&mut self, codes: &[Code], frame: &mut Frame) -> Run<Vec<Value>> {
        codes.iter().map(|code| self.eval(code, frame)).collect()
    }

    pub(crate) fn eval(&mut self, code: &Code, frame: &mut Frame) -> Run<Value> {
        match code {
            // Most expressions are these, and nest no deeper.
            Code::Constant(value) => Ok(value.clone()),
            Code::Local(slot) => Ok(frame.locals[*slot as usize].clone()),
            Code::Static(field) => self.get_static(*field),
            _ => self.deeper(|machine| machine.eval_inside(code, frame)),
        }
    }

    fn eval_inside(&mut self, code: &Code, frame: &mut Frame) -> Run<Value> {
        self.charge(0)?;
        match code {
            Code::Constant(_) | Code::Local(_) | Code::Static(_) => self.eval(code, frame),
            Code::Field(object, field, span) => {
                let object = self.eval(object, frame)?;
                self.get_field(&object, *field, *span)
            }
            Code::Part(object, place, span) => match self.eval(object, frame)? {
                Value::Compound(_, fields) => Ok(fields.get(*place as usize).cloned().unwrap_or(Value::Null)),
                _ => raise("null has no fields", *span),
            },
            Code::Call(method, receiver, passes, span) => {
                self.call_with(*method, receiver.as_deref(), passes, *span, frame)
            }
            Code::New(class, constructor, arguments) => {
                let arguments = self.all(arguments, frame)?;
                self.new_compound(*class, *constructor, arguments)
            }
            Code::Create(class) => self.create(*class),
            Code::Op(op, arguments, span) => {
                let arguments = self.all(arguments, frame)?;
                self.operate(op, arguments, *span)
            }
            Code::And(left, right) => Ok(Value::Bool(self.truth(left, frame)? && self.truth(right, frame)?)),
            Code::Or(left, right) => Ok(Value::Bool(self.truth(left, frame)? || self.truth(right, frame)?)),
            Code::If(condition, then, other) => {
                let branch = if self.truth(condition, frame)? { then } else { other };
                self.eval(branch, frame)
            }
            Code::Coalesce(left, right) => match self.eval(left, frame)? {
                Value::Null => self.eval(right, frame),
                value => Ok(value),
            },
            Code::Assign(target, value) => {
                let target = &*self.found(target, frame)?;
                let value = self.eval(value, frame)?;
                self.assign(target, value.clone(), frame)?;
                Ok(value)
            }
            Code::AssignIfNull(target, value) => {
                let target = &*self.found(target, frame)?;
                match self.eval(&crate::compile_call::read(target), frame)? {
                    Value::Null => {
                        let value = self.eval(value, frame)?;
                        self.assign(target, value.clone(), frame)?;
                        Ok(value)
                    }
                    value => Ok(value),
                }
            }
            Code::Update(target, op, value, gives_old, span) => {
                let target = &*self.found(target, frame)?;
                let before = self.eval(&crate::compile_call::read(target), frame)?;
                let value = self.eval(value, frame)?;
                let after = self.operate(op, vec![before.clone(), value], *span)?;
                let after = if let Value::Char(_) = before { to_char(&after, *span)? } else { after };
                self.assign(target, after.clone(), frame)?;
                Ok(if *gives_old { before } else { after })
            }
            Code::TryGet(map, key, target, missing, span) => {
                let (map, key) = (self.eval(map, frame)?, self.eval(key, frame)?);
                let Value::Map(entries) = &map else { return raise("null is no map", *span) };
                let found = entries.binary_search_by(|(other, _)| other.cmp(&key));
                let value = found.map_or_else(|_| missing.clone(), |place| entries[place].1.clone());
                self.assign(target, value, frame)?;
                Ok(Value::Bool(found.is_ok()))
            }
            Code::Lambda(lambda) => {
                let around = Frame { locals: frame.locals.clone(), ..Frame::default() };
                self.functions.push((lambda.clone(), around));
                Ok(Value::Function((self.unit.lasting.functions.len() + self.functions.len() - 1) as u32))
            }
            Code::Invoke(function, arguments, span) => {
                let function = self.eval(function, frame)?;
                let arguments = self.all(arguments, frame)?;
                self.invoke(&function, arguments, *span)
            }
            Code::NewArray(size, first, span) => match self.eval(size, frame)? {
                Value::Int(size) if (0..=MOST_MEMBERS as i64).contains(&size) => {
                    self.charge(size as usize)?;
                    Ok(self.array(vec![first.clone(); size as usize]))
                }
                _ => raise("an array of this size", *span),
            },
            Code::ArrayOf(values) => {
                let values = self.all(values, frame)?;
                Ok(self.array(values))
            }
            Code::ArrayAt(array, index, span) => {
                let (array, index) = (self.eval(array, frame)?, self.eval(index, frame)?);
                let (Value::Array(array), Value::Int(index)) = (array, index) else {
                    return raise("null is no array", *span);
                };
                let values = self.values_of(array);
                match usize::try_from(index).ok().and_then(|index| values.get(index)) {
                    Some(value) => Ok(value.clone()),
                    None => raise(no_element(index, values.len()), *span),
                }
            }
            Code::ArrayLength(array, span) => match self.eval(array, frame)? {
                Value::Array(array) => Ok(Value::Int(self.values_of(array).len() as i64)),
                _ => raise("null is no array", *span),
            },
        }
    }

    pub(crate) fn array(&mut self, values: Vec<Value>) -> Value {
        self.arrays.push(values);
        Value::Array((self.unit.lasting.arrays.len() + self.arrays.len() - 1) as u32)
    }

    /// What is in an array.
    fn values_of(&self, array: u32) -> &[Value] {
        let lasting = &self.unit.lasting.arrays;
        let array = array as usize;
        lasting.get(array).unwrap_or_else(|| &self.arrays[array - lasting.len()])
    }

    /// An element of an array, to be changed.
    pub(crate) fn slot(&mut self, array: &Value, index: &Value, span: Span) -> Run<&mut Value> {
        let (Value::Array(array), Value::Int(index)) = (array, index) else {
            return raise("null is no array", span);
        };
        let Some(array) = (*array as usize).checked_sub(self.unit.lasting.arrays.len()) else {
            return raise("an array that is kept from one action to the next cannot be changed", span);
        };
        let array = &mut self.arrays[array];
        let length = array.len();
        match usize::try_from(*index).ok().and_then(|index| array.get_mut(index)) {
            Some(slot) => Ok(slot),
            None => raise(no_element(*index, length), span),
        }
    }

    /// The place that is assigned to, with all that says which one it is evaluated.
    pub(crate) fn found<'t>(&mut self, target: &'t Target, frame: &mut Frame) -> Run<Cow<'t, Target>> {
        Ok(Cow::Owned(match target {
            Target::Field(object, field, span) => {
                Target::Field(Code::Constant(self.eval(object, frame)?), *field, *span)
            }
            Target::Element(array, index, span) => {
                let (array, index) = (self.eval(array, frame)?, self.eval(index, frame)?);
                Target::Element(Code::Constant(array), Code::Constant(index), *span)
            }
            Target::Setter(method, Some(of), span, getter) => {
                Target::Setter(*method, Some(Code::Constant(self.eval(of, frame)?)), *span, *getter)
            }
            Target::Local(_) | Target::Static(_) | Target::Setter(..) | Target::Nowhere => {
                return Ok(Cow::Borrowed(target));
            }
        }))
    }

    fn new_compound(
        &mut self,
        class: ClassId,
        constructor: Option<u32>,
        arguments: Vec<Value>,
    ) -> Run<Value> {
        let fields = self.unit.all.instance_fields(class);
        let mut first = Vec::new();
        for field in &fields {
            first.push(self.first_value(*field as u32)?);
        }
        let Some(constructor) = constructor else { return Ok(Value::Compound(class.0, first.into())) };
        let Some(code) = &self.unit.methods[constructor as usize] else {
            return limit("a constructor was not compiled");
        };
        // Fields begin with their first values: they are the variables behind the parameters.
        let n_parameters = code.fields.map_or(0, |(first, _)| (first - code.first_parameter) as usize);
        let mut slots = arguments;
        slots.resize(n_parameters, Value::Null);
        slots.extend(first);
        match self.run(code, None, slots)?.0 {
            Value::Tuple(fields) => Ok(Value::Compound(class.0, fields)),
            _ => limit("a constructor made nothing"),
        }
    }

    fn create(&mut self, class: ClassId) -> Run<Value> {
        let sort = self.unit.all.classes[class.0 as usize].sort;
        let number = self.fresh(sort);
        self.take(sort, number);
        self.initialize(class, number)?;
        Ok(Value::Object(sort, number))
    }

    pub(crate) fn assign(&mut self, target: &Target, value: Value, frame: &mut Frame) -> Run<()> {
        match target {
            Target::Local(slot) => frame.locals[*slot as usize] = value,
            Target::Static(field) => self.set_static(*field, value),
            Target::Field(object, field, span) => {
                let object = self.eval(object, frame)?;
                if object == Value::Null {
                    return raise("null has no fields", *span);
                }
                self.set_field(&object, *field, value);
            }
            Target::Element(array, index, span) => {
                let (array, index) = (self.eval(array, frame)?, self.eval(index, frame)?);
                *self.slot(&array, &index, *span)? = value;
            }
            Target::Setter(method, receiver, span, _) => {
                let receiver = receiver.as_ref();
                let value = [Pass::Value(Code::Constant(value))];
                self.call_with(*method, receiver, &value, *span, frame)?;
            }
            Target::Nowhere => (),
        }
        Ok(())
    }

    pub(crate) fn invoke(&mut self, function: &Value, arguments: Vec<Value>, span: Span) -> Run<Value> {
        let Value::Function(function) = function else { return raise("null is no function", span) };
        let lasting = &self.unit.lasting.functions;
        let function = *function as usize;
        let known = lasting.get(function).unwrap_or_else(|| &self.functions[function - lasting.len()]);
        let (lambda, mut frame) = known.clone();
        if frame.locals.len() < lambda.n_locals as usize {
            frame.locals.resize(lambda.n_locals as usize, Value::Null);
        }
        self.charge(frame.locals.len())?;
        for (slot, argument) in lambda.parameters.iter().zip(arguments) {
            frame.locals[*slot as usize] = argument;
        }
        match self.deeper(|machine| machine.block(&lambda.body, &mut frame))? {
            Flow::Return(value) => Ok(value),
            _ => Ok(Value::Null),
        }
    }

    /// The members that `foreach` goes through.
    pub(crate) fn members(&mut self, value: &Value, span: Span) -> Run<Vec<Value>> {
        let members = match value {
            Value::Set(members) | Value::Sequence(members) => members.to_vec(),
            Value::Map(entries) => {
                entries.iter().map(|(key, value)| Value::Tuple([key.clone(), value.clone()].into())).collect()
            }
            Value::Bag(entries) => {
                let times = |count: &Value| if let Value::Int(count) = count { *count as usize } else { 0 };
                let total: usize = entries.iter().map(|(_, count)| times(count)).sum();
                self.charge(total)?;
                let repeat =
                    |(member, count): &(Value, Value)| std::iter::repeat_n(member.clone(), times(count));
                entries.iter().flat_map(repeat).collect()
            }
            Value::Array(array) => self.values_of(*array).to_vec(),
            Value::Text(text) => text.chars().map(Value::Char).collect(),
            _ => return raise("null has no members", span),
        };
        self.charge(members.len())?;
        Ok(members)
    }
}

fn no_element(index: i64, length: usize) -> String {
    format!("index {index} of an array of {length}")
}
