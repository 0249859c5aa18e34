//! Whether a process may move, and whether an edge could be taken, in a set of states: as in `enabled.rs` of the reference
//! interpreter. Every answer is the condition under which it is yes.

use fathom_diagram::{Diagram, NoRoom};
use fathom_model::{Action, ChannelQuery, Edge, Fault, Guard, Sync, Template};

use crate::machine::{Live, Machine, View};
use crate::path::Path;

impl Machine<'_> {
    /// The condition under which the process that looks may take edges at all.
    pub fn may_move(&mut self, view: &View, path: &Path, live: &mut Live) -> Result<Diagram, NoRoom> {
        let Some(own) = view.own else { return Ok(self.arithmetic.no.clone()) };
        let record = path.shape.processes[own as usize];
        let mut may = self.is_provided(view, path, self.model.template(record.template), live)?;
        if !self.model.uses_priorities {
            return Ok(may);
        }
        let priority = path.shape.priority(self.layout, record);
        for (other, &other_record) in path.shape.processes.iter().enumerate() {
            if other == own as usize || path.shape.priority(self.layout, other_record) <= priority {
                continue;
            }
            let theirs = View { depth: view.depth + 1, ..*view }.by(other as u32);
            let template = self.model.template(other_record.template);
            let overruled = live.within(&may, |live| {
                let provided = self.is_provided(&theirs, path, template, live)?;
                live.within(&provided, |live| self.has_executable_edge(&theirs, path, live))
            })?;
            may = may.and(&live.condition)?.minus(&overruled)?;
        }
        Ok(may)
    }

    fn is_provided(
        &mut self,
        view: &View,
        path: &Path,
        template: &Template,
        live: &mut Live,
    ) -> Result<Diagram, NoRoom> {
        match &template.provided {
            Some(condition) => self.holds(view, path, condition, live),
            None => Ok(live.condition.clone()),
        }
    }

    /// The condition under which the process that looks has an executable edge, not counting hand-shakes.
    pub fn has_executable_edge(
        &mut self,
        view: &View,
        path: &Path,
        live: &mut Live,
    ) -> Result<Diagram, NoRoom> {
        let mut some = self.arithmetic.no.clone();
        let Some(own) = view.own else { return Ok(some) };
        let template = self.model.template(path.shape.processes[own as usize].template);
        let Some(here) = path.under(&live.condition)? else { return Ok(some) };
        for (condition, location) in self.locations(&here, own)? {
            for &edge in template.location(location).groups.iter().flatten() {
                let asked = condition.minus(&some)?;
                let one =
                    live.within(&asked, |live| self.is_executable(view, path, template.edge(edge), live))?;
                some = some.or(&one)?;
            }
        }
        Ok(some)
    }

    /// The condition under which an edge could be taken, given that none listed before it can.
    fn is_executable(
        &mut self,
        view: &View,
        path: &Path,
        edge: &Edge,
        live: &mut Live,
    ) -> Result<Diagram, NoRoom> {
        let yes = self.arithmetic.yes.clone();
        let guard = self.guard_holds(view, path, &edge.guard, &yes, live)?;
        let possible =
            live.within(&guard, |live| self.is_exchange_possible(view, path, edge.sync.as_ref(), live))?;
        if !edge.effect.iter().any(|action| matches!(action, Action::Require(_))) {
            return Ok(possible);
        }
        live.within(&possible, |live| self.is_accepted(view, path, &edge.effect, live))
    }

    /// The condition under which a message can be put into or taken out of a buffer.
    fn is_exchange_possible(
        &mut self,
        view: &View,
        path: &Path,
        sync: Option<&Sync>,
        live: &mut Live,
    ) -> Result<Diagram, NoRoom> {
        let (Some(Sync::Send { channel, .. } | Sync::Receive { channel, .. }), Some(sync)) = (sync, sync)
        else {
            return Ok(live.condition.clone());
        };
        let mut possible = self.arithmetic.no.clone();
        for (condition, channel) in self.channels(view, path, channel, live)? {
            let is_rendezvous = self.is_rendezvous(path, channel);
            match sync {
                Sync::Receive { copy: true, .. } if is_rendezvous => {
                    live.fault(Fault::PollOfRendezvous, &condition)?;
                }
                _ if is_rendezvous => {}
                Sync::Send { .. } => {
                    let has_room = self.query(path, channel, ChannelQuery::NotFull)?;
                    let has_room = condition.and(&self.arithmetic.nonzero(&has_room)?)?;
                    possible = possible.or(&has_room)?;
                }
                Sync::Receive { patterns, which, .. } => {
                    let slots = live.within(&condition, |live| {
                        self.find_message(view, path, channel, patterns, *which, live)
                    })?;
                    for (condition, _) in slots {
                        possible = possible.or(&condition)?;
                    }
                }
            }
        }
        Ok(possible)
    }

    /// The condition under which a guard allows the process that looks to take its edge; `untaken` says where no edge listed
    /// before was taken.
    pub fn guard_holds(
        &mut self,
        view: &View,
        path: &Path,
        guard: &Guard,
        untaken: &Diagram,
        live: &mut Live,
    ) -> Result<Diagram, NoRoom> {
        match guard {
            Guard::Always => Ok(live.condition.clone()),
            Guard::When(condition) => self.holds(view, path, condition, live),
            Guard::Else => live.condition.and(untaken),
            Guard::Youngest => {
                let is_youngest = view.own.is_some_and(|own| own as usize + 1 == path.shape.processes.len());
                live.condition.and(self.arithmetic.constant(is_youngest))
            }
        }
    }
}
