//! The commands on networks of timed automata, beside `check` and `hunt`.

pub mod forms;
pub mod graph;
pub mod info;
pub mod replay;
pub mod simulate;
pub mod zone_walk;
