//! Whole steps of a set of states: a move, and everything that its process does alone afterwards; as in `expand.rs` of the
//! reference interpreter.
//!
//! In-between states are explored as a set: what was seen before, with the same explicit part and the same functions for its bits, is not
//! followed again, so that a sequence which goes round for ever comes to an end here as well.

use std::collections::{HashMap, VecDeque};

use fathom_diagram::{Diagram, NoRoom};

use crate::effect::Faults;
use crate::machine::{Machine, View};
use crate::moves::Reached;
use crate::path::{Bits, Path};

/// Most in-between sets of one expansion before it is given up.
const MOST_BETWEEN: usize = 1_000_000;

/// The steps that leave a set of states.
#[derive(Debug)]
pub(crate) struct Expanded {
    /// For which values anything moves.
    pub moved: Diagram,
    /// The steps; those with the same explicit part and the same functions are one.
    pub paths: Vec<Path>,
    /// Faults on the way.
    pub faults: Faults,
    /// Whether what moves may come to no state: a fault ends it, or it goes round inside for ever.
    pub may_come_to_nothing: bool,
}

/// Functions of bits, and for which values they were seen.
type SeenBits = (Bits, Diagram);

/// Paths by explicit part and process, then by the functions of their bits, with the union of their conditions.
#[derive(Default)]
struct Seen {
    seen: HashMap<(Vec<u8>, Option<u32>), Vec<SeenBits>>,
}

impl Seen {
    /// The part of a path that was not seen before; it is now.
    fn news(&mut self, path: &Path, alone: Option<u32>) -> Result<Option<Path>, NoRoom> {
        let alike = self.seen.entry((path.shape.bytes.clone(), alone)).or_default();
        let Some((_, seen)) = alike.iter_mut().find(|(bits, _)| *bits == path.bits) else {
            alike.push((path.bits.clone(), path.condition.clone()));
            return Ok(Some(path.clone()));
        };
        let condition = path.condition.minus(seen)?;
        if condition.is_false() {
            return Ok(None);
        }
        *seen = seen.or(&condition)?;
        Ok(Some(Path { condition, ..path.clone() }))
    }
}

impl Machine<'_> {
    /// Every step that leaves a set of states.
    pub fn expand(&mut self, from: &Path, timeout: bool) -> Result<Expanded, NoRoom> {
        let view = View { timeout, ..View::NOBODY };
        let mut reached = Reached::default();
        let mut moved = self.arithmetic.no.clone();
        for process in (0..from.shape.processes.len() as u32).rev() {
            moved = moved.or(&self.moves_of(&view.by(process), from, &mut reached)?)?;
        }
        let mut faults = std::mem::take(&mut reached.faults);
        let mut seen = Seen::default();
        let mut n_between = 0;
        let mut paths = Vec::new();
        // A stack would do; in order, the steps come as those of the interpreter do, by and large.
        let mut under_way = VecDeque::from(std::mem::take(&mut reached.children));
        while let Some((path, alone)) = under_way.pop_front() {
            let Some(process) = alone else {
                paths.push(path);
                continue;
            };
            let Some(path) = seen.news(&path, alone)? else { continue };
            n_between += 1;
            if n_between > MOST_BETWEEN {
                self.model.listing.give_up_step();
                continue;
            }
            let moved = self.moves_of(&View::NOBODY.by(process), &path, &mut reached)?;
            faults.append(&mut reached.faults);
            under_way.extend(reached.children.drain(..));
            paths.extend(path.under(&moved.not()?)?);
        }
        let mut simple = Vec::with_capacity(paths.len());
        for path in paths {
            simple.push(self.simplified(path)?);
        }
        let may_come_to_nothing = n_between > 0 || !faults.is_empty();
        let faults = self.settle_all(faults, &[])?;
        Ok(Expanded { moved, paths: joined(simple)?, faults, may_come_to_nothing })
    }

    /// The same path with functions as simple as what is chosen on it allows. A path to one explicit part has made some of its choices: what would have become of a bit under the others does not matter, and
    /// often it is then what it was.
    fn simplified(&mut self, mut path: Path) -> Result<Path, NoRoom> {
        if path.choices.is_empty() {
            return Ok(path);
        }
        let bits = self.start.bits.clone();
        let mut of_state = Vec::with_capacity(bits.len());
        for bit in bits {
            of_state.push(self.known.variables(self.encoding, bit)?.now);
        }
        let chosen = path.condition.exists(&self.encoding.diagrams.variables(&of_state)?)?;
        if chosen.is_true() {
            return Ok(path);
        }
        for (bit, function) in std::mem::take(&mut path.bits).iter() {
            let function = function.simplified(&chosen)?;
            self.set_bit(&mut path, bit, function)?;
        }
        Ok(path)
    }
}

/// Paths that do the same as one path, in the order of their first.
fn joined(paths: Vec<Path>) -> Result<Vec<Path>, NoRoom> {
    if paths.len() < 2 {
        return Ok(paths);
    }
    let mut places: HashMap<Vec<u8>, Vec<usize>> = HashMap::new();
    let mut joined: Vec<Path> = Vec::with_capacity(paths.len());
    for path in paths {
        let alike = places.entry(path.shape.bytes.clone()).or_default();
        match alike.iter().find(|&&place| joined[place].bits == path.bits) {
            Some(&place) => {
                let same = &mut joined[place];
                same.condition = same.condition.or(&path.condition)?;
                path.choices.iter().for_each(|&choice| same.add_choice(choice));
            }
            None => {
                alike.push(joined.len());
                joined.push(path);
            }
        }
    }
    Ok(joined)
}
