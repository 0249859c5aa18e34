//! Shortening of lassos: a shorter loop through an accepting state, and a shorter way to it.
//!
//! A walk closes its loop where chance brings it back, after many detours. Any loop through an accepting state is as good,
//! and any way to it: from each accepting state of the loop a bounded breadth-first search looks for the nearest
//! way back to it, and the shortest of these loops is kept. The way to the loop ends at the first state that lies on it, loses
//! its own loops, and is shortened by windows ([`crate::window`]).
//!
//! A lasso that someone asks to be made shorter is compared with those through accepting states near the start, too.
//!
//! Every candidate is followed to its end before it counts: it must come back to the state where its loop begins, and pass an
//! accepting one on the way.

use fathom_model::{Evidence, Region, System, Trace};
use fathom_search::{Monitor, ReplayError, replay};

use crate::bits::fingerprint;
use crate::race::{Board, Done, Watch, run_alone};
use crate::shorten::cut_loops;
use crate::walk::Acceptance;
use crate::way::{Follower, Hop, Way, trace_of};
use crate::window::{Window, shorten_windows};

/// Accepting states of a loop from which shorter ones are looked for.
const MOST_TRIED: usize = 16;
/// Accepting states near the start from which loops are looked for.
const MOST_STARTS: usize = 64;
/// States and bytes of each of these searches.
const LOOP_STATES: usize = 20_000;
const LOOP_BYTES: usize = 16 << 20;
/// States of windows on the way to the loop, one after the other.
const WINDOWS: [usize; 2] = [200, 2000];
const WINDOW_BYTES: usize = 8 << 20;

/// What may become of the loop of a lasso.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Around {
    /// A shorter loop through an accepting state is as good.
    Shorter,
    /// It stays as it is, for what is known of it beside that it is accepted; only the way to it is made shorter.
    Same,
}

/// Makes a trace with a loop through an accepting state shorter: see the module header.
///
/// # Errors
///
/// When the trace cannot be followed.
pub fn shorten_lasso<S: System>(
    system: &S,
    trace: &Trace,
    acceptance: &dyn Acceptance<S::Region>,
    around: Around,
    monitor: &mut dyn Monitor,
) -> Result<Trace, ReplayError> {
    let way = Way::from(trace);
    if accepting_places(system, &way, acceptance).is_none() {
        return replay(system, trace).map(|_| trace.clone());
    }
    let board = Board::new();
    let shorten = |watch: &Watch<'_>| {
        let shorter = shorten_lasso_way(system, way, acceptance, around, watch);
        match around {
            Around::Shorter => lasso_near_start(system, &shorter, acceptance, watch).unwrap_or(shorter),
            Around::Same => shorter,
        }
    };
    let (shorter, _) = run_alone(&board, monitor, shorten);
    Ok(Trace { evidence: trace.evidence.clone(), ..trace_of(system, &shorter) })
}

/// A shorter lasso through an accepting state near the start, whatever the way of this one: it may be full of detours that change where it
/// ends.
fn lasso_near_start<S: System>(
    system: &S,
    way: &Way,
    acceptance: &dyn Acceptance<S::Region>,
    watch: &Watch<'_>,
) -> Option<Way> {
    let plain = Way { hops: Vec::new(), loop_at: None, ..way.clone() };
    let (mut best, mut fewer_than, mut n_tried) = (None, way.len(), 0);
    let mut follower = Follower::new(system);
    follower.start(way.initial).then_some(())?;
    let mut window: Window<S::Region> = Window::new();
    window.add(&follower.state, follower.region().clone(), 0, 0, 0);
    let mut next = 0;
    while next < window.len() && window.len() < LOOP_STATES && window.bytes() < LOOP_BYTES {
        let depth = window.depth(next as u32) as usize;
        let done = Done { n_states: 1, ..Done::default() };
        if depth + 1 >= fewer_than || n_tried == MOST_STARTS || !watch.goes_on(done) {
            break;
        }
        let (state, region) = window.state(next);
        if acceptance.is_accepting(state, region) {
            n_tried += 1;
            let choices = window.choices(next as u32).into_iter();
            let stem: Vec<Hop> = choices.map(|choice| Hop::among_all(choice as usize)).collect();
            let to_loop = Way { hops: stem, ..plain.clone() };
            if let Some(around) = nearest_loop(system, &to_loop, fewer_than - depth, watch) {
                let hops = [&to_loop.hops[..], &around].concat();
                fewer_than = hops.len();
                best = Some(Way { loop_at: Some(depth), hops, ..plain.clone() });
            }
        }
        window.expand(system, &mut follower, next);
        for index in 0..follower.steps.len() {
            window.add_step(&follower.steps, index, next as u32, depth as u32 + 1);
        }
        next += 1;
    }
    best.filter(|best| accepting_places(system, best, acceptance).is_some())
}

/// A lasso that is no longer than this one.
pub(crate) fn shorten_lasso_way<S: System>(
    system: &S,
    way: Way,
    acceptance: &dyn Acceptance<S::Region>,
    around: Around,
    watch: &Watch<'_>,
) -> Way {
    let mut best = way;
    // A shorter loop makes room for a shorter way to it, and the other way round.
    while let Some(shorter) = shorter_lasso(system, &best, acceptance, around, watch) {
        best = shorter;
    }
    best
}

fn shorter_lasso<S: System>(
    system: &S,
    way: &Way,
    acceptance: &dyn Acceptance<S::Region>,
    change: Around,
    watch: &Watch<'_>,
) -> Option<Way> {
    let (initial, loop_at) = (way.initial, way.loop_at?);
    let accepting = accepting_places(system, way, acceptance)?;
    let plain = |hops: &[Hop]| Way { initial, hops: hops.to_vec(), evidence: Evidence::State, loop_at: None };
    // The loop as it is, and the shortest one through an accepting state of it.
    let (mut start, mut around) = (loop_at, way.hops[loop_at..].to_vec());
    let n_tried = if change == Around::Shorter { MOST_TRIED } else { 0 };
    for &place in accepting.iter().take(n_tried) {
        if let Some(nearer) = nearest_loop(system, &plain(&way.hops[..place]), around.len(), watch) {
            (start, around) = (place, nearer);
        }
    }
    // The way to the loop and nearly once round it: a short cut may lead to any state of the loop.
    let to_loop = plain(&way.hops[..start]);
    let once_round = [&to_loop.hops[..], &around[..around.len() - 1]].concat();
    let mut stem = cut_loops(system, &plain(&once_round));
    for n_states in WINDOWS {
        let shorter = shorten_windows(system, &stem, n_states, WINDOW_BYTES, watch);
        stem = if shorter.len() < stem.len() { shorter } else { stem };
    }
    let (n_before, turned) = enter_early(system, &stem, &to_loop, &around)?;
    let hops = [&stem.hops[..n_before], &turned].concat();
    let candidate = Way { loop_at: Some(n_before), hops, ..plain(&[]) };
    (candidate.len() < way.len() && accepting_places(system, &candidate, acceptance).is_some())
        .then_some(candidate)
}

/// A composite state that can be compared.
fn identity<S: System>(follower: &Follower<'_, S>) -> (Vec<u8>, u64) {
    (follower.state.clone(), follower.region().fingerprint())
}

/// The places of a lasso's loop with accepting states. None when there is no such place, or when the lasso cannot be followed
/// or does not come back.
fn accepting_places<S: System>(
    system: &S,
    way: &Way,
    acceptance: &dyn Acceptance<S::Region>,
) -> Option<Vec<usize>> {
    let loop_at = way.loop_at.filter(|&loop_at| loop_at < way.len())?;
    let mut follower = Follower::new(system);
    follower.start(way.initial).then_some(())?;
    let (mut places, mut entry) = (Vec::new(), None);
    for (place, &hop) in way.hops.iter().enumerate() {
        if place == loop_at {
            entry = Some(identity(&follower));
        }
        if place >= loop_at && acceptance.is_accepting(&follower.state, follower.region()) {
            places.push(place);
        }
        follower.take(hop).then_some(())?;
    }
    let comes_back = entry.is_some_and(|entry| entry == identity(&follower));
    (comes_back && !places.is_empty()).then_some(places)
}

/// The nearest way from the state at the end of a way back to it, if it has fewer steps than this.
fn nearest_loop<S: System>(system: &S, stem: &Way, fewer_than: usize, watch: &Watch<'_>) -> Option<Vec<Hop>> {
    let mut follower = Follower::new(system);
    let is_there = follower.start(stem.initial) && stem.hops.iter().all(|&hop| follower.take(hop));
    is_there.then_some(())?;
    let home = identity(&follower);
    let mut window: Window<S::Region> = Window::new();
    window.add(&home.0, follower.region().clone(), 0, 0, 0);
    let mut next = 0;
    while next < window.len() && window.len() < LOOP_STATES && window.bytes() < LOOP_BYTES {
        let depth = window.depth(next as u32);
        let done = Done { n_states: 1, ..Done::default() };
        if depth as usize + 1 >= fewer_than || !watch.goes_on(done) {
            return None;
        }
        window.expand(system, &mut follower, next);
        let steps = std::mem::take(&mut follower.steps);
        for index in 0..steps.len() {
            if steps.state(index) == home.0 && steps.region(index).fingerprint() == home.1 {
                let mut choices = window.choices(next as u32);
                choices.push(index as u32);
                return Some(choices.into_iter().map(|choice| Hop::among_all(choice as usize)).collect());
            }
            window.add_step(&steps, index, next as u32, depth + 1);
        }
        follower.steps = steps;
        next += 1;
    }
    None
}

/// Where a way first meets the loop that begins at the end of another one, and the loop from there.
fn enter_early<S: System>(
    system: &S,
    stem: &Way,
    to_loop: &Way,
    around: &[Hop],
) -> Option<(usize, Vec<Hop>)> {
    let mut follower = Follower::new(system);
    let is_there = follower.start(to_loop.initial) && to_loop.hops.iter().all(|&hop| follower.take(hop));
    is_there.then_some(())?;
    let mut on_loop = Vec::new();
    for &hop in around {
        on_loop.push(fingerprint(&follower.state, follower.region().fingerprint()));
        follower.take(hop).then_some(())?;
    }
    follower.start(stem.initial).then_some(())?;
    for place in 0..=stem.len() {
        let here = fingerprint(&follower.state, follower.region().fingerprint());
        if let Some(at) = on_loop.iter().position(|&state| state == here) {
            return Some((place, [&around[at..], &around[..at]].concat()));
        }
        follower.take(*stem.hops.get(place)?).then_some(())?;
    }
    None
}
