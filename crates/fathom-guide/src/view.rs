//! A state as heuristics look at it: values of expressions without a copy of the state.
//!
//! The reference interpreter copies a state before it evaluates anything, which is too slow for something that is
//! asked about every step. A [`View`] borrows the bytes and knows where the records are. It evaluates what heuristics
//! need; about the rest (what other processes could do, errors of evaluation) it says *unknown*, and the heuristic
//! has to live with it. Where it gives a value, it is the value of the interpreter; a test compares the two.

use fathom_model::layout::{Layout, RecordKind, read_number};
use fathom_model::{Base, BinaryOp, ChannelQuery, ChannelTypeId, Expr, LocationId, Model, Place, TemplateId};

/// A state taken apart.
pub(crate) struct View<'a> {
    pub model: &'a Model,
    pub layout: &'a Layout,
    pub state: &'a [u8],
    /// Offset and template of each process.
    pub processes: Vec<(u32, TemplateId)>,
    /// Offset and type of each channel.
    pub channels: Vec<(u32, ChannelTypeId)>,
}

impl<'a> View<'a> {
    /// Takes a state apart.
    pub fn new(model: &'a Model, layout: &'a Layout, state: &'a [u8]) -> View<'a> {
        let mut view = View { model, layout, state, processes: Vec::new(), channels: Vec::new() };
        view.processes.reserve(model.start.len());
        let mut offset = layout.records;
        while (offset as usize) < state.len() {
            let kind = layout.record_kind(&state[offset as usize..]);
            match kind {
                RecordKind::Process(template) => view.processes.push((offset, template)),
                RecordKind::Channel(channel_type) => view.channels.push((offset, channel_type)),
            }
            offset += layout.record_size(kind);
        }
        view
    }

    /// Where a process is.
    pub fn location(&self, process: usize) -> LocationId {
        let (offset, template) = self.processes[process];
        let layout = &self.layout.processes[template.index()];
        let start = (offset + layout.location) as usize;
        LocationId(read_number(&self.state[start..], layout.location_width))
    }

    /// The process that a reference means: a number, or without one the first of the template.
    pub fn find(&self, template: TemplateId, process: Option<&Expr>, own: Option<usize>) -> Option<usize> {
        let number = match process {
            Some(process) => usize::try_from(self.value(process, own)?).ok()?,
            None => self.processes.iter().position(|&(_, of)| of == template)?,
        };
        self.processes.get(number).filter(|&&(_, of)| of == template).map(|_| number)
    }

    /// The channel that an expression means, as an index.
    pub fn channel(&self, channel: &Expr, own: Option<usize>) -> Option<usize> {
        let index = usize::try_from(self.value(channel, own)? - 1).ok()?;
        (index < self.channels.len()).then_some(index)
    }

    /// Number of messages in a channel and how many fit.
    pub fn length(&self, channel: usize) -> (u32, u32) {
        let (offset, channel_type) = self.channels[channel];
        let layout = &self.layout.channels[channel_type.index()];
        let capacity = self.model.channel_type(channel_type).capacity;
        if layout.length_width == 0 {
            return (0, capacity);
        }
        let start = (offset + layout.length) as usize;
        (read_number(&self.state[start..], layout.length_width), capacity)
    }

    /// A field of a message.
    pub fn field(&self, channel: usize, message: u32, field: usize) -> Option<i64> {
        let (offset, channel_type) = self.channels[channel];
        let layout = &self.layout.channels[channel_type.index()];
        let fields = &self.model.channel_type(channel_type).fields;
        let before: u32 = fields.get(..field)?.iter().map(|ty| ty.size()).sum();
        let start = offset + layout.messages + message * layout.message_size + before;
        fields.get(field).map(|ty| ty.read(&self.state[start as usize..]))
    }

    /// The value of an expression seen by a process; none when it is not known here.
    pub fn value(&self, expr: &Expr, own: Option<usize>) -> Option<i64> {
        match expr {
            Expr::Const(value) => Some(i64::from(*value as i32)),
            Expr::Load(place) => self.load(place, own),
            Expr::Unary(op, operand) => Some(op.apply(self.value(operand, own)?)),
            Expr::Binary(op, left, right) => self.binary(*op, left, right, own),
            Expr::Conditional(condition, then, otherwise) => {
                let chosen = if self.value(condition, own)? != 0 { then } else { otherwise };
                self.value(chosen, own)
            }
            Expr::Channel(query, channel) => {
                let (length, capacity) = self.length(self.channel(channel, own)?);
                let is_full = capacity > 0 && length >= capacity;
                Some(match query {
                    ChannelQuery::Length => i64::from(length),
                    ChannelQuery::Empty => i64::from(length == 0),
                    ChannelQuery::NotEmpty => i64::from(length > 0),
                    ChannelQuery::Full => i64::from(is_full),
                    ChannelQuery::NotFull => i64::from(!is_full),
                })
            }
            Expr::OwnProcess => Some(own.map_or(-1, |own| own as i64)),
            Expr::ProcessCount => Some(self.processes.len() as i64),
            Expr::LocationOf(process) => {
                let process = usize::try_from(self.value(process, own)?).ok();
                let process = process.filter(|&process| process < self.processes.len());
                Some(process.map_or(0, |process| i64::from(self.location(process).0)))
            }
            Expr::AtLocation { template, process, location } => {
                let process = self.find(*template, process.as_deref(), own);
                Some(i64::from(process.is_some_and(|process| self.location(process) == *location)))
            }
            _ => None,
        }
    }

    fn binary(&self, op: BinaryOp, left: &Expr, right: &Expr, own: Option<usize>) -> Option<i64> {
        let one = self.value(left, own)?;
        match op {
            BinaryOp::And if one == 0 => return Some(0),
            BinaryOp::Or if one != 0 => return Some(1),
            _ => {}
        }
        op.apply(one, self.value(right, own)?).ok()
    }

    fn load(&self, place: &Place, own: Option<usize>) -> Option<i64> {
        let locals = |process: usize| {
            let (offset, template) = self.processes[process];
            offset + self.layout.processes[template.index()].locals
        };
        let base = match &place.base {
            Base::Global => 0,
            Base::Own => match own {
                Some(own) => locals(own),
                None => return Some(0),
            },
            Base::Other { template, process } => {
                // A number that is not known is no process that is missing.
                if let Some(number) = process {
                    self.value(number, own)?;
                }
                match self.find(*template, process.as_deref(), own) {
                    Some(process) => locals(process),
                    None => return Some(0),
                }
            }
            Base::Temporary => return None,
            Base::Discard => return Some(0),
        };
        let mut address = base + place.offset;
        for index in &place.indices {
            let value = u32::try_from(self.value(&index.value, own)?).ok()?;
            address += (value < index.length).then_some(value)? * index.stride;
        }
        Some(place.ty.read(self.state.get(address as usize..)?))
    }
}
