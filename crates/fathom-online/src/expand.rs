//! Use cases carried out on the model: the actions between their events.
//!
//! A use case lists what a user cares about; the model needs more steps to do it. The expansion is a shortest run that has the events in their
//! order, so that the author of a use case sees whether it can be carried out, and how (Katara and Kervinen, HVC 2006).

use std::collections::VecDeque;

use fathom_coverage::{Kind, Pattern};
use rustc_hash::FxHashMap;

use crate::action::Action;
use crate::explored::Explored;
use crate::model::{Role, State};

/// What becomes of a use case on the model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Expansion {
    /// The actions, and for each whether it is an event of the use case.
    Run(Vec<(Action, bool)>),
    /// The model cannot do it: the number of events that it can do.
    Impossible(usize),
    /// It takes a search of more states.
    TooFar(usize),
}

/// A state, and the number of events that have happened.
type Place = (State, usize);

/// Finds a shortest run with these events.
pub fn expand(explored: &Explored<'_>, events: &[Pattern], most_states: usize) -> Expansion {
    let mut came_from: FxHashMap<Place, Option<(Place, Action, bool)>> = FxHashMap::default();
    let mut open = VecDeque::new();
    for state in explored.model().initial() {
        came_from.insert((state.clone(), 0), None);
        open.push_back((state, 0));
    }
    let (mut most_events, mut is_cut) = (0, false);
    while let Some(place) = open.pop_front() {
        let (state, n_events) = &place;
        most_events = most_events.max(*n_events);
        if *n_events == events.len() {
            return Expansion::Run(way(&came_from, place));
        }
        for step in explored.steps(state).iter() {
            let is_silent = matches!(step.role, Role::Internal | Role::Time);
            let is_event = !is_silent
                && (events[*n_events].matches(Kind::Actions, step.action.key())
                    || events[*n_events].matches(Kind::Actions, step.action.shown()));
            let next = (step.target.clone(), n_events + usize::from(is_event));
            if came_from.contains_key(&next) {
                continue;
            }
            if came_from.len() >= most_states {
                is_cut = true;
                continue;
            }
            came_from.insert(next.clone(), Some((place.clone(), step.action.clone(), is_event)));
            open.push_back(next);
        }
    }
    if is_cut { Expansion::TooFar(most_events) } else { Expansion::Impossible(most_events) }
}

fn way(came_from: &FxHashMap<Place, Option<(Place, Action, bool)>>, last: Place) -> Vec<(Action, bool)> {
    let mut actions = Vec::new();
    let mut place = last;
    while let Some(Some((before, action, is_event))) = came_from.get(&place) {
        actions.push((action.clone(), *is_event));
        place = before.clone();
    }
    actions.reverse();
    actions
}
