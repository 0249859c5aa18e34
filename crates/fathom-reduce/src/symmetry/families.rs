//! The scalars of a model, by family: all elements of an array, or of one field of an array of records, are one family.
//!
//! A family has one *node* for the values that it holds, and each dimension of an array has one for the values that index
//! it; families that are fields of the same array share the latter. What flows where is found out about nodes
//! (`flow.rs`).

use std::collections::HashMap;

use fathom_model::{Frame, Index, Model, Record, ScalarType, Type};

/// Something that holds values: a family, or a dimension of an array.
pub(super) type Node = usize;

/// Which frame a place is in.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Home {
    /// The globals.
    Globals,
    /// The locals of this template.
    Locals(usize),
}

/// One dimension of an array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Dimension {
    /// What indexes it.
    pub node: Node,
    pub length: u32,
    /// Bytes from one element to the next.
    pub stride: u32,
}

/// Scalars that the text does not tell apart but by index.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Family {
    pub home: Home,
    /// Of the first element, in the frame.
    pub offset: u32,
    /// The outermost first.
    pub dimensions: Vec<Dimension>,
    pub ty: ScalarType,
    /// What it holds.
    pub node: Node,
    /// The variable, for people.
    pub name: String,
}

impl Family {
    /// Every element: its indices and its offset in the frame.
    pub fn elements(&self) -> Vec<(Vec<u32>, u32)> {
        let mut all = vec![(Vec::new(), self.offset)];
        for dimension in &self.dimensions {
            let extended = all.iter().flat_map(|(indices, offset)| {
                (0..dimension.length).map(move |index| {
                    let indices: Vec<u32> = indices.iter().copied().chain([index]).collect();
                    (indices, offset + index * dimension.stride)
                })
            });
            all = extended.collect();
        }
        all
    }
}

/// All families of a model.
#[derive(Clone, Debug)]
pub(super) struct Families {
    pub all: Vec<Family>,
    /// By home and offset: the family and the indices there.
    at: HashMap<(Home, u32), (usize, Vec<u32>)>,
    pub n_nodes: usize,
}

/// Most scalars of a frame that are looked at one by one.
const MOST_SCALARS: u32 = 1 << 16;

impl Families {
    /// The families of a model; none when it has too many scalars.
    pub fn of(model: &Model) -> Option<Families> {
        let mut families = Families { all: Vec::new(), at: HashMap::new(), n_nodes: 0 };
        families.add_frame(model, Home::Globals, &model.globals)?;
        for (template, text) in model.templates.iter().enumerate() {
            families.add_frame(model, Home::Locals(template), &text.locals)?;
        }
        for (number, family) in families.all.iter().enumerate() {
            let elements = family.elements().into_iter();
            families.at.extend(elements.map(|(indices, offset)| ((family.home, offset), (number, indices))));
        }
        Some(families)
    }

    /// A node of its own.
    pub fn fresh(&mut self) -> Node {
        self.n_nodes += 1;
        self.n_nodes - 1
    }

    fn add_frame(&mut self, model: &Model, home: Home, frame: &Frame) -> Option<()> {
        if frame.size > MOST_SCALARS {
            return None;
        }
        for variable in &frame.variables {
            let around = Around { home, name: &variable.name, offset: variable.offset, dimensions: &[] };
            self.add_type(&model.records, &variable.ty, &around);
        }
        Some(())
    }

    fn add_type(&mut self, records: &[Record], ty: &Type, around: &Around<'_>) {
        match ty {
            Type::Scalar(scalar) => {
                let node = self.fresh();
                self.all.push(Family {
                    home: around.home,
                    offset: around.offset,
                    dimensions: around.dimensions.to_vec(),
                    ty: *scalar,
                    node,
                    name: around.name.to_owned(),
                });
            }
            Type::Array { element, length, .. } => {
                let node = self.fresh();
                let dimension = Dimension { node, length: *length, stride: element.size_in(records) };
                let dimensions: Vec<Dimension> =
                    around.dimensions.iter().copied().chain([dimension]).collect();
                self.add_type(records, element, &Around { dimensions: &dimensions, ..*around });
            }
            Type::Record(record) => {
                for field in &records[record.index()].fields {
                    let offset = around.offset + field.offset;
                    self.add_type(records, &field.ty, &Around { offset, ..*around });
                }
            }
        }
    }

    /// The number of the family that has an element at an offset.
    pub fn number_at(&self, home: Home, offset: u32) -> Option<usize> {
        self.at.get(&(home, offset)).map(|(number, _)| *number)
    }

    /// The family of a place, and by dimension either the index that is written there or the number that it has; none
    /// when the place is not one that types describe.
    pub fn find<'p>(
        &self,
        home: Home,
        offset: u32,
        indices: &'p [Index],
    ) -> Option<(&Family, Vec<Result<&'p Index, u32>>)> {
        let (family, numbers) = self.at.get(&(home, offset))?;
        let family = &self.all[*family];
        let mut found: Vec<Result<&Index, u32>> = numbers.iter().map(|&number| Err(number)).collect();
        for index in indices {
            let free = (0..found.len()).find(|&place| {
                let dimension = family.dimensions[place];
                found[place] == Err(0) && dimension.stride == index.stride && dimension.length == index.length
            })?;
            found[free] = Ok(index);
        }
        Some((family, found))
    }
}

/// What is known around a type.
#[derive(Clone, Copy)]
struct Around<'a> {
    home: Home,
    name: &'a str,
    offset: u32,
    dimensions: &'a [Dimension],
}
