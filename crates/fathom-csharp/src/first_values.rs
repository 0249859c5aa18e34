//! The first values of classes: what a program starts with.
//!
//! A class gets its first values when something first asks for it: static fields from top to bottom, then what the static constructor does. Before that
//! its fields have the default values of their types. A `const` is there before anything runs, wherever it is written: it is found when it is first
//! asked for, and what it is made of before it (C# specification, constants).

use crate::code::default_value;
use crate::compile::zero_element;
use crate::interpret::{Lasting, Machine, Run, raise};
use crate::types::ClassId;
use crate::unit::{Storage, Unit};
use crate::value::Value;

/// What a program starts with.
pub struct First {
    /// The state.
    pub state: Vec<Value>,
    /// What never changes.
    pub constants: Vec<Value>,
    /// What constants refer to.
    pub lasting: Lasting,
}

/// What is under way when classes get their first values.
pub(crate) struct Start {
    pub(crate) constants: Vec<Value>,
    has_begun: Vec<bool>,
    /// By field, how far a `const` is.
    literals: Vec<Progress>,
}

/// How far the value of a `const` is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Progress {
    None,
    UnderWay,
    Found,
}

impl<'u> Machine<'u> {
    /// Gives all classes their first values.
    ///
    /// # Errors
    ///
    /// When the program runs into an error.
    pub fn first_state(unit: &'u Unit, n_variables: usize) -> Run<First> {
        let mut machine = Machine::new(unit, &vec![Value::Null; n_variables]);
        let mut constants = unit.constants.clone();
        for (field, storage) in unit.all.fields.iter().zip(&unit.storage) {
            // What a field is before its class has begun.
            let default = || default_value(&field.ty, &|id| zero_element(&unit.all, id));
            match (*storage, field.is_static) {
                (Storage::Nowhere, _) => (),
                (Storage::Variable(place), false) => {
                    machine.state[place as usize] = Value::map(Vec::new());
                }
                (Storage::Variable(place), true) => machine.state[place as usize] = default(),
                (Storage::Constant(place), _) => constants[place as usize] = default(),
            }
        }
        let has_begun = vec![false; unit.all.classes.len()];
        let literals = vec![Progress::None; unit.all.fields.len()];
        machine.start = Some(Start { constants, has_begun, literals });
        for class in 0..unit.all.classes.len() {
            // Where there is nowhere better to point at, the class will do.
            machine.begin(ClassId(class as u32)).map_err(|mut stop| {
                stop.span.get_or_insert(unit.all.classes[class].name.span);
                stop
            })?;
        }
        let constants = machine.start.take().map(|start| start.constants).unwrap_or_default();
        let lasting = Lasting { arrays: machine.arrays, functions: machine.functions };
        Ok(First { state: machine.state, constants, lasting })
    }

    /// Gives a class its first values, if it has none yet.
    pub(crate) fn begin(&mut self, class: ClassId) -> Run<()> {
        let Some(start) = &mut self.start else { return Ok(()) };
        if std::mem::replace(&mut start.has_begun[class.0 as usize], true) {
            return Ok(());
        }
        let known = &self.unit.all.classes[class.0 as usize];
        for field in &known.fields {
            let declared = &self.unit.all.fields[*field];
            if !declared.is_static || self.unit.storage[*field] == Storage::Nowhere {
                continue;
            }
            if declared.is_literal {
                self.find_literal(*field as u32)?;
            } else if let Some(code) = &self.unit.initializers[*field] {
                let value = self.run(code, None, Vec::new())?.0;
                self.set_static(*field as u32, value);
            }
        }
        if let Some(constructor) = known.static_constructor {
            self.call(constructor as u32, None, Vec::new())?;
        }
        Ok(())
    }

    /// Sees to it that a static field has what it has when it is asked for.
    pub(crate) fn begin_for(&mut self, field: u32) -> Run<()> {
        if self.start.is_none() {
            return Ok(());
        }
        let known = &self.unit.all.fields[field as usize];
        if known.is_literal { self.find_literal(field) } else { self.begin(known.class) }
    }

    /// Finds the value of a `const`, if it is not known yet.
    fn find_literal(&mut self, field: u32) -> Run<()> {
        let Some(start) = &mut self.start else { return Ok(()) };
        let progress = &mut start.literals[field as usize];
        match std::mem::replace(progress, Progress::UnderWay) {
            Progress::None => (),
            Progress::Found => {
                *progress = Progress::Found;
                return Ok(());
            }
            Progress::UnderWay => {
                let name = &self.unit.all.fields[field as usize].name;
                return raise(format!("the constant `{}` is made of itself", name.text), name.span);
            }
        }
        if let Some(code) = &self.unit.initializers[field as usize] {
            let value = self.deeper(|machine| machine.run(code, None, Vec::new()))?.0;
            self.set_static(field, value);
        }
        if let Some(start) = &mut self.start {
            start.literals[field as usize] = Progress::Found;
        }
        Ok(())
    }
}
