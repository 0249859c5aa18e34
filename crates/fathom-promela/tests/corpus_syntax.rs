//! Every model of the public corpus that Spin accepts parses here, and those that it refuses do not.
//!
//! The corpus is not part of the repository: `FATHOM_CORPUS` names its folder.

use fathom_promela::parse_program;
use fathom_source::{Diagnostic, LoadError, LoadedFile, SourceMap, has_errors};
use std::path::{Path, PathBuf};

/// The folder of the Promela corpus, if there is one on this machine.
#[allow(clippy::print_stderr)]
fn corpus() -> Option<PathBuf> {
    let Some(folder) = std::env::var_os("FATHOM_CORPUS") else {
        eprintln!("skipped: FATHOM_CORPUS is not set");
        return None;
    };
    Some(Path::new(&folder).join("promela"))
}

fn read(path: &Path) -> Result<LoadedFile, LoadError> {
    let bytes = std::fs::read(path).map_err(|_| LoadError::NotFound)?;
    Ok(LoadedFile {
        name: path.display().to_string(),
        text: String::from_utf8_lossy(&bytes).into_owned(),
    })
}

fn load(path: &str, from: Option<&str>) -> Result<LoadedFile, LoadError> {
    let folder = from.and_then(|name| Path::new(name).parent()).unwrap_or(Path::new("."));
    read(&folder.join(path))
}

fn describe(sources: &SourceMap, diagnostic: &Diagnostic) -> String {
    let place = diagnostic.primary.as_ref().map_or(String::new(), |label| sources.locate(label.span));
    format!("{place}: {}: {}", diagnostic.code, diagnostic.message)
}

#[test]
fn the_parser_agrees_with_spin_on_what_is_a_program() {
    let Some(folder) = corpus() else { return };
    let list = std::fs::read_to_string(folder.join("expected.json")).expect("the list of models");
    let list: serde_json::Value = serde_json::from_str(&list).expect("a list in JSON");
    let mut wrong = Vec::new();
    for model in list["models"].as_array().expect("models") {
        let name = model["file"].as_str().expect("a file name");
        let accepted = model["spin"]["parse"] == "ok";
        let mut sources = SourceMap::new();
        let main = read(&folder.join(name)).expect("a model of the list");
        let main = sources.add_loaded(main).expect("a model of sensible size");
        let (_, mut diagnostics) = parse_program(main, &mut sources, &load, &[]);
        // Spin reads from the terminal in a simulation; there is no such thing here.
        diagnostics.retain(|diagnostic| diagnostic.code != "promela::stdin");
        if has_errors(&diagnostics) == accepted {
            wrong.push(format!("{name}: Spin accepts: {accepted}"));
        }
        if accepted {
            wrong.extend(diagnostics.iter().take(3).map(|diagnostic| describe(&sources, diagnostic)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
