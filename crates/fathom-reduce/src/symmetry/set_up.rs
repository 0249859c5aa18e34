//! Setting up: a process that is alone of its template and starts others.
//!
//! What such a process does until it starts no more, `run p(0); run p(1)` for example, names processes and elements one by
//! one. It happens once, and states before its end are left as they are. So it does not count when permutations
//! are looked for: they have to keep what happens afterwards.

use fathom_model::layout::{Layout, RecordKind, read_number};
use fathom_model::{Action, Edge, EdgeId, Guard, LocationId, Model, Template, TemplateId};

/// Processes that there may be when nobody knows how many there will be.
const MANY_PROCESSES: u32 = 64;

/// Which edges and locations come after the set-up.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct SetUp {
    /// By template and edge.
    late_edges: Vec<Vec<bool>>,
    /// By template and location; a state with a process at one where this is false is not set up yet.
    pub settled: Vec<Vec<bool>>,
    /// By template: its processes start after the set-up as well.
    late_starts: Vec<bool>,
    /// By template: its processes end after the set-up.
    pub ends: Vec<bool>,
    /// Processes alive at most at a time, if that is known.
    pub most_processes: Option<u32>,
}

impl SetUp {
    /// Looks at a model.
    pub fn of(model: &Model) -> SetUp {
        let created = |edge: &Edge| -> Vec<TemplateId> {
            let templates = edge.effect.iter().filter_map(|action| match action {
                Action::Create { template, .. } => Some(*template),
                _ => None,
            });
            templates.collect()
        };
        let mut set_up = SetUp {
            late_edges: Vec::new(),
            settled: Vec::new(),
            late_starts: Vec::new(),
            ends: Vec::new(),
            most_processes: Some(model.start.len() as u32),
        };
        let all_created: Vec<TemplateId> =
            model.templates.iter().flat_map(|template| &template.edges).flat_map(&created).collect();
        for (index, text) in model.templates.iter().enumerate() {
            let id = TemplateId::from(index);
            let n_started = model.start.iter().filter(|start| start.template == id).count();
            let is_alone = n_started <= 1 && !all_created.contains(&id);
            let creates: Vec<bool> = text.edges.iter().map(|edge| !created(edge).is_empty()).collect();
            let mut settled = vec![true; text.locations.len()];
            // Backwards from the edges that create, until nothing changes.
            let mut changed = is_alone;
            while changed {
                changed = false;
                for (location, from) in text.locations.iter().enumerate() {
                    let leads_on = |edge: &Edge| !edge.effect.contains(&Action::End);
                    let is_early = |edge: usize| {
                        let text = &text.edges[edge];
                        creates[edge] || leads_on(text) && !settled[text.target.index()]
                    };
                    if settled[location] && from.groups.iter().flatten().any(|edge| is_early(edge.index())) {
                        settled[location] = false;
                        changed = true;
                    }
                }
            }
            let n_created = text.edges.iter().map(|edge| created(edge).len() as u32).sum::<u32>();
            let is_repeated =
                |edge: usize| creates[edge] && reaches(text, text.edges[edge].target, EdgeId::from(edge));
            set_up.most_processes = match (0..text.edges.len()).any(is_repeated) || n_created > 0 && !is_alone
            {
                true => None,
                false => set_up.most_processes.map(|most| most + n_created),
            };
            let mut late = vec![!is_alone; text.edges.len()];
            for (location, from) in text.locations.iter().enumerate().filter(|_| is_alone) {
                for edge in from.groups.iter().flatten().filter(|_| settled[location]) {
                    late[edge.index()] = true;
                }
            }
            set_up.ends.push(text.edges.iter().zip(&late).any(|(edge, late)| *late && ends(edge)));
            set_up.late_edges.push(late);
            set_up.settled.push(settled);
        }
        let late_edges = model.templates.iter().zip(&set_up.late_edges);
        let late_created: Vec<TemplateId> = late_edges
            .flat_map(|(text, late)| text.edges.iter().zip(late).filter(|(_, late)| **late))
            .flat_map(|(edge, _)| created(edge))
            .collect();
        set_up.late_starts =
            (0..model.templates.len()).map(|index| late_created.contains(&TemplateId::from(index))).collect();
        set_up
    }

    /// Whether a state with these records is set up.
    pub fn is_over(&self, layout: &Layout, state: &[u8], records: &[(RecordKind, u32)]) -> bool {
        records.iter().all(|&(kind, offset)| {
            let RecordKind::Process(template) = kind else { return true };
            let process = layout.processes[template.index()];
            let at = read_number(&state[(offset + process.location) as usize..], process.location_width);
            self.settled[template.index()][at as usize]
        })
    }

    /// Processes that names are kept for.
    pub fn n_processes(&self) -> u32 {
        self.most_processes.unwrap_or(MANY_PROCESSES)
    }

    /// Everything counts, and whatever starts does so late.
    pub fn ignored(&self) -> SetUp {
        let all = |edges: &Vec<bool>| vec![true; edges.len()];
        SetUp {
            late_edges: self.late_edges.iter().map(all).collect(),
            late_starts: vec![true; self.late_starts.len()],
            ..self.clone()
        }
    }

    /// The edges of a template that count.
    pub fn edges<'m>(&self, model: &'m Model, template: usize) -> impl Iterator<Item = &'m Edge> {
        let late = self.late_edges[template].clone();
        model.templates[template].edges.iter().zip(late).filter(|(_, late)| *late).map(|(edge, _)| edge)
    }

    /// Whether processes of a template start after the set-up.
    pub fn starts_late(&self, template: usize) -> bool {
        self.late_starts[template]
    }
}

/// Whether a process at a location can come to take an edge.
fn reaches(text: &Template, from: LocationId, wanted: EdgeId) -> bool {
    let mut seen = vec![false; text.locations.len()];
    let mut pending = vec![from];
    while let Some(location) = pending.pop() {
        if std::mem::replace(&mut seen[location.index()], true) {
            continue;
        }
        for &edge in text.location(location).groups.iter().flatten() {
            if edge == wanted {
                return true;
            }
            // Where an edge leads that ends the process means nothing.
            if !text.edge(edge).effect.contains(&Action::End) {
                pending.push(text.edge(edge).target);
            }
        }
    }
    false
}

fn ends(edge: &Edge) -> bool {
    edge.guard == Guard::Youngest || edge.effect.contains(&Action::End)
}
