//! From files to a program: what is read, which parts of it are chosen, where its values are kept.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use fathom_source::{Diagnostic, FileId, FileLoader, LoadError, SourceMap, Span, has_errors};

use crate::code::MethodCode;
use crate::compile::Compiler;
use crate::declare::{Declarations, Factory, Instances, Method, declare, element_place};
use crate::effects::check_calls;
use crate::factory::{Feature, Library, Made, read_factory};
use crate::first_values::First;
use crate::fsm::{Fsm, parse_fsm};
use crate::interpret::{Lasting, Machine};
use crate::model::{ActionMethod, Domain, Part, Place, Role, build_part, merge};
use crate::parse::parse_file;
use crate::program::{CSharpProgram, Component, Model, Scenario, Symbol};
use crate::terms::{arguments_of, name_terms};
use crate::types::{EnumId, Type};
use crate::unit::{Storage, Unit};
use crate::value::{State, Value};

/// What to make of the files.
#[derive(Clone, Default, Debug)]
pub struct Options {
    /// Further files that belong to the program.
    pub files: Vec<String>,
    /// Files with state machines in text form, to be composed with it.
    pub scenarios: Vec<String>,
    /// Factory methods (`Make`, `Factory.Make`, `Name.Space.Factory.Make`) or namespaces, to be composed. With none, the
    /// first factory, or the first namespace with actions.
    pub programs: Vec<String>,
    /// Features instead of those that a factory names.
    pub features: Option<Vec<String>>,
}

/// Reads a program from a file, and from those that the options name.
///
/// A file that does not end in `.cs` is a state machine.
pub fn load(
    path: &str,
    loader: &dyn FileLoader,
    options: &Options,
    sources: &mut SourceMap,
) -> (Option<CSharpProgram>, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    let (mut programs, mut machines) = (Vec::new(), Vec::new());
    let paths = [path].into_iter().chain(options.files.iter().map(String::as_str));
    let paths: Vec<&str> = paths.chain(options.scenarios.iter().map(String::as_str)).collect();
    for path in paths {
        let loaded = loader.load(path, None).and_then(|file| sources.add_loaded(file));
        let into = if path.ends_with(".cs") { &mut programs } else { &mut machines };
        match loaded {
            Ok(file) => into.push(file),
            Err(error) => diagnostics.push(cannot_load(path, &error)),
        }
    }
    if has_errors(&diagnostics) {
        return (None, diagnostics);
    }
    read(&programs, &machines, sources, options)
}

fn cannot_load(path: &str, error: &LoadError) -> Diagnostic {
    Diagnostic::error("csharp::cannot-load", format!("cannot load `{path}`: {error}"))
}

/// Reads a program from files that are loaded: C# and state machines.
pub fn read(
    programs: &[FileId],
    machines: &[FileId],
    sources: &SourceMap,
    options: &Options,
) -> (Option<CSharpProgram>, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    let mut files = Vec::new();
    for file in programs {
        let (parsed, said) = parse_file(*file, sources);
        files.push(parsed);
        diagnostics.extend(said);
    }
    let (all, said) = declare(files);
    diagnostics.extend(said);
    let mut made = Vec::new();
    if !programs.is_empty() && !has_errors(&diagnostics) {
        made = choose(&all, options, &mut diagnostics);
    }
    for file in machines {
        let text = sources.file(*file).text();
        let whole = Span { file: *file, start: 0, end: text.len() as u32 };
        let (machine, said) = parse_fsm(text, sources.file(*file).name(), whole);
        diagnostics.extend(said);
        made.extend(machine.map(Made::Machine));
    }
    if has_errors(&diagnostics) {
        return (None, diagnostics);
    }
    let program = build(all, made, sources, &mut diagnostics);
    let program = program.filter(|_| !has_errors(&diagnostics));
    (program, diagnostics)
}

/// What is to be composed.
fn choose(all: &Declarations, options: &Options, diagnostics: &mut Vec<Diagnostic>) -> Vec<Made> {
    let mut made = Vec::new();
    for program in &options.programs {
        match find(all, program) {
            Ok(found) => made.extend(found),
            Err(diagnostic) => diagnostics.push(*diagnostic),
        }
    }
    if options.programs.is_empty() {
        made.extend(default_program(all, diagnostics));
    }
    if let Some(features) = &options.features {
        choose_features(all, features, &mut made, diagnostics);
    }
    warn_of_nothing(all, &made, diagnostics);
    made
}

/// Warns of a library in which nothing can happen: most likely a file of it was forgotten.
fn warn_of_nothing(all: &Declarations, made: &[Made], diagnostics: &mut Vec<Diagnostic>) {
    let acts_in = |namespace: &str| {
        let mut methods =
            all.methods.iter().filter(|method| all.classes[method.class.0 as usize].namespace == namespace);
        methods.any(|method| method.attributes.iter().any(|attribute| attribute.name.text == "Action"))
    };
    for library in made {
        if let Made::Library(Library { namespace, span, .. }) = library
            && !acts_in(namespace)
        {
            let message =
                format!("no method in the namespace `{namespace}` is an action: nothing happens there");
            let warning = Diagnostic::warning("csharp::no-actions", message);
            let warning = span.iter().fold(warning, |warning, span| warning.at(*span, ""));
            diagnostics.push(warning.help("name the other files of the program with --with"));
        }
    }
}

/// Takes features instead of those that factories name.
fn choose_features(
    all: &Declarations,
    features: &[String],
    made: &mut [Made],
    diagnostics: &mut Vec<Diagnostic>,
) {
    let mut known: BTreeSet<&str> = BTreeSet::new();
    for made in made {
        if let Made::Library(library) = made {
            known.extend(all.features(&library.namespace));
            let feature = |name: &String| Feature { name: name.clone(), span: None };
            library.features = Some(features.iter().map(feature).collect());
        }
    }
    for feature in features.iter().filter(|feature| !known.contains(feature.as_str())) {
        let error =
            Diagnostic::error("csharp::unknown-feature", format!("no class has the feature `{feature}`"));
        let names: Vec<&str> = known.iter().copied().collect();
        diagnostics.push(match names.is_empty() {
            true => error.note("the classes of the program have no features"),
            false => error.note(format!("features: {}", names.join(", "))),
        });
    }
}

fn factory_name(all: &Declarations, factory: &Factory) -> String {
    format!("{}.{}", all.full_name(factory.class), factory.name.text)
}

fn find(all: &Declarations, program: &str) -> Result<Vec<Made>, Box<Diagnostic>> {
    let suffix = format!(".{program}");
    let factory = all.factories.iter().find(|factory| {
        let name = factory_name(all, factory);
        name == program || name.ends_with(&suffix)
    });
    if let Some(factory) = factory {
        return read_factory(all, factory);
    }
    if all.classes.iter().any(|class| class.namespace == program) {
        return Ok(vec![whole_namespace(program)]);
    }
    let message = format!("there is neither a factory nor a namespace `{program}`");
    let names: Vec<String> = all.factories.iter().map(|factory| factory_name(all, factory)).collect();
    let diagnostic = Diagnostic::error("csharp::unknown-program", message);
    let diagnostic = if names.is_empty() {
        diagnostic
    } else {
        diagnostic.note(format!("factories: {}", names.join(", ")))
    };
    Err(Box::new(diagnostic))
}

fn whole_namespace(name: &str) -> Made {
    Made::Library(Library { namespace: name.to_string(), span: None, features: None })
}

fn default_program(all: &Declarations, diagnostics: &mut Vec<Diagnostic>) -> Vec<Made> {
    let names: Vec<String> = all.factories.iter().map(|factory| factory_name(all, factory)).collect();
    if let Some(factory) = all.factories.first() {
        if names.len() > 1 {
            let message = format!("of {} factories the first is taken: `{}`", names.len(), names[0]);
            let warning = Diagnostic::warning("csharp::several-programs", message).at(factory.name.span, "");
            diagnostics.push(warning.note(format!("the others: {}", names[1..].join(", "))));
        }
        return read_factory(all, factory).unwrap_or_else(|diagnostic| {
            diagnostics.push(*diagnostic);
            Vec::new()
        });
    }
    let has_action =
        |method: &&Method| method.attributes.iter().any(|attribute| attribute.name.text == "Action");
    let class_of = |method: &Method| &all.classes[method.class.0 as usize];
    let mut namespaces: Vec<&str> = Vec::new();
    let mut place = None;
    for method in all.methods.iter().filter(has_action) {
        let namespace = class_of(method).namespace.as_str();
        if !namespaces.contains(&namespace) {
            namespaces.push(namespace);
        }
        place = place.or(Some(method.name.span));
    }
    let Some(first) = namespaces.first() else {
        let error = Diagnostic::error("csharp::no-actions", "no method is an action");
        let error = match all.classes.first() {
            Some(class) => error.at(class.name.span, ""),
            None => error,
        };
        diagnostics.push(error.help("put `[Action]` before the methods that are actions"));
        return Vec::new();
    };
    if namespaces.len() > 1 {
        let message =
            format!("of {} namespaces with actions the first is taken: `{first}`", namespaces.len());
        let warning = Diagnostic::warning("csharp::several-programs", message);
        let warning = place.into_iter().fold(warning, |warning, place| warning.at(place, ""));
        diagnostics.push(warning.note(format!("the others: {}", namespaces[1..].join(", "))));
    }
    vec![whole_namespace(first)]
}

/// Compiles what was chosen.
fn build(
    all: Declarations,
    made: Vec<Made>,
    sources: &SourceMap,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<CSharpProgram> {
    let (libraries, machines) = merge(made);
    let mut parts = Vec::new();
    for library in libraries {
        let part = build_part(&all, &library, diagnostics);
        if part.classes.is_empty() {
            let message = format!("there are no classes in the namespace `{}`", library.namespace);
            let error = Diagnostic::error("csharp::unknown-program", message);
            diagnostics.push(library.span.into_iter().fold(error, |error, span| error.at(span, "")));
        }
        parts.push(part);
    }
    if parts.is_empty() && machines.is_empty() {
        return None;
    }
    if has_errors(diagnostics) {
        return None;
    }
    let name = parts
        .iter()
        .map(|part| part.namespace.as_str())
        .chain(machines.iter().map(|machine| machine.name.as_str()))
        .collect::<Vec<_>>()
        .join(" x ");
    let (mut unit, mut variables, field_maps) = compile(all, &parts, &machines, sources, diagnostics)?;
    let n_fields = variables.len();
    let mut components = Vec::new();
    for part in parts {
        let pending = part.has_pending().then(|| {
            variables.push(format!("{}.pending", part.namespace));
            variables.len() - 1
        });
        components.push(Component { part, pending });
    }
    let mut scenarios = Vec::new();
    for machine in machines {
        variables.push(format!("{}.state", machine.name));
        let variable = variables.len() - 1;
        let arguments = arguments_of(&machine, &components, &unit, diagnostics);
        scenarios.push(Scenario { machine, arguments, variable });
    }
    let First { mut state, constants, lasting } = match Machine::first_state(&unit, n_fields) {
        Ok(first) => first,
        Err(stop) => {
            let diagnostic = Diagnostic::error(
                "csharp::first-state",
                format!("the program does not start: {}", stop.text()),
            );
            diagnostics.push(match stop.span {
                Some(span) => diagnostic.at(span, ""),
                None => diagnostic,
            });
            return None;
        }
    };
    (unit.constants, unit.lasting) = (constants, lasting);
    state.extend(components.iter().filter(|component| component.pending.is_some()).map(|_| Value::Null));
    state.extend(scenarios.iter().map(|one| Value::set(vec![Value::Int(one.machine.initial as i64)])));
    if variables.is_empty() {
        // Stores want something to store.
        variables.push("nothing".to_string());
        state.push(Value::Null);
    }
    let symbols = symbols(&components, &scenarios, diagnostics);
    let initial = State(state);
    let model = Model { name, unit, components, scenarios, symbols, variables, field_maps, initial };
    Some(CSharpProgram { model: Arc::new(model) })
}

/// All actions, with those that no values are known for.
fn symbols(
    components: &[Component],
    scenarios: &[Scenario],
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Symbol> {
    let mut names: Vec<String> = Vec::new();
    let of_parts = components.iter().flat_map(|component| component.part.order.iter().cloned());
    let of_machines =
        scenarios.iter().flat_map(|scenario| scenario.machine.actions().into_iter().map(str::to_string));
    for name in of_parts.chain(of_machines) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let mut symbols = Vec::new();
    for name in names {
        let mut arity = 0;
        let mut starts = Vec::new();
        for component in components {
            match component.part.roles.get(&name) {
                Some(Role::Start(methods, _)) => {
                    arity = arity.max(methods.iter().map(|method| method.places.len()).max().unwrap_or(0));
                    starts.extend(methods);
                }
                Some(Role::Finish) => arity = arity.max(n_outcomes(&component.part, &name)),
                None => (),
            }
        }
        let of_machines: Vec<Vec<&[Value]>> = scenarios
            .iter()
            .filter(|scenario| scenario.machine.knows(&name))
            .map(|scenario| scenario.arguments_of(&name).collect())
            .collect();
        let n_given = of_machines.iter().flatten().map(|arguments| arguments.len());
        arity = arity.max(n_given.max().unwrap_or(0));
        let mut lacks_domain = false;
        for place in 0..arity {
            let is_used =
                |method: &&&ActionMethod| method.places.get(place).is_some_and(|place| *place != Place::Any);
            let is_said = |method: &&ActionMethod| matches!(method.domains.get(place), Some(Some(domain)) if !matches!(domain, Domain::Any));
            let Some(user) = starts.iter().find(is_used) else { continue };
            let named = of_machines.iter().map(|transitions| named_values(transitions, place)).max();
            if starts.iter().any(is_said) || named == Some(Named::Always) {
                continue;
            }
            lacks_domain = named != Some(Named::Sometimes);
            let which = if lacks_domain {
                "which values"
            } else {
                "which values other than those that machines name"
            };
            let what = if lacks_domain { "it never happens" } else { "it never happens with others" };
            let message = format!("nothing says {which} argument {} of `{name}` has: {what}", place + 1);
            let warning = Diagnostic::warning("csharp::no-domain", message).at(user.span, "");
            diagnostics
                .push(warning.help("write `[Domain(\"…\")]` at the parameter, or compose with what has one"));
            if lacks_domain {
                break;
            }
        }
        symbols.push(Symbol { name, arity, lacks_domain });
    }
    symbols
}

/// Whether the transitions of a machine by an action name the value of an argument.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Named {
    Never,
    Sometimes,
    Always,
}

fn named_values(transitions: &[&[Value]], place: usize) -> Named {
    let is_named = |arguments: &&[Value]| arguments.get(place).is_some_and(|value| *value != Value::Any);
    if transitions.iter().all(is_named) {
        Named::Always
    } else if transitions.iter().any(is_named) {
        Named::Sometimes
    } else {
        Named::Never
    }
}

fn n_outcomes(part: &Part, end: &str) -> usize {
    let ends = |role: &Role| match role {
        Role::Start(methods, Some(known)) if known == end => {
            methods.iter().filter_map(|method| method.outcomes.as_ref().map(Vec::len)).max()
        }
        _ => None,
    };
    part.roles.values().filter_map(ends).max().unwrap_or(0)
}

type Compiled = (Unit, Vec<String>, BTreeSet<usize>);

fn compile(
    all: Declarations,
    parts: &[Part],
    machines: &[Fsm],
    sources: &SourceMap,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Compiled> {
    let mut compiler = Compiler::new(&all);
    let mut included: BTreeSet<u32> = BTreeSet::new();
    for class in parts.iter().flat_map(|part| &part.classes) {
        let known = &all.classes[class.0 as usize];
        known.methods.iter().chain(&known.constructors).for_each(|method| compiler.ask(*method));
        included.extend(known.fields.iter().map(|field| *field as u32));
    }
    let mut initializers: Vec<Option<MethodCode>> = vec![None; all.fields.len()];
    let methods = loop {
        let methods = compiler.finish();
        let wanted: Vec<u32> = included.iter().chain(&compiler.used_fields).copied().collect();
        // A class that is used gets all its first values, in their order.
        let classes: BTreeSet<u32> = wanted.iter().map(|field| all.fields[*field as usize].class.0).collect();
        let mut is_new = false;
        for class in classes {
            let known = &all.classes[class as usize];
            if let Some(constructor) = known.static_constructor {
                compiler.ask(constructor);
            }
            for field in &known.fields {
                if initializers[*field].is_none() {
                    is_new = true;
                    initializers[*field] = Some(compiler.initializer(*field));
                }
            }
        }
        if !is_new {
            break methods;
        }
    };
    check_calls(&all, &methods, &initializers, &mut compiler.diagnostics);
    name_terms(&all, machines, &mut compiler);
    let (storage, variables, field_maps, n_constants) =
        store(&all, &included, &compiler, &initializers, diagnostics);
    let (elements, names) = elements(&all, &compiler, diagnostics);
    let may_ask_for_names = compiler.may_ask_for_names;
    diagnostics.append(&mut compiler.diagnostics);
    if has_errors(diagnostics) {
        return None;
    }
    let mut by_number = vec![None; all.methods.len()];
    for (number, code) in methods {
        by_number[number as usize] = Some(code);
    }
    let mut all = all;
    for (sort, names) in names {
        all.sorts[sort as usize].elements = names;
    }
    let unit = Unit {
        methods: by_number,
        initializers,
        storage,
        constants: vec![Value::Null; n_constants],
        lasting: Lasting::default(),
        elements,
        sources: sources.clone(),
        may_ask_for_names,
        all,
    };
    Some((unit, variables, field_maps))
}

/// Whether a state can have values of a type, with the fields of compound values.
fn is_kept(ty: &Type, all: &Declarations, seen: &mut BTreeSet<u32>) -> bool {
    match ty {
        Type::Class(class) if all.classes[class.0 as usize].instances == Instances::Values => {
            let fields = all.instance_fields(*class);
            !seen.insert(class.0) || fields.iter().all(|field| is_kept(&all.fields[*field].ty, all, seen))
        }
        Type::Set(of) | Type::Bag(of) | Type::Sequence(of) | Type::Nullable(of) => is_kept(of, all, seen),
        Type::Map(key, value) => is_kept(key, all, seen) && is_kept(value, all, seen),
        Type::Tuple(parts) => parts.iter().all(|part| is_kept(part, all, seen)),
        _ => ty.is_modelling(),
    }
}

type Stored = (Vec<Storage>, Vec<String>, BTreeSet<usize>, usize);

/// Where the values of fields are.
fn store(
    all: &Declarations,
    included: &BTreeSet<u32>,
    compiler: &Compiler<'_>,
    initializers: &[Option<MethodCode>],
    diagnostics: &mut Vec<Diagnostic>,
) -> Stored {
    let (mut storage, mut variables, mut field_maps) = (Vec::new(), Vec::new(), BTreeSet::new());
    let mut n_constants = 0;
    for (index, field) in all.fields.iter().enumerate() {
        let class = &all.classes[field.class.0 as usize];
        let is_assigned = compiler.assigned_statics.contains(&(index as u32));
        let is_wanted = included.contains(&(index as u32)) || compiler.used_fields.contains(&(index as u32));
        let is_value = !field.is_static && class.instances != Instances::Objects;
        if is_value || initializers[index].is_none() || (!field.is_static && !is_wanted) {
            storage.push(Storage::Nowhere);
            continue;
        }
        if field.is_static && (field.is_constant || !is_assigned) {
            storage.push(Storage::Constant(n_constants));
            n_constants += 1;
            continue;
        }
        if field.is_excluded && field.is_static {
            let message = format!("`{}` is assigned to, so it is a part of the state", field.name.text);
            diagnostics.push(Diagnostic::warning("csharp::excluded", message).at(field.name.span, ""));
        }
        if !is_kept(&field.ty, all, &mut BTreeSet::new()) {
            let message = format!("`{}` has no type that a state can have", field.name.text);
            let note = "arrays, functions and `object` cannot be kept from one action to the next";
            diagnostics
                .push(Diagnostic::error("csharp::no-state-type", message).at(field.name.span, "").note(note));
        }
        if !field.is_static {
            field_maps.insert(variables.len());
        }
        storage.push(Storage::Variable(variables.len() as u32));
        variables.push(format!("{}.{}", class.name.text, field.name.text));
    }
    (storage, variables, field_maps, n_constants as usize)
}

/// The elements of enumerations: those that are interchangeable are objects. Canonical names are numbers without gaps, so
/// these get such numbers; gives the names that sorts have for them.
fn elements(
    all: &Declarations,
    compiler: &Compiler<'_>,
    diagnostics: &mut Vec<Diagnostic>,
) -> (Vec<Vec<Value>>, BTreeMap<u32, Vec<String>>) {
    let (mut elements, mut names) = (Vec::new(), BTreeMap::new());
    for (index, known) in all.enums.iter().enumerate() {
        let Some(sort) = known.sort else {
            let places = known.elements.iter().filter_map(|(name, _)| element_place(&known.elements, name));
            elements.push(places.map(|place| Value::Element(known.kind, place)).collect());
            continue;
        };
        // Enumerations may share a sort, and what one of them tells apart.
        let same = all.enums.iter().enumerate().filter(|(_, other)| other.sort == known.sort);
        let same: Vec<EnumId> = same.map(|(index, _)| EnumId(index as u32)).collect();
        let is_named = |place: u32| same.iter().any(|id| compiler.named_elements.contains(&(*id, place)));
        let (mut values, mut told, mut free) = (Vec::new(), Vec::new(), Vec::new());
        for (place, (name, _)) in known.elements.iter().enumerate() {
            if is_named(place as u32) {
                values.push(Value::Element(known.kind, place as u32));
                told.push(name.as_str());
            } else {
                values.push(Value::Object(sort, free.len() as u32));
                free.push(name.clone());
            }
        }
        if !told.is_empty() && same[0] == EnumId(index as u32) {
            let message =
                format!("`{}` is abstract, and the program tells apart: {}", known.name, told.join(", "));
            let warning = Diagnostic::warning("csharp::named-abstract", message).at(known.span, "");
            diagnostics.push(warning.note("these elements are not interchangeable with others"));
        }
        names.insert(sort, free);
        elements.push(values);
    }
    (elements, names)
}
