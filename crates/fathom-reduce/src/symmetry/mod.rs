//! Symmetry of processes, channels and array elements: states that differ in names only are one.
//!
//! Processes of one template that the text does not tell apart may be exchanged, together with their channels and with
//! the elements of arrays that they index. Which permutations are allowed is found out from the text:
//! `flow.rs` finds the variables that hold names, `structure.rs` what is asked about names beyond whether they are equal; a
//! permutation that keeps the structure maps steps to steps. A state is drawn as a graph of its names (`shape.rs`) and
//! gets a canonical form (`quotient.rs`), whatever the topology: a ring has its rotations, a star all permutations of
//! its rays, and nobody declares anything (Ip and Dill 1996 ask for scalar sets; Donaldson and Miller 2005 find a
//! group for Promela and enumerate it).
//!
//! Kept where they are: processes that end, because they end youngest first, and everything younger; processes of templates
//! whose numbers are used for more than names; names that the text, or a property, calls by number.
//! States before the end of the set-up stay as they are (`set_up.rs`).

mod families;
mod flow;
mod quotient;
mod set_up;
mod shape;
mod structure;

use fathom_model::layout::Layout;
use fathom_model::{
    Expr, Interpreter, Model, NoRegion, PropertyId, Question, ScalarType, Steps, System, TemplateRole,
};

use families::Family;
use flow::Flow;
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
    families: Vec<Family>,
    /// By family: the sort of what it holds, and of what indexes it.
    roles: Vec<(Option<usize>, Vec<Option<usize>>)>,
    /// By channel type and field.
    messages: Vec<Vec<(ScalarType, Option<usize>)>>,
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
        let set_up = SetUp::of(model);
        let flow = Flow::of(model, &looked_at, &set_up)?;
        let structure = Structure::of(model, &flow, &set_up);
        let families = flow.families.all.clone();
        let role = |node| structure.role(node);
        let roles = families
            .iter()
            .map(|family| {
                let dimensions = family.dimensions.iter().map(|dimension| role(dimension.node)).collect();
                (role(family.node), dimensions)
            })
            .collect();
        let messages = model
            .channel_types
            .iter()
            .zip(&flow.messages)
            .map(|(ty, nodes)| ty.fields.iter().copied().zip(nodes.iter().map(|&node| role(node))).collect())
            .collect();
        Some(Symmetry { layout: Layout::new(model), set_up, structure, families, roles, messages })
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
        let Some(shape) = self.first_shape(model) else { return Vec::new() };

        shape.cells.iter().map(|cell| self.describe_cell(model, &shape, cell)).collect()
    }

    /// In how many orders names can be put once the model is set up, about: states become fewer by this factor at most.
    pub fn n_orders(&self, model: &Model) -> f64 {
        let Some(shape) = self.first_shape(model) else { return 1.0 };
        let orders = |cell: &Vec<u32>| match shape.is_tied(cell) {
            true => cell.len() as f64,
            false => (1..=cell.len()).map(|place| place as f64).product(),
        };
        // What is exchanged together counts once: the largest has the others with it, in most models.
        shape.cells.iter().map(orders).fold(1.0, f64::max)
    }

    /// The shape of the first state that is set up.
    fn first_shape(&self, model: &Model) -> Option<Shape> {
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
                return Some(shape);
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
                let named = shape.processes.get(first.number as usize);
                let template = named.map_or("?", |&template| &model.templates[template].name);
                format!("{} processes of {template}", cell.len())
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
