//! The value of an expression in a set of states.
//!
//! As in the reference interpreter, part by part; see `eval.rs` there for the meaning. Where the interpreter stops at the
//! first fault of a state, the values that lead to it leave the condition under which evaluation goes on, so that each state has one fault at
//! most. What is chosen by a value that is not known (an element of an array, a process, a channel) is a choice among all that
//! are possible.

use fathom_diagram::{Diagram, NoRoom};
use fathom_model::{
    Base, BinaryOp, ChannelQuery, Expr, Fault, Location, LocationId, Place, TemplateId, UnaryOp,
};

use crate::machine::{Live, Machine, View};
use crate::number::{Number, WIDEST};
use crate::partition::bits_for;
use crate::path::Path;
use crate::shape::{ProcessRecord, n_locations};

/// How deep questions whether a process is enabled may nest, as in the interpreter.
const DEEPEST_QUESTION: u32 = 64;

/// Alternatives with the conditions under which they are meant; no two overlap.
pub(crate) type Choices<T> = Vec<(Diagram, T)>;

/// How many low bits of its operands an operator needs for so many of its result.
fn needed_bits(op: BinaryOp, left: &Expr, right: &Expr, n_bits: usize) -> (usize, usize) {
    // A mask needs no more of the other side than it lets through.
    let let_through = |mask: &Expr| match mask {
        Expr::Const(mask) if *mask as i32 >= 0 => n_bits.min(64 - mask.leading_zeros() as usize),
        _ => n_bits,
    };
    match op {
        BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply | BinaryOp::BitOr | BinaryOp::BitXor => {
            (n_bits, n_bits)
        }
        BinaryOp::BitAnd => (let_through(right).max(1), let_through(left).max(1)),
        BinaryOp::ShiftLeft => (n_bits, WIDEST),
        _ => (WIDEST, WIDEST),
    }
}

/// A product under way: of the factors that are known, and of the others.
struct Product {
    known: i64,
    unknown: Option<Number>,
}

/// An expression without a mask around it that changes nothing about so many low bits.
fn without_mask(expr: &Expr, n_bits: usize) -> &Expr {
    let keeps_all = |mask: i64| mask.trailing_ones() as usize >= n_bits;
    match expr {
        Expr::Binary(BinaryOp::BitAnd, inner, mask) | Expr::Binary(BinaryOp::BitAnd, mask, inner) if matches!(**mask, Expr::Const(mask) if keeps_all(mask)) => {
            without_mask(inner, n_bits)
        }
        _ => expr,
    }
}

impl Machine<'_> {
    /// The condition under which an expression is not 0.
    pub fn holds(
        &mut self,
        view: &View,
        path: &Path,
        expr: &Expr,
        live: &mut Live,
    ) -> Result<Diagram, NoRoom> {
        let value = self.value(view, path, expr, live)?;
        live.condition.and(&self.arithmetic.nonzero(&value)?)
    }

    /// The value of an expression; it means something where the evaluation is alive afterwards.
    pub fn value(
        &mut self,
        view: &View,
        path: &Path,
        expr: &Expr,
        live: &mut Live,
    ) -> Result<Number, NoRoom> {
        self.low_bits(view, path, expr, WIDEST, live)
    }

    /// The value of an expression of which nobody looks at more than so many low bits; what is above means nothing.
    pub fn low_bits(
        &mut self,
        view: &View,
        path: &Path,
        expr: &Expr,
        n_bits: usize,
        live: &mut Live,
    ) -> Result<Number, NoRoom> {
        let value = self.some_bits(view, path, without_mask(expr, n_bits), n_bits, live)?;
        Ok(self.arithmetic.low(value, n_bits))
    }

    /// The same; there may be more bits than are asked for.
    fn some_bits(
        &mut self,
        view: &View,
        path: &Path,
        expr: &Expr,
        n_bits: usize,
        live: &mut Live,
    ) -> Result<Number, NoRoom> {
        if live.condition.is_false() {
            return Ok(Number::Known(0));
        }
        Ok(match expr {
            Expr::Const(value) => Number::Known(i64::from(*value as i32)),
            Expr::Load(Place { base: Base::Temporary, offset, .. }) => {
                path.temporary(*offset).cloned().unwrap_or(Number::Known(0))
            }
            Expr::Load(place) if let Some(address) = self.fixed_address(view, path, place) => {
                self.read(path, address, place.ty)?
            }
            Expr::Load(place) => {
                let addresses = self.addresses(view, path, place, live)?;
                let mut value = Number::Known(0);
                for (condition, address) in addresses {
                    if let Some(address) = address {
                        let read = self.read(path, address, place.ty)?;
                        value = self.alternative(&condition, read, value, live)?;
                    }
                }
                value
            }
            Expr::Unary(op, operand) => {
                let n_bits = if *op == UnaryOp::Not { WIDEST } else { n_bits };
                let operand = self.low_bits(view, path, operand, n_bits, live)?;
                self.arithmetic.unary(*op, &operand)?
            }
            Expr::Binary(BinaryOp::And, left, right) => {
                let left = self.holds(view, path, left, live)?;
                let both = live.within(&left, |live| self.holds(view, path, right, live))?;
                self.arithmetic.truth(both)
            }
            Expr::Binary(BinaryOp::Or, left, right) => {
                let left = self.holds(view, path, left, live)?;
                let right = live.within(&left.not()?, |live| self.holds(view, path, right, live))?;
                self.arithmetic.truth(left.or(&right)?)
            }
            Expr::Binary(BinaryOp::Multiply, ..) => {
                let mut product = Product { known: 1, unknown: None };
                self.factors(view, path, expr, n_bits, live, &mut product)?;
                let known = i64::from(product.known as i32);
                match product.unknown {
                    None => Number::Known(known),
                    Some(unknown) => {
                        self.arithmetic.multiple(&unknown, known, n_bits, &mut self.known.multiples)?
                    }
                }
            }
            Expr::Binary(op, left, right) => {
                let (of_left, of_right) = needed_bits(*op, left, right, n_bits);
                let left = self.low_bits(view, path, left, of_left, live)?;
                let right = self.low_bits(view, path, right, of_right, live)?;
                if matches!(op, BinaryOp::Divide | BinaryOp::Remainder) {
                    live.fault(Fault::DivisionByZero, &self.arithmetic.is(&right, 0)?)?;
                    if live.condition.is_false() {
                        return Ok(Number::Known(0));
                    }
                }
                self.arithmetic.binary_low(*op, &left, &right, n_bits)?
            }
            Expr::Conditional(condition, then, otherwise) => {
                let chosen = self.holds(view, path, condition, live)?;
                let then = live.within(&chosen, |live| self.low_bits(view, path, then, n_bits, live))?;
                let otherwise =
                    live.within(&chosen.not()?, |live| self.low_bits(view, path, otherwise, n_bits, live))?;
                self.arithmetic.choose(&chosen, &then, &otherwise)?
            }
            Expr::Channel(query, channel) => {
                let channels = self.channels(view, path, channel, live)?;
                let mut value = Number::Known(0);
                for (condition, channel) in channels {
                    let answer = self.query(path, channel, *query)?;
                    value = self.alternative(&condition, answer, value, live)?;
                }
                value
            }
            Expr::Poll { channel, patterns, which } => {
                let channels = self.channels(view, path, channel, live)?;
                let mut some = self.arithmetic.no.clone();
                for (condition, channel) in channels {
                    if self.is_rendezvous(path, channel) {
                        live.fault(Fault::PollOfRendezvous, &condition)?;
                        continue;
                    }
                    let slots = live.within(&condition, |live| {
                        self.find_message(view, path, channel, patterns, *which, live)
                    })?;
                    for (condition, _) in slots {
                        some = some.or(&condition)?;
                    }
                }
                self.arithmetic.truth(some)
            }
            _ => self.value_of_question(view, path, expr, live)?,
        })
    }

    /// Multiplies by all factors of a product. Those that are known are multiplied with each other, and with the rest at last: a product with each of them would be as large a diagram each time.
    fn factors(
        &mut self,
        view: &View,
        path: &Path,
        expr: &Expr,
        n_bits: usize,
        live: &mut Live,
        product: &mut Product,
    ) -> Result<(), NoRoom> {
        if let Expr::Binary(BinaryOp::Multiply, left, right) = without_mask(expr, n_bits) {
            self.factors(view, path, left, n_bits, live, product)?;
            return self.factors(view, path, right, n_bits, live, product);
        }
        let factor = self.low_bits(view, path, expr, n_bits, live)?;
        match (factor, product.unknown.take()) {
            (Number::Known(factor), unknown) => {
                product.known = product.known.wrapping_mul(factor);
                product.unknown = unknown;
            }
            (factor, None) => product.unknown = Some(factor),
            (factor, Some(so_far)) => {
                let both = self.arithmetic.binary_low(BinaryOp::Multiply, &so_far, &factor, n_bits)?;
                product.unknown = Some(both);
            }
        }
        Ok(())
    }

    /// One number where a condition holds, another elsewhere; the only one when the condition is all there is.
    fn alternative(
        &self,
        condition: &Diagram,
        then: Number,
        otherwise: Number,
        live: &Live,
    ) -> Result<Number, NoRoom> {
        if *condition == live.condition {
            return Ok(then);
        }
        self.arithmetic.choose(condition, &then, &otherwise)
    }

    /// The value of an expression about processes.
    fn value_of_question(
        &mut self,
        view: &View,
        path: &Path,
        expr: &Expr,
        live: &mut Live,
    ) -> Result<Number, NoRoom> {
        Ok(match expr {
            Expr::OwnProcess => Number::Known(view.own.map_or(-1, i64::from)),
            Expr::ProcessCount => Number::Known(path.shape.processes.len() as i64),
            Expr::LastProcess => Number::Known(path.shape.last(self.layout)),
            Expr::Created => Number::Known(view.created),
            Expr::Timeout => Number::Known(i64::from(view.timeout)),
            Expr::NonProgress => {
                let some = self.some_location(path, |location| location.progress)?;
                self.arithmetic.truth(some.not()?)
            }
            Expr::SomeAccepting => {
                let some = self.some_location(path, |location| location.accept)?;
                self.arithmetic.truth(some)
            }
            Expr::Enabled(process) => {
                let enabled = self.enabled(view, path, process, live)?;
                self.arithmetic.truth(enabled)
            }
            Expr::LocationOf(process) => {
                let processes = self.processes(view, path, process, live)?;
                let mut value = Number::Known(0);
                for (condition, process) in processes {
                    if let Some(record) = process {
                        let location = self.location(path, record)?;
                        value = self.alternative(&condition, location, value, live)?;
                    }
                }
                value
            }
            Expr::AtLocation { template, process, location } => {
                let processes = self.others(view, path, *template, process.as_deref(), live)?;
                let mut at = self.arithmetic.no.clone();
                for (condition, process) in processes {
                    if let Some(record) = process {
                        let here = self.location(path, record)?;
                        let here = self.arithmetic.is(&here, i64::from(location.0))?;
                        at = at.or(&condition.and(&here)?)?;
                    }
                }
                self.arithmetic.truth(at)
            }
            Expr::Priority(process) => {
                let processes = self.processes(view, path, process, live)?;
                let mut value = Number::Known(0);
                for (condition, process) in processes {
                    if let Some(record) = process {
                        let priority = Number::Known(i64::from(path.shape.priority(self.layout, record)));
                        value = self.alternative(&condition, priority, value, live)?;
                    }
                }
                value
            }
            _ => unreachable!("every other expression is evaluated by `value`"),
        })
    }

    /// The location of a process, by its number.
    pub fn location(&mut self, path: &Path, record: ProcessRecord) -> Result<Number, NoRoom> {
        let process = &self.layout.processes[record.template.index()];
        let n_bits = bits_for(n_locations(self.model, record.template));
        self.read_unsigned(path, record.offset + process.location, process.location_width, n_bits)
    }

    /// The locations that a process may be at where a path is taken.
    pub fn locations(&mut self, path: &Path, process: u32) -> Result<Choices<LocationId>, NoRoom> {
        let record = path.shape.processes[process as usize];
        let location = self.location(path, record)?;
        let n_locations = n_locations(self.model, record.template);
        let (cases, _) = self.cases(&location, n_locations, &Live::new(&path.condition))?;
        Ok(cases.into_iter().map(|(condition, number)| (condition, LocationId(number as u32))).collect())
    }

    /// The condition under which some process is at a location like this.
    fn some_location(&mut self, path: &Path, is_meant: fn(&Location) -> bool) -> Result<Diagram, NoRoom> {
        let mut some = self.arithmetic.no.clone();
        for record in path.shape.processes.clone() {
            let at = self.location(path, record)?;
            for (number, location) in self.model.template(record.template).locations.iter().enumerate() {
                if is_meant(location) {
                    some = some.or(&self.arithmetic.is(&at, number as i64)?)?;
                }
            }
        }
        Ok(some)
    }

    fn enabled(
        &mut self,
        view: &View,
        path: &Path,
        process: &Expr,
        live: &mut Live,
    ) -> Result<Diagram, NoRoom> {
        let number = self.value(view, path, process, live)?;
        if let Some(own) = view.own {
            live.fault(Fault::EnabledSelf, &self.arithmetic.is(&number, i64::from(own))?)?;
        }
        if view.depth >= DEEPEST_QUESTION {
            let all = live.condition.clone();
            live.fault(Fault::EndlessInside, &all)?;
        }
        let (cases, _) = self.cases(&number, path.shape.processes.len(), live)?;
        let mut enabled = self.arithmetic.no.clone();
        for (condition, process) in cases {
            let theirs = View { depth: view.depth + 1, ..*view }.by(process as u32);
            let one = live.within(&condition, |live| self.has_executable_edge(&theirs, path, live))?;
            enabled = enabled.or(&one)?;
        }
        Ok(enabled)
    }

    /// The processes that a number means.
    fn processes(
        &mut self,
        view: &View,
        path: &Path,
        process: &Expr,
        live: &mut Live,
    ) -> Result<Choices<Option<ProcessRecord>>, NoRoom> {
        let number = self.value(view, path, process, live)?;
        let (cases, none) = self.cases(&number, path.shape.processes.len(), live)?;
        let mut choices: Choices<Option<ProcessRecord>> = cases
            .into_iter()
            .map(|(condition, index)| (condition, Some(path.shape.processes[index])))
            .collect();
        if !none.is_false() {
            choices.push((none, None));
        }
        Ok(choices)
    }

    /// The processes that a reference to another process means.
    fn others(
        &mut self,
        view: &View,
        path: &Path,
        template: TemplateId,
        process: Option<&Expr>,
        live: &mut Live,
    ) -> Result<Choices<Option<ProcessRecord>>, NoRoom> {
        let mut choices = match process {
            Some(process) => self.processes(view, path, process, live)?,
            None => {
                let first = path.shape.first_of(template).and_then(|number| path.shape.process(number));
                vec![(live.condition.clone(), first)]
            }
        };
        for (_, process) in &mut choices {
            *process = process.filter(|record| record.template == template);
        }
        Ok(choices)
    }

    /// The address of a place where it is the same for all values, as that of a variable is.
    pub fn fixed_address(&self, view: &View, path: &Path, place: &Place) -> Option<u32> {
        if !place.indices.is_empty() {
            return None;
        }
        match &place.base {
            Base::Global => Some(place.offset),
            Base::Own => {
                let record = path.shape.processes[view.own? as usize];
                Some(path.shape.locals(self.layout, record) + place.offset)
            }
            _ => None,
        }
    }

    /// The addresses that a place means; none where it is nowhere.
    pub fn addresses(
        &mut self,
        view: &View,
        path: &Path,
        place: &Place,
        live: &mut Live,
    ) -> Result<Choices<Option<u32>>, NoRoom> {
        let everywhere = |base: Option<u32>, live: &Live| vec![(live.condition.clone(), base)];
        let bases = match &place.base {
            Base::Global => everywhere(Some(0), live),
            Base::Own => {
                let own = view.own.map(|own| path.shape.processes[own as usize]);
                everywhere(own.map(|record| path.shape.locals(self.layout, record)), live)
            }
            Base::Other { template, process } => {
                let others = self.others(view, path, *template, process.as_deref(), live)?;
                let locals = |record: ProcessRecord| path.shape.locals(self.layout, record);
                others.into_iter().map(|(condition, record)| (condition, record.map(locals))).collect()
            }
            Base::Temporary | Base::Discard => everywhere(None, live),
        };
        if place.indices.is_empty() {
            let offset =
                |(condition, base): (Diagram, Option<u32>)| (condition, base.map(|base| base + place.offset));
            return Ok(bases.into_iter().map(offset).collect());
        }
        let mut somewhere = self.arithmetic.no.clone();
        let mut addresses: Choices<Option<u32>> = Vec::new();
        let mut sums: Choices<u32> = Vec::new();
        for (condition, base) in bases {
            match base {
                None => addresses.push((condition, None)),
                Some(base) => {
                    somewhere = somewhere.or(&condition)?;
                    sums.push((condition, base + place.offset));
                }
            }
        }
        // Where the place is nowhere, its indices are not looked at.
        let sums = live.within(&somewhere, |live| self.add_indices(view, path, place, sums, live))?;
        addresses.extend(sums.into_iter().map(|(condition, address)| (condition, Some(address))));
        Ok(addresses)
    }

    fn add_indices(
        &mut self,
        view: &View,
        path: &Path,
        place: &Place,
        mut sums: Choices<u32>,
        live: &mut Live,
    ) -> Result<Choices<u32>, NoRoom> {
        for index in &place.indices {
            let value = self.value(view, path, &index.value, live)?;
            let (cases, outside) = self.cases(&value, index.length as usize, live)?;
            if !outside.is_false() {
                let example = self.example(&value, &outside);
                live.fault(Fault::IndexOutOfRange { index: example, length: index.length }, &outside)?;
            }
            let mut next = Vec::with_capacity(sums.len() * cases.len());
            for (condition, sum) in &sums {
                for (case, value) in &cases {
                    let both = condition.and(case)?;
                    if !both.is_false() {
                        next.push((both, sum + *value as u32 * index.stride));
                    }
                }
            }
            sums = next;
        }
        // A later index may have ended the evaluation for some.
        let mut alive = Vec::with_capacity(sums.len());
        for (condition, sum) in sums {
            let condition = condition.and(&live.condition)?;
            if !condition.is_false() {
                alive.push((condition, sum));
            }
        }
        Ok(alive)
    }

    /// The channels that an expression means, as indices into the channels of the state.
    pub fn channels(
        &mut self,
        view: &View,
        path: &Path,
        channel: &Expr,
        live: &mut Live,
    ) -> Result<Choices<usize>, NoRoom> {
        let number = self.value(view, path, channel, live)?;
        let (cases, outside) = self.cases(&number, path.shape.channels.len() + 1, live)?;
        let mut channels = Vec::new();
        for (condition, number) in cases {
            match number.checked_sub(1) {
                None => live.fault(Fault::NoChannel, &condition)?,
                Some(index) => channels.push((condition, index)),
            }
        }
        if !outside.is_false() {
            let example = self.example(&number, &outside);
            live.fault(Fault::DeadChannel { channel: example }, &outside)?;
        }
        Ok(channels)
    }

    /// Answers a question about a channel.
    pub fn query(&mut self, path: &Path, channel: usize, query: ChannelQuery) -> Result<Number, NoRoom> {
        let capacity = self.model.channel_type(path.shape.channels[channel].channel_type).capacity;
        let length = self.length(path, channel)?;
        let full = match capacity {
            0 => self.arithmetic.no.clone(),
            capacity => self.arithmetic.is(&length, i64::from(capacity))?,
        };
        let empty = self.arithmetic.is(&length, 0)?;
        Ok(match query {
            ChannelQuery::Length => length,
            ChannelQuery::Empty => self.arithmetic.truth(empty),
            ChannelQuery::NotEmpty => self.arithmetic.truth(empty.not()?),
            ChannelQuery::Full => self.arithmetic.truth(full),
            ChannelQuery::NotFull => self.arithmetic.truth(full.not()?),
        })
    }
}
