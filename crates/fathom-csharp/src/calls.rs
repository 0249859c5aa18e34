//! Runs calls: methods, with what they give back through their parameters, and iterators.
//!
//! A parameter that is `ref` or `out` is a variable of its own while the method runs, and what it is called with gets its value when the method
//! ends, also by an error. That is all the same where nothing else leads to what it is called with; [`effects`](crate::effects) refuses the rest.
//!
//! An iterator that `foreach` goes through runs while the loop does: where it yields a value the body of the loop runs, with the variables of
//! the method that the loop is in. What leaves the body ends the iterator as `return` would, so that its `finally` runs. Elsewhere an iterator
//! runs to its end at once; [`effects`](crate::effects) refuses those with which that makes a difference.

use std::sync::Arc;

use fathom_source::Span;

use crate::code::{Code, Instr, MethodCode, Pass, Target};
use crate::compile_call::read;
use crate::interpret::{Flow, Frame, Machine, Run, limit, raise};
use crate::value::Value;

/// A loop that goes through the values of an iterator, while the iterator runs.
#[derive(Clone, Debug)]
pub(crate) struct Consumer {
    slot: u32,
    body: Arc<Vec<Instr>>,
    /// The variables of the method that the loop is in.
    frame: Frame,
    /// How its body was left.
    flow: Flow,
}

/// A call of an iterator.
pub(crate) struct Iterator<'c> {
    method: u32,
    receiver: Option<&'c Code>,
    passes: &'c [Pass],
    span: Span,
}

impl<'u> Machine<'u> {
    /// Calls a method; gives its value, and its parameters as they are at the end.
    ///
    /// # Errors
    ///
    /// When the program runs into an error.
    pub fn call(
        &mut self,
        method: u32,
        this: Option<Value>,
        arguments: Vec<Value>,
    ) -> Run<(Value, Vec<Value>)> {
        let code = self.begun(method)?;
        self.run(code, this, arguments)
    }

    /// The code of a method whose class has its first values.
    fn begun(&mut self, method: u32) -> Run<&'u MethodCode> {
        let unit = self.unit;
        let Some(code) = &unit.methods[method as usize] else { return limit("a method was not compiled") };
        if self.start.is_some() {
            self.begin(unit.all.methods[method as usize].class)?;
        }
        Ok(code)
    }

    pub(crate) fn run(
        &mut self,
        code: &MethodCode,
        this: Option<Value>,
        arguments: Vec<Value>,
    ) -> Run<(Value, Vec<Value>)> {
        let (value, after) = self.run_to_end(code, this, arguments);
        Ok((value?, after))
    }

    /// Runs a method; gives its parameters also where it ends by an error.
    fn run_to_end(
        &mut self,
        code: &MethodCode,
        this: Option<Value>,
        arguments: Vec<Value>,
    ) -> (Run<Value>, Vec<Value>) {
        let n_arguments = arguments.len();
        let mut frame = frame_of(code, this, arguments);
        let first = code.first_parameter as usize;
        let value = self.block(&code.body, &mut frame).map(|flow| match (flow, code.fields) {
            _ if code.is_iterator => Value::sequence(std::mem::take(&mut frame.yielded)),
            (_, Some((first, length))) => {
                let (first, length) = (first as usize, length as usize);
                Value::Tuple(frame.locals[first..first + length].into())
            }
            (Flow::Return(value), None) => value,
            _ => Value::Null,
        });
        (value, frame.locals.drain(first..).take(n_arguments).collect())
    }

    pub(crate) fn call_with(
        &mut self,
        method: u32,
        receiver: Option<&Code>,
        passes: &[Pass],
        span: Span,
        frame: &mut Frame,
    ) -> Run<Value> {
        let this = self.receiver(receiver, span, frame)?;
        let mut arguments = Vec::with_capacity(passes.len());
        // Where the values of parameters go is found once, before the call.
        let mut places: Vec<Option<Target>> = Vec::new();
        for pass in passes {
            let (value, place) = match pass {
                Pass::Value(code) => (self.eval(code, frame)?, None),
                Pass::Ref(_, target) => {
                    let place = self.found(target, frame)?.into_owned();
                    (self.eval(&read(&place), frame)?, Some(place))
                }
                Pass::Out(target) => (Value::Any, Some(self.found(target, frame)?.into_owned())),
            };
            arguments.push(value);
            places.push(place);
        }
        let code = self.begun(method)?;
        let (value, after) = self.run_to_end(code, this, arguments);
        let is_limit = value.as_ref().is_err_and(|stop| stop.is_limit);
        for (place, value) in places.into_iter().zip(after) {
            // An `out` parameter that got no value before an error leaves what was there.
            if let (Some(place), false) = (place, is_limit || value == Value::Any) {
                self.assign(&place, value, frame)?;
            }
        }
        value
    }

    fn receiver(&mut self, receiver: Option<&Code>, span: Span, frame: &mut Frame) -> Run<Option<Value>> {
        let Some(receiver) = receiver else { return Ok(None) };
        match self.eval(receiver, frame)? {
            Value::Null => raise("null has no methods", span),
            this => Ok(Some(this)),
        }
    }

    /// The call of an iterator that code is, if it is one.
    pub(crate) fn iterator<'c>(&self, code: &'c Code) -> Option<Iterator<'c>> {
        let Code::Call(method, receiver, passes, span) = code else { return None };
        let is_iterator = self.unit.methods[*method as usize].as_ref().is_some_and(|code| code.is_iterator);
        is_iterator.then_some(Iterator {
            method: *method,
            receiver: receiver.as_deref(),
            passes,
            span: *span,
        })
    }

    /// `foreach` through what an iterator yields.
    pub(crate) fn each_yielded(
        &mut self,
        slot: u32,
        iterator: Iterator<'_>,
        body: &Arc<Vec<Instr>>,
        frame: &mut Frame,
    ) -> Run<Flow> {
        let this = self.receiver(iterator.receiver, iterator.span, frame)?;
        let mut arguments = Vec::with_capacity(iterator.passes.len());
        for pass in iterator.passes {
            if let Pass::Value(code) | Pass::Ref(code, _) = pass {
                arguments.push(self.eval(code, frame)?);
            }
        }
        let code = self.begun(iterator.method)?;
        let mut inside = frame_of(code, this, arguments);
        let consumer = Consumer { slot, body: body.clone(), frame: std::mem::take(frame), flow: Flow::Next };
        inside.consumer = Some(Box::new(consumer));
        let result = self.deeper(|machine| machine.block(&code.body, &mut inside));
        let Some(consumer) = inside.consumer else { return limit("an iterator lost its loop") };
        *frame = consumer.frame;
        result?;
        Ok(match consumer.flow {
            Flow::Return(value) => Flow::Return(value),
            _ => Flow::Next,
        })
    }

    /// Runs the body of a loop on a value that the iterator of a frame yields.
    pub(crate) fn hand_over(&mut self, value: Value, frame: &mut Frame) -> Run<Flow> {
        let Some(mut consumer) = frame.consumer.take() else { return limit("an iterator lost its loop") };
        consumer.frame.locals[consumer.slot as usize] = value;
        let body = consumer.body.clone();
        let result = self.deeper(|machine| machine.block(&body, &mut consumer.frame));
        let left = match result {
            Ok(Flow::Next | Flow::Continue) => Ok(Flow::Next),
            Ok(flow) => {
                consumer.flow = flow;
                Ok(Flow::Return(Value::Null))
            }
            Err(stop) => Err(stop),
        };
        frame.consumer = Some(consumer);
        left
    }
}

/// The variables of a method that begins.
fn frame_of(code: &MethodCode, this: Option<Value>, arguments: Vec<Value>) -> Frame {
    let mut frame = Frame { locals: vec![Value::Null; code.n_locals as usize], ..Frame::default() };
    if let (Some(this), 1..) = (this, code.first_parameter) {
        frame.locals[0] = this;
    }
    let first = code.first_parameter as usize;
    for (slot, argument) in frame.locals[first..].iter_mut().zip(arguments) {
        *slot = argument;
    }
    frame
}
