//! Processes that are alike although nobody says so: several instances of one template, or automata written out several times.
//!
//! Scalar sets have to be declared (Ip and Dill 1996; Hendriks et al. 2003). Most models have numbers instead: `const int[0,N-1] id`, arrays with
//! as many elements as there are processes, a variable that holds who is next. Here they are found in the network, whatever its language. Processes with the
//! same text are laid side by side: what differs belongs to the process, be it a variable, a clock, an event or another process; a constant that counts up is its
//! number, and what is given that number, or compared with it, holds numbers of processes. From there it goes on along synchronizations, indices and assignments (`flow.rs`).
//!
//! The result is a guess, in the form of a scalar set. Whether exchanging its elements changes anything is decided by `automorphism.rs` alone, so that a wrong
//! guess costs a reduction and never an answer.
//!
//! Limits: only full symmetry is found. On a ring, or where numbers are compared by order or computed with, nothing is. Of processes that are not all alike
//! those are tried that have the same constants.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::flow::{Atom, Indexed, Piece, Token};
use crate::network::{Edge, Network, Process};
use crate::scalar::{Coordinates, ScalarSet, ScalarSets};
use crate::symmetry::Symmetry;

/// Edges, times the processes of a group, after which a group is too large to be looked at: every exchange looks at every edge.
const MOST_LOOKS: usize = 500_000;

/// The network with a set for every group of processes that are alike, beside those that it has.
pub fn with_sets_found(network: &Network) -> Network {
    let mut found = network.clone();
    let n_edges: usize = network.processes.iter().map(|process| process.edges.len()).sum();
    if n_edges > MOST_LOOKS || !network.time_stops.is_empty() {
        return found;
    }
    give_places(&mut found);
    let pieces: Vec<Vec<Piece>> = network.processes.iter().map(pieces_of).collect();
    for group in groups(network, &pieces) {
        let is_free = |process: &usize| found.scalars.processes[*process].elements.is_empty();
        if !group.iter().all(is_free) || n_edges * group.len() > MOST_LOOKS {
            continue;
        }
        for by_names in [false, true] {
            let mut guess = Guess::new(&found, &pieces, &group);
            if by_names && !guess.relate_arrays_by_name() {
                break;
            }
            let candidate = Network { scalars: guess.into_sets(), ..found.clone() };
            if n_symmetric(&candidate) > n_symmetric(&found) {
                found = candidate;
                break;
            }
        }
    }
    found
}

fn n_symmetric(network: &Network) -> usize {
    Symmetry::new(network, &[], &[]).map_or(0, |symmetry| symmetry.n_sets())
}

/// Places for everything, where the language gives none.
fn give_places(network: &mut Network) {
    let fill = |places: &mut Vec<Coordinates>, n_things: usize| {
        if places.len() != n_things {
            let place = |index: usize| Coordinates { family: index.to_string(), elements: Vec::new() };
            *places = (0..n_things).map(place).collect();
        }
    };
    let Network { processes, variables, clocks, events, scalars, .. } = network;
    fill(&mut scalars.processes, processes.len());
    fill(&mut scalars.variables, variables.len());
    fill(&mut scalars.clocks, clocks.len());
    fill(&mut scalars.events, events.len());
    scalars.values.resize(variables.len(), None);
}

/// The locations, then the edges.
fn pieces_of(process: &Process) -> Vec<Piece> {
    let locations = process.locations.iter().map(Piece::of_location);
    locations.chain(process.edges.iter().map(Piece::of_edge)).collect()
}

/// Groups of processes that may be alike, those first that have most in common.
fn groups(network: &Network, pieces: &[Vec<Piece>]) -> Vec<Vec<usize>> {
    let all: Vec<usize> = (0..network.processes.len()).collect();
    let by_text = split(&all, |process| {
        let Process { locations, edges, .. } = &network.processes[process];
        let spans: Vec<_> = locations.iter().map(|location| location.span).collect();
        let mut edges: Vec<String> = edges.iter().map(|edge| format!("{:?}", edge.span)).collect();
        edges.sort();
        format!("{spans:?} {edges:?}")
    });
    let alone: Vec<usize> = by_text.iter().filter(|group| group.len() == 1).flatten().copied().collect();
    let by_shape = split(&alone, |process| format!("{:?}", shape(&pieces[process], false)));
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for group in by_text.into_iter().chain(by_shape).filter(|group| group.len() > 1) {
        let in_order = by_number(&group, pieces);
        let parts = split(&group, |process| format!("{:?}", shape(&pieces[process], true)));
        groups.push(group.clone());
        groups.extend(in_order.filter(|other| *other != group));
        groups.extend(parts.into_iter().filter(|part| part.len() > 1 && part.len() < group.len()));
    }
    groups
}

/// Those with the same key together, in the order of the first of each.
fn split(processes: &[usize], key: impl Fn(usize) -> String) -> Vec<Vec<usize>> {
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for &process in processes {
        let n_groups = groups.len();
        let place = *places.entry(key(process)).or_insert(n_groups);
        match groups.get_mut(place) {
            Some(group) => group.push(process),
            None => groups.push(vec![process]),
        }
    }
    groups
}

/// What pieces say, without what they speak of; perhaps with constants.
fn shape(pieces: &[Piece], with_constants: bool) -> Vec<Token> {
    let blank = |token: &Token| match token {
        Token::Variables(_, length) => Token::Variables(0, *length),
        Token::Clocks(_, length) => Token::Clocks(0, *length),
        Token::Event(_) => Token::Event(0),
        Token::Process(_) => Token::Process(0),
        Token::Constant(_) if !with_constants => Token::Constant(0),
        other => other.clone(),
    };
    pieces.iter().flat_map(|piece| piece.tokens.iter().map(blank)).collect()
}

/// The group in the order of the first constant that tells all of them apart.
fn by_number(group: &[usize], pieces: &[Vec<Piece>]) -> Option<Vec<usize>> {
    let constants = |process: &usize| -> Vec<i64> {
        let tokens = pieces[*process].iter().flat_map(|piece| &piece.tokens);
        tokens
            .filter_map(|token| if let Token::Constant(value) = token { Some(*value) } else { None })
            .collect()
    };
    let all: Vec<Vec<i64>> = group.iter().map(constants).collect();
    let n_constants = all.iter().map(Vec::len).min()?;
    let column = |place: usize| all.iter().map(|constants| constants[place]).collect::<Vec<i64>>();
    let numbers = (0..n_constants).map(column).find(|numbers| are_distinct(numbers))?;
    let mut order: Vec<usize> = (0..group.len()).collect();
    order.sort_by_key(|&place| numbers[place]);
    Some(order.into_iter().map(|place| group[place]).collect())
}

fn are_distinct<T: Ord>(all: &[T]) -> bool {
    all.iter().collect::<BTreeSet<&T>>().len() == all.len()
}

/// The kinds of things that belong to elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Row {
    Processes,
    Variables,
    Clocks,
    Events,
}

/// What belongs to which process of a group, as far as it is known.
struct Guess<'a> {
    network: &'a Network,
    pieces: &'a [Vec<Piece>],
    n_elements: usize,
    /// By row and thing: the first of its family, and its element.
    places: [Vec<Option<(usize, usize)>>; 4],
    /// Families of processes and of events.
    families: Vec<(Row, Vec<usize>)>,
    /// Variables that hold elements.
    holders: BTreeSet<usize>,
    /// Locals that hold elements, with their scopes, by process and piece.
    locals: BTreeMap<(usize, usize), BTreeSet<(usize, usize)>>,
    /// The number of element 0.
    first: Option<i64>,
}

impl<'a> Guess<'a> {
    fn new(network: &'a Network, pieces: &'a [Vec<Piece>], group: &[usize]) -> Guess<'a> {
        let none = |n_things: usize| vec![None; n_things];
        let mut guess = Guess {
            network,
            pieces,
            n_elements: group.len(),
            places: [
                none(network.processes.len()),
                none(network.variables.len()),
                none(network.clocks.len()),
                none(network.events.len()),
            ],
            families: Vec::new(),
            holders: BTreeSet::new(),
            locals: BTreeMap::new(),
            first: None,
        };
        guess.relate(Row::Processes, group);
        guess.go_on();
        // Edges that are several of one text cannot be told apart without looking; that comes last.
        for (row, family) in guess.families.clone() {
            if row == Row::Processes {
                guess.lay_repeated_edges(&family);
            }
        }
        guess.go_on();
        guess
    }

    /// Looks at everything that is known until nothing more comes of it.
    fn go_on(&mut self) {
        let (mut next, mut is_new) = (0, true);
        while is_new {
            is_new = false;
            while next < self.families.len() {
                let (row, family) = self.families[next].clone();
                next += 1;
                match row {
                    Row::Processes => self.lay_processes(&family),
                    _ => self.lay_synchronizations(&family),
                }
            }
            is_new |= self.lay_edges_of_others();
            is_new |= self.follow_values();
            is_new |= next < self.families.len();
        }
    }

    /// One thing for each element. Whether that was not known; what contradicts something is forgotten.
    fn relate(&mut self, row: Row, family: &[usize]) -> bool {
        let places = &mut self.places[row as usize];
        if !are_distinct(family) || family.iter().any(|&thing| places[thing].is_some()) {
            return false;
        }
        for (element, &thing) in family.iter().enumerate() {
            places[thing] = Some((family[0], element));
        }
        if matches!(row, Row::Processes | Row::Events) {
            self.families.push((row, family.to_vec()));
        }
        true
    }

    /// One row of things for each element.
    fn relate_rows(&mut self, row: Row, firsts: &[usize], length: usize) -> bool {
        let mut is_new = false;
        for offset in 0..length {
            let family: Vec<usize> = firsts.iter().map(|first| first + offset).collect();
            is_new |= self.relate(row, &family);
        }
        is_new
    }

    /// Lays pieces side by side, one for each element, each with its process and its number there.
    fn lay(&mut self, places: &[(usize, usize)]) -> bool {
        let all = self.pieces;
        let pieces: Vec<&Piece> = places.iter().map(|&(process, piece)| &all[process][piece]).collect();
        if !pieces.iter().all(|piece| pieces[0].is_like(piece)) {
            return false;
        }
        let mut is_new = false;
        let mut numbers: BTreeMap<usize, i64> = BTreeMap::new();
        for place in 0..pieces[0].tokens.len() {
            let column: Vec<&Token> = pieces.iter().map(|piece| &piece.tokens[place]).collect();
            let things =
                |thing: fn(&Token) -> usize| column.iter().map(|token| thing(token)).collect::<Vec<_>>();
            is_new |= match column[0] {
                Token::Word(_) => false,
                Token::Constant(first) => {
                    if are_counting(&column) {
                        numbers.insert(place, *first);
                    }
                    false
                }
                Token::Variables(_, length) => self.relate_rows(Row::Variables, &things(thing_of), *length),
                Token::Clocks(_, length) => self.relate_rows(Row::Clocks, &things(thing_of), *length),
                Token::Event(_) => self.relate(Row::Events, &things(thing_of)),
                Token::Process(_) => self.relate(Row::Processes, &things(thing_of)),
            };
        }
        for (number, tie) in pieces[0].ties.iter().enumerate() {
            let first = tie.iter().find_map(|atom| match atom {
                Atom::Constant(place) => numbers.get(place).copied(),
                _ => None,
            });
            if first.is_some_and(|first| *self.first.get_or_insert(first) == first) {
                for (&place, piece) in places.iter().zip(&pieces) {
                    is_new |= self.hold(place, &piece.ties[number]);
                }
            }
        }
        is_new
    }

    /// All of these hold elements.
    fn hold(&mut self, place: (usize, usize), atoms: &[Atom]) -> bool {
        let mut is_new = false;
        for atom in atoms {
            match *atom {
                Atom::Variables(first, length) => {
                    (first..first + length).for_each(|variable| is_new |= self.holders.insert(variable));
                }
                Atom::Local(scope, local) => {
                    is_new |= self.locals.entry(place).or_default().insert((scope, local));
                }
                Atom::Constant(_) => {}
            }
        }
        is_new
    }

    fn holds(&self, place: (usize, usize), atom: &Atom) -> bool {
        match atom {
            Atom::Variables(first, _) => self.holders.contains(first),
            Atom::Local(scope, local) => {
                self.locals.get(&place).is_some_and(|locals| locals.contains(&(*scope, *local)))
            }
            Atom::Constant(_) => false,
        }
    }

    /// Processes that belong to the elements.
    fn lay_processes(&mut self, family: &[usize]) {
        let network = self.network;
        // What they declare has the same name in each, behind their own.
        let names: [(Row, Vec<&str>); 3] = [
            (Row::Variables, network.variables.iter().map(|one| one.name.as_str()).collect()),
            (Row::Clocks, network.clocks.iter().map(|one| one.name.as_str()).collect()),
            (Row::Events, network.events.iter().map(String::as_str).collect()),
        ];
        for (row, names) in names {
            let mut own: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
            for &process in family {
                let prefix = format!("{}.", network.processes[process].name);
                for (index, name) in names.iter().enumerate() {
                    if let Some(rest) = name.strip_prefix(&prefix) {
                        own.entry(rest).or_default().push(index);
                    }
                }
            }
            let n_elements = self.n_elements;
            for things in own.into_values().filter(|things| things.len() == n_elements) {
                self.relate(row, &things);
            }
        }
        let n_locations = network.processes[family[0]].locations.len();
        if family.iter().any(|&process| network.processes[process].locations.len() != n_locations) {
            return;
        }
        for location in 0..n_locations {
            let places: Vec<(usize, usize)> = family.iter().map(|&process| (process, location)).collect();
            self.lay(&places);
        }
        for edges in self.edges_by_text(family).into_iter().filter(|edges| edges[0].len() == 1) {
            let places: Vec<(usize, usize)> = family
                .iter()
                .zip(&edges)
                .map(|(&process, edges)| (process, n_locations + edges[0]))
                .collect();
            self.lay(&places);
        }
    }

    /// Edges that are several of one text, in order.
    fn lay_repeated_edges(&mut self, family: &[usize]) {
        let n_locations = self.network.processes[family[0]].locations.len();
        for edges in self.edges_by_text(family).into_iter().filter(|edges| edges[0].len() > 1) {
            for number in 0..edges[0].len() {
                let place = |(&process, edges): (&usize, &Vec<usize>)| (process, n_locations + edges[number]);
                let places: Vec<(usize, usize)> = family.iter().zip(&edges).map(place).collect();
                self.lay(&places);
            }
        }
    }

    /// For each text, and each process, the edges that have it, as many for each. Where no text is that of two processes, edges go by their place.
    fn edges_by_text(&self, family: &[usize]) -> Vec<Vec<Vec<usize>>> {
        let edges = |process: usize| self.network.processes[process].edges.iter();
        let spans = |process: usize| edges(process).map(|edge| edge.span).collect::<Vec<_>>();
        let first = spans(family[0]);
        let is_shared = spans(family[1]).iter().any(|span| span.is_some() && first.contains(span));
        let key = |number: usize, edge: &Edge| match is_shared {
            true => format!("{:?}", edge.span),
            false => number.to_string(),
        };
        let mut found: BTreeMap<String, Vec<Vec<usize>>> = BTreeMap::new();
        for (element, &process) in family.iter().enumerate() {
            for (number, edge) in edges(process).enumerate() {
                let lists = found.entry(key(number, edge)).or_insert_with(|| vec![Vec::new(); family.len()]);
                lists[element].push(number);
            }
        }
        let are_even = |lists: &Vec<Vec<usize>>| lists.iter().all(|list| list.len() == lists[0].len());
        found.into_values().filter(are_even).collect()
    }

    /// Who takes part together with these events.
    fn lay_synchronizations(&mut self, events: &[usize]) {
        let all = &self.network.synchronizations;
        let with = |event: &usize| -> Vec<usize> {
            let is_with = |number: &usize| all[*number].participants.iter().any(|one| one.event == *event);
            (0..all.len()).filter(is_with).collect()
        };
        let lists: Vec<Vec<usize>> = events.iter().map(with).collect();
        if lists.iter().any(|list| list.len() != lists[0].len()) {
            return;
        }
        for number in 0..lists[0].len() {
            let column: Vec<_> = lists.iter().map(|list| &all[list[number]].participants).collect();
            let n_participants = column[0].len();
            if column.iter().any(|participants| participants.len() != n_participants) {
                continue;
            }
            for place in 0..n_participants {
                let events: Vec<usize> =
                    column.iter().map(|participants| participants[place].event).collect();
                let processes: Vec<usize> =
                    column.iter().map(|participants| participants[place].process).collect();
                self.relate(Row::Events, &events);
                self.relate(Row::Processes, &processes);
            }
        }
    }

    /// Edges of a process that belongs to no element, one for each element by their events.
    fn lay_edges_of_others(&mut self) -> bool {
        let mut is_new = false;
        for (process, declared) in self.network.processes.iter().enumerate() {
            if self.places[Row::Processes as usize][process].is_some() {
                continue;
            }
            let n_locations = declared.locations.len();
            let mut lists: BTreeMap<(usize, usize, usize), Vec<Vec<usize>>> = BTreeMap::new();
            for (number, edge) in declared.edges.iter().enumerate() {
                if let Some((family, element)) = self.places[Row::Events as usize][edge.event] {
                    let key = (edge.source, edge.target, family);
                    let of_elements = lists.entry(key).or_insert_with(|| vec![Vec::new(); self.n_elements]);
                    of_elements[element].push(n_locations + number);
                }
            }
            for list in lists.into_values() {
                if list.iter().any(|edges| edges.len() != list[0].len()) {
                    continue;
                }
                for number in 0..list[0].len() {
                    let places: Vec<(usize, usize)> =
                        list.iter().map(|edges| (process, edges[number])).collect();
                    is_new |= self.lay(&places);
                }
            }
        }
        is_new
    }

    /// Where elements are given on, compared, or used as indices.
    fn follow_values(&mut self) -> bool {
        let mut is_new = false;
        let all = self.pieces;
        for (process, pieces) in all.iter().enumerate() {
            for (number, piece) in pieces.iter().enumerate() {
                let place = (process, number);
                for tie in &piece.ties {
                    if tie.iter().any(|atom| self.holds(place, atom)) {
                        is_new |= self.hold(place, tie);
                    }
                }
                for array in &piece.indexed {
                    is_new |= self.follow_index(place, array);
                }
            }
        }
        is_new
    }

    fn follow_index(&mut self, place: (usize, usize), array: &Indexed) -> bool {
        let row = if array.is_of_clocks { Row::Clocks } else { Row::Variables };
        let cells = &self.places[row as usize][array.first..array.first + array.length];
        let known = |offset: usize| cells[offset].map(|(_, element)| (offset, element));
        let elements: Vec<(usize, usize)> = (0..array.length).filter_map(known).collect();
        if let [(offset, element), (_, next), ..] = elements[..]
            && element != next
        {
            let first = offset as i64 - element as i64;
            return *self.first.get_or_insert(first) == first && self.hold(place, &array.by);
        }
        let is_by_element = array.by.iter().any(|atom| self.holds(place, atom));
        match self.first.and_then(|first| usize::try_from(first).ok()) {
            Some(first) if is_by_element && first + self.n_elements <= array.length => {
                let family: Vec<usize> =
                    (0..self.n_elements).map(|element| array.first + first + element).collect();
                self.relate(row, &family)
            }
            _ => false,
        }
    }

    /// Takes arrays with an element for each process, of which nothing is known, for arrays of the processes. Whether there are any.
    fn relate_arrays_by_name(&mut self) -> bool {
        let network = self.network;
        let rows: [(Row, Vec<&str>); 3] = [
            (Row::Variables, network.variables.iter().map(|one| one.name.as_str()).collect()),
            (Row::Clocks, network.clocks.iter().map(|one| one.name.as_str()).collect()),
            (Row::Events, network.events.iter().map(String::as_str).collect()),
        ];
        let mut is_new = false;
        for (row, names) in rows {
            let mut arrays: BTreeMap<(&str, &str), Vec<(i64, usize)>> = BTreeMap::new();
            for (thing, name) in names.into_iter().enumerate() {
                if let Some((before, index, after)) = indexed_name(name) {
                    arrays.entry((before, after)).or_default().push((index, thing));
                }
            }
            for array in arrays.into_values() {
                let least = array.iter().map(|(index, _)| *index).min().unwrap_or(0);
                let first = self.first.unwrap_or(least);
                let is_element = |index: &i64| (first..first + self.n_elements as i64).contains(index);
                let mut cells: Vec<(i64, usize)> =
                    array.into_iter().filter(|(index, _)| is_element(index)).collect();
                cells.sort_unstable();
                let family: Vec<usize> = cells.into_iter().map(|(_, thing)| thing).collect();
                if family.len() == self.n_elements {
                    is_new |= self.relate(row, &family);
                }
            }
        }
        self.go_on();
        is_new
    }

    /// The sets of the network, and one more.
    fn into_sets(self) -> ScalarSets {
        let mut scalars = self.network.scalars.clone();
        let set = scalars.sets.len();
        let first = self.first.and_then(|first| i32::try_from(first).ok()).unwrap_or(0);
        scalars.sets.push(ScalarSet { size: self.n_elements as u32, first });
        let rows = [
            (Row::Processes, &mut scalars.processes),
            (Row::Variables, &mut scalars.variables),
            (Row::Clocks, &mut scalars.clocks),
            (Row::Events, &mut scalars.events),
        ];
        for (row, places) in rows {
            let before = places.clone();
            for (thing, known) in self.places[row as usize].iter().enumerate() {
                if let Some((family, element)) = *known {
                    let mut place = before[family].clone();
                    place.family.push_str(&format!("~{set}"));
                    place.elements.push((set, element as u32));
                    places[thing] = place;
                }
            }
        }
        for holder in self.holders {
            scalars.values[holder].get_or_insert(set);
        }
        scalars
    }
}

/// The name of an element of an array: what is before the index, the index, and what is behind it.
fn indexed_name(name: &str) -> Option<(&str, i64, &str)> {
    let (before, rest) = name.split_once('[')?;
    let (index, after) = rest.split_once(']')?;
    Some((before, index.parse().ok()?, after))
}

fn thing_of(token: &Token) -> usize {
    match token {
        Token::Variables(thing, _) | Token::Clocks(thing, _) => *thing,
        Token::Event(thing) | Token::Process(thing) => *thing,
        Token::Word(_) | Token::Constant(_) => 0,
    }
}

/// Whether constants are one more from each element to the next.
fn are_counting(column: &[&Token]) -> bool {
    column.windows(2).all(|pair| match pair {
        [Token::Constant(one), Token::Constant(next)] => one.checked_add(1) == Some(*next),
        _ => false,
    })
}
