//! `fathom graph`: draws the control flow of the processes, or the first states of the state space.

use clap::{Args, ValueEnum};

use crate::arguments::ModelArguments;
use crate::failure::{self, Failure};
use crate::graph::{
    Graph,
    control_flow::control_flow,
    dot::to_dot,
    states::state_graph,
    svg::{fits, to_svg},
};
use crate::output;
use crate::program::{SymmetryArguments, from_file};
use crate::session::Session;
use crate::timed;

/// The flags of `graph`.
#[derive(Debug, Args)]
pub struct GraphArguments {
    #[command(flatten)]
    pub model: ModelArguments,
    /// Draw only the process with this name
    #[arg(long, value_name = "NAME", conflicts_with = "states")]
    pub process: Vec<String>,
    /// Draw states and steps instead of control flow
    #[arg(long)]
    pub states: bool,
    /// Most states to draw; by default 200, or as many as fit into a picture
    #[arg(long, value_name = "N")]
    pub max_states: Option<usize>,
    /// Most steps to draw, for model programs
    #[arg(long, value_name = "N")]
    pub max_transitions: Option<usize>,
    #[command(flatten)]
    pub symmetry: SymmetryArguments,
    /// For model programs: draw states that symmetry takes for another as well, with a dashed arrow to the one that stands for them
    #[arg(long)]
    pub twins: bool,
    #[command(flatten)]
    pub picture: PictureArguments,
}

/// What becomes of a graph.
#[derive(Clone, Debug, Args)]
pub struct PictureArguments {
    /// The form of the graph
    #[arg(long, value_enum, default_value_t = GraphFormat::Dot)]
    pub format: GraphFormat,
    /// Write to FILE instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<String>,
    /// Overwrite FILE when it exists
    #[arg(long, requires = "output")]
    pub force: bool,
}

impl PictureArguments {
    /// Writes graphs where they are wanted.
    pub fn publish(&self, name: &str, graphs: &[Graph]) -> Result<u8, Failure> {
        let text = match self.format {
            GraphFormat::Dot => to_dot(name, graphs),
            GraphFormat::Svg => to_svg(graphs).map_err(Failure::new)?,
        };
        match &self.output {
            Some(path) => output::write_file(path, &text, self.force)?,
            None => output::print(&text)?,
        }
        Ok(failure::HOLDS)
    }

    /// A graph of states; without a number from the user, cut to what a picture can hold.
    pub fn bounded(&self, max_states: Option<usize>, draw: impl Fn(usize) -> Graph) -> Graph {
        let mut n_states = max_states.unwrap_or(DEFAULT_STATES);
        loop {
            let graph = draw(n_states);
            let too_large = self.format == GraphFormat::Svg && !fits(std::slice::from_ref(&graph));
            if !too_large || max_states.is_some() || n_states < 2 {
                return graph;
            }
            n_states = n_states * 3 / 4;
        }
    }
}

/// The form of a graph.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum GraphFormat {
    /// The language of Graphviz
    Dot,
    /// A picture
    Svg,
}

/// States to draw when the user gives no number.
const DEFAULT_STATES: usize = 200;

/// Runs the command.
pub fn run(arguments: &GraphArguments) -> Result<u8, Failure> {
    let model = arguments.model.validate()?;
    if model.language.is_program() {
        return from_file::graph(arguments, &model);
    }
    if arguments.symmetry.symmetry.is_some() || arguments.twins || arguments.max_transitions.is_some() {
        return Err(Failure::new(
            "--symmetry, --twins and --max-transitions have a meaning for model programs only",
        ));
    }
    if model.is_timed() {
        return timed::graph::graph(arguments, &model);
    }
    let session = Session::open(model)?;
    let graphs = if arguments.states {
        vec![arguments.picture.bounded(arguments.max_states, |n_states| state_graph(&session, n_states))]
    } else {
        control_flow_graphs(&session, &arguments.process)?
    };
    arguments.picture.publish(&session.model().name, &graphs)
}

fn control_flow_graphs(session: &Session, names: &[String]) -> Result<Vec<Graph>, Failure> {
    let templates = &session.model().templates;
    for name in names {
        if templates.iter().all(|template| template.name != *name) {
            let known: Vec<&str> = templates.iter().map(|template| template.name.as_str()).collect();
            return Err(Failure::new(format!(
                "there is no process '{name}'; the model has: {}",
                known.join(", ")
            )));
        }
    }
    let is_wanted = |name: &String| names.is_empty() || names.contains(name);
    Ok(templates
        .iter()
        .filter(|template| is_wanted(&template.name))
        .map(|template| control_flow(session, template))
        .collect())
}
