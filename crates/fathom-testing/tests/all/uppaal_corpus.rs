//! The public models in the languages of Uppaal, when they are there: broken files are rejected, the others are read and explored, and what
//! is known about them comes out.
//!
//! `FATHOM_CORPUS` names the folder.

use std::path::PathBuf;

use fathom_core::model::Stop;
use fathom_core::search::NoMonitor;
use fathom_core::source::MemoryLoader;
use fathom_core::{Asked, Language, LoadedTimed, TimedOptions, check_timed, load_timed};

fn folder() -> Option<PathBuf> {
    std::env::var_os("FATHOM_CORPUS").map(|folder| PathBuf::from(folder).join("timed"))
}

fn load(path: &std::path::Path) -> LoadedTimed {
    let text = std::fs::read_to_string(path).expect("a model");
    let loader = MemoryLoader::new().with("m.xta", &text);
    load_timed("m.xta", Language::Uppaal, &loader).expect("a file")
}

/// An array of arrays, which other tools cannot translate, is no error.
const NOT_BROKEN: [&str; 1] = ["err-15"];
/// Free parameters without a range, and indices outside of arrays of constants.
const BROKEN: [&str; 3] = ["tmpl-partial-03", "tmpl-partial-04", "tmpl-partial-06"];

#[test]
fn broken_files_are_rejected_and_the_others_read() {
    let Some(folder) = folder() else { return };
    let mut n_files = 0;
    for part in ["uppaal-to-tchecker", "theta"] {
        for entry in std::fs::read_dir(folder.join(part)).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
            let is_broken = (name.starts_with("err-") && !NOT_BROKEN.contains(&name.as_str()))
                || BROKEN.contains(&name.as_str());
            let loaded = load(&path);
            assert_eq!(loaded.network.is_none(), is_broken, "{name}: {:?}", loaded.diagnostics);
            n_files += 1;
        }
    }
    assert!(n_files > 90, "{n_files}");
}

#[test]
fn what_is_not_supported_is_named() {
    let Some(folder) = folder() else { return };
    for (name, code) in [
        ("clock_rate2", "uppaal::clock-rate"),
        ("double_compare", "uppaal::unsupported"),
        ("dynamic", "uppaal::unsupported"),
        ("external_fn", "uppaal::unsupported"),
        ("lsc_example", "uppaal::unsupported"),
        ("update_hybrid_clock", "uppaal::unsupported"),
    ] {
        let loaded = load(&folder.join("utap").join(format!("{name}.xml")));
        assert!(loaded.network.is_none(), "{name}");
        assert!(loaded.diagnostics.iter().any(|one| one.code == code), "{name}: {:?}", loaded.diagnostics);
    }
}

/// The same system in two languages has the same zones.
#[test]
fn the_critical_region_has_as_many_zones_as_tchecker_says() {
    let Some(folder) = folder() else { return };
    let loaded = load(&folder.join("theta/critical-4-25-50.xta"));
    let network = loaded.network.expect("a network");
    let report = check_timed(&network, &[], &TimedOptions::default(), &mut NoMonitor);
    assert_eq!(report.stop, Stop::Exhausted);
    let found = [report.statistics.states, report.statistics.expanded, report.statistics.transitions];
    assert_eq!(found, [53_697, 76_130, 436_444]);
}

#[test]
fn known_verdicts_come_out() {
    let Some(folder) = folder() else { return };
    for (file, query, verdict) in [
        (
            "uppaal-to-tchecker/fischer_symmetry.xml",
            "A[] forall (i : pid_t) forall (j : pid_t) P(i).cs && P(j).cs imply i == j",
            "holds",
        ),
        (
            "uppaal-to-tchecker/train-gate.xml",
            "A[] forall (i : id_t) forall (j : id_t) Train(i).Cross && Train(j).Cross imply i == j",
            "holds",
        ),
        ("uppaal-to-tchecker/train-gate.xml", "A[] not deadlock", "holds"),
        ("uppaal-to-tchecker/train-gate.xml", "Train(0).Appr --> Train(0).Cross", "holds"),
        ("uppaal-to-tchecker/bridge.xml", "A[] not deadlock", "holds"),
        ("theta/fischer-2-32-64.xta", "A[] not deadlock", "holds"),
        ("theta/broadcast.xta", "E<> P1.S1", "violated"),
        ("theta/broadcast.xta", "E<> P0.S2", "holds"),
        ("uppaal-to-tchecker/interrupt.xml", "E<> env.ERROR", "holds"),
    ] {
        let mut loaded = load(&folder.join(file));
        let id = loaded.ask(Asked::Query, query).unwrap_or_else(|problems| panic!("{query}: {problems:?}"));
        let network = loaded.network.expect("a network");
        let options = TimedOptions { properties: vec![id], ..TimedOptions::default() };
        let report = check_timed(&network, &loaded.properties, &options, &mut NoMonitor);
        assert_eq!(report.answers[0].verdict.answer.word(), verdict, "{file}: {query}");
    }
}

/// The model says itself what makes it right: a priority of a channel, or of a process.
#[test]
fn priorities_make_the_interrupt_come_first() {
    let Some(folder) = folder() else { return };
    let text = std::fs::read_to_string(folder.join("uppaal-to-tchecker/interrupt.xml")).expect("a model");
    for (without, with) in [
        ("//chan priority default &lt; i;", "chan priority default &lt; i;"),
        ("system INT,C,env;", "system C,env &lt; INT;"),
    ] {
        assert!(text.contains(without));
        let loader = MemoryLoader::new().with("m.xml", text.replacen(without, with, 1));
        let mut loaded = load_timed("m.xml", Language::Uppaal, &loader).expect("a file");
        let id = loaded.ask(Asked::Query, "E<> env.ERROR").expect("a query");
        let network = loaded.network.expect("a network");
        let options = TimedOptions { properties: vec![id], ..TimedOptions::default() };
        let report = check_timed(&network, &loaded.properties, &options, &mut NoMonitor);
        assert_eq!(report.answers[0].verdict.answer.word(), "violated", "{with}");
    }
}
