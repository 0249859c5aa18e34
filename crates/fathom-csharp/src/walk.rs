//! Goes through code: everything that statements and expressions are made of, to look at it or to change it.

use std::sync::Arc;

use crate::code::{Code, Instr, Pass, Target};

/// Something that goes through code. What is not looked at in its own way is gone through, in the order in which it runs.
pub(crate) trait Walk {
    /// A statement.
    fn instr(&mut self, instr: &mut Instr) {
        self.parts_of_instr(instr);
    }

    /// An expression.
    fn code(&mut self, code: &mut Code) {
        self.parts_of_code(code);
    }

    /// What gets a value.
    fn target(&mut self, target: &mut Target) {
        self.parts_of_target(target);
    }

    fn block(&mut self, block: &mut Vec<Instr>) {
        block.iter_mut().for_each(|instr| self.instr(instr));
    }

    fn codes(&mut self, codes: &mut [Code]) {
        codes.iter_mut().for_each(|code| self.code(code));
    }

    fn parts_of_instr(&mut self, instr: &mut Instr) {
        match instr {
            Instr::Do(code) | Instr::Let(_, code) | Instr::Yield(code) | Instr::Throw(code, _) => {
                self.code(code);
            }
            Instr::Block(body) => self.block(body),
            Instr::If(condition, then, other) => {
                self.code(condition);
                self.block(then);
                self.block(other);
            }
            Instr::Loop(condition, body, updates, _) => {
                condition.iter_mut().for_each(|condition| self.code(condition));
                self.block(body);
                self.codes(updates);
            }
            Instr::ForEach(_, among, body, _) => {
                self.code(among);
                self.block(Arc::make_mut(body));
            }
            Instr::Switch(value, sections) => {
                self.code(value);
                sections.iter_mut().for_each(|(_, body)| self.block(body));
            }
            Instr::Return(value) => value.iter_mut().for_each(|value| self.code(value)),
            Instr::Try(body, handler, last) => {
                self.block(body);
                handler.iter_mut().for_each(|(_, body)| self.block(body));
                self.block(last);
            }
            Instr::YieldBreak | Instr::Break | Instr::Continue => (),
        }
    }

    fn parts_of_code(&mut self, code: &mut Code) {
        match code {
            Code::Constant(_) | Code::Local(_) | Code::Static(_) | Code::Create(_) => (),
            Code::Field(of, ..) | Code::Part(of, ..) | Code::NewArray(of, ..) | Code::ArrayLength(of, _) => {
                self.code(of);
            }
            Code::Call(_, of, passes, _) => {
                of.iter_mut().for_each(|of| self.code(of));
                for pass in passes {
                    match pass {
                        Pass::Value(code) => self.code(code),
                        Pass::Ref(code, target) => {
                            self.code(code);
                            self.target(target);
                        }
                        Pass::Out(target) => self.target(target),
                    }
                }
            }
            Code::New(_, _, codes) | Code::Op(_, codes, _) | Code::ArrayOf(codes) => self.codes(codes),
            Code::And(left, right) | Code::Or(left, right) | Code::Coalesce(left, right) => {
                self.code(left);
                self.code(right);
            }
            Code::If(condition, then, other) => {
                [condition, then, other].into_iter().for_each(|code| self.code(code));
            }
            Code::Assign(target, value)
            | Code::AssignIfNull(target, value)
            | Code::Update(target, _, value, _, _) => {
                self.target(target);
                self.code(value);
            }
            Code::TryGet(map, key, target, _, _) => {
                self.code(map);
                self.code(key);
                self.target(target);
            }
            Code::Lambda(lambda) => self.block(&mut Arc::make_mut(lambda).body),
            Code::Invoke(function, arguments, _) => {
                self.code(function);
                self.codes(arguments);
            }
            Code::ArrayAt(array, index, _) => {
                self.code(array);
                self.code(index);
            }
        }
    }

    fn parts_of_target(&mut self, target: &mut Target) {
        match target {
            Target::Field(object, ..) => self.code(object),
            Target::Element(array, index, _) => {
                self.code(array);
                self.code(index);
            }
            Target::Setter(_, of, ..) => of.iter_mut().for_each(|of| self.code(of)),
            Target::Local(_) | Target::Static(_) | Target::Nowhere => (),
        }
    }
}
