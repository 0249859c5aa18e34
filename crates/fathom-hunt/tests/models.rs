//! The sampled engines on the example models, and what a system says in portions.

use std::path::{Path, PathBuf};

use fathom_core::model::{Interpreter, Model, NoRegion, PropertyId, Steps, System};
use fathom_core::search::NoMonitor;
use fathom_core::source::{LoadError, LoadedFile};
use fathom_core::{Language, load};
use fathom_hunt::{Children, Hooks, IsrOptions, ShortenOptions, Sizes, WalkOptions, isr, shorten, walk};
use fathom_native::NativeSystem;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/promela")
}

fn model(name: &str, defines: &[(&str, &str)]) -> Model {
    let loader = |path: &str, _: Option<&str>| {
        let text = std::fs::read_to_string(folder().join(path))
            .map_err(|error| LoadError::Other(error.to_string()))?;
        Ok(LoadedFile { name: path.to_owned(), text })
    };
    let defines: Vec<(String, String)> =
        defines.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    load(name, Language::Promela, &loader, &defines).expect("a file").model.expect("a model without errors")
}

fn safety(model: &Model) -> Vec<PropertyId> {
    let is_safety = |id: &PropertyId| model.properties[id.index()].question.is_safety();
    (0..model.properties.len()).map(PropertyId::from).filter(is_safety).collect()
}

/// Asks for portions one by one and in one go, and compares with all steps.
fn check_portions<S: System<Region = NoRegion>>(system: &S, name: &str) {
    let mut scratch = system.scratch();
    let mut steps = Steps::new();
    system.initial(&mut scratch, &mut steps);
    let mut pending: Vec<Vec<u8>> = (0..steps.len()).map(|index| steps.state(index).to_vec()).collect();
    let mut known: std::collections::BTreeSet<Vec<u8>> = pending.iter().cloned().collect();
    while let Some(state) = pending.pop() {
        let mut all = Steps::new();
        system.successors(&state, &NoRegion, &mut scratch, &mut all);
        let mut divided: Steps<NoRegion, S::Label> = Steps::new();
        let n_portions = system.portions(&state, &NoRegion, &mut scratch, &mut divided);
        let mut leaping: Steps<NoRegion, S::Label> = Steps::new();
        let mut next = 0;
        while next < n_portions {
            next = system.portion(next..n_portions, &state, &NoRegion, &mut scratch, &mut leaping);
        }
        for portion in 0..n_portions {
            system.portion(portion..portion + 1, &state, &NoRegion, &mut scratch, &mut divided);
        }
        let states = |steps: &Steps<NoRegion, S::Label>| {
            (0..steps.len()).map(|index| steps.state(index).to_vec()).collect::<Vec<_>>()
        };
        assert_eq!(states(&divided), states(&leaping), "{name}");
        if !divided.is_empty() {
            assert_eq!(states(&divided), states(&all), "{name}");
            let findings = |steps: &Steps<NoRegion, S::Label>| {
                let mut findings: Vec<String> = steps
                    .findings()
                    .iter()
                    .map(|finding| format!("{:?} {:?}", finding.property, finding.fault))
                    .collect();
                findings.sort();
                findings
            };
            assert_eq!(findings(&divided), findings(&all), "{name}");
        }
        for state in states(&all) {
            if known.len() < 400 && known.insert(state.clone()) {
                pending.push(state);
            }
        }
    }
}

#[test]
fn portions_one_after_the_other_are_all_steps() {
    let mut n_models = 0;
    let mut files: Vec<_> = std::fs::read_dir(folder()).expect("the examples").flatten().collect();
    files.sort_by_key(std::fs::DirEntry::file_name);
    for file in files {
        let name = file.file_name().to_string_lossy().into_owned();
        if name.ends_with(".pml") {
            let model = model(&name, &[]);
            let asked = safety(&model);
            check_portions(&Interpreter::new(&model, &asked), &name);
            check_portions(&NativeSystem::new(&model, &asked).expect("native code"), &name);
            n_models += 1;
        }
    }
    assert!(n_models > 15);
}

#[test]
fn the_far_corner_is_found_with_a_table_below_five_kilobytes() {
    let model = model("incdec.pml", &[("MAX", "999")]);
    let asked = safety(&model);
    let system = NativeSystem::new(&model, &asked).expect("native code");
    let options = IsrOptions { properties: asked, threads: 2, ..IsrOptions::default() };
    let result = isr(&system, &options, &mut NoMonitor);
    let hit = result.hits[0];
    // The source: 2855 bytes and the same length, with another hash function.
    assert!((2500..3200).contains(&(hit.throw.bits / 8)), "{hit:?}");
    assert_eq!(hit.length, 5992);
    let found = result
        .outcome
        .evidence
        .iter()
        .find_map(|(property, trace)| trace.as_ref().map(|trace| (*property, trace)));
    let (property, trace) = found.expect("a trace");
    fathom_core::replay(&model, property, trace);
}

#[test]
fn the_deadlock_of_255_philosophers_is_found_with_a_table_of_some_hundred_bytes() {
    let model = model("philosophers.pml", &[("N", "255")]);
    let asked = safety(&model);
    let system = NativeSystem::new(&model, &asked).expect("native code");
    let options = IsrOptions { properties: asked, threads: 2, ..IsrOptions::default() };
    let result = isr(&system, &options, &mut NoMonitor);
    assert!(result.hits[0].throw.bits / 8 < 1000, "{:?}", result.hits[0]);
}

#[test]
fn the_deadlock_of_2000_philosophers_is_found_by_walks_and_pruned_searches() {
    let model = model("philosophers.pml", &[("N", "2000")]);
    let asked = safety(&model);
    let system = NativeSystem::new(&model, &asked).expect("native code");
    let walks = WalkOptions { properties: asked.clone(), max_depth: None, ..WalkOptions::default() };
    let walked = walk(&system, &walks, Hooks::none(), &mut NoMonitor);
    assert!(walked.outcome.evidence[0].1.is_some());
    let random = Sizes::AtRandom { first: 1024, factor: 2.0, per_magnitude: 4, last: 1 << 16 };
    let options = IsrOptions { properties: asked, sizes: random, ..IsrOptions::default() };
    let found = isr(&system, &options, &mut NoMonitor);
    assert!(found.outcome.evidence[0].1.is_some());
    assert!(found.outcome.statistics.store_bytes < 16 << 20, "{:?}", found.outcome.statistics);
}

#[test]
fn unguided_walks_to_the_deadlock_take_some_eight_times_the_shortest_and_are_shortened_to_it() {
    let model = model("philosophers.pml", &[("N", "50")]);
    let asked = safety(&model);
    let system = NativeSystem::new(&model, &asked).expect("native code");
    let mut total = 0;
    for seed in 0..20 {
        let options = WalkOptions {
            properties: asked.clone(),
            seed,
            children: Children::All,
            ..WalkOptions::default()
        };
        let result = walk(&system, &options, Hooks::none(), &mut NoMonitor);
        let trace = result.outcome.evidence[0].1.clone().expect("a deadlock");
        total += trace.choices.len();
        if seed == 0 {
            let short =
                shorten(&system, &trace, &ShortenOptions::default(), &mut NoMonitor).expect("a trace");
            assert_eq!(short.choices.len(), 50);
            fathom_core::replay(&model, asked[0], &short);
        }
    }
    // The source's own sanity check for 50: 363 steps on the average.
    assert!((200..600).contains(&(total / 20)), "{}", total / 20);
}

/// Steps of the trace that a hunt finds for the assertion of an example.
fn hunted(name: &str, defines: &[(&str, &str)]) -> usize {
    let model = model(name, defines);
    let assertion = model.properties.iter().position(|property| property.name == "assertion");
    let properties = vec![PropertyId::from(assertion.expect("every model may have assertions"))];
    let options = fathom_core::HuntOptions { properties, ..fathom_core::HuntOptions::default() };
    let never = &mut |_: &fathom_core::search::Progress, _: &[fathom_core::hunting::ArmRow]| {
        None::<fathom_core::model::Stop>
    };
    let hunted = fathom_core::hunt(&model, &options, never);
    // The step that fails is one more.
    hunted.report.verdicts[0].trace.as_ref().map_or(0, |trace| trace.choices.len() + 1)
}

/// The lengths are those of the literature: see the comments of the models.
#[test]
fn puzzles_and_a_broken_protocol_are_solved_on_shortest_ways() {
    assert_eq!(hunted("hanoi.pml", &[("DISKS", "8")]), 255);
    assert_eq!(hunted("leap_frogs.pml", &[("N", "6")]), 6 * 8 + 1);
    assert_eq!(hunted("sliding_puzzle.pml", &[]), 21 + 1);
    assert_eq!(hunted("missionaries.pml", &[]), 11);
    assert_eq!(hunted("missionaries.pml", &[("PAIRS", "4")]), 0, "there is no way");
    assert_eq!(hunted("bakery_bug.pml", &[]), 16);
    assert_eq!(hunted("bakery_bug.pml", &[("CHOOSING", "1")]), 0, "it is correct");
}
