//! The zone graph against regions: random small networks reach the same explicit states both ways.
//!
//! The oracle is the region graph of Alur and Dill, explored with numbers: each region has one representative, with
//! clocks in multiples of 1/3 for two clocks, and a clock above every constant stays where it is. From a representative
//! one waits to the next region and the next, and takes edges by the concrete meaning. No zone is involved.

use std::collections::BTreeSet;

use fathom_model::{Region, Steps, System};
use proptest::prelude::*;

use crate::concrete::{Goal, check_run};
use crate::expr::{BinaryOp, Expr};
use crate::network::*;
use crate::property::{Conjunct, TimedProperty, TimedQuestion};
use crate::statement::{ClockUpdate, Outcome, Place, Statement, run};
use crate::symbolic_run::zones_of_run;
use crate::time_stop::{StopRule, TimeStop};
use crate::timing::schedule;
use crate::zone_options::{Extrapolation, ZoneOptions};
use crate::zone_region::Cover;
use crate::zone_system::{ZoneSystem, initial_locations};

/// Largest constant that clocks are compared with.
const MOST: i64 = 3;
/// Parts of a unit: distinct fractions of two clocks, and what is between them.
const SCALE: i64 = 12;

/// An explicit state: locations and values.
type Explicit = (Vec<u32>, Vec<i32>);

fn value(place: &Option<ClockPlace>, clocks: &[i64]) -> i64 {
    place.as_ref().map_or(0, |place| clocks[place.first])
}

fn holds(guard: &Guard, values: &[i32], clocks: &[i64]) -> bool {
    let environment = crate::Environment { values, locals: &[], locations: &[], labels: &[] };
    guard.conditions.iter().all(|condition| condition.evaluate(&environment) != Ok(0))
        && guard.clocks.iter().all(|constraint| {
            let bound = constraint.bound.evaluate(&environment).expect("no fault") * SCALE;
            let difference = value(&constraint.left, clocks) - value(&constraint.right, clocks);
            if constraint.is_strict { difference < bound } else { difference <= bound }
        })
}

/// The representative of the region of clock values.
fn representative(clocks: &[i64]) -> Vec<i64> {
    let is_above = |clock: i64| clock > MOST * SCALE;
    let fractions: BTreeSet<i64> = clocks
        .iter()
        .filter(|&&clock| !is_above(clock))
        .map(|clock| clock % SCALE)
        .filter(|&part| part != 0)
        .collect();
    let place = |part: i64| {
        let rank = fractions.iter().position(|&other| other == part).map_or(0, |rank| rank as i64 + 1);
        rank * SCALE / 3
    };
    clocks
        .iter()
        .map(
            |&clock| {
                if is_above(clock) {
                    (MOST + 1) * SCALE
                } else {
                    clock / SCALE * SCALE + place(clock % SCALE)
                }
            },
        )
        .collect()
}

/// The next region that waiting leads to.
pub(crate) fn next_region(clocks: &[i64]) -> Vec<i64> {
    let counted: Vec<i64> = clocks.iter().copied().filter(|&clock| clock <= MOST * SCALE).collect();
    let largest = counted.iter().map(|clock| clock % SCALE).max().unwrap_or(0);
    let is_on_integer = counted.iter().any(|clock| clock % SCALE == 0);
    // To the middle of the gap before the next integer, or to that integer.
    let delay = if is_on_integer { (SCALE - largest) / 2 } else { SCALE - largest };
    representative(&clocks.iter().map(|clock| clock + delay).collect::<Vec<i64>>())
}

/// A region: locations, values, and its representative.
pub(crate) type RegionState = (Vec<u32>, Vec<i32>, Vec<i64>);

/// The explicit states that regions reach.
fn by_regions(network: &Network) -> BTreeSet<Explicit> {
    regions(network).into_iter().map(|(locations, values, _)| (locations, values)).collect()
}

pub(crate) fn invariants_hold(network: &Network, locations: &[u32], values: &[i32], clocks: &[i64]) -> bool {
    network
        .processes
        .iter()
        .zip(locations)
        .all(|(process, &location)| holds(&process.locations[location as usize].invariant, values, clocks))
}

/// All regions that can be reached.
fn regions(network: &Network) -> BTreeSet<RegionState> {
    let values: Vec<i32> = network.variables.iter().map(|variable| variable.initial).collect();
    let mut seen: BTreeSet<RegionState> = BTreeSet::new();
    let mut waiting: Vec<RegionState> = initial_locations(network)
        .into_iter()
        .map(|locations| (locations, values.clone(), vec![0; network.clocks.len()]))
        .collect();
    while let Some((locations, values, clocks)) = waiting.pop() {
        if !invariants_hold(network, &locations, &values, &clocks)
            || !seen.insert((locations.clone(), values.clone(), clocks.clone()))
        {
            continue;
        }
        let urgency =
            |process: usize| network.processes[process].locations[locations[process] as usize].urgency;
        if (0..network.processes.len()).all(|process| urgency(process) == Urgency::None)
            && !has_urgent_move(network, &locations, &values)
            && !is_stopped(network, &locations, &values, &clocks)
        {
            waiting.push((locations.clone(), values.clone(), next_region(&clocks)));
        }
        waiting.extend(successors(network, &locations, &values, &clocks));
    }
    seen
}

/// Whether time stops in a region.
pub(crate) fn is_stopped(network: &Network, locations: &[u32], values: &[i32], clocks: &[i64]) -> bool {
    network.time_stops.iter().any(|stop| {
        locations[stop.process] as usize == stop.location
            && holds(&stop.guard, values, clocks)
            && (stop.rule == StopRule::WhileTrue || !holds(&stop.guard, values, &next_region(clocks)))
    })
}

/// The regions that moves lead to, with their invariants.
pub(crate) fn successors(
    network: &Network,
    locations: &[u32],
    values: &[i32],
    clocks: &[i64],
) -> Vec<RegionState> {
    let urgency = |process: usize| network.processes[process].locations[locations[process] as usize].urgency;
    let has_committed = (0..network.processes.len()).any(|process| urgency(process) == Urgency::Committed);
    let mut found = Vec::new();
    for (edges, kind) in moves(network, locations, values, clocks) {
        if has_committed && !edges.iter().any(|&(process, _)| urgency(process) == Urgency::Committed) {
            continue;
        }
        let edge = |&(process, edge): &(usize, usize)| &network.processes[process].edges[edge];
        if !edges.iter().all(|chosen| holds(&edge(chosen).guard, values, clocks)) {
            continue;
        }
        let (mut locations, mut values, mut clocks) = (locations.to_vec(), values.to_vec(), clocks.to_vec());
        let mut updates = Vec::new();
        let is_done = edges.iter().all(|chosen| {
            locations[chosen.0] = edge(chosen).target as u32;
            run(&edge(chosen).update, network, &[], &mut values, &mut [], &mut updates) == Outcome::Done
        });
        for ClockUpdate { clock, from, value } in updates {
            clocks[clock] = from.map_or(0, |from| clocks[from]) + i64::from(value) * SCALE;
        }
        let clocks = representative(&clocks);
        if is_done && invariants_hold(network, &locations, &values, &clocks) {
            found.push((network.priority(kind, &edges), (locations, values, clocks)));
        }
    }
    let highest = found.iter().map(|(priority, _)| *priority).max();
    found.retain(|(priority, _)| !network.has_priorities() || Some(*priority) == highest);
    found.into_iter().map(|(_, region)| region).collect()
}

/// Whether both sides of an urgent synchronization are ready.
pub(crate) fn has_urgent_move(network: &Network, locations: &[u32], values: &[i32]) -> bool {
    let is_ready = |&(process, edge): &(usize, usize)| {
        let guard = &network.processes[process].edges[edge].guard;
        holds(&Guard { conditions: guard.conditions.clone(), clocks: Vec::new() }, values, &[])
    };
    network.synchronizations[0].is_urgent
        && moves(network, locations, values, &[0; 2]).iter().any(|(edges, _)| {
            network.processes[edges[0].0].edges[edges[0].1].event == 1 && edges.iter().all(is_ready)
        })
}

/// Moves by the rules of the formats, written anew, with the priority of their kind: event 1 is synchronized between processes 0 and 1.
fn moves(
    network: &Network,
    locations: &[u32],
    values: &[i32],
    clocks: &[i64],
) -> Vec<(Vec<(usize, usize)>, i32)> {
    let leaving = |process: usize, event: usize| {
        let edges = network.processes[process].edges.iter().enumerate();
        edges
            .filter(move |(_, edge)| edge.source == locations[process] as usize && edge.event == event)
            .map(move |(number, _)| (process, number))
    };
    let synchronization = &network.synchronizations[0];
    let is_weak = synchronization.participants[1].is_weak;
    let receives = |&(process, edge): &(usize, usize)| {
        !is_weak
            || synchronization.weak_rule == WeakRule::Edge
            || holds(&network.processes[process].edges[edge].guard, values, clocks)
    };
    let receivers: Vec<(usize, usize)> = leaving(1, 1).filter(receives).collect();
    let mut found: Vec<(Vec<(usize, usize)>, i32)> = Vec::new();
    for first in leaving(0, 1) {
        found.extend(receivers.iter().map(|&second| (vec![first, second], synchronization.priority)));
        if is_weak && receivers.is_empty() {
            found.push((vec![first], synchronization.priority));
        }
    }
    for process in 0..2 {
        found.extend(leaving(process, 0).map(|edge| (vec![edge], network.alone_priority)));
    }
    found
}

/// The explicit states that zones reach.
fn by_zones(network: &Network, options: ZoneOptions) -> BTreeSet<Explicit> {
    let system = ZoneSystem::new(network, &[], &[], options);
    let mut scratch = system.scratch();
    let mut steps = Steps::new();
    system.initial(&mut scratch, &mut steps);
    let mut known: Vec<(Vec<u8>, crate::ZoneRegion)> = Vec::new();
    let mut next = 0;
    loop {
        for index in 0..steps.len() {
            let (state, region) = (steps.state(index), steps.region(index));
            region.assert_valid();
            if !known.iter().any(|(other, larger)| other == state && larger.includes(region)) {
                known.push((state.to_vec(), region.clone()));
            }
        }
        let Some((state, region)) = known.get(next).cloned() else { break };
        next += 1;
        assert!(next < 20_000, "there are finitely many zones");
        steps.clear();
        system.successors(&state, &region, &mut scratch, &mut steps);
    }
    let decode = |(state, _): &(Vec<u8>, crate::ZoneRegion)| {
        let mut valuation = crate::Valuation::default();
        system.layout().decode(state, &mut valuation);
        (valuation.locations, valuation.values)
    };
    known.iter().map(decode).collect()
}

/// The pairs of locations that an engine with threads reaches: a question for each.
fn by_threads(network: &Network, zones: ZoneOptions, engine: usize, n_threads: usize) -> BTreeSet<Vec<u32>> {
    use fathom_search::{NoMonitor, Options, Order};
    let pairs: Vec<[usize; 2]> = (0..3).flat_map(|one| (0..3).map(move |other| [one, other])).collect();
    let question = |pair: &[usize; 2]| {
        let at = |process: usize| Expr::At { process, location: pair[process] };
        let conjunct = Conjunct { conditions: vec![at(0), at(1)], ..Conjunct::default() };
        TimedProperty {
            name: format!("{pair:?}"),
            question: TimedQuestion::Reach(vec![conjunct]),
            span: None,
        }
    };
    let properties: Vec<TimedProperty> = pairs.iter().map(question).collect();
    let ids: Vec<fathom_model::PropertyId> = (0..pairs.len()).map(Into::into).collect();
    let system = ZoneSystem::new(network, &properties, &ids, zones);
    let options = Options { properties: ids, continue_after_all: true, ..Options::default() };
    let monitor = &mut NoMonitor;
    let outcome = match engine {
        0 => fathom_search::breadth_first_regions_parallel(&system, n_threads, &options, monitor),
        1 => fathom_search::last_first_regions_parallel(&system, n_threads, &options, monitor),
        _ => {
            fathom_search::depth_first_regions_parallel(&system, n_threads, Order::AsGiven, &options, monitor)
        }
    };
    let reached = outcome.evidence.iter().zip(&pairs).filter_map(|((_, trace), pair)| {
        fathom_search::replay(&system, trace.as_ref()?).expect("every trace replays");
        Some(pair.iter().map(|&location| location as u32).collect())
    });
    reached.collect()
}

fn constraint(allow_differences: bool) -> impl Strategy<Value = ClockConstraint> {
    (0..if allow_differences { 6 } else { 4_usize }, 0..=MOST, any::<bool>()).prop_map(
        |(form, constant, is_strict)| {
            let clock = |index: usize| Some(ClockPlace::clock(index));
            let (left, right, constant) = match form {
                0 => (clock(0), None, constant),
                1 => (clock(1), None, constant),
                2 => (None, clock(0), -constant),
                3 => (None, clock(1), -constant),
                4 => (clock(0), clock(1), constant - 1),
                _ => (clock(1), clock(0), constant - 1),
            };
            ClockConstraint { left, right, bound: Expr::Constant(constant), is_strict }
        },
    )
}

fn guard(allow_differences: bool) -> impl Strategy<Value = Guard> {
    let condition = prop::option::weighted(0.3, 0..3_i64).prop_map(|wanted| {
        let equals = |wanted| {
            Expr::Binary(BinaryOp::Equal, Box::new(Expr::Variable(0)), Box::new(Expr::Constant(wanted)))
        };
        wanted.map(equals).into_iter().collect()
    });
    (condition, prop::collection::vec(constraint(allow_differences), 0..3))
        .prop_map(|(conditions, clocks)| Guard { conditions, clocks })
}

fn update() -> impl Strategy<Value = Vec<Statement>> {
    let one = prop_oneof![
        3 => (0..2_usize, prop_oneof![3 => Just(0), 1 => 0..3_i64]).prop_map(|(clock, value)| Statement::SetClock {
            clock: ClockPlace::clock(clock),
            from: None,
            value: Expr::Constant(value),
        }),
        1 => (0..2_usize, 0..2_i64).prop_map(|(clock, value)| Statement::SetClock {
            clock: ClockPlace::clock(clock),
            from: Some(ClockPlace::clock(1 - clock)),
            value: Expr::Constant(value),
        }),
        2 => (0..4_i64).prop_map(|value| Statement::Assign {
            place: Place::Variable { first: 0, length: 1, index: None },
            value: Expr::Constant(value),
        }),
    ];
    prop::collection::vec(one, 0..3)
}

fn process(allow_differences: bool) -> impl Strategy<Value = Process> {
    let upper = prop::collection::vec(constraint(false), 0..2);
    let location = (upper, 0..8_u32).prop_map(|(clocks, urgency)| Location {
        name: "l".to_owned(),
        is_initial: false,
        // Invariants that bound from below are allowed, too.
        invariant: Guard { conditions: Vec::new(), clocks },
        urgency: match urgency {
            0 => Urgency::Urgent,
            1 => Urgency::Committed,
            _ => Urgency::None,
        },
        labels: Vec::new(),
        span: None,
    });
    let edge = (0..3_usize, 0..3_usize, 0..2_usize, guard(allow_differences), update()).prop_map(
        |(source, target, event, guard, update)| Edge { source, target, event, guard, update, span: None },
    );
    (prop::collection::vec(location, 3), prop::collection::vec(edge, 2..6)).prop_map(
        |(mut locations, edges)| {
            locations[0].is_initial = true;
            locations[0].invariant = Guard::default();
            Process { name: "p".to_owned(), locations, edges }
        },
    )
}

pub(crate) fn network(allow_differences: bool) -> impl Strategy<Value = Network> {
    (prop::collection::vec(process(allow_differences), 2), any::<bool>()).prop_map(|(processes, is_weak)| {
        Network {
            name: "random".to_owned(),
            variables: vec![Variable { name: "v".to_owned(), least: 0, most: 2, initial: 0, is_meta: false }],
            clocks: vec![Clock { name: "x".to_owned() }, Clock { name: "y".to_owned() }],
            processes,
            events: vec!["alone".to_owned(), "together".to_owned()],
            synchronizations: vec![Synchronization {
                participants: vec![
                    Participant { process: 0, event: 1, is_weak: false },
                    Participant { process: 1, event: 1, is_weak },
                ],
                weak_rule: WeakRule::Edge,
                is_urgent: false,
                priority: 0,
                span: None,
            }],
            ..Network::default()
        }
    })
}

/// Networks whose edges have deadlines: eager, delayable and lazy ones.
pub(crate) fn network_with_deadlines() -> impl Strategy<Value = Network> {
    let kinds = prop::collection::vec(0..3_u32, 12);
    (network(false), kinds).prop_map(|(mut network, kinds)| {
        // Every edge goes alone, as in languages with deadlines.
        for process in &mut network.processes {
            process.edges.iter_mut().for_each(|edge| edge.event = 0);
        }
        let mut kinds = kinds.into_iter();
        for process in 0..network.processes.len() {
            for edge in network.processes[process].edges.clone() {
                let rule = match kinds.next() {
                    Some(0) => StopRule::WhileTrue,
                    Some(1) => StopRule::BeforeFalse,
                    _ => continue,
                };
                let (location, guard) = (edge.source, edge.guard);
                let stop = TimeStop { process, location, guard, rule };
                network.time_stops.extend(stop.has_end().then_some(stop));
            }
        }
        network
    })
}

/// Networks with what Uppaal has beside: broadcast, urgent channels, priorities of channels and processes.
pub(crate) fn rich_network() -> impl Strategy<Value = Network> {
    let priorities = prop_oneof![2 => Just(Vec::new()), 1 => Just(vec![0, 1]), 1 => Just(vec![1, 0])];
    (network(false), any::<bool>(), -1..2_i32, priorities).prop_map(
        |(mut network, is_urgent, priority, process_priorities)| {
            let synchronization = &mut network.synchronizations[0];
            (synchronization.weak_rule, synchronization.is_urgent) = (WeakRule::Guard, is_urgent);
            synchronization.priority = priority;
            network.process_priorities = process_priorities;
            // No bounds on clocks where the languages allow none.
            let edges = network.processes.iter_mut().flat_map(|process| &mut process.edges);
            for edge in edges.filter(|edge| is_urgent && edge.event == 1) {
                edge.guard.clocks.clear();
            }
            network
        },
    )
}

/// Whether some maximal run has a condition true all the time: a cycle of regions in which it is, or an end.
fn always_by_regions(network: &Network, within: &Guard, at: Option<(usize, u32)>) -> bool {
    let is_within = |(locations, values, clocks): &RegionState| {
        at.is_none_or(|(process, location)| locations[process] == location) && holds(within, values, clocks)
    };
    let next = |(locations, values, clocks): &RegionState| {
        let mut found = successors(network, locations, values, clocks);
        let urgency =
            |process: usize| network.processes[process].locations[locations[process] as usize].urgency;
        let may_pass = (0..2).all(|process| urgency(process) == Urgency::None)
            && !has_urgent_move(network, locations, values);
        let later = next_region(clocks);
        let may_pass = may_pass && !is_stopped(network, locations, values, clocks);
        if may_pass && invariants_hold(network, locations, values, &later) {
            found.push((locations.clone(), values.clone(), later));
        }
        found
    };
    let start: Vec<RegionState> = initial_locations(network)
        .into_iter()
        .map(|locations| (locations, vec![0], vec![0; 2]))
        .filter(|(locations, values, clocks)| invariants_hold(network, locations, values, clocks))
        .filter(is_within)
        .collect();
    // Regions from which everything leaves the condition are taken away until nothing changes.
    let mut alive: BTreeSet<RegionState> = BTreeSet::new();
    let mut waiting = start.clone();
    while let Some(region) = waiting.pop() {
        if is_within(&region) && alive.insert(region.clone()) {
            waiting.extend(next(&region));
        }
    }
    loop {
        let leaves = |region: &&RegionState| {
            let after = next(region);
            !after.is_empty() && !after.iter().any(|other| alive.contains(other))
        };
        let gone: Vec<RegionState> = alive.iter().filter(leaves).cloned().collect();
        if gone.is_empty() {
            return start.iter().any(|region| alive.contains(region));
        }
        for region in gone {
            alive.remove(&region);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn zones_reach_what_regions_reach_with_broadcast_urgency_and_priorities(network in rich_network()) {
        let expected = by_regions(&network);
        for extrapolation in [Extrapolation::Max, Extrapolation::LuPlus] {
            for cover in [Cover::Equality, Cover::Inclusion, Cover::Simulation] {
                let found = by_zones(&network, ZoneOptions { extrapolation, cover });
                prop_assert_eq!(&found, &expected, "{:?} {:?}", extrapolation, cover);
            }
        }
        prop_assert_eq!(&check_ways(&network, ZoneOptions::default(), 1000), &expected);
        prop_assert_eq!(stuck_by_zones(&network), stuck_by_regions(&network));
    }

    #[test]
    fn zones_reach_what_regions_reach_with_deadlines(network in network_with_deadlines()) {
        let expected = by_regions(&network);
        for extrapolation in [Extrapolation::Max, Extrapolation::LuPlus] {
            for cover in [Cover::Equality, Cover::Inclusion, Cover::Simulation] {
                let found = by_zones(&network, ZoneOptions { extrapolation, cover });
                prop_assert_eq!(&found, &expected, "{:?} {:?}", extrapolation, cover);
            }
        }
        prop_assert_eq!(&check_ways(&network, ZoneOptions::default(), 1000), &expected);
        prop_assert_eq!(stuck_by_zones(&network), stuck_by_regions(&network));
    }

    #[test]
    fn threads_reach_what_regions_reach(network in rich_network(), n_threads in 2..4_usize) {
        let expected: BTreeSet<Vec<u32>> = by_regions(&network).into_iter().map(|(pair, _)| pair).collect();
        for engine in 0..3 {
            for cover in [Cover::Inclusion, Cover::Simulation] {
                let zones = ZoneOptions { cover, ..ZoneOptions::default() };
                prop_assert_eq!(&by_threads(&network, zones, engine, n_threads), &expected, "{}", engine);
            }
        }
    }

    #[test]
    fn runs_for_ever_are_those_of_regions(
        network in prop_oneof![rich_network(), network_with_deadlines()],
        clocks in prop::collection::vec(constraint(false), 0..2),
        at in prop::option::of((0..2_usize, 0..3_u32)),
    ) {
        let within = Guard { conditions: Vec::new(), clocks: clocks.clone() };
        let conditions = at.map(|(process, location)| Expr::At { process, location: location as usize });
        let conjuncts = [Conjunct { conditions: conditions.into_iter().collect(), clocks, is_stuck: None }];
        let expected = always_by_regions(&network, &within, at);
        // What begins anywhere begins at the start, among others.
        let anything = [Conjunct::default()];
        for beginning in [None, Some(&anything[..])] {
            let question = crate::liveness::LivenessQuestion { within: &conjuncts, beginning };
            let (outcome, _) = crate::liveness::search_lasso(&network, question, None, &mut |_| true);
            match outcome {
                crate::liveness::LivenessOutcome::Found(lasso) => {
                    prop_assert!(expected || beginning.is_some(), "{:?}", lasso);
                    let timed = crate::liveness::time_lasso(&network, question, &lasso);
                    prop_assert!(timed.is_ok(), "{:?} {:?}", timed, lasso);
                }
                other => prop_assert!(!expected, "{:?}", other),
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn zones_reach_what_regions_reach(network in network(false)) {
        let expected = by_regions(&network);
        for extrapolation in
            [Extrapolation::Max, Extrapolation::MaxPlus, Extrapolation::Lu, Extrapolation::LuPlus]
        {
            for cover in [Cover::Equality, Cover::Inclusion, Cover::Simulation] {
                let found = by_zones(&network, ZoneOptions { extrapolation, cover });
                prop_assert_eq!(&found, &expected, "{:?} {:?}", extrapolation, cover);
            }
        }
    }
}

/// Explores zones and checks for everything reached that the way to it can be timed, and that the run is one.
fn check_ways(network: &Network, options: ZoneOptions, most: usize) -> BTreeSet<Explicit> {
    let system = ZoneSystem::new(network, &[], &[], options);
    let (mut scratch, mut steps) = (system.scratch(), Steps::recording());
    system.initial(&mut scratch, &mut steps);
    let mut known: Vec<(Vec<u8>, crate::ZoneRegion, Vec<crate::TimedMove>)> = Vec::new();
    let mut from: Vec<crate::TimedMove> = Vec::new();
    let mut next = 0;
    let anything = [Conjunct::default()];
    let mut reached = BTreeSet::new();
    loop {
        for index in 0..steps.len() {
            let (state, region) = (steps.state(index), steps.region(index));
            if known.iter().any(|(other, larger, _)| other == state && larger.includes(region)) {
                continue;
            }
            let mut moves = from.clone();
            moves.extend_from_slice(steps.labels(index));
            let initial = &initial_locations(network)[0];
            let run = schedule(network, initial, &moves, &[], &[]).expect("every way of zones can be timed");
            let states = check_run(network, &run, Goal::OneOf(&anything)).expect("and is a run");
            if moves.len() < 6 {
                let zones = zones_of_run(network, &run, &states).expect("zones around the run");
                assert_eq!(zones.len(), run.steps.len() + 1);
            }
            let last = states.last().expect("a last state").valuation.clone();
            let mut valuation = crate::Valuation::default();
            system.layout().decode(state, &mut valuation);
            assert_eq!(last, valuation);
            reached.insert((valuation.locations, valuation.values));
            known.push((state.to_vec(), region.clone(), moves));
        }
        let Some((state, region, moves)) = known.get(next).cloned() else { break };
        next += 1;
        if next > most {
            break;
        }
        steps.clear();
        system.successors(&state, &region, &mut scratch, &mut steps);
        from = moves;
    }
    reached
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn every_way_of_zones_is_one_of_numbers(network in network(false)) {
        for extrapolation in [Extrapolation::Max, Extrapolation::LuPlus] {
            let options = ZoneOptions { extrapolation, cover: Cover::Simulation };
            prop_assert_eq!(check_ways(&network, options, 1000), by_regions(&network));
        }
    }

    #[test]
    fn every_way_of_split_zones_is_one_of_numbers_and_none_is_missed(network in network(true)) {
        let split = check_ways(&network, ZoneOptions::default(), usize::MAX);
        let exact = ZoneOptions { extrapolation: Extrapolation::None, cover: Cover::Inclusion };
        // Without extrapolation there may be no end; what is found up to some point has to be found with it.
        prop_assert!(check_ways(&network, exact, 200).is_subset(&split));
    }
}

/// The explicit states in which some region is stuck: no move now, or in any region that waiting leads to.
fn stuck_by_regions(network: &Network) -> BTreeSet<Explicit> {
    let mut stuck = BTreeSet::new();
    for (locations, values, clocks) in regions(network) {
        let urgency =
            |process: usize| network.processes[process].locations[locations[process] as usize].urgency;
        let may_pass = (0..2).all(|process| urgency(process) == Urgency::None)
            && !has_urgent_move(network, &locations, &values);
        let mut now = clocks.clone();
        let can_move = loop {
            if !successors(network, &locations, &values, &now).is_empty() {
                break true;
            }
            let later = next_region(&now);
            let is_stopped = is_stopped(network, &locations, &values, &now);
            if !may_pass
                || is_stopped
                || later == now
                || !invariants_hold(network, &locations, &values, &later)
            {
                break false;
            }
            now = later;
        };
        if !can_move {
            stuck.insert((locations, values));
        }
    }
    stuck
}

/// The explicit states in which some part of a zone is stuck.
fn stuck_by_zones(network: &Network) -> BTreeSet<Explicit> {
    let property =
        TimedProperty { name: "deadlock".to_owned(), question: TimedQuestion::Deadlock, span: None };
    let options = ZoneOptions::default();
    let system = ZoneSystem::new(network, &[property], &[fathom_model::PropertyId(0)], options);
    let (mut scratch, mut steps) = (system.scratch(), Steps::new());
    system.initial(&mut scratch, &mut steps);
    let mut known: Vec<(Vec<u8>, crate::ZoneRegion)> = Vec::new();
    let mut next = 0;
    let mut stuck = BTreeSet::new();
    loop {
        for index in 0..steps.len() {
            let (state, region) = (steps.state(index), steps.region(index));
            if !known.iter().any(|(other, larger)| other == state && larger.includes(region)) {
                known.push((state.to_vec(), region.clone()));
            }
        }
        let Some((state, region)) = known.get(next).cloned() else { break };
        next += 1;
        steps.clear();
        system.successors(&state, &region, &mut scratch, &mut steps);
        assert_eq!(!steps.findings().is_empty(), !system.stuck_part(&state, &region).is_empty());
        if !steps.findings().is_empty() {
            let mut valuation = crate::Valuation::default();
            system.layout().decode(&state, &mut valuation);
            stuck.insert((valuation.locations, valuation.values));
        }
    }
    stuck
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn zones_are_stuck_where_regions_are(network in network(false)) {
        prop_assert_eq!(stuck_by_zones(&network), stuck_by_regions(&network));
    }
}

#[test]
fn a_question_about_clocks_counts_among_the_guards() {
    // One location, no guards at all: without the question nothing would be known about x.
    let network = Network {
        clocks: vec![Clock { name: "x".to_owned() }],
        processes: vec![Process {
            name: "p".to_owned(),
            locations: vec![Location {
                name: "l".to_owned(),
                is_initial: true,
                invariant: Guard::default(),
                urgency: Urgency::Urgent,
                labels: Vec::new(),
                span: None,
            }],
            edges: Vec::new(),
        }],
        ..Network::default()
    };
    let later = Conjunct {
        conditions: Vec::new(),
        clocks: vec![ClockConstraint {
            left: None,
            right: Some(ClockPlace::clock(0)),
            bound: Expr::Constant(-5),
            is_strict: false,
        }],
        is_stuck: None,
    };
    let property =
        TimedProperty { name: "later".to_owned(), question: TimedQuestion::Reach(vec![later]), span: None };
    let asked = [fathom_model::PropertyId(0)];
    let findings = |network: &Network| {
        let properties = [property.clone()];
        let system = ZoneSystem::new(network, &properties, &asked, ZoneOptions::default());
        let (mut scratch, mut steps) = (system.scratch(), Steps::new());
        system.initial(&mut scratch, &mut steps);
        let (state, region) = (steps.state(0).to_vec(), steps.region(0).clone());
        steps.clear();
        system.successors(&state, &region, &mut scratch, &mut steps);
        steps.findings().len()
    };
    assert_eq!(findings(&network), 0, "time does not pass at an urgent location");
    let mut lazy = network.clone();
    lazy.processes[0].locations[0].urgency = Urgency::None;
    assert_eq!(findings(&lazy), 1);
}
