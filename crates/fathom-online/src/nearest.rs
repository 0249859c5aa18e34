//! A shortest way to something that brings a goal nearer.
//!
//! Bounded look-ahead sees a few steps. Where everything near is covered, the nearest step that makes a difference may be far, and a search of
//! the model finds it: breadth-first over situations, as on-line testers that plan do. The way may depend on what the implementation
//! chooses; when it chooses otherwise, there is a new search.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use crate::action::Action;
use crate::estimate::Estimate;
use crate::explored::Explored;
use crate::model::Role;
use crate::strategy::Choice;
use crate::tracker::Tracker;

/// Choices, each with the situation where it is to be made.
pub(crate) type Plan = VecDeque<(Estimate, Choice)>;

/// What a search came to.
pub(crate) enum Nearest {
    /// A way.
    Found(Plan),
    /// Nothing that can be reached from here makes a difference.
    Exhausted,
    /// Nothing within the bound.
    TooFar,
}

/// Finds a shortest way.
pub(crate) fn nearest(
    explored: &Explored<'_>,
    start: &Estimate,
    tracker: &mut Tracker,
    most_states: usize,
) -> Nearest {
    let mut came_from: FxHashMap<Estimate, Option<(Estimate, Choice)>> = FxHashMap::default();
    came_from.insert(start.clone(), None);
    let mut open = VecDeque::from([start.clone()]);
    let before = tracker.measure();
    let mut is_cut = false;
    while let Some(here) = open.pop_front() {
        for (choice, action, to) in moves(explored, &here, &mut is_cut) {
            match &action {
                Some(action) => tracker.try_step(explored, &here, action, &to),
                None => tracker.try_time(explored, &to),
            }
            let after = tracker.measure();
            tracker.take_back();
            if after.0 > before.0 || after.0 == before.0 && after.1 > before.1 {
                return Nearest::Found(way(&came_from, here, choice));
            }
            if came_from.contains_key(&to) {
                continue;
            }
            if came_from.len() >= most_states {
                is_cut = true;
                continue;
            }
            came_from.insert(to.clone(), Some((here.clone(), choice)));
            open.push_back(to);
        }
    }
    if is_cut { Nearest::TooFar } else { Nearest::Exhausted }
}

/// What may happen in a situation, by whose choice, and where it leads.
fn moves(
    explored: &Explored<'_>,
    here: &Estimate,
    is_cut: &mut bool,
) -> Vec<(Choice, Option<Action>, Estimate)> {
    let enabled = explored.enabled(here);
    let mut moves = Vec::new();
    for (action, role) in enabled.controllable {
        match explored.after(here, &action, role) {
            Ok(to) => moves.push((Choice::Do(action.clone(), role), Some(action), to)),
            Err(_) => *is_cut = true,
        }
    }
    for action in enabled.observable {
        match explored.after(here, &action, Role::Observable) {
            Ok(to) => moves.push((Choice::Wait, Some(action), to)),
            Err(_) => *is_cut = true,
        }
    }
    if enabled.may_tick {
        match explored.after_tick(here) {
            Ok(to) => moves.push((Choice::Wait, None, to)),
            Err(_) => *is_cut = true,
        }
    }
    moves
}

fn way(came_from: &FxHashMap<Estimate, Option<(Estimate, Choice)>>, last: Estimate, choice: Choice) -> Plan {
    let mut plan = VecDeque::from([(last.clone(), choice)]);
    let mut here = last;
    while let Some(Some((before, choice))) = came_from.get(&here) {
        plan.push_front((before.clone(), choice.clone()));
        here = before.clone();
    }
    plan
}
