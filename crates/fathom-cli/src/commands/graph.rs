//! `fathom graph`: draws the control flow of the processes, or the first states of the state space.

use clap::{Args, ValueEnum};

use crate::arguments::ModelArguments;
use crate::failure::{self, Failure};
use crate::graph::{
    Graph,
    control_flow::control_flow,
    dot::to_dot,
    explore::DrawLimits,
    short,
    states::{Likeness, StateDrawing},
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
    /// Most steps to draw
    #[arg(long, value_name = "N")]
    pub max_transitions: Option<usize>,
    #[command(flatten)]
    pub symmetry: SymmetryArguments,
    /// Draw states that symmetry takes for another as well, with a dashed arrow to the one that stands for them; not for timed
    /// automata
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
    /// Show values, guards and steps in full, however long they are
    #[arg(long)]
    pub full: bool,
}

impl PictureArguments {
    /// A text on one line: as much of it as is wanted.
    pub fn fit(&self, text: &str) -> String {
        match self.full {
            true => text.split_whitespace().collect::<Vec<_>>().join(" "),
            false => short(text),
        }
    }

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
    pub fn bounded(
        &self,
        max_states: Option<usize>,
        max_transitions: Option<usize>,
        draw: impl Fn(DrawLimits) -> Graph,
    ) -> Graph {
        let transitions = max_transitions.unwrap_or(usize::MAX);
        let mut states = max_states.unwrap_or(DEFAULT_STATES);
        loop {
            let graph = draw(DrawLimits { states, transitions });
            let too_large = self.format == GraphFormat::Svg && !fits(std::slice::from_ref(&graph));
            if !too_large || max_states.is_some() || states < 2 {
                return graph;
            }
            states = states * 3 / 4;
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
    refuse_in_vain(arguments)?;
    if model.is_timed() {
        if arguments.twins {
            return Err(Failure::new("--twins has no meaning for timed automata"));
        }
        return timed::graph::graph(arguments, &model);
    }
    let likeness = match (arguments.symmetry.of_model()?, arguments.twins) {
        (Some(false), true) => return Err(Failure::new("--twins and --symmetry none exclude each other")),
        (_, true) => Likeness::Twins,
        (Some(true), false) => Likeness::Together,
        _ => Likeness::Apart,
    };
    let session = Session::open(model)?;
    let graphs = if arguments.states {
        let drawing = StateDrawing::new(&session, likeness, &arguments.picture);
        let GraphArguments { picture, max_states, max_transitions, .. } = arguments;
        vec![picture.bounded(*max_states, *max_transitions, |limits| drawing.draw(limits))]
    } else {
        control_flow_graphs(&session, &arguments.process, &arguments.picture)?
    };
    arguments.picture.publish(&session.model().name, &graphs)
}

/// Flags that are about states would be silently without effect on control flow.
fn refuse_in_vain(arguments: &GraphArguments) -> Result<(), Failure> {
    let of_states = [
        ("--max-states", arguments.max_states.is_some()),
        ("--max-transitions", arguments.max_transitions.is_some()),
        ("--symmetry", arguments.symmetry.symmetry.is_some()),
        ("--twins", arguments.twins),
    ];
    match of_states.iter().find(|(_, is_given)| *is_given && !arguments.states) {
        Some((flag, _)) => Err(Failure::new(format!("{flag} has a meaning together with --states only"))),
        None => Ok(()),
    }
}

fn control_flow_graphs(
    session: &Session,
    names: &[String],
    picture: &PictureArguments,
) -> Result<Vec<Graph>, Failure> {
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
        .map(|template| control_flow(session, template, picture))
        .collect())
}
