//! What makes classes a model program: actions with their labels, conditions and domains, and what is said about states.

use std::collections::BTreeMap;

use fathom_source::{Diagnostic, Span};

use crate::declare::{Declarations, Instances, Method, attribute, attribute_text, constant_text};
use crate::factory::{Feature, Library, Made};
use crate::fsm::{Fsm, TermKind, parse_term};
use crate::syntax::{Attribute, Name, Passing};
use crate::types::{ClassId, Type};

/// Where an argument of an action goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// Nowhere.
    Any,
    /// The instance.
    This,
    /// A parameter.
    Parameter(usize),
}

/// Where an argument of the end of an action comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// It may be anything.
    Any,
    /// The value of the method.
    Result,
    /// A parameter.
    Parameter(usize),
}

/// The values that an argument may have.
#[derive(Clone, Debug)]
pub enum Domain {
    /// All of a type.
    Type(Type),
    /// A fresh object.
    New(ClassId),
    /// What a method without parameters gives.
    Method(u32),
    /// What is in a field.
    Field(u32),
    /// It does not matter.
    Any,
}

/// A method that has to say yes before an action.
#[derive(Clone, Debug)]
pub struct Condition {
    /// The method.
    pub method: u32,
    /// Whether the instance is its first argument, or none is.
    pub passes_this: bool,
    /// Whether it belongs to the instance.
    pub is_of_instance: bool,
    /// Number of its parameters.
    pub n_parameters: usize,
}

/// What a method does for an action.
#[derive(Clone, Debug)]
pub struct ActionMethod {
    /// The method.
    pub method: u32,
    /// Where the arguments go.
    pub places: Vec<Place>,
    /// What arguments there are, as far as this method says.
    pub domains: Vec<Option<Domain>>,
    /// What has to hold.
    pub conditions: Vec<Condition>,
    /// The arguments of the end of the action, when it has a start and an end.
    pub outcomes: Option<Vec<Outcome>>,
    /// Objects that come into being: arguments with their classes.
    pub creates: Vec<(usize, ClassId)>,
    /// Where it is written.
    pub span: Span,
}

/// What an action is for a part of a program.
#[derive(Clone, Debug)]
pub enum Role {
    /// It starts something, or does it at once; the end has a name if there is one.
    Start(Vec<ActionMethod>, Option<String>),
    /// It ends what another action started.
    Finish,
}

/// Classes that are a model program together.
#[derive(Clone, Default, Debug)]
pub struct Part {
    /// The namespace.
    pub namespace: String,
    /// The features, none for all.
    pub features: Option<Vec<String>>,
    /// The classes.
    pub classes: Vec<ClassId>,
    /// What actions are here, by name.
    pub roles: BTreeMap<String, Role>,
    /// Actions in their order.
    pub order: Vec<String>,
    /// Methods that say where a run may end.
    pub accepting: Vec<u32>,
    /// Methods that always hold, with their names.
    pub invariants: Vec<(String, u32)>,
    /// Methods that formulas may speak of, with their names.
    pub propositions: Vec<(String, u32)>,
    /// Methods that say which states are looked at.
    pub filters: Vec<u32>,
    /// Methods that estimate the distance to what is looked for.
    pub distances: Vec<u32>,
    /// What is written at methods as requirements.
    pub requirements: Vec<(u32, String)>,
}

impl Part {
    /// Whether some action has a start and an end.
    pub fn has_pending(&self) -> bool {
        self.roles.values().any(|role| matches!(role, Role::Start(_, Some(_))))
    }
}

/// Puts parts of one namespace together.
pub fn merge(made: Vec<Made>) -> (Vec<Library>, Vec<Fsm>) {
    let mut libraries: Vec<Library> = Vec::new();
    let mut machines = Vec::new();
    for made in made {
        match made {
            Made::Machine(machine) => machines.push(machine),
            Made::Library(library) => {
                match libraries.iter_mut().find(|known| known.namespace == library.namespace) {
                    Some(known) => match (known.features.as_mut(), library.features) {
                        (Some(known), Some(features)) => known.extend(features),
                        _ => known.features = None,
                    },
                    None => libraries.push(library),
                }
            }
        }
    }
    (libraries, machines)
}

const METHOD_ATTRIBUTES: [&str; 13] = [
    "Action",
    "Split",
    "Domain",
    "Requirement",
    "Requires",
    "StateFilter",
    "StateInvariant",
    "StateProperty",
    "AcceptingStateCondition",
    "TransitionProperty",
    "ExcludeFromState",
    "HideFromViewer",
    "SuppressMessage",
];

/// Finds actions and what is said about states in the classes of a namespace.
pub fn build_part(all: &Declarations, library: &Library, diagnostics: &mut Vec<Diagnostic>) -> Part {
    let namespace = &library.namespace;
    let names = |features: &Vec<Feature>| features.iter().map(|feature| feature.name.clone()).collect();
    let features: Option<Vec<String>> = library.features.as_ref().map(names);
    let mut part = Part { namespace: namespace.clone(), features, ..Part::default() };
    for (index, class) in all.classes.iter().enumerate() {
        let is_chosen = match &part.features {
            None => true,
            Some(chosen) => {
                class.features.is_empty() || class.features.iter().any(|name| chosen.contains(name))
            }
        };
        if class.namespace == *namespace && is_chosen {
            part.classes.push(ClassId(index as u32));
        }
    }
    let mut builder = Builder { all, part, diagnostics };
    builder.check_features(library);
    for class in builder.part.classes.clone() {
        builder.class(class);
    }
    builder.part
}

struct Builder<'a> {
    all: &'a Declarations,
    part: Part,
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl Builder<'_> {
    fn error(&mut self, code: &'static str, message: impl Into<String>, span: Span) {
        self.diagnostics.push(Diagnostic::error(code, message).at(span, ""));
    }

    /// Features of factories that no class has; those of the command line are looked at for all namespaces together.
    fn check_features(&mut self, library: &Library) {
        let known = self.all.features(&library.namespace);
        for feature in library.features.iter().flatten() {
            if let (Some(span), false) = (feature.span, known.contains(&feature.name.as_str())) {
                let message =
                    format!("no class of `{}` has the feature `{}`", library.namespace, feature.name);
                let warning = Diagnostic::warning("csharp::unknown-feature", message).at(span, "");
                self.diagnostics.push(warning);
            }
        }
    }

    fn class(&mut self, class: ClassId) {
        let all = self.all;
        let mut action_names: Vec<&str> = Vec::new();
        for index in &all.classes[class.0 as usize].methods {
            let method = &all.methods[*index];
            self.check_attributes(method);
            for attribute in &method.attributes {
                self.say(*index, method, attribute);
            }
            let actions: Vec<&Attribute> =
                method.attributes.iter().filter(|attribute| attribute.name.text == "Action").collect();
            if actions.is_empty() {
                continue;
            }
            if action_names.contains(&method.name.text.as_str()) {
                let message =
                    format!("`{}` is an action already: actions are not overloaded", method.name.text);
                self.error("csharp::overloaded-action", message, method.name.span);
            }
            action_names.push(&method.name.text);
            if !method.is_static && all.classes[class.0 as usize].instances != Instances::Objects {
                let message = "an action is static, or in a class that derives from `LabeledInstance`";
                self.error("csharp::instance-action", message, method.name.span);
                continue;
            }
            self.check_action_types(method);
            for attribute in actions {
                self.action(*index, method, attribute);
            }
        }
    }

    /// Arguments of actions, and what they give, are values that states can have.
    fn check_action_types(&mut self, method: &Method) {
        let types = method.parameters.iter().map(|one| (&one.ty, one.name.span));
        for (ty, span) in types.chain([(&method.returns, method.name.span)]) {
            if !ty.is_modelling() {
                let message = "arrays, functions and `object` are neither arguments nor results of actions";
                self.error("csharp::action-type", message, span);
            }
        }
    }

    fn check_attributes(&mut self, method: &Method) {
        for attribute in &method.attributes {
            if !METHOD_ATTRIBUTES.contains(&attribute.name.text.as_str()) {
                let message = format!("the attribute `{}` means nothing here", attribute.name.text);
                let warning = Diagnostic::warning("csharp::unknown-attribute", message);
                self.diagnostics.push(warning.at(attribute.name.span, ""));
            }
        }
    }

    /// What an attribute says about states.
    fn say(&mut self, index: usize, method: &Method, attribute: &Attribute) {
        let text = attribute_text(attribute).map(|name| name.text);
        let word = match (attribute.name.text.as_str(), text.as_deref()) {
            ("TransitionProperty", Some(text)) => text,
            ("Requirement", Some(_)) => {
                let texts: Vec<String> = attribute.values.iter().filter_map(constant_text).collect();
                self.part.requirements.push((index as u32, texts.join(": ")));
                return;
            }
            (word, _) => word,
        };
        let index = index as u32;
        let own_name = method.name.text.strip_prefix("get_").unwrap_or(&method.name.text);
        if word == "StateProperty" && own_name == "Distance" {
            self.part.distances.push(index);
            if !method.is_static || !method.parameters.is_empty() || method.returns != Type::Int {
                let message = "`Distance` has to be static and without parameters, and to give `int`";
                self.error("csharp::distance", message, method.name.span);
            }
            return;
        }
        let is_of_states = method.is_static && method.parameters.is_empty() && method.returns == Type::Bool;
        let class = &self.all.classes[method.class.0 as usize].name.text;
        let named = || (format!("{class}.{own_name}"), index);
        match word {
            "AcceptingStateCondition" => self.part.accepting.push(index),
            "StateInvariant" => self.part.invariants.push(named()),
            "StateProperty" if is_of_states => self.part.propositions.push(named()),
            "StateFilter" => self.part.filters.push(index),
            _ => return,
        }
        if !is_of_states {
            let message =
                format!("`{}` has to be static and without parameters, and to give `bool`", method.name.text);
            self.error("csharp::state-predicate", message, method.name.span);
        }
    }

    fn action(&mut self, index: usize, method: &Method, attribute: &Attribute) {
        let text = |name: &str| {
            let named = attribute.named.iter().find(|(key, _)| key.text == name);
            named.and_then(|(_, value)| constant_text(value).map(|text| Name { text, span: value.span }))
        };
        let name = attribute_text(attribute).or_else(|| text("Name")).filter(|name| !name.text.is_empty());
        let (start, finish) = (text("Start"), text("Finish"));
        if start.is_some() != finish.is_some() {
            return self.error(
                "csharp::action-label",
                "`Start` and `Finish` go together",
                attribute.name.span,
            );
        }
        let is_split = attribute_named(method, "Split")
            || method.returns != Type::Void
            || method
                .parameters
                .iter()
                .any(|parameter| matches!(parameter.passing, Passing::Out | Passing::Ref));
        let has_finish = is_split || finish.is_some();
        if has_finish && start.is_none() && name.as_ref().is_some_and(|name| name.text.contains('(')) {
            let message = "an action that gives something names its `Start` and its `Finish`";
            return self.error("csharp::action-label", message, attribute.name.span);
        }
        let base = name.unwrap_or_else(|| method.name.clone());
        let (start, finish) = match (start, finish) {
            (Some(start), Some(finish)) => (start, Some(finish)),
            _ if has_finish => {
                let with = |end: &str| Name { text: format!("{}{end}", base.text), span: base.span };
                (with("_Start"), Some(with("_Finish")))
            }
            _ => (base, None),
        };
        self.enter(index, method, &start, finish.as_ref());
    }

    fn enter(&mut self, index: usize, method: &Method, start: &Name, finish: Option<&Name>) {
        let Some((symbol, places)) = self.places(method, start) else { return };
        let mut outcomes = None;
        let mut end = None;
        if let Some(finish) = finish {
            let Some((name, found)) = self.outcomes(method, finish) else { return };
            outcomes = Some(found);
            if matches!(self.part.roles.get(&name), Some(Role::Start(..))) {
                let message = format!("`{name}` is an action that starts something already");
                return self.error("csharp::action-label", message, finish.span);
            }
            if self.part.roles.insert(name.clone(), Role::Finish).is_none() {
                self.part.order.push(name.clone());
            }
            end = Some(name);
        }
        let mut domains = Vec::new();
        let mut creates = Vec::new();
        for (position, place) in places.iter().enumerate() {
            let domain = self.domain(method, *place);
            if let Some(Domain::New(class)) = &domain {
                creates.push((position, *class));
            }
            domains.push(domain);
        }
        let conditions = self.conditions(method);
        let span = method.name.span;
        let action =
            ActionMethod { method: index as u32, places, domains, conditions, outcomes, creates, span };
        match self.part.roles.get_mut(&symbol) {
            Some(Role::Finish) => {
                let message = format!("`{symbol}` ends another action already");
                self.error("csharp::action-label", message, start.span);
            }
            Some(Role::Start(methods, known)) => {
                if methods.first().is_some_and(|first| first.places.len() != action.places.len()) {
                    let message = format!("`{symbol}` has another number of arguments elsewhere");
                    return self.error("csharp::action-label", message, start.span);
                }
                let types = |action: &ActionMethod| -> Vec<Option<Type>> {
                    let method = &self.all.methods[action.method as usize];
                    let of = |place: &Place| match place {
                        Place::Any => None,
                        Place::This => Some(Type::Class(method.class)),
                        Place::Parameter(place) => Some(method.parameters[*place].ty.clone()),
                    };
                    action.places.iter().map(of).collect()
                };
                let new = types(&action);
                let differs = |other: &ActionMethod| {
                    let mut pairs = types(other).into_iter().zip(&new);
                    pairs.any(|pair| matches!(pair, (Some(one), Some(other)) if !one.same(other)))
                };
                if methods.iter().any(differs) {
                    let message = format!("`{symbol}` has arguments of other types elsewhere");
                    return self.error("csharp::action-label", message, start.span);
                }
                if known.is_some() && end.is_some() && *known != end {
                    let message = format!("`{symbol}` has another end elsewhere");
                    return self.error("csharp::action-label", message, start.span);
                }
                methods.push(action);
                *known = known.take().or(end);
            }
            None => {
                self.part.order.push(symbol.clone());
                self.part.roles.insert(symbol, Role::Start(vec![action], end));
            }
        }
    }

    /// A label such as `Send(_, m)`: the name, and its arguments as names.
    fn label(&mut self, label: &Name) -> Option<(String, Option<Vec<Option<String>>>)> {
        if !label.text.contains('(') {
            return Some((label.text.clone(), None));
        }
        let term = match parse_term(&label.text, label.span) {
            Ok(term) => term,
            Err(diagnostic) => {
                self.diagnostics.push(*diagnostic);
                return None;
            }
        };
        let TermKind::Compound(name, arguments) = term.kind else { return None };
        let mut names = Vec::new();
        for argument in arguments {
            names.push(match argument.kind {
                TermKind::Any => None,
                TermKind::Compound(name, inner) if inner.is_empty() => Some(name),
                _ => {
                    let message = "arguments of a label are names of parameters, or `_`";
                    self.error("csharp::action-label", message, label.span);
                    return None;
                }
            });
        }
        Some((name, Some(names)))
    }

    fn places(&mut self, method: &Method, label: &Name) -> Option<(String, Vec<Place>)> {
        let (symbol, names) = self.label(label)?;
        let is_input =
            |(_, parameter): &(usize, &crate::declare::ParameterInfo)| parameter.passing != Passing::Out;
        let inputs = method.parameters.iter().enumerate().filter(is_input);
        let Some(names) = names else {
            let this = (!method.is_static).then_some(Place::This);
            let places = this.into_iter().chain(inputs.map(|(place, _)| Place::Parameter(place))).collect();
            return Some((symbol, places));
        };
        let inputs: Vec<(usize, &str)> =
            inputs.map(|(place, parameter)| (place, parameter.name.text.as_str())).collect();
        let mut places = Vec::new();
        for name in names {
            let is_twice = |place: &Place| *place != Place::Any && places.contains(place);
            let place = match name.as_deref() {
                None => Place::Any,
                Some("this") if !method.is_static => Place::This,
                Some(name) => match inputs.iter().find(|(_, known)| *known == name) {
                    Some((place, _)) => Place::Parameter(*place),
                    None => {
                        let message = format!("`{}` has no parameter `{name}`", method.name.text);
                        self.error("csharp::action-label", message, label.span);
                        return None;
                    }
                },
            };
            if is_twice(&place) {
                let message = format!("the label mentions `{}` twice", name.unwrap_or_default());
                self.error("csharp::action-label", message, label.span);
                return None;
            }
            places.push(place);
        }
        for (place, name) in inputs {
            if !places.contains(&Place::Parameter(place)) {
                let message = format!("the label does not mention `{name}`");
                self.error("csharp::action-label", message, label.span);
            }
        }
        if !method.is_static && !places.contains(&Place::This) {
            self.error("csharp::action-label", "the label does not mention `this`", label.span);
        }
        Some((symbol, places))
    }

    fn outcomes(&mut self, method: &Method, label: &Name) -> Option<(String, Vec<Outcome>)> {
        let (symbol, names) = self.label(label)?;
        let parameters = method.parameters.iter().enumerate();
        let Some(names) = names else {
            let is_output = |passing: Passing| matches!(passing, Passing::Out | Passing::Ref);
            let result = (method.returns != Type::Void).then_some(Outcome::Result);
            let outputs = parameters.filter(|(_, parameter)| is_output(parameter.passing));
            let outputs = outputs.map(|(place, _)| Outcome::Parameter(place));
            return Some((symbol, result.into_iter().chain(outputs).collect()));
        };
        let known: Vec<(usize, &str)> =
            parameters.map(|(place, one)| (place, one.name.text.as_str())).collect();
        let mut outcomes = Vec::new();
        for name in names {
            outcomes.push(match name.as_deref() {
                None => Outcome::Any,
                Some("result") if method.returns != Type::Void => Outcome::Result,
                Some(name) => match known.iter().find(|(_, known)| *known == name) {
                    Some((place, _)) => Outcome::Parameter(*place),
                    None => {
                        let message = format!("`{}` gives no `{name}`", method.name.text);
                        self.error("csharp::action-label", message, label.span);
                        return None;
                    }
                },
            });
        }
        Some((symbol, outcomes))
    }

    fn domain(&mut self, method: &Method, place: Place) -> Option<Domain> {
        let (name, ty) = match place {
            Place::Any => return Some(Domain::Any),
            Place::This => {
                let own = attribute(&method.attributes, "Domain").and_then(attribute_text);
                let name = own.or_else(|| self.all.classes[method.class.0 as usize].domain.clone());
                (name, Type::Class(method.class))
            }
            Place::Parameter(place) => {
                let parameter = &method.parameters[place];
                (parameter.domain.clone(), parameter.ty.clone())
            }
        };
        let Some(name) = name else {
            return matches!(ty, Type::Bool | Type::Enum(_)).then_some(Domain::Type(ty));
        };
        if name.text == "new" {
            return match ty {
                Type::Class(class) if self.all.classes[class.0 as usize].instances == Instances::Objects => {
                    Some(Domain::New(class))
                }
                _ => {
                    self.error("csharp::domain", "only objects can be new", name.span);
                    None
                }
            };
        }
        self.named_domain(method.class, &name, &ty)
    }

    fn named_domain(&mut self, class: ClassId, name: &Name, ty: &Type) -> Option<Domain> {
        let all = self.all;
        let methods = all.methods(class, &name.text).into_iter();
        let getters = all.methods(class, &format!("get_{}", name.text));
        let found = methods.chain(getters).next();
        let (domain, given, is_usable) = if let Some(method) = found {
            let known = &all.methods[method];
            let is_usable = known.is_static && known.parameters.is_empty();
            (Domain::Method(method as u32), known.returns.clone(), is_usable)
        } else if let Some(field) = all.field(class, &name.text) {
            let known = &all.fields[field];
            (Domain::Field(field as u32), known.ty.clone(), known.is_static)
        } else {
            let message = format!("there is no `{}` to take values from", name.text);
            self.error("csharp::domain", message, name.span);
            return None;
        };
        if !is_usable {
            let message = format!("`{}` has to be static and without parameters", name.text);
            self.error("csharp::domain", message, name.span);
            return None;
        }
        if !given.element().is_some_and(|element| element.fits(ty)) {
            let message = format!("the members of `{}` are not of the type of the parameter", name.text);
            self.error("csharp::domain", message, name.span);
            return None;
        }
        Some(domain)
    }

    /// The conditions that `[Requires]` names, all of which are there.
    fn required(&mut self, method: &Method) -> Vec<String> {
        let known = |name: &str| {
            let of_class = |name: &str| !self.all.methods(method.class, name).is_empty();
            of_class(name) || of_class(&format!("get_{name}"))
        };
        let (mut required, mut wrong) = (Vec::new(), Vec::new());
        for attribute in method.attributes.iter().filter(|attribute| attribute.name.text == "Requires") {
            match attribute_text(attribute) {
                Some(name) if known(&name.text) => required.push(name.text),
                Some(name) => {
                    let class = &self.all.classes[method.class.0 as usize].name.text;
                    wrong.push((format!("`{class}` has no condition `{}`", name.text), name.span));
                }
                None => wrong.push(("`[Requires]` names a condition".to_string(), attribute.name.span)),
            }
        }
        for (message, span) in wrong {
            self.error("csharp::condition", message, span);
        }
        required
    }

    fn conditions(&mut self, method: &Method) -> Vec<Condition> {
        let all = self.all;
        let enabled = format!("{}Enabled", method.name.text);
        let required = self.required(method);
        let mut conditions = Vec::new();
        for index in &all.classes[method.class.0 as usize].methods {
            let known = &all.methods[*index];
            let name = known.name.text.strip_prefix("get_").unwrap_or(&known.name.text);
            let is_named = name.trim_end_matches(|digit: char| digit.is_ascii_digit()) == enabled;
            if !is_named && !required.iter().any(|required| required == name) {
                continue;
            }
            if known.returns != Type::Bool {
                self.error("csharp::condition", "a condition gives `bool`", known.name.span);
                continue;
            }
            let inputs = method.parameters.iter().filter(|parameter| parameter.passing != Passing::Out);
            let inputs: Vec<Type> = inputs.map(|parameter| parameter.ty.clone()).collect();
            let wanted: Vec<Type> = known.parameters.iter().map(|parameter| parameter.ty.clone()).collect();
            let is_of_instance = !known.is_static;
            let passes_this = known.is_static
                && !method.is_static
                && wanted.first().is_some_and(|first| *first == Type::Class(method.class));
            let offered: Vec<Type> = if passes_this {
                [Type::Class(method.class)].into_iter().chain(inputs).collect()
            } else {
                inputs
            };
            let is_prefix = wanted.len() <= offered.len()
                && wanted.iter().zip(&offered).all(|(wanted, given)| wanted.same(given));
            if !is_prefix || (is_of_instance && method.is_static) {
                let message = format!("the parameters are not the first ones of `{}`", method.name.text);
                self.error("csharp::condition", message, known.name.span);
                continue;
            }
            let method = *index as u32;
            conditions.push(Condition { method, passes_this, is_of_instance, n_parameters: wanted.len() });
        }
        conditions
    }
}

fn attribute_named(method: &Method, name: &str) -> bool {
    attribute(&method.attributes, name).is_some()
}
