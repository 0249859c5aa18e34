//! Cells: the scalars of the symbolic part, by the names that they have in heuristic files.
//!
//! An abstraction keeps some of them and forgets the others. Global variables are called as they are (`x`, `a[3]`, `r.field`), variables of a process
//! `P[1]:local`, its location `P[1]`, and the length and messages of the second channel together `channel 2`: see `docs/formats/heuristic.md`.

use fathom_model::{Model, Type};

use crate::composite::Composite;
use crate::shape::Shape;

/// A scalar, or the contents of a channel, of which all bits are symbolic.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Cell {
    pub name: String,
    /// Numbers of its bits.
    pub bits: Vec<u32>,
}

impl Composite<'_> {
    /// The cells of the symbolic part that goes with an explicit one.
    pub(crate) fn cells_of(&self, shape: &Shape) -> Vec<Cell> {
        let (model, layout) = (self.model, &self.layout);
        // Names with the addresses of their first and last bytes.
        let mut named: Vec<(String, u32, u32)> = Vec::new();
        for variable in &model.globals.variables {
            name_scalars(model, &variable.ty, variable.offset, &variable.name, &mut named);
        }
        for (number, record) in shape.processes.iter().enumerate() {
            let (process, template) =
                (&layout.processes[record.template.index()], model.template(record.template));
            let name = format!("{}[{number}]", template.name);
            let location = record.offset + process.location;
            named.push((name.clone(), location, location + process.location_width));
            for variable in &template.locals.variables {
                let offset = record.offset + process.locals + variable.offset;
                name_scalars(model, &variable.ty, offset, &format!("{name}:{}", variable.name), &mut named);
            }
        }
        for (number, record) in shape.channels.iter().enumerate() {
            let size = layout.channels[record.channel_type.index()].size;
            named.push((format!("channel {}", number + 1), record.offset, record.offset + size));
        }
        let symbolic = shape.symbolic_bits(&self.cells);
        let in_range = |first: u32, last: u32| -> Vec<u32> {
            symbolic.iter().copied().filter(|bit| (first * 8..last * 8).contains(bit)).collect()
        };
        named
            .into_iter()
            .map(|(name, first, last)| Cell { name, bits: in_range(first, last) })
            .filter(|cell| !cell.bits.is_empty())
            .collect()
    }
}

fn name_scalars(model: &Model, ty: &Type, offset: u32, name: &str, named: &mut Vec<(String, u32, u32)>) {
    match ty {
        Type::Scalar(scalar) => named.push((name.to_owned(), offset, offset + scalar.size())),
        Type::Array { element, length, first } => {
            let size = element.size(model);
            for index in 0..*length {
                name_scalars(
                    model,
                    element,
                    offset + index * size,
                    &format!("{name}[{}]", first + i64::from(index)),
                    named,
                );
            }
        }
        Type::Record(record) => {
            for field in &model.records[record.index()].fields {
                let name = format!("{name}.{}", field.name);
                name_scalars(model, &field.ty, offset + field.offset, &name, named);
            }
        }
    }
}
