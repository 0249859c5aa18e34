//! States as bytes: the location of each process, then each variable, in as few bytes as their ranges need.
//!
//! A variable is kept as its distance from its least value. Two valuations are the same exactly when their bytes are.

use crate::network::Network;

/// The explicit part of a state, taken apart.
#[derive(PartialEq, Eq, Default, Debug)]
pub struct Valuation {
    /// Index of the location of each process.
    pub locations: Vec<u32>,
    /// The value of each variable.
    pub values: Vec<i32>,
}

impl Clone for Valuation {
    fn clone(&self) -> Valuation {
        Valuation { locations: self.locations.clone(), values: self.values.clone() }
    }

    /// In the memory that is there, which a derived one does not do.
    #[inline]
    fn clone_from(&mut self, source: &Valuation) {
        self.locations.clone_from(&source.locations);
        self.values.clone_from(&source.values);
    }
}

/// How states are laid out.
#[derive(Clone, Debug)]
pub struct Layout {
    /// Bytes for the location of each process.
    locations: Vec<u8>,
    /// Bytes for each variable, none for those that are no part of states, and its least or only value.
    variables: Vec<(u8, i32)>,
    /// Whether the location of every process is one byte.
    has_narrow_locations: bool,
}

/// Bytes that a number up to this needs.
fn width(most: u64) -> u8 {
    match most {
        0..=0xff => 1,
        0x100..=0xffff => 2,
        _ => 4,
    }
}

impl Layout {
    /// The layout of the states of a network.
    pub fn new(network: &Network) -> Layout {
        let locations: Vec<u8> =
            network.processes.iter().map(|process| width(process.locations.len() as u64)).collect();
        let variables = network
            .variables
            .iter()
            .map(|variable| {
                if variable.is_meta {
                    return (0, variable.initial);
                }
                let span = i64::from(variable.most) - i64::from(variable.least);
                (width(span.max(0) as u64), variable.least)
            })
            .collect();
        let has_narrow_locations = locations.iter().all(|&width| width == 1);
        Layout { locations, variables, has_narrow_locations }
    }

    /// Takes a state apart.
    #[inline]
    pub fn decode(&self, state: &[u8], valuation: &mut Valuation) {
        let mut rest = state;
        valuation.locations.clear();
        valuation.values.clear();
        if self.has_narrow_locations {
            let (bytes, after) = rest.split_at(self.locations.len());
            valuation.locations.extend(bytes.iter().map(|&byte| u32::from(byte)));
            rest = after;
        } else {
            valuation.locations.extend(self.locations.iter().map(|&width| read(&mut rest, width)));
        }
        for &(width, least) in &self.variables {
            valuation.values.push(least.wrapping_add_unsigned(read(&mut rest, width)));
        }
    }

    /// Adds a state to a buffer.
    #[inline]
    pub fn encode(&self, valuation: &Valuation, out: &mut Vec<u8>) {
        if self.has_narrow_locations {
            out.extend(valuation.locations.iter().map(|&location| location as u8));
        } else {
            for (&location, &width) in valuation.locations.iter().zip(&self.locations) {
                write(out, width, location);
            }
        }
        for (&value, &(width, least)) in valuation.values.iter().zip(&self.variables) {
            if width > 0 {
                write(out, width, value.wrapping_sub(least) as u32);
            }
        }
    }
}

#[inline]
fn read(rest: &mut &[u8], width: u8) -> u32 {
    let (bytes, after) = rest.split_at(width as usize);
    *rest = after;
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u32::from(byte))
}

#[inline]
fn write(out: &mut Vec<u8>, width: u8, number: u32) {
    if width == 1 {
        out.push(number as u8);
    } else {
        out.extend_from_slice(&number.to_le_bytes()[..width as usize]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::{Guard, Location, Process, Urgency, Variable};

    #[test]
    fn a_state_comes_back() {
        let variable =
            |least, most| Variable { name: "v".to_owned(), least, most, initial: least, is_meta: false };
        let location = Location {
            name: "l".to_owned(),
            is_initial: true,
            invariant: Guard::default(),
            urgency: Urgency::None,
            labels: Vec::new(),
            span: None,
        };
        let process =
            |n_locations| Process { locations: vec![location.clone(); n_locations], ..Process::default() };
        // Locations of one byte each, and of different widths.
        for (processes, n_bytes, locations) in [
            (vec![process(8); 2], 2, [0, 7]),
            (vec![process(255), process(256)], 3, [254, 255]),
            (vec![process(70_000), process(1)], 5, [69_999, 0]),
        ] {
            let network = Network {
                variables: vec![variable(-3, 3), variable(i32::MIN, i32::MAX), variable(100, 1000)],
                processes,
                ..Network::default()
            };
            let layout = Layout::new(&network);
            // What was in the buffer before does not matter.
            let mut again = Valuation { locations: vec![5; 9], values: vec![5; 9] };
            for values in [[-3, i32::MIN, 100], [3, i32::MAX, 1000], [0, -1, 356]] {
                let valuation = Valuation { locations: locations.to_vec(), values: values.to_vec() };
                let mut bytes = Vec::new();
                layout.encode(&valuation, &mut bytes);
                assert_eq!(bytes.len(), n_bytes + 1 + 4 + 2);
                layout.decode(&bytes, &mut again);
                assert_eq!(again, valuation);
            }
        }
    }

    #[test]
    fn a_copy_in_the_memory_of_another_valuation_has_nothing_of_it() {
        let source = Valuation { locations: vec![1, 2], values: vec![-1] };
        for mut copy in [Valuation::default(), Valuation { locations: vec![7; 5], values: vec![7; 5] }] {
            copy.clone_from(&source);
            assert_eq!(copy, source);
        }
    }
}
