//! The partition that is chosen when nobody chooses: control explicit, wide data symbolic.
//!
//! A variable stays explicit when it is narrow, when it decides control flow (it occurs in a condition, chooses an element, a
//! process or a channel, or is compared with a message), or when its value flows into one that does: symbolic values in explicit places
//! split a state into one for each value. What is left is data that is carried along and computed with. Messages follow the variables that
//! they are received into. Of two unknown factors one is explicit where that costs little (see [`factors`](crate::factors)). The rule is ours; the source (da Costa, 2005) leaves the choice to the user.

use fathom_model::{Action, Base, Expr, Guard, Model, Pattern, Place, ScalarKind, Sync, Type};

use crate::factors::Factors;
use crate::order::{Groups, Thing};
use crate::partition::{Partition, scalars_of};

/// Scalars of fewer bits stay explicit.
const NARROW: u32 = 4;

const CONTROL: &str = "control";
const NARROW_REASON: &str = "narrow";
const NAMES: &str = "names a channel or a process";
const DECIDES: &str = "decides control flow";
const FLOWS: &str = "flows into what decides control flow";
const FACTOR: &str = "a factor of what is not known: products with known factors are small";
const DATA: &str = "wide data that decides nothing";

impl Partition {
    /// Control and what decides it explicit, wide data symbolic: see the module header.
    pub fn auto(model: &Model) -> Partition {
        let mut choice = Choice::new(model);
        choice.look_at_edges();
        choice.close();
        choice.know_factors();
        let mut partition = Partition::explicit(model);
        partition.assign(|side| {
            let thing = match (side.global(), side.local(), side.messages()) {
                (Some(number), _, _) => Thing::Global(number),
                (_, Some((template, number)), _) => Thing::Local(template, number),
                (_, _, Some(number)) => Thing::Messages(number),
                _ => return (false, CONTROL),
            };
            match choice.reason(thing) {
                Some(reason) => (false, reason),
                None => (true, DATA),
            }
        });
        partition
    }
}

/// What is known so far about what stays explicit.
struct Choice<'m> {
    model: &'m Model,
    groups: Groups<'m>,
    /// By thing: why it is explicit, if it is.
    reasons: Vec<Option<&'static str>>,
    /// Values of the second flow into the first.
    flows: Vec<(usize, usize)>,
}

impl<'m> Choice<'m> {
    fn new(model: &'m Model) -> Choice<'m> {
        let groups = Groups::new(model, |_| true);
        let reasons = groups.things().iter().map(|&thing| by_type(model, thing)).collect();
        Choice { model, groups, reasons, flows: Vec::new() }
    }

    fn know_factors(&mut self) {
        let chosen = Factors::new(self.model, &self.groups).choose(|thing| self.reasons[thing].is_some());
        for thing in chosen {
            self.reasons[thing] = Some(FACTOR);
        }
    }

    fn reason(&self, thing: Thing) -> Option<&'static str> {
        let place = self.groups.things().iter().position(|known| *known == thing)?;
        self.reasons[place]
    }

    fn look_at_edges(&mut self) {
        let model = self.model;
        for (template, declared) in model.templates.iter().enumerate() {
            if let Some(provided) = &declared.provided {
                self.decide(template, provided);
            }
            for edge in &declared.edges {
                if let Guard::When(condition) = &edge.guard {
                    self.decide(template, condition);
                }
                if let Some(sync) = &edge.sync {
                    self.look_at_exchange(template, sync);
                }
                for action in &edge.effect {
                    self.look_at_action(template, action);
                }
            }
        }
    }

    fn look_at_exchange(&mut self, template: usize, sync: &Sync) {
        match sync {
            Sync::Send { channel, fields, sorted } => {
                self.decide(template, channel);
                for messages in self.groups.channels_of(fields.len()) {
                    if *sorted {
                        self.reasons[messages] = Some(DECIDES);
                    }
                    for field in fields {
                        self.flow(template, messages, field);
                    }
                }
            }
            Sync::Receive { channel, patterns, .. } => {
                self.decide(template, channel);
                for messages in self.groups.channels_of(patterns.len()) {
                    for pattern in patterns {
                        match pattern {
                            Pattern::Match(expected) => {
                                self.decide(template, expected);
                                self.reasons[messages] = Some(DECIDES);
                            }
                            Pattern::Bind(place) => {
                                self.choose(template, place);
                                if let Some(target) = self.groups.thing(template, place) {
                                    self.flows.push((target, messages));
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    fn look_at_action(&mut self, template: usize, action: &Action) {
        match action {
            Action::Assign(place, value) => {
                self.choose(template, place);
                if let Some(target) = self.groups.thing(template, place) {
                    self.flow(template, target, value);
                }
            }
            Action::Choose { place, .. } => self.choose(template, place),
            Action::Create { template: created, arguments, .. } => {
                let parameters = &self.model.template(*created).parameters;
                for (parameter, argument) in parameters.iter().zip(arguments) {
                    if let Some(target) = self.groups.thing(created.index(), parameter) {
                        self.flow(template, target, argument);
                    }
                }
            }
            Action::Require(condition) => self.decide(template, condition),
            Action::SetPriority { process, priority } => {
                self.decide(template, process);
                self.decide(template, priority);
            }
            // An assertion looks, and the process goes on whatever it sees.
            Action::Assert(_) | Action::Print(_) | Action::End => {}
        }
    }

    /// Everything that an expression reads decides something.
    fn decide(&mut self, template: usize, expr: &Expr) {
        let mut found = Vec::new();
        self.groups.loads(template, expr, &mut found);
        for place in found {
            self.reasons[place].get_or_insert(DECIDES);
        }
        self.choose_in(template, expr);
    }

    fn flow(&mut self, template: usize, target: usize, value: &Expr) {
        let mut found = Vec::new();
        self.groups.loads(template, value, &mut found);
        self.flows.extend(found.into_iter().map(|source| (target, source)));
        self.choose_in(template, value);
    }

    /// What chooses an element or a process decides.
    fn choose(&mut self, template: usize, place: &Place) {
        for index in &place.indices {
            self.decide(template, &index.value);
        }
        if let Base::Other { process: Some(process), .. } = &place.base {
            self.decide(template, process);
        }
    }

    fn choose_in(&mut self, template: usize, expr: &Expr) {
        match expr {
            Expr::Load(place) => self.choose(template, place),
            Expr::Unary(_, operand) => self.choose_in(template, operand),
            Expr::Binary(_, left, right) => {
                self.choose_in(template, left);
                self.choose_in(template, right);
            }
            Expr::Conditional(condition, then, otherwise) => {
                for part in [condition, then, otherwise] {
                    self.choose_in(template, part);
                }
            }
            Expr::Channel(_, operand)
            | Expr::Enabled(operand)
            | Expr::LocationOf(operand)
            | Expr::Priority(operand) => self.decide(template, operand),
            Expr::AtLocation { process: Some(process), .. } => self.decide(template, process),
            Expr::Poll { channel, patterns, .. } => {
                self.decide(template, channel);
                for messages in self.groups.channels_of(patterns.len()) {
                    self.reasons[messages].get_or_insert(DECIDES);
                }
                for pattern in patterns {
                    if let Pattern::Match(expected) = pattern {
                        self.decide(template, expected);
                    }
                }
            }
            _ => {}
        }
    }

    /// What flows into something explicit is explicit, and so on.
    fn close(&mut self) {
        loop {
            let before = self.reasons.iter().filter(|reason| reason.is_some()).count();
            for &(target, source) in &self.flows {
                // Narrow results of wide data are wide data's business.
                if self.reasons[target].is_some_and(|reason| reason != NARROW_REASON) {
                    self.reasons[source].get_or_insert(FLOWS);
                }
            }
            if self.reasons.iter().filter(|reason| reason.is_some()).count() == before {
                return;
            }
        }
    }
}

/// What the type of a thing says.
fn by_type(model: &Model, thing: Thing) -> Option<&'static str> {
    let mut widest = 0;
    let mut is_name = false;
    let mut look = |_: u32, n_bits: u32, kind: ScalarKind| {
        // Of an enumeration it is known how many values there are.
        let n_values = match kind {
            ScalarKind::Enumeration(id) => {
                model.enumerations[id.index()].members.last().map(|(last, _)| last + 1)
            }
            _ => None,
        };
        let n_needed = n_values.map_or(n_bits, |n_values| 64 - (n_values.max(1) - 1).leading_zeros());
        widest = widest.max(n_bits.min(n_needed));
        is_name |= matches!(kind, ScalarKind::Channel | ScalarKind::Process);
    };
    match thing {
        Thing::Global(number) => scalars_of(model, &model.globals.variables[number].ty, 0, &mut look),
        Thing::Local(template, number) => {
            scalars_of(model, &model.templates[template].locals.variables[number].ty, 0, &mut look);
        }
        // What is chosen and forgotten in a step is on no side.
        Thing::Temporary(..) => return None,
        Thing::Messages(number) => {
            for &field in &model.channel_types[number].fields {
                scalars_of(model, &Type::Scalar(field), 0, &mut look);
            }
        }
    }
    match (is_name, widest < NARROW) {
        (true, _) => Some(NAMES),
        (_, true) => Some(NARROW_REASON),
        _ => None,
    }
}
