//! Terms of state machines as values, and whether they fit the actions of the programs that a machine is composed with.
//!
//! A machine may leave arguments open, all of them or the last ones. It may not have more of them than every program, nor values that no
//! program can ever pass: such a step would never happen, and nobody would notice.

use fathom_source::Diagnostic;

use crate::compile::Compiler;
use crate::declare::{Declarations, Instances, element_place};
use crate::fsm::{Fsm, Term, TermKind, Transition};
use crate::model::{ActionMethod, Outcome, Place, Role};
use crate::program::Component;
use crate::types::{EnumId, Shown, Type};
use crate::unit::Unit;
use crate::value::Value;

/// Elements in terms are named like those in the program.
pub(crate) fn name_terms(all: &Declarations, machines: &[Fsm], compiler: &mut Compiler<'_>) {
    let transitions = machines.iter().flat_map(|machine| &machine.transitions);
    let mut pending: Vec<&Term> = transitions.flat_map(|transition| &transition.arguments).collect();
    while let Some(term) = pending.pop() {
        let TermKind::Compound(name, arguments) = &term.kind else { continue };
        pending.extend(arguments);
        let [Term { kind: TermKind::Text(element), .. }] = &arguments[..] else { continue };
        for (index, known) in all.enums.iter().enumerate() {
            let place = element_place(&known.elements, element);
            if let Some(place) = place.filter(|_| all.kinds[known.kind as usize].0 == *name) {
                compiler.named_elements.insert((EnumId(index as u32), place));
            }
        }
    }
}

/// By transition, its arguments as values.
pub(crate) fn arguments_of(
    machine: &Fsm,
    components: &[Component],
    unit: &Unit,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Vec<Value>> {
    let mut reader = Reader { unit, components, diagnostics, unknown: Vec::new() };
    machine.transitions.iter().map(|transition| reader.transition(transition)).collect()
}

struct Reader<'a> {
    unit: &'a Unit,
    components: &'a [Component],
    diagnostics: &'a mut Vec<Diagnostic>,
    /// Actions that a warning was written about.
    unknown: Vec<String>,
}

impl Reader<'_> {
    fn transition(&mut self, transition: &Transition) -> Vec<Value> {
        let (name, n_given) = (&transition.action, transition.arguments.len());
        let wanted = self.parameters(name);
        match &wanted {
            None if !self.components.is_empty() && !self.unknown.contains(name) => {
                let message = format!("no program has an action `{name}`: it happens in this machine alone");
                let warning = Diagnostic::warning("csharp::machine-action", message).at(transition.span, "");
                self.diagnostics.push(warning);
                self.unknown.push(name.clone());
            }
            Some(wanted) if n_given > wanted.len() => {
                let message = format!("`{name}` has {}, and here are {n_given}", counted(wanted.len()));
                self.diagnostics
                    .push(Diagnostic::error("csharp::machine-arguments", message).at(transition.span, ""));
            }
            Some(wanted) if (1..wanted.len()).contains(&n_given) => {
                let message = format!(
                    "`{name}` has {}: those that are not written may be anything",
                    counted(wanted.len())
                );
                let warning =
                    Diagnostic::warning("csharp::machine-arguments", message).at(transition.span, "");
                self.diagnostics.push(warning);
            }
            _ => (),
        }
        let wanted = wanted.unwrap_or_default();
        let mut values = Vec::new();
        for (place, term) in transition.arguments.iter().enumerate() {
            values.push(self.argument(term, wanted.get(place).and_then(Option::as_ref), name, place));
        }
        values
    }

    fn argument(&mut self, term: &Term, wanted: Option<&Type>, action: &str, place: usize) -> Value {
        let Some(value) = self.value(term) else { return Value::Null };
        let Some(ty) = wanted else { return value };
        fitted(&value, ty, self.unit).unwrap_or_else(|| {
            let shown = Shown(ty, &self.unit.all);
            let number = place + 1;
            let message =
                format!("argument {number} of `{action}` is `{shown}`, and `{}` is none", term.show());
            self.diagnostics.push(Diagnostic::error("csharp::machine-arguments", message).at(term.span, ""));
            value
        })
    }

    /// The types of the arguments of an action, as far as programs say; none if no program has it.
    fn parameters(&self, action: &str) -> Option<Vec<Option<Type>>> {
        let mut all: Option<Vec<Option<Type>>> = None;
        let mut add = |types: Vec<Option<Type>>| {
            let known = all.get_or_insert_with(Vec::new);
            known.resize(known.len().max(types.len()), None);
            for (known, found) in known.iter_mut().zip(types) {
                *known = known.take().or(found);
            }
        };
        for roles in self.components.iter().map(|component| &component.part.roles) {
            for (start, role) in roles {
                let Role::Start(methods, end) = role else { continue };
                for method in methods {
                    if start == action {
                        add(self.inputs(method));
                    }
                    if end.as_deref() == Some(action) {
                        add(self.outcomes(method));
                    }
                }
            }
        }
        all
    }

    fn inputs(&self, action: &ActionMethod) -> Vec<Option<Type>> {
        let method = &self.unit.all.methods[action.method as usize];
        let ty = |place: &Place| match place {
            Place::Any => None,
            Place::This => Some(Type::Class(method.class)),
            Place::Parameter(place) => Some(method.parameters[*place].ty.clone()),
        };
        action.places.iter().map(ty).collect()
    }

    fn outcomes(&self, action: &ActionMethod) -> Vec<Option<Type>> {
        let method = &self.unit.all.methods[action.method as usize];
        let ty = |outcome: &Outcome| match outcome {
            Outcome::Any => None,
            Outcome::Result => Some(method.returns.clone()),
            Outcome::Parameter(place) => Some(method.parameters[*place].ty.clone()),
        };
        action.outcomes.iter().flatten().map(ty).collect()
    }

    fn values(&mut self, terms: &[Term]) -> Vec<Value> {
        terms.iter().filter_map(|term| self.value(term)).collect()
    }

    /// The value of a term; none if a diagnostic says why.
    fn value(&mut self, term: &Term) -> Option<Value> {
        let (name, arguments) = match &term.kind {
            TermKind::Any => return Some(Value::Any),
            TermKind::Int(number) => return Some(Value::Int(*number)),
            TermKind::Double(number) => return Some(Value::double(*number)),
            TermKind::Text(text) => return Some(Value::text(text)),
            TermKind::Compound(name, arguments) => (name.as_str(), &arguments[..]),
        };
        match (name, arguments) {
            ("true" | "True", []) => return Some(Value::Bool(true)),
            ("false" | "False", []) => return Some(Value::Bool(false)),
            ("null", []) => return Some(Value::Null),
            ("Set", _) => return Some(Value::set(self.values(arguments))),
            ("Sequence", _) => return Some(Value::sequence(self.values(arguments))),
            ("Pair" | "Triple", _) => return Some(Value::Tuple(self.values(arguments).into())),
            ("Map" | "Bag", _) if arguments.len().is_multiple_of(2) => {
                let values = self.values(arguments);
                let entries: Vec<(Value, Value)> =
                    values.chunks_exact(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect();
                let Value::Map(entries) = Value::map(entries) else { return None };
                return Some(if name == "Map" { Value::Map(entries) } else { Value::Bag(entries) });
            }
            (_, [Term { kind: TermKind::Text(text), .. }]) if literal(name, text).is_some() => {
                return literal(name, text);
            }
            (_, [Term { kind: TermKind::Text(element), .. }]) => {
                let kinds = self.unit.all.kinds.iter().enumerate().filter(|(_, (known, _))| known == name);
                let mut found = kinds.filter_map(|(kind, (_, elements))| {
                    let place = element_place(elements, element)?;
                    Some(Value::Element(kind as u32, place))
                });
                if let Some(found) = found.next() {
                    return Some(found);
                }
            }
            _ => (),
        }
        let all = &self.unit.all;
        let class = all.classes.iter().position(|class| {
            let name_of_sort = &all.sorts[class.sort as usize].name;
            class.instances != Instances::None && (class.name.text == name || name_of_sort == name)
        });
        match (class, class.map(|class| all.classes[class].instances), arguments) {
            (Some(class), Some(Instances::Values), _) => {
                return Some(Value::Compound(class as u32, self.values(arguments).into()));
            }
            // Objects are counted from 1 there, and from 0 here.
            (Some(class), _, [Term { kind: TermKind::Int(number), .. }]) => {
                if let Some(number) = number.checked_sub(1).and_then(|number| u32::try_from(number).ok()) {
                    return Some(Value::Object(all.classes[class].sort, number));
                }
            }
            _ => (),
        }
        let message = format!("`{}` is no value that a machine can name", term.show());
        self.diagnostics.push(Diagnostic::error("csharp::fsm", message).at(term.span, ""));
        None
    }
}

/// A value of a type of the language with its type: `double("99.9")`.
fn literal(ty: &str, text: &str) -> Option<Value> {
    match ty {
        "double" | "float" => text.parse().ok().filter(|number: &f64| number.is_finite()).map(Value::double),
        "int" | "long" | "short" | "byte" => text.parse().ok().map(Value::Int),
        "bool" => text.to_ascii_lowercase().parse().ok().map(Value::Bool),
        "string" => Some(Value::text(text)),
        "char" => {
            let mut characters = text.chars();
            characters.next().filter(|_| characters.next().is_none()).map(Value::Char)
        }
        _ => None,
    }
}

fn counted(n_arguments: usize) -> String {
    match n_arguments {
        0 => "no arguments".to_string(),
        1 => "one argument".to_string(),
        more => format!("{more} arguments"),
    }
}

/// A value as one of a type, if it can be one.
fn fitted(value: &Value, ty: &Type, unit: &Unit) -> Option<Value> {
    let all = |values: &[Value], ty: &Type| -> Option<Vec<Value>> {
        values.iter().map(|value| fitted(value, ty, unit)).collect()
    };
    let entries = |entries: &[(Value, Value)], key: &Type, of: &Type| -> Option<Vec<(Value, Value)>> {
        entries.iter().map(|(one, other)| Some((fitted(one, key, unit)?, fitted(other, of, unit)?))).collect()
    };
    match (value, ty) {
        (Value::Any, _) | (_, Type::Unknown | Type::Object) => Some(value.clone()),
        (Value::Null, ty) => ty.has_null().then_some(Value::Null),
        (value, Type::Nullable(inner)) => fitted(value, inner, unit),
        (Value::Bool(_), Type::Bool) | (Value::Text(_), Type::Text) | (Value::Char(_), Type::Char) => {
            Some(value.clone())
        }
        (Value::Int(number), Type::Int) => i32::try_from(*number).ok().map(|_| value.clone()),
        (Value::Int(_), Type::Long) | (Value::Double(_), Type::Double) => Some(value.clone()),
        (Value::Int(number), Type::Double) => Some(Value::double(*number as f64)),
        (Value::Text(text), Type::Char) => {
            let mut characters = text.chars();
            characters.next().filter(|_| characters.next().is_none()).map(Value::Char)
        }
        (Value::Element(kind, _), Type::Enum(id)) => {
            (unit.all.enums[id.0 as usize].kind == *kind).then(|| value.clone())
        }
        (Value::Object(sort, _), Type::Class(id)) => {
            (unit.all.classes[id.0 as usize].sort == *sort).then(|| value.clone())
        }
        (Value::Compound(class, parts), Type::Class(id)) if *class == id.0 => {
            let fields = unit.all.instance_fields(*id);
            let pairs = parts.iter().zip(&fields);
            let parts: Option<Vec<Value>> =
                pairs.map(|(part, field)| fitted(part, &unit.all.fields[*field].ty, unit)).collect();
            parts
                .filter(|parts| parts.len() == fields.len())
                .map(|parts| Value::Compound(*class, parts.into()))
        }
        (Value::Set(members), Type::Set(of)) => all(members, of).map(Value::set),
        (Value::Sequence(members), Type::Sequence(of)) => all(members, of).map(Value::sequence),
        (Value::Tuple(parts), Type::Tuple(types)) if parts.len() == types.len() => {
            let parts: Option<Vec<Value>> =
                parts.iter().zip(types).map(|(part, ty)| fitted(part, ty, unit)).collect();
            parts.map(|parts| Value::Tuple(parts.into()))
        }
        (Value::Map(found), Type::Map(key, of)) => entries(found, key, of).map(Value::map),
        (Value::Bag(found), Type::Bag(of)) => match Value::map(entries(found, of, &Type::Int)?) {
            Value::Map(found) => Some(Value::Bag(found)),
            _ => None,
        },
        _ => None,
    }
}
