//! What actions read and write, and the requirements that they show: for tests from model programs.
//!
//! Reads and writes are those of the code of methods and of everything that they call, whether it runs in a given state or not: variables that an
//! action *may* read or write. The conditions and domains of an action belong to its start; a method runs at the end of its action.

use std::collections::BTreeSet;

use fathom_program::{ActionFacts, Facts};

use crate::code::{Code, Instr, Pass, Target};
use crate::described::parts;
use crate::model::{ActionMethod, Domain, Part, Role};
use crate::program::Model;
use crate::types::Type;
use crate::unit::{Storage, Unit};

/// What is known of the actions and variables of a program.
pub(crate) fn facts(model: &Model) -> Facts {
    let about = |symbol: &crate::program::Symbol| {
        let (mut before, mut at_end) = (Access::new(&model.unit), Access::new(&model.unit));
        let mut requirements = BTreeSet::new();
        for part in model.components.iter().map(|component| &component.part) {
            for method in methods_starting(part, &symbol.name) {
                before.start(method);
                requirements.extend(requirements_of(part, method));
            }
            for method in methods_done_at(part, &symbol.name) {
                at_end.method(method.method);
            }
        }
        let names = |variables: &[&BTreeSet<u32>]| {
            let all: BTreeSet<u32> = variables.iter().flat_map(|some| some.iter().copied()).collect();
            all.into_iter().map(|variable| model.variables[variable as usize].clone()).collect()
        };
        ActionFacts {
            name: symbol.name.clone(),
            requirements: requirements.into_iter().collect(),
            reads: names(&[&before.reads, &at_end.reads]),
            writes: names(&[&before.writes, &at_end.writes]),
        }
    };
    let actions = model.symbols.iter().map(about).collect();
    Facts { actions, few_values: few_values(model), parts: parts(model) }
}

/// The methods whose action begins with this name.
fn methods_starting<'p>(part: &'p Part, name: &str) -> &'p [ActionMethod] {
    match part.roles.get(name) {
        Some(Role::Start(methods, _)) => methods,
        _ => &[],
    }
}

/// The methods that run when the action with this name happens.
fn methods_done_at<'p>(part: &'p Part, name: &'p str) -> impl Iterator<Item = &'p ActionMethod> {
    let roles = part.roles.iter();
    let done = roles.filter_map(move |(start, role)| match role {
        Role::Start(methods, end) => {
            (end.as_ref().unwrap_or(start).as_str() == name).then_some(methods.as_slice())
        }
        Role::Finish => None,
    });
    done.flatten()
}

/// What is written at a method and at its conditions.
fn requirements_of(part: &Part, action: &ActionMethod) -> Vec<String> {
    let is_of = |method: u32| {
        action.method == method || action.conditions.iter().any(|condition| condition.method == method)
    };
    let own = part.requirements.iter().filter(|(method, _)| is_of(*method));
    own.map(|(_, text)| text.clone()).collect()
}

/// Fields of classes that are truth values or elements of enumerations, with all their values.
fn few_values(model: &Model) -> Vec<(String, Vec<String>)> {
    let mut found = Vec::new();
    for (field, storage) in model.unit.all.fields.iter().zip(&model.unit.storage) {
        let (Storage::Variable(variable), true) = (storage, field.is_static) else { continue };
        let values = match &field.ty {
            Type::Bool => vec!["false".to_owned(), "true".to_owned()],
            Type::Enum(id) => {
                model.unit.different_elements(*id).iter().map(|value| model.unit.show(value)).collect()
            }
            _ => continue,
        };
        found.push((model.variables[*variable as usize].clone(), values));
    }
    found
}

/// Variables that code may read and write.
struct Access<'u> {
    unit: &'u Unit,
    reads: BTreeSet<u32>,
    writes: BTreeSet<u32>,
    /// Methods that have been looked at.
    known: BTreeSet<u32>,
}

impl<'u> Access<'u> {
    fn new(unit: &'u Unit) -> Access<'u> {
        Access { unit, reads: BTreeSet::new(), writes: BTreeSet::new(), known: BTreeSet::new() }
    }

    /// What is asked before an action begins.
    fn start(&mut self, action: &ActionMethod) {
        action.conditions.iter().for_each(|condition| self.method(condition.method));
        for domain in action.domains.iter().flatten() {
            match domain {
                Domain::Method(method) => self.method(*method),
                Domain::Field(field) => self.read(*field),
                Domain::Type(_) | Domain::New(_) | Domain::Any => (),
            }
        }
    }

    fn method(&mut self, method: u32) {
        if !self.known.insert(method) {
            return;
        }
        if let Some(code) = self.unit.methods.get(method as usize).and_then(Option::as_ref) {
            self.all(&code.body);
        }
    }

    fn read(&mut self, field: u32) {
        if let Storage::Variable(variable) = self.unit.storage[field as usize] {
            self.reads.insert(variable);
        }
    }

    fn write(&mut self, field: u32) {
        if let Storage::Variable(variable) = self.unit.storage[field as usize] {
            self.writes.insert(variable);
        }
    }

    fn all(&mut self, body: &[Instr]) {
        body.iter().for_each(|instr| self.instr(instr));
    }

    fn instr(&mut self, instr: &Instr) {
        match instr {
            Instr::Do(code) | Instr::Let(_, code) | Instr::Yield(code) | Instr::Throw(code, _) => {
                self.code(code)
            }
            Instr::Block(body) => self.all(body),
            Instr::If(condition, then, otherwise) => {
                self.code(condition);
                self.all(then);
                self.all(otherwise);
            }
            Instr::Loop(condition, body, after, _) => {
                condition.iter().for_each(|condition| self.code(condition));
                self.all(body);
                self.codes(after);
            }
            Instr::ForEach(_, among, body, _) => {
                self.code(among);
                self.all(body);
            }
            Instr::Switch(value, cases) => {
                self.code(value);
                cases.iter().for_each(|(_, body)| self.all(body));
            }
            Instr::Return(code) => code.iter().for_each(|code| self.code(code)),
            Instr::Try(body, catch, last) => {
                self.all(body);
                catch.iter().for_each(|(_, body)| self.all(body));
                self.all(last);
            }
            Instr::YieldBreak | Instr::Break | Instr::Continue => (),
        }
    }

    fn codes(&mut self, all: &[Code]) {
        all.iter().for_each(|code| self.code(code));
    }

    fn code(&mut self, code: &Code) {
        match code {
            Code::Constant(_) | Code::Local(_) => (),
            Code::Static(field) => self.read(*field),
            Code::Field(of, field, _) => {
                self.code(of);
                self.read(*field);
            }
            Code::Call(method, of, arguments, _) => {
                of.iter().for_each(|of| self.code(of));
                arguments.iter().for_each(|argument| self.pass(argument));
                self.method(*method);
            }
            Code::New(_, constructor, arguments) => {
                self.codes(arguments);
                constructor.iter().for_each(|method| self.method(*method));
            }
            Code::Create(class) => self.create(class.0),
            Code::Op(_, operands, _) => self.codes(operands),
            Code::And(left, right) | Code::Or(left, right) | Code::Coalesce(left, right) => {
                self.code(left);
                self.code(right);
            }
            Code::If(condition, then, otherwise) => {
                [condition, then, otherwise].into_iter().for_each(|code| self.code(code));
            }
            Code::Assign(target, value) => {
                self.code(value);
                self.target(target);
            }
            Code::AssignIfNull(target, value) | Code::Update(target, _, value, _, _) => {
                self.code(value);
                self.read_target(target);
                self.target(target);
            }
            Code::TryGet(of, key, target, _, _) => {
                self.code(of);
                self.code(key);
                self.target(target);
            }
            Code::Lambda(lambda) => self.all(&lambda.body),
            Code::Invoke(function, arguments, _) => {
                self.code(function);
                self.codes(arguments);
            }
            Code::Part(of, _, _) | Code::NewArray(of, _, _) | Code::ArrayLength(of, _) => self.code(of),
            Code::ArrayOf(values) => self.codes(values),
            Code::ArrayAt(array, place, _) => {
                self.code(array);
                self.code(place);
            }
        }
    }

    /// A new object gets first values for its fields.
    fn create(&mut self, class: u32) {
        for field in 0..self.unit.all.fields.len() {
            let declared = &self.unit.all.fields[field];
            if declared.class.0 == class && !declared.is_static {
                self.write(field as u32);
            }
        }
    }

    fn pass(&mut self, argument: &Pass) {
        match argument {
            Pass::Value(code) => self.code(code),
            Pass::Out(target) => self.target(target),
            Pass::Ref(code, target) => {
                self.code(code);
                self.target(target);
            }
        }
    }

    fn target(&mut self, target: &Target) {
        match target {
            Target::Static(field) => self.write(*field),
            Target::Field(of, field, _) => {
                self.code(of);
                self.write(*field);
            }
            Target::Element(array, place, _) => {
                self.code(place);
                self.element_of(array);
            }
            Target::Setter(method, of, ..) => {
                of.iter().for_each(|of| self.code(of));
                self.method(*method);
            }
            Target::Local(_) | Target::Nowhere => (),
        }
    }

    /// An element of an array that is kept in a variable is a part of it: the others stay.
    fn element_of(&mut self, array: &Code) {
        self.code(array);
        match array {
            Code::Static(field) | Code::Field(_, field, _) => self.write(*field),
            Code::ArrayAt(array, _, _) => self.element_of(array),
            _ => (),
        }
    }

    fn read_target(&mut self, target: &Target) {
        match target {
            Target::Static(field) | Target::Field(_, field, _) => self.read(*field),
            Target::Element(array, _, _) => self.code(array),
            Target::Setter(_, _, _, getter) => getter.iter().for_each(|getter| self.method(*getter)),
            Target::Local(_) | Target::Nowhere => (),
        }
    }
}
