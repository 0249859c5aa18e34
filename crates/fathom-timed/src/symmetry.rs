//! Symmetry by scalar sets: states that differ in names of elements only are one.
//!
//! Elements are put in order by exchanging neighbours, as in Hendriks, Behrmann, Larsen, Niebert and Vaandrager, "Adding Symmetry
//! Reduction to Uppaal" (FORMATS 2003): by locations of their processes, by their integers, by what points to them, and by their clocks. There
//! the order of clocks in a zone is total by construction; here zones may leave it open, so that the order is not always the same for two states that
//! are images of each other. That costs reduction and never an answer: each exchange was found to be an automorphism of the network
//! and of the question (`automorphism.rs`), so a state stands for its image, whichever is chosen.
//!
//! The sets are those of the text, or also processes that are found to be alike (`alike.rs`).
//!
//! A trace through states in order is no run. [`plain_way`] follows it without order: it remembers which exchanges lead from each state on the trace to the
//! true one, and looks for the step to the image of the next.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::BTreeSet;

use fathom_model::{Fault, PropertyId, Steps, System};
use fathom_zone::Bound;

use crate::alike::with_sets_found;
use crate::automorphism::Exchange;
use crate::layout::Valuation;
use crate::locals::{tidied, tidied_guard};
use crate::moves::TimedMove;
use crate::network::{Guard, Network};
use crate::property::{Conjunct, TimedProperty, TimedQuestion};
use crate::scalar::ScalarSet;
use crate::zone_region::ZoneRegion;
use crate::zone_system::ZoneSystem;

/// Which states are taken for one.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum SymmetryUse {
    /// Equal ones.
    None,
    /// Those that differ in names of elements of scalar sets only.
    #[default]
    Declared,
    /// Also those that differ in the names of processes that are found to be alike.
    Found,
}

impl SymmetryUse {
    /// The network with the sets that count.
    pub fn prepare(self, network: &Network) -> Cow<'_, Network> {
        match self {
            SymmetryUse::None | SymmetryUse::Declared => Cow::Borrowed(network),
            SymmetryUse::Found => Cow::Owned(with_sets_found(network)),
        }
    }

    /// The symmetry of a network that is prepared, for some questions.
    pub fn symmetry(
        self,
        prepared: &Network,
        properties: &[TimedProperty],
        asked: &[PropertyId],
    ) -> Option<Symmetry> {
        match self {
            SymmetryUse::None => None,
            SymmetryUse::Declared | SymmetryUse::Found => Symmetry::new(prepared, properties, asked),
        }
    }
}

/// Exchanges of neighbours that change nothing.
#[derive(Clone, Debug)]
pub struct Symmetry {
    /// By set: its exchanges, the one of the least elements first.
    sets: Vec<Vec<Swap>>,
    dim: usize,
}

/// An exchange, made ready: pairs of places, those of the lower element first.
#[derive(Clone, Debug)]
struct Swap {
    low: i32,
    processes: Vec<(usize, usize)>,
    variables: Vec<(usize, usize)>,
    /// Of these, those that hold no elements.
    numbers: Vec<(usize, usize)>,
    /// Clocks of a zone.
    clocks: Vec<(usize, usize)>,
    /// Variables that hold elements.
    holders: Vec<usize>,
    /// Of these, those that stay where they are.
    pointers: Vec<usize>,
}

impl Symmetry {
    /// The scalar sets of a network that are symmetric, for these questions; none when there is no such set.
    pub fn new(network: &Network, properties: &[TimedProperty], asked: &[PropertyId]) -> Option<Symmetry> {
        if network.scalars.sets.is_empty() {
            return None;
        }
        let questions = asked.iter().map(|id| &properties[id.index()].question);
        let mut conditions: Vec<Vec<Vec<Conjunct>>> =
            questions.map(TimedQuestion::conditions).collect::<Option<_>>()?;
        for conjunct in conditions.iter_mut().flatten().flatten() {
            let guard = Guard { conditions: conjunct.conditions.clone(), clocks: conjunct.clocks.clone() };
            let guard = tidied_guard(&guard);
            (conjunct.conditions, conjunct.clocks) = (guard.conditions, guard.clocks);
        }
        let network = &tidied(network);
        let exchanges = |(set, declared): (usize, &ScalarSet)| -> Option<Vec<Swap>> {
            let mut swaps = Vec::new();
            for low in 0..declared.size.saturating_sub(1) {
                let exchange = Exchange::new(network, set, low)?;
                let mut said = conditions.iter().flatten();
                let keeps = exchange.keeps(network) && said.all(|one| exchange.keeps_conjuncts(network, one));
                if !keeps {
                    return None;
                }
                swaps.push(Swap::new(network, &exchange));
            }
            (!swaps.is_empty()).then_some(swaps)
        };
        let sets: Vec<Vec<Swap>> = network.scalars.sets.iter().enumerate().filter_map(exchanges).collect();
        (!sets.is_empty()).then_some(Symmetry { sets, dim: network.dim() })
    }

    /// What may be exchanged, for people: a line for each set.
    pub fn describe(&self, network: &Network) -> Vec<String> {
        let moved = |pairs: &dyn Fn(&Swap) -> &[(usize, usize)], swaps: &[Swap]| -> BTreeSet<usize> {
            swaps.iter().flat_map(pairs).flat_map(|&(one, other)| [one, other]).collect()
        };
        let line = |swaps: &Vec<Swap>| {
            let processes = moved(&|swap| &swap.processes, swaps).into_iter();
            let processes: Vec<String> =
                processes.map(|process| network.processes[process].name.clone()).collect();
            let mut variables = moved(&|swap| &swap.variables, swaps);
            variables.extend(swaps.iter().flat_map(|swap| &swap.holders));
            let variables: Vec<String> =
                variables.into_iter().map(|variable| network.variables[variable].name.clone()).collect();
            let with = if variables.is_empty() { "" } else { " with " };
            format!("{}{with}{}, in any order", few(&processes), few(&variables))
        };
        self.sets.iter().map(line).collect()
    }

    /// Number of sets.
    pub fn n_sets(&self) -> usize {
        self.sets.len()
    }

    /// Puts elements in order. Gives the exchanges that were made, one after the other.
    pub(crate) fn sort(&self, valuation: &mut Valuation, zone: &mut [Bound], made: &mut Vec<(usize, usize)>) {
        for (set, swaps) in self.sets.iter().enumerate() {
            for last in (0..swaps.len()).rev() {
                let mut is_sorted = true;
                for (index, swap) in swaps[..=last].iter().enumerate() {
                    if swap.compare(valuation, zone, self.dim) == Ordering::Greater {
                        swap.apply(valuation, zone, self.dim);
                        made.push((set, index));
                        is_sorted = false;
                    }
                }
                if is_sorted {
                    break;
                }
            }
        }
    }

    fn apply(&self, (set, index): (usize, usize), valuation: &mut Valuation, zone: &mut [Bound]) {
        self.sets[set][index].apply(valuation, zone, self.dim);
    }
}

/// The first names of a list, and how many there are.
fn few(names: &[String]) -> String {
    const FEW: usize = 8;
    match names.len() {
        n_names if n_names <= FEW => names.join(", "),
        n_names => format!("{}, … ({n_names} in all)", names[..FEW].join(", ")),
    }
}

impl Swap {
    fn new(network: &Network, exchange: &Exchange) -> Swap {
        let scalars = &network.scalars;
        let is_lower = |elements: &[(usize, u32)]| {
            elements.iter().find(|(set, _)| *set == exchange.set).is_some_and(|(_, one)| *one == exchange.low)
        };
        let pairs = |images: &[usize], is_first: &dyn Fn(usize) -> bool, shift: usize| {
            let moved = images.iter().enumerate().filter(|&(index, &image)| image != index);
            // Of a pair without a lower element at the first place, each is as good as the other.
            moved
                .filter(|&(index, &image)| match (is_first(index), is_first(image)) {
                    (true, false) => true,
                    (false, true) => false,
                    _ => index < image,
                })
                .map(|(index, &image)| (index + shift, image + shift))
                .collect::<Vec<_>>()
        };
        let is_low = |index: usize| is_lower(&scalars.variables[index].elements);
        let variables = pairs(&exchange.variables, &is_low, 0);
        let holds = |variable: usize| scalars.values[variable] == Some(exchange.set);
        let holders: Vec<usize> = (0..network.variables.len()).filter(|&index| holds(index)).collect();
        let stays = |variable: &usize| exchange.variables[*variable] == *variable;
        Swap {
            low: exchange.low_value() as i32,
            processes: pairs(&exchange.processes, &|index| is_lower(&scalars.processes[index].elements), 0),
            numbers: variables.iter().copied().filter(|&(index, _)| !holds(index)).collect(),
            clocks: pairs(&exchange.clocks, &|index| is_lower(&scalars.clocks[index].elements), 1),
            pointers: holders.iter().copied().filter(stays).collect(),
            holders,
            variables,
        }
    }

    /// How the lower element compares to the next.
    fn compare(&self, valuation: &Valuation, zone: &[Bound], dim: usize) -> Ordering {
        let Valuation { locations, values } = valuation;
        let mut order = Ordering::Equal;
        for &(low, high) in &self.processes {
            order = order.then_with(|| locations[low].cmp(&locations[high]));
        }
        for &(low, high) in &self.numbers {
            order = order.then_with(|| values[low].cmp(&values[high]));
        }
        for &pointer in &self.pointers {
            let is = |element: i32| values[pointer] == element;
            order = order.then_with(|| is(self.low).cmp(&is(self.low + 1)));
        }
        for &(low, high) in &self.clocks {
            order = order
                .then_with(|| zone[low * dim + high].cmp(&zone[high * dim + low]))
                .then_with(|| zone[low * dim].cmp(&zone[high * dim]))
                .then_with(|| zone[low].cmp(&zone[high]));
        }
        order
    }

    fn apply(&self, valuation: &mut Valuation, zone: &mut [Bound], dim: usize) {
        for &(low, high) in &self.processes {
            valuation.locations.swap(low, high);
        }
        for &(low, high) in &self.variables {
            valuation.values.swap(low, high);
        }
        for &holder in &self.holders {
            let value = &mut valuation.values[holder];
            if *value == self.low {
                *value += 1;
            } else if *value == self.low + 1 {
                *value -= 1;
            }
        }
        for &(low, high) in &self.clocks {
            for other in 0..dim {
                zone.swap(low * dim + other, high * dim + other);
            }
            for other in 0..dim {
                zone.swap(other * dim + low, other * dim + high);
            }
        }
    }
}

/// A way without symmetry: where each process starts, the moves, and if a fault is at the end, what was taken then and the fault.
#[derive(Clone, Debug)]
pub struct PlainWay {
    /// Where each process starts.
    pub initial: Vec<u32>,
    /// The moves.
    pub moves: Vec<TimedMove>,
    /// The end.
    pub fault: Option<(TimedMove, Fault)>,
}

/// A state of the zone graph.
type Composite = (Vec<u8>, Vec<Bound>);

/// The way that composite states in order stand for; `fault_of` names the property whose evidence is a fault at the end. None when there is none: a bug.
pub fn plain_way(
    system: &ZoneSystem<'_>,
    visits: &[(Vec<u8>, ZoneRegion)],
    fault_of: Option<PropertyId>,
) -> Option<PlainWay> {
    let symmetry = system.symmetry()?;
    let plain = system.clone().without_symmetry();
    let walker = Walker { plain: &plain, symmetry };
    let mut way = PlainWay { initial: Vec::new(), moves: Vec::new(), fault: None };
    let (first, rest) = visits.split_first()?;
    let (mut scratch, mut steps) = (plain.scratch(), Steps::recording());
    plain.initial(&mut scratch, &mut steps);
    let (index, mut back) = walker.find(&steps, (&first.0, first.1.bounds()))?;
    let mut here: Composite = (steps.state(index).to_vec(), steps.region(index).bounds().to_vec());
    let mut in_order = first;
    way.initial = walker.decode(&here.0).locations;
    let mut ways = Steps::recording();
    for next in rest {
        steps.clear();
        plain.successors(&in_order.0, &in_order.1, &mut scratch, &mut steps);
        let (index, undone) = walker.find(&steps, (&next.0, next.1.bounds()))?;
        let image = walker.image((steps.state(index), steps.region(index).bounds()), &back);
        ways.clear();
        plain.successors(&here.0, &plain.region_of(&here.1), &mut scratch, &mut ways);
        let is_image =
            |&index: &usize| ways.state(index) == image.0 && ways.region(index).bounds() == image.1;
        let found = (0..ways.len()).find(is_image)?;
        way.moves.extend(ways.labels(found).iter().cloned());
        back = [undone, back].concat();
        (here, in_order) = (image, next);
    }
    if let Some(property) = fault_of {
        ways.clear();
        plain.successors(&here.0, &plain.region_of(&here.1), &mut scratch, &mut ways);
        let finding = ways.findings().iter().find(|one| one.property == property && one.fault.is_some())?;
        way.fault = Some((ways.finding_labels(finding).first()?.clone(), finding.fault.clone()?));
    }
    Some(way)
}

struct Walker<'a, 'n> {
    plain: &'a ZoneSystem<'n>,
    symmetry: &'a Symmetry,
}

impl Walker<'_, '_> {
    fn decode(&self, state: &[u8]) -> Valuation {
        let mut valuation = Valuation::default();
        self.plain.layout().decode(state, &mut valuation);
        valuation
    }

    /// The step to a state that is this one when it is in order, and the exchanges that lead back to it.
    fn find(
        &self,
        steps: &Steps<ZoneRegion, TimedMove>,
        wanted: (&[u8], &[Bound]),
    ) -> Option<(usize, Vec<(usize, usize)>)> {
        (0..steps.len()).find_map(|index| {
            let mut valuation = self.decode(steps.state(index));
            let (mut zone, mut made) = (steps.region(index).bounds().to_vec(), Vec::new());
            self.symmetry.sort(&mut valuation, &mut zone, &mut made);
            let mut bytes = Vec::new();
            self.plain.layout().encode(&valuation, &mut bytes);
            made.reverse();
            (bytes == wanted.0 && zone == wanted.1).then_some((index, made))
        })
    }

    /// A state after some exchanges.
    fn image(&self, (state, zone): (&[u8], &[Bound]), exchanges: &[(usize, usize)]) -> Composite {
        let (mut valuation, mut zone) = (self.decode(state), zone.to_vec());
        for &exchange in exchanges {
            self.symmetry.apply(exchange, &mut valuation, &mut zone);
        }
        let mut bytes = Vec::new();
        self.plain.layout().encode(&valuation, &mut bytes);
        (bytes, zone)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::{Clock, Location, Process, Urgency};
    use crate::scalar::{Coordinates, ScalarSet, ScalarSets};
    use crate::time_stop::{StopRule, TimeStop};

    /// Two processes that are alike, with a clock each.
    fn twins() -> Network {
        let location = Location {
            name: "l".to_owned(),
            is_initial: true,
            invariant: Guard::default(),
            urgency: Urgency::None,
            labels: Vec::new(),
            span: None,
        };
        let family = |name: &str| {
            let one = |element| Coordinates { family: name.to_owned(), elements: vec![(0, element)] };
            vec![one(0), one(1)]
        };
        Network {
            clocks: vec![Clock { name: "x".to_owned() }; 2],
            processes: vec![Process { locations: vec![location], ..Process::default() }; 2],
            scalars: ScalarSets {
                sets: vec![ScalarSet { size: 2, first: 0 }],
                processes: family("p"),
                clocks: family("x"),
                ..ScalarSets::default()
            },
            ..Network::default()
        }
    }

    #[test]
    fn a_process_for_which_time_stops_is_not_like_one_for_which_it_does_not() {
        let mut network = twins();
        assert_eq!(Symmetry::new(&network, &[], &[]).map(|symmetry| symmetry.n_sets()), Some(1));
        let guard = Guard::default();
        network.time_stops.push(TimeStop { process: 0, location: 0, guard, rule: StopRule::WhileTrue });
        assert!(Symmetry::new(&network, &[], &[]).is_none());
    }
}
