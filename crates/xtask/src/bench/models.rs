//! The models that are measured: `models.json`.
//!
//! Shipped models are in the repository; those of the corpus are found below the folder in `FATHOM_CORPUS`. The
//! number of states in the list gives tables their size and need not be exact.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use glob::Pattern;
use serde::Deserialize;

/// The variable that names the folder of the public corpus.
pub const CORPUS: &str = "FATHOM_CORPUS";

/// A model with its parameters.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Model {
    /// Unique among all models.
    pub name: String,
    /// Relative to the repository or to the corpus.
    file: String,
    /// `NAME=VALUE`.
    #[serde(default)]
    pub defines: Vec<String>,
    /// States without reductions, roughly.
    pub states: u64,
    /// A formula of linear temporal logic that holds and that only infinite runs could violate.
    #[serde(default)]
    pub ltl: Option<String>,
    /// The folder that `file` is relative to; empty until chosen.
    #[serde(skip)]
    folder: PathBuf,
    #[serde(skip)]
    is_from_corpus: bool,
}

impl Model {
    /// Where the model is on this machine.
    pub fn path(&self) -> PathBuf {
        self.folder.join(&self.file)
    }

    /// Where the model is on any machine, for what is written down.
    pub fn shown_path(&self) -> String {
        if self.is_from_corpus { format!("${CORPUS}/{}", self.file) } else { self.file.clone() }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    shipped: Vec<Model>,
    corpus: Vec<Model>,
}

/// The models whose names match one of the patterns, all without patterns; those of the corpus only with a corpus.
///
/// # Errors
///
/// A pattern is not one or matches nothing; a file is missing.
pub fn choose(repository: &Path, corpus: Option<&Path>, patterns: &[String]) -> Result<Vec<Model>> {
    let list: List = serde_json::from_str(include_str!("models.json")).context("models.json")?;
    let shipped = list.shipped.into_iter().map(|model| Model { folder: repository.to_owned(), ..model });
    let public = list
        .corpus
        .into_iter()
        .filter_map(|model| Some(Model { folder: corpus?.to_owned(), is_from_corpus: true, ..model }));
    let known: Vec<Model> = shipped.chain(public).collect();
    let parsed: Vec<Pattern> = patterns
        .iter()
        .map(|pattern| Pattern::new(pattern).with_context(|| format!("the pattern `{pattern}`")))
        .collect::<Result<_>>()?;
    for pattern in &parsed {
        if !known.iter().any(|model| pattern.matches(&model.name)) {
            let names: Vec<&str> = known.iter().map(|model| model.name.as_str()).collect();
            let hint = if corpus.is_none() { format!("; more with {CORPUS}") } else { String::new() };
            bail!("no model matches `{pattern}`; there are {}{hint}", names.join(", "));
        }
    }
    let is_chosen =
        |model: &Model| parsed.is_empty() || parsed.iter().any(|pattern| pattern.matches(&model.name));
    let chosen: Vec<Model> = known.into_iter().filter(is_chosen).collect();
    for model in &chosen {
        ensure!(model.path().is_file(), "{} is not a file", model.path().display());
    }
    Ok(chosen)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn repository() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
    }

    fn names(patterns: &[&str]) -> Vec<String> {
        let patterns: Vec<String> = patterns.iter().map(|&pattern| pattern.to_owned()).collect();
        let chosen = choose(&repository(), None, &patterns).expect("models of the repository");
        chosen.into_iter().map(|model| model.name).collect()
    }

    #[test]
    fn shipped_models_exist_and_are_enough() {
        assert!(names(&[]).len() >= 6);
    }

    #[test]
    fn names_are_unique() {
        let list: List = serde_json::from_str(include_str!("models.json")).expect("the list");
        let all: Vec<&Model> = list.shipped.iter().chain(&list.corpus).collect();
        let names: BTreeSet<&str> = all.iter().map(|model| model.name.as_str()).collect();
        assert_eq!(names.len(), all.len());
        assert!(all.iter().all(|model| model.states > 0));
        assert!(all.iter().flat_map(|model| &model.defines).all(|define| define.contains('=')));
    }

    #[test]
    fn patterns_choose_by_name() {
        assert_eq!(names(&["peterson*"]), ["peterson_n-4"]);
        assert_eq!(
            names(&["giop-close", "blocks_world-?"]),
            ["blocks_world-8", "blocks_world-9", "giop-close"]
        );
    }

    #[test]
    fn a_pattern_without_a_model_is_refused() {
        for pattern in ["adding.5", "[", "nothing*"] {
            assert!(choose(&repository(), None, &[pattern.to_owned()]).is_err(), "{pattern}");
        }
    }

    #[test]
    fn a_model_of_the_corpus_must_be_there() {
        let error = choose(&repository(), Some(Path::new("/nowhere")), &["adding.5".to_owned()]).unwrap_err();
        assert!(error.to_string().contains("adding.5.pm is not a file"), "{error}");
    }

    #[test]
    fn what_is_written_down_names_no_folder_of_this_machine() {
        let model = &choose(&repository(), None, &["giop-close".to_owned()]).expect("a model")[0];
        assert_eq!(model.shown_path(), "examples/promela/giop.pml");
        let public = Model { is_from_corpus: true, folder: "/corpus".into(), ..model.clone() };
        assert_eq!(public.shown_path(), "$FATHOM_CORPUS/examples/promela/giop.pml");
    }
}
