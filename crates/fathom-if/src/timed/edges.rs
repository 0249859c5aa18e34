//! Locations and edges.
//!
//! An edge that forks is an edge for each process that may be born by it, taken together with the first edge of that process.

use fathom_model::{Action, Base, Edge, Expr, Guard, Initializer, Place, Sync, TemplateId};
use fathom_timed as timed;
use fathom_timed::{ClockPlace, Statement};

use super::{Clause, Conversion, binary, not, number, variable};

impl Conversion {
    /// Locations and edges of the process at hand.
    pub(super) fn automaton(&mut self) {
        let template = self.model.templates[self.instances[self.process].template.index()].clone();
        let is_forked = self.instances[self.process].is_forked;
        let mut process = timed::Process { name: self.name_of(self.process), ..timed::Process::default() };
        for (number, location) in template.locations.iter().enumerate() {
            let is_inside = template.edges.iter().any(|edge| edge.atomic && edge.target.index() == number);
            let urgency = if is_inside { timed::Urgency::Atomic } else { timed::Urgency::None };
            let name = location.labels.first().cloned().unwrap_or_else(|| format!("inside{number}"));
            process.locations.push(timed::Location {
                name,
                is_initial: !is_forked && template.initial.index() == number,
                invariant: timed::Guard::default(),
                urgency,
                labels: Vec::new(),
                span: location.span,
            });
            // Edges of a group wait for those of the groups before.
            let mut before = Vec::new();
            for group in &location.groups {
                let mut wanted = Vec::new();
                for edge in group {
                    let edge = &template.edges[edge.index()];
                    self.span = edge.span.or(location.span);
                    wanted.extend(self.wanted_first(edge));
                    let n_said = self.diagnostics.len();
                    let converted = self.edge(number, edge);
                    if converted.is_none() && self.diagnostics.len() == n_said {
                        self.refuse("statements of this kind");
                    }
                    for mut converted in converted.unwrap_or_default() {
                        converted.guard.conditions.splice(0..0, before.iter().cloned());
                        process.edges.push(converted);
                    }
                }
                before.extend(wanted.into_iter().map(not));
            }
        }
        if is_forked {
            process.locations.push(timed::Location {
                name: "unborn".to_owned(),
                is_initial: true,
                invariant: timed::Guard::default(),
                urgency: timed::Urgency::None,
                labels: Vec::new(),
                span: None,
            });
        }
        self.network.processes.push(process);
    }

    /// The condition under which an edge comes before those of later groups.
    fn wanted_first(&mut self, edge: &Edge) -> Option<timed::Expr> {
        match (&edge.guard, &edge.sync) {
            (Guard::Always, None) => Some(number(1)),
            (Guard::When(condition), None) if !self.speaks_of_clocks(condition) => self.expr(condition),
            _ => None,
        }
    }

    fn event(&mut self, text: &str) -> usize {
        if let Some(known) = self.network.events.iter().position(|event| event == text) {
            return known;
        }
        self.network.events.push(text.to_owned());
        self.network.events.len() - 1
    }

    fn edge(&mut self, source: usize, edge: &Edge) -> Option<Vec<timed::Edge>> {
        let created = edge.effect.iter().find_map(|action| match action {
            Action::Create { template, .. } => Some(*template),
            _ => None,
        });
        let Some(template) = created else { return self.edges(source, edge) };
        let own = self.instances[self.process];
        let mut found = Vec::new();
        for born in self.instances_of(template) {
            let instance = self.instances[born];
            if !instance.is_forked || (own.is_forked && own.pid >= instance.pid) {
                continue;
            }
            self.created = Some(born);
            let converted = self.edges(source, edge);
            self.created = None;
            let event = self.event(&format!("{} as {}", edge.text, self.name_of(born)));
            let birth = self.event("fork");
            let participant =
                |process: usize, event: usize| timed::Participant { process, event, is_weak: false };
            let participants = vec![participant(self.process, event), participant(born, birth)];
            if self.network.synchronizations.iter().all(|known| known.participants != participants) {
                self.network.synchronizations.push(timed::Synchronization {
                    participants,
                    weak_rule: timed::WeakRule::Edge,
                    is_urgent: false,
                    priority: 0,
                    span: edge.span,
                });
            }
            self.born.insert(born);
            let counts = self.process_count();
            for mut one in converted? {
                let is_next = binary(timed::BinaryOp::Equal, counts.clone(), number(instance.pid));
                one.guard.conditions.push(is_next);
                found.push(timed::Edge { event, ..one });
            }
        }
        Some(found)
    }

    /// How many processes there have been so far.
    pub(super) fn process_count(&self) -> timed::Expr {
        self.n_processes.map_or(number(self.model.start.len() as i64), timed::Expr::Variable)
    }

    /// The edges that are taken when processes are born.
    pub(super) fn add_births(&mut self) {
        let event = self.event("fork");
        for born in self.born.clone() {
            let template = &self.model.templates[self.instances[born].template.index()];
            let (source, target) = (template.locations.len(), template.initial.index());
            let (guard, update) = (timed::Guard::default(), Vec::new());
            let birth = timed::Edge { source, target, event, guard, update, span: template.span };
            self.network.processes[born].edges.push(birth);
        }
    }

    fn edges(&mut self, source: usize, edge: &Edge) -> Option<Vec<timed::Edge>> {
        let clauses = match &edge.guard {
            Guard::Always => vec![Clause::default()],
            Guard::When(condition) => self.clauses(condition, true)?,
            Guard::Else | Guard::Youngest => {
                self.refuse("guards that look at other transitions");
                return None;
            }
        };
        let (conditions, mut update) = self.effect(edge)?;
        if let Some(inside) = self.network.holder {
            // Whoever moves takes the word from one that waits in the middle of a transition.
            let value = number(if edge.atomic { self.process as i64 + 1 } else { 0 });
            update.push(Statement::Assign { place: variable(inside), value });
        }
        let event = self.event(&edge.text);
        let (target, span) = (edge.target.index(), edge.span);
        let with = |mut guard: Clause| {
            guard.conditions.extend(conditions.iter().cloned());
            timed::Edge { source, target, event, guard, update: update.clone(), span }
        };
        Some(clauses.into_iter().map(with).collect())
    }

    /// What an edge asks of queues, and what it does.
    fn effect(&mut self, edge: &Edge) -> Option<(Vec<timed::Expr>, Vec<Statement>)> {
        let (mut conditions, mut update) = (Vec::new(), Vec::new());
        match &edge.sync {
            None => {}
            Some(Sync::Send { channel, fields, sorted }) => {
                (conditions, update) = self.send(channel, fields, *sorted)?;
            }
            Some(Sync::Receive { channel, patterns, which, copy: false }) => {
                let queue = self.queue(channel)?;
                conditions.push(self.fits(&queue, patterns, *which)?);
                update = self.receive(&queue, patterns, *which)?;
            }
            Some(Sync::Receive { copy: true, .. }) => {
                self.refuse("signals that stay");
                return None;
            }
        }
        for action in &edge.effect {
            self.action(action, &mut update)?;
        }
        Some((conditions, update))
    }

    fn action(&mut self, action: &Action, update: &mut Vec<Statement>) -> Option<()> {
        match action {
            Action::Assign(place, value) => self.assign(place, value, update)?,
            Action::Assert(condition) => {
                // There is room for 0 only: anything else is a run-time error.
                let value = not(self.expr(condition)?);
                update.push(Statement::Assign { place: variable(self.check), value });
            }
            Action::Print(_) => {}
            Action::Create { template, arguments, .. } => self.create(*template, arguments, update)?,
            _ => {
                self.refuse("statements of this kind");
                return None;
            }
        }
        Some(())
    }

    fn assign(&mut self, place: &Place, value: &Expr, update: &mut Vec<Statement>) -> Option<()> {
        if let Some(clock) = self.clock_of(place) {
            let is_set = !matches!(value, Expr::Const(-1));
            let active = variable(self.active[clock]);
            update.push(Statement::Assign { place: active, value: number(i64::from(is_set)) });
            let value = if is_set { self.expr(value)? } else { number(0) };
            update.push(Statement::SetClock { clock: ClockPlace::clock(clock), from: None, value });
            return Some(());
        }
        if place.base == Base::Discard {
            return Some(());
        }
        let value = self.expr(value)?;
        let (first, index) = self.place(place)?;
        update.push(Statement::Assign { place: self.timed_place(first, index), value });
        Some(())
    }

    /// The process that the edge at hand forks gets its parameters, and what is computed from them.
    fn create(
        &mut self,
        template: TemplateId,
        arguments: &[Expr],
        update: &mut Vec<Statement>,
    ) -> Option<()> {
        let born = self.created?;
        let template = self.model.templates[template.index()].clone();
        let mut values = Vec::new();
        for argument in arguments {
            values.push(self.expr(argument)?);
        }
        let creator = std::mem::replace(&mut self.process, born);
        for (place, value) in template.parameters.iter().zip(values) {
            let (first, index) = self.place(place)?;
            update.push(Statement::Assign { place: self.timed_place(first, index), value });
        }
        for initializer in &template.locals.initializers {
            // Numbers are there from the start: nobody else writes them.
            if let Initializer::Value { place, value } = initializer
                && !matches!(value, Expr::Const(_))
            {
                self.assign(place, value, update)?;
            }
        }
        self.process = creator;
        if let Some(counter) = self.n_processes {
            let value = binary(timed::BinaryOp::Add, timed::Expr::Variable(counter), number(1));
            update.push(Statement::Assign { place: variable(counter), value });
        }
        Some(())
    }
}
