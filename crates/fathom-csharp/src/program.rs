//! A loaded program, or several composed, as a model program.
//!
//! Parts (the classes of a namespace) and state machines run side by side and share actions by name: an action happens
//! when everything that knows it allows it, and in all of them at once. So a run of the whole is a run of each, as far as it
//! knows the actions (Veanes and others 2008; Ernits 2007 calls it the intersection of traces). An argument that one does not
//! care about is left to the others.
//!
//! An action with a start and an end keeps what was started in a variable of its part; the method runs at the end.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use fathom_model::Fault;
use fathom_program::{Facts, Program, Property};

use crate::access;
use crate::candidates::{Choice, combinations, matches};
use crate::declare::Instances;
use crate::fsm::Fsm;
use crate::interpret::{Machine, Run, Stop, limit};
use crate::model::{ActionMethod, Domain, Outcome, Part, Place, Role};
use crate::syntax::Passing;
use crate::types::{ClassId, Type};
use crate::unit::{Storage, Unit};
use crate::value::{State, Value};

/// Most lists of arguments that an action is tried with in a state.
const MOST_ARGUMENTS: usize = 1 << 20;

/// A state machine with its arguments as values.
#[derive(Clone, Debug)]
pub(crate) struct Scenario {
    pub(crate) machine: Fsm,
    /// By transition, its arguments.
    pub(crate) arguments: Vec<Vec<Value>>,
    /// The variable with the states it is in.
    pub(crate) variable: usize,
}

impl Scenario {
    /// The arguments of all transitions by an action.
    pub(crate) fn arguments_of(&self, action: &str) -> impl Iterator<Item = &[Value]> {
        let transitions = self.machine.transitions.iter().zip(&self.arguments);
        transitions
            .filter(move |(transition, _)| transition.action == action)
            .map(|(_, arguments)| arguments.as_slice())
    }
}

/// A part with the variable that has what is under way.
#[derive(Clone, Debug)]
pub(crate) struct Component {
    pub(crate) part: Part,
    pub(crate) pending: Option<usize>,
}

/// A name of an action, with the largest number of arguments it has anywhere.
#[derive(Clone, Debug)]
pub(crate) struct Symbol {
    pub(crate) name: String,
    pub(crate) arity: usize,
    /// No part or machine says which values some argument has: it never happens.
    pub(crate) lacks_domain: bool,
}

/// Everything there is to know about a program.
#[derive(Debug)]
pub(crate) struct Model {
    pub(crate) name: String,
    pub(crate) unit: Unit,
    pub(crate) components: Vec<Component>,
    pub(crate) scenarios: Vec<Scenario>,
    pub(crate) symbols: Vec<Symbol>,
    /// Names of variables.
    pub(crate) variables: Vec<String>,
    /// Variables that map objects to values of a field.
    pub(crate) field_maps: BTreeSet<usize>,
    pub(crate) initial: State,
}

/// A model program that was read from C#.
#[derive(Clone, Debug)]
pub struct CSharpProgram {
    pub(crate) model: Arc<Model>,
}

/// An action with its arguments.
#[derive(Clone)]
pub struct Action {
    model: Arc<Model>,
    symbol: usize,
    arguments: Arc<[Value]>,
    /// What went wrong when it was asked whether it can happen.
    stop: Option<Box<Stop>>,
}

impl fmt::Debug for Action {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        // What is asked of a state is no action.
        let Some(Symbol { name, .. }) = self.model.symbols.get(self.symbol) else { return Ok(()) };
        let arguments: Vec<String> = self.arguments.iter().map(|value| self.model.unit.show(value)).collect();
        write!(out, "{name}({})", arguments.join(", "))
    }
}

/// What was started: its methods, the name of its end, its arguments.
type Started<'m> = (&'m [ActionMethod], &'m str, Arc<[Value]>);

impl CSharpProgram {
    /// Names of variables, in their order.
    pub fn variable_names(&self) -> &[String] {
        &self.model.variables
    }

    /// Names of actions, in their order.
    pub fn action_names(&self) -> impl Iterator<Item = &str> {
        self.model.symbols.iter().map(|symbol| symbol.name.as_str())
    }

    /// What is written at methods as requirements: the method and the text.
    pub fn requirements(&self) -> impl Iterator<Item = (&str, &str)> {
        let all = self.model.components.iter().flat_map(|component| &component.part.requirements);
        all.map(|(method, text)| {
            (self.model.unit.all.methods[*method as usize].name.text.as_str(), text.as_str())
        })
    }
}

impl Model {
    fn holds(&self, machine: &mut Machine<'_>, method: u32) -> Run<bool> {
        machine.reset();
        Ok(machine.call(method, None, Vec::new())?.0 == Value::Bool(true))
    }

    fn all_hold(&self, state: &State, methods: &[u32]) -> Run<bool> {
        if methods.is_empty() {
            return Ok(true);
        }
        let mut machine = Machine::new(&self.unit, &state.0);
        for method in methods {
            if !self.holds(&mut machine, *method)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The sum of what the components estimate; what cannot be evaluated is far away.
    fn distance(&self, state: &State) -> Option<u32> {
        let methods: Vec<u32> =
            self.components.iter().flat_map(|component| component.part.distances.iter().copied()).collect();
        if methods.is_empty() {
            return None;
        }
        let mut machine = Machine::new(&self.unit, &state.0);
        let estimate = |method: u32| {
            machine.reset();
            match machine.call(method, None, Vec::new()) {
                Ok((Value::Int(steps), ..)) => u32::try_from(steps.max(0)).unwrap_or(u32::MAX),
                _ => u32::MAX,
            }
        };
        Some(methods.into_iter().map(estimate).fold(0, u32::saturating_add))
    }

    fn is_pending(&self, component: &Component, state: &State) -> bool {
        component.pending.is_some_and(|place| state.0[place] != Value::Null)
    }

    /// Evaluates what is asked of single states.
    fn evaluate_predicates(&self, state: &State) -> Run<()> {
        for component in self.components.iter().filter(|component| !self.is_pending(component, state)) {
            for (_, method) in component.part.invariants.iter().chain(&component.part.propositions) {
                self.all_hold(state, &[*method])?;
            }
        }
        Ok(())
    }

    /// Whether a run may end.
    fn is_accepting(&self, state: &State) -> Run<bool> {
        for component in &self.components {
            if self.is_pending(component, state) || !self.all_hold(state, &component.part.accepting)? {
                return Ok(false);
            }
        }
        Ok(self.scenarios.iter().all(|scenario| {
            let accepting = &scenario.machine.accepting;
            accepting.is_empty() || states_of(state, scenario).iter().any(|place| accepting.contains(place))
        }))
    }

    /// Whether it says where runs may end.
    fn has_accepting_states(&self) -> bool {
        self.components.iter().any(|component| !component.part.accepting.is_empty())
            || self.scenarios.iter().any(|scenario| !scenario.machine.accepting.is_empty())
    }

    fn is_within(&self, state: &State) -> Run<bool> {
        for component in &self.components {
            if !self.is_pending(component, state) && !self.all_hold(state, &component.part.filters)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The values of an argument, as far as a method says.
    fn values(&self, machine: &mut Machine<'_>, method: &ActionMethod, place: usize) -> Run<Choice> {
        machine.reset();
        let domain = method.domains.get(place).and_then(Option::as_ref);
        let value = match domain {
            None => return Ok(Choice::Unsaid),
            Some(Domain::Any) => return Ok(Choice::any()),
            Some(Domain::Type(Type::Bool)) => {
                return Ok(Choice::Values(vec![Value::Bool(false), Value::Bool(true)]));
            }
            Some(Domain::Type(Type::Enum(id))) => {
                return Ok(Choice::Values(self.unit.different_elements(*id)));
            }
            Some(Domain::Type(_)) => return Ok(Choice::Unsaid),
            Some(Domain::New(class)) => {
                let sort_of = |class: &ClassId| self.unit.all.classes[class.0 as usize].sort;
                let sort = sort_of(class);
                // Of several new objects each is another.
                let earlier =
                    method.creates.iter().filter(|(other, class)| *other < place && sort_of(class) == sort);
                for _ in earlier {
                    let number = machine.fresh(sort);
                    machine.take(sort, number);
                }
                return Ok(Choice::Values(vec![Value::Object(sort, machine.fresh(sort))]));
            }
            Some(Domain::Method(method)) => machine.call(*method, None, Vec::new())?.0,
            Some(Domain::Field(field)) => match self.unit.storage[*field as usize] {
                Storage::Variable(place) => machine.state[place as usize].clone(),
                Storage::Constant(place) => self.unit.constants[place as usize].clone(),
                Storage::Nowhere => Value::Null,
            },
        };
        let mut members = match value {
            // A domain that is missing has no values.
            Value::Null => Vec::new(),
            Value::Bag(entries) => entries.iter().map(|(member, _)| member.clone()).collect(),
            value => {
                let anywhere = self.unit.all.classes[0].name.span;
                machine.members(&value, anywhere)?
            }
        };
        members.sort();
        members.dedup();
        Ok(Choice::Values(members))
    }

    /// The arguments of the method for arguments of the action; none if one that matters is missing.
    fn arguments(&self, action: &ActionMethod, given: &[Value]) -> Option<(Option<Value>, Vec<Value>)> {
        let method = &self.unit.all.methods[action.method as usize];
        let mut this = None;
        let mut arguments = vec![Value::Null; method.parameters.len()];
        for (place, value) in action.places.iter().zip(given) {
            match place {
                Place::Any => (),
                _ if *value == Value::Any => return None,
                Place::This => this = Some(value.clone()),
                Place::Parameter(place) => arguments[*place] = value.clone(),
            }
        }
        Some((this, arguments))
    }

    fn is_enabled(&self, machine: &mut Machine<'_>, action: &ActionMethod, given: &[Value]) -> Run<bool> {
        let Some((this, arguments)) = self.arguments(action, given) else { return Ok(false) };
        let method = &self.unit.all.methods[action.method as usize];
        let inputs = method.parameters.iter().zip(&arguments);
        let inputs: Vec<Value> = inputs
            .filter(|(parameter, _)| parameter.passing != Passing::Out)
            .map(|(_, value)| value.clone())
            .collect();
        for condition in &action.conditions {
            machine.reset();
            let mut passed: Vec<Value> =
                if condition.passes_this { this.iter().cloned().collect() } else { Vec::new() };
            passed.extend(inputs.iter().cloned());
            passed.truncate(condition.n_parameters);
            let of = if condition.is_of_instance { this.clone() } else { None };
            if machine.call(condition.method, of, passed)?.0 != Value::Bool(true) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Runs methods; gives the arguments of the end of the action, if there is one.
    fn run(&self, machine: &mut Machine<'_>, methods: &[ActionMethod], given: &[Value]) -> Run<Vec<Value>> {
        let mut end = Vec::new();
        for action in methods {
            for (place, _) in &action.creates {
                if let Value::Object(sort, number) = given[*place] {
                    machine.take(sort, number);
                }
            }
        }
        let mut made: BTreeSet<(u32, u32)> = BTreeSet::new();
        for action in methods {
            for (place, class) in &action.creates {
                if let Value::Object(sort, number) = given[*place]
                    && made.insert((class.0, number))
                {
                    debug_assert_eq!(sort, self.unit.all.classes[class.0 as usize].sort);
                    machine.initialize(*class, number)?;
                }
            }
        }
        for action in methods {
            let Some((this, arguments)) = self.arguments(action, given) else { continue };
            let (result, after) = machine.call(action.method, this, arguments)?;
            if let Some(outcomes) = &action.outcomes {
                let value = |outcome: &Outcome| match outcome {
                    Outcome::Any => Value::Any,
                    Outcome::Result => result.clone(),
                    Outcome::Parameter(place) => after.get(*place).cloned().unwrap_or(Value::Null),
                };
                let outcomes: Vec<Value> = outcomes.iter().map(value).collect();
                if end.is_empty() {
                    end = outcomes;
                } else if end != outcomes {
                    return crate::interpret::raise(
                        "methods of one action give different results",
                        action.span,
                    );
                }
            }
        }
        Ok(end)
    }

    /// What was started in a component.
    fn started<'m>(&'m self, component: &'m Component, state: &State) -> Option<Started<'m>> {
        let Value::Tuple(parts) = &state.0[component.pending?] else { return None };
        let Value::Int(symbol) = parts.first()? else { return None };
        let Value::Sequence(given) = parts.get(1)? else { return None };
        match component.part.roles.get(&self.symbols.get(*symbol as usize)?.name)? {
            Role::Start(methods, Some(end)) => Some((methods, end, given.clone())),
            _ => None,
        }
    }

    /// What is under way, as the action that began it.
    fn show_pending(&self, started: &Value) -> String {
        let Value::Tuple(parts) = started else { return "nothing".to_string() };
        let name = match parts.first() {
            Some(Value::Int(symbol)) => self.symbols.get(*symbol as usize).map_or("?", |symbol| &symbol.name),
            _ => "?",
        };
        let arguments: Vec<String> = match parts.get(1) {
            Some(Value::Sequence(given)) => given.iter().map(|value| self.unit.show(value)).collect(),
            _ => Vec::new(),
        };
        format!("{name}({})", arguments.join(", "))
    }

    /// Pushes the actions with a name that can happen.
    fn push_actions(self: &Arc<Self>, index: usize, state: &State, actions: &mut Vec<Action>) -> Run<()> {
        let symbol = &self.symbols[index];
        if symbol.lacks_domain {
            return Ok(());
        }
        let mut machine = Machine::new(&self.unit, &state.0);
        let mut choices: Vec<Choice> = (0..symbol.arity).map(|_| Choice::Unsaid).collect();
        let mut starting: Vec<&[ActionMethod]> = Vec::new();
        for component in &self.components {
            let Some(role) = component.part.roles.get(&symbol.name) else { continue };
            match (self.started(component, state), role) {
                (Some((methods, end, given)), Role::Finish) if end == symbol.name => {
                    let mut running = Machine::new(&self.unit, &state.0);
                    let results = self.run(&mut running, methods, &given)?;
                    for (choice, value) in choices.iter_mut().zip(results) {
                        let said =
                            if value == Value::Any { Choice::any() } else { Choice::Values(vec![value]) };
                        *choice = std::mem::replace(choice, Choice::Unsaid).and(said);
                    }
                }
                (None, Role::Start(methods, _)) => {
                    let mut always = methods.iter().flat_map(|method| &method.conditions);
                    while let Some(condition) =
                        always.find(|condition| condition.n_parameters == 0 && !condition.is_of_instance)
                    {
                        if !self.holds(&mut machine, condition.method)? {
                            return Ok(());
                        }
                    }
                    for method in methods {
                        for (place, choice) in choices.iter_mut().enumerate().take(method.places.len()) {
                            let said = self.values(&mut machine, method, place)?;
                            *choice = std::mem::replace(choice, Choice::Unsaid).and(said);
                        }
                    }
                    starting.push(methods);
                }
                _ => return Ok(()),
            }
        }
        let mut moves: Vec<Vec<&[Value]>> = Vec::new();
        for scenario in self.scenarios.iter().filter(|scenario| scenario.machine.knows(&symbol.name)) {
            let possible = self.moves(scenario, &symbol.name, state);
            for (place, choice) in choices.iter_mut().enumerate() {
                let said = Choice::of_machine(&possible, place);
                *choice = std::mem::replace(choice, Choice::Unsaid).and(said);
            }
            moves.push(possible);
        }
        let values: Vec<Vec<Value>> = choices.into_iter().map(Choice::candidates).collect();
        let n_given = values.iter().try_fold(1_usize, |product, values| product.checked_mul(values.len()));
        if n_given.is_none_or(|n_given| n_given > MOST_ARGUMENTS) {
            return limit(
                "an action has more than a million lists of arguments: give its parameters smaller domains",
            );
        }
        for given in combinations(&values) {
            let is_allowed = |possible: &Vec<&[Value]>| possible.iter().any(|wanted| matches(wanted, &given));
            let mut stop = None;
            let mut is_enabled = moves.iter().all(is_allowed);
            for method in starting.iter().flat_map(|methods| methods.iter()) {
                match self.is_enabled(&mut machine, method, &given) {
                    _ if !is_enabled => break,
                    Ok(holds) => is_enabled = holds,
                    Err(found) => stop = stop.or(Some(found)),
                }
            }
            if is_enabled {
                let arguments = given.into();
                actions.push(Action { model: self.clone(), symbol: index, arguments, stop });
            }
        }
        Ok(())
    }

    /// The arguments of the transitions that a machine can take by an action.
    fn moves<'m>(&self, scenario: &'m Scenario, action: &str, state: &State) -> Vec<&'m [Value]> {
        let here = states_of(state, scenario);
        let transitions = scenario.machine.transitions.iter().zip(&scenario.arguments);
        transitions
            .filter(|(transition, _)| transition.action == action && here.contains(&transition.from))
            .map(|(_, arguments)| &arguments[..])
            .collect()
    }

    fn carry_out(&self, action: &Action, state: &mut State) -> Run<()> {
        if let Some(stop) = &action.stop {
            return Err(stop.clone());
        }
        let name = &self.symbols[action.symbol].name;
        let mut machine = Machine::new(&self.unit, &state.0);
        for component in &self.components {
            match component.part.roles.get(name) {
                None => (),
                Some(Role::Start(methods, None)) => {
                    drop(self.run(&mut machine, methods, &action.arguments)?)
                }
                Some(Role::Start(..)) => {
                    let given = Value::Sequence(action.arguments.clone());
                    let started = Value::Tuple([Value::Int(action.symbol as i64), given].into());
                    if let Some(place) = component.pending {
                        machine.state[place] = started;
                    }
                }
                Some(Role::Finish) => {
                    if let Some((methods, _, given)) = self.started(component, state) {
                        self.run(&mut machine, methods, &given)?;
                    }
                    if let Some(place) = component.pending {
                        machine.state[place] = Value::Null;
                    }
                }
            }
        }
        for scenario in self.scenarios.iter().filter(|scenario| scenario.machine.knows(name)) {
            let here = states_of(state, scenario);
            let transitions = scenario.machine.transitions.iter().zip(&scenario.arguments);
            let next = transitions.filter(|(transition, wanted)| {
                transition.action == *name
                    && here.contains(&transition.from)
                    && matches(wanted, &action.arguments)
            });
            let next = next.map(|(transition, _)| Value::Int(transition.to as i64)).collect();
            machine.state[scenario.variable] = Value::set(next);
        }
        state.0 = machine.state;
        self.forget_unreachable(state);
        Ok(())
    }

    /// Takes objects out that nothing leads to.
    fn forget_unreachable(&self, state: &mut State) {
        if self.field_maps.is_empty() {
            return;
        }
        let mut known: BTreeSet<(u32, u32)> = BTreeSet::new();
        let mut pending: Vec<(u32, u32)> = Vec::new();
        let mut see = |value: &Value, pending: &mut Vec<(u32, u32)>| {
            value.each_object(&mut |sort, number| {
                if known.insert((sort, number)) {
                    pending.push((sort, number));
                }
            });
        };
        for (place, value) in state.0.iter().enumerate() {
            if !self.field_maps.contains(&place) {
                see(value, &mut pending);
            }
        }
        while let Some((sort, number)) = pending.pop() {
            let object = Value::Object(sort, number);
            for place in &self.field_maps {
                if let Value::Map(entries) = &state.0[*place]
                    && let Ok(found) = entries.binary_search_by(|(key, _)| key.cmp(&object))
                {
                    see(&entries[found].1, &mut pending);
                }
            }
        }
        for place in &self.field_maps {
            if let Value::Map(entries) = &state.0[*place] {
                let is_known = |key: &Value| matches!(key, Value::Object(sort, number) if known.contains(&(*sort, *number)));
                if !entries.iter().all(|(key, _)| is_known(key)) {
                    let kept = entries.iter().filter(|(key, _)| is_known(key)).cloned().collect();
                    state.0[*place] = Value::Map(kept);
                }
            }
        }
    }

    fn fault(&self, stop: &Stop) -> Fault {
        let place = stop.span.map(|span| format!(" at {}", self.unit.locate(span))).unwrap_or_default();
        Fault::Raised { message: format!("{}{place}", stop.text()) }
    }
}

fn states_of(state: &State, scenario: &Scenario) -> Vec<usize> {
    match &state.0[scenario.variable] {
        Value::Set(places) => places
            .iter()
            .filter_map(
                |place| if let Value::Int(place) = place { usize::try_from(*place).ok() } else { None },
            )
            .collect(),
        _ => Vec::new(),
    }
}

impl Program for CSharpProgram {
    type State = State;
    type Action = Action;

    fn name(&self) -> &str {
        &self.model.name
    }

    fn initial(&self) -> Vec<State> {
        vec![self.model.initial.clone()]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        for symbol in 0..self.model.symbols.len() {
            if let Err(stop) = self.model.push_actions(symbol, state, actions) {
                let (model, arguments) = (self.model.clone(), Arc::new([]));
                actions.push(Action { model, symbol, arguments, stop: Some(stop) });
            }
        }
        // What is asked of states may go wrong as well, and has no other way to say so.
        let asked = self.model.is_within(state).and_then(|_| self.model.is_accepting(state));
        let asked = asked.and_then(|_| self.model.evaluate_predicates(state));
        if let Err(stop) = asked {
            let (model, arguments) = (self.model.clone(), Arc::new([]));
            actions.push(Action { model, symbol: usize::MAX, arguments, stop: Some(stop) });
        }
    }

    fn apply(&self, action: &Action, state: &mut State) {
        // An action that fails leaves the state alone.
        drop(self.try_apply(action, state));
    }

    fn try_apply(&self, action: &Action, state: &mut State) -> Result<(), Fault> {
        self.model.carry_out(action, state).map_err(|stop| self.model.fault(&stop))
    }

    fn variables(&self, state: &State) -> Vec<(String, String)> {
        let shown = state.0.iter().enumerate().map(|(place, value)| {
            if let Some(scenario) = self.model.scenarios.iter().find(|scenario| scenario.variable == place) {
                let here = states_of(state, scenario);
                let names: Vec<&str> =
                    here.iter().map(|place| scenario.machine.states[*place].as_str()).collect();
                return format!("{{{}}}", names.join(", "));
            }
            if self.model.components.iter().any(|component| component.pending == Some(place)) {
                return self.model.show_pending(value);
            }
            self.model.unit.show(value)
        });
        self.model.variables.iter().cloned().zip(shown).collect()
    }

    fn may_ask_for_names(&self) -> bool {
        self.model.unit.may_ask_for_names
    }

    fn properties(&self) -> Vec<Property<State>> {
        let mut properties = vec![Property::no_deadlock(), Property::no_fault()];
        for (index, component) in self.model.components.iter().enumerate() {
            for (name, method) in &component.part.invariants {
                let (model, method) = (self.model.clone(), *method);
                properties.push(Property::always(name.clone(), move |state: &State| {
                    let component = &model.components[index];
                    model.is_pending(component, state) || model.all_hold(state, &[method]).unwrap_or(false)
                }));
            }
        }
        for (name, method) in self.model.components.iter().flat_map(|component| &component.part.propositions)
        {
            let (model, method) = (self.model.clone(), *method);
            let is_true = move |state: &State| model.all_hold(state, &[method]).unwrap_or(false);
            properties.push(Property::proposition(name.clone(), is_true));
        }
        if self.model.has_accepting_states() {
            let model = self.model.clone();
            let is_accepting = move |state: &State| model.is_accepting(state).unwrap_or(false);
            properties.push(Property::proposition("accepting", is_accepting));
        }
        properties
    }

    fn facts(&self) -> Facts {
        access::facts(&self.model)
    }

    fn may_have_objects(&self) -> bool {
        let unit = &self.model.unit;
        // A machine that names objects tells them apart: there is nothing to be taken for one.
        let named = self.model.scenarios.iter().flat_map(|scenario| scenario.arguments.iter().flatten());
        if named.into_iter().any(Value::has_objects) {
            return false;
        }
        let is_abstract = |values: &Vec<Value>| values.iter().any(Value::has_objects);
        unit.all.classes.iter().any(|class| class.instances == Instances::Objects)
            || unit.elements.iter().any(is_abstract)
    }

    fn may_end(&self, state: &State) -> bool {
        self.model.is_accepting(state).unwrap_or(true)
    }

    fn distance(&self, state: &State) -> Option<u32> {
        self.model.distance(state)
    }

    fn within_bounds(&self, state: &State) -> bool {
        self.model.is_within(state).unwrap_or(true)
    }
}
