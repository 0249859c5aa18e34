//! What the factory methods of a program make: parts of it, chosen by namespace and feature, or state machines.
//!
//! They are read, not run: a factory names a namespace and features, or lists transitions.

use fathom_source::{Diagnostic, Span};

use crate::declare::{Declarations, Declared, Factory, constant_text};
use crate::fsm::{Fsm, parse_fsm, parse_term};
use crate::syntax::{Argument, Expr, ExprKind, StmtKind, TypeName, TypeNameKind};
use crate::types::ClassId;

/// What a factory makes.
#[derive(Clone, Debug)]
pub enum Made {
    /// The classes of a namespace: those without a feature, and those with one of these; none means all.
    Library(String, Option<Vec<String>>),
    /// A state machine.
    Machine(Fsm),
}

/// Reads a factory.
///
/// # Errors
///
/// A diagnostic where it does something else.
pub fn read_factory(all: &Declarations, factory: &Factory) -> Result<Made, Box<Diagnostic>> {
    let mut reader = Reader { all, class: factory.class, machines: Vec::new(), lists: Vec::new() };
    for stmt in &factory.body {
        match &stmt.kind {
            StmtKind::Empty => (),
            StmtKind::Local(_, variables) => {
                for (name, value) in variables {
                    let Some(value) = value else { continue };
                    if is_list(value) {
                        reader.lists.push((&name.text, value));
                        continue;
                    }
                    let machine = reader.machine(value)?;
                    reader.machines.push((name.text.clone(), machine));
                }
            }
            StmtKind::Expr(Expr { kind, .. }) => match &**kind {
                ExprKind::Assign(target, None, value) => {
                    let ExprKind::Name(name) = &*target.kind else { return Err(reader.odd(stmt.span)) };
                    let machine = reader.machine(value)?;
                    reader.machines.push((name.clone(), machine));
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
}

impl<'d> Reader<'d> {
    fn odd(&self, span: Span) -> Box<Diagnostic> {
        let message = "a factory that does something else than naming a namespace, features or transitions is not supported";
        Box::new(Diagnostic::error("csharp::unsupported", message).at(span, ""))
    }

    fn made(&self, value: &Expr) -> Result<Made, Box<Diagnostic>> {
        match &*value.kind {
            ExprKind::New(ty, arguments) => match (last(ty), &arguments[..]) {
                ("LibraryModelProgram", [_, namespace]) => {
                    Ok(Made::Library(self.namespace(&namespace.value)?, None))
                }
                ("LibraryModelProgram", [_, namespace, features]) => {
                    let features = self.features(&features.value)?;
                    Ok(Made::Library(self.namespace(&namespace.value)?, features))
                }
                ("FsmModelProgram", [machine, name]) => {
                    let mut machine = self.machine(&machine.value)?;
                    machine.name = constant_text(&name.value).ok_or_else(|| self.odd(name.value.span))?;
                    Ok(Made::Machine(machine))
                }
                _ => Err(self.odd(value.span)),
            },
            // LibraryModelProgram.Create(typeof(T), features…)
            ExprKind::Call(function, arguments) => match (&*function.kind, &arguments[..]) {
                (ExprKind::Member(_, name), [first, features @ ..]) if name.text == "Create" => {
                    let ExprKind::TypeOf(ty) = &*first.value.kind else { return Err(self.odd(value.span)) };
                    let features = self.texts(features, self.class)?;
                    Ok(Made::Library(self.namespace_of(ty)?, Some(features)))
                }
                _ => Err(self.odd(value.span)),
            },
            _ => Err(self.odd(value.span)),
        }
    }

    /// A text, or `typeof(T).Namespace`.
    fn namespace(&self, value: &Expr) -> Result<String, Box<Diagnostic>> {
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

    fn namespace_of(&self, ty: &TypeName) -> Result<String, Box<Diagnostic>> {
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

    /// `null`, `new Set<string>("A", "B")`, `Set<string>.EmptySet`, or the name of such a list.
    fn features(&self, value: &Expr) -> Result<Option<Vec<String>>, Box<Diagnostic>> {
        let local = match &*value.kind {
            ExprKind::Name(name) => self.lists.iter().rev().find(|(known, _)| known == name),
            _ => None,
        };
        let (list, class) = match local {
            Some((_, list)) => (*list, self.class),
            None => self.constant(value, self.class),
        };
        match &*list.kind {
            ExprKind::Null => Ok(None),
            ExprKind::New(_, arguments) => self.texts(arguments, class).map(Some),
            ExprKind::Member(_, name) if name.text == "EmptySet" => Ok(Some(Vec::new())),
            _ => Err(self.odd(value.span)),
        }
    }

    /// Names of features, as texts or as constants of a class.
    fn texts(&self, arguments: &[Argument], class: ClassId) -> Result<Vec<String>, Box<Diagnostic>> {
        let text = |argument: &Argument| {
            let (value, _) = self.constant(&argument.value, class);
            constant_text(value).ok_or_else(|| self.odd(argument.value.span))
        };
        arguments.iter().map(text).collect()
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
    fn machine(&self, value: &Expr) -> Result<Fsm, Box<Diagnostic>> {
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
