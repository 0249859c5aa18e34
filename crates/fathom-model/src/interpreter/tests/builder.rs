//! Builds small models by hand, and explores them.

use std::collections::{BTreeSet, HashSet};

use crate::interpreter::Interpreter;
use crate::*;

/// Builds a model.
#[derive(Default)]
pub struct Build {
    pub model: Model,
}

/// Builds a template of it.
pub struct BuildTemplate {
    template: Template,
}

/// What a plain exploration saw.
#[derive(Debug)]
pub struct Explored {
    pub states: HashSet<Vec<u8>>,
    pub transitions: usize,
    /// Name of the property and the fault, without duplicates.
    pub findings: BTreeSet<(String, String)>,
}

impl Build {
    /// A model that asks for deadlocks, failed assertions and run-time errors.
    pub fn new() -> Build {
        let mut model = Model { name: "test".into(), ..Model::default() };
        for (name, question) in [
            ("deadlock", Question::Deadlock),
            ("assertion", Question::Assertion),
            ("runtime-error", Question::RuntimeError),
        ] {
            model.properties.push(Property { name: name.into(), question, span: None });
        }
        Build { model }
    }

    pub fn global(&mut self, name: &str, ty: ScalarType) -> Place {
        declare(&mut self.model.globals, Base::Global, name, ty)
    }

    /// A global channel; gives the expression for its number.
    pub fn channel(&mut self, name: &str, capacity: u32, fields: &[ScalarType]) -> Expr {
        let channel_type = self.channel_type(name, capacity, fields);
        let place = self.global(name, ScalarType::CHANNEL);
        self.model.globals.initializers.push(Initializer::Channel { place: place.clone(), channel_type });
        Expr::Load(place)
    }

    pub fn channel_type(&mut self, name: &str, capacity: u32, fields: &[ScalarType]) -> ChannelTypeId {
        self.model.channel_types.push(ChannelType { name: name.into(), capacity, fields: fields.to_vec() });
        ChannelTypeId::from(self.model.channel_types.len() - 1)
    }

    pub fn add(&mut self, template: BuildTemplate) -> TemplateId {
        self.model.templates.push(template.template);
        TemplateId::from(self.model.templates.len() - 1)
    }

    /// Starts a process without arguments.
    pub fn start(&mut self, template: TemplateId) {
        self.start_with(template, vec![], 1);
    }

    pub fn start_with(&mut self, template: TemplateId, arguments: Vec<Expr>, priority: u8) {
        self.model.start.push(Start { template, arguments, priority });
    }

    /// Adds a template and starts one process of it.
    pub fn run(&mut self, template: BuildTemplate) -> TemplateId {
        let id = self.add(template);
        self.start(id);
        id
    }

    pub fn ask(&mut self, name: &str, question: Question) {
        self.model.properties.push(Property { name: name.into(), question, span: None });
    }

    pub fn explore(&self) -> Explored {
        explore(&self.model)
    }

    /// Checks the number of states and of transitions, and that nothing is found.
    #[track_caller]
    pub fn expect(&self, states: usize, transitions: usize) {
        let explored = self.explore();
        let none = BTreeSet::new();
        assert_eq!(
            (explored.states.len(), explored.transitions, &explored.findings),
            (states, transitions, &none)
        );
    }

    /// Checks what is found.
    #[track_caller]
    pub fn expect_findings(&self, expected: &[(&str, &str)]) {
        let expected: BTreeSet<_> = expected.iter().map(|(a, b)| (a.to_string(), b.to_string())).collect();
        assert_eq!(self.explore().findings, expected);
    }

    /// The final values of a global: those in states that nothing leaves.
    pub fn final_values(&self, place: &Place) -> Vec<i64> {
        let interpreter = Interpreter::new(&self.model, &[]);
        let mut scratch = interpreter.scratch();
        let mut steps = Steps::new();
        let mut values = BTreeSet::new();
        let explored = self.explore();
        let states: BTreeSet<_> = explored.states.iter().collect();
        for state in states {
            steps.clear();
            interpreter.successors(state, &NoRegion, &mut scratch, &mut steps);
            if steps.is_empty() {
                let value = interpreter.evaluate(&mut scratch, state, &Expr::Load(place.clone()));
                values.insert(value.expect("a global can be read"));
            }
        }
        values.into_iter().collect()
    }
}

pub fn explore(model: &Model) -> Explored {
    assert_eq!(validate(model), Ok(()));
    let asked: Vec<_> = (0..model.properties.len()).map(PropertyId::from).collect();
    let interpreter = Interpreter::new(model, &asked);
    let mut scratch = interpreter.scratch();
    let mut steps = Steps::recording();
    interpreter.initial(&mut scratch, &mut steps);
    let mut explored = Explored { states: HashSet::new(), transitions: 0, findings: BTreeSet::new() };
    let mut frontier = Vec::new();
    let mut depth_of_faults = Vec::new();
    loop {
        for index in 0..steps.len() {
            let state = steps.state(index).to_vec();
            if explored.states.insert(state.clone()) {
                frontier.push(state);
            }
        }
        for finding in steps.findings() {
            let fault = finding.fault.as_ref().map_or_else(String::new, ToString::to_string);
            explored.findings.insert((model.properties[finding.property.index()].name.clone(), fault));
            depth_of_faults.push(steps.finding_labels(finding).len());
        }
        let Some(state) = frontier.pop() else { return explored };
        steps.clear();
        interpreter.successors(&state, &NoRegion, &mut scratch, &mut steps);
        explored.transitions += steps.len();
        check_replay(&interpreter, &state, &steps);
    }
}

/// Every step, replayed move by move, leads to the state it says.
fn check_replay(interpreter: &Interpreter<'_>, state: &[u8], steps: &Steps<NoRegion, Move>) {
    let mut scratch = interpreter.scratch();
    for index in 0..steps.len() {
        assert!(!steps.labels(index).is_empty());
        let mut state = state.to_vec();
        for label in steps.labels(index) {
            state = interpreter.execute_move(&mut scratch, &state, label).expect("a step replays").state;
        }
        assert_eq!(state, steps.state(index));
    }
}

fn declare(frame: &mut Frame, base: Base, name: &str, ty: ScalarType) -> Place {
    let offset = frame.size;
    frame.size += ty.size();
    frame.variables.push(Variable {
        name: name.into(),
        ty: Type::Scalar(ty),
        offset,
        role: VariableRole::Plain,
        span: None,
    });
    Place::fixed(base, offset, ty)
}

impl BuildTemplate {
    /// A template with this many locations; the last one is where it may end.
    pub fn new(name: &str, n_locations: usize) -> BuildTemplate {
        let template = Template {
            name: name.into(),
            role: TemplateRole::Process,
            locals: Frame::default(),
            parameters: vec![],
            locations: vec![Location::default(); n_locations],
            edges: vec![],
            initial: LocationId(0),
            provided: None,
            span: None,
        };
        let last = n_locations - 1;
        let mut build = BuildTemplate { template };
        build.template.locations[last].end = true;
        build.edge(last, 0, edge(last).guard(Guard::Youngest).act(Action::End));
        build
    }

    /// The edges one after the other: from location 0 to 1, from 1 to 2, and so on.
    pub fn sequence(name: &str, edges: Vec<Edge>) -> BuildTemplate {
        let mut build = BuildTemplate::new(name, edges.len() + 1);
        for (index, mut edge) in edges.into_iter().enumerate() {
            edge.target = LocationId::from(index + 1);
            build.edge(index, 0, edge);
        }
        build
    }

    pub fn local(&mut self, name: &str, ty: ScalarType) -> Place {
        declare(&mut self.template.locals, Base::Own, name, ty)
    }

    pub fn parameter(&mut self, name: &str, ty: ScalarType) -> Place {
        let place = self.local(name, ty);
        self.template.parameters.push(place.clone());
        place
    }

    pub fn initial(&mut self, initializer: Initializer) {
        self.template.locals.initializers.push(initializer);
    }

    pub fn location(&mut self, index: usize) -> &mut Location {
        &mut self.template.locations[index]
    }

    pub fn provided(&mut self, condition: Expr) {
        self.template.provided = Some(condition);
    }

    /// Adds an edge to a group of a location.
    pub fn edge(&mut self, from: usize, group: usize, edge: Edge) {
        let id = EdgeId::from(self.template.edges.len());
        self.template.edges.push(edge);
        let groups = &mut self.template.locations[from].groups;
        groups.resize(groups.len().max(group + 1), vec![]);
        groups[group].push(id);
    }

    /// Marks the locations inside an indivisible block.
    pub fn deterministic(mut self, locations: &[usize]) -> BuildTemplate {
        locations.iter().for_each(|&location| self.template.locations[location].deterministic = true);
        self
    }
}

/// An edge that does nothing.
pub fn edge(target: usize) -> Edge {
    Edge {
        guard: Guard::Always,
        sync: None,
        effect: vec![],
        target: LocationId::from(target),
        atomic: false,
        span: None,
        text: String::new(),
    }
}

#[allow(missing_docs)]
impl Edge {
    pub fn guard(mut self, guard: Guard) -> Edge {
        self.guard = guard;
        self
    }

    pub fn when(self, condition: Expr) -> Edge {
        self.guard(Guard::When(condition))
    }

    pub fn act(mut self, action: Action) -> Edge {
        self.effect.push(action);
        self
    }

    pub fn atomic(mut self) -> Edge {
        self.atomic = true;
        self
    }

    pub fn text(mut self, text: &str) -> Edge {
        self.text = text.into();
        self
    }
}

pub fn skip() -> Edge {
    edge(0)
}

/// An edge that assigns.
pub fn set(place: &Place, value: impl Into<Expr>) -> Edge {
    edge(0).act(Action::Assign(place.clone(), value.into()))
}

/// An edge that waits.
pub fn wait(condition: Expr) -> Edge {
    edge(0).when(condition)
}

pub fn send(channel: &Expr, fields: Vec<Expr>) -> Edge {
    Edge { sync: Some(Sync::Send { channel: channel.clone(), fields, sorted: false }), ..edge(0) }
}

pub fn receive(channel: &Expr, patterns: Vec<Pattern>) -> Edge {
    let sync = Sync::Receive { channel: channel.clone(), patterns, which: Which::Front, copy: false };
    Edge { sync: Some(sync), ..edge(0) }
}

pub fn to(target: usize, mut edge: Edge) -> Edge {
    edge.target = LocationId::from(target);
    edge
}

pub fn load(place: &Place) -> Expr {
    Expr::Load(place.clone())
}

pub fn equal(place: &Place, value: i64) -> Expr {
    Expr::binary(BinaryOp::Equal, load(place), Expr::Const(value))
}

pub fn less(place: &Place, value: i64) -> Expr {
    Expr::binary(BinaryOp::Less, load(place), Expr::Const(value))
}

pub fn plus(place: &Place, other: impl Into<Expr>) -> Expr {
    Expr::binary(BinaryOp::Add, load(place), other.into())
}

pub fn bind(place: &Place) -> Pattern {
    Pattern::Bind(place.clone())
}

pub fn only(value: i64) -> Pattern {
    Pattern::Match(Expr::Const(value))
}

pub fn anything() -> Pattern {
    Pattern::Bind(Place::fixed(Base::Discard, 0, ScalarType::BYTE))
}

impl From<i64> for Expr {
    fn from(value: i64) -> Expr {
        Expr::Const(value)
    }
}

impl From<&Place> for Expr {
    fn from(place: &Place) -> Expr {
        load(place)
    }
}
