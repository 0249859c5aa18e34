//! The parts of states, each kept once and known by a number.
//!
//! Values are compared and stored by their bytes, so a table of byte strings is all that sharing them takes: the number of a
//! part stands for it in every state, and two states have the same part when they have the same number. Threads look up
//! numbers in shards of a hash table, each behind a lock, and read bytes without one.
//!
//! Nothing is ever removed: a part gets its number when a state that has it is written, and an engine that numbers
//! parts stores every state it writes. Engines that forget states do without a table.
//!
//! Whether there is a table is said by the initial states, before a search: all states of a search have one form, so that what grows later
//! stays as it is.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use hashbrown::HashTable;

/// As many as leave threads alone.
const N_SHARDS: usize = 64;

/// Byte strings with numbers.
#[derive(Debug)]
pub struct PartTable {
    parts: boxcar::Vec<Box<[u8]>>,
    shards: Vec<Mutex<HashTable<u32>>>,
    /// Bytes of all parts together.
    n_bytes: AtomicUsize,
}

impl PartTable {
    /// An empty table.
    pub fn new() -> PartTable {
        PartTable {
            parts: boxcar::Vec::new(),
            shards: (0..N_SHARDS).map(|_| Mutex::new(HashTable::new())).collect(),
            n_bytes: AtomicUsize::new(0),
        }
    }

    /// The number of a part, which is new if it has none.
    ///
    /// # Panics
    ///
    /// When there are more parts than numbers of 32 bits, or another thread panicked in here.
    pub fn number(&self, bytes: &[u8]) -> u32 {
        let hash = rapidhash::v3::rapidhash_v3(bytes);
        let shard = &self.shards[(hash >> 32) as usize % N_SHARDS];
        let mut shard = shard.lock().expect("no thread panics while it holds a shard");
        let find = |&number: &u32| *self.parts[number as usize] == *bytes;
        if let Some(&number) = shard.find(hash, find) {
            return number;
        }
        let number = self.parts.push(bytes.into());
        let number = u32::try_from(number).expect("fewer parts than there are numbers");
        self.n_bytes.fetch_add(bytes.len(), Ordering::Relaxed);
        shard
            .insert_unique(hash, number, |&number| rapidhash::v3::rapidhash_v3(&self.parts[number as usize]));
        number
    }

    /// The bytes of a part.
    ///
    /// # Panics
    ///
    /// When no part has this number.
    pub fn bytes(&self, number: u32) -> &[u8] {
        &self.parts[number as usize]
    }

    /// Number of parts.
    pub fn len(&self) -> usize {
        self.parts.count()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of memory, about: the parts, what leads to them, and their numbers.
    pub fn heap_size(&self) -> usize {
        self.n_bytes.load(Ordering::Relaxed) + self.len() * (16 + 16 + 6)
    }
}

impl Default for PartTable {
    fn default() -> PartTable {
        PartTable::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_has_one_number_whoever_asks() {
        let table = PartTable::new();
        let numbers: Vec<Vec<u32>> = std::thread::scope(|scope| {
            let ask = || (0..1000_u32).map(|part| table.number(&part.to_le_bytes())).collect::<Vec<_>>();
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(ask)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(table.len(), 1000);
        assert!(numbers.iter().all(|asked| *asked == numbers[0]));
        for (part, &number) in numbers[0].iter().enumerate() {
            assert_eq!(table.bytes(number), (part as u32).to_le_bytes());
        }
    }
}
