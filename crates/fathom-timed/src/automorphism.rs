//! Whether exchanging two elements of a scalar set leaves a network as it is.
//!
//! The exchange moves processes, variables, clocks and events to their images, and exchanges the two values in variables that hold elements of the set.
//! Every expression is rewritten so that it means in the exchanged state what it meant before: as a number, which stays the same, or as
//! an element, which is exchanged. Where an element is used as a number, or a number as an element, that is impossible, and the set
//! does not count as symmetric. If the rewritten network is the old one, but for the order of edges, of conjuncts and of other things whose order does not
//! matter, every step has its image and the exchange is an automorphism of the transition system. Where the order decides which fault
//! comes first, it matters.
//!
//! Locals of statements may hold elements, too: those that are tied to something that does (`flow.rs`), each everywhere in its edge or nowhere. They must be
//! given a value before they are read, as what is in them before is no element; and what nobody reads does not count (`locals.rs`).
//!
//! Limit: places where time stops are not rewritten. No language has both these and scalar sets, and a network with both counts as not symmetric.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Debug;

use crate::expr::{BinaryOp, Expr};
use crate::flow::{Atom, Piece};
use crate::locals::{Locals, read_by_guard, without_dead};
use crate::network::{
    ClockConstraint, ClockPlace, Edge, Guard, Network, Participant, Synchronization, WeakRule,
};
use crate::property::Conjunct;
use crate::scalar::Coordinates;
use crate::statement::{Compute, Place, Statement};

/// The exchange of an element of a set with the next one: where everything goes.
#[derive(Clone, Debug)]
pub(crate) struct Exchange {
    pub set: usize,
    pub low: u32,
    size: u32,
    /// The value that stands for element 0.
    first: i64,
    pub processes: Vec<usize>,
    pub variables: Vec<usize>,
    pub clocks: Vec<usize>,
    events: Vec<usize>,
}

impl Exchange {
    /// None when something has no image.
    pub fn new(network: &Network, set: usize, low: u32) -> Option<Exchange> {
        let scalars = &network.scalars;
        let images = |all: &[Coordinates], expected: usize| -> Option<Vec<usize>> {
            if all.len() != expected {
                return None;
            }
            let known: HashMap<&Coordinates, usize> =
                all.iter().enumerate().map(|(index, one)| (one, index)).collect();
            let image = |one: &Coordinates| {
                let mut image = one.clone();
                for (of, element) in &mut image.elements {
                    if *of == set {
                        *element = exchanged(*element, low);
                    }
                }
                known.get(&image).copied()
            };
            // Things that cannot be told apart would be taken for each other.
            (known.len() == all.len()).then(|| all.iter().map(image).collect()).flatten()
        };
        let declared = *scalars.sets.get(set)?;
        Some(Exchange {
            set,
            low,
            size: declared.size,
            first: i64::from(declared.first),
            processes: images(&scalars.processes, network.processes.len())?,
            variables: images(&scalars.variables, network.variables.len())?,
            clocks: images(&scalars.clocks, network.clocks.len())?,
            events: images(&scalars.events, network.events.len())?,
        })
    }

    /// The lower of the two values that are exchanged.
    pub fn low_value(&self) -> i64 {
        self.first + i64::from(self.low)
    }

    /// What becomes of a value where values stand for elements.
    fn value(&self, value: i64) -> i64 {
        match value - self.low_value() {
            0 => value + 1,
            1 => value - 1,
            _ => value,
        }
    }

    /// Whether all elements are between two values, these included.
    fn is_within(&self, least: i64, most: i64) -> bool {
        least <= self.first && self.first + i64::from(self.size) - 1 <= most
    }

    /// Whether it leaves a network as it is.
    pub fn keeps(&self, network: &Network) -> bool {
        network.time_stops.is_empty()
            && network.holder.is_none()
            && self.keeps_variables(network)
            && self.keeps_processes(network) == Some(true)
            && self.keeps_synchronizations(network)
    }

    /// Whether it leaves a list of alternatives as it is.
    pub fn keeps_conjuncts(&self, network: &Network, conjuncts: &[Conjunct]) -> bool {
        let guard = |conjunct: &Conjunct| Guard {
            conditions: conjunct.conditions.clone(),
            clocks: conjunct.clocks.clone(),
        };
        let form = |conjunct: &Conjunct| {
            (Rewriter::plain(self, network).normal_guard(&guard(conjunct)), conjunct.is_stuck)
        };
        let renamed = |conjunct: &Conjunct| {
            let guard = guard(conjunct);
            let rewriter = Rewriter::plain(self, network);
            Some((rewriter.normal_guard(&rewriter.guard(&guard)?), conjunct.is_stuck))
        };
        let images: Option<Vec<_>> = conjuncts.iter().map(renamed).collect();
        images.is_some_and(|images| sorted(images) == sorted(conjuncts.iter().map(form).collect()))
    }

    fn keeps_variables(&self, network: &Network) -> bool {
        let values = &network.scalars.values;
        let is_kept = |(index, variable): (usize, &crate::network::Variable)| {
            let image = &network.variables[self.variables[index]];
            let (least, most) = (i64::from(variable.least), i64::from(variable.most));
            let holds = values[index] == Some(self.set);
            let initial = i64::from(variable.initial);
            let initial = if holds { self.value(initial) } else { initial };
            (image.least, image.most, image.is_meta) == (variable.least, variable.most, variable.is_meta)
                && values[self.variables[index]] == values[index]
                && (!variable.is_meta || i64::from(image.initial) == initial)
                && (!holds || self.is_within(least, most))
        };
        let has_cost = |cost: crate::network::CostClock| {
            self.clocks[cost.clock] == cost.clock
                && cost.estimate.is_none_or(|estimate| self.variables[estimate] == estimate)
        };
        values.len() == network.variables.len()
            && network.variables.iter().enumerate().all(is_kept)
            && network.cost.is_none_or(has_cost)
    }

    fn keeps_processes(&self, network: &Network) -> Option<bool> {
        let plain = Rewriter::plain(self, network);
        for (index, process) in network.processes.iter().enumerate() {
            let image = &network.processes[self.processes[index]];
            if image.locations.len() != process.locations.len() || image.edges.len() != process.edges.len() {
                return Some(false);
            }
            for (location, other) in process.locations.iter().zip(&image.locations) {
                let invariant = plain.normal_guard(&plain.guard(&location.invariant)?);
                if invariant != plain.normal_guard(&other.invariant)
                    || (location.urgency, &location.labels) != (other.urgency, &other.labels)
                {
                    return Some(false);
                }
            }
            let renamed: Option<Vec<_>> = process.edges.iter().map(|edge| plain.edge(edge)).collect();
            let form = |edge: &Edge| plain.normal_edge(edge);
            let images = sorted(renamed?.iter().map(form).collect());
            if images != sorted(image.edges.iter().map(form).collect()) {
                return Some(false);
            }
        }
        let priorities = &network.process_priorities;
        Some(
            priorities
                .iter()
                .enumerate()
                .all(|(index, one)| priorities.get(self.processes[index]) == Some(one)),
        )
    }

    fn keeps_synchronizations(&self, network: &Network) -> bool {
        let renamed = |one: &Participant| Participant {
            process: self.processes[one.process],
            event: self.events[one.event],
            is_weak: one.is_weak,
        };
        let form = |one: &Synchronization, participants: Vec<Participant>| {
            // Receivers that do not concern each other may come in any order.
            let n_strong = participants.iter().take_while(|one| !one.is_weak).count();
            let mut participants: Vec<String> = participants.iter().map(text).collect();
            if one.weak_rule == WeakRule::Guard && are_apart(network, one) {
                participants[n_strong..].sort();
            }
            (participants, one.is_urgent, one.priority, text(&one.weak_rule))
        };
        let all = network.synchronizations.iter();
        let images = all.clone().map(|one| form(one, one.participants.iter().map(renamed).collect()));
        sorted(images.collect()) == sorted(all.map(|one| form(one, one.participants.clone())).collect())
    }
}

fn exchanged(element: u32, low: u32) -> u32 {
    match element {
        element if element == low => low + 1,
        element if element == low + 1 => low,
        element => element,
    }
}

fn text<T: Debug>(what: &T) -> String {
    format!("{what:?}")
}

fn sorted<T: Debug>(all: Vec<T>) -> Vec<String> {
    let mut texts: Vec<String> = all.iter().map(text).collect();
    texts.sort();
    texts
}

/// Conditions and bounds in a fixed order.
type NormalGuard = (Vec<String>, Vec<String>);
/// Source, target, event, guard and update.
type NormalEdge = (usize, usize, usize, NormalGuard, Vec<String>);

/// Rewrites expressions for the exchanged state. None where that is impossible.
struct Rewriter<'a> {
    exchange: &'a Exchange,
    network: &'a Network,
    /// Locals that hold elements, in the piece that is rewritten.
    locals: Locals,
}

impl<'a> Rewriter<'a> {
    /// For what has no locals that hold elements.
    fn plain(exchange: &'a Exchange, network: &'a Network) -> Rewriter<'a> {
        Rewriter { exchange, network, locals: Locals::new() }
    }

    /// For a condition or bound that stands alone.
    fn of_part(&self, part: &Guard) -> Option<Rewriter<'a>> {
        let plain = Rewriter::plain(self.exchange, self.network);
        plain.with_locals(&Piece::of_guard(part), &read_by_guard(part))
    }

    /// For what an edge does.
    fn of_update(&self, update: &[Statement]) -> Option<Rewriter<'a>> {
        let (_, read) = without_dead(update, &Locals::new());
        Rewriter::plain(self.exchange, self.network).with_locals(&Piece::of_update(update), &read)
    }

    /// Finds the locals that hold elements; none when one of them is `read` before it is given a value, or when some elements of an array hold
    /// elements of the set and others do not.
    fn with_locals(mut self, piece: &Piece, read: &Locals) -> Option<Rewriter<'a>> {
        for array in &piece.indexed {
            let images = if array.is_of_clocks { &self.exchange.clocks } else { &self.exchange.variables };
            let images = images.get(array.first..array.first + array.length)?;
            let cells = array.first..array.first + array.length;
            let are_same = |cell: usize| self.holds_elements(cell) == self.holds_elements(array.first);
            if !array.is_of_clocks && !cells.into_iter().all(are_same) {
                return None;
            }
            if (0..array.length).any(|offset| images[offset] != images[0] + offset) {
                self.locals.extend(array.by.iter().filter_map(local));
            }
        }
        loop {
            let before = self.locals.len();
            for tie in &piece.ties {
                let holds = |atom: &Atom| match atom {
                    Atom::Variables(first, _) => self.holds_elements(*first),
                    Atom::Local(_, number) => self.locals.contains(number),
                    Atom::Constant(_) => false,
                };
                if tie.iter().any(holds) {
                    self.locals.extend(tie.iter().filter_map(local));
                }
            }
            if self.locals.len() == before {
                return self.locals.is_disjoint(read).then_some(self);
            }
        }
    }

    fn holds_element(&self, (first, length): (usize, u32)) -> bool {
        self.locals.range(first..first + length as usize).next().is_some()
    }

    fn holds_elements(&self, variable: usize) -> bool {
        self.network.scalars.values[variable] == Some(self.exchange.set)
    }

    /// Whether the value is an element of the set, as far as can be seen.
    fn is_element(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Variable(variable) => self.holds_elements(*variable),
            Expr::Element { first, .. } => self.holds_elements(*first),
            Expr::Local(local) => self.locals.contains(local),
            Expr::Within(inner, _) | Expr::Ranged(inner, ..) => self.is_element(inner),
            Expr::Choose(_, yes, no) => self.is_element(yes) || self.is_element(no),
            Expr::Compute(compute) => self.is_element(&compute.result),
            _ => false,
        }
    }

    /// The first element of the image of an array, and the index into it.
    fn indexed(&self, images: &[usize], first: usize, length: u32, index: &Expr) -> Option<(usize, Expr)> {
        let length = length as usize;
        let images = images.get(first..first + length)?;
        if (0..length).all(|offset| images[offset] == images[0] + offset) {
            return Some((images[0], self.number(index)?));
        }
        let start = images.iter().min()?;
        let is_exchanged =
            |offset: usize| images[offset] as i64 == *start as i64 + self.exchange.value(offset as i64);
        if !self.exchange.is_within(0, length as i64 - 1) || !(0..length).all(is_exchanged) {
            return None;
        }
        Some((*start, self.element(index)?))
    }

    /// Rewritten so that the value is the same number.
    fn number(&self, expr: &Expr) -> Option<Expr> {
        let boxed = |expr: &Expr| self.number(expr).map(Box::new);
        Some(match expr {
            Expr::Local(local) if self.locals.contains(local) => return None,
            Expr::LocalElement { first, length, .. } if self.holds_element((*first, *length)) => return None,
            Expr::Constant(_) | Expr::Local(_) | Expr::HasLabel(_) | Expr::NoBound => expr.clone(),
            Expr::Variable(variable) if self.holds_elements(*variable) => return None,
            Expr::Variable(variable) => Expr::Variable(self.exchange.variables[*variable]),
            Expr::Element { first, .. } if self.holds_elements(*first) => return None,
            Expr::Element { .. } => self.array_element(expr)?,
            Expr::LocalElement { first, length, index } => {
                Expr::LocalElement { first: *first, length: *length, index: boxed(index)? }
            }
            Expr::Unary(operator, operand) => Expr::Unary(*operator, boxed(operand)?),
            Expr::Binary(operator @ (BinaryOp::Equal | BinaryOp::NotEqual), left, right)
                if self.is_element(left) || self.is_element(right) =>
            {
                let (left, right) = (self.element(left)?, self.element(right)?);
                Expr::Binary(*operator, Box::new(left), Box::new(right))
            }
            Expr::Binary(operator, left, right) => Expr::Binary(*operator, boxed(left)?, boxed(right)?),
            Expr::Choose(condition, yes, no) => Expr::Choose(boxed(condition)?, boxed(yes)?, boxed(no)?),
            Expr::At { process, location } => {
                Expr::At { process: self.exchange.processes[*process], location: *location }
            }
            Expr::Table { values, index } => Expr::Table { values: values.clone(), index: boxed(index)? },
            Expr::Within(inner, length) => Expr::Within(boxed(inner)?, *length),
            Expr::Ranged(inner, least, most) => Expr::Ranged(boxed(inner)?, *least, *most),
            Expr::Compute(compute) => {
                let statements = self.statements(&compute.statements)?;
                let result = self.number(&compute.result)?;
                Expr::Compute(Compute { statements, result, n_locals: compute.n_locals }.into())
            }
        })
    }

    /// Rewritten so that the value is the exchanged element.
    fn element(&self, expr: &Expr) -> Option<Expr> {
        Some(match expr {
            Expr::Constant(value) => Expr::Constant(self.exchange.value(*value)),
            Expr::Local(local) if self.locals.contains(local) => expr.clone(),
            Expr::Compute(compute) => {
                let statements = self.statements(&compute.statements)?;
                let result = self.element(&compute.result)?;
                Expr::Compute(Compute { statements, result, n_locals: compute.n_locals }.into())
            }
            Expr::Variable(variable) if self.holds_elements(*variable) => {
                Expr::Variable(self.exchange.variables[*variable])
            }
            Expr::Element { first, .. } if self.holds_elements(*first) => self.array_element(expr)?,
            Expr::Choose(condition, yes, no) => Expr::Choose(
                Box::new(self.number(condition)?),
                Box::new(self.element(yes)?),
                Box::new(self.element(no)?),
            ),
            Expr::Within(inner, length) if self.exchange.is_within(0, i64::from(*length) - 1) => {
                Expr::Within(Box::new(self.element(inner)?), *length)
            }
            Expr::Ranged(inner, least, most) if self.exchange.is_within(*least, *most) => {
                Expr::Ranged(Box::new(self.element(inner)?), *least, *most)
            }
            _ => return None,
        })
    }

    fn array_element(&self, expr: &Expr) -> Option<Expr> {
        let Expr::Element { first, length, index } = expr else { return None };
        let (first, index) = self.indexed(&self.exchange.variables, *first, *length, index)?;
        Some(Expr::Element { first, length: *length, index: Box::new(index) })
    }

    fn clock(&self, place: &ClockPlace) -> Option<ClockPlace> {
        let images = &self.exchange.clocks;
        let (first, index) = match &place.index {
            None => (images[place.first], None),
            Some(index) => {
                let (first, index) = self.indexed(images, place.first, place.length, index)?;
                (first, Some(index))
            }
        };
        Some(ClockPlace { first, length: place.length, index })
    }

    /// None inside where there is no clock.
    fn perhaps_clock(&self, place: &Option<ClockPlace>) -> Option<Option<ClockPlace>> {
        match place {
            None => Some(None),
            Some(place) => Some(Some(self.clock(place)?)),
        }
    }

    /// Each condition and bound has locals of its own.
    fn guard(&self, guard: &Guard) -> Option<Guard> {
        let condition = |one: &Expr| {
            let part = Guard { conditions: vec![one.clone()], clocks: Vec::new() };
            self.of_part(&part)?.number(one)
        };
        let constraint = |one: &ClockConstraint| {
            let part = Guard { conditions: Vec::new(), clocks: vec![one.clone()] };
            let rewriter = self.of_part(&part)?;
            Some(ClockConstraint {
                left: rewriter.perhaps_clock(&one.left)?,
                right: rewriter.perhaps_clock(&one.right)?,
                bound: rewriter.number(&one.bound)?,
                is_strict: one.is_strict,
            })
        };
        Some(Guard {
            conditions: guard.conditions.iter().map(condition).collect::<Option<_>>()?,
            clocks: guard.clocks.iter().map(constraint).collect::<Option<_>>()?,
        })
    }

    fn edge(&self, edge: &Edge) -> Option<Edge> {
        let event = self.exchange.events[edge.event];
        let update = self.of_update(&edge.update)?.statements(&edge.update)?;
        Some(Edge { event, guard: self.guard(&edge.guard)?, update, ..edge.clone() })
    }

    fn statements(&self, statements: &[Statement]) -> Option<Vec<Statement>> {
        statements.iter().map(|one| self.statement(one)).collect()
    }

    fn statement(&self, statement: &Statement) -> Option<Statement> {
        Some(match statement {
            Statement::Assign { place: Place::Variable { first, length, index }, value } => {
                let images = &self.exchange.variables;
                let value =
                    if self.holds_elements(*first) { self.element(value) } else { self.number(value) };
                let (first, index) = match index {
                    None => (images[*first], None),
                    Some(index) => {
                        let (first, index) = self.indexed(images, *first, *length, index)?;
                        (first, Some(index))
                    }
                };
                Statement::Assign { place: Place::Variable { first, length: *length, index }, value: value? }
            }
            Statement::Assign { place: place @ Place::Local { first, index: None, .. }, value } => {
                let holds = self.locals.contains(first);
                let value = if holds { self.element(value) } else { self.number(value) };
                Statement::Assign { place: place.clone(), value: value? }
            }
            Statement::Assign { place: Place::Local { first, length, index: Some(index) }, value } => {
                if self.holds_element((*first, *length)) {
                    return None;
                }
                let index = Some(self.number(index)?);
                let place = Place::Local { first: *first, length: *length, index };
                Statement::Assign { place, value: self.number(value)? }
            }
            Statement::SetClock { clock, from, value } => Statement::SetClock {
                clock: self.clock(clock)?,
                from: self.perhaps_clock(from)?,
                value: self.number(value)?,
            },
            Statement::If { condition, then, otherwise } => Statement::If {
                condition: self.number(condition)?,
                then: self.statements(then)?,
                otherwise: self.statements(otherwise)?,
            },
            Statement::While { condition, body } => {
                Statement::While { condition: self.number(condition)?, body: self.statements(body)? }
            }
            Statement::Block(body) => Statement::Block(self.statements(body)?.into()),
            Statement::Leave => Statement::Leave,
        })
    }

    /// Whether evaluating it never fails.
    fn is_safe(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Constant(_) | Expr::Variable(_) | Expr::Local(_) | Expr::At { .. } => true,
            Expr::HasLabel(_) | Expr::NoBound => true,
            Expr::Element { length, index, .. } => {
                let is_index = |one: &usize| {
                    let range = &self.network.variables[*one];
                    range.least >= 0 && i64::from(range.most) < i64::from(*length)
                };
                matches!(&**index, Expr::Variable(one) if is_index(one))
            }
            Expr::Unary(_, operand) => self.is_safe(operand),
            Expr::Binary(operator, left, right) => {
                let can_fail = [
                    BinaryOp::Divide,
                    BinaryOp::Remainder,
                    BinaryOp::Power,
                    BinaryOp::ShiftLeft,
                    BinaryOp::ShiftRight,
                ];
                !can_fail.contains(operator) && self.is_safe(left) && self.is_safe(right)
            }
            Expr::Choose(condition, yes, no) => [condition, yes, no].into_iter().all(|one| self.is_safe(one)),
            _ => false,
        }
    }

    /// Its operands, where their order does not matter, in a fixed order.
    fn normal(&self, expr: &Expr) -> String {
        match expr {
            Expr::Binary(operator @ (BinaryOp::And | BinaryOp::Or | BinaryOp::Add), ..) => {
                let mut operands = Vec::new();
                flatten(expr, *operator, &mut operands);
                let is_safe = operands.iter().all(|one| self.is_safe(one));
                let mut operands: Vec<String> = operands.into_iter().map(|one| self.normal(one)).collect();
                if is_safe {
                    operands.sort();
                }
                format!("{operator:?}{operands:?}")
            }
            Expr::Unary(operator, operand) => format!("{operator:?}({})", self.normal(operand)),
            Expr::Binary(operator, left, right) => {
                format!("({} {operator:?} {})", self.normal(left), self.normal(right))
            }
            other => text(other),
        }
    }

    fn normal_guard(&self, guard: &Guard) -> NormalGuard {
        let mut conditions = Vec::new();
        guard.conditions.iter().for_each(|one| flatten(one, BinaryOp::And, &mut conditions));
        let mut clocks: Vec<String> = guard.clocks.iter().map(text).collect();
        let is_safe = conditions.iter().all(|one| self.is_safe(one))
            && guard.clocks.iter().all(|one| self.is_safe(&one.bound) && has_fixed_clocks(one));
        let mut conditions: Vec<String> = conditions.into_iter().map(|one| self.normal(one)).collect();
        if is_safe {
            conditions.sort();
            clocks.sort();
        }
        (conditions, clocks)
    }

    fn normal_edge(&self, edge: &Edge) -> NormalEdge {
        let mut update: Vec<String> = edge.update.iter().map(text).collect();
        // Constants for different places may come in any order.
        let places: Option<BTreeSet<String>> = edge.update.iter().map(constant_place).collect();
        if places.is_some_and(|places| places.len() == edge.update.len()) {
            update.sort();
        }
        (edge.source, edge.target, edge.event, self.normal_guard(&edge.guard), update)
    }
}

fn local(atom: &Atom) -> Option<usize> {
    match atom {
        Atom::Local(_, number) => Some(*number),
        _ => None,
    }
}

fn has_fixed_clocks(constraint: &ClockConstraint) -> bool {
    [&constraint.left, &constraint.right].into_iter().flatten().all(|place| place.index.is_none())
}

fn flatten<'e>(expr: &'e Expr, operator: BinaryOp, out: &mut Vec<&'e Expr>) {
    match expr {
        Expr::Binary(other, left, right) if *other == operator => {
            flatten(left, operator, out);
            flatten(right, operator, out);
        }
        other => out.push(other),
    }
}

/// The place that a statement gives a constant to; none for other statements.
fn constant_place(statement: &Statement) -> Option<String> {
    match statement {
        Statement::Assign {
            place: place @ Place::Variable { index: None, .. },
            value: Expr::Constant(_),
        } => Some(text(place)),
        Statement::SetClock { clock, from: None, value: Expr::Constant(_) } if clock.index.is_none() => {
            Some(text(clock))
        }
        _ => None,
    }
}

/// Whether receivers write constants only, each to places that no other receiver writes to.
fn are_apart(network: &Network, synchronization: &Synchronization) -> bool {
    let mut seen: BTreeSet<String> = BTreeSet::new();
    synchronization.participants.iter().filter(|one| one.is_weak).all(|participant| {
        let edges = network.processes[participant.process].edges.iter();
        let updates = edges.filter(|edge| edge.event == participant.event).flat_map(|edge| &edge.update);
        let places: Option<BTreeSet<String>> = updates.map(constant_place).collect();
        places.is_some_and(|places| places.into_iter().all(|place| seen.insert(place)))
    })
}
