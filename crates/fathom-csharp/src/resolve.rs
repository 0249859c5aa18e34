//! What names of types and members stand for.

use fathom_source::Diagnostic;

use crate::declare::{Declarations, Declared};
use crate::syntax::{TypeName, TypeNameKind};
use crate::types::{ClassId, Type};

/// Whether a name may be an alias: those of one file do not see each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Aliases {
    Seen,
    Hidden,
}

impl Declarations {
    /// Finds a type by a name with or without dots, as seen from a class.
    pub fn find_type(&self, path: &[String], class: ClassId) -> Option<Declared> {
        let name = path.join(".");
        let mut outer = Some(class);
        while let Some(id) = outer {
            let known = &self.classes[id.0 as usize];
            let inside = format!("{}.{name}", self.full_name(id));
            if let Some(found) = self.by_name.get(&inside) {
                return Some(*found);
            }
            if known.name.text == name {
                return Some(Declared::Class(id));
            }
            outer = known.outer;
        }
        let mut namespace = self.classes[class.0 as usize].namespace.as_str();
        loop {
            let full = if namespace.is_empty() { name.clone() } else { format!("{namespace}.{name}") };
            if let Some(found) = self.by_name.get(&full) {
                return Some(*found);
            }
            if namespace.is_empty() {
                break;
            }
            namespace = namespace.rfind('.').map_or("", |dot| &namespace[..dot]);
        }
        // Other namespaces are open: `using` says so, or the compiler would.
        let suffix = format!(".{name}");
        self.by_name.iter().find(|(full, _)| full.ends_with(&suffix)).map(|(_, found)| *found)
    }

    /// The name of a class with its namespace.
    pub fn full_name(&self, class: ClassId) -> String {
        let known = &self.classes[class.0 as usize];
        match known.outer {
            Some(outer) => format!("{}.{}", self.full_name(outer), known.name.text),
            None if known.namespace.is_empty() => known.name.text.clone(),
            None => format!("{}.{}", known.namespace, known.name.text),
        }
    }

    /// The type that a name stands for, as seen from a class.
    pub fn resolve(&self, name: &TypeName, class: ClassId, diagnostics: &mut Vec<Diagnostic>) -> Type {
        self.resolve_with(name, class, Aliases::Seen, diagnostics)
    }

    fn resolve_with(
        &self,
        name: &TypeName,
        class: ClassId,
        aliases: Aliases,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Type {
        let mut of = |inner: &TypeName| Box::new(self.resolve_with(inner, class, aliases, diagnostics));
        match &name.kind {
            TypeNameKind::Implicit => Type::Unknown,
            TypeNameKind::Nullable(inner) => match *of(inner) {
                inner @ (Type::Bool | Type::Int | Type::Long | Type::Double | Type::Char | Type::Enum(_)) => {
                    Type::Nullable(Box::new(inner))
                }
                inner => inner,
            },
            TypeNameKind::Array(inner) => Type::Array(of(inner)),
            TypeNameKind::Named(path, arguments) => {
                let arguments: Vec<Type> = arguments.iter().map(|argument| *of(argument)).collect();
                match self.named(path, &arguments, class, aliases, diagnostics) {
                    Some(ty) => ty,
                    None => {
                        let message = format!("there is no type `{}` here", path.join("."));
                        let diagnostic = Diagnostic::error("csharp::unknown-type", message);
                        let note = "types are those of the files, basic ones, and those of NModel";
                        diagnostics.push(diagnostic.at(name.span, "").note(note));
                        Type::Unknown
                    }
                }
            }
        }
    }

    fn named(
        &self,
        path: &[String],
        arguments: &[Type],
        class: ClassId,
        aliases: Aliases,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Option<Type> {
        let boxed = |place: usize| Box::new(arguments[place].clone());
        let is_library = path.len() == 1
            || path[..path.len() - 1].iter().all(|part| {
                ["NModel", "System", "Collections", "Generic", "Execution", "Terms"].contains(&part.as_str())
            });
        if arguments.is_empty() {
            let file = self.classes[class.0 as usize].file;
            let alias = self.aliases[file].iter().find(|(alias, _)| path == [alias.text.as_str()]);
            if let Some((_, target)) = alias.filter(|_| aliases == Aliases::Seen) {
                return Some(self.resolve_with(target, class, Aliases::Hidden, diagnostics));
            }
            match self.find_type(path, class) {
                Some(Declared::Enum(id)) => return Some(Type::Enum(id)),
                Some(Declared::Class(id)) => return Some(Type::Class(id)),
                None => (),
            }
        }
        if !is_library {
            return None;
        }
        Some(match (path.last()?.as_str(), arguments.len()) {
            ("void", 0) => Type::Void,
            ("bool" | "Boolean", 0) => Type::Bool,
            ("int" | "Int32", 0) => Type::Int,
            ("long" | "Int64", 0) => Type::Long,
            ("double" | "Double", 0) => Type::Double,
            ("string" | "String", 0) => Type::Text,
            ("char" | "Char", 0) => Type::Char,
            ("object" | "Object" | "IComparable", 0) => Type::Object,
            ("Exception", 0) => Type::Exception,
            ("Set", 1) => Type::Set(boxed(0)),
            ("Bag", 1) => Type::Bag(boxed(0)),
            ("Sequence", 1) => Type::Sequence(boxed(0)),
            ("Map", 2) => Type::Map(boxed(0), boxed(1)),
            ("Pair", 2) | ("Triple", 3) => Type::Tuple(arguments.to_vec()),
            ("Nullable", 1) => Type::Nullable(boxed(0)),
            ("IEnumerable", 1) => Type::Enumerable(boxed(0)),
            ("Predicate", 1) => Type::Function(arguments.to_vec(), Box::new(Type::Bool)),
            ("Filter", 1) => Type::Function(arguments.to_vec(), boxed(0)),
            ("Reducer", 2) => Type::Function(arguments.to_vec(), boxed(1)),
            ("Converter", 2) => Type::Function(vec![arguments[0].clone()], boxed(1)),
            ("Func", n) if n > 0 => Type::Function(arguments[..n - 1].to_vec(), boxed(n - 1)),
            _ => return None,
        })
    }

    /// The fields of a class that its instances have.
    pub fn instance_fields(&self, class: ClassId) -> Vec<usize> {
        let fields = &self.classes[class.0 as usize].fields;
        fields.iter().copied().filter(|field| !self.fields[*field].is_static).collect()
    }

    /// Finds a field of a class.
    pub fn field(&self, class: ClassId, name: &str) -> Option<usize> {
        let fields = &self.classes[class.0 as usize].fields;
        fields.iter().copied().find(|field| self.fields[*field].name.text == name)
    }

    /// The features that classes of a namespace have.
    pub fn features(&self, namespace: &str) -> Vec<&str> {
        let classes = self.classes.iter().filter(|class| class.namespace == namespace);
        classes.flat_map(|class| class.features.iter().map(String::as_str)).collect()
    }

    /// The methods of a class with a name.
    pub fn methods(&self, class: ClassId, name: &str) -> Vec<usize> {
        let methods = &self.classes[class.0 as usize].methods;
        methods.iter().copied().filter(|method| self.methods[*method].name.text == name).collect()
    }
}
