//! Definite assignment: whether every variable has a value wherever it is read, as C# decides it (C# specification, definite assignment).
//!
//! A walk over the code of a method carries the variables that may have no value yet; where control cannot come there are none. Conditions have two ends, so
//! that `m.TryGetValue(k, out x) && x > 1` is read as it is meant. A loop is walked once: what has no value where it begins is all that may have none
//! when it comes round. Conditions count as they are written, as in [`reach`](crate::reach).

use std::collections::{BTreeMap, BTreeSet};

use crate::code::{Code, Instr, Op, Pass, Target};
use crate::compile_call::read;
use crate::syntax::Name;
use crate::value::Value;

/// Variables of a method that begin without a value.
#[derive(Default, Debug)]
pub(crate) struct Open {
    /// By number, where they are written.
    pub(crate) names: BTreeMap<u32, Name>,
    /// Those that a call or the method itself gives values to: nothing else declares them.
    pub(crate) outs: BTreeSet<u32>,
    /// Those that have to have a value when the method ends.
    pub(crate) parameters: BTreeSet<u32>,
}

/// What is wrong with variables.
#[derive(Default, Debug)]
pub(crate) struct Wrong {
    /// They may be read without a value.
    pub(crate) read: BTreeSet<u32>,
    /// They may be left without a value.
    pub(crate) left: BTreeSet<u32>,
}

/// Variables of a method that may be read, or left, without a value.
pub(crate) fn without_value(body: &[Instr], open: &Open) -> Wrong {
    let mut walk = Walk { open, wrong: Wrong::default(), breaks: None, continues: None, n_functions: 0 };
    if !open.names.is_empty() {
        let first = open.outs.union(&open.parameters).copied().collect();
        let end = walk.block(body, Some(first));
        walk.leave(&end);
    }
    walk.wrong
}

/// The variables that may have no value at a place; none if control does not come there.
type Flow = Option<BTreeSet<u32>>;

fn or(one: Flow, other: Flow) -> Flow {
    match (one, other) {
        (Some(mut one), Some(other)) => {
            one.extend(other);
            Some(one)
        }
        (one, other) => one.or(other),
    }
}

struct Walk<'a> {
    open: &'a Open,
    wrong: Wrong,
    /// Where `break` and `continue` go from, so far.
    breaks: Flow,
    continues: Flow,
    /// How many functions without a name are around.
    n_functions: u32,
}

impl Walk<'_> {
    /// The method ends.
    fn leave(&mut self, flow: &Flow) {
        if self.n_functions == 0 {
            let parameters = &self.open.parameters;
            self.wrong.left.extend(flow.iter().flatten().filter(|slot| parameters.contains(slot)));
        }
    }

    fn block(&mut self, block: &[Instr], flow: Flow) -> Flow {
        block.iter().fold(flow, |flow, instr| self.instr(instr, flow))
    }

    fn instr(&mut self, instr: &Instr, flow: Flow) -> Flow {
        match instr {
            Instr::Do(code) | Instr::Yield(code) => self.code(code, flow),
            Instr::Let(slot, code) => {
                let mut flow = self.code(code, flow);
                if let (Some(flow), true) = (&mut flow, self.open.names.contains_key(slot)) {
                    flow.insert(*slot);
                }
                flow
            }
            Instr::Block(body) => self.block(body, flow),
            Instr::If(condition, then, other) => {
                let (yes, no) = self.condition(condition, flow);
                or(self.block(then, yes), self.block(other, no))
            }
            Instr::Loop(condition, body, updates, is_asked_first) => {
                self.repeat(condition.as_ref(), body, updates, *is_asked_first, flow)
            }
            Instr::ForEach(_, among, body, _) => {
                let flow = self.code(among, flow);
                let outer = (self.breaks.take(), self.continues.take());
                self.block(body, flow.clone());
                (self.breaks, self.continues) = outer;
                flow
            }
            Instr::Switch(value, sections) => {
                let flow = self.code(value, flow);
                let outer = self.breaks.take();
                let has_default = sections.iter().any(|(labels, _)| labels.contains(&None));
                let mut end = if has_default { None } else { flow.clone() };
                for (_, body) in sections {
                    end = or(end, self.block(body, flow.clone()));
                }
                or(end, std::mem::replace(&mut self.breaks, outer))
            }
            Instr::Return(code) => {
                let flow = code.iter().fold(flow, |flow, code| self.code(code, flow));
                self.leave(&flow);
                None
            }
            Instr::YieldBreak => None,
            Instr::Break => {
                self.breaks = or(self.breaks.take(), flow);
                None
            }
            Instr::Continue => {
                self.continues = or(self.continues.take(), flow);
                None
            }
            Instr::Throw(code, _) => {
                self.code(code, flow);
                None
            }
            Instr::Try(body, handler, last) => {
                let mut end = self.block(body, flow.clone());
                if let Some((_, handler)) = handler {
                    end = or(end, self.block(handler, flow.clone()));
                }
                // What either gives a value to has one.
                match (end, self.block(last, flow)) {
                    (Some(end), Some(last)) => Some(end.intersection(&last).copied().collect()),
                    _ => None,
                }
            }
        }
    }

    fn repeat(
        &mut self,
        condition: Option<&Code>,
        body: &[Instr],
        updates: &[Code],
        is_asked_first: bool,
        flow: Flow,
    ) -> Flow {
        let outer = (self.breaks.take(), self.continues.take());
        let ask = |walk: &mut Self, flow: Flow| match condition {
            Some(condition) => walk.condition(condition, flow),
            None => (flow, None),
        };
        let (begin, no) = if is_asked_first { ask(self, flow) } else { (flow, None) };
        let end = self.block(body, begin);
        let again = or(end, self.continues.take());
        let again = updates.iter().fold(again, |flow, update| self.code(update, flow));
        let no = if is_asked_first { no } else { ask(self, again).1 };
        let after = or(no, self.breaks.take());
        (self.breaks, self.continues) = outer;
        after
    }

    /// What there is when a condition holds, and when it does not.
    fn condition(&mut self, code: &Code, flow: Flow) -> (Flow, Flow) {
        match code {
            Code::Constant(Value::Bool(true)) => (flow, None),
            Code::Constant(Value::Bool(false)) => (None, flow),
            Code::And(left, right) => {
                let (yes, no) = self.condition(left, flow);
                let (yes, other) = self.condition(right, yes);
                (yes, or(no, other))
            }
            Code::Or(left, right) => {
                let (yes, no) = self.condition(left, flow);
                let (other, no) = self.condition(right, no);
                (or(yes, other), no)
            }
            Code::If(condition, then, other) => {
                let (yes, no) = self.condition(condition, flow);
                let (one, two) = (self.condition(then, yes), self.condition(other, no));
                (or(one.0, two.0), or(one.1, two.1))
            }
            Code::Op(Op::Not, operands, _) if operands.len() == 1 => {
                let (yes, no) = self.condition(&operands[0], flow);
                (no, yes)
            }
            _ => {
                let flow = self.plain(code, flow);
                (flow.clone(), flow)
            }
        }
    }

    fn codes<'c>(&mut self, codes: impl IntoIterator<Item = &'c Code>, flow: Flow) -> Flow {
        codes.into_iter().fold(flow, |flow, code| self.code(code, flow))
    }

    fn code(&mut self, code: &Code, flow: Flow) -> Flow {
        let (yes, no) = self.condition(code, flow);
        or(yes, no)
    }

    /// Code that is no condition with two ends.
    fn plain(&mut self, code: &Code, flow: Flow) -> Flow {
        match code {
            Code::Local(slot) => {
                let mut flow = flow;
                // Once is enough to say it.
                if flow.as_mut().is_some_and(|flow| flow.remove(slot)) {
                    self.wrong.read.insert(*slot);
                }
                flow
            }
            Code::Field(of, ..) | Code::Part(of, ..) | Code::NewArray(of, ..) | Code::ArrayLength(of, _) => {
                self.code(of, flow)
            }
            Code::Call(_, of, passes, _) => {
                let mut flow = self.codes(of.as_deref(), flow);
                for pass in passes {
                    flow = match pass {
                        Pass::Value(code) | Pass::Ref(code, _) => self.code(code, flow),
                        Pass::Out(target) => self.place(target, flow),
                    };
                }
                let targets = passes.iter().filter_map(|pass| match pass {
                    Pass::Out(target) | Pass::Ref(_, target) => Some(target),
                    Pass::Value(_) => None,
                });
                targets.fold(flow, |flow, target| assign(target, flow))
            }
            Code::New(_, _, codes) | Code::Op(_, codes, _) | Code::ArrayOf(codes) => self.codes(codes, flow),
            Code::Coalesce(left, right) => {
                let flow = self.code(left, flow);
                self.code(right, flow.clone());
                flow
            }
            Code::Assign(target, value) => {
                let flow = self.place(target, flow);
                let flow = self.code(value, flow);
                assign(target, flow)
            }
            Code::AssignIfNull(target, value) => {
                let flow = self.code(&read(target), flow);
                self.code(value, flow.clone());
                flow
            }
            Code::Update(target, _, value, _, _) => {
                let flow = self.place(target, flow);
                let flow = self.code(&read(target), flow);
                let flow = self.code(value, flow);
                assign(target, flow)
            }
            Code::TryGet(map, key, target, _, _) => {
                let flow = self.codes([&**map, &**key], flow);
                let flow = self.place(target, flow);
                assign(target, flow)
            }
            Code::Lambda(lambda) => {
                let outer = (self.breaks.take(), self.continues.take());
                self.n_functions += 1;
                self.block(&lambda.body, flow.clone());
                self.n_functions -= 1;
                (self.breaks, self.continues) = outer;
                flow
            }
            Code::Invoke(function, arguments, _) => {
                let flow = self.code(function, flow);
                self.codes(arguments, flow)
            }
            Code::ArrayAt(array, index, _) => self.codes([&**array, &**index], flow),
            Code::Constant(_) | Code::Static(_) | Code::Create(_) => flow,
            // These have two ends.
            Code::And(..) | Code::Or(..) | Code::If(..) => flow,
        }
    }

    /// What says where a target is.
    fn place(&mut self, target: &Target, flow: Flow) -> Flow {
        match target {
            Target::Field(object, ..) => self.code(object, flow),
            Target::Element(array, index, _) => self.codes([array, index], flow),
            Target::Setter(_, of, ..) => self.codes(of, flow),
            Target::Local(_) | Target::Static(_) | Target::Nowhere => flow,
        }
    }
}

fn assign(target: &Target, mut flow: Flow) -> Flow {
    if let (Some(flow), Target::Local(slot)) = (&mut flow, target) {
        flow.remove(slot);
    }
    flow
}
