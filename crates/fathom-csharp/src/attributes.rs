//! Attributes that are not where they mean something, or do not say what they have to.

use fathom_source::Diagnostic;

use crate::declare::constant_text;
use crate::syntax::{
    Attribute, ClassDeclaration, EnumDeclaration, Expr, ExprKind, Member, MemberKind, TypeDeclaration,
};

/// What an attribute is written at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    Class,
    Enum,
    Field,
    Property,
    Method,
    Parameter,
}

/// Attributes that mean something, with where they do.
const PLACES: [(&str, &[Place]); 15] = [
    ("Action", &[Place::Method]),
    ("Split", &[Place::Method]),
    ("Requires", &[Place::Method]),
    ("Domain", &[Place::Class, Place::Method, Place::Parameter]),
    ("New", &[Place::Parameter]),
    ("StateInvariant", &[Place::Property, Place::Method]),
    ("StateFilter", &[Place::Property, Place::Method]),
    ("AcceptingStateCondition", &[Place::Property, Place::Method]),
    ("StateProperty", &[Place::Property, Place::Method]),
    ("TransitionProperty", &[Place::Property, Place::Method]),
    ("Feature", &[Place::Class]),
    ("Abstract", &[Place::Enum, Place::Class]),
    ("Sort", &[Place::Enum, Place::Class]),
    ("Flags", &[Place::Enum]),
    ("ExcludeFromState", &[Place::Field, Place::Property, Place::Method, Place::Class]),
];

/// What `[TransitionProperty("…")]` may name.
const TRANSITION_PROPERTIES: [&str; 3] = ["StateInvariant", "StateFilter", "AcceptingStateCondition"];

/// Says what is wrong with the attributes of a type and its members.
pub(crate) fn check_type(declared: &TypeDeclaration, diagnostics: &mut Vec<Diagnostic>) {
    match declared {
        TypeDeclaration::Enum(EnumDeclaration { attributes, .. }) => {
            check_all(attributes, Place::Enum, diagnostics);
        }
        TypeDeclaration::Class(ClassDeclaration { attributes, members, .. }) => {
            check_all(attributes, Place::Class, diagnostics);
            members.iter().for_each(|member| check_member(member, diagnostics));
        }
    }
}

fn check_member(member: &Member, diagnostics: &mut Vec<Diagnostic>) {
    let (place, parameters) = match &member.kind {
        MemberKind::Field { .. } => (Place::Field, &[][..]),
        MemberKind::Property { .. } => (Place::Property, &[][..]),
        MemberKind::Method { parameters, .. } | MemberKind::Constructor { parameters, .. } => {
            (Place::Method, &parameters[..])
        }
    };
    check_all(&member.attributes, place, diagnostics);
    for parameter in parameters {
        check_all(&parameter.attributes, Place::Parameter, diagnostics);
    }
}

fn check_all(attributes: &[Attribute], place: Place, diagnostics: &mut Vec<Diagnostic>) {
    for attribute in attributes {
        let name = attribute.name.text.as_str();
        let known = PLACES.iter().find(|(known, _)| *known == name);
        if known.is_some_and(|(_, places)| !places.contains(&place)) {
            let message = format!("`[{name}]` does not belong here: {}", belongs(name));
            let error = Diagnostic::error("csharp::misplaced-attribute", message);
            diagnostics.push(error.at(attribute.name.span, ""));
            continue;
        }
        diagnostics.extend(wrong_values(attribute));
    }
}

/// Where an attribute belongs, in words.
fn belongs(name: &str) -> &'static str {
    match name {
        "Action" | "Split" | "Requires" => "it is for methods that are actions",
        "Domain" => "it is for parameters, and for classes and methods of objects",
        "New" => "it is for parameters",
        "Feature" => "it is for classes",
        "Abstract" | "Sort" => "it is for enumerations and classes",
        "Flags" => "it is for enumerations",
        _ => "it is for methods, and for properties that compute their value",
    }
}

/// What is wrong with the values of an attribute.
fn wrong_values(attribute: &Attribute) -> Option<Diagnostic> {
    let wrong = |code: &'static str, message: &str, at: Option<&Expr>| {
        let span = at.map_or(attribute.name.span, |value| value.span);
        Some(Diagnostic::error(code, message.to_string()).at(span, ""))
    };
    let values = &attribute.values;
    let is_text = |value: &Expr| constant_text(value).is_some();
    match attribute.name.text.as_str() {
        "Feature" if values.len() > 1 || !values.iter().all(is_text) => {
            wrong("csharp::feature", "a feature has one name, which is a text", values.last())
        }
        "Requirement" if values.is_empty() || !values.iter().all(is_text) => wrong(
            "csharp::requirement",
            "a requirement is a text, or two: what it is called, and what it says",
            values.first(),
        ),
        "Domain" | "Requires" if values.len() != 1 || !values.iter().all(is_text) => {
            wrong("csharp::domain", "one name is wanted here, which is a text", values.last())
        }
        "Sort" if !values.iter().all(is_text) => {
            wrong("csharp::sort", "the name of a sort is a text", values.first())
        }
        "Action" => wrong_action(attribute),
        "TransitionProperty" => {
            let text = values.first().and_then(constant_text)?;
            let is_known = TRANSITION_PROPERTIES.contains(&text.as_str());
            let message = format!("the transition property `{text}` means nothing here");
            let warning = Diagnostic::warning("csharp::unknown-attribute", message).at(values[0].span, "");
            (!is_known).then(|| warning.note(format!("those that do: {}", TRANSITION_PROPERTIES.join(", "))))
        }
        _ => None,
    }
}

/// What is wrong with the names of an action.
fn wrong_action(attribute: &Attribute) -> Option<Diagnostic> {
    let label = |message: String, value: &Expr| {
        Some(Diagnostic::error("csharp::action-label", message).at(value.span, ""))
    };
    if let Some(second) = attribute.values.get(1) {
        return label("an action has one label".to_string(), second);
    }
    let named = attribute.named.iter().filter(|(name, _)| name.text != "Weight");
    for value in attribute.values.iter().chain(named.clone().map(|(_, value)| value)) {
        if matches!(&*value.kind, ExprKind::Null) {
            continue;
        }
        let Some(text) = constant_text(value) else {
            return label("the label of an action is a text".to_string(), value);
        };
        let name = text.split('(').next().unwrap_or_default().trim();
        let begins = name.chars().next().is_some_and(|first| first.is_alphabetic() || first == '_');
        if !begins || !name.chars().all(|one| one.is_alphanumeric() || one == '_' || one == '.') {
            return label(format!("`{text}` is no name of an action"), value);
        }
    }
    let unknown = attribute
        .named
        .iter()
        .find(|(name, _)| !["Name", "Start", "Finish", "Weight"].contains(&name.text.as_str()));
    unknown.and_then(|(name, value)| label(format!("an action has no `{}`", name.text), value))
}
