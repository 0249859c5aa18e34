//! The state of the repository: sizes of files, and models with their sidecars.

use std::path::{Path, PathBuf};

/// Files in the corpus that belong to several models and have no sidecar.
const SHARED: [&str; 3] = [
    "corpus/csharp/ok/once_each.txt",
    "corpus/promela/ok/preprocessing/shared.inc",
    "examples/csharp/chat.fsm",
];

const MOST_LINES: usize = 1000;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All files in a folder, as paths relative to the repository.
fn files(folder: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(root().join(&folder)).expect("a folder of the repository") {
            let entry = entry.expect("an entry");
            let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
            if entry.file_type().expect("a type").is_dir() { folders.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    found
}

#[test]
fn no_source_file_is_too_long() {
    let sources: Vec<String> = files("crates").into_iter().filter(|file| file.ends_with(".rs")).collect();
    assert!(sources.len() > 50, "the crates are there");
    for file in sources {
        let text = std::fs::read_to_string(root().join(&file)).expect("a source file");
        let n_lines = text.lines().count();
        assert!(n_lines <= MOST_LINES, "{file} has {n_lines} lines: which second concept moved in?");
    }
}

/// Whether a sidecar is about a model that it names, and which is there.
fn names_its_model(file: &str) -> bool {
    let path = root().join(file);
    let text = std::fs::read_to_string(&path).expect("a sidecar");
    let sidecar: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    sidecar["model"].as_str().is_some_and(|model| path.with_file_name(model).is_file())
}

#[test]
fn every_model_has_a_sidecar_and_every_sidecar_a_model() {
    let mut problems = Vec::new();
    for folder in ["corpus", "examples"] {
        let files = files(folder);
        assert!(files.len() > 20, "{folder} is there");
        for file in &files {
            let partner = match file.rsplit_once('.') {
                Some((stem, "pml" | "tck" | "if" | "smv" | "xta" | "xml" | "cs")) => format!("{stem}.json"),
                Some((stem, "json")) if !names_its_model(file) => format!("{stem}.pml"),
                Some((_, "json")) => continue,
                Some((_, "md")) => continue,
                // What goes with models for on-line tests: implementations, use cases, state machines.
                Some((_, "py" | "use" | "fsm")) if file.starts_with("examples/online/") => continue,
                _ if SHARED.contains(&file.as_str()) => continue,
                _ => {
                    problems.push(format!("{file} is neither a model nor a sidecar"));
                    continue;
                }
            };
            if files.binary_search(&partner).is_err() {
                problems.push(format!("{file} has no {partner}"));
            }
        }
    }
    for shared in SHARED {
        if !root().join(shared).exists() {
            problems.push(format!("{shared} is listed but not there"));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
