//! The order of variables: what is computed together stands together.
//!
//! The size of a diagram depends on the order of its variables more than on anything else. Numbers that are assigned to
//! each other, compared or computed with must have their bits interleaved: `x = y` with all bits of `x` before all bits of `y` has
//! exponentially many nodes. Numbers that have nothing to do with each other must not: their diagrams would multiply. So variables
//! are put into groups by what occurs in one assignment, one comparison or one message (in the spirit of Malik and others, "Logic Verification
//! Using Binary Decision Diagrams in a Logic Synthesis Environment", 1988); in a group, bits come by significance, the lowest first. Locations and lengths come
//! first, each by itself. Groups come in an order in which those that occur together in a step stand close together ([`arrange`](crate::arrange)): a process beside what it shares with its neighbours. Narrow numbers are groups of their
//! own: that two of them are equal has a small diagram in any order, and a ring of processes which pass numbers on would otherwise be one group, with bits of processes at opposite ends between each other. What is explicit joins nothing: two products with one factor have a common group when the factor is a set of values, and none when
//! it is known. Inputs are ordered like variables: two words that were read from one input are equal, and must be interleaved with each other and with the input.

use fathom_model::layout::Layout;
use fathom_model::visit::{visit, visit_place};
use fathom_model::{
    Action, Base, BinaryOp, ChannelType, Edge, Expr, Guard, Initializer, Model, Pattern, Place, Sync, Type,
};

use crate::arrange::arranged;
use crate::partition::{AllCells, Cells, bits_for, scalars_of};
use crate::shape::Shape;

/// Bits of a number that is better kept together than interleaved with others: that two such numbers are equal has a small diagram in any order.
const NARROW: u32 = 3;

/// Something whose bits are ordered together.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Thing {
    Global(usize),
    Local(usize, usize),
    Messages(usize),
    /// A temporary that stands for no global, by its offset and its bits: an input, which is chosen and forgotten in one step.
    Temporary(u32, u32),
}

/// Which things belong together: a forest of things, each pointing to another of its group or to itself.
#[derive(Clone, Debug)]
pub(crate) struct Groups<'m> {
    model: &'m Model,
    things: Vec<Thing>,
    parents: Vec<usize>,
    /// By thing: whether it joins others.
    joins: Vec<bool>,
}

impl<'m> Groups<'m> {
    /// Groups by what the edges of a model do; only things that a function chooses are joined.
    pub fn new(model: &'m Model, joins: impl Fn(Thing) -> bool) -> Groups<'m> {
        let globals = (0..model.globals.variables.len()).map(Thing::Global);
        let locals = model.templates.iter().enumerate().flat_map(|(template, declared)| {
            (0..declared.locals.variables.len()).map(move |number| Thing::Local(template, number))
        });
        let messages = (0..model.channel_types.len()).map(Thing::Messages);
        let mut things: Vec<Thing> = globals.chain(locals).chain(messages).collect();
        things.extend(temporaries(model));
        let joins = things.iter().map(|&thing| joins(thing)).collect();
        let mut groups = Groups { model, parents: (0..things.len()).collect(), things, joins };
        for (template, declared) in model.templates.iter().enumerate() {
            for edge in &declared.edges {
                groups.add_edge(template, edge);
            }
            for initializer in &declared.locals.initializers {
                if let Initializer::Value { place, value } = initializer {
                    groups.assign(template, place, value);
                }
            }
        }
        groups
    }

    /// All things, by number.
    pub fn things(&self) -> &[Thing] {
        &self.things
    }

    fn add_edge(&mut self, template: usize, edge: &Edge) {
        if let Guard::When(condition) = &edge.guard {
            self.compare(template, condition);
        }
        match &edge.sync {
            Some(Sync::Send { fields, .. }) => {
                let channels = self.channels_of(fields.len());
                for field in fields {
                    self.compare(template, field);
                    let mut found = channels.clone();
                    self.loads(template, field, &mut found);
                    self.unite(&found);
                }
            }
            Some(Sync::Receive { patterns, .. }) => {
                let mut found = self.channels_of(patterns.len());
                for pattern in patterns {
                    match pattern {
                        Pattern::Match(expected) => self.loads(template, expected, &mut found),
                        Pattern::Bind(place) => found.extend(self.thing(template, place)),
                    }
                }
                self.unite(&found);
            }
            None => {}
        }
        for action in &edge.effect {
            match action {
                Action::Assign(place, value) => self.assign(template, place, value),
                Action::Require(condition) | Action::Assert(condition) => self.compare(template, condition),
                Action::Create { template: created, arguments, .. } => {
                    let declared = self.model.template(*created);
                    for (parameter, argument) in declared.parameters.iter().zip(arguments) {
                        let mut found: Vec<usize> =
                            self.thing(created.index(), parameter).into_iter().collect();
                        self.loads(template, argument, &mut found);
                        self.unite(&found);
                    }
                }
                Action::Choose { .. } | Action::SetPriority { .. } | Action::Print(_) | Action::End => {}
            }
        }
    }

    /// The messages of channels with so many fields.
    pub fn channels_of(&self, n_fields: usize) -> Vec<usize> {
        let fits = |ty: &ChannelType| ty.fields.len() == n_fields;
        let is_meant =
            |thing: &Thing| matches!(thing, Thing::Messages(ty) if fits(&self.model.channel_types[*ty]));
        (0..self.things.len()).filter(|&place| is_meant(&self.things[place])).collect()
    }

    fn assign(&mut self, template: usize, place: &Place, value: &Expr) {
        self.compare(template, value);
        let mut found: Vec<usize> = self.thing(template, place).into_iter().collect();
        self.loads(template, value, &mut found);
        self.unite(&found);
    }

    /// Unites what is compared or computed with inside of a condition.
    fn compare(&mut self, template: usize, expr: &Expr) {
        match expr {
            Expr::Binary(BinaryOp::And | BinaryOp::Or, left, right) => {
                self.compare(template, left);
                self.compare(template, right);
            }
            Expr::Unary(_, operand) => self.compare(template, operand),
            Expr::Conditional(condition, then, otherwise) => {
                for part in [condition, then, otherwise] {
                    self.compare(template, part);
                }
            }
            _ => {
                let mut found = Vec::new();
                self.loads(template, expr, &mut found);
                self.unite(&found);
            }
        }
    }

    /// What an expression reads as part of its value. Indices are not: they choose.
    pub fn loads(&self, template: usize, expr: &Expr, found: &mut Vec<usize>) {
        match expr {
            Expr::Load(place) => found.extend(self.thing(template, place)),
            Expr::Unary(_, operand) => self.loads(template, operand, found),
            Expr::Binary(_, left, right) => {
                self.loads(template, left, found);
                self.loads(template, right, found);
            }
            Expr::Conditional(_, then, otherwise) => {
                self.loads(template, then, found);
                self.loads(template, otherwise, found);
            }
            _ => {}
        }
    }

    /// The variable that a place is in.
    pub fn thing(&self, template: usize, place: &Place) -> Option<usize> {
        let (variables, own) = match &place.base {
            // A temporary stands for the global at its place: see `choice`.
            Base::Global | Base::Temporary => (&self.model.globals.variables, None),
            Base::Own => (&self.model.templates[template].locals.variables, Some(template)),
            Base::Other { template, .. } => {
                (&self.model.template(*template).locals.variables, Some(template.index()))
            }
            Base::Discard => return None,
        };
        let is_in = |variable: &fathom_model::Variable| {
            let end = variable.offset + variable.ty.size(self.model);
            (variable.offset..end).contains(&place.offset)
        };
        let Some(number) = variables.iter().position(is_in) else {
            let is_meant = |known: &Thing| matches!(known, Thing::Temporary(offset, _) if *offset == place.offset && own.is_none());
            return self.things.iter().position(is_meant);
        };
        let thing = match own {
            None => Thing::Global(number),
            Some(template) => Thing::Local(template, number),
        };
        self.things.iter().position(|known| *known == thing)
    }

    fn unite(&mut self, places: &[usize]) {
        let places: Vec<usize> = places.iter().copied().filter(|&place| self.joins[place]).collect();
        for pair in places.windows(2) {
            let (one, other) = (self.root(pair[0]), self.root(pair[1]));
            let (low, high) = (one.min(other), one.max(other));
            self.parents[high] = low;
        }
    }

    fn root(&self, mut place: usize) -> usize {
        while self.parents[place] != place {
            place = self.parents[place];
        }
        place
    }

    /// By number of a group: its place among all, such that groups that occur together stand close together.
    fn arranged(&self, is_meant: impl Fn(Thing) -> bool) -> Vec<usize> {
        let mut nets: Vec<Vec<usize>> = Vec::new();
        for (template, declared) in self.model.templates.iter().enumerate() {
            for edge in &declared.edges {
                self.nets_of(template, edge, &mut nets);
            }
        }
        for net in &mut nets {
            net.retain(|&thing| is_meant(self.things[thing]));
            net.iter_mut().for_each(|thing| *thing = self.root(*thing));
            net.sort_unstable();
            net.dedup();
        }
        nets.retain(|net| net.len() > 1);
        arranged(self.things.len(), &nets)
    }

    /// What occurs together in an edge: each effect with all that it depends on.
    fn nets_of(&self, template: usize, edge: &Edge, nets: &mut Vec<Vec<usize>>) {
        let mut guard = Vec::new();
        if let Guard::When(condition) = &edge.guard {
            self.all_read(template, condition, &mut guard);
        }
        for action in &edge.effect {
            let mut net = guard.clone();
            match action {
                Action::Assign(place, value) => {
                    net.extend(self.thing(template, place));
                    visit_place(place, &mut |expr| self.read(template, expr, &mut net));
                    self.all_read(template, value, &mut net);
                }
                Action::Require(condition) | Action::Assert(condition) => {
                    self.all_read(template, condition, &mut net);
                }
                _ => continue,
            }
            nets.push(net);
        }
        nets.push(guard);
    }

    /// Whatever an expression reads, to choose or to compute with.
    fn all_read(&self, template: usize, expr: &Expr, found: &mut Vec<usize>) {
        visit(expr, &mut |expr| self.read(template, expr, found));
    }

    fn read(&self, template: usize, expr: &Expr, found: &mut Vec<usize>) {
        if let Expr::Load(place) = expr {
            found.extend(self.thing(template, place));
        }
    }

    /// The number of the group of a thing.
    pub fn group(&self, thing: Thing) -> usize {
        self.things.iter().position(|known| *known == thing).map_or(usize::MAX, |place| self.root(place))
    }
}

/// The temporaries that stand for no global.
fn temporaries(model: &Model) -> Vec<Thing> {
    let end = model.globals.variables.iter().map(|variable| variable.offset + variable.ty.size(model)).max();
    let mut found = Vec::new();
    for edge in model.templates.iter().flat_map(|template| &template.edges) {
        for action in &edge.effect {
            if let Action::Choose { place, .. } | Action::Assign(place, _) = action
                && place.base == Base::Temporary
                && place.offset >= end.unwrap_or(0)
            {
                found.push(Thing::Temporary(place.offset, u32::from(place.ty.bits)));
            }
        }
    }
    found.sort();
    found.dedup();
    found
}

/// A bit that gets variables.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum OrderedBit {
    /// Of a state.
    State(u32),
    /// Of a temporary that stands for no global.
    Temporary(u32),
}

/// The symbolic bits of a state, and those of inputs, in the order in which they get variables.
pub(crate) fn order(model: &Model, layout: &Layout, cells: &AllCells, shape: &Shape) -> Vec<OrderedBit> {
    let is_symbolic = |cells: &Cells, byte: u32| cells.symbolic.get(byte as usize) == Some(&true);
    let is_set = |thing: Thing| match thing {
        Thing::Global(number) => is_symbolic(&cells.globals, model.globals.variables[number].offset),
        Thing::Local(template, number) => {
            let offset = model.templates[template].locals.variables[number].offset;
            is_symbolic(&cells.processes[template], layout.processes[template].locals + offset)
        }
        Thing::Messages(ty) => is_symbolic(&cells.channels[ty], layout.channels[ty].messages),
        Thing::Temporary(..) => true,
    };
    let is_narrow = |thing: Thing| match thing {
        Thing::Global(number) => match &model.globals.variables[number].ty {
            Type::Scalar(ty) => u32::from(ty.bits) <= NARROW,
            _ => false,
        },
        Thing::Temporary(_, n_bits) => n_bits <= NARROW,
        Thing::Local(..) | Thing::Messages(_) => false,
    };
    let groups = Groups::new(model, |thing| is_set(thing) && !is_narrow(thing));
    let places = groups.arranged(is_set);
    let place_of = |group: usize| places.get(group).map_or(usize::MAX, |&place| place + 1);
    // Group (0 for control), place of the bit, order of meeting, number.
    let mut bits: Vec<(usize, u32, usize, OrderedBit)> = Vec::new();
    let mut add = |group: Option<Thing>, address: u32, n_bits: u32| {
        let met = bits.len();
        for bit in 0..n_bits {
            let (group, place) = match group {
                None => (0, 0),
                Some(thing) => (place_of(groups.group(thing)), bit),
            };
            bits.push((group, place, met, OrderedBit::State(address * 8 + bit)));
        }
    };
    for record in &shape.processes {
        let process = &layout.processes[record.template.index()];
        add(
            None,
            record.offset + process.location,
            bits_for(model.template(record.template).locations.len()),
        );
    }
    for record in &shape.channels {
        let channel = &layout.channels[record.channel_type.index()];
        if channel.length_width > 0 {
            let n_values = model.channel_type(record.channel_type).capacity as usize + 1;
            add(None, record.offset + channel.length, bits_for(n_values));
        }
    }
    for (number, variable) in model.globals.variables.iter().enumerate() {
        scalars_of(model, &variable.ty, variable.offset, &mut |offset, n_bits, _| {
            add(Some(Thing::Global(number)), offset, n_bits);
        });
    }
    for record in &shape.processes {
        let template = record.template.index();
        for (number, variable) in model.templates[template].locals.variables.iter().enumerate() {
            let offset = record.offset + layout.processes[template].locals + variable.offset;
            scalars_of(model, &variable.ty, offset, &mut |offset, n_bits, _| {
                add(Some(Thing::Local(template, number)), offset, n_bits);
            });
        }
    }
    for record in &shape.channels {
        let ty = record.channel_type.index();
        let mut offset = record.offset + layout.channels[ty].messages;
        for _ in 0..model.channel_types[ty].capacity {
            for field in &model.channel_types[ty].fields {
                add(Some(Thing::Messages(ty)), offset, u32::from(field.bits));
                offset += field.size();
            }
        }
    }
    let symbolic = shape.symbolic_bits(cells);
    bits.retain(|(.., bit)| matches!(bit, OrderedBit::State(bit) if symbolic.binary_search(bit).is_ok()));
    for &thing in groups.things() {
        if let Thing::Temporary(offset, n_bits) = thing {
            let (group, met) = (place_of(groups.group(thing)), bits.len());
            bits.extend((0..n_bits).map(|bit| (group, bit, met, OrderedBit::Temporary(offset * 8 + bit))));
        }
    }
    bits.sort();
    bits.into_iter().map(|(.., bit)| bit).collect()
}
