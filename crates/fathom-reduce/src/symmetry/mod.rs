//! Symmetry of processes, channels and array elements: states that differ in names only are one.
//!
//! Processes of one template that the text does not tell apart may be exchanged, together with their channels and with
//! the elements of arrays that they index. Which permutations are allowed is found out from the text:
//! `fold.rs` reads templates that differ in constants as one, `flow.rs` finds the variables that hold names, `structure.rs` what is asked about names beyond whether they are equal; a
//! permutation that keeps the structure maps steps to steps. A state is drawn as a graph of its names (`shape.rs`) and
//! gets a canonical form (`quotient.rs`), whatever the topology: a ring has its rotations, a star all permutations of
//! its rays, and nobody declares anything (Ip and Dill 1996 ask for scalar sets; Donaldson and Miller 2005 find a
//! group for Promela and enumerate it).
//!
//! Kept where they are: processes that end, because they end youngest first, and everything younger; processes of templates
//! whose numbers are used for more than names; names that the text, or a property, calls by number.
//! States before the end of the set-up stay as they are (`set_up.rs`).

mod families;
mod first_values;
mod flow;
mod fold;
mod lasting;
mod quotient;
mod set_up;
mod shape;
mod structure;

use fathom_model::layout::Layout;
use fathom_model::{
    Expr, Interpreter, Model, NoRegion, PropertyId, Question, ScalarType, Steps, System, TemplateRole,
};

use families::{Families, Family, Home};
use first_values::Start;
use flow::Flow;
use fold::Fold;
use set_up::SetUp;
use shape::Shape;
use structure::{CHANNELS, PROCESSES, Structure};

pub use quotient::{Quotient, QuotientScratch, plain_way};

/// Steps of a run before a model that is not set up counts as one that never is.
const MOST_SET_UP_STEPS: usize = 10_000;

/// What may be exchanged in the states of a model.
#[derive(Clone, Debug)]
pub struct Symmetry {
    layout: Layout,
    set_up: SetUp,
    structure: Structure,
    /// By template.
    kinds: Vec<Kind>,
    families: Vec<Family>,
    /// By family: the sort of what it holds, and of what indexes it.
    roles: Vec<(Option<usize>, Vec<Option<usize>>)>,
    /// By channel type and field.
    messages: Vec<Vec<(ScalarType, Option<usize>)>>,
}

/// What a process of a template is, besides its state.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Kind {
    /// The template as which it is read.
    read_as: usize,
    /// Constants at which templates that are read as one differ: the sort, if they are names, and the value.
    constants: Vec<(Option<usize>, i64)>,
}

impl Kind {
    fn of(template: usize) -> Kind {
        Kind { read_as: template, constants: Vec::new() }
    }
}

impl Symmetry {
    /// Looks for permutations that keep a model and these properties; none when there are none, or the model has
    /// something that cannot be followed.
    pub fn new(model: &Model, asked: &[PropertyId]) -> Option<Symmetry> {
        if model.uses_last || model.templates.iter().any(|text| text.role != TemplateRole::Process) {
            return None;
        }
        let looked_at: Vec<&Expr> = asked
            .iter()
            .filter_map(|property| match &model.properties[property.index()].question {
                Question::Invariant(expr) | Question::Reach(expr) => Some(expr),
                _ => None,
            })
            .collect();
        let (read, folds) = fold::fold(model);
        let read_set_up = SetUp::of(&read);
        let set_up = SetUp::of(model);
        let mut flow = Flow::of(&read, &looked_at, &read_set_up)?;
        let start = Start { model, set_up: &set_up, read: &read, folds: &folds, looked_at: &looked_at };
        start.add_values(&mut flow);
        let structure = Structure::of(&read, &flow, &read_set_up);
        let families = Families::of(model)?.all;
        let mut symmetry = Symmetry {
            layout: Layout::new(model),
            set_up,
            kinds: (0..model.templates.len()).map(Kind::of).collect(),
            families: Vec::new(),
            roles: Vec::new(),
            messages: Vec::new(),
            structure,
        };
        let node_at = |home, offset| {
            let number = flow.families.number_at(home, offset);
            number.map(|number| &flow.families.all[number])
        };
        for fold in &folds {
            symmetry.add_fold(fold, &flow);
        }
        for family in &families {
            let home = match family.home {
                Home::Locals(template) => Home::Locals(symmetry.kinds[template].read_as),
                Home::Globals => Home::Globals,
            };
            let read = node_at(home, family.offset)?;
            let dimensions = read.dimensions.iter().map(|dimension| symmetry.structure.role(dimension.node));
            symmetry.roles.push((symmetry.structure.role(read.node), dimensions.collect()));
        }
        symmetry.families = families;
        for (ty, nodes) in model.channel_types.iter().zip(&flow.messages) {
            let sorts = nodes.iter().map(|&node| symmetry.structure.role(node));
            symmetry.messages.push(ty.fields.iter().copied().zip(sorts).collect());
        }
        Some(symmetry)
    }

    /// Templates that are read as one have their parameters, and stay where they are when the one does.
    fn add_fold(&mut self, fold: &Fold, flow: &Flow<'_>) {
        let first = fold.templates[0];
        for (place, &template) in fold.templates.iter().enumerate() {
            let constants = fold.parameters.iter().map(|parameter| {
                let family = flow.families.number_at(Home::Locals(first), parameter.offset);
                let node = family.map(|family| flow.families.all[family].node);
                (node.and_then(|node| self.structure.role(node)), parameter.values[place])
            });
            self.kinds[template] = Kind { read_as: first, constants: constants.collect() };
            // Who looks at a process by its template would look in vain after an exchange with one of another.
            self.structure.is_fixed[template] |=
                self.structure.is_fixed[first] || flow.is_ordered[template] || flow.is_looked_into[template];
        }
    }

    /// The canonical form of a state.
    pub fn canonical(&self, state: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        quotient::Forms::default().canonical(self, state, &mut bytes);
        bytes
    }

    /// What may be exchanged once the model is set up, for people: a line for each kind of names.
    ///
    /// Follows the first run until then.
    pub fn describe(&self, model: &Model) -> Vec<String> {
        let Some((shape, state)) = self.first_shape(model) else { return Vec::new() };
        if shape.cells.is_empty() {
            return Vec::new();
        }
        let lasting = self.lasting_cells(model, &shape, &state);
        if lasting.iter().all(|cell| shape.sort_of(cell) == CHANNELS) {
            return vec!["nothing: what the text does not tell apart keeps values that do".to_owned()];
        }
        lasting.iter().map(|cell| self.describe_cell(model, &shape, cell)).collect()
    }

    /// In how many orders names can be put once the model is set up, about: states become fewer by this factor at most.
    pub fn n_orders(&self, model: &Model) -> f64 {
        let Some((shape, _)) = self.first_shape(model) else { return 1.0 };
        let orders = |cell: &Vec<u32>| match shape.is_tied(cell) {
            true => cell.len() as f64,
            false => (1..=cell.len()).map(|place| place as f64).product(),
        };
        // What is exchanged together counts once: the largest has the others with it, in most models.
        shape.cells.iter().map(orders).fold(1.0, f64::max)
    }

    /// The first state that is set up, and its shape.
    fn first_shape(&self, model: &Model) -> Option<(Shape, Vec<u8>)> {
        let interpreter = Interpreter::new(model, &[]);

        let (mut scratch, mut steps, mut records) = (interpreter.scratch(), Steps::new(), Vec::new());
        interpreter.initial(&mut scratch, &mut steps);
        for _ in 0..MOST_SET_UP_STEPS {
            if steps.is_empty() {
                return None;
            }
            let state = steps.state(0).to_vec();
            shape::records_of(&self.layout, &state, &mut records);
            let shape = Shape::of(self, &records);
            if shape.is_set_up(self, &state) {
                return Some((shape, state));
            }
            steps.clear();
            interpreter.successors(&state, &NoRegion, &mut scratch, &mut steps);
        }
        None
    }

    fn describe_cell(&self, model: &Model, shape: &Shape, cell: &[u32]) -> String {
        let first = &shape.objects[cell[0] as usize];
        let held =
            |family: &Family, sort: Option<usize>| (sort == Some(first.sort)).then(|| family.name.clone());
        let mut holders: Vec<String> = Vec::new();
        for (family, (value, dimensions)) in self.families.iter().zip(&self.roles) {
            let indexed = dimensions.contains(&Some(first.sort));
            holders.extend(held(family, *value).or_else(|| indexed.then(|| format!("{}[]", family.name))));
        }
        holders.dedup();
        let what = match first.sort {
            PROCESSES => {
                let number = |object: &u32| shape.objects[*object as usize].number as usize;
                let template = |object| &*model.templates[shape.processes[number(object)]].name;
                let mut names: Vec<&str> = cell.iter().map(template).collect();
                names.dedup();
                format!("{} processes of {}", cell.len(), names.join(", "))
            }
            CHANNELS => format!("{} channels that go with them", cell.len()),
            _ => format!("{} elements", cell.len()),
        };
        let how = match shape.is_tied(cell) {
            true => "as far as what is computed from them allows",
            false => "in any order",
        };
        match holders.is_empty() || first.sort == CHANNELS {
            true => format!("{what}, {how}"),
            false => format!("{what} with {}, {how}", holders.join(", ")),
        }
    }

    fn roles_of_dimensions(&self, number: usize) -> &[Option<usize>] {
        &self.roles[number].1
    }
}
