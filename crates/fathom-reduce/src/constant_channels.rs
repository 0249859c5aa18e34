//! Channel variables that never change.
//!
//! Most channel variables get their channel when they are made and keep it. For a global one the number of the
//! channel is then known before the search; for a parameter or local it can be read from the process at any
//! time. What other variables hold can be anything.

use fathom_model::layout::{Layout, RecordKind};
use fathom_model::{Base, Expr, Interpreter, Model, Place, ScalarKind, Steps, System, TemplateId, Type};

use crate::access::{Channels, for_each_written};

/// What is known of channel variables.
#[derive(Clone, Debug)]
pub(crate) struct ConstantChannels {
    /// Ranges of the globals that are channel variables set once, with the numbers of their channels.
    globals: Vec<(std::ops::Range<u32>, Vec<u32>)>,
    /// For each template, offsets of the locals that are channel variables and written by no edge.
    locals: Vec<Vec<u32>>,
    /// Capacity, and number of fields, of the channels that exist from the start, by number less one.
    shapes: Vec<(u32, usize)>,
}

impl ConstantChannels {
    pub fn new(model: &Model) -> ConstantChannels {
        let mut written: Vec<u32> = Vec::new();
        for template in &model.templates {
            for_each_written(template, &mut |place| {
                if place.base == Base::Global {
                    written.push(place.offset);
                }
            });
        }
        let initial = initial_state(model);
        let layout = Layout::new(model);
        ConstantChannels {
            globals: constant_globals(model, &written, initial.as_deref()),
            locals: model.templates.iter().map(constant_locals).collect(),
            shapes: initial.map_or(Vec::new(), |state| shapes(model, &layout, &state)),
        }
    }

    /// The channels that an expression can stand for, evaluated by a process of a template.
    pub fn channels(&self, channel: &Expr, own: Option<TemplateId>) -> Channels {
        let Expr::Load(place) = channel else { return Channels::Any };
        match place.base {
            Base::Global => {
                let known = self.globals.iter().find(|(range, _)| range.contains(&place.offset));
                let Some((range, numbers)) = known else { return Channels::Any };
                if place.indices.is_empty() {
                    let index = (place.offset - range.start) / place.ty.size();
                    return Channels::Known(vec![numbers[index as usize]]);
                }
                constant_index(place, range, numbers).unwrap_or_else(|| Channels::Known(numbers.clone()))
            }
            Base::Own if place.indices.is_empty() => match own {
                Some(template) if self.locals[template.index()].contains(&place.offset) => {
                    Channels::Local(place.offset)
                }
                _ => Channels::Any,
            },
            _ => Channels::Any,
        }
    }

    /// Whether one of the channels may be a hand-shake channel.
    pub fn may_rendezvous(&self, channels: &Channels, model: &Model) -> bool {
        match channels {
            Channels::Known(numbers) => numbers.iter().any(|&number| {
                let index = (number as usize).wrapping_sub(1);
                self.shapes.get(index).is_none_or(|&(capacity, _)| capacity == 0)
            }),
            Channels::Local(_) | Channels::Any => model.channel_types.iter().any(|ty| ty.is_rendezvous()),
        }
    }
}

impl ConstantChannels {
    /// The number of fields of a channel that exists from the start.
    pub fn n_fields(&self, number: u32) -> Option<usize> {
        self.shapes.get((number as usize).checked_sub(1)?).map(|(_, n_fields)| *n_fields)
    }
}

fn constant_index(place: &Place, range: &std::ops::Range<u32>, numbers: &[u32]) -> Option<Channels> {
    let [index] = place.indices.as_slice() else { return None };
    let Expr::Const(value) = index.value else { return None };
    let offset = i64::from(place.offset - range.start) + value * i64::from(index.stride);
    let slot = usize::try_from(offset / i64::from(place.ty.size())).ok()?;
    numbers.get(slot).map(|&number| Channels::Known(vec![number]))
}

fn initial_state(model: &Model) -> Option<Vec<u8>> {
    let interpreter = Interpreter::new(model, &[]);
    let mut steps = Steps::new();
    interpreter.initial(&mut interpreter.scratch(), &mut steps);
    (!steps.is_empty()).then(|| steps.state(0).to_vec())
}

/// Channel variables and arrays of them among the globals that no edge writes.
fn constant_globals(
    model: &Model,
    written: &[u32],
    initial: Option<&[u8]>,
) -> Vec<(std::ops::Range<u32>, Vec<u32>)> {
    let Some(state) = initial else { return Vec::new() };
    let mut constant = Vec::new();
    for variable in &model.globals.variables {
        let scalar = match &variable.ty {
            Type::Scalar(scalar) => *scalar,
            Type::Array { element, .. } => match **element {
                Type::Scalar(scalar) => scalar,
                _ => continue,
            },
            Type::Record(_) => continue,
        };
        let range = variable.offset..variable.offset + variable.ty.size(model);
        if scalar.kind != ScalarKind::Channel || written.iter().any(|offset| range.contains(offset)) {
            continue;
        }
        let slots = (range.start..range.end).step_by(scalar.size() as usize);
        let numbers = slots.map(|offset| scalar.read(&state[offset as usize..]) as u32).collect();
        constant.push((range, numbers));
    }
    constant
}

fn constant_locals(template: &fathom_model::Template) -> Vec<u32> {
    let mut written = Vec::new();
    for_each_written(template, &mut |place| {
        if place.base == Base::Own {
            written.push(place.offset);
        }
    });
    template
        .locals
        .variables
        .iter()
        .filter(|variable| matches!(variable.ty, Type::Scalar(scalar) if scalar.kind == ScalarKind::Channel))
        .map(|variable| variable.offset)
        .filter(|offset| !written.contains(offset))
        .collect()
}

fn shapes(model: &Model, layout: &Layout, state: &[u8]) -> Vec<(u32, usize)> {
    let mut shapes = Vec::new();
    let mut rest = &state[layout.records as usize..];
    while !rest.is_empty() {
        let kind = layout.record_kind(rest);
        if let RecordKind::Channel(channel_type) = kind {
            let ty = model.channel_type(channel_type);
            shapes.push((ty.capacity, ty.fields.len()));
        }
        rest = &rest[layout.record_size(kind) as usize..];
    }
    shapes
}
