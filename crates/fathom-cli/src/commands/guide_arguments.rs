//! The flags of guided and sampled engines, for `check` and `hunt`.

use clap::Args;
use fathom_core::guide::PatternTable;
use fathom_core::hunting::{
    Bias, Children, IsrOptions, Refine, Repeats, Share, Sizes, StartAt, ThrowOrder, WalkOptions, n_walks_for,
};
use fathom_core::model::PropertyId;
use fathom_core::search::Monitor;
use fathom_core::{CheckOptions, Engine, Guidance, HeuristicChoice, HeuristicKind, describe_heuristic};

use super::run_arguments::RunConfig;
use super::smaller_instance::{Effort, find_size, smaller_pattern};
use crate::arguments::ModelConfig;
use crate::failure::Failure;
use crate::heuristic_file::{self, ReadFile};
use crate::monitor::Interrupt;
use crate::output;
use crate::session::Session;
use crate::units::parse_define;

/// What guides.
#[derive(Debug, Args)]
#[command(next_help_heading = "What guides")]
pub struct GuideArguments {
    /// The heuristic: auto (all that know something about the properties), local (control distance), formula (what
    /// the formula lacks), wrong (parts of the formula that are wrong), blocked (processes that can move), abstract
    /// (distances in abstractions), pattern (moves of a smaller instance), cost, or a file
    #[arg(long, value_name = "KIND|FILE", default_value = "auto")]
    pub heuristic: String,
    /// The expression for --heuristic cost (small is near) and for --engine bnb (what is made small)
    #[arg(long, value_name = "E")]
    pub cost: Option<String>,
    /// Turn the heuristic round, for experiments
    #[arg(long)]
    pub reverse_heuristic: bool,
    /// For pattern, and for auto with hunts and guided walks: the size of the model, a macro that is set as with -D; the error of a smaller
    /// size gives the pattern. Without it, guided walks look for a macro that is the size
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_define)]
    pub param: Option<(String, String)>,
    /// Write the heuristic to FILE, to be read, edited, and given to --heuristic
    #[arg(long, value_name = "FILE")]
    pub heuristic_out: Option<String>,
}

impl GuideArguments {
    /// The flags, each with whether it was given: for commands on models that have no heuristics.
    pub fn given(&self) -> [(&'static str, bool); 5] {
        [
            ("--heuristic", !["auto", "none"].contains(&self.heuristic.as_str())),
            ("--reverse-heuristic", self.reverse_heuristic),
            ("--cost", self.cost.is_some()),
            ("--param", self.param.is_some()),
            ("--heuristic-out", self.heuristic_out.is_some()),
        ]
    }
}

/// A heuristic that was chosen, and the file it comes from.
pub struct Chosen {
    /// The heuristic.
    pub choice: HeuristicChoice,
    /// The file.
    file: Option<ReadFile>,
}

impl GuideArguments {
    /// The definitions of a model, with the size if there is one.
    pub fn with_param(&self, mut model: ModelConfig) -> ModelConfig {
        if let Some((name, value)) = &self.param {
            model.defines.retain(|(other, _)| other != name);
            model.defines.push((name.clone(), value.clone()));
        }
        model
    }

    /// The heuristic that was chosen.
    ///
    /// Patterns take a while to make: the monitor may end that.
    pub fn choice(
        &self,
        session: &Session,
        config: &RunConfig,
        monitor: &mut dyn Monitor,
    ) -> Result<Chosen, Failure> {
        let chosen = self.choice_of_any(session, config, monitor)?;
        match (&chosen.choice, config.engine.is_symbolic()) {
            (HeuristicChoice::Auto | HeuristicChoice::Abstract(_), _) | (_, false) => Ok(chosen),
            _ => Err(Failure::new(format!(
                "--engine {} is guided by abstract distances only: --heuristic auto, abstract, or a file that says what they keep",
                config.engine.name()
            ))),
        }
    }

    fn choice_of_any(
        &self,
        session: &Session,
        config: &RunConfig,
        monitor: &mut dyn Monitor,
    ) -> Result<Chosen, Failure> {
        let chosen = |choice| Ok(Chosen { choice, file: None });
        let is_for_engine = config.engine == Engine::BranchAndBound;
        let kind = match (self.heuristic.as_str(), self.cost.as_ref().filter(|_| !is_for_engine)) {
            ("cost" | "auto", Some(cost)) => {
                return chosen(HeuristicChoice::Cost(session.parse_watch(cost)?));
            }
            (_, Some(_)) => return Err(Failure::new("--cost needs --heuristic cost or --engine bnb")),
            ("cost", None) => match &self.cost {
                Some(cost) => return chosen(HeuristicChoice::Cost(session.parse_watch(cost)?)),
                None => return Err(Failure::new("--heuristic cost needs --cost EXPRESSION")),
            },
            // For a walk, a move of the way to the error is worth more than an estimate of how far it is.
            ("auto", None) if config.engine == Engine::Walk && config.guided => {
                let table = self.pattern_of_some_size(session, config, monitor);
                return chosen(table.map_or(HeuristicChoice::Auto, HeuristicChoice::Pattern));
            }
            ("auto", None) => return chosen(HeuristicChoice::Auto),
            ("abstract", None) => return chosen(HeuristicChoice::Abstract(None)),
            ("pattern", None) => {
                let Some((name, size)) = self.size(session) else {
                    return Err(Failure::new(
                        "--heuristic pattern needs --param NAME=VALUE, the size of the model: none of its macros looks like one",
                    ));
                };
                let table = smaller_pattern(session, config, &name, &size, Effort::ASKED, monitor)?;
                return chosen(HeuristicChoice::Pattern(table));
            }
            (name, None) => HeuristicKind::ALL.into_iter().find(|kind| kind.name() == name),
        };
        if let Some(kind) = kind {
            return chosen(HeuristicChoice::Kind(kind));
        }
        if !self.heuristic.contains(['.', '/', '\\']) && !std::path::Path::new(&self.heuristic).exists() {
            return Err(Failure::new(format!(
                "unknown value '{}' for --heuristic, expected auto, local, formula, wrong, blocked, abstract, pattern, \
                 cost or a file",
                self.heuristic
            )));
        }
        let (choice, file) = heuristic_file::read(&self.heuristic, session)?;
        Ok(Chosen { choice, file: Some(file) })
    }

    /// The size of the model: what the user says, with the value that the session has, or a macro that looks like one.
    fn size(&self, session: &Session) -> Option<(String, String)> {
        let Some((name, value)) = &self.param else { return find_size(session) };
        let defines = &session.config().defines;
        let value = defines.iter().find(|(other, _)| other == name).map_or(value, |(_, value)| value);
        Some((name.clone(), value.clone()))
    }

    /// A pattern, where there is a size and a smaller instance has an error.
    pub fn pattern_of_some_size(
        &self,
        session: &Session,
        config: &RunConfig,
        monitor: &mut dyn Monitor,
    ) -> Option<PatternTable> {
        let effort = if self.param.is_some() { Effort::ASKED } else { Effort::MODEST };
        let (name, size) = self.size(session)?;
        smaller_pattern(session, config, &name, &size, effort, monitor).ok()
    }

    /// For a hunt whose user names the size of the model and leaves the heuristic open: a pattern beside the other heuristics.
    pub fn pattern_beside(
        &self,
        session: &Session,
        config: &RunConfig,
        monitor: &mut dyn Monitor,
    ) -> Option<PatternTable> {
        let is_open = self.heuristic == "auto" && self.cost.is_none() && self.param.is_some();
        is_open.then(|| self.pattern_of_some_size(session, config, monitor)).flatten()
    }

    /// Sees to it that a file can be used, and writes one if that is wanted. Both need the heuristic that a search with
    /// these options would use. A file that exists is overwritten only when the user said so.
    pub fn check_files(
        &self,
        chosen: &Chosen,
        session: &Session,
        config: &RunConfig,
        options: &CheckOptions,
        interrupt: &Interrupt,
        overwrite: bool,
    ) -> Result<(), Failure> {
        if chosen.file.is_none() && self.heuristic_out.is_none() {
            return Ok(());
        }
        let properties = &session.model().properties;
        let is_safety = |property: &&PropertyId| properties[property.index()].question.is_safety();
        let n_asked = options.properties.iter().filter(is_safety).count();
        if self.heuristic_out.is_some() && options.engine.is_symbolic() && n_asked != 1 {
            return Err(Failure::new(format!(
                "--heuristic-out writes the distances to one property, and {n_asked} are asked for: choose with --property, --reach or --invariant"
            )));
        }
        if let Some(path) = &self.heuristic_out {
            output::claim_file(path, overwrite)?;
        }
        let data = describe_heuristic(session.model(), options, &|| !interrupt.is_asked());
        let data = data.map_err(|error| match &chosen.file {
            Some(file) => file.explain(&error),
            None => Failure::new(format!("--heuristic {}: {error}", self.heuristic)),
        })?;
        let Some(path) = &self.heuristic_out else { return Ok(()) };
        let goal = match config.asked.as_slice() {
            [asked] if asked.kind == "reach" => Some(asked.text.clone()),
            [asked] if asked.kind == "invariant" => Some(format!("!({})", asked.text)),
            _ => None,
        };
        let text = heuristic_file::to_text(session.model(), &data, goal, self.cost.clone())?;
        output::write_file(path, &text, overwrite)
    }

    /// The flags that choose the same again.
    pub fn to_words(&self) -> Vec<(&'static str, Option<String>)> {
        let mut words = vec![("--heuristic", Some(self.heuristic.clone()))];
        words.extend(self.cost.clone().map(|cost| ("--cost", Some(cost))));
        words.extend(self.reverse_heuristic.then_some(("--reverse-heuristic", None)));
        words.extend(self.param.as_ref().map(|(name, value)| ("--param", Some(format!("{name}={value}")))));
        words
    }
}

/// How to sample.
#[derive(Debug, Args)]
#[command(next_help_heading = "Engines astar, beam, isr and walk")]
pub struct SampleArguments {
    /// For astar: weight of the estimate; 1 finds shortest traces with a heuristic that never overestimates
    #[arg(long, value_name = "W", default_value_t = 1.0)]
    pub weight: f64,
    /// For beam: most states of a layer
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..))]
    pub beam_width: u64,
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
    /// For isr: the order of each search: depth (depth-first), breadth, cheapest (smallest estimate first, with --guided)
    #[arg(long, value_name = "ORDER", default_value = "depth")]
    pub table_order: String,
    /// For isr, with large states: give a search up after so many steps for each bit of its table; 0 for never
    #[arg(long, value_name = "N", default_value_t = 8)]
    pub table_patience: u32,
    /// For isr: go on after a hit, for shorter traces: restart (sizes begin anew, the default) or continue
    #[arg(long, value_name = "HOW", num_args = 0..=1, require_equals = true, default_missing_value = "restart")]
    pub refine: Option<String>,
    /// For isr: say which states the last successful search has taken for equal, and on which variables that depends
    #[arg(long)]
    pub distinguish: bool,
    /// For walk: number of walks
    #[arg(long, value_name = "N", default_value_t = DEFAULT_WALKS)]
    pub walks: u64,
    /// For walk: as many walks to their ends as it takes to say, when none finds anything, that one does with a
    /// probability below E
    #[arg(long, value_name = "E", conflicts_with = "walks")]
    pub epsilon: Option<f64>,
    /// For walk: the probability that this statement is wrong
    #[arg(long, value_name = "D", default_value_t = 4e-5)]
    pub delta: f64,
    /// For walk: probability of starting at a random state of the walk before
    #[arg(long, value_name = "P")]
    pub restart: Option<f64>,
    /// For walk: with --restart, every so many walks one starts at an initial state for certain
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..))]
    pub restart_chain: u32,
    /// For walk: never go to a state twice; the walk ends when all steps lead to states it has been in
    #[arg(long)]
    pub trail: bool,
    /// For walk: end at the first state that comes again
    #[arg(long, conflicts_with = "trail")]
    pub end_at_loop: bool,
    /// For walk: look at all steps of a state and take each with the same probability; without it, a random process is
    /// asked first, and another one if it cannot move
    #[arg(long)]
    pub all_children: bool,
    /// For isr and walk: prefer what the heuristic likes
    #[arg(long)]
    pub guided: bool,
    /// For guided walks: how estimates become weights: exponential:T (a factor e for every T), softening:T (the same, with
    /// twice the T in every second walk, four times in every fourth, and so on), linear (largest estimate less estimate
    /// plus 1), greedy:P (the nearest, but any other one with probability P)
    #[arg(long, value_name = "BIAS", default_value = "softening:0.5", value_parser = parse_bias)]
    pub bias: Bias,
    /// For guided walks: all steps with one estimate have one weight together
    #[arg(long)]
    pub weigh_estimates: bool,
}

/// The number of walks of the source (Bui 2009).
const DEFAULT_WALKS: u64 = 2020;
/// The bound on walks that do not end by themselves, also of the source.
const DEFAULT_WALK_STEPS: u32 = 10_000;

/// Steps for which a weight falls by the factor e.
const DEFAULT_TEMPERATURE: f64 = 0.5;

/// Reads a bias: `linear`, `linear:5`, `exponential:0.5`, `softening:0.5`, `greedy:0.05`.
fn parse_bias(text: &str) -> Result<Bias, String> {
    let (kind, number) = text.split_once(':').map_or((text, None), |(kind, number)| (kind, Some(number)));
    let positive = |default: f64| match number.map(str::parse::<f64>) {
        None => Ok(default),
        Some(Ok(number)) if number.is_finite() && number > 0.0 => Ok(number),
        Some(_) => Err(format!("'{text}': expected a number greater than 0")),
    };
    match kind {
        "linear" => match number.map(str::parse::<u32>) {
            None => Ok(Bias::Linear { floor: 1 }),
            Some(Ok(floor)) if floor > 0 => Ok(Bias::Linear { floor }),
            Some(_) => Err(format!("'{text}': expected a whole number greater than 0")),
        },
        "softening" => Ok(Bias::Softening { temperature: positive(DEFAULT_TEMPERATURE)? }),
        "exponential" => Ok(Bias::Exponential { temperature: positive(DEFAULT_TEMPERATURE)? }),
        "greedy" => match positive(0.05)? {
            epsilon if epsilon < 1.0 => Ok(Bias::Greedy { epsilon }),
            _ => Err(format!("'{text}': expected a probability below 1")),
        },
        _ => Err(format!("'{text}': expected linear, exponential:T, softening:T or greedy:P")),
    }
}

/// The flags of samples alone, for their defaults.
#[derive(Debug, clap::Parser)]
struct SampleDefaults {
    #[command(flatten)]
    sample: SampleArguments,
}

impl SampleArguments {
    /// The flags, each with whether it says something else than its default: for commands whose samples have none of them.
    pub fn given(&self) -> Vec<(&'static str, bool)> {
        let default = <SampleDefaults as clap::Parser>::parse_from([""; 1]).sample;
        vec![
            ("--weight", self.weight != default.weight),
            ("--beam-width", self.beam_width != default.beam_width),
            ("--table-first", self.table_first != default.table_first),
            ("--table-step", self.table_step != default.table_step),
            ("--table-batch", self.table_batch != default.table_batch),
            ("--table-threshold", self.table_threshold != default.table_threshold),
            ("--table-factor", self.table_factor != default.table_factor),
            ("--table-last", self.table_last != default.table_last),
            ("--table-random", self.table_random),
            ("--table-order", self.table_order != default.table_order),
            ("--table-patience", self.table_patience != default.table_patience),
            ("--refine", self.refine.is_some()),
            ("--distinguish", self.distinguish),
            ("--walks", self.walks != default.walks),
            ("--epsilon", self.epsilon.is_some()),
            ("--delta", self.delta != default.delta),
            ("--restart", self.restart.is_some()),
            ("--restart-chain", self.restart_chain != default.restart_chain),
            ("--trail", self.trail),
            ("--end-at-loop", self.end_at_loop),
            ("--all-children", self.all_children),
            ("--guided", self.guided),
            ("--bias", self.bias != default.bias),
            ("--weigh-estimates", self.weigh_estimates),
        ]
    }

    /// What the engines need to know.
    pub fn guidance(
        &self,
        guide: &GuideArguments,
        seed: u64,
        session: &Session,
        config: &RunConfig,
        choice: HeuristicChoice,
    ) -> Result<Guidance, Failure> {
        let is_share = |number: f64| (0.0..=1.0).contains(&number);
        if self.restart.is_some_and(|restart| !is_share(restart)) {
            return Err(Failure::new("--restart takes a probability, 0 to 1"));
        }
        if !(self.weight.is_finite() && self.weight >= 0.0) {
            return Err(Failure::new("--weight takes a number, at least 0"));
        }
        if !(self.table_factor.is_finite() && self.table_factor > 1.0) {
            return Err(Failure::new("--table-factor takes a number greater than 1"));
        }
        Ok(Guidance {
            heuristic: choice,
            reversed: guide.reverse_heuristic,
            weight: self.weight,
            isr: self.isr()?,
            walk: self.walk()?,
            guided: self.guided,
            bias: self.bias,
            share: if self.weigh_estimates { Share::EachEstimate } else { Share::EachStep },
            distinguish: self.distinguish,
            beam_width: self.beam_width as usize,
            cost: match &guide.cost {
                Some(cost) if config.engine == Engine::BranchAndBound => Some(session.parse_watch(cost)?),
                _ => None,
            },
            reductions: config.asked_reductions,
            pattern: None,
            seed,
        })
    }

    fn isr(&self) -> Result<IsrOptions, Failure> {
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
        let order = match self.table_order.as_str() {
            "depth" => ThrowOrder::DepthFirst,
            "breadth" => ThrowOrder::BreadthFirst,
            "cheapest" => ThrowOrder::Cheapest,
            other => {
                return Err(Failure::new(format!(
                    "unknown value '{other}' for --table-order, expected depth, breadth or cheapest"
                )));
            }
        };
        let refine = match self.refine.as_deref() {
            None => Refine::Never,
            Some("restart") => Refine::FromStart,
            Some("continue") => Refine::GoOn,
            Some(other) => {
                return Err(Failure::new(format!(
                    "unknown value '{other}' for --refine, expected restart or continue"
                )));
            }
        };
        let patience = (self.table_patience > 0).then_some(self.table_patience);
        Ok(IsrOptions { sizes, order, refine, patience, ..IsrOptions::default() })
    }

    fn walk(&self) -> Result<WalkOptions, Failure> {
        let start = match self.restart {
            Some(probability) => StartAt::PreviousWalk { probability, chain: self.restart_chain },
            None => StartAt::Initial,
        };
        let repeats = match (self.trail, self.end_at_loop || self.epsilon.is_some()) {
            (true, _) => Repeats::Avoid,
            (false, true) => Repeats::End,
            (false, false) => Repeats::Allow,
        };
        let children = if self.all_children { Children::All } else { Children::TryOne };
        let n_walks = match self.epsilon {
            None => self.walks,
            Some(epsilon) => n_walks_for(self.delta, epsilon)
                .ok_or_else(|| Failure::new("--epsilon and --delta take probabilities between 0 and 1"))?,
        };
        if !(self.delta > 0.0 && self.delta < 1.0) {
            return Err(Failure::new("--delta takes a probability between 0 and 1"));
        }
        // Walks that end by themselves need no bound, and only those that reach their end say anything.
        let max_depth = (repeats == Repeats::Allow).then_some(DEFAULT_WALK_STEPS);
        Ok(WalkOptions {
            n_walks,
            max_depth,
            start,
            repeats,
            children,
            delta: self.delta,
            ..WalkOptions::default()
        })
    }

    /// The flags that differ from the defaults, spelled out.
    pub fn to_words(&self, engine: &str) -> Vec<(&'static str, Option<String>)> {
        let number = |name, value: String| (name, Some(value));
        let switches = |list: &[(bool, &'static str)]| -> Vec<(&'static str, Option<String>)> {
            list.iter().filter(|(is_on, _)| *is_on).map(|(_, name)| (*name, None)).collect()
        };
        match engine {
            "astar" => vec![number("--weight", self.weight.to_string())],
            "beam" => vec![number("--beam-width", self.beam_width.to_string())],
            "isr" => {
                let mut words = vec![
                    number("--table-first", self.table_first.to_string()),
                    number("--table-step", self.table_step.to_string()),
                    number("--table-batch", self.table_batch.to_string()),
                    number("--table-threshold", self.table_threshold.to_string()),
                    number("--table-factor", self.table_factor.to_string()),
                    number("--table-last", self.table_last.to_string()),
                ];
                words.push(number("--table-order", self.table_order.clone()));
                words.push(number("--table-patience", self.table_patience.to_string()));
                words.extend(switches(&[
                    (self.table_random, "--table-random"),
                    (self.refine.as_deref() == Some("restart"), "--refine=restart"),
                    (self.refine.as_deref() == Some("continue"), "--refine=continue"),
                    (self.distinguish, "--distinguish"),
                    (self.guided, "--guided"),
                ]));
                words
            }
            "walk" | "symbolic-walk" => {
                let mut words = vec![match self.epsilon {
                    Some(epsilon) => number("--epsilon", epsilon.to_string()),
                    None => number("--walks", self.walks.to_string()),
                }];
                words.push(number("--delta", self.delta.to_string()));
                words.extend(self.restart.map(|restart| number("--restart", restart.to_string())));
                if self.restart.is_some() {
                    words.push(number("--restart-chain", self.restart_chain.to_string()));
                }
                words.extend(switches(&[
                    (self.trail, "--trail"),
                    (self.end_at_loop, "--end-at-loop"),
                    (self.all_children, "--all-children"),
                    (self.guided, "--guided"),
                    (self.weigh_estimates, "--weigh-estimates"),
                ]));
                let bias = match self.bias {
                    Bias::Linear { floor } => format!("linear:{floor}"),
                    Bias::Exponential { temperature } => format!("exponential:{temperature}"),
                    Bias::Softening { temperature } => format!("softening:{temperature}"),
                    Bias::Greedy { epsilon } => format!("greedy:{epsilon}"),
                };
                words.push(number("--bias", bias));
                words
            }
            _ => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bias_has_a_kind_and_a_number() {
        assert_eq!(parse_bias("linear"), Ok(Bias::Linear { floor: 1 }));
        assert_eq!(parse_bias("linear:4"), Ok(Bias::Linear { floor: 4 }));
        assert_eq!(parse_bias("exponential:2"), Ok(Bias::Exponential { temperature: 2.0 }));
        assert_eq!(parse_bias("exponential"), Ok(Bias::Exponential { temperature: 0.5 }));
        assert_eq!(parse_bias("softening"), Ok(Bias::default()));
        assert_eq!(parse_bias("softening:0.5"), Ok(Bias::default()));
        assert_eq!(parse_bias("greedy:0.1"), Ok(Bias::Greedy { epsilon: 0.1 }));
        for wrong in ["", "cold", "linear:0", "linear:x", "exponential:0", "greedy:1", "greedy:NaN"] {
            assert!(parse_bias(wrong).is_err(), "{wrong}");
        }
    }
}
