//! The shape of a state: which processes and channels it has, which names may be exchanged in it, and where they are written.
//!
//! All states with the same records, in the same order, have the same shape, so that a search meets few of them. A shape
//! knows the *objects*, the names that may be exchanged, in *cells* of those that look alike as far as the structure goes; and
//! every place of a state that belongs to an object or holds one.

use std::collections::HashMap;
use std::ops::Range;

use fathom_model::ScalarType;
use fathom_model::layout::{Layout, RecordKind, read_number};
use fathom_symmetry::mix;

use super::Symmetry;
use super::families::{Family, Home};
use super::structure::{CHANNELS, Fact, PROCESSES};

/// What a name is told apart by at first, and where its record is.
type Candidate = (u64, Option<u32>);

/// A name that may be exchanged with others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Object {
    pub sort: usize,
    pub number: u32,
    /// Where its record starts, if it has one.
    pub record: Option<u32>,
    pub cell: usize,
}

/// A scalar that belongs to objects or may hold one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Spot {
    pub address: u32,
    pub ty: ScalarType,
    /// Which variable it is, and where in it as far as that does not vary.
    pub label: u64,
    /// The object whose record it is in.
    pub owner: Option<u32>,
    /// Objects that index it, with strides.
    pub indices: Vec<(u32, u32)>,
    /// The sort of what it holds.
    pub sort: Option<usize>,
}

/// A channel that is an object or may hold some.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Queue {
    pub record: u32,
    pub label: u64,
    pub owner: Option<u32>,
    pub channel_type: usize,
    /// Offset in the message, type, and sort of what it holds.
    pub fields: Vec<(u32, ScalarType, Option<usize>)>,
}

/// What all states with the same records have in common.
#[derive(Clone, Debug, Default)]
pub(super) struct Shape {
    /// Locations to look at first: address, width, and where the state is set up.
    pub set_up: Vec<(u32, u32, usize)>,
    pub objects: Vec<Object>,
    /// By sort and number.
    pub object_of: Vec<Vec<Option<u32>>>,
    /// Objects that look alike, in order of their numbers.
    pub cells: Vec<Vec<u32>>,
    /// From, label, to: what a permutation has to keep among objects.
    pub edges: Vec<(u32, u64, u32)>,
    /// Bytes that are the object's own.
    pub bytes: Vec<(u32, Vec<Range<u32>>)>,
    pub spots: Vec<Spot>,
    pub queues: Vec<Queue>,
    /// Bytes of a record, by object.
    pub record_sizes: Vec<u32>,
    /// Template of each process.
    pub processes: Vec<usize>,
}

/// The records of a state: kinds and offsets.
pub(super) fn records_of(layout: &Layout, state: &[u8], records: &mut Vec<(RecordKind, u32)>) {
    records.clear();
    let mut offset = layout.records;
    while (offset as usize) < state.len() {
        let kind = layout.record_kind(&state[offset as usize..]);
        records.push((kind, offset));
        offset += layout.record_size(kind);
    }
}

impl Shape {
    /// The shape of states with these records.
    pub fn of(symmetry: &Symmetry, records: &[(RecordKind, u32)]) -> Shape {
        let mut shape =
            Shape { object_of: vec![Vec::new(); symmetry.structure.sorts.len()], ..Shape::default() };
        for &(kind, offset) in records {
            if let RecordKind::Process(template) = kind {
                shape.processes.push(template.index());
                if symmetry.set_up.settled[template.index()].contains(&false) {
                    let layout = symmetry.layout.processes[template.index()];
                    shape.set_up.push((offset + layout.location, layout.location_width, template.index()));
                }
            }
        }
        if shape.processes.len() > symmetry.structure.sorts[PROCESSES].marks.len() {
            return shape;
        }
        shape.find_objects(symmetry, records);
        // Channels alone are in the order in which they were made.
        if shape.objects.iter().any(|object| object.sort != CHANNELS) {
            shape.find_places(symmetry, records);
            return shape;
        }
        Shape { set_up: shape.set_up, processes: shape.processes, ..Shape::default() }
    }

    /// Whether a state of this shape is set up.
    pub fn is_set_up(&self, symmetry: &Symmetry, state: &[u8]) -> bool {
        self.set_up.iter().all(|&(address, width, template)| {
            let location = read_number(&state[address as usize..], width);
            symmetry.set_up.settled[template][location as usize]
        })
    }

    fn find_objects(&mut self, symmetry: &Symmetry, records: &[(RecordKind, u32)]) {
        // Processes end youngest first, with all younger channels: those that can, and what is younger, stay where they are.
        let lasts = |&(kind, _): &(RecordKind, u32)| match kind {
            RecordKind::Process(template) => !symmetry.set_up.ends[template.index()],
            RecordKind::Channel(_) => false,
        };
        let ends = |record: &(RecordKind, u32)| matches!(record.0, RecordKind::Process(_)) && !lasts(record);
        let first_fixed = match records.iter().any(ends) {
            true => records
                .iter()
                .rposition(lasts)
                .map_or(0, |last| last + 1 + own_channels(&records[last + 1..])),
            false => records.len(),
        };
        let (mut processes, mut channels) = (Vec::new(), vec![None]);
        for (index, &(kind, offset)) in records.iter().enumerate() {
            match kind {
                RecordKind::Process(template) => {
                    let moves = index < first_fixed && !symmetry.structure.is_fixed[template.index()];
                    let kind = symmetry.kinds[template.index()].read_as as u64;
                    processes.push(moves.then_some((kind, Some(offset), template.index())));
                }
                RecordKind::Channel(ty) => {
                    channels.push((index < first_fixed).then_some((ty.index() as u64, Some(offset))));
                }
            }
        }
        // Elements first: processes may have constants that are elements. Channels last: those that variables name for good go
        // with what indexes the variables.
        let n_sorts = symmetry.structure.sorts.len();
        for sort in (CHANNELS + 1..n_sorts).chain([PROCESSES, CHANNELS]) {
            let known = &symmetry.structure.sorts[sort];
            let mut edges = known.edges.clone();
            let candidates: Vec<Option<Candidate>> = match sort {
                _ if known.is_rigid => Vec::new(),
                PROCESSES => self.told_by_constants(symmetry, &processes, &mut edges),
                CHANNELS => self.told_by_variables(symmetry, channels.clone()),
                _ => vec![Some((0, None)); known.marks.len()],
            };
            let marks = |number: usize| known.marks.get(number).map_or(&[][..], Vec::as_slice);
            let colours = refine(&candidates, marks, &edges);
            let mut cells: HashMap<u64, usize> = HashMap::new();
            self.object_of[sort] = vec![None; candidates.len()];
            for number in 0..candidates.len() {
                let Some((_, record)) = candidates[number] else { continue };
                let n_alike =
                    (0..candidates.len()).filter(|&other| colours[other] == colours[number]).count();
                if n_alike < 2 {
                    continue;
                }
                let cell = *cells.entry(colours[number]).or_insert_with(|| {
                    self.cells.push(Vec::new());
                    self.cells.len() - 1
                });
                let object = self.objects.len() as u32;
                self.cells[cell].push(object);
                self.object_of[sort][number] = Some(object);
                self.objects.push(Object { sort, number: number as u32, record, cell });
            }
            for (from, label, to) in &edges {
                let ends = (self.object(sort, i64::from(*from)), self.object(sort, i64::from(*to)));
                if let (Some(from), Some(to)) = ends {
                    self.edges.push((from, hash_of_fact(label), to));
                }
            }
        }
        self.tie_constants(symmetry);
        for (family, indices, number) in &symmetry.structure.constants {
            let Some(channel) = self.object(CHANNELS, i64::from(*number)) else { continue };
            for (place, index) in self.indices_of(symmetry, *family, indices).into_iter().enumerate() {
                if let Ok(object) = index {
                    self.edges.push((object, mix(mix(*family as u64, 31), place as u64), channel));
                }
            }
        }
        self.edges.sort_unstable();
        self.edges.dedup();
    }

    /// By dimension of an element of a family: the object that indexes it, or the number.
    fn indices_of(&self, symmetry: &Symmetry, family: usize, indices: &[u32]) -> Vec<Result<u32, u32>> {
        let sorts = symmetry.roles_of_dimensions(family).iter();
        let object = |(sort, index): (&Option<usize>, &u32)| {
            sort.and_then(|sort| self.object(sort, i64::from(*index))).ok_or(*index)
        };
        sorts.zip(indices).map(object).collect()
    }

    /// Tells processes apart by the constants of their templates. Constants that are processes themselves become edges.
    fn told_by_constants(
        &self,
        symmetry: &Symmetry,
        processes: &[Option<(u64, Option<u32>, usize)>],
        edges: &mut Vec<(u32, Fact, u32)>,
    ) -> Vec<Option<Candidate>> {
        let mut told = Vec::new();
        for (number, process) in processes.iter().enumerate() {
            let Some((kind, record, template)) = process else {
                told.push(None);
                continue;
            };
            let mut kind = *kind;
            for (place, &(sort, value)) in symmetry.kinds[*template].constants.iter().enumerate() {
                let object = sort.and_then(|sort| self.object(sort, value));
                match (sort, object) {
                    (Some(PROCESSES), _) if (0..processes.len() as i64).contains(&value) => {
                        edges.push((number as u32, (usize::MAX - place, None, 0), value as u32));
                    }
                    (_, Some(object)) => {
                        kind = mix(kind, mix(self.objects[object as usize].cell as u64, 33));
                    }
                    (_, None) => kind = mix(kind, mix(value as u64, 34)),
                }
            }
            told.push(Some((kind, *record)));
        }
        told
    }

    /// Ties processes to the elements that are constants of their templates.
    fn tie_constants(&mut self, symmetry: &Symmetry) {
        for object in 0..self.objects.len() {
            let Object { sort: PROCESSES, number, .. } = self.objects[object] else { continue };
            let kind = &symmetry.kinds[self.processes[number as usize]];
            for (place, &(sort, value)) in kind.constants.iter().enumerate() {
                let named = sort.filter(|&sort| sort != PROCESSES);
                if let Some(other) = named.and_then(|sort| self.object(sort, value)) {
                    self.edges.push((object as u32, mix(place as u64, 35), other));
                }
            }
        }
    }

    /// Tells channels apart by the variables that name them for good. What has a name of its own stays where it is.
    fn told_by_variables(
        &self,
        symmetry: &Symmetry,
        mut channels: Vec<Option<Candidate>>,
    ) -> Vec<Option<Candidate>> {
        for (family, indices, number) in &symmetry.structure.constants {
            let Some(Some(channel)) = channels.get_mut(*number as usize) else { continue };
            let indices = self.indices_of(symmetry, *family, indices);
            if indices.iter().all(Result::is_err) {
                channels[*number as usize] = None;
                continue;
            }
            channel.0 = mix(channel.0, *family as u64);
            for index in indices {
                let look =
                    index.map_or_else(u64::from, |object| mix(self.objects[object as usize].cell as u64, 32));
                channel.0 = mix(channel.0, look);
            }
        }
        channels
    }

    /// The object of a name.
    #[inline]
    pub fn object(&self, sort: usize, value: i64) -> Option<u32> {
        let number = usize::try_from(value).ok()?;
        *self.object_of[sort].get(number)?
    }

    /// The sort of the names of a cell.
    pub fn sort_of(&self, cell: &[u32]) -> usize {
        self.objects[cell[0] as usize].sort
    }

    /// Whether something is computed from the names of a cell that a permutation has to keep.
    pub fn is_tied(&self, cell: &[u32]) -> bool {
        let is_channel = |object: u32| self.objects[object as usize].sort == CHANNELS;
        let ties = |from: u32, to: u32| {
            (cell.contains(&from) || cell.contains(&to)) && !is_channel(from) && !is_channel(to)
        };
        self.edges.iter().any(|&(from, _, to)| ties(from, to))
    }

    fn find_places(&mut self, symmetry: &Symmetry, records: &[(RecordKind, u32)]) {
        let families = symmetry.families.iter().enumerate();
        for (number, family) in families.clone().filter(|(_, family)| family.home == Home::Globals) {
            self.add_family(symmetry, (number, family), 0, (None, mix(number as u64, 1)));
        }
        let (mut process, mut channel) = (0, 0);
        for &(kind, offset) in records {
            match kind {
                RecordKind::Process(template) => {
                    let owner = self.object(PROCESSES, process);
                    let whose = if owner.is_some() { 2 } else { 3 + process as u64 };
                    let layout = symmetry.layout.processes[template.index()];
                    let first_spot = self.spots.len();
                    let home = Home::Locals(template.index());
                    let own = families.clone().filter(|(_, family)| family.home == home);
                    for (place, (number, family)) in own.enumerate() {
                        let label = mix(mix(place as u64, 4), whose);
                        self.add_family(symmetry, (number, family), offset + layout.locals, (owner, label));
                    }
                    if let Some(owner) = owner {
                        let spots = &self.spots[first_spot..];
                        // The tag stays where it is.
                        let bytes = offset + symmetry.layout.tag_width..offset + layout.size;
                        self.bytes.push((owner, other_bytes(bytes, spots)));
                    }
                    process += 1;
                }
                RecordKind::Channel(ty) => {
                    channel += 1;
                    let owner = self.object(CHANNELS, channel);
                    let whose = if owner.is_some() { 5 } else { 6 + channel as u64 };
                    let label = mix(mix(ty.index() as u64, 7), whose);
                    self.add_queue(symmetry, ty.index(), offset, (owner, label));
                }
            }
        }
        let size = |object: &Object| {
            let record = object.record.and_then(|at| records.iter().find(|(_, offset)| *offset == at));
            record.map_or(0, |(kind, _)| symmetry.layout.record_size(*kind))
        };
        self.record_sizes = self.objects.iter().map(size).collect();
    }

    fn add_family(
        &mut self,
        symmetry: &Symmetry,
        (number, family): (usize, &Family),
        start: u32,
        (owner, label): (Option<u32>, u64),
    ) {
        let sort = symmetry.roles[number].0.filter(|&sort| self.object_of[sort].iter().any(Option::is_some));
        for (numbers, offset) in family.elements() {
            let mut indices = Vec::new();
            let mut label = label;
            for (place, &at) in numbers.iter().enumerate() {
                let sort = symmetry.roles_of_dimensions(number)[place];
                match sort.and_then(|sort| self.object(sort, i64::from(at))) {
                    Some(object) => indices.push((object, family.dimensions[place].stride)),
                    None => label = mix(mix(label, place as u64), u64::from(at)),
                }
            }
            if !indices.is_empty() || sort.is_some() {
                self.spots.push(Spot { address: start + offset, ty: family.ty, label, owner, indices, sort });
            }
        }
    }

    fn add_queue(
        &mut self,
        symmetry: &Symmetry,
        channel_type: usize,
        record: u32,
        (owner, label): (Option<u32>, u64),
    ) {
        let mut offset = 0;
        let mut fields = Vec::new();
        for &(ty, sort) in &symmetry.messages[channel_type] {
            let sort = sort.filter(|&sort| self.object_of[sort].iter().any(Option::is_some));
            fields.push((offset, ty, sort));
            offset += ty.size();
        }
        if owner.is_some() || fields.iter().any(|(_, _, sort)| sort.is_some()) {
            self.queues.push(Queue { record, label, owner, channel_type, fields });
        }
    }
}

/// How many channels come before the next process: they were made with the process before them, and last as long.
fn own_channels(records: &[(RecordKind, u32)]) -> usize {
    records.iter().take_while(|(kind, _)| matches!(kind, RecordKind::Channel(_))).count()
}

/// Colours of names: equal ones for those that the structure does not tell apart.
pub(super) fn refine<'a>(
    candidates: &[Option<Candidate>],
    marks: impl Fn(usize) -> &'a [Fact],
    edges: &[(u32, Fact, u32)],
) -> Vec<u64> {
    let mut colours: Vec<u64> = candidates
        .iter()
        .enumerate()
        .map(|(number, candidate)| match candidate {
            Some((kind, _)) => {
                marks(number).iter().fold(mix(*kind, 1), |hash, fact| mix(hash, hash_of_fact(fact)))
            }
            None => mix(number as u64, 2),
        })
        .collect();
    let colour_of =
        |colours: &[u64], name: u32| colours.get(name as usize).copied().unwrap_or(mix(u64::from(name), 3));
    let n_colours = |colours: &[u64]| colours.iter().collect::<std::collections::HashSet<_>>().len();
    loop {
        let mut next = colours.clone();
        for (from, fact, to) in edges {
            for (one, other, direction) in [(*from, *to, 4), (*to, *from, 5)] {
                if let Some(colour) = next.get_mut(one as usize) {
                    let seen = mix(mix(hash_of_fact(fact), direction), colour_of(&colours, other));
                    *colour = colour.wrapping_add(mix(seen, 6));
                }
            }
        }
        if n_colours(&next) <= n_colours(&colours) {
            return colours;
        }
        colours = next;
    }
}

pub(super) fn hash_of_fact((question, value, rest): &Fact) -> u64 {
    let value = value.map_or(mix(1, 8), |value| mix(value as u64, 9));
    mix(mix(value, *question as u64), *rest as u64)
}

/// What is left of a record without these places.
fn other_bytes(record: Range<u32>, spots: &[Spot]) -> Vec<Range<u32>> {
    let mut taken: Vec<Range<u32>> =
        spots.iter().map(|spot| spot.address..spot.address + spot.ty.size()).collect();
    taken.sort_unstable_by_key(|range| range.start);
    let mut rest = Vec::new();
    let mut at = record.start;
    for range in taken {
        if at < range.start {
            rest.push(at..range.start);
        }
        at = range.end;
    }
    if at < record.end {
        rest.push(at..record.end);
    }
    rest
}
