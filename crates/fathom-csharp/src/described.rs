//! What a program is made of, for people: its actions with where the values of their arguments come from, its variables and its features.

use crate::model::{ActionMethod, Domain, Place, Role};
use crate::program::{Model, Symbol};
use crate::types::Shown;

/// Lists of what a program has, with what they are of.
pub(crate) fn parts(model: &Model) -> Vec<(String, Vec<String>)> {
    let mut features: Vec<String> = Vec::new();
    for part in model.components.iter().map(|component| &component.part) {
        for feature in model.unit.all.features(&part.namespace) {
            let is_chosen =
                part.features.as_ref().is_none_or(|chosen| chosen.iter().any(|one| one == feature));
            features.push(if is_chosen { feature.to_string() } else { format!("{feature} (not chosen)") });
        }
    }
    let lists = [
        ("actions", model.symbols.iter().map(|symbol| action(model, symbol)).collect()),
        ("variables of a state", model.variables.clone()),
        ("features", features),
        ("state machines", model.scenarios.iter().map(|one| one.machine.name.clone()).collect()),
    ];
    let lists = lists.into_iter().filter(|(_, list): &(_, Vec<String>)| !list.is_empty());
    lists.map(|(name, list)| (name.to_string(), list)).collect()
}

/// An action: `Take(Thinker t in thinkers, bool b)`.
fn action(model: &Model, symbol: &Symbol) -> String {
    let mut arguments = vec!["_".to_string(); symbol.arity];
    let roles = model.components.iter().filter_map(|component| component.part.roles.get(&symbol.name));
    for role in roles {
        let Role::Start(methods, _) = role else { continue };
        for method in methods {
            for (place, argument) in arguments.iter_mut().enumerate().filter(|(_, argument)| *argument == "_")
            {
                *argument = shown_argument(model, method, place).unwrap_or_else(|| "_".to_string());
            }
        }
    }
    let never = if symbol.lacks_domain { ": never, since an argument has no values" } else { "" };
    format!("{}({}){never}", symbol.name, arguments.join(", "))
}

fn shown_argument(model: &Model, action: &ActionMethod, place: usize) -> Option<String> {
    let all = &model.unit.all;
    let method = &all.methods[action.method as usize];
    let argument = match action.places.get(place)? {
        Place::Any => return None,
        Place::This => format!("{} this", all.classes[method.class.0 as usize].name.text),
        Place::Parameter(parameter) => {
            let parameter = &method.parameters[*parameter];
            format!("{} {}", Shown(&parameter.ty, all), parameter.name.text)
        }
    };
    Some(match action.domains.get(place)? {
        Some(Domain::New(_)) => format!("new {argument}"),
        Some(Domain::Method(domain)) => {
            let name = &all.methods[*domain as usize].name.text;
            format!("{argument} in {}", name.strip_prefix("get_").unwrap_or(name))
        }
        Some(Domain::Field(field)) => format!("{argument} in {}", all.fields[*field as usize].name.text),
        Some(Domain::Type(_) | Domain::Any) | None => argument,
    })
}
