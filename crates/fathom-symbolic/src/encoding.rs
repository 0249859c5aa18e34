//! Bits of a state as variables of diagrams.
//!
//! A bit of a state is known by its number: eight times its byte, plus its place in the byte. Each symbolic bit has
//! three variables, next to each other in the order: one for its value now, one for its value after a step, and one for a value that is
//! chosen for it (see [`choice`](crate::choice)). The order is that in which bits are first met; those of the initial state are met as
//! [`order`](crate::order) says.

use std::collections::HashMap;
use std::sync::Mutex;

use fathom_diagram::{Diagram, Diagrams, NoRoom, Variable};

use crate::multiples::Multiples;

/// The variables of one bit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct BitVariables {
    pub now: Variable,
    pub next: Variable,
    pub choice: Variable,
}

/// The variables of all bits met so far, shared by all workers.
#[derive(Debug)]
pub(crate) struct Encoding {
    pub diagrams: Diagrams,
    known: Mutex<Vec<Option<BitVariables>>>,
    /// Of temporaries that stand for no bit of a state, by number.
    temporaries: Mutex<HashMap<u32, BitVariables>>,
    /// For values that are chosen for nothing in particular.
    spare: Mutex<Vec<BitVariables>>,
}

/// Variables of a bit: see [`BitVariables`].
pub(crate) const VARIABLES_OF_A_BIT: u32 = 3;

impl Encoding {
    pub fn new(diagrams: Diagrams) -> Encoding {
        let (known, spare) = (Mutex::new(Vec::new()), Mutex::new(Vec::new()));
        Encoding { diagrams, known, temporaries: Mutex::new(HashMap::new()), spare }
    }

    /// The variables of a bit; made when it is met for the first time.
    pub fn variables(&self, bit: u32) -> BitVariables {
        let mut known = self.known.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let place = bit as usize;
        if known.len() <= place {
            known.resize(place + 1, None);
        }
        *known[place].get_or_insert_with(|| self.new_bit())
    }

    /// The variables of a bit of a temporary that stands for no bit of a state.
    pub fn temporary(&self, bit: u32) -> BitVariables {
        let mut temporaries = self.temporaries.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        *temporaries.entry(bit).or_insert_with(|| self.new_bit())
    }

    /// The variables of a bit that is none of a state, by number.
    pub fn spare(&self, number: usize) -> BitVariables {
        let mut spare = self.spare.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        while spare.len() <= number {
            spare.push(self.new_bit());
        }
        spare[number]
    }

    fn new_bit(&self) -> BitVariables {
        BitVariables {
            now: self.diagrams.new_variable(),
            next: self.diagrams.new_variable(),
            choice: self.diagrams.new_variable(),
        }
    }
}

/// What one worker knows of the encoding, without asking the others again, and of what it computed with it.
#[derive(Clone, Default, Debug)]
pub(crate) struct KnownBits {
    known: Vec<Option<(BitVariables, Diagram)>>,
    pub multiples: Multiples,
}

impl KnownBits {
    /// The variables of a bit.
    pub fn variables(&mut self, encoding: &Encoding, bit: u32) -> Result<BitVariables, NoRoom> {
        self.get(encoding, bit).map(|(variables, _)| *variables)
    }

    /// The function that is the value of a bit now.
    pub fn function(&mut self, encoding: &Encoding, bit: u32) -> Result<&Diagram, NoRoom> {
        self.get(encoding, bit).map(|(_, function)| function)
    }

    fn get(&mut self, encoding: &Encoding, bit: u32) -> Result<&(BitVariables, Diagram), NoRoom> {
        let place = bit as usize;
        if self.known.len() <= place {
            self.known.resize(place + 1, None);
        }
        let slot = &mut self.known[place];
        match slot {
            Some(known) => Ok(known),
            None => {
                let variables = encoding.variables(bit);
                Ok(slot.insert((variables, encoding.diagrams.variable(variables.now)?)))
            }
        }
    }
}
