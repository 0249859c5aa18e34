//! The flags of guided and sampled engines, for `check` and `hunt`.

use clap::Args;
use fathom::hunting::{Children, IsrOptions, Refine, Repeats, Sizes, StartAt, WalkOptions};
use fathom::{Guidance, HeuristicChoice, HeuristicKind};

use crate::failure::Failure;
use crate::session::Session;

/// What guides.
#[derive(Debug, Args)]
#[command(next_help_heading = "What guides")]
pub struct GuideArguments {
    /// The heuristic: auto (all that know something about the properties), local (control distance), formula (what
    /// the formula lacks), wrong (parts of the formula that are wrong), blocked (processes that can move), cost
    #[arg(long, value_name = "KIND", default_value = "auto")]
    pub heuristic: String,
    /// The expression for --heuristic cost: small is near
    #[arg(long, value_name = "E")]
    pub cost: Option<String>,
    /// Turn the heuristic round, for experiments
    #[arg(long)]
    pub reverse_heuristic: bool,
}

impl GuideArguments {
    /// The heuristic that was chosen.
    pub fn choice(&self, session: &Session) -> Result<HeuristicChoice, Failure> {
        let kind = match (self.heuristic.as_str(), &self.cost) {
            ("cost" | "auto", Some(cost)) => return Ok(HeuristicChoice::Cost(session.parse_watch(cost)?)),
            (_, Some(_)) => return Err(Failure::new("--cost needs --heuristic cost")),
            ("cost", None) => return Err(Failure::new("--heuristic cost needs --cost EXPRESSION")),
            ("auto", None) => return Ok(HeuristicChoice::Auto),
            (name, None) => HeuristicKind::ALL.into_iter().find(|kind| kind.name() == name),
        };
        kind.map(HeuristicChoice::Kind).ok_or_else(|| {
            Failure::new(format!(
                "unknown value '{}' for --heuristic, expected auto, local, formula, wrong, blocked or cost",
                self.heuristic
            ))
        })
    }

    /// The flags that choose the same again.
    pub fn to_words(&self) -> Vec<(&'static str, Option<String>)> {
        let mut words = vec![("--heuristic", Some(self.heuristic.clone()))];
        words.extend(self.cost.clone().map(|cost| ("--cost", Some(cost))));
        words.extend(self.reverse_heuristic.then_some(("--reverse-heuristic", None)));
        words
    }
}

/// How to sample.
#[derive(Debug, Args)]
#[command(next_help_heading = "Engines best, astar, isr and walk")]
pub struct SampleArguments {
    /// For astar: weight of the estimate; 1 finds shortest traces with a heuristic that never overestimates
    #[arg(long, value_name = "W", default_value_t = 1.0)]
    pub weight: f64,
    /// For isr: bytes of the first table
    #[arg(long, value_name = "BYTES", default_value_t = 1)]
    pub table_first: u64,
    /// For isr: bytes from one table to the next
    #[arg(long, value_name = "BYTES", default_value_t = 1)]
    pub table_step: u64,
    /// For isr: tables tried at each magnitude
    #[arg(long, value_name = "N", default_value_t = 8)]
    pub table_batch: u32,
    /// For isr: from this many bytes on, sizes are multiplied
    #[arg(long, value_name = "BYTES", default_value_t = 10_000)]
    pub table_threshold: u64,
    /// For isr: by how much
    #[arg(long, value_name = "FACTOR", default_value_t = 1.2)]
    pub table_factor: f64,
    /// For isr: bytes of the largest table
    #[arg(long, value_name = "BYTES", default_value_t = 200_000)]
    pub table_last: u64,
    /// For isr: random hash seeds and orders, with sizes that are multiplied from the first to the last again and again
    #[arg(long)]
    pub table_random: bool,
    /// For isr: go on after a hit, for shorter traces
    #[arg(long)]
    pub refine: bool,
    /// For walk: number of walks
    #[arg(long, value_name = "N", default_value_t = 2020)]
    pub walks: u64,
    /// For walk: probability of starting at a state of the walk before
    #[arg(long, value_name = "P")]
    pub restart: Option<f64>,
    /// For walk: never go to a state twice
    #[arg(long)]
    pub trail: bool,
    /// For walk: look at all steps of a state, not at those of one process
    #[arg(long)]
    pub all_children: bool,
    /// For walk: prefer what the heuristic likes
    #[arg(long)]
    pub guided: bool,
}

impl SampleArguments {
    /// What the engines need to know.
    pub fn guidance(
        &self,
        guide: &GuideArguments,
        seed: u64,
        session: &Session,
    ) -> Result<Guidance, Failure> {
        let is_share = |number: f64| (0.0..=1.0).contains(&number);
        if self.restart.is_some_and(|restart| !is_share(restart)) {
            return Err(Failure::new("--restart takes a probability, 0 to 1"));
        }
        if !(self.weight.is_finite() && self.weight >= 0.0) {
            return Err(Failure::new("--weight takes a number, at least 0"));
        }
        Ok(Guidance {
            heuristic: guide.choice(session)?,
            reversed: guide.reverse_heuristic,
            weight: self.weight,
            isr: self.isr(),
            walk: self.walk(),
            guided_walks: self.guided,
            seed,
        })
    }

    fn isr(&self) -> IsrOptions {
        let sizes = match self.table_random {
            true => Sizes::AtRandom {
                first: self.table_first.max(64),
                factor: self.table_factor.max(2.0),
                per_magnitude: self.table_batch,
                last: self.table_last,
            },
            false => Sizes::Growing {
                first: self.table_first,
                small_step: self.table_step,
                per_magnitude: self.table_batch,
                threshold: self.table_threshold,
                factor: self.table_factor,
                last: self.table_last,
            },
        };
        let refine = if self.refine { Refine::FromStart } else { Refine::Never };
        IsrOptions { sizes, refine, ..IsrOptions::default() }
    }

    fn walk(&self) -> WalkOptions {
        let start = match self.restart {
            Some(probability) => StartAt::PreviousWalk { probability, chain: 16 },
            None => StartAt::Initial,
        };
        let repeats = if self.trail { Repeats::Avoid } else { Repeats::Allow };
        let children = if self.all_children { Children::All } else { Children::TryOne };
        WalkOptions { n_walks: self.walks, start, repeats, children, ..WalkOptions::default() }
    }

    /// The flags that differ from the defaults, spelled out.
    pub fn to_words(&self, engine: &str) -> Vec<(&'static str, Option<String>)> {
        let number = |name, value: String| (name, Some(value));
        let switches = |list: &[(bool, &'static str)]| -> Vec<(&'static str, Option<String>)> {
            list.iter().filter(|(is_on, _)| *is_on).map(|(_, name)| (*name, None)).collect()
        };
        match engine {
            "astar" => vec![number("--weight", self.weight.to_string())],
            "isr" => {
                let mut words = vec![
                    number("--table-first", self.table_first.to_string()),
                    number("--table-step", self.table_step.to_string()),
                    number("--table-batch", self.table_batch.to_string()),
                    number("--table-threshold", self.table_threshold.to_string()),
                    number("--table-factor", self.table_factor.to_string()),
                    number("--table-last", self.table_last.to_string()),
                ];
                words.extend(switches(&[(self.table_random, "--table-random"), (self.refine, "--refine")]));
                words
            }
            "walk" => {
                let mut words = vec![number("--walks", self.walks.to_string())];
                words.extend(self.restart.map(|restart| number("--restart", restart.to_string())));
                words.extend(switches(&[
                    (self.trail, "--trail"),
                    (self.all_children, "--all-children"),
                    (self.guided, "--guided"),
                ]));
                words
            }
            _ => Vec::new(),
        }
    }
}
