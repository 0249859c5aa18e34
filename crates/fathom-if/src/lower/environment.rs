//! The environment: a process that sends, over the routes that come from `env`, every signal with every value of its parameters.

use fathom_model::{
    BinaryOp, ChannelQuery, Edge, EdgeId, Expr, Frame, Guard, Location, LocationId, Start, Sync, Template,
    TemplateId, TemplateRole,
};
use fathom_source::Diagnostic;

use super::process::Queue;
use super::types::Ty;
use super::{Lowering, Order, Route};
use crate::options::Environment;

/// Most values of the parameters of one signal.
const MOST_VALUES: usize = 256;

impl Lowering {
    pub(super) fn environment(&mut self) {
        let mut edges = Vec::new();
        for route in self.routes.clone() {
            let (None, Some(process)) = (route.from, route.to) else { continue };
            let (first, count) = self.instances(process);
            for pid in first..first + count {
                for &signal in &route.signals {
                    self.signals_of_environment(&mut edges, (process, pid), &route, signal);
                }
            }
        }
        if edges.is_empty() {
            return;
        }
        let groups = vec![(0..edges.len()).map(EdgeId::from).collect()];
        let location = Location { labels: vec!["env".to_owned()], groups, end: true, ..Location::default() };
        self.add_process("env", location, edges);
    }

    /// Adds a process with one location to the start.
    pub(super) fn add_process(&mut self, name: &str, location: Location, edges: Vec<Edge>) {
        self.model.templates.push(Template {
            name: name.to_owned(),
            role: TemplateRole::Process,
            locals: Frame::default(),
            parameters: Vec::new(),
            locations: vec![location],
            edges,
            initial: LocationId(0),
            provided: None,
            span: None,
        });
        let template = TemplateId::from(self.model.templates.len() - 1);
        self.model.start.push(Start { template, arguments: Vec::new(), priority: 1 });
    }

    fn signals_of_environment(
        &mut self,
        edges: &mut Vec<Edge>,
        (process, pid): (usize, u32),
        route: &Route,
        signal: usize,
    ) {
        let order = route.order;
        if self.processes[process].waiting(order) == Queue::None {
            return;
        }
        let name = self.signals[signal].name.clone();
        let scalars: Vec<Ty> = self.signals[signal]
            .parameters
            .iter()
            .flat_map(|ty| self.scalars(ty))
            .map(|(_, ty)| ty)
            .collect();
        let Some(choices) = self.all_values(&scalars) else {
            let message = format!(
                "the environment cannot choose the parameters of `{name}`: more than {MOST_VALUES} values"
            );
            self.diagnostics.push(
                Diagnostic::error("if::environment-domain", message)
                    .help("give the parameters a smaller range"),
            );
            return;
        };
        let channel = self.queue_of(process, order, Expr::Const(i64::from(pid)));
        let guard = match self.options.environment {
            Environment::Patient => Expr::Channel(ChannelQuery::Empty, Box::new(channel.clone())),
            Environment::Eager => {
                let length = Expr::Channel(ChannelQuery::Length, Box::new(channel.clone()));
                let bound = route.bound.unwrap_or(self.options.queue);
                Expr::binary(BinaryOp::Less, length, Expr::Const(i64::from(bound)))
            }
        };
        let guard = match self.processes[process].stopped {
            Some(_) => Expr::binary(BinaryOp::And, self.is_active(Expr::Const(i64::from(pid))), guard),
            None => guard,
        };
        for values in choices {
            let shown: Vec<String> = values
                .iter()
                .zip(&scalars)
                .map(|(value, ty)| fathom_model::print::display_value(&self.model, ty.scalar(), *value))
                .collect();
            let mut fields = vec![Expr::Const(signal as i64)];
            fields.extend(values.iter().map(|value| Expr::Const(*value)));
            fields.resize(self.n_columns() + 1, Expr::Const(0));
            edges.push(Edge {
                guard: Guard::When(guard.clone()),
                sync: Some(Sync::Send { channel: channel.clone(), fields, sorted: order == Order::Any }),
                effect: Vec::new(),
                target: LocationId(0),
                atomic: false,
                span: None,
                text: format!("{name}({}) to {}", shown.join(", "), self.processes[process].name),
            });
        }
    }

    /// All combinations of values; none when there are too many.
    fn all_values(&self, scalars: &[Ty]) -> Option<Vec<Vec<i64>>> {
        let mut all = vec![Vec::new()];
        for ty in scalars {
            let (low, high) = match ty {
                Ty::Bool => (0, 1),
                Ty::Int { low, high } => (*low, *high),
                Ty::Enum(id) => (0, self.model.enumerations[id.index()].members.len() as i64 - 1),
                Ty::Pid => (super::NIL, super::NIL),
                _ => return None,
            };
            if (high - low + 1) as u64 * all.len() as u64 > MOST_VALUES as u64 {
                return None;
            }
            let extended = |values: Vec<i64>| {
                (low..=high).map(move |value| values.iter().copied().chain([value]).collect::<Vec<i64>>())
            };
            all = all.into_iter().flat_map(extended).collect();
        }
        Some(all)
    }
}
