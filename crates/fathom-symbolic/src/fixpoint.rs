//! Sets of composite states by fixpoints: one step before, until, always, and always on fair runs.
//!
//! The algorithms of the source (da Costa, 2005) as they have to be: sets are subtracted and cut as sets, not compared pair by pair; a state is in `EG` because a state is one step away that is,
//! not because its explicit part lies on a cycle of explicit parts; what is not in a set is what is reached and not in it. Fair runs are those of Emerson and Lei
//! ("Efficient Model Checking in Fragments of the Propositional Mu-Calculus", 1986): the greatest set from each state of which every constraint can be met again inside the set.

use std::collections::{BTreeSet, VecDeque};

use fathom_diagram::{Diagram, NoRoom};

use crate::graph::{CompositeGraph, GoesOn, NoGraph, StatesOf};

type Made<T> = Result<T, NoGraph>;

impl CompositeGraph<'_, '_> {
    fn each(
        &self,
        left: &StatesOf,
        right: &StatesOf,
        join: impl Fn(&Diagram, &Diagram) -> Result<Diagram, NoRoom>,
    ) -> Made<StatesOf> {
        let pairs = left.parts.iter().zip(&right.parts);
        let parts = pairs.map(|(one, other)| join(one, other)).collect::<Result<Vec<Diagram>, NoRoom>>()?;
        Ok(StatesOf { parts })
    }

    /// What is in both sets.
    ///
    /// # Errors
    ///
    /// When there is no room; so for all that follow.
    pub fn both(&self, left: &StatesOf, right: &StatesOf) -> Made<StatesOf> {
        self.each(left, right, Diagram::and)
    }

    /// What is in one of the sets.
    #[allow(missing_docs, clippy::missing_errors_doc)]
    pub fn either(&self, left: &StatesOf, right: &StatesOf) -> Made<StatesOf> {
        self.each(left, right, Diagram::or)
    }

    /// What is reached and not in a set.
    #[allow(clippy::missing_errors_doc)]
    pub fn complement(&self, states: &StatesOf) -> Made<StatesOf> {
        self.each(self.all(), states, Diagram::minus)
    }

    /// What has a step into a set.
    #[allow(clippy::missing_errors_doc)]
    pub fn one_before(&self, states: &StatesOf) -> Made<StatesOf> {
        let parts = (0..self.parts.len())
            .map(|place| self.before_in(place, states))
            .collect::<Result<Vec<Diagram>, NoRoom>>()?;
        Ok(StatesOf { parts })
    }

    /// What can go through one set to another, in layers by distance: the union of all is the set.
    #[allow(clippy::missing_errors_doc)]
    pub fn layers_until(
        &self,
        through: &StatesOf,
        goal: &StatesOf,
        goes_on: &mut GoesOn<'_>,
    ) -> Made<(StatesOf, Vec<StatesOf>)> {
        let mut all = goal.clone();
        let mut layers = vec![goal.clone()];
        let mut last = goal.clone();
        loop {
            let mut next = self.none();
            let mut is_new = false;
            for (target, region) in last.parts.iter().enumerate().filter(|(_, region)| !region.is_false()) {
                if !goes_on(self.n_expansions(), self.n_parts() as u64) {
                    return Err(NoGraph::Stopped);
                }
                for &(place, step) in &self.parts[target].before {
                    if through.parts[place].is_false() {
                        continue;
                    }
                    let before = self.before_step(&self.parts[place].steps[step], region)?;
                    let news = before.and(&through.parts[place])?.minus(&all.parts[place])?;
                    if !news.is_false() {
                        all.parts[place] = all.parts[place].or(&news)?;
                        next.parts[place] = next.parts[place].or(&news)?;
                        is_new = true;
                    }
                }
            }
            if !is_new {
                return Ok((all, layers));
            }
            layers.push(next.clone());
            last = next;
        }
    }

    /// What can go through one set to another.
    #[allow(clippy::missing_errors_doc)]
    pub fn until(&self, through: &StatesOf, goal: &StatesOf, goes_on: &mut GoesOn<'_>) -> Made<StatesOf> {
        Ok(self.layers_until(through, goal, goes_on)?.0)
    }

    /// What can stay in a set for ever.
    #[allow(clippy::missing_errors_doc)]
    pub fn always(&self, states: &StatesOf, goes_on: &mut GoesOn<'_>) -> Made<StatesOf> {
        let mut left = states.clone();
        let mut queue: VecDeque<usize> = (0..self.parts.len()).collect();
        let mut waiting: BTreeSet<usize> = queue.iter().copied().collect();
        while let Some(place) = queue.pop_front() {
            waiting.remove(&place);
            if left.parts[place].is_false() {
                continue;
            }
            if !goes_on(self.n_expansions(), self.n_parts() as u64) {
                return Err(NoGraph::Stopped);
            }
            let stays = self.before_in(place, &left)?.and(&left.parts[place])?;
            if stays == left.parts[place] {
                continue;
            }
            left.parts[place] = stays;
            for &(before, _) in &self.parts[place].before {
                if !left.parts[before].is_false() && waiting.insert(before) {
                    queue.push_back(before);
                }
            }
        }
        Ok(left)
    }

    /// What can stay in a set for ever and meet each of the constraints again and again.
    #[allow(clippy::missing_errors_doc)]
    pub fn always_fairly(
        &self,
        states: &StatesOf,
        constraints: &[StatesOf],
        goes_on: &mut GoesOn<'_>,
    ) -> Made<StatesOf> {
        let mut left = self.always(states, goes_on)?;
        if constraints.is_empty() {
            return Ok(left);
        }
        loop {
            let before = left.clone();
            for constraint in constraints {
                let goal = self.both(&left, constraint)?;
                let reaching = self.until(&left, &goal, goes_on)?;
                left = self.both(&left, &self.one_before(&reaching)?)?;
            }
            if left == before {
                return Ok(left);
            }
            left = self.always(&left, goes_on)?;
        }
    }
}
