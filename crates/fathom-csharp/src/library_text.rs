//! The members of texts, characters and numbers: what they want and what they give.

use crate::code::Library;
use crate::library::{Known, known};
use crate::types::Type;

/// The ways to call a method of a text, with any number of arguments.
pub(crate) fn text_methods(ty: &Type, name: &str) -> Vec<Known> {
    if *ty != Type::Text {
        return Vec::new();
    }
    let (text, character, number) = (Type::Text, Type::Char, Type::Int);
    let (library, ways, result): (Library, Vec<Vec<Type>>, Type) = match name {
        "Contains" => (Library::Contains, vec![vec![text], vec![character]], Type::Bool),
        "StartsWith" => (Library::StartsWith, vec![vec![text], vec![character]], Type::Bool),
        "EndsWith" => (Library::EndsWith, vec![vec![text], vec![character]], Type::Bool),
        "IndexOf" => {
            let from = [vec![Type::Text, number.clone()], vec![Type::Char, number]];
            let ways = [vec![text], vec![character]].into_iter().chain(from).collect();
            (Library::IndexOf, ways, Type::Int)
        }
        "LastIndexOf" => (Library::LastIndexOf, vec![vec![text], vec![character]], Type::Int),
        "Replace" => {
            (Library::Replace, vec![vec![text.clone(), text], vec![character.clone(), character]], Type::Text)
        }
        "Insert" => (Library::Insert, vec![vec![number, text]], Type::Text),
        "Substring" => {
            (Library::Substring, vec![vec![number.clone()], vec![number.clone(), number]], Type::Text)
        }
        "Remove" => (Library::Remove, vec![vec![number.clone()], vec![number.clone(), number]], Type::Text),
        "PadLeft" => (Library::PadLeft, vec![vec![number.clone()], vec![number, character]], Type::Text),
        "PadRight" => (Library::PadRight, vec![vec![number.clone()], vec![number, character]], Type::Text),
        "ToUpper" | "ToUpperInvariant" => (Library::ToUpper, vec![Vec::new()], Type::Text),
        "ToLower" | "ToLowerInvariant" => (Library::ToLower, vec![Vec::new()], Type::Text),
        "Trim" => (Library::Trim, vec![Vec::new()], Type::Text),
        "TrimStart" => (Library::TrimStart, vec![Vec::new()], Type::Text),
        "TrimEnd" => (Library::TrimEnd, vec![Vec::new()], Type::Text),
        "ToCharArray" => (Library::AsArray, vec![Vec::new()], Type::Array(Box::new(character))),
        "Split" => {
            let several = (0..=4).map(|count| vec![Type::Char; count]);
            let array = vec![Type::Array(Box::new(character))];
            let ways = several.chain([vec![text], array]).collect();
            (Library::Split, ways, Type::Array(Box::new(Type::Text)))
        }
        _ => return Vec::new(),
    };
    ways.into_iter().filter_map(|parameters| known(library, parameters, result.clone())).collect()
}

/// A static method of a basic type or of a class of the library.
pub(crate) fn static_method(class: &str, name: &str, n_arguments: usize) -> Option<Known> {
    let character = || vec![Type::Char];
    match (class, name, n_arguments) {
        ("string", "IsNullOrEmpty", 1) => known(Library::IsNullOrEmpty, vec![Type::Text], Type::Bool),
        ("string", "IsNullOrWhiteSpace", 1) => {
            known(Library::IsNullOrWhiteSpace, vec![Type::Text], Type::Bool)
        }
        ("string", "CompareOrdinal", 2) => known(Library::CompareOrdinal, vec![Type::Text; 2], Type::Int),
        ("string", "Format", 1..) => {
            let values = vec![Type::Object; n_arguments - 1];
            known(Library::Format, [vec![Type::Text], values].concat(), Type::Text)
        }
        ("string", "Join", 2..) => {
            let values = vec![Type::Object; n_arguments - 1];
            known(Library::Join, [vec![Type::Text], values].concat(), Type::Text)
        }
        ("double", "Parse", 1) => known(Library::ParseDouble, vec![Type::Text], Type::Double),
        ("int", "Parse", 1) => known(Library::ParseInt, vec![Type::Text], Type::Int),
        ("char", "IsDigit", 1) => known(Library::IsDigit, character(), Type::Bool),
        ("char", "IsLetter", 1) => known(Library::IsLetter, character(), Type::Bool),
        ("char", "IsLetterOrDigit", 1) => known(Library::IsLetterOrDigit, character(), Type::Bool),
        ("char", "IsUpper", 1) => known(Library::IsUpper, character(), Type::Bool),
        ("char", "IsLower", 1) => known(Library::IsLower, character(), Type::Bool),
        ("char", "IsWhiteSpace", 1) => known(Library::IsWhiteSpace, character(), Type::Bool),
        ("char", "ToUpper" | "ToUpperInvariant", 1) => known(Library::ToUpper, character(), Type::Char),
        ("char", "ToLower" | "ToLowerInvariant", 1) => known(Library::ToLower, character(), Type::Char),
        ("Console", "Write" | "WriteLine", n) => known(Library::Ignore, vec![Type::Object; n], Type::Void),
        _ => None,
    }
}
