//! The members of NModel's collections and of the few basic types that model programs use: what they want and what they give.

use crate::code::Library;
use crate::types::Type;

/// A member of a type.
pub struct Known {
    /// What it does.
    pub member: Library,
    /// What it wants.
    pub parameters: Vec<Type>,
    /// What it gives; of `Convert`, what its function gives decides.
    pub result: Type,
}

fn known(library: Library, parameters: Vec<Type>, result: Type) -> Option<Known> {
    Some(Known { member: library, parameters, result })
}

fn predicate(element: &Type) -> Type {
    Type::Function(vec![element.clone()], Box::new(Type::Bool))
}

/// A property.
pub fn property(ty: &Type, name: &str) -> Option<Known> {
    let none = Vec::new;
    match (ty, name) {
        (Type::Set(_) | Type::Bag(_) | Type::Sequence(_) | Type::Map(..), "Count") => {
            known(Library::Count, none(), Type::Int)
        }
        (Type::Set(_) | Type::Bag(_) | Type::Sequence(_) | Type::Map(..), "IsEmpty") => {
            known(Library::IsEmpty, none(), Type::Bool)
        }
        (Type::Map(key, _), "Keys") => known(Library::Keys, none(), Type::Set(key.clone())),
        (Type::Map(_, value), "Values") => known(Library::Values, none(), Type::Set(value.clone())),
        (Type::Bag(element), "Keys") => known(Library::Keys, none(), Type::Set(element.clone())),
        (Type::Bag(_), "CountUnique") => known(Library::CountUnique, none(), Type::Int),
        (Type::Sequence(element), "Head") => known(Library::Head, none(), (**element).clone()),
        (Type::Sequence(element), "Last") => known(Library::Last, none(), (**element).clone()),
        (Type::Sequence(_), "Tail") => known(Library::Tail, none(), ty.clone()),
        (Type::Sequence(_), "Front") => known(Library::Front, none(), ty.clone()),
        (Type::Tuple(parts), _) => {
            let place = ["First", "Second", "Third"].iter().position(|known| *known == name)?;
            known(Library::Item(place as u8), none(), parts.get(place)?.clone())
        }
        (Type::Text, "Length") => known(Library::Length, none(), Type::Int),
        (Type::Nullable(_), "HasValue") => known(Library::HasValue, none(), Type::Bool),
        (Type::Nullable(inner), "Value") => known(Library::Unwrap, none(), (**inner).clone()),
        (Type::Exception, "Message") => known(Library::ToText, none(), Type::Text),
        _ => None,
    }
}

/// The ways to call a method, the likely one first.
pub fn methods(ty: &Type, name: &str, n_arguments: usize) -> Vec<Known> {
    let all = [
        set_method(ty, name),
        map_method(ty, name, n_arguments),
        bag_method(ty, name),
        sequence_method(ty, name),
        collection_method(ty, name, n_arguments),
        text_method(ty, name, n_arguments),
    ];
    let overridden = match (ty, name, n_arguments) {
        (Type::Map(..), "Override", 1) => known(Library::OverrideAll, vec![ty.clone()], ty.clone()),
        (Type::Map(key, value), "Override", 2) => {
            let update = Type::Function(vec![(**value).clone()], value.clone());
            known(Library::OverrideWith, vec![(**key).clone(), update], ty.clone())
        }
        _ => None,
    };
    let fits = |known: &Known| known.parameters.len() == n_arguments;
    all.into_iter().chain([overridden]).flatten().filter(fits).collect()
}

fn set_method(ty: &Type, name: &str) -> Option<Known> {
    let Type::Set(element) = ty else { return None };
    let (one, all) = (vec![(**element).clone()], vec![ty.clone()]);
    match name {
        "Add" => known(Library::Add, one, ty.clone()),
        "Remove" => known(Library::Remove, one, ty.clone()),
        "Union" => known(Library::Union, all, ty.clone()),
        "Intersect" => known(Library::Intersect, all, ty.clone()),
        "Difference" => known(Library::Difference, all, ty.clone()),
        "IsSubsetOf" => known(Library::IsSubset, all, Type::Bool),
        "IsProperSubsetOf" => known(Library::IsProperSubset, all, Type::Bool),
        "IsSupersetOf" => known(Library::IsSuperset, all, Type::Bool),
        "IsProperSupersetOf" => known(Library::IsProperSuperset, all, Type::Bool),
        _ => None,
    }
}

fn map_method(ty: &Type, name: &str, n_arguments: usize) -> Option<Known> {
    let Type::Map(key, value) = ty else { return None };
    let (key, value) = ((**key).clone(), (**value).clone());
    match (name, n_arguments) {
        ("Add", 2) => known(Library::MapAdd, vec![key, value], ty.clone()),
        ("Add", 1) => known(Library::MapAdd, vec![Type::Tuple(vec![key, value])], ty.clone()),
        ("Override", 2) => known(Library::Override, vec![key, value], ty.clone()),
        ("Override", 1) => known(Library::Override, vec![Type::Tuple(vec![key, value])], ty.clone()),
        ("RemoveKey", _) => known(Library::RemoveKey, vec![key], ty.clone()),
        ("Remove", _) => known(Library::RemovePair, vec![Type::Tuple(vec![key, value])], ty.clone()),
        ("ContainsKey", _) => known(Library::ContainsKey, vec![key], Type::Bool),
        ("Merge", _) => known(Library::Merge, vec![ty.clone()], ty.clone()),
        ("Intersect", _) => known(Library::Intersect, vec![ty.clone()], ty.clone()),
        ("Difference", _) => known(Library::Difference, vec![ty.clone()], ty.clone()),
        ("RestrictKeys", _) => {
            known(Library::RestrictKeys, vec![Type::Enumerable(Box::new(key))], ty.clone())
        }
        ("RestrictValues", _) => {
            known(Library::RestrictValues, vec![Type::Enumerable(Box::new(value))], ty.clone())
        }
        _ => None,
    }
}

fn bag_method(ty: &Type, name: &str) -> Option<Known> {
    let Type::Bag(element) = ty else { return None };
    let (one, all) = (vec![(**element).clone()], vec![ty.clone()]);
    match name {
        "Add" => known(Library::Add, one, ty.clone()),
        "Remove" => known(Library::Remove, one, ty.clone()),
        "RemoveAll" => known(Library::RemoveAll, one, ty.clone()),
        "CountItem" => known(Library::CountItem, one, Type::Int),
        "Union" => known(Library::Union, all, ty.clone()),
        "Intersect" => known(Library::Intersect, all, ty.clone()),
        "Difference" => known(Library::Difference, all, ty.clone()),
        _ => None,
    }
}

fn sequence_method(ty: &Type, name: &str) -> Option<Known> {
    let Type::Sequence(element) = ty else { return None };
    let (one, all) = (vec![(**element).clone()], vec![ty.clone()]);
    match name {
        "AddFirst" => known(Library::AddFirst, one, ty.clone()),
        "AddLast" => known(Library::AddLast, one, ty.clone()),
        "Remove" => known(Library::Remove, one, ty.clone()),
        "Concatentate" | "Concatenate" => known(Library::Concatenate, all, ty.clone()),
        "Difference" => known(Library::Difference, all, ty.clone()),
        "IsPrefixOf" => known(Library::IsPrefix, all, Type::Bool),
        "Reverse" => known(Library::Reverse, Vec::new(), ty.clone()),
        "IndexOf" => known(Library::IndexOf, one, Type::Int),
        "LastIndexOf" => known(Library::LastIndexOf, one, Type::Int),
        _ => None,
    }
}

fn collection_method(ty: &Type, name: &str, n_arguments: usize) -> Option<Known> {
    let is_collection = matches!(ty, Type::Set(_) | Type::Bag(_) | Type::Sequence(_) | Type::Map(..));
    let element = ty.element().filter(|_| is_collection)?;
    let test = predicate(&element);
    match name {
        "Contains" => known(Library::Contains, vec![element], Type::Bool),
        "Exists" => known(Library::Exists, vec![test], Type::Bool),
        "Forall" | "ForAll" | "All" => known(Library::ForAll, vec![test], Type::Bool),
        "Select" => known(Library::Select, vec![test], ty.clone()),
        "Choose" if n_arguments == 0 => known(Library::Choose, Vec::new(), element),
        "Choose" => known(Library::Choose, vec![Type::Int], element),
        "Minimum" => known(Library::Minimum, Vec::new(), element),
        "Maximum" => known(Library::Maximum, Vec::new(), element),
        "Convert" => {
            let convert = Type::Function(vec![element], Box::new(Type::Unknown));
            let result = Box::new(Type::Unknown);
            let result = match ty {
                Type::Set(_) => Type::Set(result),
                Type::Bag(_) => Type::Bag(result),
                Type::Sequence(_) => Type::Sequence(result),
                _ => return None,
            };
            known(Library::Convert, vec![convert], result)
        }
        _ => None,
    }
}

fn text_method(ty: &Type, name: &str, n_arguments: usize) -> Option<Known> {
    if *ty != Type::Text {
        return None;
    }
    let one = vec![Type::Text];
    match name {
        "Contains" => known(Library::Contains, one, Type::Bool),
        "StartsWith" => known(Library::StartsWith, one, Type::Bool),
        "EndsWith" => known(Library::EndsWith, one, Type::Bool),
        "IndexOf" => known(Library::IndexOf, one, Type::Int),
        "Substring" => known(Library::Substring, vec![Type::Int; n_arguments.clamp(1, 2)], Type::Text),
        "ToUpper" => known(Library::ToUpper, Vec::new(), Type::Text),
        "ToLower" => known(Library::ToLower, Vec::new(), Type::Text),
        "Trim" => known(Library::Trim, Vec::new(), Type::Text),
        _ => None,
    }
}

/// What a type itself has: `Set<int>.EmptySet`, `double.MaxValue`.
pub enum OfType {
    /// A collection without members.
    Empty,
    /// A number or a text.
    Constant(crate::value::Value, Type),
}

/// A static property of a type.
pub fn static_property(ty: &Type, name: &str) -> Option<OfType> {
    use crate::value::Value;
    Some(match (ty, name) {
        (Type::Set(_), "EmptySet")
        | (Type::Map(..), "EmptyMap")
        | (Type::Bag(_), "EmptyBag")
        | (Type::Sequence(_), "EmptySequence") => OfType::Empty,
        (Type::Int, "MaxValue") => OfType::Constant(Value::Int(i64::from(i32::MAX)), Type::Int),
        (Type::Int, "MinValue") => OfType::Constant(Value::Int(i64::from(i32::MIN)), Type::Int),
        (Type::Long, "MaxValue") => OfType::Constant(Value::Int(i64::MAX), Type::Long),
        (Type::Long, "MinValue") => OfType::Constant(Value::Int(i64::MIN), Type::Long),
        (Type::Double, "MaxValue") => OfType::Constant(Value::double(f64::MAX), Type::Double),
        (Type::Double, "MinValue") => OfType::Constant(Value::double(f64::MIN), Type::Double),
        (Type::Text, "Empty") => OfType::Constant(Value::text(""), Type::Text),
        _ => return None,
    })
}

/// A static method of a type or of a class of the library.
pub fn static_method(class: &str, name: &str, n_arguments: usize) -> Option<Known> {
    match (class, name, n_arguments) {
        ("string", "IsNullOrEmpty", 1) => known(Library::IsNullOrEmpty, vec![Type::Text], Type::Bool),
        ("double", "Parse", 1) => known(Library::ParseDouble, vec![Type::Text], Type::Double),
        ("int", "Parse", 1) => known(Library::ParseInt, vec![Type::Text], Type::Int),
        ("Console", "Write" | "WriteLine", n) => known(Library::Ignore, vec![Type::Object; n], Type::Void),
        _ => None,
    }
}
