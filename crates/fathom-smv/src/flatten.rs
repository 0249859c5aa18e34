//! From modules to variables: instances are taken apart, names get their meaning.
//!
//! A parameter of a module stands for an expression in the place where the instance is declared, and is read there. Each instance has a scope; a
//! variable of an instance `p` is called `p.x`. Symbolic constants are the same everywhere.

use std::collections::{BTreeMap, BTreeSet};

use fathom_source::{Diagnostic, Span};

use crate::enumeration::{Group, Member, member_of};
use crate::syntax::{
    Assigned, Constraint, Expr, ExprKind, Item, Module, Name, Program, SpecKind, Type, VarKind,
};
use crate::value::{Domain, Ty, Value};

/// Most instances of modules.
const MOST_INSTANCES: usize = 20_000;
/// Most variables.
const MOST_VARIABLES: usize = 100_000;
/// How deep instances may nest.
const DEEPEST: usize = 60;

/// Widest words: values are those of a C `int`.
const WIDEST_SIGNED: u32 = 32;
const WIDEST_UNSIGNED: u32 = 31;

/// An expression in a scope.
pub(crate) type Scoped = (Expr, usize);

/// A variable.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub(crate) name: String,
    pub(crate) span: Span,
    pub(crate) kind: VarKind,
    pub(crate) domain: Domain,
    /// Where it is, in the globals and in the temporaries.
    pub(crate) offset: u32,
    /// What it is assigned, by kind of assignment and, for values after a step, by process.
    pub(crate) assigned: BTreeMap<(u8, usize), Scoped>,
}

impl Variable {
    /// What is assigned to it in every state, or in initial states.
    pub(crate) fn assigned(&self, assigned: Assigned) -> Option<&Scoped> {
        self.assigned.get(&(assigned as u8, 0))
    }

    /// What a process assigns to it for after a step.
    pub(crate) fn assigned_by(&self, process: usize) -> Option<&Scoped> {
        self.assigned.get(&(Assigned::Next as u8, process))
    }

    /// Whether some process assigns it for after a step.
    pub(crate) fn has_next(&self) -> bool {
        self.assigned.keys().any(|(kind, _)| *kind == Assigned::Next as u8)
    }
}

/// What a name means.
#[derive(Clone, Debug)]
pub(crate) enum Symbol {
    Variable(usize),
    Array { low: i64, elements: Vec<Symbol> },
    Define(Scoped),
    Instance(usize),
}

/// The names of an instance.
#[derive(Clone, Debug)]
pub(crate) struct Scope {
    /// What names in it start with.
    pub(crate) prefix: String,
    /// What the instance is called.
    pub(crate) name: String,
    pub(crate) symbols: BTreeMap<String, Symbol>,
    /// The process that it is part of.
    pub(crate) process: usize,
}

/// A program taken apart.
#[derive(Clone, Default, Debug)]
pub(crate) struct Flat {
    pub(crate) variables: Vec<Variable>,
    pub(crate) scopes: Vec<Scope>,
    /// The scopes of processes; the first is the main module.
    pub(crate) processes: Vec<usize>,
    pub(crate) constraints: Vec<(Constraint, Scoped)>,
    pub(crate) compassion: Vec<(Scoped, Scoped)>,
    pub(crate) specs: Vec<(SpecKind, Option<Name>, Scoped)>,
    /// Symbolic constants with their groups and their numbers there.
    pub(crate) literals: BTreeMap<String, (usize, i64)>,
    pub(crate) groups: Vec<Group>,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// Nodes of expressions made so far.
    pub(crate) n_nodes: usize,
    /// Values of defines from outside.
    pub(crate) overrides: Vec<(String, Expr)>,
    assignments: Vec<(Assigned, Expr, Expr, usize)>,
    /// What a scope defines in instances: the instance, the name, and what it is.
    defines_in_instances: Vec<(Expr, Name, Expr, usize)>,
}

impl Flat {
    /// Takes a program apart.
    pub(crate) fn new(program: &Program, overrides: Vec<(String, Expr)>) -> Flat {
        let mut flat = Flat { overrides, ..Flat::default() };
        flat.number_literals(program);
        let Some(main) = program.modules.iter().find(|module| module.name.text == "main") else {
            let error = Diagnostic::error("smv::no-main", "no module `main`");
            flat.diagnostics.push(error.help("declare what the program is made of in a `MODULE main`"));
            return flat;
        };
        for (place, module) in program.modules.iter().enumerate() {
            if program.modules[..place].iter().any(|before| before.name.text == module.name.text) {
                flat.error("smv::duplicate", "a module of this name exists", Some(module.name.span));
            }
        }
        if !main.parameters.is_empty() {
            flat.error("smv::main-parameters", "`main` has no parameters", Some(main.name.span));
        }
        flat.scopes.push(Scope {
            prefix: String::new(),
            name: "main".to_owned(),
            symbols: BTreeMap::new(),
            process: 0,
        });
        flat.processes.push(0);
        flat.instantiate(program, main, 0, 0);
        flat.define_in_instances();
        flat.assign();
        flat
    }

    pub(crate) fn error(&mut self, code: &'static str, message: impl Into<String>, span: Option<Span>) {
        let diagnostic = Diagnostic::error(code, message);
        self.diagnostics.push(match span {
            Some(span) => diagnostic.at(span, ""),
            None => diagnostic,
        });
    }

    fn instantiate(&mut self, program: &Program, module: &Module, scope: usize, depth: usize) {
        for item in &module.items {
            if let Item::Define(name, value) = item {
                let value = self.overridden(&name.text, scope).unwrap_or_else(|| value.clone());
                self.declare(scope, name, defined(value, scope));
            }
        }
        for item in &module.items {
            if let Item::Var(kind, name, ty) = item {
                self.variable(program, *kind, name, ty, scope, depth);
            }
        }
        for item in &module.items {
            match item {
                Item::Assign(assigned, target, value) => {
                    self.assignments.push((*assigned, target.clone(), value.clone(), scope));
                }
                Item::DefineIn(instance, name, value) => {
                    self.defines_in_instances.push((instance.clone(), name.clone(), value.clone(), scope));
                }
                Item::Constraint(constraint, expr) => {
                    self.constraints.push((*constraint, (expr.clone(), scope)));
                }
                Item::Compassion(first, second) => {
                    self.compassion.push(((first.clone(), scope), (second.clone(), scope)));
                }
                Item::Spec(kind, name, expr) => {
                    self.specs.push((*kind, name.clone(), (expr.clone(), scope)));
                }
                Item::Var(..) | Item::Define(..) | Item::Constants(_) => {}
            }
        }
    }

    fn overridden(&self, name: &str, scope: usize) -> Option<Expr> {
        let full = format!("{}{name}", self.scopes[scope].prefix);
        self.overrides.iter().find(|(known, _)| *known == full).map(|(_, value)| value.clone())
    }

    fn declare(&mut self, scope: usize, name: &Name, symbol: Symbol) {
        if self.scopes[scope].symbols.contains_key(&name.text) {
            let message = format!("`{}` is declared already", name.text);
            self.error("smv::duplicate", message, Some(name.span));
            return;
        }
        if self.literals.contains_key(&name.text) {
            let message = format!("`{}` is a symbolic constant as well", name.text);
            self.error("smv::duplicate", message, Some(name.span));
            return;
        }
        self.scopes[scope].symbols.insert(name.text.clone(), symbol);
    }

    fn variable(
        &mut self,
        program: &Program,
        kind: VarKind,
        name: &Name,
        ty: &Type,
        scope: usize,
        depth: usize,
    ) {
        let full = format!("{}{}", self.scopes[scope].prefix, name.text);
        let symbol = match ty {
            Type::Instance { module, arguments, process } => {
                self.instance(program, (kind, name, full), module, arguments, *process, scope, depth)
            }
            _ => self.storage(kind, name, full, ty, scope),
        };
        if let Some(symbol) = symbol {
            self.declare(scope, name, symbol);
        }
    }

    #[allow(clippy::too_many_arguments, reason = "an instance is declared by all of these")]
    fn instance(
        &mut self,
        program: &Program,
        (kind, name, full): (VarKind, &Name, String),
        module: &Name,
        arguments: &[Expr],
        process: bool,
        scope: usize,
        depth: usize,
    ) -> Option<Symbol> {
        let Some(declared) = program.modules.iter().find(|known| known.name.text == module.text) else {
            self.error("smv::unknown-module", format!("no module `{}`", module.text), Some(module.span));
            return None;
        };
        if kind != VarKind::State {
            self.error("smv::instance-kind", "instances are declared with `VAR`", Some(name.span));
        }
        if declared.parameters.len() != arguments.len() {
            let (wanted, given) = (declared.parameters.len(), arguments.len());
            let message = format!("`{}` has {wanted} parameters, not {given}", module.text);
            self.error("smv::arguments", message, Some(module.span));
            return None;
        }
        if depth >= DEEPEST || self.scopes.len() >= MOST_INSTANCES {
            self.error("smv::too-many-instances", "too many instances of modules", Some(name.span));
            return None;
        }
        let inner = self.scopes.len();
        let own = if process { self.processes.len() } else { self.scopes[scope].process };
        if process {
            self.processes.push(inner);
        }
        self.scopes.push(Scope {
            prefix: format!("{full}."),
            name: full,
            symbols: BTreeMap::new(),
            process: own,
        });
        for (parameter, argument) in declared.parameters.iter().zip(arguments) {
            // A symbolic constant may be called so elsewhere.
            let symbol = Symbol::Define((argument.clone(), scope));
            if self.scopes[inner].symbols.insert(parameter.text.clone(), symbol).is_some() {
                let message = format!("`{}` is declared already", parameter.text);
                self.error("smv::duplicate", message, Some(parameter.span));
            }
        }
        self.instantiate(program, declared, inner, depth + 1);
        Some(Symbol::Instance(inner))
    }

    fn storage(
        &mut self,
        kind: VarKind,
        name: &Name,
        full: String,
        ty: &Type,
        scope: usize,
    ) -> Option<Symbol> {
        if let Type::Array(low, high, element) = ty {
            let (low, high) = (self.constant(low, scope)?, self.constant(high, scope)?);
            if high < low || (high - low) as u64 >= MOST_VARIABLES as u64 {
                self.error("smv::bounds", "no range for an array", Some(name.span));
                return None;
            }
            let mut elements = Vec::new();
            let n_said = self.diagnostics.len();
            for index in low..=high {
                // What is wrong with a type is said of the first element.
                let n_first = self.diagnostics.len();
                elements.push(self.storage(kind, name, format!("{full}[{index}]"), element, scope)?);
                self.diagnostics.truncate(if n_first > n_said { n_first } else { self.diagnostics.len() });
            }
            return Some(Symbol::Array { low, elements });
        }
        if self.variables.len() >= MOST_VARIABLES {
            self.error("smv::too-many-variables", "too many variables", Some(name.span));
            return None;
        }
        // With a type that is none the variable is declared all the same: the rest is not wrong because of that.
        let broken = Domain { ty: Ty::Broken, least: 0, most: 0, gaps: None };
        let domain = self.domain(ty, name.span, scope).unwrap_or(broken);
        let number = self.variables.len();
        let (span, assigned) = (name.span, BTreeMap::new());
        self.variables.push(Variable { name: full, span, kind, domain, offset: 0, assigned });
        Some(Symbol::Variable(number))
    }

    fn domain(&mut self, ty: &Type, span: Span, scope: usize) -> Option<Domain> {
        match ty {
            Type::Boolean => Some(Domain { ty: Ty::Bool, least: 0, most: 1, gaps: None }),
            Type::Range(low, high) => {
                let (least, most) = (self.constant(low, scope)?, self.constant(high, scope)?);
                if most < least {
                    self.error("smv::bounds", format!("{least}..{most} is empty"), Some(span));
                    return None;
                }
                self.within_numbers(least, most, span)?;
                Some(Domain { ty: Ty::Int, least, most, gaps: None })
            }
            Type::Word { signed, width } => {
                let bits = self.constant(width, scope)?;
                let widest = if *signed { WIDEST_SIGNED } else { WIDEST_UNSIGNED };
                if bits < 1 || bits > i64::from(widest) {
                    let message = format!("words have 1 to {widest} bits here, not {bits}");
                    self.error("smv::unsupported", message, Some(width.span));
                    return None;
                }
                let width = bits as u32;
                let (least, most) = Ty::bounds_of_word(*signed, width);
                Some(Domain { ty: Ty::Word { signed: *signed, width }, least, most, gaps: None })
            }
            Type::Enumeration(members) => self.enumeration(members, span),
            Type::Array(..) => None,
            Type::Instance { .. } => {
                self.error(
                    "smv::unsupported",
                    "arrays of instances of modules are not supported",
                    Some(span),
                );
                None
            }
        }
    }

    /// Numbers have 32 bits.
    fn within_numbers(&mut self, least: i64, most: i64, span: Span) -> Option<()> {
        if i32::try_from(least).is_ok() && i32::try_from(most).is_ok() {
            return Some(());
        }
        let message = format!("numbers are {} to {} here, not {least} to {most}", i32::MIN, i32::MAX);
        self.error("smv::unsupported", message, Some(span));
        None
    }

    fn enumeration(&mut self, members: &[Expr], span: Span) -> Option<Domain> {
        let mut values = BTreeSet::new();
        let mut ty = Ty::Int;
        for member in members {
            match member_of(member) {
                Some(Member::Number(number)) => {
                    values.insert(number);
                }
                Some(Member::Name(name)) => {
                    let (group, number) = self.literals.get(&name).copied()?;
                    ty = Ty::Enum(group);
                    values.insert(number);
                }
                None => {
                    self.error("smv::enumeration", "a number or a name is expected", Some(member.span));
                    return None;
                }
            }
        }
        let (least, most) = (*values.first()?, *values.last()?);
        self.within_numbers(least, most, span)?;
        if values.len() != members.len() {
            self.error("smv::enumeration", "a value occurs twice", Some(span));
        }
        let gaps = ((most - least) as u64 + 1 != values.len() as u64).then_some(values);
        Some(Domain { ty, least, most, gaps })
    }

    /// The value of an expression that must be a constant.
    pub(crate) fn constant(&mut self, expr: &Expr, scope: usize) -> Option<i64> {
        let value: Value = self.value(expr, &crate::expr::Context::constant(scope));
        if value.ty == Ty::Broken {
            return None;
        }
        let known = value.known();
        if known.is_none() {
            self.error("smv::constant", "a constant is expected", Some(expr.span));
        }
        known
    }

    /// Names that one instance defines in another, which it has declared or been given.
    fn define_in_instances(&mut self) {
        for (instance, name, value, scope) in std::mem::take(&mut self.defines_in_instances) {
            match self.symbol(&instance, scope) {
                Some(Symbol::Instance(inner)) => {
                    let value = self.overridden(&name.text, inner).unwrap_or(value);
                    self.declare(inner, &name, defined(value, scope));
                }
                _ => self.error("smv::no-instance", "an instance is expected", Some(instance.span)),
            }
        }
    }

    /// Says so when a name is none because an index, a constant, is outside of its array.
    fn says_bounds(&mut self, target: &Expr, scope: usize) -> bool {
        let ExprKind::Index(base, index) = &target.kind else { return false };
        let Some(Symbol::Array { low, elements }) = self.symbol(base, scope) else { return false };
        let Some(known) = self.constant(index, scope) else { return true };
        let most = low + self.elements_of(&elements).len() as i64 - 1;
        self.error("smv::bounds", format!("index {known} is outside of {low}..{most}"), Some(index.span));
        true
    }

    /// Gives assignments to their variables.
    fn assign(&mut self) {
        for (assigned, target, value, scope) in std::mem::take(&mut self.assignments) {
            let Some(symbol) = self.symbol(&target, scope) else {
                let is_said = matches!(self.diagnostics.last(), Some(last) if last.primary.as_ref().is_some_and(|label| label.span == target.span));
                if !is_said && !self.says_bounds(&target, scope) {
                    self.error("smv::assignment", "a variable is expected", Some(target.span));
                }
                continue;
            };
            let Symbol::Variable(number) = symbol else {
                self.error("smv::assignment", "a variable is expected", Some(target.span));
                continue;
            };
            let kind = self.variables[number].kind;
            if kind == VarKind::Input || kind == VarKind::Frozen && assigned != Assigned::Init {
                self.error("smv::assignment", "this variable cannot be assigned so", Some(target.span));
                continue;
            }
            let process = if assigned == Assigned::Next { self.scopes[scope].process } else { 0 };
            let key = (assigned as u8, process);
            let known = &self.variables[number].assigned;
            let conflicts = known.keys().any(|&other| {
                other == key || other.0 == Assigned::Current as u8 || assigned == Assigned::Current
            });
            if conflicts {
                let name = self.variables[number].name.clone();
                self.error("smv::assigned-twice", format!("`{name}` is assigned twice"), Some(target.span));
                continue;
            }
            self.variables[number].assigned.insert(key, (value, scope));
        }
    }

    /// What a name, or a way of names, means; none when it is no name.
    pub(crate) fn symbol(&mut self, expr: &Expr, scope: usize) -> Option<Symbol> {
        self.symbol_within(expr, scope, 0)
    }

    fn symbol_within(&mut self, expr: &Expr, scope: usize, depth: usize) -> Option<Symbol> {
        if depth > 2 * DEEPEST {
            self.error("smv::circular", "a name that stands for itself", Some(expr.span));
            return None;
        }
        match &expr.kind {
            ExprKind::Name(name) if name == "self" => Some(Symbol::Instance(scope)),
            ExprKind::Name(name) => {
                let symbol = self.scopes[scope].symbols.get(name)?.clone();
                self.followed(symbol, depth)
            }
            ExprKind::Field(base, field) => {
                let Symbol::Instance(inner) = self.symbol_within(base, scope, depth + 1)? else {
                    return None;
                };
                let symbol = self.scopes[inner].symbols.get(&field.text)?.clone();
                self.followed(symbol, depth)
            }
            ExprKind::Index(base, index) => {
                let Symbol::Array { low, elements } = self.symbol_within(base, scope, depth + 1)? else {
                    return None;
                };
                // An index that varies is no name, and nothing to complain about here.
                let n_said = self.diagnostics.len();
                let value = self.value(index, &crate::expr::Context::constant(scope));
                let is_constant = self.diagnostics.len() == n_said;
                self.diagnostics.truncate(n_said);
                let value = value.known().filter(|_| is_constant)?;
                let place = usize::try_from(value - low).ok()?;
                let element = elements.get(place).cloned()?;
                self.element_of(element, depth)
            }
            _ => None,
        }
    }

    /// An element of an array of definitions that is the name of an array means that array. Other names stay what they are: a definition cannot be assigned.
    fn element_of(&mut self, element: Symbol, depth: usize) -> Option<Symbol> {
        if !matches!(element, Symbol::Define(_)) {
            return Some(element);
        }
        match self.followed(element.clone(), depth) {
            Some(Symbol::Array { low, elements }) => Some(Symbol::Array { low, elements }),
            _ => Some(element),
        }
    }

    /// The elements of an array, ready for use.
    pub(crate) fn elements_of(&mut self, elements: &[Symbol]) -> Vec<Symbol> {
        elements.iter().filter_map(|element| self.element_of(element.clone(), 0)).collect()
    }

    /// Parameters stand for what they are given.
    fn followed(&mut self, symbol: Symbol, depth: usize) -> Option<Symbol> {
        let Symbol::Define((expr, scope)) = &symbol else { return Some(symbol) };
        let is_name = matches!(expr.kind, ExprKind::Name(_) | ExprKind::Field(..) | ExprKind::Index(..));
        if !is_name {
            return Some(symbol);
        }
        let (expr, scope) = (expr.clone(), *scope);
        Some(self.symbol_within(&expr, scope, depth + 1).unwrap_or(symbol))
    }
}

/// What a definition means: arrays are taken apart.
fn defined(value: Expr, scope: usize) -> Symbol {
    match value.kind {
        ExprKind::Array(elements) => {
            let elements = elements.into_iter().map(|element| defined(element, scope)).collect();
            Symbol::Array { low: 0, elements }
        }
        _ => Symbol::Define((value, scope)),
    }
}
