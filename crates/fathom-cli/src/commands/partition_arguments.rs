//! The flags that make variables sets of values.

use std::collections::HashMap;

use clap::Args;
use fathom_core::model::Model;
use fathom_core::search::StoreKind;
use fathom_core::symbolic::{Partition, UnknownPart};
use fathom_core::{Engine, runs_on_composite_states};

use super::run_arguments::Words;
use crate::failure::Failure;

/// Which variables are sets of values.
#[derive(Debug, Default, Args)]
#[command(
    next_help_heading = "Sets of values (everything is explicit by default; SMV is searched both ways, side by side)"
)]
pub struct PartitionArguments {
    /// Make these sets of values: x (global), P.x (local of P), at(P) (its location), len(q), messages(q) (of a channel), all
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub symbolic: Vec<String>,
    /// Keep these explicit; alone, make everything else sets of values
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub explicit: Vec<String>,
    /// Start with this partition: auto (wide data that decides nothing; `fathom info` explains), or a file with lines
    /// 'symbolic NAME' and 'explicit NAME'
    #[arg(long, value_name = "auto|FILE")]
    pub partition: Option<String>,
}

impl PartitionArguments {
    /// Whether any of them is given.
    pub fn is_given(&self) -> bool {
        !self.symbolic.is_empty() || !self.explicit.is_empty() || self.partition.is_some()
    }

    /// The partition, if one was asked for; `all_symbolic` for `--engine symbolic`.
    pub fn choose(
        &self,
        model: &Model,
        engine: Engine,
        store: StoreKind,
        all_symbolic: bool,
    ) -> Result<Option<Partition>, Failure> {
        if !self.is_given() && !all_symbolic {
            return Ok(None);
        }
        if let Some(name) = self.symbolic.iter().find(|name| self.explicit.contains(name)) {
            return Err(Failure::new(format!("'{name}' is on both sides: --symbolic and --explicit")));
        }
        if store != StoreKind::Exact {
            return Err(Failure::new(
                "--store has no meaning for sets of values, which have a store of their own",
            ));
        }
        if !runs_on_composite_states(engine) {
            return Err(Failure::new(format!(
                "--engine {} does not run on sets of values, which may have many costs",
                engine.name()
            )));
        }
        let base = match self.partition.as_deref() {
            Some("auto") => Partition::auto(model),
            Some(file) => read(file, model)?,
            None if all_symbolic || self.symbolic.is_empty() => Partition::symbolic(model),
            None => Partition::explicit(model),
        };
        let moved = base.with(&names(&self.symbolic), true).map_err(refused)?;
        Ok(Some(moved.with(&names(&self.explicit), false).map_err(refused)?))
    }

    /// Adds them to the command that reproduces a run.
    pub fn add_to(&self, words: &mut Words) {
        words.optional("--partition", self.partition.as_ref());
        for (flag, names) in [("--symbolic", &self.symbolic), ("--explicit", &self.explicit)] {
            if !names.is_empty() {
                words.value(flag, names.join(","));
            }
        }
    }
}

fn names(list: &[String]) -> Vec<&str> {
    list.iter().map(String::as_str).collect()
}

fn refused(unknown: UnknownPart) -> Failure {
    Failure::new(unknown.to_string())
}

/// Reads a partition file. What it does not name is explicit.
fn read(file: &str, model: &Model) -> Result<Partition, Failure> {
    let text = std::fs::read_to_string(file)
        .map_err(|error| Failure::new(format!("cannot read the partition file {file}: {error}")))?;
    let mut partition = Partition::explicit(model);
    let mut named: HashMap<String, bool> = HashMap::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        let place = |message: String| Failure::new(format!("{file}:{}: {message}", number + 1));
        let (symbolic, name) = match line.split_once(char::is_whitespace) {
            Some(("symbolic", name)) => (true, name.trim()),
            Some(("explicit", name)) => (false, name.trim()),
            _ => return Err(place(format!("'{line}' is not 'symbolic NAME' or 'explicit NAME'"))),
        };
        if named.insert(name.to_owned(), symbolic) == Some(!symbolic) {
            return Err(place(format!("'{name}' is on both sides")));
        }
        partition = partition.with(&[name], symbolic).map_err(|unknown| place(unknown.to_string()))?;
    }
    Ok(partition)
}
