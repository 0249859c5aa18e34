//! Which cells a database keeps: chosen from the dependencies of the model, or written down by a person.
//!
//! Two ways to make an abstraction small are tried. *Projection* keeps the cells that the goal is about and the
//! strongest others, as many as the budget allows. *Grouping* is for pieces that are moved about: where the goal
//! says which of many values is in which of many cells, all cells are kept but only some of the values are told apart,
//! so that a database knows where those pieces are (the pattern database of a permutation puzzle). When one
//! database does not hold everything that the goal mentions, others are made for the rest.

use std::collections::{BTreeMap, BTreeSet};

use fathom_model::{BinaryOp, Expr};

use super::database::{AbstractGoal, Budget, Database, Unmade};
use super::dependencies::{Dependencies, cells_of_unit, unit_of};
use super::machine::{Machine, Treatment};
use super::reads::reads;
use super::shape::Content;
use super::values::Values;
use crate::local::LocalGoal;

/// What one database keeps, by the names of cells.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DatabasePlan {
    /// Cells whose values are known: `x`, `a[3]`, `P[1]` (where process 1 is), `P[1]:local`, `channel 2`.
    pub keep: Vec<String>,
    /// Cells of which only the class of the value is known, with the classes. Values in no class are one together.
    pub groups: Vec<(Vec<String>, Vec<Vec<i64>>)>,
}

/// Most databases of one kind.
const MOST_DATABASES: usize = 4;
/// Most attempts at a larger database.
const MOST_ATTEMPTS: usize = 5;

/// A database with what it keeps.
#[derive(Clone, Debug)]
pub(crate) struct Made {
    pub plan: DatabasePlan,
    pub database: Database,
    /// Whether it groups values.
    pub is_grouped: bool,
}

/// Makes databases.
pub(crate) struct Planner<'a, 'm> {
    machine: &'a mut Machine<'m>,
    /// What is kept in any case.
    base: Vec<Treatment>,
    initial: &'a [Vec<u8>],
    goals: &'a [AbstractGoal],
    /// States that may still be spent on all databases together; four ways count as a state.
    left: usize,
    budget: Budget,
    goes_on: &'a dyn Fn() -> bool,
}

impl<'a, 'm> Planner<'a, 'm> {
    pub fn new(
        machine: &'a mut Machine<'m>,
        initial: &'a [Vec<u8>],
        goals: &'a [AbstractGoal],
        budget: Budget,
        goes_on: &'a dyn Fn() -> bool,
    ) -> Planner<'a, 'm> {
        let base = machine.treatments.clone();
        Planner { machine, base, initial, goals, left: budget.states * 6, budget, goes_on }
    }

    /// The databases that the dependencies suggest.
    pub fn by_itself(&mut self) -> Result<Vec<Made>, Unmade> {
        let dependencies = Dependencies::new(self.machine);
        let (asked, wanted) = self.asked();
        let mut made = self.groupings(&dependencies, &asked, &wanted)?;
        if made.is_empty() {
            self.left = self.budget.states * 4;
            made = self.projections(&dependencies, &asked, &wanted)?;
        }
        // What is never farther than a step or two tells nothing that the others do not.
        let largest = made.iter().map(|one| one.database.largest).max().unwrap_or(0);
        if largest > 4 {
            made.retain(|one| one.database.largest > 2);
        }
        Ok(made)
    }

    /// The databases that somebody wrote down; an error names a cell that does not exist.
    pub fn as_planned(&mut self, plans: &[DatabasePlan]) -> Result<Result<Vec<Made>, String>, Unmade> {
        let mut made = Vec::new();
        for plan in plans {
            if let Err(name) = self.apply(plan) {
                return Ok(Err(name));
            }
            self.left = self.budget.states * 8;
            let database = self.make()?;
            made.push(Made { plan: plan.clone(), database, is_grouped: !plan.groups.is_empty() });
        }
        Ok(Ok(made))
    }

    fn apply(&mut self, plan: &DatabasePlan) -> Result<(), String> {
        self.machine.treatments.clone_from(&self.base);
        let find = |machine: &Machine<'_>, name: &String| {
            let found = machine.shape.cells.iter().position(|cell| cell.name == *name);
            found.ok_or_else(|| name.clone())
        };
        for name in &plan.keep {
            let unit = find(self.machine, name)?;
            self.keep(unit);
        }
        for (names, classes) in &plan.groups {
            for name in names {
                let cell = find(self.machine, name)?;
                let set = self.machine.sets[self.machine.shape.cells[cell].family as usize].clone();
                self.machine.treatments[cell] = grouped(&set, classes).ok_or_else(|| name.clone())?;
            }
        }
        Ok(())
    }

    fn keep(&mut self, unit: usize) {
        for cell in cells_of_unit(self.machine, unit) {
            self.machine.treatments[cell] = Treatment::Exact;
        }
    }

    fn make(&mut self) -> Result<Database, Unmade> {
        let states = self.budget.states.min(self.left);
        let budget = Budget { states, ways: states.saturating_mul(8), ..self.budget };
        if budget.states < 1000 {
            return Err(Unmade::TooLarge);
        }
        let before = self.machine.n_ways;
        let made = Database::new(self.machine, self.initial, self.goals, budget, self.goes_on);
        let spent = match &made {
            Ok(database) => database.n_states(),
            Err(_) => budget.states,
        };
        let spent = spent.min((self.machine.n_ways - before) / 4 + 1);
        self.left -= spent.min(self.left);
        made
    }

    /// The units that can be kept and are worth it, with the number of their values, most important first.
    fn candidates(&self, layers: &BTreeMap<usize, u32>) -> Vec<(usize, f64)> {
        let mut units: BTreeMap<usize, f64> = BTreeMap::new();
        for (cell, of) in self.machine.shape.cells.iter().enumerate() {
            let n_values =
                self.machine.sets[of.family as usize].list().map_or(f64::INFINITY, |list| list.len() as f64);
            *units.entry(unit_of(self.machine, cell)).or_insert(1.0) *= n_values;
        }
        let is_open = |unit: usize| self.base[unit] == Treatment::Dropped;
        let matters = |unit: usize| layers.is_empty() || layers.contains_key(&unit);
        let units = units.into_iter();
        units
            .filter(|&(unit, size)| size > 1.0 && size.is_finite() && is_open(unit) && matters(unit))
            .collect()
    }

    /// The units that the goals are about, and the cells that must have certain values.
    fn asked(&self) -> (BTreeSet<usize>, Vec<(usize, i64)>) {
        let mut asked = BTreeSet::new();
        let mut wanted = Vec::new();
        for goal in self.goals {
            match goal {
                AbstractGoal::State(expr, truth) => {
                    asked.extend(reads(self.machine, expr, None));
                    self.wanted_by(expr, *truth, None, &mut wanted);
                }
                AbstractGoal::At(template, locations) => {
                    for (process, &cell) in self.machine.shape.locations.iter().enumerate() {
                        if self.machine.shape.cells[cell as usize].content_template() == Some(*template) {
                            asked.insert(cell as usize);
                            self.wanted_at(*template, locations, process, &mut wanted);
                        }
                    }
                }
                AbstractGoal::Assertion => self.asked_by_assertions(&mut asked),
            }
        }
        (asked.into_iter().map(|cell| unit_of(self.machine, cell)).collect(), wanted)
    }

    fn asked_by_assertions(&self, asked: &mut BTreeSet<usize>) {
        for process in 0..self.machine.shape.processes.len() {
            let Some(template) = self.machine.shape.process(process, usize::MAX) else { continue };
            for edge in &self.machine.model.template(template).edges {
                for action in &edge.effect {
                    if let fathom_model::Action::Assert(expr) = action {
                        asked.extend(reads(self.machine, expr, Some(process)));
                        asked.insert(self.machine.shape.locations[process] as usize);
                    }
                }
            }
        }
    }

    /// The equations that must hold for a process to get to a location: those in the guards before it.
    fn wanted_at(
        &self,
        template: fathom_model::TemplateId,
        locations: &[fathom_model::LocationId],
        process: usize,
        wanted: &mut Vec<(usize, i64)>,
    ) {
        let goal = LocalGoal::new(self.machine.model, template, locations);
        let gates: Vec<&Expr> = goal.gates(self.machine.model).collect();
        if let [gate] = gates.as_slice() {
            self.wanted_by(gate, true, Some(process), wanted);
        }
    }

    /// The equations in a conjunction.
    fn wanted_by(&self, expr: &Expr, truth: bool, own: Option<usize>, wanted: &mut Vec<(usize, i64)>) {
        match expr {
            Expr::Unary(fathom_model::UnaryOp::Not, operand) => self.wanted_by(operand, !truth, own, wanted),
            Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right)
                if (*op == BinaryOp::And) == truth =>
            {
                self.wanted_by(left, truth, own, wanted);
                self.wanted_by(right, truth, own, wanted);
            }
            Expr::Binary(op @ (BinaryOp::Equal | BinaryOp::NotEqual), left, right)
                if (*op == BinaryOp::Equal) == truth =>
            {
                let (place, value) = match (&**left, &**right) {
                    (Expr::Load(place), Expr::Const(value)) | (Expr::Const(value), Expr::Load(place)) => {
                        (place, *value)
                    }
                    _ => return,
                };
                let (cells, _) = super::reads::place_cells(self.machine, place, own);
                if cells.len() == 1 {
                    wanted.extend(cells.into_iter().map(|cell| (cell, value)));
                }
            }
            Expr::AtLocation { template, location, .. } if truth => {
                for cell in reads(self.machine, expr, own) {
                    wanted.push((cell, i64::from(location.0)));
                    let process = self.machine.shape.locations.iter().position(|&at| at as usize == cell);
                    if let Some(process) = process.filter(|_| own.is_none()) {
                        self.wanted_at(*template, &[*location], process, wanted);
                    }
                }
            }
            _ => {}
        }
    }

    /// Databases that keep some cells and drop the others.
    fn projections(
        &mut self,
        dependencies: &Dependencies,
        asked: &BTreeSet<usize>,
        wanted: &[(usize, i64)],
    ) -> Result<Vec<Made>, Unmade> {
        let mut roots = asked.clone();
        roots.extend(wanted.iter().map(|&(cell, _)| unit_of(self.machine, cell)));
        let layers = dependencies.layers(&roots);
        let sizes: BTreeMap<usize, f64> = self.candidates(&layers).into_iter().collect();
        let mut ranked: Vec<usize> = sizes.keys().copied().collect();
        let far = |unit: &usize| layers.get(unit).copied().unwrap_or(u32::MAX) > 3;
        ranked.sort_by_key(|unit| {
            (far(unit), std::cmp::Reverse(dependencies.strength(*unit)), layers.get(unit).copied(), *unit)
        });
        let mut open: Vec<usize> = roots.iter().copied().filter(|unit| sizes.contains_key(unit)).collect();
        open.sort_by(|one, other| sizes[one].total_cmp(&sizes[other]));
        let mut made: Vec<Made> = Vec::new();
        while made.len() < MOST_DATABASES {
            let first: Vec<usize> = open.iter().copied().take(2).collect();
            let rest = ranked.iter().copied().filter(|unit| !first.contains(unit));
            let order: Vec<usize> = first.iter().copied().chain(rest).collect();
            let Some((plan, database)) = self.largest_prefix(&order, &sizes)? else { break };
            let kept: BTreeSet<&String> = plan.keep.iter().collect();
            let cells = &self.machine.shape.cells;
            let n_open = open.len();
            open.retain(|&unit| !kept.contains(&cells[unit].name));
            let is_done = open.is_empty() || open.len() == n_open;
            made.push(Made { plan, database, is_grouped: false });
            if is_done {
                break;
            }
        }
        Ok(made)
    }

    /// The database of the longest beginning of a list that fits.
    fn largest_prefix(
        &mut self,
        mut order: &[usize],
        sizes: &BTreeMap<usize, f64>,
    ) -> Result<Option<(DatabasePlan, Database)>, Unmade> {
        let mut product = 1.0;
        let fits = |unit: &&usize| {
            product *= sizes.get(*unit).copied().unwrap_or(1.0);
            product <= self.budget.states as f64
        };
        let mut length = order.iter().take_while(fits).count().max(1).min(order.len());
        let mut best = None;
        let mut ahead = 1;
        for _ in 0..MOST_ATTEMPTS {
            if order.is_empty() {
                break;
            }
            let kept = &order[..length];
            self.machine.treatments.clone_from(&self.base);
            for &unit in kept {
                self.keep(unit);
            }
            match self.make() {
                Ok(database) => {
                    let keep = kept.iter().map(|&unit| self.machine.shape.cells[unit].name.clone()).collect();
                    best = Some((length, DatabasePlan { keep, groups: Vec::new() }, database));
                    if length == order.len() {
                        break;
                    }
                    length = (length + ahead).min(order.len());
                    ahead *= 2;
                }
                Err(Unmade::TooLarge) => {
                    let least = best.as_ref().map_or(0, |(length, _, _)| *length);
                    ahead = 1;
                    if length == 1 {
                        // What is too large by itself is left out.
                        order = &order[1..];
                        length = order.len().min(1);
                        continue;
                    }
                    match least + (length - least) / 2 {
                        next if next > least => length = next,
                        _ => break,
                    }
                }
                Err(reason) => return Err(reason),
            }
            if best.as_ref().is_some_and(|(best, _, _)| *best == length) {
                break;
            }
        }
        Ok(best.map(|(_, plan, database)| (plan, database)))
    }

    /// Databases that tell some values apart in all cells of an array.
    fn groupings(
        &mut self,
        dependencies: &Dependencies,
        asked: &BTreeSet<usize>,
        wanted: &[(usize, i64)],
    ) -> Result<Vec<Made>, Unmade> {
        let mut made = Vec::new();
        let Some(bank) = self.bank(wanted) else { return Ok(made) };
        let mut control = dependencies.control_of(&bank);
        control.extend(asked.difference(&bank));
        let mut values: Vec<i64> = Vec::new();
        for &(cell, value) in wanted {
            if bank.contains(&cell) && !values.contains(&value) {
                values.push(value);
            }
        }
        while !values.is_empty() && made.len() < MOST_DATABASES {
            let mut best = None;
            let mut n_told_apart = 1;
            let (mut n_states, mut growth) = (0.0, 0.0);
            while n_told_apart <= values.len() && n_states * growth <= self.budget.states as f64 {
                let classes: Vec<Vec<i64>> =
                    values[..n_told_apart].iter().map(|&value| vec![value]).collect();
                let plan = self.grouping_plan(&bank, &control, classes);
                if self.apply(&plan).is_err() {
                    break;
                }
                match self.make() {
                    Ok(database) => {
                        // One more value makes it larger about as much as the last one did.
                        let before = std::mem::replace(&mut n_states, database.n_states() as f64);
                        growth = if before > 0.0 { n_states / before } else { 0.0 };
                        best = Some(Made { plan, database, is_grouped: true });
                    }
                    Err(Unmade::TooLarge) => break,
                    Err(reason) => return Err(reason),
                }
                n_told_apart += 1;
            }
            let Some(best) = best else { break };
            values.drain(..n_told_apart - 1);
            made.push(best);
        }
        Ok(made)
    }

    fn grouping_plan(
        &self,
        bank: &BTreeSet<usize>,
        control: &BTreeSet<usize>,
        classes: Vec<Vec<i64>>,
    ) -> DatabasePlan {
        let name = |&cell: &usize| self.machine.shape.cells[cell].name.clone();
        let can_keep: BTreeSet<usize> =
            self.candidates(&BTreeMap::new()).into_iter().map(|(unit, _)| unit).collect();
        let control = control.intersection(&can_keep);
        DatabasePlan {
            keep: control.map(name).collect(),
            groups: vec![(bank.iter().map(name).collect(), classes)],
        }
    }

    /// The cells of an array of which several must have certain values, if those are not all the same.
    fn bank(&self, wanted: &[(usize, i64)]) -> Option<BTreeSet<usize>> {
        let stem = |cell: usize| {
            let name = &self.machine.shape.cells[cell].name;
            name.rsplit_once('[').map(|(stem, _)| stem)
        };
        let set = |cell: usize| &self.machine.sets[self.machine.shape.cells[cell].family as usize];
        let mut counts: BTreeMap<&str, BTreeSet<i64>> = BTreeMap::new();
        for &(cell, value) in wanted {
            if let (Content::Scalar(_), Some(stem)) = (self.machine.shape.cells[cell].content, stem(cell)) {
                counts.entry(stem).or_default().insert(value);
            }
        }
        let (name, _) = counts
            .into_iter()
            .filter(|(_, values)| values.len() >= 3)
            .max_by_key(|(_, values)| values.len())?;
        let cells = 0..self.machine.shape.cells.len();
        let is_scalar = |cell: &usize| matches!(self.machine.shape.cells[*cell].content, Content::Scalar(_));
        let bank: BTreeSet<usize> = cells
            .filter(is_scalar)
            .filter(|&cell| stem(cell) == Some(name) && set(cell).list().is_some())
            .collect();
        (bank.len() >= 3).then_some(bank)
    }
}

/// A cell of which only the class is known; none when its values are not known at all.
fn grouped(set: &Values, classes: &[Vec<i64>]) -> Option<Treatment> {
    let all = set.list()?;
    let mut parts: Vec<Values> = Vec::new();
    let mut rest: Vec<i64> = all.to_vec();
    for class in classes {
        let here: Vec<i64> = class.iter().copied().filter(|value| rest.contains(value)).collect();
        rest.retain(|value| !here.contains(value));
        parts.extend(Values::of(here));
    }
    parts.extend(Values::of(rest));
    Some(Treatment::Grouped(parts))
}
