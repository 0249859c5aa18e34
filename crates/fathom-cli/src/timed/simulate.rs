//! `simulate` on networks of timed automata: walks through their zones, led by the user or at random.

use std::fmt::Write as _;
use std::io::{self, Write};

use fathom_core::search::Random;
use fathom_core::timed_automata::Network;

use super::forms::{fraction, run_form, state_text, summary, write_run};
use super::zone_walk::ZoneWalk;
use crate::arguments::{Format, ModelConfig};
use crate::commands::check_timed::{load, show_warnings};
use crate::commands::simulate::SimulateArguments;
use crate::commands::simulate_interactive::{Talk, Wish, talk};
use crate::failure::{self, Failure};
use crate::monitor::Interrupt;
use crate::{output, wire};

const HELP: &str = "\
  N         take step N
  (empty)   take the only step
  b         go back one step
  r [N]     take N random steps (1)
  s         show the run so far, with its earliest delays
  h         show this help
  q         quit
";

/// Runs the command.
pub fn simulate(arguments: &SimulateArguments, config: &ModelConfig) -> Result<u8, Failure> {
    if arguments.msc {
        return Err(Failure::new("--msc is not available for timed automata: they send no messages"));
    }
    let loaded = load(config)?;
    if !arguments.output.quiet {
        show_warnings(&loaded);
    }
    let Some(network) = &loaded.network else { return Err(Failure::new("there is no network")) };
    let walk = ZoneWalk::start(network).map_err(Failure::new)?;
    if arguments.random {
        return random_run(arguments, config, network, walk);
    }
    if arguments.output.format == Format::Json {
        return Err(Failure::new("--format json needs --random"));
    }
    let mut conversation =
        Conversation { network, walk, random: Random::new(arguments.seed), out: io::stdout().lock() };
    talk(&mut conversation)
}

fn random_run(
    arguments: &SimulateArguments,
    config: &ModelConfig,
    network: &Network,
    mut walk: ZoneWalk<'_>,
) -> Result<u8, Failure> {
    let interrupt = Interrupt::listen();
    let mut random = Random::new(arguments.seed);
    let stop = loop {
        if walk.n_steps() as u64 >= arguments.steps {
            break "steps";
        }
        if interrupt.is_asked() {
            break "cancelled";
        }
        if walk.n_options() == 0 {
            break if walk.faults().is_empty() { "end" } else { "fault" };
        }
        walk.take(random.below(walk.n_options()));
    };
    let run = walk.run().map_err(Failure::new)?;
    let faults = if stop == "steps" { Vec::new() } else { walk.faults() };
    if arguments.output.format == Format::Json {
        output::print_json(&wire::TimedSimulationReport {
            fathom: wire::VERSION.to_owned(),
            model: summary(config, network),
            seed: arguments.seed,
            stop: stop.to_owned(),
            timed: Some(run_form(network, &run, false)),
            faults,
        })?;
        return Ok(failure::HOLDS);
    }
    let mut text = String::new();
    if arguments.show_steps {
        write_run(&mut text, network, &run, false);
    } else if let Some(last) = run.1.last() {
        let _ = writeln!(text, "      {}", state_text(network, last, run.0.scale));
    }
    for fault in &faults {
        let _ = writeln!(text, "      {fault}");
    }
    let reason = match stop {
        "steps" => "the limit on steps",
        "end" => "no step is possible any more",
        "cancelled" => "cancelled",
        _ => "an error",
    };
    let _ = writeln!(text, "{} steps with seed {}, then {reason}", walk.n_steps(), arguments.seed);
    output::print(&text)?;
    Ok(failure::HOLDS)
}

/// One conversation.
struct Conversation<'a, O: Write> {
    network: &'a Network,
    walk: ZoneWalk<'a>,
    random: Random,
    out: O,
}

impl<O: Write> Talk for Conversation<'_, O> {
    fn out(&mut self) -> &mut dyn Write {
        &mut self.out
    }

    fn grant(&mut self, wish: Wish) -> io::Result<()> {
        let n_options = self.walk.n_options();
        match wish {
            Wish::Step(number) if (1..=n_options).contains(&number) => self.walk.take(number - 1),
            Wish::OnlyStep if n_options == 1 => self.walk.take(0),
            Wish::Step(_) | Wish::OnlyStep => {
                return writeln!(self.out, "choose a step from 1 to {n_options}, or h for help");
            }
            Wish::Back if !self.walk.back() => return writeln!(self.out, "this is the start"),
            Wish::Back => {}
            Wish::Random(count) => {
                for _ in 0..count {
                    if self.walk.n_options() == 0 {
                        break;
                    }
                    let option = self.random.below(self.walk.n_options());
                    self.walk.take(option);
                }
            }
            Wish::State => return self.show_run(),
            Wish::Help => return write!(self.out, "{HELP}"),
            Wish::Initial(_) | Wish::Watch(_) | Wish::Unknown | Wish::Quit => {
                return writeln!(self.out, "unknown command; h for help");
            }
        }
        self.show_menu()
    }

    fn show_menu(&mut self) -> io::Result<()> {
        if let Ok((run, states)) = self.walk.run()
            && let Some(last) = states.last()
        {
            let time = super::forms::duration(&run);
            let now = fraction(time, run.scale);
            writeln!(self.out, "after {} steps, at {now} or later:", self.walk.n_steps())?;
            writeln!(self.out, "      {}", state_text(self.network, last, run.scale))?;
        }
        writeln!(self.out, "      zone: {}", self.walk.zone_text())?;
        for fault in self.walk.faults() {
            writeln!(self.out, "  {fault}")?;
        }
        for option in 0..self.walk.n_options() {
            writeln!(self.out, "{:>4}  {}", option + 1, self.walk.option_text(option))?;
        }
        if self.walk.n_options() == 0 {
            writeln!(self.out, "      nothing can move")?;
        }
        Ok(())
    }
}

impl<O: Write> Conversation<'_, O> {
    fn show_run(&mut self) -> io::Result<()> {
        match self.walk.run() {
            Ok(run) => {
                let mut text = String::new();
                write_run(&mut text, self.network, &run, false);
                write!(self.out, "{text}")
            }
            Err(error) => writeln!(self.out, "{error}"),
        }
    }
}
