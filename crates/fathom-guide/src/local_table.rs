//! A table of local distances that a person may edit: how far each location of a template is from its local goal.
//!
//! Source: Bui, *Guided Random-Walk Based Model Checking* (2009), the heuristic file of h0. There the distance of the
//! process that moved is the estimate; that is [`Over::Moved`]. A location without a distance counts as the largest, and
//! so does a state without processes that have any.

use fathom_model::layout::Layout;
use fathom_model::{LocationId, Model, NoRegion, TemplateId};

use crate::Heuristic;
use crate::local::{LocalGoal, NEVER};
use crate::view::View;

/// How the distances of processes become one estimate.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Over {
    /// That of the process that moved.
    #[default]
    Moved,
    /// The smallest.
    Min,
    /// The largest.
    Max,
    /// All together.
    Sum,
}

/// The distances of the locations of a template.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LocalRow {
    /// The template.
    pub template: String,
    /// Location and distance; what is not listed cannot get there.
    pub distances: Vec<(u32, u32)>,
}

/// Distances of locations.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LocalTable {
    /// By template.
    pub rows: Vec<LocalRow>,
    /// How they become one estimate.
    pub over: Over,
}

impl LocalTable {
    /// The distances to local goals; of several for one template the nearest counts.
    pub(crate) fn of_goals<'g>(
        model: &Model,
        goals: impl Iterator<Item = &'g LocalGoal>,
        over: Over,
    ) -> LocalTable {
        let mut nearest: Vec<Option<Vec<u32>>> = vec![None; model.templates.len()];
        for goal in goals {
            let locations = &model.template(goal.template).locations;
            let steps = (0..locations.len()).map(|location| goal.steps(LocationId::from(location)));
            let row = &mut nearest[goal.template.index()];
            *row = Some(match row.take() {
                None => steps.collect(),
                Some(old) => old.into_iter().zip(steps).map(|(old, new)| old.min(new)).collect(),
            });
        }
        let rows = nearest.into_iter().enumerate().filter_map(|(template, steps)| {
            let distances = steps?.into_iter().enumerate().filter(|&(_, steps)| steps != NEVER);
            let distances = distances.map(|(location, steps)| (location as u32, steps)).collect();
            Some(LocalRow { template: model.templates[template].name.clone(), distances })
        });
        LocalTable { rows: rows.collect(), over }
    }
}

/// Estimates from a table.
#[derive(Clone, Debug)]
pub struct LocalTableHeuristic<'m> {
    model: &'m Model,
    layout: Layout,
    /// By template and location; no list for a template that is not in the table.
    distances: Vec<Option<Vec<u32>>>,
    over: Over,
    largest: u32,
}

impl<'m> LocalTableHeuristic<'m> {
    /// The heuristic of a table for a model.
    ///
    /// # Errors
    ///
    /// The index of a row with a template or a location that the model does not have, and that name.
    pub fn new(model: &'m Model, table: &LocalTable) -> Result<LocalTableHeuristic<'m>, crate::UnknownName> {
        let rows = table.rows.iter().flat_map(|row| &row.distances);
        let furthest = rows.map(|&(_, distance)| distance).max().unwrap_or(0);
        let mut distances: Vec<Option<Vec<u32>>> = vec![None; model.templates.len()];
        for (number, row) in table.rows.iter().enumerate() {
            let unknown = |name: String| crate::UnknownName { row: number, name };
            let template = model.find_template(&row.template).ok_or_else(|| unknown(row.template.clone()))?;
            let mut list = vec![furthest; model.template(template).locations.len()];
            for &(location, distance) in &row.distances {
                let slot = list.get_mut(location as usize);
                *slot.ok_or_else(|| unknown(location.to_string()))? = distance;
            }
            distances[template.index()] = Some(list);
        }
        let largest = match table.over {
            Over::Sum => furthest.saturating_mul(model.start.len().max(2) as u32),
            _ => furthest,
        };
        Ok(LocalTableHeuristic {
            model,
            layout: Layout::new(model),
            distances,
            over: table.over,
            largest: largest.max(1),
        })
    }

    fn distance(&self, template: TemplateId, location: LocationId) -> Option<u32> {
        self.distances[template.index()].as_ref().map(|list| list[location.index()])
    }

    fn all(&self, state: &[u8]) -> Vec<u32> {
        let view = View::new(self.model, &self.layout, state);
        let processes = view.processes.iter().enumerate();
        processes
            .filter_map(|(number, &(_, template))| self.distance(template, view.location(number)))
            .collect()
    }
}

impl Heuristic<NoRegion> for LocalTableHeuristic<'_> {
    fn estimate(&self, state: &[u8], _: &NoRegion) -> u32 {
        let all = self.all(state).into_iter();
        match self.over {
            Over::Moved | Over::Min => all.min().unwrap_or(self.largest),
            Over::Max => all.max().unwrap_or(self.largest),
            Over::Sum => all.reduce(u32::saturating_add).unwrap_or(self.largest),
        }
    }

    fn estimate_step(&self, from: &[u8], to: &[u8], region: &NoRegion) -> u32 {
        if self.over != Over::Moved {
            return self.estimate(to, region);
        }
        let (old, new) = (View::new(self.model, &self.layout, from), View::new(self.model, &self.layout, to));
        let both = 0..old.processes.len().min(new.processes.len());
        let moved = both.filter(|&process| {
            old.processes[process].1 != new.processes[process].1
                || old.location(process) != new.location(process)
        });
        let distances =
            moved.filter_map(|process| self.distance(new.processes[process].1, new.location(process)));
        distances.min().unwrap_or(self.largest)
    }

    fn largest(&self) -> u32 {
        self.largest
    }
}
