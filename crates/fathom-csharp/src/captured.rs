//! Variables that functions without a name share with what is around them.
//!
//! A function gets a copy of the variables around it when it is made. That is all the same for variables that are assigned to where they are declared and
//! nowhere else. Others live in cells: arrays of one element, which are shared. Each run of a declaration makes a cell of its own, so that each
//! round of a loop has its own variables, as in C#.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use fathom_source::Span;

use crate::code::{Code, Instr, Lambda, Target};
use crate::value::Value;
use crate::walk::Walk;

/// Puts variables that are shared, and assigned to, into cells. Gives those for which that is not possible: a call declares them, or they belong to what
/// calls the method.
pub(crate) fn share(body: &mut Vec<Instr>, own: &Own, span: Span) -> BTreeSet<u32> {
    let mut seen = Seen::default();
    seen.block(body);
    // What a call declares has its value from there.
    let is_shared =
        |slot: &u32| seen.assigned.get(slot).is_some_and(|n| *n > usize::from(own.declared.contains(slot)));
    let shared: BTreeSet<u32> = seen.captured.iter().copied().filter(is_shared).collect();
    let is_fixed = |slot: &u32| own.fixed.contains(slot) || own.declared.contains(slot);
    let (mut refused, cells): (BTreeSet<u32>, BTreeSet<u32>) = shared.into_iter().partition(is_fixed);
    if !cells.is_empty() {
        let mut cells = Cells { cells, copied: BTreeSet::new(), span };
        cells.block(body);
        cells.begin(own.parameters.iter().copied(), body);
        refused.append(&mut cells.copied);
    }
    refused
}

/// Variables of a method that its statements do not declare.
#[derive(Default)]
pub(crate) struct Own {
    /// Those that have values when it begins.
    pub(crate) parameters: Vec<u32>,
    /// Those that belong to something else as well: fields of what is made, `out` and `ref` parameters.
    pub(crate) fixed: BTreeSet<u32>,
    /// Those that calls declare: `out var x`.
    pub(crate) declared: BTreeSet<u32>,
}

/// Which variables functions share with what is around them, and which are assigned to after their declaration.
#[derive(Default)]
struct Seen {
    captured: BTreeSet<u32>,
    /// How often.
    assigned: BTreeMap<u32, usize>,
    /// By function around, where its own variables begin.
    first: Vec<u32>,
}

impl Seen {
    fn use_of(&mut self, slot: u32) {
        if self.first.last().is_some_and(|first| slot < *first) {
            self.captured.insert(slot);
        }
    }
}

impl Walk for Seen {
    fn code(&mut self, code: &mut Code) {
        match code {
            Code::Local(slot) => self.use_of(*slot),
            Code::Lambda(lambda) if lambda.is_method => (),
            Code::Lambda(lambda) => {
                self.first.push(lambda.first);
                self.block(&mut Arc::make_mut(lambda).body);
                self.first.pop();
            }
            code => self.parts_of_code(code),
        }
    }

    fn target(&mut self, target: &mut Target) {
        if let Target::Local(slot) = target {
            self.use_of(*slot);
            *self.assigned.entry(*slot).or_default() += 1;
        }
        self.parts_of_target(target);
    }
}

/// Puts variables into cells.
struct Cells {
    cells: BTreeSet<u32>,
    /// Those that the value of a method has a copy of: it has what they were when it was made.
    copied: BTreeSet<u32>,
    span: Span,
}

impl Cells {
    fn has(&self, slot: u32) -> bool {
        self.cells.contains(&slot)
    }

    /// Variables that have values where a block begins get cells there.
    fn begin(&self, slots: impl Iterator<Item = u32>, block: &mut Vec<Instr>) {
        let wrap = |slot| Instr::Let(slot, Code::ArrayOf(vec![Code::Local(slot)]));
        let first: Vec<Instr> = slots.filter(|slot| self.has(*slot)).map(wrap).collect();
        block.splice(0..0, first);
    }
}

impl Walk for Cells {
    fn instr(&mut self, instr: &mut Instr) {
        self.parts_of_instr(instr);
        match instr {
            Instr::Let(slot, code) if self.has(*slot) => {
                let value = std::mem::replace(code, Code::Constant(Value::Null));
                *code = Code::ArrayOf(vec![value]);
            }
            Instr::ForEach(slot, _, body, _) => self.begin([*slot].into_iter(), Arc::make_mut(body)),
            Instr::Try(_, Some((slot, handler)), _) => self.begin([*slot].into_iter(), handler),
            _ => (),
        }
    }

    fn code(&mut self, code: &mut Code) {
        match code {
            Code::Local(slot) if self.has(*slot) => {
                let index = Box::new(Code::Constant(Value::Int(0)));
                *code = Code::ArrayAt(Box::new(Code::Local(*slot)), index, self.span);
            }
            Code::Lambda(lambda) => {
                let Lambda { parameters, body, first, is_method, .. } = Arc::make_mut(lambda);
                if *is_method {
                    let mut receiver = Seen { first: vec![*first], ..Seen::default() };
                    receiver.block(body);
                    self.copied.extend(receiver.captured.intersection(&self.cells));
                }
                self.block(body);
                self.begin(parameters.iter().copied(), body);
            }
            code => self.parts_of_code(code),
        }
    }

    fn target(&mut self, target: &mut Target) {
        match target {
            Target::Local(slot) if self.has(*slot) => {
                let index = Code::Constant(Value::Int(0));
                *target = Target::Element(Code::Local(*slot), index, self.span);
            }
            target => self.parts_of_target(target),
        }
    }
}
