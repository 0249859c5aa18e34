//! Values as texts of the program, as `ToString` of .NET and of NModel has them: `Set(1, 2)`, `Pair("a", null)`, `<1>` where a class has a `ToString`
//! of its own, also inside of other values.

use crate::code::Library;
use crate::compile::{Body, Compiler};
use crate::declare::{Declarations, Instances};
use crate::interpret::{MOST_MEMBERS, Machine, Run, limit};
use crate::types::{ClassId, Type};
use crate::value::Value;

impl Machine<'_> {
    /// A value as a text; a text is itself, and nothing is empty.
    pub(crate) fn text_of(&mut self, value: &Value) -> Run<String> {
        match value {
            Value::Text(text) => Ok(text.to_string()),
            Value::Null => Ok(String::new()),
            other => {
                let mut text = String::new();
                self.write_text(other, &mut text)?;
                Ok(text)
            }
        }
    }

    /// Values as texts.
    pub(crate) fn texts_of(&mut self, values: &[Value]) -> Run<Vec<String>> {
        values.iter().map(|value| self.text_of(value)).collect()
    }

    /// A value inside another: texts have quotes, and nothing has a word.
    fn write_text(&mut self, value: &Value, out: &mut String) -> Run<()> {
        self.charge(out.len() / 1024)?;
        if out.len() > MOST_MEMBERS {
            return limit("a text gets too long");
        }
        if let Some(own) = self.own_text(value) {
            let text = self.deeper(|machine| machine.call(own, Some(value.clone()), Vec::new()))?.0;
            out.push_str(if let Value::Text(text) = &text { text } else { "" });
            return Ok(());
        }
        let unit = self.unit;
        match value {
            Value::Null => out.push_str("null"),
            Value::Text(text) => out.extend(["\"", text, "\""]),
            Value::Char(character) => out.push(*character),
            Value::Bool(value) => out.push_str(if *value { "True" } else { "False" }),
            Value::Double(number) => out.push_str(&double_text(number.get())),
            Value::Object(sort, number) => {
                let Some(sort) = unit.all.sorts.get(*sort as usize) else { return Ok(()) };
                match sort.elements.get(*number as usize) {
                    Some(name) => out.push_str(name),
                    // NModel counts objects from 1.
                    None => out.push_str(&format!("{}({})", sort.name, u64::from(*number) + 1)),
                }
            }
            Value::Compound(class, fields) => {
                let class = unit.all.classes.get(*class as usize);
                let sort = class.and_then(|class| unit.all.sorts.get(class.sort as usize));
                self.write_texts(sort.map_or("?", |sort| &sort.name), fields, out)?;
            }
            Value::Set(members) => self.write_texts("Set", members, out)?,
            Value::Sequence(members) => self.write_texts("Sequence", members, out)?,
            Value::Tuple(parts) => {
                self.write_texts(if parts.len() == 2 { "Pair" } else { "Triple" }, parts, out)?;
            }
            Value::Bag(entries) | Value::Map(entries) => {
                self.write_entries(entries, matches!(value, Value::Bag(_)), out)?;
            }
            plain => out.push_str(&unit.show(plain)),
        }
        Ok(())
    }

    fn write_entries(&mut self, entries: &[(Value, Value)], is_bag: bool, out: &mut String) -> Run<()> {
        out.push_str(if is_bag { "Bag(" } else { "Map(" });
        for (place, (key, value)) in entries.iter().enumerate() {
            out.push_str(if place > 0 { ", " } else { "" });
            self.write_text(key, out)?;
            match (is_bag, value) {
                (true, Value::Int(1)) => continue,
                (true, _) => out.push_str(" ("),
                (false, _) => out.push_str(" -> "),
            }
            self.write_text(value, out)?;
            out.push_str(if is_bag { ")" } else { "" });
        }
        out.push(')');
        Ok(())
    }

    fn write_texts(&mut self, name: &str, values: &[Value], out: &mut String) -> Run<()> {
        out.extend([name, "("]);
        for (place, value) in values.iter().enumerate() {
            out.push_str(if place > 0 { ", " } else { "" });
            self.deeper(|machine| machine.write_text(value, out))?;
        }
        out.push(')');
        Ok(())
    }

    /// The `ToString` of a value's own class.
    fn own_text(&self, value: &Value) -> Option<u32> {
        let all = &self.unit.all;
        let method = match value {
            Value::Compound(class, _) => own_to_string(all, ClassId(*class)),
            Value::Object(sort, _) => {
                let mut classes = (0..all.classes.len()).filter(|class| {
                    let known = &all.classes[*class];
                    known.instances == Instances::Objects && known.sort == *sort
                });
                classes.find_map(|class| own_to_string(all, ClassId(class as u32)))
            }
            _ => None,
        };
        method.map(|method| method as u32).filter(|method| self.unit.methods[*method as usize].is_some())
    }
}

impl Compiler<'_> {
    /// A value becomes a text: what classes in it do for that is compiled.
    pub(crate) fn ask_texts(&mut self, ty: &Type) {
        let all = self.all;
        let mut seen = vec![false; all.classes.len()];
        let mut pending = vec![ty.clone()];
        while let Some(ty) = pending.pop() {
            match ty {
                Type::Class(class) if !std::mem::replace(&mut seen[class.0 as usize], true) => {
                    match own_to_string(all, class) {
                        Some(own) => self.ask(own),
                        None => {
                            let fields = all.instance_fields(class);
                            pending.extend(fields.iter().map(|field| all.fields[*field].ty.clone()));
                        }
                    }
                }
                Type::Object => {
                    pending.extend((0..all.classes.len()).map(|class| Type::Class(ClassId(class as u32))))
                }
                Type::Map(key, value) => pending.extend([*key, *value]),
                Type::Tuple(parts) => pending.extend(parts),
                other => pending.extend(other.inside().cloned()),
            }
        }
    }
}

impl Body<'_, '_> {
    /// A value becomes a text.
    pub(crate) fn shows(&mut self, ty: &Type) -> Library {
        self.compiler.show_names(ty);
        self.compiler.ask_texts(ty);
        match ty {
            Type::Exception => Library::ErrorText,
            Type::Nullable(_) => Library::ToTextOrEmpty,
            _ => Library::ToText,
        }
    }
}

/// A method of a class that makes a text of an instance.
fn own_to_string(all: &Declarations, class: ClassId) -> Option<usize> {
    let is_it =
        |method: &usize| !all.methods[*method].is_static && all.methods[*method].parameters.is_empty();
    all.methods(class, "ToString").into_iter().find(is_it)
}

/// A number as .NET writes it whatever the culture: as few digits as tell it from others, with an exponent where that is long.
fn double_text(number: f64) -> String {
    if !number.is_finite() {
        let text = if number.is_nan() { "NaN" } else { "Infinity" };
        return format!("{}{text}", if number.is_sign_negative() && !number.is_nan() { "-" } else { "" });
    }
    let scientific = format!("{number:e}");
    let Some((digits, exponent)) = scientific.split_once('e') else { return scientific };
    let exponent: i32 = exponent.parse().unwrap_or_default();
    let n_digits = digits.chars().filter(char::is_ascii_digit).count().max(15);
    if (-4..n_digits as i32).contains(&exponent) {
        return number.to_string();
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}E{sign}{:02}", exponent.unsigned_abs())
}
