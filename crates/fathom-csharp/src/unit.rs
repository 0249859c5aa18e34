//! A compiled program: what is declared, what methods do, and where values are kept.

use std::fmt::{self, Write};
use std::sync::Arc;

use fathom_source::{SourceMap, Span};

use crate::code::MethodCode;
use crate::declare::Declarations;
use crate::interpret::Lasting;
use crate::types::EnumId;
use crate::value::Value;

/// Where the values of a field are kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Storage {
    /// Nobody asks for them.
    Nowhere,
    /// In a variable of the state: the value, or a map from objects to values.
    Variable(u32),
    /// In what never changes.
    Constant(u32),
}

/// A compiled program.
#[derive(Debug)]
pub struct Unit {
    /// What is declared.
    pub all: Declarations,
    /// By number, what methods do.
    pub methods: Vec<Option<Arc<MethodCode>>>,
    /// By field, how its first value is found.
    pub initializers: Vec<Option<MethodCode>>,
    /// By field, where its values are.
    pub storage: Vec<Storage>,
    /// What never changes.
    pub constants: Vec<Value>,
    /// What constants refer to.
    pub lasting: Lasting,
    /// By enumeration, its elements as values.
    pub elements: Vec<Vec<Value>>,
    /// The texts, for places in messages.
    pub sources: SourceMap,
    /// What methods do may depend on the names of objects.
    pub may_ask_for_names: bool,
}

impl Unit {
    /// The elements of an enumeration.
    pub fn elements(&self, id: EnumId) -> &[Value] {
        &self.elements[id.0 as usize]
    }

    /// The elements of an enumeration, each once: several names may stand for one.
    pub fn different_elements(&self, id: EnumId) -> Vec<Value> {
        let mut found: Vec<Value> = Vec::new();
        for element in self.elements(id) {
            if !found.contains(element) {
                found.push(element.clone());
            }
        }
        found
    }

    /// The number of an element.
    pub fn element_number(&self, value: &Value) -> Option<i64> {
        let Value::Element(kind, place) = value else { return None };
        let (_, elements) = self.all.kinds.get(*kind as usize)?;
        elements.get(*place as usize).map(|(_, number)| *number)
    }

    /// `file:line:column`.
    pub fn locate(&self, span: Span) -> String {
        self.sources.locate(span)
    }

    /// A value as a person would write it.
    pub fn show(&self, value: &Value) -> String {
        let mut text = String::new();
        // Writing to a text does not fail.
        let _ = self.write(value, &mut text);
        text
    }

    fn list<'v>(
        &self,
        open: &str,
        values: impl Iterator<Item = &'v Value>,
        close: &str,
        out: &mut String,
    ) -> fmt::Result {
        out.push_str(open);
        for (place, value) in values.enumerate() {
            if place > 0 {
                out.push_str(", ");
            }
            self.write(value, out)?;
        }
        out.push_str(close);
        Ok(())
    }

    fn write(&self, value: &Value, out: &mut String) -> fmt::Result {
        match value {
            Value::Null => write!(out, "null"),
            Value::Any => write!(out, "_"),
            Value::Bool(value) => write!(out, "{value}"),
            Value::Int(number) => write!(out, "{number}"),
            Value::Double(number) => write!(out, "{}", number.get()),
            Value::Char(character) => write!(out, "{character:?}"),
            Value::Text(text) => write!(out, "{text:?}"),
            Value::Element(kind, place) => {
                let known = self.all.kinds.get(*kind as usize);
                let name = known.and_then(|(_, elements)| elements.get(*place as usize));
                write!(out, "{}", name.map_or("?", |(name, _)| name))
            }
            Value::Object(sort, number) => {
                let Some(sort) = self.all.sorts.get(*sort as usize) else { return write!(out, "?") };
                match sort.elements.get(*number as usize) {
                    Some(name) => write!(out, "{name}"),
                    None => write!(out, "{}#{number}", sort.name),
                }
            }
            Value::Compound(class, fields) => {
                let class = self.all.classes.get(*class as usize);
                write!(out, "{}", class.map_or("?", |class| &class.name.text))?;
                self.list("(", fields.iter(), ")", out)
            }
            Value::Set(members) => self.list("{", members.iter(), "}", out),
            Value::Sequence(members) => self.list("[", members.iter(), "]", out),
            Value::Tuple(parts) => self.list("(", parts.iter(), ")", out),
            Value::Bag(entries) | Value::Map(entries) => {
                let arrow = if matches!(value, Value::Bag(_)) { " x " } else { " -> " };
                out.push('{');
                for (place, (key, value)) in entries.iter().enumerate() {
                    if place > 0 {
                        out.push_str(", ");
                    }
                    self.write(key, out)?;
                    out.push_str(arrow);
                    self.write(value, out)?;
                }
                out.push('}');
                Ok(())
            }
            Value::Array(_) => write!(out, "an array"),
            Value::Function(_) => write!(out, "a function"),
        }
    }
}
