//! From a model with clocks to a network of timed automata.
//!
//! A system with clocks is lowered like any other, with notes about when time stops. The
//! model that comes out has bytes, channels and templates; a network has bounded integers, clocks and processes. So: each scalar
//! becomes an integer, in the order of the bytes, so that an array stays a row; each instance of a process becomes a process; a queue
//! becomes a row for each column and a length; a step of several edges goes through locations in its middle ([`Urgency::Atomic`]). A clock becomes a
//! clock, and an integer that says whether it is active. Comparisons of clocks are taken out of conditions: each
//! alternative is an edge of its own.
//!
//! A network has all its processes from the start. For each process that a fork may make there is one that is not born yet; the edge that forks
//! takes it to its first state. What names a process by a computed number becomes a choice among all of them.
//!
//! [`Urgency::Atomic`]: fathom_timed::Urgency::Atomic

mod clauses;
mod declare;
mod edges;
mod expr;
mod queues;

use std::collections::{BTreeMap, BTreeSet};

use fathom_model::{Action, Expr, Model, TemplateId};
use fathom_source::{Diagnostic, Span};
use fathom_timed as timed;
use fathom_timed::Network;

use crate::lower::{ClockAt, TimeNote};
use queues::Queue;

/// Most bytes of variables.
const MOST_BYTES: u64 = 1 << 16;

/// What a model came to be in a network.
#[derive(Clone, Debug)]
pub(crate) struct Conversion {
    model: Model,
    clocks: Vec<ClockAt>,
    /// Where some process would have a clock that no process of this system is.
    no_clocks: BTreeSet<u32>,
    pub(crate) network: Network,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// What the processes of the network are.
    instances: Vec<Instance>,
    /// By byte: the integer that starts there, in the globals and in the locals of each process.
    globals: BTreeMap<u32, usize>,
    locals: Vec<BTreeMap<u32, usize>>,
    /// Queues, and where their numbers are: in the globals, or in the locals of a process.
    queues: Vec<Queue>,
    queue_at: BTreeMap<(Option<usize>, u32), usize>,
    /// Whether each clock of the network is active.
    active: Vec<usize>,
    /// An integer that has room for 0 only.
    check: usize,
    /// The condition that a process is in the middle of a transition and goes on, where there is such a thing.
    pub(crate) inside: Option<timed::Expr>,
    /// An integer that counts processes, where some are forked.
    n_processes: Option<usize>,
    /// The process that the edge at hand forks.
    created: Option<usize>,
    /// The processes that some edge forks.
    born: BTreeSet<usize>,
    /// The process at hand, and where it stands in the text.
    process: usize,
    pub(crate) span: Option<Span>,
}

/// A process of the network.
#[derive(Clone, Copy, Debug)]
struct Instance {
    template: TemplateId,
    /// The number that it has as a value.
    pid: i64,
    /// Whether it is not there from the start.
    is_forked: bool,
}

type Clause = timed::Guard;

/// Converts a model whose clocks are at some places, and that has at most so many processes.
pub(crate) fn convert(
    model: &Model,
    clocks: &[ClockAt],
    notes: &[TimeNote],
    most_processes: u32,
) -> Conversion {
    let instances = instances(model, most_processes);
    let is_there = |clock: &&ClockAt| {
        clock.owner.is_none_or(|(template, pid)| {
            instances.iter().any(|one| one.template == template && one.pid == i64::from(pid))
        })
    };
    let mut conversion = Conversion {
        model: model.clone(),
        clocks: clocks.iter().filter(is_there).cloned().collect(),
        no_clocks: clocks.iter().filter(|one| !is_there(one)).map(|clock| clock.offset).collect(),
        network: Network {
            name: model.name.clone(),
            range_rule: timed::RangeRule::Fault,
            ..Network::default()
        },
        diagnostics: Vec::new(),
        instances,
        globals: BTreeMap::new(),
        locals: Vec::new(),
        queues: Vec::new(),
        queue_at: BTreeMap::new(),
        active: Vec::new(),
        check: 0,
        inside: None,
        n_processes: None,
        created: None,
        born: BTreeSet::new(),
        process: 0,
        span: None,
    };
    let locals = |one: &Instance| u64::from(model.templates[one.template.index()].locals.size);
    if u64::from(model.globals.size) + conversion.instances.iter().map(locals).sum::<u64>() > MOST_BYTES {
        let message = format!("more than {MOST_BYTES} bytes of variables in a system with clocks");
        conversion.diagnostics.push(Diagnostic::error("if::state-too-large", message));
        return conversion;
    }
    conversion.declare();
    for process in 0..conversion.instances.len() {
        conversion.process = process;
        conversion.automaton();
    }
    conversion.add_births();
    for note in notes {
        for process in conversion.instances_of(note.template) {
            conversion.process = process;
            conversion.time_stop(note);
        }
    }
    conversion.inside = conversion.network.is_held();
    conversion
}

/// The processes from the start, then those that may be forked.
fn instances(model: &Model, most_processes: u32) -> Vec<Instance> {
    let mut forked: Vec<TemplateId> = Vec::new();
    let mut known: Vec<TemplateId> = model.start.iter().map(|start| start.template).collect();
    let mut next = 0;
    while let Some(&template) = known.get(next) {
        next += 1;
        for action in model.templates[template.index()].edges.iter().flat_map(|edge| &edge.effect) {
            if let Action::Create { template, .. } = action {
                if !forked.contains(template) {
                    forked.push(*template);
                }
                if !known.contains(template) {
                    known.push(*template);
                }
            }
        }
    }
    let start = model.start.iter().enumerate().map(|(pid, start)| Instance {
        template: start.template,
        pid: pid as i64,
        is_forked: false,
    });
    let later = model.start.len() as i64..i64::from(most_processes);
    let later =
        later.flat_map(|pid| forked.iter().map(move |&template| Instance { template, pid, is_forked: true }));
    start.chain(later).collect()
}

fn number(value: i64) -> timed::Expr {
    timed::Expr::Constant(value)
}

fn binary(op: timed::BinaryOp, left: timed::Expr, right: timed::Expr) -> timed::Expr {
    timed::Expr::Binary(op, Box::new(left), Box::new(right))
}

fn not(expr: timed::Expr) -> timed::Expr {
    timed::Expr::Unary(timed::UnaryOp::Not, Box::new(expr))
}

/// All of these.
fn all(conditions: impl IntoIterator<Item = timed::Expr>) -> timed::Expr {
    let both = |left, right| binary(timed::BinaryOp::And, left, right);
    conditions.into_iter().reduce(both).unwrap_or(number(1))
}

/// One of these.
fn any(conditions: impl IntoIterator<Item = timed::Expr>) -> timed::Expr {
    let either = |left, right| binary(timed::BinaryOp::Or, left, right);
    conditions.into_iter().reduce(either).unwrap_or(number(0))
}

fn variable(first: usize) -> timed::Place {
    timed::Place::Variable { first, length: 1, index: None }
}

impl Conversion {
    fn refuse(&mut self, what: &str) {
        let message = format!("{what} are not supported in systems with clocks");
        let diagnostic = Diagnostic::error("if::unsupported-with-clocks", message);
        self.diagnostics.push(match self.span {
            Some(span) => diagnostic.at(span, ""),
            None => diagnostic,
        });
    }

    fn instances_of(&self, template: TemplateId) -> Vec<usize> {
        (0..self.instances.len()).filter(|&index| self.instances[index].template == template).collect()
    }

    /// The process of a template with a number.
    fn instance(&self, template: TemplateId, pid: i64) -> Option<usize> {
        let is_it = |one: &Instance| one.template == template && one.pid == pid;
        self.instances.iter().position(is_it)
    }

    fn name_of(&self, process: usize) -> String {
        let template = self.instances[process].template;
        let name = &self.model.templates[template.index()].name;
        let instances = self.instances_of(template);
        match instances.iter().position(|&one| one == process) {
            Some(number) if instances.len() > 1 => format!("{name}[{number}]"),
            _ => name.clone(),
        }
    }

    /// The condition that a computed number is that of a process.
    fn is_instance(&self, pid: &timed::Expr, process: usize) -> timed::Expr {
        binary(timed::BinaryOp::Equal, pid.clone(), number(self.instances[process].pid))
    }

    /// The number of a process, when it is the same in every state.
    fn known_pid(&self, pid: &Expr) -> Option<i64> {
        match pid {
            Expr::Const(pid) => Some(*pid),
            Expr::OwnProcess => Some(self.instances[self.process].pid),
            _ => None,
        }
    }
}
