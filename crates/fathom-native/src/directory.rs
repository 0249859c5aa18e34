//! Where the processes and channels of a state are.
//!
//! A state has no header, so its records are found by walking over their tags. From one state to the next the
//! directory hardly ever changes; so first every tag is compared with what the last directory expects (loads
//! that do not wait for each other), and only when one differs the walk is made.

use fathom_model::layout::{RecordKind, read_number};

use crate::facts::Facts;

/// Where a process is. Generated code reads these fields.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ProcessEntry {
    /// First byte of the record.
    pub offset: u32,
    pub template: u32,
}

/// Where a channel is. Generated code reads these fields.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ChannelEntry {
    /// First byte of the record.
    pub offset: u32,
    /// See [`Facts::classes`].
    pub class: u32,
}

/// Where the location of a process is, and what it means.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spot {
    /// Where its number is in the state.
    at: u32,
    /// Bytes of the number.
    width: u32,
    /// The first location of the template among those of all templates.
    first: u32,
    /// Number of locations of the template.
    n_locations: u32,
}

impl Spot {
    /// The location in a state, among those of all templates.
    ///
    /// # Panics
    ///
    /// When there is no such location.
    #[inline(always)]
    pub fn location_in(self, state: &[u8]) -> usize {
        let number = match self.width {
            1 => u32::from(state[self.at as usize]),
            width => read_number(&state[self.at as usize..], width),
        };
        assert!(number < self.n_locations, "a process is at a location of its template");
        (self.first + number) as usize
    }
}

/// The records of a state.
///
/// **Invariant:** after [`refresh`](Directory::refresh) every record lies inside the state it was made for,
/// and the channels of the globals are where [`Facts`] says.
#[derive(Clone, Default, Debug)]
pub(crate) struct Directory {
    pub processes: Vec<ProcessEntry>,
    pub channels: Vec<ChannelEntry>,
    /// By process.
    pub spots: Vec<Spot>,
    /// Offset and tag of each record.
    tags: Vec<(u32, u32)>,
    /// Bytes of the state.
    length: usize,
    /// Whether it was made for a state at all, and not changed since.
    is_made: bool,
}

impl Directory {
    /// Makes the directory of a state.
    ///
    /// # Panics
    ///
    /// When the bytes are not a state of the model.
    #[inline]
    pub fn refresh(&mut self, facts: &Facts<'_>, state: &[u8]) {
        if !(self.is_made && self.length == state.len() && self.tags_agree(facts, state)) {
            self.walk(facts, state);
        }
    }

    #[inline]
    fn tags_agree(&self, facts: &Facts<'_>, state: &[u8]) -> bool {
        if facts.layout.tag_width == 1 {
            self.tags.iter().all(|&(offset, tag)| u32::from(state[offset as usize]) == tag)
        } else {
            let read = |offset: u32| read_number(&state[offset as usize..], facts.layout.tag_width);
            self.tags.iter().all(|&(offset, tag)| read(offset) == tag)
        }
    }

    #[cold]
    fn walk(&mut self, facts: &Facts<'_>, state: &[u8]) {
        let layout = &facts.layout;
        self.processes.clear();
        self.channels.clear();
        self.spots.clear();
        self.tags.clear();
        let mut offset = layout.records;
        while (offset as usize) < state.len() {
            let kind = layout.record_kind(&state[offset as usize..]);
            self.tags.push((offset, layout.tag(kind)));
            match kind {
                RecordKind::Process(template) => {
                    self.processes.push(ProcessEntry { offset, template: template.0 });
                    let process = &layout.processes[template.index()];
                    self.spots.push(Spot {
                        at: offset + process.location,
                        width: process.location_width,
                        first: facts.first_location[template.index()],
                        n_locations: facts.model.template(template).locations.len() as u32,
                    });
                }
                RecordKind::Channel(channel_type) => {
                    let class = facts.class_of_type[channel_type.index()] as u32;
                    self.channels.push(ChannelEntry { offset, class });
                }
            }
            offset += layout.record_size(kind);
        }
        assert_eq!(offset as usize, state.len(), "a state ends with a whole record");
        assert!(self.channels.starts_with(&facts.first_channels), "a state starts with the global channels");
        self.length = state.len();
        self.is_made = true;
    }

    /// Becomes a copy, in the memory it has.
    pub fn copy_from(&mut self, other: &Directory) {
        self.processes.clone_from(&other.processes);
        self.channels.clone_from(&other.channels);
        self.is_made = false;
    }

    /// Records were added or removed: the state has another length now.
    pub fn set_length(&mut self, length: usize) {
        self.length = length;
        self.is_made = false;
    }
}
