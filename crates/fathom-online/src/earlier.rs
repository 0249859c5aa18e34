//! Earlier tests: what they did counts as done, so that a test can go where none of them was.
//!
//! The bug-hunting mode of Katara and Kervinen (HVC 2006) uses earlier coverage to stay away from known paths. A log says what happened, not where
//! the model was; that is found by following it on the model.

use crate::action::Action;
use crate::estimate::{Estimate, TooManyStates};
use crate::explored::Explored;
use crate::log::Entry;
use crate::model::Role;
use crate::strategy::Visits;
use crate::tracker::Tracker;

/// Follows a run on the model and counts what it did, up to where the model does not allow it: the failure that ended the run, or another model.
pub(crate) fn remember(
    explored: &Explored<'_>,
    entries: &[Entry],
    visits: &mut Visits,
    mut tracker: Option<&mut Tracker>,
) {
    let Ok(mut estimate) = explored.begin() else { return };
    if let Some(tracker) = tracker.as_deref_mut() {
        tracker.begin_run(explored, &estimate);
    }
    for entry in entries {
        let is_wait =
            matches!(entry, Entry::Silence | Entry::Tick | Entry::Observed { is_awaited: true, .. });
        if is_wait {
            visits.count_wait(&estimate);
        }
        let Ok((action, to)) = follow(explored, &estimate, entry) else { return };
        if to.is_empty() {
            return;
        }
        if let Some(action) = action {
            visits.count(&estimate, action);
            if let Some(tracker) = tracker.as_deref_mut() {
                tracker.step(explored, &estimate, action, &to);
            }
        } else if let (Entry::Tick, Some(tracker)) = (entry, tracker.as_deref_mut()) {
            tracker.pass_time(explored, &to);
        }
        estimate = to;
    }
}

/// Where an entry leads, and its action if it has one.
fn follow<'e>(
    explored: &Explored<'_>,
    estimate: &Estimate,
    entry: &'e Entry,
) -> Result<(Option<&'e Action>, Estimate), TooManyStates> {
    Ok(match entry {
        Entry::Did { action, is_sent } => {
            let role = if *is_sent { Role::Controllable } else { Role::Unsent };
            (Some(action), explored.after(estimate, action, role)?)
        }
        Entry::Observed { action, .. } => (Some(action), explored.after(estimate, action, Role::Observable)?),
        Entry::Silence => (None, explored.after_silence(estimate)),
        Entry::Tick => (None, explored.after_tick(estimate)?),
    })
}
