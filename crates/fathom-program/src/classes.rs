//! Classes of states by comparison: each state stands for the first one of its class that was seen.
//!
//! The method of the document on state isomorphism (Ernits 2007): states fall into buckets by a hash that does not depend on
//! names, and are compared with those in their bucket. It needs a graph for every class and a comparison for every
//! step, and which state stands for a class depends on the order in which they come. Canonical forms are better
//! in every respect; this is here to be compared with them.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use fathom_symmetry::{Drawing, Graph, invariant, isomorphism};

/// The first state of a class.
#[derive(Debug)]
struct Representative {
    bytes: Vec<u8>,
    graph: Graph,
    /// The number of each object.
    numbers: Vec<u32>,
}

/// The classes seen so far.
#[derive(Debug, Default)]
pub(crate) struct Classes {
    buckets: Mutex<HashMap<u64, Vec<Representative>>>,
    /// Bytes of all representatives, about.
    n_bytes: AtomicUsize,
}

impl Classes {
    /// Finds the class of a state that is drawn here and leaves in `bytes` what stands for it. `write` writes the state with given names.
    pub(crate) fn find(
        &self,
        drawing: &Drawing,
        bytes: &mut Vec<u8>,
        write: &mut dyn FnMut(&[u32], &mut Vec<u8>),
    ) {
        let graph = drawing.graph();
        let mut buckets = self.buckets.lock().expect("no thread panics while it holds the classes");
        let bucket = buckets.entry(invariant(graph)).or_default();
        for known in bucket.iter() {
            let Some(map) = isomorphism(graph, &known.graph) else { continue };
            let names: Vec<u32> = map.iter().map(|&index| known.numbers[index as usize]).collect();
            bytes.clear();
            write(&names, bytes);
            // Graphs are drawn with hashes: what counts is the state itself.
            if *bytes == known.bytes {
                return;
            }
        }
        let numbers: Vec<u32> = drawing.objects().iter().map(|&(_, number)| number).collect();
        bytes.clear();
        write(&numbers, bytes);
        let n_bytes = bytes.len() + 4 * numbers.len() + graph.heap_size() + size_of::<Representative>();
        self.n_bytes.fetch_add(n_bytes, Ordering::Relaxed);
        bucket.push(Representative { bytes: bytes.clone(), graph: graph.clone(), numbers });
    }

    /// Bytes of memory, about.
    pub(crate) fn heap_size(&self) -> usize {
        self.n_bytes.load(Ordering::Relaxed)
    }
}
