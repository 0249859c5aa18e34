//! Declarations to a network.
//!
//! Two passes: first all names, so that the order of declarations does not matter but for what the format itself asks;
//! then what locations, edges and synchronizations say.

use std::collections::BTreeMap;

use fathom_source::{Diagnostic, Span};
use fathom_timed::{
    Clock, Edge, Guard, Interval, Location, Network, Participant, Process, RangeRule, Synchronization,
    Urgency, Variable, WeakRule,
};

use crate::condition::guard;
use crate::scope::{Cells, Meaning, Scope};
use crate::statement::statements;
use crate::syntax::{Attribute, Declaration, Declarations, Text};

/// Most clocks: zones grow with their square.
const MOST_CLOCKS: usize = 250;
/// Most integers.
const MOST_VARIABLES: usize = 1_000_000;
/// Most choices of initial locations.
const MOST_INITIAL: usize = 100_000;

/// Makes a network of declarations, as far as they are understood.
pub fn lower(declarations: &Declarations) -> (Network, Vec<Diagnostic>) {
    let mut lowering = Lowering::default();
    let mut is_named = false;
    for declaration in &declarations.list {
        match declaration.keyword.text.as_str() {
            "system" => {
                if is_named {
                    lowering.complain(
                        "tchecker::redeclared",
                        "a file has one system",
                        declaration.keyword.span,
                    );
                }
                is_named = true;
                lowering.system(declaration);
            }
            "event" => lowering.event(declaration),
            "process" => lowering.process(declaration),
            "clock" => lowering.clock(declaration),
            "int" => lowering.integer(declaration),
            "location" => lowering.location_name(declaration),
            "edge" | "sync" => {}
            other => {
                let message = format!("unknown declaration '{other}'");
                lowering.complain("tchecker::syntax", message, declaration.keyword.span);
            }
        }
    }
    if !is_named && let Some(end) = declarations.end {
        lowering.complain("tchecker::syntax", "expected 'system:' and a name", end);
    }
    lowering.network.range_rule = RangeRule::Blocks;
    for declaration in &declarations.list {
        match declaration.keyword.text.as_str() {
            "location" => lowering.location(declaration),
            "edge" => lowering.edge(declaration),
            "sync" => lowering.synchronization(declaration),
            _ => {}
        }
    }
    lowering.check_initial();
    (lowering.network, lowering.diagnostics)
}

#[derive(Default)]
struct Lowering {
    network: Network,
    scope: Scope,
    diagnostics: Vec<Diagnostic>,
    events: BTreeMap<String, (usize, Span)>,
    processes: BTreeMap<String, (usize, Span)>,
    /// By process.
    locations: Vec<BTreeMap<String, (usize, Span)>>,
    labels: BTreeMap<String, usize>,
}

impl Lowering {
    fn complain(&mut self, code: &'static str, message: impl Into<String>, span: Span) {
        self.diagnostics.push(Diagnostic::error(code, message).at(span, ""));
    }

    /// The fields of a declaration, if there are as many as it takes.
    fn fields<'d, const N: usize>(
        &mut self,
        declaration: &'d Declaration,
        form: &str,
    ) -> Option<[&'d Text; N]> {
        if declaration.fields.len() == N {
            return declaration.fields.iter().collect::<Vec<_>>().try_into().ok();
        }
        let keyword = &declaration.keyword;
        self.complain("tchecker::syntax", format!("expected {}:{form}", keyword.text), keyword.span);
        None
    }

    /// Whether a text is a name; says so if not.
    fn is_name(&mut self, text: &Text) -> bool {
        let mut characters = text.text.chars();
        let is_name = characters.next().is_some_and(|first| first.is_alphabetic() || first == '_')
            && characters.all(|other| other.is_alphanumeric() || "_$.".contains(other));
        if !is_name {
            self.complain("tchecker::syntax", format!("'{}' is not a name", text.text), text.span);
        }
        is_name
    }

    fn number(&mut self, text: &Text) -> Option<i32> {
        let number = text.text.parse::<i32>().ok();
        if number.is_none() {
            let message = format!("expected a number of 32 bits, found '{}'", text.text);
            self.complain("tchecker::number", message, text.span);
        }
        number
    }

    fn redeclared(&mut self, name: &Text, before: Span) {
        let message = format!("'{}' is declared twice", name.text);
        let said = Diagnostic::error("tchecker::redeclared", message)
            .at(name.span, "")
            .also(before, "declared here");
        self.diagnostics.push(said);
    }

    fn no_attributes(&mut self, declaration: &Declaration) {
        self.warn_of_others(&declaration.attributes, &[]);
    }

    /// Attributes with other keys are not understood, and do no harm.
    fn warn_of_others(&mut self, attributes: &[Attribute], known: &[&str]) {
        for attribute in attributes.iter().filter(|attribute| !known.contains(&attribute.key.text.as_str())) {
            let message = format!("attribute '{}' is not known and left out", attribute.key.text);
            self.diagnostics
                .push(Diagnostic::warning("tchecker::unknown-attribute", message).at(attribute.key.span, ""));
        }
    }

    fn system(&mut self, declaration: &Declaration) {
        if let Some([name]) = self.fields(declaration, "name") {
            self.network.name.clone_from(&name.text);
        }
        self.no_attributes(declaration);
    }

    fn event(&mut self, declaration: &Declaration) {
        let Some([name]) = self.fields(declaration, "name") else { return };
        self.no_attributes(declaration);
        if !self.is_name(name) {
            return;
        }
        match self.events.get(&name.text) {
            Some(&(_, before)) => self.redeclared(name, before),
            None => {
                self.events.insert(name.text.clone(), (self.network.events.len(), name.span));
                self.network.events.push(name.text.clone());
            }
        }
    }

    fn process(&mut self, declaration: &Declaration) {
        let Some([name]) = self.fields(declaration, "name") else { return };
        self.no_attributes(declaration);
        if !self.is_name(name) {
            return;
        }
        match self.processes.get(&name.text) {
            Some(&(_, before)) => self.redeclared(name, before),
            None => {
                self.processes.insert(name.text.clone(), (self.network.processes.len(), name.span));
                self.network.processes.push(Process { name: name.text.clone(), ..Process::default() });
                self.locations.push(BTreeMap::new());
            }
        }
    }

    /// The cells that a declaration of variables or clocks adds.
    fn declare(&mut self, name: &Text, size: &Text, first: usize, most: usize) -> Option<Cells> {
        let length = self.number(size)?;
        if length < 1 || first + length as usize > most {
            let message = format!("expected a size from 1 on, and not more than {most} in all");
            self.complain("tchecker::too-large", message, size.span);
            return None;
        }
        if !self.is_name(name) {
            return None;
        }
        if let Some(&(_, before)) = self.scope.names.get(&name.text) {
            self.redeclared(name, before);
            return None;
        }
        Some(Cells { first, length: length as u32 })
    }

    fn clock(&mut self, declaration: &Declaration) {
        let Some([size, name]) = self.fields(declaration, "size:name") else { return };
        self.no_attributes(declaration);
        let first = self.network.clocks.len();
        let Some(cells) = self.declare(name, size, first, MOST_CLOCKS) else { return };
        for element in 0..cells.length {
            self.network.clocks.push(Clock { name: cell_name(&name.text, cells, element) });
        }
        self.scope.names.insert(name.text.clone(), (Meaning::Clock(cells), name.span));
    }

    fn integer(&mut self, declaration: &Declaration) {
        let Some([size, least, most, initial, name]) = self.fields(declaration, "size:min:max:initial:name")
        else {
            return;
        };
        self.no_attributes(declaration);
        let first = self.network.variables.len();
        let cells = self.declare(name, size, first, MOST_VARIABLES);
        let (least_value, most_value, initial_value) =
            (self.number(least), self.number(most), self.number(initial));
        let (Some(cells), Some(least_value), Some(most_value), Some(initial_value)) =
            (cells, least_value, most_value, initial_value)
        else {
            return;
        };
        if least_value > most_value || !(least_value..=most_value).contains(&initial_value) {
            let message = format!("expected {least_value} <= {initial_value} <= {most_value}");
            self.complain("tchecker::range", message, least.span.to(initial.span));
            return;
        }
        for element in 0..cells.length {
            self.network.variables.push(Variable {
                name: cell_name(&name.text, cells, element),
                least: least_value,
                most: most_value,
                initial: initial_value,
                is_meta: false,
            });
            self.scope.ranges.push(Interval { least: i64::from(least_value), most: i64::from(most_value) });
        }
        self.scope.names.insert(name.text.clone(), (Meaning::Integer(cells), name.span));
    }

    fn find_process(&mut self, name: &Text) -> Option<usize> {
        let found = self.processes.get(&name.text).map(|&(process, _)| process);
        if found.is_none() {
            let message = format!("process '{}' is not declared", name.text);
            self.complain("tchecker::undeclared", message, name.span);
        }
        found
    }

    fn find_location(&mut self, process: usize, name: &Text) -> Option<usize> {
        let found = self.locations[process].get(&name.text).map(|&(location, _)| location);
        if found.is_none() {
            let message = format!(
                "location '{}' of '{}' is not declared",
                name.text, self.network.processes[process].name
            );
            self.complain("tchecker::undeclared", message, name.span);
        }
        found
    }

    fn find_event(&mut self, name: &Text) -> Option<usize> {
        let found = self.events.get(&name.text).map(|&(event, _)| event);
        if found.is_none() {
            self.complain(
                "tchecker::undeclared",
                format!("event '{}' is not declared", name.text),
                name.span,
            );
        }
        found
    }

    fn location_name(&mut self, declaration: &Declaration) {
        let Some([process, name]) = self.fields(declaration, "process:name{attributes}") else { return };
        let Some(process) = self.find_process(process) else { return };
        if !self.is_name(name) {
            return;
        }
        if let Some(&(_, before)) = self.locations[process].get(&name.text) {
            self.redeclared(name, before);
            return;
        }
        let locations = &mut self.network.processes[process].locations;
        self.locations[process].insert(name.text.clone(), (locations.len(), name.span));
        locations.push(Location {
            name: name.text.clone(),
            is_initial: false,
            invariant: Guard::default(),
            urgency: Urgency::None,
            labels: Vec::new(),
            span: Some(name.span),
        });
    }

    fn location(&mut self, declaration: &Declaration) {
        let [process, name] = &declaration.fields[..] else { return };
        let Some(&(process, _)) = self.processes.get(&process.text) else { return };
        let Some(&(location, span)) = self.locations[process].get(&name.text) else { return };
        if span != name.span {
            return;
        }
        self.warn_of_others(
            &declaration.attributes,
            &["initial", "committed", "urgent", "invariant", "labels"],
        );
        for Attribute { key, value } in &declaration.attributes {
            match key.text.as_str() {
                "initial" => self.network.processes[process].locations[location].is_initial = true,
                "committed" => {
                    self.network.processes[process].locations[location].urgency = Urgency::Committed;
                }
                "urgent" => {
                    let urgency = &mut self.network.processes[process].locations[location].urgency;
                    // Committed says more.
                    if *urgency == Urgency::None {
                        *urgency = Urgency::Urgent;
                    }
                }
                "invariant" => {
                    if let Some(invariant) = guard(&self.scope, value, &mut self.diagnostics) {
                        let declared = &mut self.network.processes[process].locations[location].invariant;
                        declared.conditions.extend(invariant.conditions);
                        declared.clocks.extend(invariant.clocks);
                    }
                }
                "labels" => self.labels(process, location, value),
                _ => {}
            }
        }
    }

    fn labels(&mut self, process: usize, location: usize, value: &Text) {
        for name in value.text.split(',').map(str::trim).filter(|name| !name.is_empty()) {
            let next = self.labels.len();
            let label = *self.labels.entry(name.to_owned()).or_insert(next);
            if label == next {
                self.network.labels.push(name.to_owned());
            }
            self.network.processes[process].locations[location].labels.push(label);
        }
    }

    fn edge(&mut self, declaration: &Declaration) {
        let Some([process, source, target, event]) =
            self.fields(declaration, "process:source:target:event{attributes}")
        else {
            return;
        };
        self.warn_of_others(&declaration.attributes, &["provided", "do"]);
        let found = self.find_process(process);
        let event = self.find_event(event);
        let Some(process) = found else { return };
        let (source, target) = (self.find_location(process, source), self.find_location(process, target));
        let mut edge_guard = Some(Guard::default());
        let mut update = Some(Vec::new());
        for Attribute { key, value } in &declaration.attributes {
            match key.text.as_str() {
                "provided" => edge_guard = guard(&self.scope, value, &mut self.diagnostics),
                "do" => {
                    let read = statements(&mut self.scope, value, &mut self.diagnostics);
                    update = read.map(|(statements, n_locals)| {
                        self.network.n_locals = self.network.n_locals.max(n_locals);
                        statements
                    });
                }
                _ => {}
            }
        }
        if let (Some(event), Some(source), Some(target), Some(guard), Some(update)) =
            (event, source, target, edge_guard, update)
        {
            let span = Some(declaration.keyword.span.to(declaration.fields[3].span));
            self.network.processes[process].edges.push(Edge { source, target, event, guard, update, span });
        }
    }

    fn synchronization(&mut self, declaration: &Declaration) {
        self.no_attributes(declaration);
        let mut participants: Vec<Participant> = Vec::new();
        for field in &declaration.fields {
            let Some((process, event)) = field.text.split_once('@') else {
                self.complain("tchecker::syntax", "expected process@event", field.span);
                return;
            };
            let is_weak = event.trim_end().ends_with('?');
            let event = event.trim().trim_end_matches('?');
            let part = |text: &str| Text { text: text.trim().to_owned(), span: field.span };
            let (process, event) = (self.find_process(&part(process)), self.find_event(&part(event)));
            let (Some(process), Some(event)) = (process, event) else { return };
            if participants.iter().any(|other| other.process == process) {
                self.complain("tchecker::redeclared", "a process takes part once", field.span);
                return;
            }
            participants.push(Participant { process, event, is_weak });
        }
        if participants.is_empty() {
            self.complain("tchecker::syntax", "expected process@event", declaration.keyword.span);
            return;
        }
        let span = Some(declaration.keyword.span);
        self.network.synchronizations.push(Synchronization {
            participants,
            weak_rule: WeakRule::Edge,
            is_urgent: false,
            priority: 0,
            span,
        });
    }

    /// Each process starts somewhere, and not at too many places.
    fn check_initial(&mut self) {
        let mut n_choices: usize = 1;
        for index in 0..self.network.processes.len() {
            let process = &self.network.processes[index];
            let n_initial = process.locations.iter().filter(|location| location.is_initial).count();
            n_choices = n_choices.saturating_mul(n_initial.max(1));
            if n_initial == 0 {
                let message =
                    format!("process '{}' has no initial location: there is no state at all", process.name);
                let span = self.processes[&process.name].1;
                self.diagnostics
                    .push(Diagnostic::warning("tchecker::no-initial-location", message).at(span, ""));
            }
        }
        if n_choices > MOST_INITIAL {
            let message = format!("more than {MOST_INITIAL} choices of initial locations");
            self.diagnostics.push(Diagnostic::error("tchecker::too-large", message));
        }
    }
}

/// The name of an element of an array, or of a variable that is none.
fn cell_name(name: &str, cells: Cells, element: u32) -> String {
    if cells.is_array() { format!("{name}[{element}]") } else { name.to_owned() }
}
