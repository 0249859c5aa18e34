//! From templates to processes.
//!
//! A process on the system line is a template or a partial instantiation. Parameters that are left free run through all
//! values of their type, one process for each choice. Constant parameters are known in the body of the template, so
//! guards and indices are simplified by them.

use std::collections::BTreeMap;
use std::rc::Rc;

use fathom_timed::{Coordinates, Location as LoweredLocation, Process, Urgency};

use crate::condition::Invariant;
use crate::resolve::Lowering;
use crate::scope::{Object, Scope, Symbol};
use crate::syntax::{Document, Name, Parameter, Template};
use crate::types::Type;

/// Processes after which a system is too large.
const MOST_PROCESSES: usize = 4096;

/// Something that processes are made of.
#[derive(Clone, Copy)]
enum Source<'a> {
    Template(&'a Template),
    Instantiation(&'a crate::syntax::Instantiation),
}

impl<'a> Source<'a> {
    fn find(document: &'a Document, name: &str) -> Option<Source<'a>> {
        let instantiation = document.instantiations.iter().find(|one| one.name.text == name);
        let template = document.templates.iter().find(|one| one.name.text == name);
        instantiation.map(Source::Instantiation).or(template.map(Source::Template))
    }

    fn parameters(self) -> &'a [Parameter] {
        match self {
            Source::Template(template) => &template.parameters,
            Source::Instantiation(instantiation) => &instantiation.parameters,
        }
    }
}

/// A process to be: its template, its names, its own name.
pub(crate) struct Instance<'a> {
    pub template: &'a Template,
    pub scope: Rc<Scope<'a>>,
}

impl<'a> Lowering<'a> {
    /// Makes every process of the system line: names, variables and locations, not yet edges.
    pub fn instantiate_all(&mut self, document: &'a Document, global: &Rc<Scope<'a>>) -> Vec<Instance<'a>> {
        let mut instances = Vec::new();
        let has_priorities = document.system.len() > 1;
        for (level, group) in document.system.iter().enumerate() {
            for name in group {
                let n_before = instances.len();
                self.instantiate_named(document, global, name, &mut instances);
                if has_priorities {
                    let more = instances.len() - n_before;
                    self.network.process_priorities.extend(std::iter::repeat_n(level as i32, more));
                }
            }
        }
        instances
    }

    fn instantiate_named(
        &mut self,
        document: &'a Document,
        global: &Rc<Scope<'a>>,
        name: &'a Name,
        instances: &mut Vec<Instance<'a>>,
    ) -> Option<()> {
        let Some(source) = Source::find(document, &name.text) else {
            let message = format!("there is no template '{}'", name.text);
            return self.complain("uppaal::undeclared", message, name.span);
        };
        let mut choices: Vec<Vec<i64>> = vec![Vec::new()];
        let mut types = Vec::new();
        for parameter in source.parameters() {
            let (ty, _) = self.type_of(global, &parameter.ty)?;
            let ty = self.with_dimensions(global, &ty, &parameter.declarator)?;
            let is_bounded = ty.is_integer() && ty != crate::types::INT;
            if !is_bounded || parameter.declarator.is_reference {
                let message = "a parameter of a process that is left free is a bounded integer or a scalar";
                return self.complain("uppaal::free-parameter", message, parameter.declarator.name.span);
            }
            let values: Vec<i64> = self.values_of(&ty, parameter.ty.span)?.collect();
            if choices.len() * values.len() > MOST_PROCESSES {
                return self.complain("uppaal::too-large", "too many processes", name.span);
            }
            let with = |choice: &Vec<i64>, value: &i64| [&choice[..], &[*value]].concat();
            choices = choices
                .iter()
                .flat_map(|choice| values.iter().map(move |value| with(choice, value)))
                .collect();
            types.push(ty);
        }
        let mut family = BTreeMap::new();
        for choice in &choices {
            let arguments = choice.iter().zip(&types).map(|(&value, ty)| Object::constant(value, ty.clone()));
            let mut text = name.text.clone();
            if !choice.is_empty() {
                let values: Vec<String> = choice.iter().map(i64::to_string).collect();
                text = format!("{text}({})", values.join(","));
            }
            let arguments = arguments.collect();
            self.place = place_of(&name.text, choice, &types);
            let instance = self.instantiate(document, global, source, arguments, &text, 0)?;
            self.network.scalars.processes.push(std::mem::take(&mut self.place));
            family.insert(choice.clone(), instances.len());
            instances.push(instance);
        }
        let symbol = match choices.len() {
            1 if source.parameters().is_empty() => Symbol::Process(instances.len() - 1),
            _ => Symbol::Family(Rc::new(family)),
        };
        if !global.declare(&name.text, symbol) {
            let message = format!("'{}' is declared twice", name.text);
            return self.complain("uppaal::redeclared", message, name.span);
        }
        Some(())
    }

    fn instantiate(
        &mut self,
        document: &'a Document,
        global: &Rc<Scope<'a>>,
        source: Source<'a>,
        arguments: Vec<Object>,
        name: &str,
        depth: usize,
    ) -> Option<Instance<'a>> {
        let scope = Scope::inside(global);
        let instantiation = match source {
            Source::Template(template) => {
                for (parameter, argument) in template.parameters.iter().zip(arguments) {
                    self.bind_parameter(global, &scope, parameter, argument, name)?;
                }
                return self.make_process(template, scope, name);
            }
            Source::Instantiation(instantiation) => instantiation,
        };
        for (parameter, argument) in instantiation.parameters.iter().zip(arguments) {
            let (ty, is_const) = self.type_of(global, &parameter.ty)?;
            if !is_const && !parameter.declarator.is_reference && !matches!(ty, Type::Scalar { .. }) {
                let message = "a parameter of an instantiation is constant or a reference";
                return self.complain("uppaal::not-constant", message, parameter.declarator.name.span);
            }
            scope.declare(&parameter.declarator.name.text, Symbol::Object(argument));
        }
        let target = Source::find(document, &instantiation.template.text);
        let Some(target) = target.filter(|_| depth < document.instantiations.len()) else {
            let message = format!("there is no template '{}'", instantiation.template.text);
            return self.complain("uppaal::undeclared", message, instantiation.template.span);
        };
        let parameters = target.parameters();
        if parameters.len() != instantiation.arguments.len() {
            let (expected, found) = (parameters.len(), instantiation.arguments.len());
            let message =
                format!("'{}' takes {expected} arguments, found {found}", instantiation.template.text);
            return self.complain("uppaal::arguments", message, instantiation.name.span);
        }
        let mut passed = Vec::new();
        for (parameter, argument) in parameters.iter().zip(&instantiation.arguments) {
            let (ty, is_const) = self.type_of(global, &parameter.ty)?;
            let ty = self.with_dimensions(global, &ty, &parameter.declarator)?;
            let by_value = !parameter.declarator.is_reference;
            if by_value && ty.size()[1..] != [0, 0] {
                let message = "clocks and channels are passed by reference";
                return self.complain("uppaal::by-value", message, parameter.declarator.name.span);
            }
            let object = if by_value && ty.is_integer() {
                Object::constant(self.constant(&scope, argument)?, ty)
            } else {
                let mut prelude = Vec::new();
                let mut object = self.object(&scope, argument, &mut prelude)?;
                let is_constant = matches!(object.storage, crate::scope::Storage::Constant(_));
                if !prelude.is_empty() || !object.steps.is_empty() || (by_value && !is_constant) {
                    return self.complain("uppaal::not-constant", "expected a constant", argument.span);
                }
                if !ty.accepts_reference(&object.ty) {
                    let message = format!("expected {}, found {}", ty.describe(), object.ty.describe());
                    return self.complain("uppaal::type", message, argument.span);
                }
                if is_constant && !by_value && !is_const {
                    let message = "a constant is passed where something may be changed";
                    return self.complain("uppaal::constant", message, argument.span);
                }
                object.is_const |= is_const;
                object
            };
            passed.push(object);
        }
        self.instantiate(document, global, target, passed, name, depth + 1)
    }

    /// Gives a parameter of a template its meaning in the process.
    fn bind_parameter(
        &mut self,
        global: &Rc<Scope<'a>>,
        scope: &Rc<Scope<'a>>,
        parameter: &'a Parameter,
        argument: Object,
        process: &str,
    ) -> Option<()> {
        let (ty, is_const) = self.type_of(global, &parameter.ty)?;
        let ty = self.with_dimensions(global, &ty, &parameter.declarator)?;
        let name = &parameter.declarator.name;
        let is_reference = parameter.declarator.is_reference;
        if let (crate::scope::Storage::Constant(values), false, false) =
            (&argument.storage, is_reference, is_const)
        {
            // A variable of the process with this value.
            for (value, ty) in values.iter().zip(ty.integers()) {
                let (least, most) = ty.range();
                if !(least..=most).contains(value) {
                    let message = format!("argument {value} is not between {least} and {most}");
                    return self.complain("uppaal::range", message, name.span);
                }
            }
            let values = values.clone();
            let object = self.allocate(&format!("{process}.{}", name.text), &ty, &values, false, name.span);
            scope.declare(&name.text, Symbol::Object(object));
            return Some(());
        }
        scope.declare(&name.text, Symbol::Object(argument));
        Some(())
    }

    fn make_process(
        &mut self,
        template: &'a Template,
        scope: Rc<Scope<'a>>,
        name: &str,
    ) -> Option<Instance<'a>> {
        let process = self.process_scopes.len();
        self.declare_all(&scope, &template.declarations, &format!("{name}."));
        let mut lowered = Process { name: name.to_owned(), ..Process::default() };
        for location in &template.locations {
            let mut invariant = Invariant::default();
            if let Some(written) = &location.invariant {
                self.invariant(&scope, written, None, &mut invariant);
            }
            if let Some((rate, span)) = invariant.cost_rate {
                self.cost_rates.push((process, lowered.locations.len(), rate, span));
            }
            let urgency = match (location.is_committed, location.is_urgent) {
                (true, _) => Urgency::Committed,
                (_, true) => Urgency::Urgent,
                _ => Urgency::None,
            };
            let is_initial = template.initial.as_ref().is_some_and(|initial| initial.text == location.id);
            scope.declare(&location.name, Symbol::Location(process, lowered.locations.len()));
            lowered.locations.push(LoweredLocation {
                name: location.name.clone(),
                is_initial,
                invariant: invariant.guard,
                urgency,
                labels: Vec::new(),
                span: Some(location.span),
            });
        }
        if lowered.locations.is_empty() {
            lowered.locations.push(LoweredLocation {
                name: "_".to_owned(),
                is_initial: true,
                invariant: Default::default(),
                urgency: Urgency::None,
                labels: Vec::new(),
                span: Some(template.name.span),
            });
        } else if !lowered.locations.iter().any(|location| location.is_initial) {
            let message = format!("'{}' has no initial location", template.name.text);
            return self.complain("uppaal::no-initial-location", message, template.name.span);
        }
        self.network.processes.push(lowered);
        self.process_scopes.push(scope.clone());
        Some(Instance { template, scope })
    }
}

/// Where a process stands among those of the same name.
fn place_of(name: &str, choice: &[i64], types: &[Type]) -> Coordinates {
    let mut place = Coordinates { family: name.to_owned(), elements: Vec::new() };
    for (&value, ty) in choice.iter().zip(types) {
        match ty {
            Type::Scalar { set, .. } => place.elements.push((*set, value as u32)),
            _ => place.family.push_str(&format!(",{value}")),
        }
    }
    place
}
