//! Weak fairness of processes: whoever can always move moves again and again.
//!
//! A run is fair when no process can move from some state on for ever without doing so. Each process has a set of
//! steps that a run must come by again and again: its own, and all that leave a state in which it cannot move. Then a
//! run that counts is a fair one, and no copies of states are needed, one for each process, as in the
//! construction of Choueka (1974) that Spin uses (Holzmann, *The Spin Model Checker*, 2004, chapter 8): an engine that
//! deals with several sets does the rest. As in Spin, both sides of a hand-shake move, but only the sender
//! counts as able to.
//!
//! Processes beyond [`Fair::MOST_PROCESSES`] are not kept track of, and count as fair whatever they do: a run that an engine
//! finds then may not be fair. Whoever shows it has to look ([`is_fair_loop`]).

use fathom_model::{Accepting, Model, Move, NoRegion, Selective, Steps, System};

use crate::AtEnd;

/// A system of processes of which only fair runs count.
#[derive(Clone, Debug)]
pub struct Fair<S> {
    system: S,
    at_end: AtEnd,
    has_hand_shakes: bool,
    n_sets: u32,
}

/// Buffers that one worker reuses from state to state.
#[derive(Debug)]
pub struct FairScratch<S> {
    inner: S,
    /// The processes that move in each step of the last expansion, a bit for each.
    movers: Vec<u64>,
    /// The processes that could move.
    enabled: u64,
    recorded: Steps<NoRegion, Move>,
}

impl<S: Selective> Fair<S> {
    /// Most processes that are kept track of.
    pub const MOST_PROCESSES: u32 = 56;

    /// A system of a model with fair runs.
    pub fn new(system: S, model: &Model, at_end: AtEnd) -> Fair<S> {
        let has_hand_shakes = model.channel_types.iter().any(|channel| channel.is_rendezvous());
        Fair { system, at_end, has_hand_shakes, n_sets: Self::MOST_PROCESSES }
    }

    /// Pushes the steps process by process, the youngest first. False when no process can move by itself, and when it is not known who
    /// moves along.
    fn expand_by_process(
        &self,
        state: &[u8],
        scratch: &mut FairScratch<S::Scratch>,
        out: &mut Steps<NoRegion, Move>,
    ) -> bool {
        let FairScratch { inner, movers, enabled, .. } = scratch;
        let first = out.len();
        let n_processes = self.system.portions(state, &NoRegion, inner, out);
        let mut next = 0;
        while next < n_processes {
            let n_before = out.len();
            next = self.system.portion(next..n_processes, state, &NoRegion, inner, out);
            if out.len() > n_before {
                let process = self.bit((n_processes - next) as u32);
                *enabled |= process;
                movers.resize(movers.len() + out.len() - n_before, process);
                if self.has_hand_shakes {
                    let Some(partners) = self.system.partners(inner) else { return false };
                    for &(step, partner) in partners {
                        movers[step - first] |= self.bit(partner);
                    }
                }
            }
        }
        !movers.is_empty()
    }

    /// Pushes all steps, and looks at their labels.
    fn expand_with_labels(
        &self,
        state: &[u8],
        scratch: &mut FairScratch<S::Scratch>,
        out: &mut Steps<NoRegion, Move>,
    ) {
        let FairScratch { inner, movers, enabled, recorded } = scratch;
        recorded.clear();
        self.system.successors(state, &NoRegion, inner, recorded);
        for finding in recorded.findings() {
            out.find(finding.property, finding.fault.clone(), recorded.finding_labels(finding));
        }
        for index in 0..recorded.len() {
            let labels = recorded.labels(index);
            *enabled |= labels.first().map_or(0, |first| self.bit(first.process));
            movers.push(labels.iter().fold(0, |movers, label| {
                let partner = label.partner.map_or(0, |partner| self.bit(partner.process));
                movers | self.bit(label.process) | partner
            }));
            out.push(recorded.state(index), NoRegion, labels);
        }
    }

    fn bit(&self, process: u32) -> u64 {
        if process < self.n_sets { 1 << process } else { 0 }
    }
}

impl<S: Selective> System for Fair<S> {
    type Region = NoRegion;
    type Label = Move;
    type Scratch = FairScratch<S::Scratch>;

    fn scratch(&self) -> FairScratch<S::Scratch> {
        let inner = self.system.scratch();
        FairScratch { inner, movers: Vec::new(), enabled: 0, recorded: Steps::recording() }
    }

    fn initial(&self, scratch: &mut Self::Scratch, out: &mut Steps<NoRegion, Move>) {
        self.system.initial(&mut scratch.inner, out);
    }

    fn successors(
        &self,
        state: &[u8],
        _: &NoRegion,
        scratch: &mut Self::Scratch,
        out: &mut Steps<NoRegion, Move>,
    ) {
        let before = out.height();
        let n_before = out.len();
        scratch.movers.clear();
        scratch.enabled = 0;
        if !self.expand_by_process(state, scratch, out) {
            // A time-out, nothing at all, or a hand-shake in the middle of a step.
            out.truncate(before);
            scratch.movers.clear();
            scratch.enabled = 0;
            self.expand_with_labels(state, scratch, out);
        }
        if out.len() == n_before && self.at_end == AtEnd::Repeats {
            scratch.movers.push(0);
            out.push(state, NoRegion, &[]);
        }
    }
}

impl<S: Selective> Accepting for Fair<S> {
    fn n_sets(&self) -> u32 {
        self.n_sets
    }

    #[inline]
    fn marks(&self, _: &[u8], scratch: &Self::Scratch, step: usize) -> u64 {
        (!scratch.enabled | scratch.movers[step]) & self.all_marks()
    }

    fn is_state_based(&self) -> bool {
        false
    }

    fn is_accepting(&self, _: &[u8]) -> bool {
        false
    }
}

/// Whether going round a loop for ever is fair: for each of its steps, the processes that could move and those that did.
pub fn is_fair_loop(steps: &[(Vec<u32>, Vec<u32>)]) -> bool {
    let Some((first, _)) = steps.first() else { return true };
    first.iter().all(|process| {
        let is_always_able = steps.iter().all(|(able, _)| able.contains(process));
        !is_always_able || steps.iter().any(|(_, moved)| moved.contains(process))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loop_is_unfair_when_someone_who_can_always_move_never_does() {
        assert!(!is_fair_loop(&[(vec![0, 1], vec![0]), (vec![0, 1], vec![0])]));
        assert!(is_fair_loop(&[(vec![0, 1], vec![0]), (vec![0, 1], vec![1])]));
        assert!(is_fair_loop(&[(vec![0, 1], vec![0]), (vec![0], vec![0])]));
        assert!(is_fair_loop(&[(vec![], vec![])]));
    }
}
