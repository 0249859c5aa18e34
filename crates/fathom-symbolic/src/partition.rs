//! Partitions: which parts of a state are sets of values, and which are bytes.
//!
//! Everything that varies in a state of a model has a name here: `x` is a global variable, or all elements `x[i]` and members `x.y` of it where these are variables
//! of their own, as in SMV; `P.x` is a local one of the template `P`, `at(P)` the location of its processes, `len(q)` the number of messages of channels of the type `q`, and
//! `messages(q)` what is in them. Each is on one side. How many processes and channels there are, priorities and who moved last are
//! always explicit: they say what the bytes mean.
//!
//! Any partition gives the same answers (da Costa, 2005, chapter 5, for the idea); which one is fast is another question.

use fathom_model::layout::Layout;
use fathom_model::{Action, Frame, Initializer, Model, ScalarKind, Type};

/// Something that varies in a state.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Part {
    /// A global variable, by its number.
    Global(usize),
    /// The location of the processes of a template.
    Location(usize),
    /// A local variable of a template.
    Local(usize, usize),
    /// The number of messages of channels of a type.
    Length(usize),
    /// The messages of channels of a type.
    Messages(usize),
}

/// One named part of the states of a model, and its side.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Side {
    /// The name.
    pub name: String,
    /// Whether it is a set of values.
    pub symbolic: bool,
    /// Bits of it in one instance.
    pub bits: u32,
    /// Why `auto` puts it there.
    pub reason: &'static str,
    part: Part,
}

/// Which parts of the states of a model are sets of values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Partition {
    sides: Vec<Side>,
}

/// A name that means no part of the model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownPart {
    /// The name.
    pub name: String,
}

impl std::fmt::Display for UnknownPart {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            out,
            "`{}` is no part of the states of the model: write x, P.x, at(P), len(q), messages(q) or all",
            self.name
        )
    }
}

impl std::error::Error for UnknownPart {}

impl Partition {
    /// Everything explicit.
    pub fn explicit(model: &Model) -> Partition {
        let mut sides = Vec::new();
        let mut add = |name: String, bits: u32, part: Part| {
            sides.push(Side { name, symbolic: false, bits, reason: "asked for", part });
        };
        for (number, variable) in model.globals.variables.iter().enumerate() {
            add(variable.name.clone(), bits_of(model, &variable.ty), Part::Global(number));
        }
        for (template, declared) in model.templates.iter().enumerate() {
            add(
                format!("at({})", declared.name),
                bits_for(declared.locations.len()),
                Part::Location(template),
            );
            for (number, variable) in declared.locals.variables.iter().enumerate() {
                let name = format!("{}.{}", declared.name, variable.name);
                add(name, bits_of(model, &variable.ty), Part::Local(template, number));
            }
        }
        for (number, ty) in model.channel_types.iter().enumerate().filter(|(_, ty)| !ty.is_rendezvous()) {
            add(format!("len({})", ty.name), bits_for(ty.capacity as usize + 1), Part::Length(number));
            let bits = ty.fields.iter().map(|field| u32::from(field.bits)).sum::<u32>() * ty.capacity;
            add(format!("messages({})", ty.name), bits, Part::Messages(number));
        }
        Partition { sides }
    }

    /// Everything symbolic that can be.
    pub fn symbolic(model: &Model) -> Partition {
        let mut partition = Partition::explicit(model);
        partition.sides.iter_mut().for_each(|side| side.symbolic = true);
        partition
    }

    /// These parts symbolic, or explicit, and everything else on the other side. `all` means everything.
    ///
    /// # Errors
    ///
    /// When a name means nothing.
    pub fn with(mut self, names: &[&str], symbolic: bool) -> Result<Partition, UnknownPart> {
        for &name in names {
            let mut is_known = false;
            for side in self.sides.iter_mut().filter(|side| name == "all" || side.belongs_to(name)) {
                side.symbolic = symbolic;
                side.reason = "asked for";
                is_known = true;
            }
            if !is_known {
                return Err(UnknownPart { name: name.to_owned() });
            }
        }
        Ok(self)
    }

    /// Every named part, with its side.
    pub fn sides(&self) -> &[Side] {
        &self.sides
    }

    /// Whether nothing is symbolic.
    pub fn is_explicit(&self) -> bool {
        self.sides.iter().all(|side| !side.symbolic)
    }

    /// Whether everything is symbolic.
    pub fn is_all_symbolic(&self) -> bool {
        self.sides.iter().all(|side| side.symbolic)
    }

    /// Moves each part to a side that a function chooses, with its reason.
    pub(crate) fn assign(&mut self, choose: impl Fn(&Side) -> (bool, &'static str)) {
        for side in &mut self.sides {
            (side.symbolic, side.reason) = choose(side);
        }
    }

    fn is_symbolic(&self, part: Part) -> bool {
        self.sides.iter().any(|side| side.symbolic && side.part == part)
    }
}

impl Side {
    /// Whether a name means this part, or something that it is an element or a member of.
    fn belongs_to(&self, name: &str) -> bool {
        let Some(rest) = self.name.strip_prefix(name) else { return false };
        rest.is_empty() || matches!(self.part, Part::Global(_)) && rest.starts_with(['[', '.'])
    }

    /// The global variable that it is, by its number.
    pub(crate) fn global(&self) -> Option<usize> {
        if let Part::Global(number) = self.part { Some(number) } else { None }
    }

    /// The local variable that it is: template and number.
    pub(crate) fn local(&self) -> Option<(usize, usize)> {
        if let Part::Local(template, number) = self.part { Some((template, number)) } else { None }
    }

    /// The channel type whose messages it is.
    pub(crate) fn messages(&self) -> Option<usize> {
        if let Part::Messages(number) = self.part { Some(number) } else { None }
    }
}

/// Bits that so many different values need.
pub(crate) fn bits_for(n_values: usize) -> u32 {
    usize::BITS - n_values.saturating_sub(1).leading_zeros()
}

fn bits_of(model: &Model, ty: &Type) -> u32 {
    let mut bits = 0;
    scalars_of(model, ty, 0, &mut |_, n_bits, _| bits += n_bits);
    bits
}

/// Shows every scalar of a type: its offset, its bits, and what it is for.
pub(crate) fn scalars_of(model: &Model, ty: &Type, offset: u32, show: &mut dyn FnMut(u32, u32, ScalarKind)) {
    match ty {
        Type::Scalar(scalar) => show(offset, u32::from(scalar.bits), scalar.kind),
        Type::Array { element, length, .. } => {
            let size = element.size(model);
            for index in 0..*length {
                scalars_of(model, element, offset + index * size, show);
            }
        }
        Type::Record(record) => {
            for field in &model.records[record.index()].fields {
                scalars_of(model, &field.ty, offset + field.offset, show);
            }
        }
    }
}

/// The symbolic bits of the globals, or of a record of one kind.
#[derive(Clone, Default, Debug)]
pub(crate) struct Cells {
    /// By byte: whether it is symbolic.
    pub symbolic: Vec<bool>,
    /// Numbers of the symbolic bits: eight times the byte, plus the place in it.
    pub bits: Vec<u32>,
}

impl Cells {
    fn new(size: u32) -> Cells {
        Cells { symbolic: vec![false; size as usize], bits: Vec::new() }
    }

    /// Makes a scalar of so many bits symbolic.
    fn add(&mut self, offset: u32, n_bits: u32) {
        for bit in 0..n_bits {
            self.symbolic[(offset + bit / 8) as usize] = true;
            self.bits.push(offset * 8 + bit);
        }
    }

    fn add_variable(&mut self, model: &Model, ty: &Type, offset: u32) {
        scalars_of(model, ty, offset, &mut |offset, n_bits, _| self.add(offset, n_bits));
    }
}

/// The symbolic bits of everything that a state consists of.
#[derive(Clone, Debug)]
pub(crate) struct AllCells {
    pub globals: Cells,
    /// By template.
    pub processes: Vec<Cells>,
    /// By channel type.
    pub channels: Vec<Cells>,
}

impl AllCells {
    pub fn new(model: &Model, layout: &Layout, partition: &Partition) -> AllCells {
        let mut globals = Cells::new(layout.records);
        for (number, variable) in model.globals.variables.iter().enumerate() {
            if partition.is_symbolic(Part::Global(number)) {
                globals.add_variable(model, &variable.ty, variable.offset);
            }
        }
        let process = |template: usize| {
            let (declared, place) = (&model.templates[template], &layout.processes[template]);
            let mut cells = Cells::new(place.size);
            if partition.is_symbolic(Part::Location(template)) {
                cells.add(place.location, bits_for(declared.locations.len()));
            }
            for (number, variable) in declared.locals.variables.iter().enumerate() {
                if partition.is_symbolic(Part::Local(template, number)) {
                    cells.add_variable(model, &variable.ty, place.locals + variable.offset);
                }
            }
            cells
        };
        let channel = |number: usize| {
            let (declared, place) = (&model.channel_types[number], &layout.channels[number]);
            let mut cells = Cells::new(place.size);
            if partition.is_symbolic(Part::Length(number)) {
                cells.add(place.length, bits_for(declared.capacity as usize + 1));
            }
            if partition.is_symbolic(Part::Messages(number)) {
                for slot in 0..declared.capacity {
                    let mut offset = place.messages + slot * place.message_size;
                    for field in &declared.fields {
                        cells.add(offset, u32::from(field.bits));
                        offset += field.size();
                    }
                }
            }
            cells
        };
        AllCells {
            globals,
            processes: (0..model.templates.len()).map(process).collect(),
            channels: (0..model.channel_types.len()).map(channel).collect(),
        }
    }
    /// How many symbolic bits states have, by and large; more than can be counted when processes are created.
    pub fn n_bits_at_the_start(&self, model: &Model) -> usize {
        let creates = |action: &Action| matches!(action, Action::Create { .. });
        let edges = model.templates.iter().flat_map(|template| &template.edges);
        if edges.flat_map(|edge| &edge.effect).any(creates) {
            return usize::MAX;
        }
        let channels = |frame: &Frame| -> usize {
            let of = |initializer: &Initializer| match initializer {
                Initializer::Channel { channel_type, .. } => self.channels[channel_type.index()].bits.len(),
                Initializer::Value { .. } => 0,
            };
            frame.initializers.iter().map(of).sum()
        };
        let process = |template: usize| {
            self.processes[template].bits.len() + channels(&model.templates[template].locals)
        };
        let processes: usize = model.start.iter().map(|start| process(start.template.index())).sum();
        self.globals.bits.len() + channels(&model.globals) + processes
    }
}
