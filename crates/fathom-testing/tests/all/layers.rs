//! The layers: which crate may depend on which, and which may know the outside world.
//!
//! A new edge is a decision: it changes this table and the picture in the documentation with it.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// What each crate may depend on outside its tests. The crates for tests may depend on anything.
const ALLOWED: [(&str, &[&str]); 33] = [
    ("fathom-source", &[]),
    ("fathom-model", &["fathom-source", "fathom-logic"]),
    ("fathom-logic", &["fathom-source"]),
    ("fathom-zone", &[]),
    ("fathom-coverage", &["fathom-source"]),
    ("fathom-online", &["fathom-coverage", "fathom-model", "fathom-search"]),
    ("fathom-diagram", &[]),
    ("fathom-symmetry", &[]),
    ("fathom-derive", &[]),
    ("fathom-program", &["fathom-derive", "fathom-model", "fathom-symmetry"]),
    ("fathom-timed", &["fathom-source", "fathom-model", "fathom-logic", "fathom-zone"]),
    ("fathom-tchecker", &["fathom-source", "fathom-timed"]),
    ("fathom-uppaal", &["fathom-source", "fathom-timed"]),
    ("fathom-csharp", &["fathom-source", "fathom-model", "fathom-program"]),
    ("fathom-store", &["fathom-model"]),
    ("fathom-search", &["fathom-model", "fathom-store"]),
    ("fathom-guide", &["fathom-model"]),
    ("fathom-hunt", &["fathom-model", "fathom-guide", "fathom-search"]),
    ("fathom-testgen", &["fathom-coverage", "fathom-source", "fathom-model", "fathom-search", "fathom-hunt"]),
    ("fathom-temporal", &["fathom-model", "fathom-logic"]),
    ("fathom-native", &["fathom-model"]),
    ("fathom-symbolic", &["fathom-diagram", "fathom-model", "fathom-logic", "fathom-temporal"]),
    ("fathom-reduce", &["fathom-model", "fathom-symmetry"]),
    ("fathom-promela", &["fathom-source", "fathom-model"]),
    ("fathom-if", &["fathom-source", "fathom-model", "fathom-timed"]),
    ("fathom-smv", &["fathom-source", "fathom-model", "fathom-logic"]),
    (
        "fathom-core",
        &[
            "fathom-source",
            "fathom-logic",
            "fathom-model",
            "fathom-native",
            "fathom-symbolic",
            "fathom-reduce",
            "fathom-store",
            "fathom-search",
            "fathom-guide",
            "fathom-hunt",
            "fathom-testgen",
            "fathom-coverage",
            "fathom-temporal",
            "fathom-program",
            "fathom-csharp",
            "fathom-promela",
            "fathom-tchecker",
            "fathom-uppaal",
            "fathom-timed",
            "fathom-if",
            "fathom-smv",
        ],
    ),
    ("fathom-adapter", &["fathom-online"]),
    ("fathom-specimens", &["fathom-adapter", "fathom-online", "fathom-program"]),
    ("fathom-plot", &[]),
    ("fathom", &["fathom-core", "fathom-cli"]),
    (
        "fathom-cli",
        &[
            "fathom-core",
            "fathom-model",
            "fathom-source",
            "fathom-plot",
            "fathom-online",
            "fathom-coverage",
            "fathom-adapter",
            "fathom-specimens",
        ],
    ),
    ("xtask", &["fathom-plot"]),
];

/// Terminals, flags and errors without a type belong to the command line, and to development tasks.
const OUTERMOST_ONLY: [&str; 6] = ["anyhow", "clap", "clap_complete", "clap_mangen", "ctrlc", "indicatif"];

struct Dependency {
    name: String,
    is_for_tests: bool,
}

/// The crates of the workspace with their manifests and dependencies.
fn crates() -> BTreeMap<String, (String, Vec<Dependency>)> {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../Cargo.toml");
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline", "--manifest-path"])
        .arg(manifest)
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("metadata is JSON");
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let dependency =
        |value: &Value| Dependency { name: text(&value["name"]), is_for_tests: value["kind"] == "dev" };
    metadata["packages"]
        .as_array()
        .expect("a list of packages")
        .iter()
        .map(|package| {
            let dependencies =
                package["dependencies"].as_array().expect("a list").iter().map(dependency).collect();
            (text(&package["name"]), (text(&package["manifest_path"]), dependencies))
        })
        .collect()
}

#[test]
fn crates_depend_on_lower_layers_only() {
    let crates = crates();
    assert!(crates.len() > ALLOWED.len(), "the workspace is there");
    let allowed: BTreeMap<&str, &[&str]> = ALLOWED.into_iter().collect();
    let mut problems = Vec::new();
    for (name, (_, dependencies)) in crates.iter().filter(|(name, _)| *name != "fathom-testing") {
        let Some(allowed) = allowed.get(name.as_str()) else {
            problems.push(format!("{name} is in no layer"));
            continue;
        };
        for dependency in dependencies.iter().filter(|dependency| !dependency.is_for_tests) {
            if crates.contains_key(&dependency.name) && !allowed.contains(&dependency.name.as_str()) {
                problems.push(format!("{name} depends on {}", dependency.name));
            }
        }
    }
    assert!(problems.is_empty(), "outside the layers: {}", problems.join("; "));
}

#[test]
fn only_the_command_line_knows_terminals_and_flags() {
    for (name, (_, dependencies)) in crates() {
        if !["fathom-cli", "fathom-testing", "xtask"].contains(&name.as_str()) {
            for dependency in dependencies {
                let is_outer = OUTERMOST_ONLY.contains(&dependency.name.as_str());
                assert!(!is_outer, "{name} depends on {}", dependency.name);
            }
        }
    }
}

/// Crates that cannot do without `unsafe` say so in their manifests, with the reason.
const UNSAFE_ALLOWED: [&str; 2] = ["fathom-native", "fathom-store"];

#[test]
fn unsafe_code_is_forbidden_but_where_it_is_named() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../Cargo.toml");
    let workspace = std::fs::read_to_string(root).expect("the manifest of the workspace");
    assert!(workspace.contains("unsafe_code = \"forbid\""), "the workspace forbids unsafe code");
    for (name, (manifest, _)) in crates() {
        if UNSAFE_ALLOWED.contains(&name.as_str()) {
            continue;
        }
        let manifest = std::fs::read_to_string(manifest).expect("a manifest");
        assert!(
            manifest.contains("[lints]\nworkspace = true"),
            "{name} does not take the lints of the workspace"
        );
    }
}
