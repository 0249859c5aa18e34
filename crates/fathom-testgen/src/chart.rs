//! Charts: the control flow of processes, as far as goals ask about it.
//!
//! Goals are about locations and edges, whatever the language: statements of a proctype, edges of a timed automaton, actions of a
//! model program. Who makes charts says which edges a label of its system takes.

use fathom_source::Span;

/// The control flow of one kind of process.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Chart {
    /// Its name.
    pub name: String,
    /// Its locations.
    pub locations: Vec<ChartLocation>,
    /// Its edges.
    pub edges: Vec<ChartEdge>,
    /// Where a process starts that is created on the way.
    pub initial: usize,
}

/// A control location.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct ChartLocation {
    /// Its name.
    pub name: String,
    /// Where it stands in the text.
    pub span: Option<Span>,
}

/// An edge.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct ChartEdge {
    /// The locations that it leaves: two may share an edge.
    pub sources: Vec<usize>,
    /// The location that it enters.
    pub target: usize,
    /// What it does, for people.
    pub text: String,
    /// Where it stands in the text.
    pub span: Option<Span>,
    /// The variables that it reads, each once: indices in [`Charts::variables`]. What it reads, it reads before it writes.
    pub reads: Vec<usize>,
    /// The variables that it writes, each once.
    pub writes: Vec<usize>,
    /// The charts of the processes that it creates, which start at their initial location.
    pub creates: Vec<usize>,
    /// Whether the process ends.
    pub ends: bool,
    /// Names of the requirements that it shows.
    pub requirements: Vec<String>,
}

/// A variable.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct ChartVariable {
    /// Its name.
    pub name: String,
    /// The chart whose processes have one each; none for a variable that all share.
    pub owner: Option<usize>,
    /// Whether it grows with time: nothing has to be done for that.
    pub is_clock: bool,
}

/// A value that a variable with few of them may have.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub struct ChartValue {
    /// The variable.
    pub variable: String,
    /// The value, as a person would write it.
    pub value: String,
}

/// The charts of a system, and the variables that they read and write.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Charts {
    /// The charts.
    pub charts: Vec<Chart>,
    /// The variables.
    pub variables: Vec<ChartVariable>,
    /// The values of variables with few of them.
    pub values: Vec<ChartValue>,
}

/// An edge that a process takes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Taken {
    /// Number of the process.
    pub process: u32,
    /// Its chart.
    pub chart: u32,
    /// The edge.
    pub edge: u32,
}

/// What a system shows of its charts.
pub trait Observe<L>: Sync {
    /// The charts.
    fn charts(&self) -> &Charts;

    /// Calls `see` with every edge that a label takes, in the order in which they are taken.
    fn taken(&self, label: &L, see: &mut dyn FnMut(Taken));

    /// Calls `see` with process, chart and location of every process in the explicit part of a state.
    fn locations(&self, state: &[u8], see: &mut dyn FnMut(u32, u32, u32));

    /// Calls `see` with the number of each of [`Charts::values`] that the explicit part of a state has.
    fn values(&self, state: &[u8], see: &mut dyn FnMut(usize)) {
        let _ = (state, see);
    }
}

impl Charts {
    /// The number of the first edge of each chart when all edges are numbered, and one past the last.
    pub fn first_edges(&self) -> Vec<u32> {
        let mut firsts = vec![0];
        for chart in &self.charts {
            firsts.push(firsts[firsts.len() - 1] + chart.edges.len() as u32);
        }
        firsts
    }
}

impl Chart {
    /// The edges that leave each location.
    pub fn leaving(&self) -> Vec<Vec<usize>> {
        let mut leaving = vec![Vec::new(); self.locations.len()];
        for (index, edge) in self.edges.iter().enumerate() {
            for &source in &edge.sources {
                leaving[source].push(index);
            }
        }
        leaving
    }
}
