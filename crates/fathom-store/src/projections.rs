//! Steps that are remembered by what they depend on.
//!
//! A process at a location looks at a few bytes of a state and changes a few: its [`Footprint`]. In a packed state
//! these bytes are some bits of the root, and a step flips some of those bits. So what a portion of a state leads to is a
//! function of the root under a mask: a short list of *differences*, each of which turns the root of the state
//! into that of a successor by one exclusive-or. A small table remembers these lists. A state whose lists are all
//! there is expanded without being opened, run or packed again.
//!
//! Blom, van de Pol and Weber ("LTSmin: Distributed and Symbolic Reachability", CAV 2010) remember steps of groups
//! of variables in the same spirit, as short vectors that are put into copies of states. Here a state
//! is one word and so is a step, and the mask follows indices: of an array, only the element in question is in it.
//!
//! Masks are found in a few hops, each by a few bits of the root: those of the location of the process lead to the
//! bits that decide there, of an index for instance, and these to the next ones or to the mask. When bytes get more
//! bits in roots, everything is forgotten.
//! Where lists are mostly new, nothing is gained, and after some tries it is left alone for a while.

mod plan;

use fathom_model::{ByteSet, Footprint};

use crate::packing::TAG_SHIFT;
use crate::packing::bits::{self, Bits, Portable};
use crate::store::StateId;
use plan::{END, HOPELESS, KEY, Line, MANY, Node, Plan, Portion, SHORT, UNKNOWN};

/// Most steps of a portion that are remembered at all.
const MOST_STEPS: usize = 64;
/// Steps that are elsewhere, at most.
const MOST_ELSEWHERE: usize = 1 << 18;
/// Most lines of all portions.
const MOST_LINES: usize = 1 << 18;
/// States after which it is decided how things go on.
const WINDOW: u32 = 1 << 12;
/// One look-up in so many may fail before a portion gets more lines.
const FEW_FAILURES: u32 = 64;
/// With more failures than this part of all look-ups, nothing is gained; and nothing is learnt about a portion of
/// which more fail.
const MANY_FAILURES: (u32, u32) = (1, 3);
const MOST_FAILURES: (u32, u32) = (7, 8);
/// States that are left alone when it is given up first, and at most.
const FIRST_BREAK: u32 = 1 << 14;
const LONGEST_BREAK: u32 = 1 << 22;
/// States that are left alone when bits were added, times the number of times that this has happened.
const BREAK_FOR_CHANGE: u32 = 16;

/// What is known about the steps of a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Remembered {
    /// All of them.
    All,
    /// Those of the portions before this one. Go on with [`Projections::learn`].
    Until(usize),
    /// Nothing: expand it.
    Nothing,
    /// Nothing before [`Projections::begin`].
    NoPlan,
}

/// A table of steps.
#[derive(Debug)]
pub struct Projections {
    /// By tag of the packing.
    plans: Vec<Plan>,
    /// States that were looked up since the last decision, and their portions.
    n_states: u32,
    n_portions: u32,
    /// States that are left alone before the next try.
    n_left_alone: u32,
    /// States that will be left alone when the next try is given up.
    next_break: u32,
    /// The successors of the state at hand, and room for more.
    found: Vec<u64>,
    n_found: usize,
    /// The bits of the layers of a footprint.
    layers: Vec<u64>,
}

impl Default for Projections {
    fn default() -> Projections {
        Projections {
            plans: Vec::new(),
            n_states: 0,
            n_portions: 0,
            n_left_alone: 0,
            next_break: FIRST_BREAK,
            found: Vec::new(),
            n_found: 0,
            layers: Vec::new(),
        }
    }
}

impl Projections {
    /// Looks up the steps of a state, portion by portion. What they lead to is in [`found`](Projections::found)
    /// afterwards. The version is that of the [store](crate::Store::version).
    #[inline]
    pub fn look_up(&mut self, version: u64, id: StateId) -> Remembered {
        self.n_found = 0;
        if self.n_left_alone > 0 {
            self.n_left_alone -= 1;
            return Remembered::Nothing;
        }
        match self.plans.get_mut(tag(id)) {
            Some(plan) if plan.version == version && version != 0 => {
                self.n_states += 1;
                plan.n_states += 1;
                self.n_portions += plan.portions.len() as u32;
                if self.n_states >= WINDOW {
                    self.decide();
                }
                self.go_on(id, 0)
            }
            Some(plan) if plan.version != 0 => {
                plan.version = 0;
                self.n_left_alone = BREAK_FOR_CHANGE.saturating_mul(plan.n_changes).min(FIRST_BREAK);
                Remembered::Nothing
            }
            _ if version == 0 => Remembered::Nothing,
            _ => Remembered::NoPlan,
        }
    }

    /// Begins to remember steps of states like this one, with so many portions.
    pub fn begin(&mut self, version: u64, id: StateId, n_portions: usize) {
        let tag = tag(id);
        if tag >= self.plans.len() {
            self.plans.resize(tag + 1, Plan::default());
        }
        self.plans[tag].reset(version, n_portions);
    }

    /// The successors of the state that was looked up, as far as they are known.
    #[inline]
    pub fn found(&self) -> &[u64] {
        &self.found[..self.n_found]
    }

    /// Whether a footprint is needed to learn about a portion of a state.
    pub fn needs_footprint(&self, id: StateId, portion: usize) -> bool {
        let plan = &self.plans[tag(id)];
        let portion = &plan.portions[portion];
        !portion.is_left_alone && plan.nodes[plan.end::<Portable>(id.0, portion)] == UNKNOWN
    }

    /// Enters the footprint of a portion of a state, and whether it is known. The bits of some bytes are those of the
    /// [store](crate::Store::bits_of).
    pub fn enter(
        &mut self,
        id: StateId,
        portion: usize,
        footprint: &Footprint,
        is_known: bool,
        bits_of: &mut dyn FnMut(&ByteSet) -> u64,
    ) {
        let is_known = is_known && bits_of(&footprint.frame) == 0;
        let mask = bits_of(&footprint.touched);
        // With all bits there is nothing to be gained, and no key is that of a line that was never filled.
        let end = if is_known && mask != KEY { Node { mask, next: END } } else { HOPELESS };
        let mut so_far = 0;
        self.layers.clear();
        for layer in &footprint.layers {
            let bits = bits_of(layer) & !so_far;
            so_far |= bits;
            self.layers.push(bits);
        }
        self.plans[tag(id)].enter(id.0, portion, &self.layers, end);
    }

    /// Learns what a portion of the state leads to. Gives what is known about the portions after it.
    pub fn learn(&mut self, id: StateId, portion: usize, successors: &[u64]) -> Remembered {
        self.note(successors);
        let plan = &mut self.plans[tag(id)];
        plan.portions[portion].n_failed += 1;
        let can_be_remembered = successors.len() <= MOST_STEPS
            && plan.elsewhere.len() < MOST_ELSEWHERE
            && successors.iter().all(|&root| tag(StateId(root)) == tag(id));
        let end = plan.end::<Portable>(id.0, &plan.portions[portion]);
        let node = &mut plan.nodes[end];
        if !can_be_remembered && *node != UNKNOWN {
            *node = HOPELESS;
        }
        let mask = node.mask;
        if mask < HOPELESS.mask && !plan.portions[portion].is_left_alone {
            if plan.portions[portion].n_lines() == 0 {
                plan.portions[portion].grow();
            }
            plan.remember(portion, id.0 & mask, id.0, successors);
            plan.portions[portion].n_learnt += 1;
        }
        self.go_on(id, portion + 1)
    }

    /// Adds successors to those found.
    fn note(&mut self, successors: &[u64]) {
        self.make_room(successors.len());
        self.found[self.n_found..self.n_found + successors.len()].copy_from_slice(successors);
        self.n_found += successors.len();
    }

    #[inline(always)]
    fn make_room(&mut self, n_more: usize) {
        if self.found.len() < self.n_found + n_more {
            self.found.resize(2 * (self.n_found + n_more), 0);
        }
    }

    /// Looks up the steps from a portion on.
    #[inline]
    fn go_on(&mut self, id: StateId, portion: usize) -> Remembered {
        #[cfg(target_arch = "x86_64")]
        {
            #[target_feature(enable = "bmi2")]
            fn look_up_with_bmi2(projections: &mut Projections, id: StateId, portion: usize) -> Remembered {
                projections.look_up_from::<bits::Hardware>(id, portion)
            }
            if bits::is_available() {
                // SAFETY: the processor has the instructions.
                return unsafe { look_up_with_bmi2(self, id, portion) };
            }
        }
        self.look_up_from::<Portable>(id, portion)
    }

    #[inline(always)]
    fn look_up_from<B: Bits>(&mut self, id: StateId, first: usize) -> Remembered {
        let root = id.0;
        let n_portions = self.plans[tag(id)].portions.len();
        self.make_room((n_portions + 1) * SHORT);
        let plan = &self.plans[tag(id)];
        let mut n_found = self.n_found;
        for (number, portion) in plan.portions.iter().enumerate().skip(first) {
            let key = root & plan.nodes[plan.end::<B>(root, portion)].mask;
            let Some(at) = portion.find(key) else {
                self.n_found = n_found;
                return Remembered::Until(number);
            };
            let line = portion.line(at);
            let n_steps = line.key_and_steps >> TAG_SHIFT;
            // Most have one step, or none: nothing depends on which.
            self.found[n_found] = root ^ line.first;
            if n_steps > 1 {
                if n_steps == MANY {
                    self.n_found = n_found;
                    return self.go_on_elsewhere(id, number, line.first);
                }
                let room = &mut self.found[n_found + 1..n_found + SHORT];
                for (found, difference) in room.iter_mut().zip(&portion.more[at]) {
                    *found = root ^ difference;
                }
            }
            n_found += n_steps as usize;
        }
        self.n_found = n_found;
        Remembered::All
    }

    /// The same for a portion with many steps, and the portions after it.
    #[inline(never)]
    fn go_on_elsewhere(&mut self, id: StateId, portion: usize, place: u64) -> Remembered {
        let (start, n_steps) = ((place >> 8) as usize, (place & 0xff) as usize);
        self.make_room(n_steps);
        let differences = &self.plans[tag(id)].elsewhere[start..start + n_steps];
        for (found, difference) in self.found[self.n_found..].iter_mut().zip(differences) {
            *found = id.0 ^ difference;
        }
        self.n_found += n_steps;
        self.go_on(id, portion + 1)
    }

    /// Decides after some states how things go on.
    #[cold]
    fn decide(&mut self) {
        let n_portions = std::mem::take(&mut self.n_portions);
        self.n_states = 0;
        let mut n_lines = self.n_lines();
        let mut n_failed = 0;
        for plan in &mut self.plans {
            let n_states = std::mem::take(&mut plan.n_states);
            if plan.elsewhere.len() >= MOST_ELSEWHERE {
                plan.version = 0;
            }
            for portion in &mut plan.portions {
                let n_failed_here = std::mem::take(&mut portion.n_failed);
                n_failed += n_failed_here;
                if n_states == 0 {
                    // A packing that is out of use.
                    portion.forget();
                    continue;
                }
                // Before it says anything that lines are missing, there must have been something in them.
                let is_filled = portion.n_lines() > 0 && portion.n_learnt >= portion.n_lines();
                if n_failed_here <= n_states / FEW_FAILURES || !is_filled || portion.is_left_alone {
                    continue;
                }
                if n_lines + 3 * portion.n_lines() <= MOST_LINES {
                    n_lines += 3 * portion.n_lines();
                    portion.grow();
                } else if n_failed_here > n_states / MOST_FAILURES.1 * MOST_FAILURES.0 {
                    portion.is_left_alone = true;
                }
            }
        }
        if n_failed > n_portions / MANY_FAILURES.1 * MANY_FAILURES.0 {
            self.n_left_alone = self.next_break;
            self.next_break = (2 * self.next_break).min(LONGEST_BREAK);
        }
    }

    fn n_lines(&self) -> usize {
        self.plans.iter().flat_map(|plan| &plan.portions).map(Portion::n_lines).sum()
    }

    /// Bytes of memory in use.
    pub fn bytes(&self) -> usize {
        let plan_bytes =
            |plan: &Plan| size_of::<Node>() * plan.nodes.capacity() + 8 * plan.elsewhere.capacity();
        let line_bytes = size_of::<Line>() + size_of::<[u64; SHORT - 1]>();
        self.n_lines() * line_bytes + self.plans.iter().map(plan_bytes).sum::<usize>()
    }
}

#[inline(always)]
fn tag(id: StateId) -> usize {
    (id.0 >> TAG_SHIFT) as usize
}
