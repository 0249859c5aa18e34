//! The documents about formats are true: their examples are read, and have the keys of real output.

use std::collections::BTreeSet;

use crate::common::{Folder, MESSAGES, TWO_ERRORS, document};
use fathom_cli::wire::{ErrorReport, Report, TraceFile};
use serde_json::Value;

/// A model whose trace has an element in every list.
const RICH: &str = "mtype = { request };
chan wire = [0] of { mtype, byte };
chan log = [2] of { byte };
proctype worker() { skip }
active proctype client() { wire!request,7; log!1; run worker() }
active proctype server() { byte v; wire?request,v; log?_; assert(v == 0) }
";

/// The blocks of JSON in a document, in order.
fn examples(text: &str) -> Vec<Value> {
    let blocks = text.split("```json\n").skip(1).map(|rest| rest.split("```").next().unwrap_or_default());
    blocks
        .map(|block| serde_json::from_str(block).unwrap_or_else(|error| panic!("{error}\n{block}")))
        .collect()
}

/// Every key with the way to it; the elements of a list count as one.
fn keys(value: &Value) -> BTreeSet<String> {
    fn collect(value: &Value, path: &str, keys: &mut BTreeSet<String>) {
        match value {
            Value::Object(fields) => {
                for (key, value) in fields {
                    keys.insert(format!("{path}/{key}"));
                    collect(value, &format!("{path}/{key}"), keys);
                }
            }
            Value::Array(items) => items.iter().for_each(|item| collect(item, path, keys)),
            _ => {}
        }
    }
    let mut found = BTreeSet::new();
    collect(value, "", &mut found);
    found
}

#[test]
fn the_report_has_exactly_the_documented_keys() {
    let documented = &examples(&document("formats/report.md"))[0];
    serde_json::from_value::<Report>(documented.clone()).expect("the example is a report");
    let folder = Folder::with(&[("m.pml", MESSAGES)]);
    let ran = folder.run(&["check", "m.pml", "--format", "json", "--trace", "trace.json"]).expect(1);
    assert_eq!(keys(&ran.json()), keys(documented));
    let report: Report = serde_json::from_value(ran.json()).expect("a report");
    assert_eq!(report.model.processes, 2);
    assert_eq!(report.run.threads, 1);
    let statistics = &report.statistics;
    let is_close = |found: f64, expected: f64| (found - expected).abs() <= expected * 1e-9;
    assert!(is_close(statistics.states_per_second, statistics.states as f64 / statistics.seconds));
    assert!(is_close(statistics.bytes_per_state, statistics.store_bytes as f64 / statistics.states as f64));
    // Every state but the first was reached by a step that did not match.
    assert_eq!(statistics.states, statistics.transitions - statistics.matched + 1);
}

#[test]
fn an_error_has_exactly_the_documented_keys() {
    let documented = &examples(&document("formats/report.md"))[1];
    serde_json::from_value::<ErrorReport>(documented.clone()).expect("the example is an error report");
    let folder = Folder::with(&[("e.pml", "active proctype p() { x = 1 }\n")]);
    for command in ["check", "info", "simulate"] {
        let ran = folder.run(&[command, "e.pml", "--format", "json"]).expect(2);
        assert_eq!(&ran.json(), documented, "{command}");
        assert_eq!(ran.stderr, "");
    }
    let missing = folder.run(&["check", "no.pml", "--format", "json"]).expect(2).json();
    assert_eq!(missing["diagnostics"], serde_json::json!([]));
}

#[test]
fn a_trace_has_exactly_the_documented_keys() {
    let documented = &examples(&document("formats/trace.md"))[0];
    serde_json::from_value::<TraceFile>(documented.clone()).expect("the example is a trace");
    let folder = Folder::with(&[("m.pml", RICH)]);
    let arguments = ["check", "m.pml", "-DN=3", "--invariant", "_nr_pr < 3", "--trace", "trace.json"];
    folder.run(&arguments).expect(1);
    let written: Value = serde_json::from_str(&folder.read("trace.json")).expect("JSON");
    assert_eq!(keys(&written), keys(documented));
}

#[test]
fn a_sweep_has_exactly_the_documented_keys() {
    let documented = &examples(&document("formats/sweep.md"))[0];
    let folder = Folder::with(&[("m.pml", TWO_ERRORS)]);
    let arguments = ["sweep", "m.pml", "--over", "table=90", "--format", "json", "--quiet"];
    assert_eq!(keys(&folder.run(&arguments).expect(1).json()), keys(documented));
}

#[test]
fn generated_tests_have_exactly_the_documented_keys() {
    let documented = &examples(&document("formats/test.md"))[0];
    let text = "byte n; active proctype p() { do :: n < 9 -> n++ :: n == 9 -> n = 0 :: n > 9 -> break od }";
    let folder = Folder::with(&[("m.pml", text)]);
    let report = folder.run(&["test", "m.pml", "--format", "json", "--quiet"]).expect(0).json();
    assert_eq!(keys(&report), keys(documented));
}

#[test]
fn a_driven_test_has_exactly_the_documented_keys() {
    let documented = &examples(&document("formats/drive.md"))[0];
    let model = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/online/lamp.xta");
    let model = model.display().to_string();
    let goal = "state \"Lamp = dim.*x = 5\" then action Off";
    let words = ["drive", &model, "--goal", goal, "--format", "json", "--quiet", "--silence", "30ms"];
    let specimen = ["--", env!("CARGO_BIN_EXE_fathom"), "specimen", "lamp", "--fault", "off-late"];
    let report = Folder::with(&[]).run(&[&words[..], &specimen].concat()).expect(1).json();
    assert_eq!(keys(&report), keys(documented), "{report}");
}

#[test]
fn a_plan_has_exactly_the_documented_keys() {
    let documented = &examples(&document("formats/plan.md"))[0];
    let text = "byte n; active proctype p() { do :: n++ od }";
    let folder = Folder::with(&[("m.pml", text)]);
    let arguments = ["plan", "m.pml", "--goal", "n == 2", "--show", "n", "--format", "json", "--quiet"];
    assert_eq!(keys(&folder.run(&arguments).expect(0).json()), keys(documented));
}

#[test]
fn every_flag_of_the_long_commands_is_documented() {
    let helps = ["check", "hunt", "sweep", "test", "plan", "specimen", "drive"]
        .map(|verb| Folder::with(&[]).run(&[verb, "--help"]).expect(0).stdout);
    let help = helps.concat();
    let page = ["command-line.md", "online-testing.md", "csharp.md"].map(document).concat();
    let flags = help.split_whitespace().filter(|word| word.starts_with("--") && word.len() > 2);
    for flag in flags
        .map(|flag| flag.split([',', ')', ']', '[', '=']).next().unwrap_or(flag))
        .filter(|flag| *flag != "--help")
    {
        assert!(page.contains(flag), "{flag} is not documented");
    }
}
