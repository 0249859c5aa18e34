//! The members of NModel's collections and of values that may be null: what they want and what they give.

use crate::code::Library;
use crate::library_text::text_methods;
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

pub(crate) fn known(library: Library, parameters: Vec<Type>, result: Type) -> Option<Known> {
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
        (Type::Set(_), "CountSubsets") => known(Library::CountSubsets, none(), Type::Int),
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
        (Type::Exception, "Message") => known(Library::Item(1), none(), Type::Text),
        _ => None,
    }
}

/// The ways to call a method, the likely one first.
pub fn methods(ty: &Type, name: &str, n_arguments: usize) -> Vec<Known> {
    let all = [
        set_method(ty, name, n_arguments),
        map_method(ty, name, n_arguments),
        bag_method(ty, name),
        sequence_method(ty, name),
        collection_method(ty, name, n_arguments),
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
    all.into_iter().chain([overridden]).flatten().chain(text_methods(ty, name)).filter(fits).collect()
}

fn set_method(ty: &Type, name: &str, n_arguments: usize) -> Option<Known> {
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
        "ChooseSubset" => known(Library::ChooseSubset, vec![Type::Int; n_arguments.min(1)], ty.clone()),
        "ChooseNonemptySubset" => {
            known(Library::ChooseNonemptySubset, vec![Type::Int; n_arguments.min(1)], ty.clone())
        }
        "AllSubsets" => known(Library::AllSubsets, Vec::new(), Type::Enumerable(Box::new(ty.clone()))),
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
        ("IsSubmapOf", _) => known(Library::IsSubmap, vec![ty.clone()], Type::Bool),
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
        "AddMultiple" => known(Library::AddMultiple, vec![(**element).clone(), Type::Int], ty.clone()),
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
        "ChoosePermutation" => known(Library::ChoosePermutation, vec![Type::Int], ty.clone()),
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
        "ExistsOne" => known(Library::ExistsOne, vec![test], Type::Bool),
        "AsArray" => known(Library::AsArray, Vec::new(), Type::Array(Box::new(element))),
        "CopyTo" => known(Library::CopyTo, vec![Type::Array(Box::new(element)), Type::Int], Type::Void),
        "Forall" | "ForAll" | "All" => known(Library::ForAll, vec![test], Type::Bool),
        "Select" => known(Library::Select, vec![test], ty.clone()),
        "Choose" if n_arguments == 0 => known(Library::Choose, Vec::new(), element),
        "Choose" => known(Library::Choose, vec![Type::Int], element),
        "Minimum" => known(Library::Minimum, Vec::new(), element),
        "Maximum" => known(Library::Maximum, Vec::new(), element),
        "Convert" => {
            let convert = Type::Function(vec![element], Box::new(Type::Unknown));
            known(Library::Convert, vec![convert], of_converted(ty, &Type::Unknown))
        }
        _ => None,
    }
}

/// The type of a collection whose members become others.
pub(crate) fn of_converted(ty: &Type, member: &Type) -> Type {
    let one = || Box::new(member.clone());
    match (ty, member) {
        (Type::Set(_), _) => Type::Set(one()),
        (Type::Bag(_), _) => Type::Bag(one()),
        (Type::Map(..), Type::Tuple(parts)) if parts.len() == 2 => {
            Type::Map(Box::new(parts[0].clone()), Box::new(parts[1].clone()))
        }
        (Type::Map(..), _) => Type::Map(Box::new(Type::Unknown), Box::new(Type::Unknown)),
        _ => Type::Sequence(one()),
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

/// A static method of a type that takes collections of it.
pub fn static_method_of(ty: &Type, name: &str, first: Option<&Type>, second: Option<&Type>) -> Option<Known> {
    let many = || Type::Enumerable(Box::new(ty.clone()));
    match (ty, name) {
        (Type::Set(_), "BigUnion") => known(Library::BigUnion, vec![many()], ty.clone()),
        (Type::Set(_), "BigIntersect") => known(Library::BigIntersect, vec![many()], ty.clone()),
        (Type::Sequence(_), "BigConcatenate") => known(Library::BigConcatenate, vec![many()], ty.clone()),
        (Type::Map(..), "BigMerge") => known(Library::BigMerge, vec![many()], ty.clone()),
        (Type::Map(..), "BigOverride") => known(Library::BigOverride, vec![many()], ty.clone()),
        (Type::Sequence(element), "Zip") => {
            let Type::Sequence(other) = second? else { return None };
            let pair = Type::Tuple(vec![(**element).clone(), (**other).clone()]);
            let other = Type::Sequence(other.clone());
            known(Library::Zip, vec![ty.clone(), other], Type::Sequence(Box::new(pair)))
        }
        (Type::Sequence(element), "Unzip") => {
            let Type::Sequence(pair) = first? else { return None };
            let Type::Tuple(parts) = &**pair else { return None };
            let [one, other] = &parts[..] else { return None };
            let wanted = Type::Sequence(Box::new(Type::Tuple(vec![(**element).clone(), other.clone()])));
            let gives = Type::Tuple(vec![
                Type::Sequence(Box::new(one.clone())),
                Type::Sequence(Box::new(other.clone())),
            ]);
            known(Library::Unzip, vec![wanted], gives)
        }
        _ => None,
    }
}
