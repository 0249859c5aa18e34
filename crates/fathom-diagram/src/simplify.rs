//! A smaller function that is the same where it matters.
//!
//! The operator `restrict` of Coudert and Madre ("A Unified Framework for the Formal Verification of Sequential Circuits", ICCAD 1990): where one branch is never taken, the node goes; variables that
//! only the care set asks about are quantified away first, so that the result depends on no more than the function did.

// Functions are keys by their nodes; what changes inside of them counts references and is no part of the key.
#![allow(clippy::mutable_key_type)]

use rustc_hash::FxHashMap;

use crate::diagram::Diagram;
use crate::diagrams::NoRoom;

impl Diagram {
    /// A function that is the same wherever `care` is true, and anything elsewhere: as small as one walk makes it. Meant for small care sets.
    pub fn simplified(&self, care: &Diagram) -> Result<Diagram, NoRoom> {
        let mut known = FxHashMap::default();
        simplified(self, care, &mut known)
    }
}

type Known = FxHashMap<(Diagram, Diagram), Diagram>;

fn simplified(function: &Diagram, care: &Diagram, known: &mut Known) -> Result<Diagram, NoRoom> {
    // Where nothing matters, anything will do; the function is at hand.
    let Some((first_of_care, care_high, care_low)) = care.split() else { return Ok(function.clone()) };
    let Some((first, high, low)) = function.split() else { return Ok(function.clone()) };
    let key = (function.clone(), care.clone());
    if let Some(result) = known.get(&key) {
        return Ok(result.clone());
    }
    let result = if first_of_care < first {
        simplified(function, &care_high.or(&care_low)?, known)?
    } else {
        let (of_high, of_low) = match first_of_care == first {
            true => (care_high, care_low),
            false => (care.clone(), care.clone()),
        };
        if of_low.is_false() {
            simplified(&high, &of_high, known)?
        } else if of_high.is_false() {
            simplified(&low, &of_low, known)?
        } else {
            let (high, low) = (simplified(&high, &of_high, known)?, simplified(&low, &of_low, known)?);
            let Some(node) = function.node() else { return Ok(function.clone()) };
            node.diagrams.variable(first)?.ite(&high, &low)?
        }
    };
    known.insert(key, result.clone());
    Ok(result)
}
