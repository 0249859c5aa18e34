//! What the files of a program declare: classes, enumerations, fields and methods, and what their attributes say.

use std::collections::{BTreeMap, BTreeSet};

use fathom_source::{Diagnostic, Span};

use crate::attributes::check_type;
use crate::syntax::{
    Argument, Attribute, Block, ClassDeclaration, EnumDeclaration, Expr, ExprKind, File, Member, MemberKind,
    Name, Parameter, Passing, Stmt, StmtKind, TypeDeclaration, TypeName, TypeNameKind,
};
use crate::types::{ClassId, EnumId, Type, TypeNames};

/// An enumeration.
#[derive(Clone, Debug)]
pub struct Enum {
    /// Its name.
    pub name: String,
    /// The namespace it is in.
    pub namespace: String,
    /// Elements with their numbers.
    pub elements: Vec<(String, i64)>,
    /// The sort of its elements, when they are interchangeable.
    pub sort: Option<u32>,
    /// A number that enumerations with the same name and elements share.
    pub kind: u32,
    /// Where it is written.
    pub span: Span,
}

/// What the instances of a class are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Instances {
    /// There are none.
    None,
    /// Objects: `LabeledInstance<T>`.
    Objects,
    /// Values: `CompoundValue`.
    Values,
}

/// A class.
#[derive(Clone, Debug)]
pub struct Class {
    /// Its name.
    pub name: Name,
    /// The namespace it is in.
    pub namespace: String,
    /// The class it is in.
    pub outer: Option<ClassId>,
    /// Which file it is in, for aliases.
    pub file: usize,
    /// What its instances are.
    pub instances: Instances,
    /// The sort of its objects.
    pub sort: u32,
    /// The features it belongs to, if it is one.
    pub features: Vec<String>,
    /// The domain of its instances in actions.
    pub domain: Option<Name>,
    /// Its fields.
    pub fields: Vec<usize>,
    /// Its methods; a property is `get_` and `set_`.
    pub methods: Vec<usize>,
    /// Its constructors.
    pub constructors: Vec<usize>,
    /// What runs when the class is first used.
    pub static_constructor: Option<usize>,
}

/// A field.
#[derive(Clone, Debug)]
pub struct Field {
    /// The class it is in.
    pub class: ClassId,
    /// Its name.
    pub name: Name,
    /// The type of its values.
    pub ty: Type,
    /// Whether it belongs to the class.
    pub is_static: bool,
    /// Whether nothing assigns to it but its class at the start.
    pub is_constant: bool,
    /// Whether it is `const`.
    pub is_literal: bool,
    /// Whether `[ExcludeFromState]` is written at it.
    pub is_excluded: bool,
    /// The first value.
    pub value: Option<Expr>,
}

/// A parameter.
#[derive(Clone, Debug)]
pub struct ParameterInfo {
    /// Its name.
    pub name: Name,
    /// Its type.
    pub ty: Type,
    /// How it is passed.
    pub passing: Passing,
    /// `[Domain("…")]`, or `new` for `[New]`.
    pub domain: Option<Name>,
}

/// A method, an accessor or a constructor.
#[derive(Clone, Debug)]
pub struct Method {
    /// The class it is in.
    pub class: ClassId,
    /// Its name.
    pub name: Name,
    /// Its attributes.
    pub attributes: Vec<Attribute>,
    /// Whether it belongs to the class.
    pub is_static: bool,
    /// The type of what it gives.
    pub returns: Type,
    /// Its parameters.
    pub parameters: Vec<ParameterInfo>,
    /// Arguments of `: this(…)`.
    pub delegates: Option<Vec<Argument>>,
    /// What it does.
    pub body: Block,
}

/// A method that makes a model program.
#[derive(Clone, Debug)]
pub struct Factory {
    /// The class it is in.
    pub class: ClassId,
    /// Its name.
    pub name: Name,
    /// What it does.
    pub body: Block,
}

/// A sort of objects.
#[derive(Clone, Debug)]
pub struct Sort {
    /// Its name.
    pub name: String,
    /// The names of its objects, if they are elements of an enumeration.
    pub elements: Vec<String>,
}

/// Everything that is declared.
#[derive(Clone, Default, Debug)]
pub struct Declarations {
    /// Enumerations.
    pub enums: Vec<Enum>,
    /// Classes.
    pub classes: Vec<Class>,
    /// Fields of all classes.
    pub fields: Vec<Field>,
    /// Methods of all classes.
    pub methods: Vec<Method>,
    /// Methods that make model programs.
    pub factories: Vec<Factory>,
    /// Sorts of objects.
    pub sorts: Vec<Sort>,
    /// By kind, the elements of enumerations.
    pub kinds: Vec<(String, Vec<(String, i64)>)>,
    /// By file, other names of types.
    pub(crate) aliases: Vec<Vec<(Name, TypeName)>>,
    /// Types by their full name.
    pub(crate) by_name: BTreeMap<String, Declared>,
}

/// A type that a name stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Declared {
    /// An enumeration.
    Enum(EnumId),
    /// A class.
    Class(ClassId),
}

impl TypeNames for Declarations {
    fn enum_name(&self, id: EnumId) -> &str {
        &self.enums[id.0 as usize].name
    }

    fn class_name(&self, id: ClassId) -> &str {
        &self.classes[id.0 as usize].name.text
    }
}

/// The text of an attribute's first value.
pub fn attribute_text(attribute: &Attribute) -> Option<Name> {
    let value = attribute.values.first()?;
    constant_text(value).map(|text| Name { text, span: value.span })
}

/// The text that an expression of literals stands for.
pub fn constant_text(expr: &Expr) -> Option<String> {
    match &*expr.kind {
        ExprKind::Text(text) => Some(text.clone()),
        ExprKind::Binary("+", left, right) => Some(constant_text(left)? + &constant_text(right)?),
        _ => None,
    }
}

/// Finds an attribute.
pub fn attribute<'a>(attributes: &'a [Attribute], name: &str) -> Option<&'a Attribute> {
    attributes.iter().find(|attribute| attribute.name.text == name)
}

const FACTORY_TYPES: [&str; 4] =
    ["ModelProgram", "LibraryModelProgram", "FsmModelProgram", "ProductModelProgram"];

/// Methods by which .NET would compare values of a class.
const OF_ALL_VALUES: [&str; 3] = ["Equals", "GetHashCode", "CompareTo"];

/// Members that wait until all types are known.
struct Pending {
    class: ClassId,
    bases: Vec<TypeName>,
    members: Vec<Member>,
}

/// Collects what files declare.
pub fn declare(files: Vec<File>) -> (Declarations, Vec<Diagnostic>) {
    let mut collector = Collector::default();
    for (index, file) in files.into_iter().enumerate() {
        collector.all.aliases.push(file.aliases);
        for namespace in file.namespaces {
            for declared in namespace.types {
                collector.declare_type(declared, &namespace.name, None, index);
            }
        }
    }
    for pending in std::mem::take(&mut collector.pending) {
        collector.bases(pending.class, &pending.bases);
        for member in pending.members {
            collector.member(pending.class, member);
        }
    }
    (collector.all, collector.diagnostics)
}

#[derive(Default)]
struct Collector {
    all: Declarations,
    pending: Vec<Pending>,
    /// Classes that may have several parts.
    partial: BTreeSet<ClassId>,
    diagnostics: Vec<Diagnostic>,
}

impl Collector {
    fn error(&mut self, code: &'static str, message: String, span: Span) {
        self.diagnostics.push(Diagnostic::error(code, message).at(span, ""));
    }

    fn full_name(&self, name: &str, namespace: &str, outer: Option<ClassId>) -> String {
        match outer {
            Some(outer) => {
                let class = &self.all.classes[outer.0 as usize];
                format!("{}.{name}", self.full_name(&class.name.text, &class.namespace, class.outer))
            }
            None if namespace.is_empty() => name.to_string(),
            None => format!("{namespace}.{name}"),
        }
    }

    fn declare_type(
        &mut self,
        declared: TypeDeclaration,
        namespace: &str,
        outer: Option<ClassId>,
        file: usize,
    ) {
        check_type(&declared, &mut self.diagnostics);
        match declared {
            TypeDeclaration::Enum(declared) => self.declare_enum(&declared, namespace, outer),
            TypeDeclaration::Class(declared) => self.declare_class(declared, namespace, outer, file),
        }
    }

    fn sort(&mut self, name: String, elements: Vec<String>) -> u32 {
        let known = self.all.sorts.iter().position(|sort| sort.name == name && sort.elements == elements);
        let place = known.unwrap_or_else(|| {
            self.all.sorts.push(Sort { name, elements });
            self.all.sorts.len() - 1
        });
        place as u32
    }

    fn declare_enum(&mut self, declared: &EnumDeclaration, namespace: &str, outer: Option<ClassId>) {
        let mut elements: Vec<(String, i64)> = Vec::new();
        for (name, value) in &declared.elements {
            let next = elements.last().map_or(0, |(_, number)| number.wrapping_add(1));
            let number = match value.as_ref().map(|value| (value.span, element_number(value, &elements))) {
                None => next,
                Some((_, Some(number))) => number,
                Some((span, None)) => {
                    self.error(
                        "csharp::unsupported",
                        "this number of an element is not supported".into(),
                        span,
                    );
                    next
                }
            };
            if elements.iter().any(|(known, _)| *known == name.text) {
                self.error("csharp::declared-twice", format!("`{}` is declared twice", name.text), name.span);
            }
            elements.push((name.text.clone(), number));
        }
        if let Some(flags) = attribute(&declared.attributes, "Flags") {
            let message = "`[Flags]` is not supported: values are elements, and not sums of them";
            self.error("csharp::unsupported", message.into(), flags.name.span);
        }
        let sort_name = attribute(&declared.attributes, "Sort").and_then(attribute_text);
        let sort_name = sort_name.map_or(declared.name.text.clone(), |name| name.text);
        let is_one = |place: usize| element_place(&elements, &elements[place].0) == Some(place as u32);
        if let Some(abstracted) = attribute(&declared.attributes, "Abstract")
            && !(0..elements.len()).all(is_one)
        {
            let message = "elements of an `[Abstract]` enumeration with one number are not supported";
            self.error("csharp::unsupported", message.into(), abstracted.name.span);
        }
        let names = elements.iter().map(|(name, _)| name.clone()).collect();
        let is_abstract = attribute(&declared.attributes, "Abstract").is_some();
        let sort = is_abstract.then(|| self.sort(sort_name.clone(), names));
        let known = self.all.kinds.iter().position(|kind| kind.0 == sort_name && kind.1 == elements);
        let kind = known.unwrap_or_else(|| {
            self.all.kinds.push((sort_name, elements.clone()));
            self.all.kinds.len() - 1
        }) as u32;
        let id = Declared::Enum(EnumId(self.all.enums.len() as u32));
        let name = declared.name.text.clone();
        let (namespace_of, span) = (namespace.to_string(), declared.name.span);
        self.all.enums.push(Enum { name, namespace: namespace_of, elements, sort, kind, span });
        self.enter(&declared.name, namespace, outer, id);
    }

    fn enter(&mut self, name: &Name, namespace: &str, outer: Option<ClassId>, id: Declared) {
        let full = self.full_name(&name.text, namespace, outer);
        if self.all.by_name.insert(full, id).is_some() {
            self.error("csharp::declared-twice", format!("`{}` is declared twice", name.text), name.span);
        }
    }

    fn declare_class(
        &mut self,
        declared: ClassDeclaration,
        namespace: &str,
        outer: Option<ClassId>,
        file: usize,
    ) {
        let full = self.full_name(&declared.name.text, namespace, outer);
        let id = match self.all.by_name.get(&full) {
            // Another part of a partial class.
            Some(Declared::Class(known)) => {
                let known = *known;
                if !declared.is_partial || !self.partial.contains(&known) {
                    let first = self.all.classes[known.0 as usize].name.span;
                    let message = format!(
                        "`{}` is declared twice: all its parts have to be `partial`",
                        declared.name.text
                    );
                    let error = Diagnostic::error("csharp::declared-twice", message);
                    self.diagnostics.push(error.at(declared.name.span, "").also(first, "first here"));
                }
                known
            }
            _ => {
                let id = ClassId(self.all.classes.len() as u32);
                let sort_name = attribute(&declared.attributes, "Sort").and_then(attribute_text);
                let sort_name = sort_name.map_or(declared.name.text.clone(), |name| name.text);
                let sort = self.sort(sort_name, Vec::new());
                self.all.classes.push(Class {
                    name: declared.name.clone(),
                    namespace: namespace.to_string(),
                    outer,
                    file,
                    instances: Instances::None,
                    sort,
                    features: Vec::new(),
                    domain: None,
                    fields: Vec::new(),
                    methods: Vec::new(),
                    constructors: Vec::new(),
                    static_constructor: None,
                });
                self.enter(&declared.name, namespace, outer, Declared::Class(id));
                if declared.is_partial {
                    self.partial.insert(id);
                }
                id
            }
        };
        let class = &mut self.all.classes[id.0 as usize];
        for attribute in declared.attributes.iter().filter(|attribute| attribute.name.text == "Feature") {
            let name = attribute_text(attribute).map(|name| name.text).filter(|name| !name.is_empty());
            class.features.push(name.unwrap_or_else(|| declared.name.text.clone()));
        }
        if let Some(domain) = attribute(&declared.attributes, "Domain").and_then(attribute_text) {
            class.domain = Some(domain);
        }
        self.pending.push(Pending { class: id, bases: declared.bases, members: declared.members });
        for inner in declared.types {
            self.declare_type(inner, namespace, Some(id), file);
        }
    }

    fn bases(&mut self, class: ClassId, bases: &[TypeName]) {
        for base in bases {
            let TypeNameKind::Named(path, arguments) = &base.kind else { continue };
            let instances = match path.last().map(String::as_str) {
                Some("LabeledInstance") => {
                    let is_own =
                        matches!(&arguments[..], [of] if self.resolve(of, class) == Type::Class(class));
                    if !is_own {
                        let name = &self.all.classes[class.0 as usize].name.text;
                        let message = format!("`{name}` derives from `LabeledInstance<{name}>`, of itself");
                        self.error("csharp::labeled-instance", message, base.span);
                    }
                    Instances::Objects
                }
                Some("CompoundValue") => Instances::Values,
                _ => {
                    let message =
                        "a base class other than `LabeledInstance<T>` and `CompoundValue` is not supported";
                    self.error("csharp::unsupported", message.into(), base.span);
                    continue;
                }
            };
            self.all.classes[class.0 as usize].instances = instances;
        }
    }

    fn member(&mut self, class: ClassId, member: Member) {
        let Member { attributes, name, is_static, kind } = member;
        match kind {
            MemberKind::Field { ty, is_constant, is_literal, value } => {
                let ty = self.resolve(&ty, class);
                let is_excluded = attribute(&attributes, "ExcludeFromState").is_some();
                self.check_new_name(class, &name);
                self.all.classes[class.0 as usize].fields.push(self.all.fields.len());
                self.all.fields.push(Field {
                    class,
                    name,
                    ty,
                    is_static,
                    is_constant,
                    is_literal,
                    is_excluded,
                    value,
                });
            }
            MemberKind::Property { ty, get, set } => {
                let ty = self.resolve(&ty, class);
                let mut accessor =
                    |word: &str, returns: Type, parameters, body, attributes: Vec<Attribute>| {
                        let name = Name { text: format!("{word}_{}", name.text), span: name.span };
                        let delegates = None;
                        self.all.classes[class.0 as usize].methods.push(self.all.methods.len());
                        self.all.methods.push(Method {
                            class,
                            name,
                            attributes,
                            is_static,
                            returns,
                            parameters,
                            delegates,
                            body,
                        });
                    };
                if let Some(body) = get {
                    accessor("get", ty.clone(), Vec::new(), body, attributes);
                }
                if let Some(body) = set {
                    let value = Name { text: "value".to_string(), span: name.span };
                    let parameter = ParameterInfo { name: value, ty, passing: Passing::Value, domain: None };
                    accessor("set", Type::Void, vec![parameter], body, Vec::new());
                }
            }
            MemberKind::Method { returns, parameters, body } => {
                let is_factory = matches!(&returns.kind, TypeNameKind::Named(path, _)
                    if path.last().is_some_and(|name| FACTORY_TYPES.contains(&name.as_str())));
                if is_factory {
                    if is_static && parameters.is_empty() {
                        self.all.factories.push(Factory { class, name, body });
                    }
                    return;
                }
                let has_instances = self.all.classes[class.0 as usize].instances != Instances::None;
                if has_instances && !is_static && OF_ALL_VALUES.contains(&name.text.as_str()) {
                    let message = format!(
                        "`{}` of one's own is for calls: collections and `==` go by fields",
                        name.text
                    );
                    let warning = Diagnostic::warning("csharp::own-equality", message);
                    self.diagnostics.push(warning.at(name.span, ""));
                }
                let returns = self.resolve(&returns, class);
                let parameters = self.parameters(parameters, class);
                self.check_new_method(class, &name, &parameters);
                self.all.classes[class.0 as usize].methods.push(self.all.methods.len());
                let delegates = None;
                self.all.methods.push(Method {
                    class,
                    name,
                    attributes,
                    is_static,
                    returns,
                    parameters,
                    delegates,
                    body,
                });
            }
            MemberKind::Constructor { parameters, delegates, body } => {
                let parameters = self.parameters(parameters, class);
                let index = self.all.methods.len();
                let known = &mut self.all.classes[class.0 as usize];
                if is_static {
                    known.static_constructor = Some(index);
                } else {
                    known.constructors.push(index);
                }
                let returns = Type::Void;
                if !is_static {
                    self.check_new_method(class, &name, &parameters);
                }
                self.all.methods.push(Method {
                    class,
                    name,
                    attributes,
                    is_static,
                    returns,
                    parameters,
                    delegates,
                    body,
                });
            }
        }
    }

    fn check_new_name(&mut self, class: ClassId, name: &Name) {
        let fields = &self.all.classes[class.0 as usize].fields;
        let known =
            fields.iter().map(|field| &self.all.fields[*field].name).find(|known| known.text == name.text);
        if let Some(known) = known {
            let message = format!("`{}` is declared twice", name.text);
            let diagnostic = Diagnostic::error("csharp::declared-twice", message);
            self.diagnostics.push(diagnostic.at(name.span, "").also(known.span, "first here"));
        }
    }

    /// Says so if a class has a method, or a constructor, with the same name and types of parameters.
    fn check_new_method(&mut self, class: ClassId, name: &Name, parameters: &[ParameterInfo]) {
        let by_value = |one: &ParameterInfo| matches!(one.passing, Passing::Value | Passing::Rest);
        let is_same = |method: &&Method| {
            let known = &method.parameters;
            let mut pairs = known.iter().zip(parameters);
            method.class == class
                && method.name.text == name.text
                && known.len() == parameters.len()
                && pairs.all(|(one, other)| one.ty == other.ty && by_value(one) == by_value(other))
        };
        if let Some(known) = self.all.methods.iter().find(is_same) {
            let message = format!("`{}` is declared twice with these types of parameters", name.text);
            let error = Diagnostic::error("csharp::declared-twice", message);
            self.diagnostics.push(error.at(name.span, "").also(known.name.span, "first here"));
        }
    }

    fn parameters(&mut self, parameters: Vec<Parameter>, class: ClassId) -> Vec<ParameterInfo> {
        let mut known = Vec::new();
        for Parameter { attributes, name, ty, passing } in parameters {
            let ty = ty.map_or(Type::Unknown, |ty| self.resolve(&ty, class));
            if known.iter().any(|known: &ParameterInfo| known.name.text == name.text) {
                let message = format!("`{}` is declared twice", name.text);
                self.error("csharp::declared-twice", message, name.span);
            }
            let new = attribute(&attributes, "New");
            let new = new.map(|new| Name { text: "new".to_string(), span: new.name.span });
            let domain = attribute(&attributes, "Domain").and_then(attribute_text).or(new);
            known.push(ParameterInfo { name, ty, passing, domain });
        }
        known
    }

    fn resolve(&mut self, name: &TypeName, class: ClassId) -> Type {
        let mut diagnostics = std::mem::take(&mut self.diagnostics);
        let ty = self.all.resolve(name, class, &mut diagnostics);
        self.diagnostics = diagnostics;
        ty
    }
}

/// The number that is written at an element.
fn element_number(value: &Expr, elements: &[(String, i64)]) -> Option<i64> {
    match &*value.kind {
        ExprKind::Int(number, _) => Some(*number),
        ExprKind::Name(name) => element_number_of(name, elements),
        ExprKind::Unary("-", value) => element_number(value, elements)?.checked_neg(),
        ExprKind::Unary("~", value) => Some(!element_number(value, elements)?),
        ExprKind::Binary(operator, left, right) => {
            let (left, right) = (element_number(left, elements)?, element_number(right, elements)?);
            let number = match *operator {
                "+" => left.checked_add(right)?,
                "-" => left.checked_sub(right)?,
                "*" => left.checked_mul(right)?,
                "|" => left | right,
                "&" => left & right,
                "^" => left ^ right,
                "<<" => left.checked_shl(u32::try_from(right).ok().filter(|by| *by < 31)?)?,
                _ => return None,
            };
            i32::try_from(number).ok().map(i64::from)
        }
        _ => None,
    }
}

fn element_number_of(name: &str, elements: &[(String, i64)]) -> Option<i64> {
    elements.iter().find(|(known, _)| known == name).map(|(_, number)| *number)
}

/// Which element a name stands for: of several with one number the first.
pub(crate) fn element_place(elements: &[(String, i64)], name: &str) -> Option<u32> {
    let (_, number) = elements.iter().find(|(known, _)| known == name)?;
    elements.iter().position(|(_, other)| other == number).map(|place| place as u32)
}

/// Whether statements have a `yield` in them.
pub fn has_yield(block: &[Stmt]) -> bool {
    block.iter().any(|stmt| match &stmt.kind {
        StmtKind::Yield(_) => true,
        StmtKind::Block(block) => has_yield(block),
        StmtKind::If(_, then, other) => {
            has_yield(std::slice::from_ref(then))
                || other.as_ref().is_some_and(|other| has_yield(std::slice::from_ref(other)))
        }
        StmtKind::While(_, body)
        | StmtKind::DoWhile(body, _)
        | StmtKind::For(_, _, _, body)
        | StmtKind::ForEach(_, _, _, body) => has_yield(std::slice::from_ref(body)),
        StmtKind::Switch(_, sections) => sections.iter().any(|(_, block)| has_yield(block)),
        StmtKind::Try(body, handler, last) => {
            has_yield(body)
                || handler.as_ref().is_some_and(|(_, block)| has_yield(block))
                || last.as_ref().is_some_and(|block| has_yield(block))
        }
        _ => false,
    })
}
