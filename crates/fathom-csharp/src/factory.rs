//! What the factory methods of a program make: parts of it, chosen by namespace and feature, or state machines.
//!
//! They are read, not run: a factory names a namespace and features, or lists transitions.

use std::cell::Cell;

use fathom_source::{Diagnostic, Span};

use crate::declare::{Declarations, Declared, Factory, constant_text};
use crate::fsm::{Fsm, parse_fsm, parse_term};
use crate::syntax::{Argument, Expr, ExprKind, StmtKind, TypeName, TypeNameKind};
use crate::types::ClassId;

/// A feature that is chosen.
#[derive(Clone, Debug)]
pub struct Feature {
    /// Its name.
    pub name: String,
    /// Where a factory names it; none on the command line.
    pub span: Option<Span>,
}

/// The classes of a namespace.
#[derive(Clone, Debug)]
pub struct Library {
    /// The namespace.
    pub namespace: String,
    /// Where a factory names it; none on the command line.
    pub span: Option<Span>,
    /// Classes without a feature belong to it, and those with one of these; none means all.
    pub features: Option<Vec<Feature>>,
}

/// What a factory makes.
#[derive(Clone, Debug)]
pub enum Made {
    /// The classes of a namespace.
    Library(Library),
    /// A state machine.
    Machine(Fsm),
}

/// How many factories, lists and products may be named one by the other.
const MOST_NAMED: usize = 64;

type Read<T> = Result<T, Box<Diagnostic>>;

/// Reads a factory: what it makes is composed.
///
/// # Errors
///
/// A diagnostic where it does something else.
pub fn read_factory(all: &Declarations, factory: &Factory) -> Read<Vec<Made>> {
    read_within(all, factory, &Cell::new(MOST_NAMED))
}

fn read_within(all: &Declarations, factory: &Factory, left: &Cell<usize>) -> Read<Vec<Made>> {
    let (machines, lists, programs) = (Vec::new(), Vec::new(), Vec::new());
    let mut reader = Reader { all, class: factory.class, machines, lists, programs, left };
    reader.spend(factory.name.span)?;
    for stmt in &factory.body {
        match &stmt.kind {
            StmtKind::Empty => (),
            StmtKind::Local(_, variables) => {
                for (name, value) in variables {
                    if let Some(value) = value {
                        reader.local(&name.text, value)?;
                    }
                }
            }
            StmtKind::Expr(Expr { kind, .. }) => match &**kind {
                ExprKind::Assign(target, None, value) => {
                    let ExprKind::Name(name) = &*target.kind else { return Err(reader.odd(stmt.span)) };
                    reader.local(name, value)?;
                }
                _ => return Err(reader.odd(stmt.span)),
            },
            StmtKind::Return(Some(value)) => return reader.made(value),
            _ => return Err(reader.odd(stmt.span)),
        }
    }
    Err(reader.odd(factory.name.span))
}

struct Reader<'d> {
    all: &'d Declarations,
    class: ClassId,
    machines: Vec<(String, Fsm)>,
    /// Lists of features that the factory has names for.
    lists: Vec<(&'d str, &'d Expr)>,
    /// Programs that the factory has names for.
    programs: Vec<(&'d str, Vec<Made>)>,
    /// How much may still be named.
    left: &'d Cell<usize>,
}

impl<'d> Reader<'d> {
    fn odd(&self, span: Span) -> Box<Diagnostic> {
        let message = "a factory that does something else than naming a namespace, features or transitions is not supported";
        Box::new(Diagnostic::error("csharp::unsupported", message).at(span, ""))
    }

    /// Names something else, which may name something else.
    fn spend(&self, span: Span) -> Read<()> {
        match self.left.get().checked_sub(1) {
            Some(left) => {
                self.left.set(left);
                Ok(())
            }
            None => Err(self.odd(span)),
        }
    }

    fn local(&mut self, name: &'d str, value: &'d Expr) -> Read<()> {
        if is_list(value) {
            self.lists.push((name, value));
        } else if self.is_program(value) {
            let made = self.made(value)?;
            self.programs.push((name, made));
        } else {
            let machine = self.machine(value)?;
            self.machines.push((name.to_string(), machine));
        }
        Ok(())
    }

    /// Whether an expression makes a program, and not a machine that one is made of.
    fn is_program(&self, value: &Expr) -> bool {
        match &*value.kind {
            ExprKind::New(ty, _) => last(ty).ends_with("ModelProgram"),
            ExprKind::Call(function, _) => {
                let of_library = match &*function.kind {
                    ExprKind::Member(object, _) => path(object)
                        .is_some_and(|path| path.last().is_some_and(|last| last == "LibraryModelProgram")),
                    _ => false,
                };
                of_library || self.factory(function).is_some()
            }
            ExprKind::Name(name) => self.programs.iter().any(|(known, _)| known == name),
            _ => false,
        }
    }

    /// The factory that is called.
    fn factory(&self, function: &Expr) -> Option<&'d Factory> {
        let (class, name) = match &*function.kind {
            ExprKind::Name(name) => (self.class, name.as_str()),
            ExprKind::Member(object, name) => match self.all.find_type(&path(object)?, self.class)? {
                Declared::Class(class) => (class, name.text.as_str()),
                Declared::Enum(_) => return None,
            },
            _ => return None,
        };
        self.all.factories.iter().find(|factory| factory.class == class && factory.name.text == name)
    }

    fn made(&self, value: &Expr) -> Read<Vec<Made>> {
        match &*value.kind {
            ExprKind::New(ty, arguments) => match (last(ty), &arguments[..]) {
                ("LibraryModelProgram", [_, namespace]) => self.made_of(&namespace.value, None),
                ("LibraryModelProgram", [_, namespace, features]) => {
                    let features = self.features(&features.value, self.class)?;
                    self.made_of(&namespace.value, features)
                }
                ("FsmModelProgram", [machine, name]) => {
                    let mut machine = self.machine(&machine.value)?;
                    machine.name = constant_text(&name.value).ok_or_else(|| self.odd(name.value.span))?;
                    Ok(vec![Made::Machine(machine)])
                }
                ("ProductModelProgram", [one, other]) => {
                    let mut both = self.made(&one.value)?;
                    both.extend(self.made(&other.value)?);
                    Ok(both)
                }
                _ => Err(self.odd(value.span)),
            },
            ExprKind::Call(function, arguments) => {
                match (self.factory(function), &*function.kind, &arguments[..]) {
                    (Some(factory), _, []) => read_within(self.all, factory, self.left),
                    // LibraryModelProgram.Create(typeof(T), features…)
                    (None, ExprKind::Member(_, name), [first, features @ ..]) if name.text == "Create" => {
                        let ExprKind::TypeOf(ty) = &*first.value.kind else {
                            return Err(self.odd(value.span));
                        };
                        let features = Some(self.texts(features, self.class)?);
                        let (namespace, span) = (self.namespace_of(ty)?, Some(ty.span));
                        Ok(vec![Made::Library(Library { namespace, span, features })])
                    }
                    _ => Err(self.odd(value.span)),
                }
            }
            ExprKind::Name(name) => {
                let known = self.programs.iter().rev().find(|(known, _)| known == name);
                known.map(|(_, made)| made.clone()).ok_or_else(|| self.odd(value.span))
            }
            _ => Err(self.odd(value.span)),
        }
    }

    fn made_of(&self, namespace: &Expr, features: Option<Vec<Feature>>) -> Read<Vec<Made>> {
        let (namespace, span) = (self.namespace(namespace)?, Some(namespace.span));
        Ok(vec![Made::Library(Library { namespace, span, features })])
    }

    /// A text, or `typeof(T).Namespace`.
    fn namespace(&self, value: &Expr) -> Read<String> {
        if let Some(text) = constant_text(value) {
            return Ok(text);
        }
        if let ExprKind::Member(object, name) = &*value.kind
            && name.text == "Namespace"
            && let ExprKind::TypeOf(ty) = &*object.kind
        {
            return self.namespace_of(ty);
        }
        Err(self.odd(value.span))
    }

    fn namespace_of(&self, ty: &TypeName) -> Read<String> {
        let TypeNameKind::Named(path, _) = &ty.kind else { return Err(self.odd(ty.span)) };
        match self.all.find_type(path, self.class) {
            Some(Declared::Class(id)) => Ok(self.all.classes[id.0 as usize].namespace.clone()),
            Some(Declared::Enum(id)) => Ok(self.all.enums[id.0 as usize].namespace.clone()),
            None => {
                let message = format!("there is no type `{}` here", path.join("."));
                Err(Box::new(Diagnostic::error("csharp::unknown-type", message).at(ty.span, "")))
            }
        }
    }

    /// `null`, `new Set<string>("A", "B")`, `Set<string>.EmptySet`, several of these together, or the name of such a list.
    fn features(&self, value: &Expr, class: ClassId) -> Read<Option<Vec<Feature>>> {
        self.spend(value.span)?;
        let local = match &*value.kind {
            ExprKind::Name(name) => self.lists.iter().rev().find(|(known, _)| known == name),
            _ => None,
        };
        let (list, class) = match local {
            Some((_, list)) => (*list, self.class),
            None => self.constant(value, class),
        };
        match &*list.kind {
            ExprKind::Null => Ok(None),
            ExprKind::New(_, arguments) => self.texts(arguments, class).map(Some),
            ExprKind::NewArray(_, None, Some(values)) => {
                let mut features = Vec::new();
                for value in values {
                    self.add_features(value, class, &mut features)?;
                }
                Ok(Some(features))
            }
            ExprKind::Member(_, name) if name.text == "EmptySet" => Ok(Some(Vec::new())),
            ExprKind::Binary("+", one, other) => {
                let mut features = Vec::new();
                self.add_features(one, class, &mut features)?;
                self.add_features(other, class, &mut features)?;
                Ok(Some(features))
            }
            ExprKind::Call(function, arguments) => match &*function.kind {
                ExprKind::Member(object, name) if ["Add", "Union"].contains(&name.text.as_str()) => {
                    let mut features = self.texts(arguments, class)?;
                    self.add_features(object, class, &mut features)?;
                    Ok(Some(features))
                }
                _ => Err(self.odd(value.span)),
            },
            _ => Err(self.odd(value.span)),
        }
    }

    /// Names of features, as texts, as constants of a class, or as lists of them.
    fn texts(&self, arguments: &[Argument], class: ClassId) -> Read<Vec<Feature>> {
        let mut features = Vec::new();
        for argument in arguments {
            self.add_features(&argument.value, class, &mut features)?;
        }
        Ok(features)
    }

    /// Adds one feature, or those of a list.
    fn add_features(&self, value: &Expr, class: ClassId, features: &mut Vec<Feature>) -> Read<()> {
        let (found, _) = self.constant(value, class);
        match constant_text(found) {
            Some(name) => features.push(Feature { name, span: Some(value.span) }),
            None => features.extend(self.features(value, class)?.ok_or_else(|| self.odd(value.span))?),
        }
        Ok(())
    }

    /// What a name that never changes stands for, with the class where its value is written; anything else is itself.
    fn constant<'e>(&self, value: &'e Expr, class: ClassId) -> (&'e Expr, ClassId)
    where
        'd: 'e,
    {
        let (mut value, mut class) = (value, class);
        // Constants that stand for each other have no value.
        for _ in 0..self.all.fields.len() {
            let Some((next, of)) = self.field(value, class) else { break };
            (value, class) = (next, of);
        }
        (value, class)
    }

    /// The value of the constant that an expression names.
    fn field(&self, value: &Expr, class: ClassId) -> Option<(&'d Expr, ClassId)> {
        let all = self.all;
        let place = match &*value.kind {
            ExprKind::Name(name) => all.field(class, name)?,
            ExprKind::Member(object, name) => {
                let Declared::Class(owner) = all.find_type(&path(object)?, class)? else { return None };
                all.field(owner, &name.text)?
            }
            _ => return None,
        };
        let field = &all.fields[place];
        let is_fixed = field.is_static && field.is_constant;
        field.value.as_ref().filter(|_| is_fixed).map(|value| (value, field.class))
    }

    /// `FSM.Create("t(…)", …).Accept("0").Expand("A")`, `FSM.FromString("FSM(…)")`, or the name of one.
    fn machine(&self, value: &Expr) -> Read<Fsm> {
        if let ExprKind::Name(name) = &*value.kind {
            let known = self.machines.iter().rev().find(|(known, _)| known == name);
            return known.map(|(_, machine)| machine.clone()).ok_or_else(|| self.odd(value.span));
        }
        let ExprKind::Call(function, arguments) = &*value.kind else { return Err(self.odd(value.span)) };
        let ExprKind::Member(object, name) = &*function.kind else { return Err(self.odd(value.span)) };
        let is_class = matches!(&*object.kind, ExprKind::Name(word) if word == "FSM");
        let mut machine = if is_class { Fsm::default() } else { self.machine(object)? };
        for argument in arguments {
            let span = argument.value.span;
            let text = constant_text(&argument.value).ok_or_else(|| self.odd(span))?;
            match (name.text.as_str(), is_class) {
                ("Create", true) => {
                    let term = parse_term(&text, span)?;
                    if !machine.add(&term) {
                        let message = format!("`{text}` is no transition");
                        return Err(Box::new(Diagnostic::error("csharp::fsm", message).at(span, "")));
                    }
                }
                ("FromString" | "FromTerm" | "Parse", true) => {
                    let (read, diagnostics) = parse_fsm(&text, "", span);
                    machine = read.ok_or_else(|| {
                        diagnostics.into_iter().next().map_or_else(|| self.odd(span), Box::new)
                    })?;
                }
                ("Accept", false) => {
                    let term = parse_term(&text, span)?;
                    let state = machine.state(&term);
                    machine.accepting.insert(state);
                }
                ("Expand", false) => drop(machine.vocabulary.insert(text)),
                _ => return Err(self.odd(name.span)),
            }
        }
        Ok(machine)
    }
}

/// The parts of a name with dots.
fn path(expr: &Expr) -> Option<Vec<String>> {
    match &*expr.kind {
        ExprKind::Name(name) => Some(vec![name.clone()]),
        ExprKind::Member(object, name) => {
            let mut parts = path(object)?;
            parts.push(name.text.clone());
            Some(parts)
        }
        _ => None,
    }
}

/// Whether an expression makes a list of features.
fn is_list(expr: &Expr) -> bool {
    match &*expr.kind {
        ExprKind::New(ty, _) => last(ty) == "Set",
        ExprKind::Member(_, name) => name.text == "EmptySet",
        _ => false,
    }
}

fn last(ty: &TypeName) -> &str {
    match &ty.kind {
        TypeNameKind::Named(path, _) => path.last().map_or("", String::as_str),
        _ => "",
    }
}
