//! Reduced and full searches give the same answers.

#![allow(clippy::print_stdout)] // how much was saved

// The same mutants as in the comparison of native code.
#[path = "../../../fathom-native/tests/agreement/mutation.rs"]
mod mutation;

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use fathom_core::model::{Interpreter, Model, Move, NoRegion, PropertyId, Steps, System};
use fathom_core::source::MemoryLoader;
use fathom_core::{Language, load};
use fathom_native::NativeSystem;
use fathom_reduce::{PartialOrder, Reduced, forget_dead, fuse, slice};
use fathom_testing::{Entropy, at_once, file_loader, random_promela};

/// What a search found: states, and properties with evidence. Nothing beyond the limit.
fn explore<S: System<Region = NoRegion>>(system: &S, limit: usize) -> Option<(u64, BTreeSet<PropertyId>)> {
    let explored = fathom_testing::explore(system, limit)?;
    Some((explored.states, explored.evidence.iter().map(|(property, _)| *property).collect()))
}

/// Which reductions to use.
#[derive(Clone, Copy, Debug)]
struct Reductions {
    slice: bool,
    dead: bool,
    fuse: bool,
    order: bool,
}

const ALL: Reductions = Reductions { slice: true, dead: true, fuse: true, order: true };

/// Compares the full search with reduced ones; gives the numbers of states, full and with everything.
fn compare(name: &str, model: &Model, limit: usize) -> Option<(u64, u64)> {
    let asked: Vec<PropertyId> = (0..model.properties.len()).map(PropertyId::from).collect();
    let (full, answers) = explore(&Interpreter::new(model, &asked), limit)?;
    let none = Reductions { slice: false, dead: false, fuse: false, order: false };
    let mut least = full;
    for reductions in [
        Reductions { slice: true, ..none },
        Reductions { dead: true, ..none },
        Reductions { fuse: true, ..none },
        Reductions { order: true, ..none },
        ALL,
    ] {
        let mut smaller = model.clone();
        if reductions.slice {
            slice(&mut smaller, &[]);
        }
        if reductions.dead {
            forget_dead(&mut smaller, &[]);
        }
        if reductions.fuse {
            fuse(&mut smaller, &[]);
        }
        let order = if reductions.order { Reduced::new(&smaller, &asked) } else { None };
        let (reduced, found) = match &order {
            Some(order) => {
                compare_native(name, order, &smaller, &asked, limit);
                explore(order, limit)
            }
            None => explore(&Interpreter::new(&smaller, &asked), limit),
        }
        .expect("no more states than in full");
        assert_eq!(
            answers, found,
            "{name}: answers differ with {reductions:?}; {full} states, {reduced} reduced"
        );
        assert!(reduced <= full, "{name}: {reduced} states instead of {full} with {reductions:?}");
        least = reduced;
    }
    Some((full, least))
}

/// Compares the reduction of native code with that of the interpreter: the same steps in the same order, the same
/// findings, state by state.
fn compare_native(
    name: &str,
    expected: &Reduced<Interpreter<'_>>,
    model: &Model,
    asked: &[PropertyId],
    limit: usize,
) {
    let native = NativeSystem::selective(model, asked).expect("native code");
    let order = PartialOrder::new(model, asked).expect("the interpreter has one");
    let native = Reduced::of(native, order);
    let (mut scratch, mut native_scratch) = (expected.scratch(), native.scratch());
    let (mut steps, mut native_steps) = (Steps::new(), Steps::new());
    expected.initial(&mut scratch, &mut steps);
    let mut known: HashSet<Vec<u8>> = HashSet::new();
    let mut frontier: Vec<Vec<u8>> = Vec::new();
    loop {
        for index in 0..steps.len() {
            let state = steps.state(index).to_vec();
            if known.len() < limit && known.insert(state.clone()) {
                frontier.push(state);
            }
        }
        let Some(state) = frontier.pop() else { return };
        steps.clear();
        native_steps.clear();
        expected.successors(&state, &NoRegion, &mut scratch, &mut steps);
        native.successors(&state, &NoRegion, &mut native_scratch, &mut native_steps);
        assert_eq!(native_steps.len(), steps.len(), "{name}: number of steps from {state:?}");
        for index in 0..steps.len() {
            assert_eq!(native_steps.state(index), steps.state(index), "{name}: step {index} from {state:?}");
        }
        let findings = |steps: &Steps<NoRegion, Move>| -> Vec<_> {
            steps.findings().iter().map(|finding| (finding.property, finding.fault.clone())).collect()
        };
        assert_eq!(findings(&native_steps), findings(&steps), "{name}: findings in {state:?}");
    }
}

fn models(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder of the project") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            models(&path, out);
        } else if path.extension().is_some_and(|extension| extension == "pml") {
            out.push(path);
        }
    }
    out.sort();
}

#[test]
fn shipped_models_get_the_same_answers() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut paths = Vec::new();
    models(&root.join("corpus/promela/ok"), &mut paths);
    models(&root.join("examples/promela"), &mut paths);
    check_sums(&at_once(&paths, |path| {
        let loaded = load(&path.to_string_lossy(), Language::Promela, &file_loader, &[]).expect("a model");
        let model = loaded.model.unwrap_or_else(|| panic!("{}: {:?}", path.display(), loaded.diagnostics));
        compare(&path.to_string_lossy(), &model, 20_000)
    }));
}

/// Checks that there are fewer states with all reductions than without, over all models whose states could be compared.
fn check_sums(compared: &[Option<(u64, u64)>]) {
    let full: u64 = compared.iter().flatten().map(|(full, _)| full).sum();
    let reduced: u64 = compared.iter().flatten().map(|(_, reduced)| reduced).sum();
    println!("{full} states, {reduced} reduced");
    assert!(reduced < full, "something is reduced");
}

#[test]
fn random_models_get_the_same_answers() {
    let seeds: Vec<u64> = (0..n_random_models()).collect();
    check_sums(&at_once(&seeds, |&seed| {
        let text = random_promela(&mut Entropy::seeded(seed, 400));
        let loader = MemoryLoader::new().with("m.pml", text.as_str());
        let loaded = load("m.pml", Language::Promela, &loader, &[]).expect("a program");
        compare(&format!("seed {seed}\n{text}"), &loaded.model?, 5_000)
    }));
}

/// Random programs are free of faults; their mutants are not.
#[test]
fn mutants_of_random_models_get_the_same_answers() {
    let seeds: Vec<u64> = (0..n_random_models()).collect();
    at_once(&seeds, |&seed| {
        let text = random_promela(&mut Entropy::seeded(seed + (1 << 32), 400));
        let loader = MemoryLoader::new().with("m.pml", text.as_str());
        let loaded = load("m.pml", Language::Promela, &loader, &[]).expect("a program");
        let mut model = loaded.model?;
        let mutations = mutation::mutate(&mut model, &mut Entropy::seeded(seed, 4_000));
        compare(&format!("seed {seed}, {mutations:?}\n{text}"), &model, 3_000)
    });
}

/// `FATHOM_RANDOM_MODELS` asks for more than the usual number.
fn n_random_models() -> u64 {
    std::env::var("FATHOM_RANDOM_MODELS").ok().and_then(|text| text.parse().ok()).unwrap_or(300)
}

#[test]
fn public_models_get_the_same_answers() {
    let Some(root) = std::env::var_os("FATHOM_CORPUS").map(PathBuf::from) else {
        println!("note: FATHOM_CORPUS is not set; the public corpus is not checked");
        return;
    };
    let only = std::env::var("FATHOM_CORPUS_ONLY").unwrap_or_default();
    let mut paths = Vec::new();
    all_files(&root.join("promela"), &mut paths);
    paths.retain(|path| path.to_string_lossy().contains(&only));
    at_once(&paths, |path| {
        let loaded = load(&path.to_string_lossy(), Language::Promela, &file_loader, &[]).ok()?;
        let (full, reduced) = compare(&path.to_string_lossy(), &loaded.model?, 200_000)?;
        println!("{}: {full} states, {reduced} reduced", path.display());
        Some(())
    });
}

fn all_files(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder of the corpus") {
        let path = entry.expect("an entry").path();
        if path.is_dir() && !path.ends_with("large") {
            all_files(&path, out);
        } else if path
            .extension()
            .is_none_or(|extension| extension != "json" && extension != "md" && extension != "h")
        {
            out.push(path);
        }
    }
    out.sort();
}
