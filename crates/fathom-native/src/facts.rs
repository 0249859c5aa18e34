//! What is known about a model before it runs, so that code can be made for the case at hand.
//!
//! - **Classes.** Channel types that differ only in their names share code: they are one class.
//! - **Fixed channels.** The channels of the globals are made first, so their records lie at the same place in
//!   every state. A global channel variable that nobody writes names one of them for good: an operation on it
//!   needs no look-up, no check, and knows the class.
//! - **Bounds.** An index that cannot leave its array needs no check, and an expression that cannot fail may
//!   be evaluated before it is known to be needed.

use std::collections::HashMap;

use fathom_model::layout::{ChannelLayout, Layout};
use fathom_model::{
    Action, Base, BinaryOp, Expr, Initializer, Model, Pattern, Place, ScalarType, Sync, Template, UnaryOp,
};

use crate::directory::ChannelEntry;
use crate::run_on::RunOn;

/// Channel types that are used in the same way.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Class {
    pub capacity: u32,
    pub fields: Vec<ScalarType>,
    pub layout: ChannelLayout,
}

impl Class {
    pub fn is_rendezvous(&self) -> bool {
        self.capacity == 0
    }
}

/// A channel that every state has, at the same place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct FixedChannel {
    /// Its number, counted from 1.
    pub number: u32,
    /// Its class, an index into [`Facts::classes`].
    pub class: usize,
    /// First byte of its record.
    pub offset: u32,
}

/// Facts about one model.
#[derive(Clone, Debug)]
pub(crate) struct Facts<'m> {
    pub model: &'m Model,
    pub layout: Layout,
    pub classes: Vec<Class>,
    /// Whether a channel passes messages from hand to hand.
    pub has_rendezvous: bool,
    /// By channel type.
    pub class_of_type: Vec<usize>,
    /// By the offset of the global variable that names it.
    fixed: HashMap<u32, FixedChannel>,
    /// The channels that every state has first: those of the globals.
    pub first_channels: Vec<ChannelEntry>,
    /// By template: the number of locations of the templates before it.
    pub first_location: Vec<u32>,
    /// Where generated code goes on alone.
    pub run_on: RunOn,
}

impl<'m> Facts<'m> {
    pub fn new(model: &'m Model, layout: &Layout) -> Facts<'m> {
        let mut facts = Facts {
            model,
            layout: layout.clone(),
            classes: Vec::new(),
            has_rendezvous: false,
            class_of_type: Vec::new(),
            fixed: HashMap::new(),
            first_channels: Vec::new(),
            first_location: Vec::new(),
            run_on: RunOn::default(),
        };
        facts.find_classes();
        facts.has_rendezvous = facts.classes.iter().any(Class::is_rendezvous);
        facts.find_fixed_channels();
        let mut n_locations = 0;
        for template in &model.templates {
            facts.first_location.push(n_locations);
            n_locations += template.locations.len() as u32;
        }
        facts.run_on = RunOn::of(&facts);
        facts
    }

    fn find_classes(&mut self) {
        for (ty, layout) in self.model.channel_types.iter().zip(&self.layout.channels) {
            // What a field stands for makes no difference to the code.
            let plain = |field: &ScalarType| ScalarType { kind: fathom_model::ScalarKind::Integer, ..*field };
            let class = Class {
                capacity: ty.capacity,
                fields: ty.fields.iter().map(plain).collect(),
                layout: *layout,
            };
            let known = self.classes.iter().position(|known| *known == class);
            self.class_of_type.push(known.unwrap_or(self.classes.len()));
            if known.is_none() {
                self.classes.push(class);
            }
        }
    }

    fn find_fixed_channels(&mut self) {
        let written = WrittenGlobals::of(self.model);
        let mut offset = self.layout.records;
        let mut number = 0;
        for initializer in &self.model.globals.initializers {
            let Initializer::Channel { place, channel_type } = initializer else { continue };
            number += 1;
            let class = self.class_of_type[channel_type.index()];
            let at = self.constant_offset(place);
            if let Some(at) =
                at.filter(|at| place.base == Base::Global && !written.touches(*at, place.ty.size()))
            {
                self.fixed.insert(at, FixedChannel { number, class, offset });
            }
            self.first_channels.push(ChannelEntry { offset, class: class as u32 });
            offset += self.layout.channels[channel_type.index()].size;
        }
    }

    /// The offset of a place whose indices are all constants within their arrays.
    pub fn constant_offset(&self, place: &Place) -> Option<u32> {
        let mut offset = place.offset;
        for index in &place.indices {
            let value = u32::try_from(self.constant(&index.value)?).ok()?;
            if value >= index.length {
                return None;
            }
            offset += value * index.stride;
        }
        Some(offset)
    }

    /// The channel that a global place names for good.
    pub fn fixed_channel(&self, place: &Place) -> Option<FixedChannel> {
        if place.base != Base::Global || place.ty.size() != 2 || place.ty.bits != 16 || place.ty.signed {
            return None;
        }
        self.fixed.get(&self.constant_offset(place)?).copied()
    }

    /// The channels that the elements of an array name for good, if their records lie one after the other.
    pub fn fixed_row(&self, place: &Place) -> Option<FixedChannel> {
        let [index] = place.indices.as_slice() else { return None };
        if place.base != Base::Global || place.ty.bits != 16 || place.ty.signed {
            return None;
        }
        let first = *self.fixed.get(&place.offset)?;
        let size = self.classes[first.class].layout.size;
        let follows = |element: u32| {
            let expected = FixedChannel {
                number: first.number + element,
                offset: first.offset + element * size,
                ..first
            };
            self.fixed.get(&(place.offset + element * index.stride)) == Some(&expected)
        };
        (0..index.length).all(follows).then_some(first)
    }

    /// The value of an expression that has the same value everywhere.
    pub fn constant(&self, expr: &Expr) -> Option<i32> {
        match expr {
            Expr::Const(value) => Some(*value as i32),
            Expr::Load(place) => match place.base {
                Base::Discard => Some(0),
                _ => self.fixed_channel(place).map(|channel| channel.number as i32),
            },
            Expr::Unary(op, operand) => {
                let operand = self.constant(operand)?;
                Some(match op {
                    UnaryOp::Negate => operand.wrapping_neg(),
                    UnaryOp::Complement => !operand,
                    UnaryOp::Not => i32::from(operand == 0),
                })
            }
            Expr::Binary(op, left, right) => binary(*op, self.constant(left)?, self.constant(right)?),
            Expr::Conditional(condition, then, otherwise) => {
                self.constant(if self.constant(condition)? != 0 { then } else { otherwise })
            }
            _ => None,
        }
    }

    /// The largest value of an expression that is never negative, when that is easy to see.
    pub fn largest(&self, expr: &Expr) -> Option<u32> {
        if let Some(value) = self.constant(expr) {
            return u32::try_from(value).ok();
        }
        match expr {
            Expr::Load(place) if !place.ty.signed && place.ty.bits < 32 => Some((1 << place.ty.bits) - 1),
            Expr::Unary(UnaryOp::Not, _) | Expr::AtLocation { .. } => Some(1),
            Expr::Binary(BinaryOp::BitAnd, left, right) => match (self.largest(left), self.largest(right)) {
                (Some(left), Some(right)) => Some(left.min(right)),
                (left, right) => left.or(right),
            },
            Expr::Binary(BinaryOp::Remainder, left, right) => {
                let divisor = self.constant(right).filter(|divisor| *divisor > 0)?;
                self.largest(left).map(|largest| largest.min(divisor as u32 - 1))
            }
            Expr::Binary(op, ..) if is_truth(*op) => Some(1),
            _ => None,
        }
    }

    /// Whether evaluating an expression never fails.
    pub fn is_total(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Const(_)
            | Expr::OwnProcess
            | Expr::ProcessCount
            | Expr::LastProcess
            | Expr::Created
            | Expr::Timeout
            | Expr::NonProgress
            | Expr::SomeAccepting => true,
            Expr::Load(place) => self.is_total_place(place),
            Expr::Unary(_, operand) => self.is_total(operand),
            Expr::Binary(BinaryOp::Divide | BinaryOp::Remainder, left, right) => {
                self.constant(right).is_some_and(|divisor| divisor != 0) && self.is_total(left)
            }
            Expr::Binary(_, left, right) => self.is_total(left) && self.is_total(right),
            Expr::Conditional(condition, then, otherwise) => {
                self.is_total(condition) && self.is_total(then) && self.is_total(otherwise)
            }
            Expr::Channel(_, channel) => self.always_names_channel(channel),
            Expr::Poll { .. } | Expr::Enabled(_) => false,
            Expr::LocationOf(process) | Expr::Priority(process) => self.is_total(process),
            Expr::AtLocation { process, .. } => process.as_ref().is_none_or(|process| self.is_total(process)),
        }
    }

    /// Whether an expression always means one of the fixed channels.
    pub fn always_names_channel(&self, channel: &Expr) -> bool {
        let Expr::Load(place) = channel else { return false };
        self.fixed_channel(place).is_some() || (self.fixed_row(place).is_some() && self.is_total_place(place))
    }

    fn is_total_place(&self, place: &Place) -> bool {
        let base = match &place.base {
            Base::Other { process: Some(process), .. } => self.is_total(process),
            _ => true,
        };
        base && place.indices.iter().all(|index| {
            self.is_total(&index.value)
                && self.largest(&index.value).is_some_and(|largest| largest < index.length)
        })
    }

    /// The classes that a channel expression may mean.
    pub fn classes_of(&self, channel: &Expr) -> Vec<usize> {
        if let Expr::Load(place) = channel
            && let Some(fixed) = self.fixed_channel(place).or_else(|| self.fixed_row(place))
        {
            return vec![fixed.class];
        }
        (0..self.classes.len()).collect()
    }

    /// Whether an edge may offer a hand-shake.
    pub fn may_offer(&self, sync: Option<&Sync>) -> bool {
        match sync {
            Some(Sync::Send { channel, .. }) => {
                self.classes_of(channel).iter().any(|class| self.classes[*class].is_rendezvous())
            }
            _ => false,
        }
    }
}

/// Whether an operator gives 0 or 1.
pub(crate) fn is_truth(op: BinaryOp) -> bool {
    use BinaryOp::{And, Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual, Or};
    matches!(op, Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual | And | Or)
}

fn binary(op: BinaryOp, left: i32, right: i32) -> Option<i32> {
    Some(match op {
        BinaryOp::Add => left.wrapping_add(right),
        BinaryOp::Subtract => left.wrapping_sub(right),
        BinaryOp::Multiply => left.wrapping_mul(right),
        BinaryOp::Divide | BinaryOp::Remainder if right == 0 => return None,
        BinaryOp::Divide => left.wrapping_div(right),
        BinaryOp::Remainder => left.wrapping_rem(right),
        BinaryOp::ShiftLeft => left.wrapping_shl(right as u32),
        BinaryOp::ShiftRight => left.wrapping_shr(right as u32),
        BinaryOp::BitAnd => left & right,
        BinaryOp::BitOr => left | right,
        BinaryOp::BitXor => left ^ right,
        BinaryOp::Equal => i32::from(left == right),
        BinaryOp::NotEqual => i32::from(left != right),
        BinaryOp::Less => i32::from(left < right),
        BinaryOp::LessEqual => i32::from(left <= right),
        BinaryOp::Greater => i32::from(left > right),
        BinaryOp::GreaterEqual => i32::from(left >= right),
        BinaryOp::And => i32::from(left != 0 && right != 0),
        BinaryOp::Or => i32::from(left != 0 || right != 0),
    })
}

/// The bytes of the globals that something may write, apart from the first values of channels.
struct WrittenGlobals {
    ranges: Vec<(u32, u32)>,
}

impl WrittenGlobals {
    fn of(model: &Model) -> WrittenGlobals {
        let mut written = WrittenGlobals { ranges: Vec::new() };
        for initializer in &model.globals.initializers {
            if let Initializer::Value { place, .. } = initializer {
                written.note(place);
            }
        }
        for template in &model.templates {
            written.note_template(template);
        }
        written
    }

    fn note_template(&mut self, template: &Template) {
        template.parameters.iter().for_each(|parameter| self.note(parameter));
        for initializer in &template.locals.initializers {
            let (Initializer::Value { place, .. } | Initializer::Channel { place, .. }) = initializer;
            self.note(place);
        }
        for edge in &template.edges {
            if let Some(Sync::Receive { patterns, .. }) = &edge.sync {
                for pattern in patterns {
                    if let Pattern::Bind(place) = pattern {
                        self.note(place);
                    }
                }
            }
            for action in &edge.effect {
                if let Action::Assign(place, _) = action {
                    self.note(place);
                }
            }
        }
    }

    fn note(&mut self, place: &Place) {
        if place.base == Base::Global {
            let reach: u32 = place.indices.iter().map(|index| (index.length - 1) * index.stride).sum();
            self.ranges.push((place.offset, place.offset + reach + place.ty.size()));
        }
    }

    fn touches(&self, offset: u32, size: u32) -> bool {
        self.ranges.iter().any(|&(start, end)| offset < end && start < offset + size)
    }
}
