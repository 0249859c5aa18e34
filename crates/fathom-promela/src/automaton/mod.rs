//! From the control-flow graph to locations and edges.
//!
//! Walks the elements of a process in the order of the text, gives each basic statement its edge, each
//! head of a selection the edges of its options, and each guarded element the edges of its escapes. The
//! [`flow`](crate::flow) module explains which points of the text become locations.

mod d_step;

use std::collections::HashMap;

use fathom_model::{Action, Edge, EdgeId, Guard, Location, LocationId};
use fathom_source::{Diagnostic, Span};

use crate::flow::{Chain, ChainId, ElementId, Flow, GroupKind, Jump, JumpId, Kind};

/// The locations and edges of a process.
pub(crate) struct Automaton {
    pub locations: Vec<Location>,
    pub edges: Vec<Edge>,
    pub initial: LocationId,
    /// The location of each label, by name; the outermost wins when blocks repeat a name.
    pub labels: HashMap<String, LocationId>,
}

/// One way to leave an element.
#[derive(Clone)]
struct Exit {
    edge: EdgeId,
    /// The statement: an escape is offered once, however many ways lead to it.
    statement: ElementId,
    /// Escapes that guard the statement, outermost first.
    escapes: Vec<ElementId>,
    /// For the edge of an escape: where the escape starts.
    escape: Option<ElementId>,
}

/// What has been worked out about an element.
#[derive(Clone, Default)]
struct Point {
    visited: bool,
    exits: Vec<Exit>,
    /// For a selection or block: the elements it offers instead of an edge of its own.
    choices: Vec<ElementId>,
    marks: Marks,
}

/// What labels say about a point.
#[derive(Clone, Copy, Default)]
struct Marks {
    end: bool,
    progress: bool,
    accept: bool,
}

impl Marks {
    fn add(&mut self, other: Marks) {
        self.end |= other.end;
        self.progress |= other.progress;
        self.accept |= other.accept;
    }
}

struct Builder<'a> {
    flow: &'a mut Flow,
    points: Vec<Point>,
    edges: Vec<Edge>,
    /// Elements whose targets are not known yet: edges point at elements until the end.
    targets: Vec<Option<ElementId>>,
    diagnostics: &'a mut Vec<Diagnostic>,
}

/// Builds the automaton of a process whose whole body is `body`.
pub(crate) fn build(flow: &mut Flow, body: ChainId, diagnostics: &mut Vec<Diagnostic>) -> Automaton {
    let points = vec![Point::default(); flow.elements.len()];
    let mut builder = Builder { flow, points, edges: Vec::new(), targets: Vec::new(), diagnostics };
    builder.check_labels();
    builder.mark_labels();
    builder.tie_loose_ends();
    let first = builder.flow.first(body);
    let start = builder.hunt(first, builder.flow.element(first).atomic);
    builder.walk_chain(body);
    builder.expand_choices();
    builder.prepend_escapes();
    builder.finish(start)
}

impl Builder<'_> {
    fn check_labels(&mut self) {
        let mut seen: HashMap<(&str, &[u32]), Span> = HashMap::new();
        for label in &self.flow.labels {
            if let Some(earlier) = seen.insert((&label.name, &label.scope), label.span) {
                self.diagnostics.push(
                    Diagnostic::error(
                        "promela::duplicate-label",
                        format!("label `{}` is declared twice", label.name),
                    )
                    .at(label.span, "declared again here")
                    .also(earlier, "first declared here"),
                );
            }
        }
    }

    fn mark_labels(&mut self) {
        for label in &self.flow.labels {
            self.points[label.element.0].marks.add(Marks {
                end: label.name.starts_with("end"),
                progress: label.name.starts_with("progress"),
                accept: label.name.starts_with("accept"),
            });
        }
        for (index, element) in self.flow.elements.iter().enumerate() {
            self.points[index].marks.end |= matches!(element.kind, Kind::End);
        }
    }

    /// Links the last statement of every block to what follows the block.
    fn tie_loose_ends(&mut self) {
        for index in 0..self.flow.elements.len() {
            let Kind::Group(_, body) = self.flow.elements[index].kind else { continue };
            let mut behind = self.flow.elements[index].next;
            while let Some(id) = behind
                && matches!(self.flow.element(id).kind, Kind::Join)
            {
                behind = self.flow.element(id).next;
            }
            if let Some(last) = self.flow.chain(body).last
                && self.flow.element(last).next.is_none()
            {
                self.flow.elements[last.0].next = behind;
            }
        }
    }

    /// The element that a jump leads to.
    fn destination(&mut self, jump: JumpId) -> Option<ElementId> {
        let (name, span, scope) = match &self.flow.jumps[jump.0] {
            Jump::Exit(exit) => return *exit,
            Jump::Label { name, span, scope } => (name, *span, scope),
        };
        let found = find_label(self.flow, name, scope);
        if found.is_none() {
            let missing =
                Diagnostic::error("promela::undeclared-label", format!("no label `{name}` in this process"))
                    .at(span, "not a label here");
            if !self.diagnostics.contains(&missing) {
                self.diagnostics.push(missing);
            }
        }
        found
    }

    /// Where control really goes when it is led to an element: through joins and jumps to the next point
    /// that counts. With `atomic`, it does not slip out of an atomic sequence on the way.
    fn hunt(&mut self, start: ElementId, atomic: bool) -> ElementId {
        let mut element = start;
        // Longer than any chain of jumps that visits no element twice.
        for _ in 0..=self.flow.elements.len() {
            let next = match self.flow.element(element).kind.clone() {
                Kind::Goto(jump) => match self.destination(jump) {
                    Some(target) if target != element => target,
                    _ => return element,
                },
                Kind::Join | Kind::Exit => match self.flow.element(element).next {
                    Some(next) => next,
                    None => return element,
                },
                Kind::Unless { main, .. } => return self.hunt(self.flow.first(main), atomic),
                _ => return element,
            };
            if atomic && !self.flow.element(next).atomic {
                return element;
            }
            element = next;
        }
        self.endless_jump(start);
        element
    }

    fn endless_jump(&mut self, element: ElementId) {
        let error = Diagnostic::error("promela::endless-goto", "jumps lead to each other without end");
        let error = at(error, self.flow.element(element).span, "control never arrives anywhere from here");
        if !self.diagnostics.contains(&error) {
            self.diagnostics.push(error);
        }
    }

    /// The first statement that a sequence offers.
    fn hunt_start(&self, chain: ChainId) -> ElementId {
        let mut element = self.flow.first(chain);
        loop {
            element = match &self.flow.element(element).kind {
                Kind::Join => match self.flow.element(element).next {
                    Some(next) => next,
                    None => return element,
                },
                Kind::Unless { main, .. } => self.flow.first(*main),
                _ => return element,
            };
        }
    }

    fn walk_chain(&mut self, chain: ChainId) {
        let Chain { first, last, .. } = *self.flow.chain(chain);
        let mut cursor = first;
        while let Some(id) = cursor {
            if !self.points[id.0].visited {
                self.points[id.0].visited = true;
                self.walk_element(id);
            }
            if Some(id) == last {
                break;
            }
            cursor = self.flow.element(id).next;
        }
    }

    fn walk_element(&mut self, id: ElementId) {
        match self.flow.element(id).kind.clone() {
            Kind::Unless { main, .. } => self.walk_chain(main),
            Kind::Select { options } => {
                self.points[id.0].choices = options.iter().map(|&option| self.hunt_start(option)).collect();
                options.into_iter().for_each(|option| self.walk_chain(option));
            }
            Kind::Group(kind, body) => {
                self.patch_jumps(body);
                if let Some(last) = self.flow.chain(body).last {
                    self.flow.elements[last.0].next = self.flow.element(id).next;
                }
                if kind == GroupKind::DStep {
                    self.walk_dstep(id, body);
                } else {
                    self.points[id.0].choices = vec![self.hunt_start(body)];
                    self.walk_chain(body);
                }
            }
            _ => self.walk_simple(id),
        }
    }

    /// A jump that leaves an atomic sequence ends it; one that leads from the end of one into another
    /// joins them.
    fn patch_jumps(&mut self, chain: ChainId) {
        let Chain { first, extent, .. } = *self.flow.chain(chain);
        let mut cursor = first;
        while let Some(id) = cursor {
            match self.flow.element(id).kind.clone() {
                Kind::Goto(jump) => {
                    if let Some(target) = self.destination(jump) {
                        let target = self.flow.element(target);
                        let into = target.atomic || target.atomic_last;
                        let element = &mut self.flow.elements[id.0];
                        if (element.atomic || element.atomic_last) && !into {
                            (element.atomic, element.atomic_last) = (false, true);
                        }
                        if element.atomic_last && into {
                            (element.atomic, element.atomic_last) = (true, false);
                        }
                    }
                }
                Kind::Select { options } => options.iter().for_each(|&option| self.patch_jumps(option)),
                Kind::Unless { main, escape } => {
                    self.patch_jumps(main);
                    self.patch_jumps(escape);
                }
                _ => {}
            }
            if Some(id) == extent {
                break;
            }
            cursor = self.flow.element(id).next;
        }
    }

    fn walk_simple(&mut self, id: ElementId) {
        let atomic = self.flow.element(id).atomic;
        let led_to = match self.flow.element(id).kind {
            Kind::Goto(jump) => self.destination(jump),
            _ => self.flow.element(id).next,
        };
        if let (Kind::Goto(_), Some(target)) = (&self.flow.element(id).kind, led_to)
            && self.flow.element(target).inside_dstep
        {
            let error = Diagnostic::error("promela::jump-into-d-step", "jump into a `d_step` sequence");
            self.diagnostics.push(at(error, self.flow.element(id).span, "leads into the middle of a step"));
        }
        let target = led_to.map(|element| self.hunt(element, atomic));
        let edge = self.add_edge(id, target, atomic);
        self.points[id.0].exits = vec![Exit { edge, statement: id, escapes: Vec::new(), escape: None }];
        self.walk_escapes(id);
    }

    fn add_edge(&mut self, id: ElementId, target: Option<ElementId>, atomic: bool) -> EdgeId {
        let element = self.flow.element(id);
        let always = |effect| (Guard::Always, None, effect);
        let (guard, sync, effect) = match &element.kind {
            Kind::Basic(basic) => (basic.guard.clone(), basic.sync.clone(), basic.effect.clone()),
            Kind::Else => (Guard::Else, None, Vec::new()),
            Kind::End => (Guard::Youngest, None, vec![Action::End]),
            _ => always(Vec::new()),
        };
        let (span, text) = (element.span, element.text.clone());
        self.push_edge(Edge { guard, sync, effect, target: LocationId(0), atomic, span, text }, target)
    }

    fn push_edge(&mut self, edge: Edge, target: Option<ElementId>) -> EdgeId {
        self.edges.push(edge);
        self.targets.push(target);
        EdgeId::from(self.edges.len() - 1)
    }

    fn walk_escapes(&mut self, id: ElementId) {
        let escapes = self.flow.element(id).escapes.clone();
        if escapes.is_empty() || matches!(self.flow.element(id).kind, Kind::Join) {
            return;
        }
        let atomic = self.flow.element(id).atomic;
        let starts: Vec<ElementId> =
            escapes.iter().map(|&escape| self.hunt(self.flow.first(escape), atomic)).collect();
        self.points[id.0].exits.iter_mut().for_each(|exit| exit.escapes.clone_from(&starts));
        escapes.into_iter().for_each(|escape| self.walk_chain(escape));
    }

    /// The statements that an element offers, with the marks of the heads on the way to them.
    fn collect_choices(&self, id: ElementId, marks: Marks, out: &mut Vec<(ElementId, Marks)>) {
        let choices = &self.points[id.0].choices;
        if choices.is_empty() {
            out.push((id, marks));
        }
        for &choice in choices {
            let mut marks = marks;
            marks.add(self.points[choice.0].marks);
            self.collect_choices(choice, marks, out);
        }
    }

    /// Replaces choices by the edges behind them. A mark on the first statement of an option passes to where
    /// that statement leads, because control never rests on the statement itself.
    fn expand_choices(&mut self) {
        for index in 0..self.points.len() {
            if self.points[index].choices.is_empty() {
                continue;
            }
            let mut leaves = Vec::new();
            self.collect_choices(ElementId(index), Marks::default(), &mut leaves);
            let mut exits = Vec::new();
            for (leaf, marks) in leaves {
                for exit in self.points[leaf.0].exits.clone() {
                    if let Some(target) = self.targets[exit.edge.index()] {
                        self.points[target.0].marks.add(marks);
                    }
                    exits.push(exit);
                }
            }
            self.points[index].exits = exits;
        }
    }

    /// Puts the edges of escapes in front, those of the outermost escape first.
    fn prepend_escapes(&mut self) {
        for index in 0..self.points.len() {
            let own = self.points[index].exits.clone();
            for exit in &own {
                for &start in exit.escapes.iter().rev() {
                    for escape in self.points[start.0].exits.clone() {
                        let list = &mut self.points[index].exits;
                        if list.iter().all(|other| other.statement != escape.statement) {
                            list.insert(0, Exit { escape: Some(start), ..escape });
                        }
                    }
                }
            }
        }
    }

    /// Numbers the locations that can be reached, in the order of the text, and closes the edges.
    fn finish(mut self, start: ElementId) -> Automaton {
        let reached = self.reachable(start);
        let mut numbers: Vec<Option<LocationId>> = vec![None; self.points.len()];
        let mut locations = Vec::new();
        for (index, _) in reached.iter().enumerate().filter(|(_, reached)| **reached) {
            numbers[index] = Some(LocationId::from(locations.len()));
            locations.push(self.location(ElementId(index)));
        }
        let labels = self.locate_labels(&numbers, &mut locations);
        let mut used = vec![None; self.edges.len()];
        let mut edges = Vec::new();
        for location in &mut locations {
            for edge in location.groups.iter_mut().flatten() {
                let number = *used[edge.index()].get_or_insert_with(|| {
                    edges.push(*edge);
                    EdgeId::from(edges.len() - 1)
                });
                *edge = number;
            }
        }
        let edges = edges
            .into_iter()
            .map(|id| {
                let target = self.targets[id.index()].and_then(|element| numbers[element.0]);
                Edge { target: target.unwrap_or(LocationId(0)), ..self.edges[id.index()].clone() }
            })
            .collect();
        Automaton { locations, edges, initial: numbers[start.0].unwrap_or(LocationId(0)), labels }
    }

    fn reachable(&self, start: ElementId) -> Vec<bool> {
        let mut reached = vec![false; self.points.len()];
        let mut frontier = vec![start];
        while let Some(id) = frontier.pop() {
            if std::mem::replace(&mut reached[id.0], true) {
                continue;
            }
            let exits = &self.points[id.0].exits;
            frontier.extend(exits.iter().filter_map(|exit| self.targets[exit.edge.index()]));
        }
        reached
    }

    fn location(&self, id: ElementId) -> Location {
        let point = &self.points[id.0];
        let mut groups: Vec<Vec<EdgeId>> = Vec::new();
        let mut current: Option<Option<ElementId>> = None;
        for exit in &point.exits {
            if current != Some(exit.escape) {
                groups.push(Vec::new());
                current = Some(exit.escape);
            }
            groups.last_mut().expect("a group was just pushed").push(exit.edge);
        }
        let element = self.flow.element(id);
        // In front of a block, a process is in front of its first statement.
        let first = point.exits.first().and_then(|exit| self.edges[exit.edge.index()].span);
        let span =
            if matches!(element.kind, Kind::Group(..)) { first.or(element.span) } else { element.span };
        Location {
            labels: Vec::new(),
            groups,
            end: point.marks.end,
            progress: point.marks.progress,
            accept: point.marks.accept,
            deterministic: element.inside_dstep,
            span,
        }
    }

    fn locate_labels(
        &mut self,
        numbers: &[Option<LocationId>],
        locations: &mut [Location],
    ) -> HashMap<String, LocationId> {
        let mut by_depth: Vec<(usize, String, ElementId)> = self
            .flow
            .labels
            .iter()
            .map(|label| (label.scope.len(), label.name.clone(), label.element))
            .collect();
        by_depth.sort_by_key(|(depth, ..)| *depth);
        let mut labels = HashMap::new();
        for (_, name, element) in by_depth {
            let element = if numbers[element.0].is_some() { element } else { self.hunt(element, false) };
            let Some(location) = numbers[element.0] else { continue };
            locations[location.index()].labels.push(name.clone());
            labels.entry(name).or_insert(location);
        }
        labels
    }
}

/// The element of the label that a jump means: in the same block, else in the nearest block around it,
/// else anywhere in the process.
pub(crate) fn find_label(flow: &Flow, name: &str, scope: &[u32]) -> Option<ElementId> {
    let named = || flow.labels.iter().filter(|label| label.name == name);
    named()
        .filter(|label| scope.starts_with(&label.scope))
        .max_by_key(|label| label.scope.len())
        .or_else(|| named().next())
        .map(|label| label.element)
}

/// Sets the place of a message when it is known.
fn at(diagnostic: Diagnostic, span: Option<Span>, text: &str) -> Diagnostic {
    match span {
        Some(span) => diagnostic.at(span, text),
        None => diagnostic,
    }
}
