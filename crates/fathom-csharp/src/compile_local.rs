//! From syntax to code: what methods declare, and choices among constants.

use std::collections::BTreeMap;

use crate::code::{Code, Instr, Op};
use crate::compile::{Around, Body};
use crate::declare::Declarations;
use crate::reach;
use crate::syntax::{Block, Expr, Name, TypeName, TypeNameKind};
use crate::types::Type;
use crate::value::Value;

impl Body<'_, '_> {
    pub(crate) fn local(&mut self, ty: &TypeName, variables: &[(Name, Option<Expr>)], out: &mut Vec<Instr>) {
        let declared = match ty.kind {
            TypeNameKind::Implicit => None,
            _ => Some(self.resolve(ty)),
        };
        for (name, value) in variables {
            if self.find(&name.text).is_some() {
                self.error("csharp::declared-twice", format!("`{}` is declared twice", name.text), name.span);
            }
            let (code, ty) = match (value, &declared) {
                (Some(value), Some(ty)) => (self.wanted(value, ty), ty.clone()),
                (Some(value), None) => {
                    let found = self.expr(value);
                    if found.1 == Type::Null {
                        let message = "`null` says no type: `var` wants one".to_string();
                        self.error("csharp::type-mismatch", message, value.span);
                    }
                    found
                }
                (None, Some(ty)) => (Code::Constant(self.default(ty)), ty.clone()),
                (None, None) => {
                    self.unsupported("`var` without a value", name.span);
                    continue;
                }
            };
            let slot = self.declare(&name.text, ty);
            if value.is_none() {
                self.open.names.insert(slot, name.clone());
            }
            out.push(Instr::Let(slot, code));
        }
    }

    /// `const` of a method.
    pub(crate) fn local_constants(
        &mut self,
        ty: &TypeName,
        constants: &[(Name, Option<Expr>)],
        out: &mut Vec<Instr>,
    ) {
        for constant in constants {
            let first = out.len();
            self.local(ty, std::slice::from_ref(constant), out);
            let (name, value) = constant;
            let is_known = |code: &Code| is_constant(code, self.compiler.all, &self.fixed);
            let slot = match out.get(first) {
                Some(Instr::Let(slot, code)) if value.is_some() && is_known(code) => *slot,
                _ => {
                    let message = format!("the value of the constant `{}` has to be a constant", name.text);
                    self.error("csharp::no-constant", message, name.span);
                    continue;
                }
            };
            self.fixed.insert(slot, CONSTANT);
        }
    }

    pub(crate) fn switch(
        &mut self,
        value: &Expr,
        sections: &[(Vec<Option<Expr>>, Block)],
        out: &mut Vec<Instr>,
    ) {
        let (code, ty) = self.expr(value);
        let mut compiled = Vec::new();
        let mut known: Vec<Option<Value>> = Vec::new();
        for (labels, block) in sections {
            let mut constants = Vec::new();
            for label in labels {
                let n_before = constants.len();
                match label {
                    None => constants.push(None),
                    Some(label) => match self.wanted(label, &ty) {
                        Code::Constant(value) => constants.push(Some(value)),
                        Code::Static(field) => match self.literal(field) {
                            Some(value) => constants.push(Some(value)),
                            None => self.unsupported("a label that is no constant", label.span),
                        },
                        _ => self.unsupported("a label that is no constant", label.span),
                    },
                }
                if let Some(new) = constants.get(n_before) {
                    if known.contains(new) {
                        let at = label.as_ref().map_or(value.span, |label| label.span);
                        self.error("csharp::label-twice", "this label is there already".to_string(), at);
                    }
                    known.push(new.clone());
                }
            }
            let around = Around { can_break: true, ..self.around.clone() };
            let section = self.within(around, |body| body.block(block));
            if reach::block(&section).end
                && let Some(last) = block.last()
            {
                let message =
                    "control falls out of this section: end it with `break`, `return`, `continue` or `throw`";
                self.error("csharp::fall-through", message.to_string(), last.span);
            }
            compiled.push((constants, section));
        }
        out.push(Instr::Switch(code, compiled));
    }

    /// The value of a `const` that is written as one value.
    fn literal(&mut self, field: u32) -> Option<Value> {
        let known = &self.compiler.all.fields[field as usize];
        let value = known.value.as_ref().filter(|_| known.is_literal)?;
        match self.wanted(value, &known.ty) {
            Code::Constant(value) => Some(value),
            _ => None,
        }
    }
}

/// What a variable is that keeps a constant value.
const CONSTANT: &str = "a constant";

/// Whether code has a value that is known before anything runs.
pub(crate) fn is_constant(code: &Code, all: &Declarations, fixed: &BTreeMap<u32, &'static str>) -> bool {
    let is_it = |code: &Code| is_constant(code, all, fixed);
    match code {
        Code::Constant(_) => true,
        Code::Local(slot) => fixed.get(slot) == Some(&CONSTANT),
        Code::Static(field) => all.fields[*field as usize].is_literal,
        Code::Op(Op::Library(_) | Op::Elements(_), ..) => false,
        Code::Op(_, operands, _) => operands.iter().all(is_it),
        Code::And(left, right) | Code::Or(left, right) => is_it(left) && is_it(right),
        Code::If(condition, then, other) => is_it(condition) && is_it(then) && is_it(other),
        _ => false,
    }
}
