//! Native code against the interpreter: the same steps in the same order, the same findings, state by state.

mod footprints;
mod mutation;
mod small;

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use fathom_core::model::{Interpreter, Model, Move, NoRegion, PropertyId, Selective, Steps, System};
use fathom_core::source::MemoryLoader;
use fathom_core::{Language, load};
use fathom_native::NativeSystem;
use fathom_testing::{Entropy, file_loader, random_promela};

type Offers = Steps<NoRegion, Move>;

/// Compares both systems on the first states of a model; gives their number.
///
/// # Panics
///
/// When they disagree.
fn compare(name: &str, model: &Model, limit: usize) -> usize {
    let asked: Vec<PropertyId> = (0..model.properties.len()).map(Into::into).collect();
    let interpreter = Interpreter::new(model, &asked);
    let native = NativeSystem::new(model, &asked).unwrap_or_else(|error| panic!("{name}: {error}"));
    let mut scratch = interpreter.scratch();
    let mut native_scratch = native.scratch();
    let (mut expected, mut found) = (Steps::new(), Steps::new());
    let (mut recorded, mut found_recorded) = (Steps::recording(), Steps::recording());
    interpreter.initial(&mut scratch, &mut expected);
    native.initial(&mut native_scratch, &mut found);
    check_same(name, &[], &expected, &found);
    let mut known: HashSet<Vec<u8>> = HashSet::new();
    let mut frontier: std::collections::VecDeque<Vec<u8>> = std::collections::VecDeque::new();
    let mut n_expanded = 0;
    let mut footprints = footprints::Footprints::default();
    loop {
        for index in 0..expected.len() {
            let state = expected.state(index).to_vec();
            if known.len() < limit && known.insert(state.clone()) {
                frontier.push_back(state);
            }
        }
        let Some(state) = frontier.pop_front() else { break };
        expected.clear();
        interpreter.successors(&state, &NoRegion, &mut scratch, &mut expected);
        // What is in the buffer already stays there.
        found.clear();
        found.push(b"before", NoRegion, &[]);
        native.successors(&state, &NoRegion, &mut native_scratch, &mut found);
        assert_eq!(found.state(0), b"before", "{name}");
        check_same_from(name, &state, &expected, &found, 1);
        if n_expanded < 1500 {
            footprints.check(name, &state, &interpreter);
        }
        if n_expanded % 16 == 0 {
            recorded.clear();
            found_recorded.clear();
            interpreter.successors(&state, &NoRegion, &mut scratch, &mut recorded);
            native.successors(&state, &NoRegion, &mut native_scratch, &mut found_recorded);
            check_same(name, &state, &recorded, &found_recorded);
            check_partners(name, &state, &native, &recorded);
        }
        n_expanded += 1;
    }
    known.len()
}

/// The processes that native code says moved along must be those of the labels, where it says so.
fn check_partners(name: &str, state: &[u8], native: &NativeSystem<'_>, recorded: &Offers) {
    let mut scratch = native.scratch();
    let mut found = Steps::new();
    let n_portions = native.portions(state, &NoRegion, &mut scratch, &mut found);
    let mut next = 0;
    while next < n_portions {
        let before = found.len();
        next = native.portion(next..n_portions, state, &NoRegion, &mut scratch, &mut found);
        let Some(partners) = native.partners(&scratch) else { continue };
        for index in before..found.len() {
            let of_labels = recorded.labels(index).iter().filter_map(|label| label.partner);
            let expected: Vec<u32> = of_labels.map(|partner| partner.process).collect();
            let noted = partners.iter().filter(|(step, _)| *step == index);
            let noted: Vec<u32> = noted.map(|(_, process)| *process).collect();
            assert_eq!(noted, expected, "{name}: step {index} from {state:?}");
        }
    }
}

fn check_same(name: &str, state: &[u8], expected: &Offers, found: &Offers) {
    check_same_from(name, state, expected, found, 0);
}

fn check_same_from(name: &str, state: &[u8], expected: &Offers, found: &Offers, first: usize) {
    let findings = |offers: &Offers| -> Vec<_> {
        offers.findings().iter().map(|finding| (finding.property, finding.fault.clone())).collect()
    };
    assert_eq!(found.len() - first, expected.len(), "{name}: number of steps from {state:?}");
    for index in 0..expected.len() {
        assert_eq!(found.state(index + first), expected.state(index), "{name}: step {index} from {state:?}");
        assert_eq!(
            found.labels(index + first),
            expected.labels(index),
            "{name}: step {index} from {state:?}"
        );
    }
    assert_eq!(findings(found), findings(expected), "{name}: findings in {state:?}");
}

fn load_file(path: &Path, defines: &[(String, String)]) -> Option<Model> {
    load(&path.to_string_lossy(), Language::Promela, &file_loader, defines).expect("a file").model
}

fn load_text(text: &str) -> Model {
    let loader = MemoryLoader::new().with("model.pml", text);
    let loaded = load("model.pml", Language::Promela, &loader, &[]).expect("a file in memory");
    loaded.model.unwrap_or_else(|| panic!("refused: {:?}\n{text}", loaded.diagnostics))
}

fn files(folder: &Path, extensions: &[&str], out: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(&path, extensions, out);
        } else if path.extension().is_some_and(|found| extensions.iter().any(|known| found == *known)) {
            out.push(path);
        }
    }
}

#[test]
fn native_code_agrees_on_the_models_of_the_project() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut paths = Vec::new();
    files(&root.join("corpus/promela/ok"), &["pml"], &mut paths);
    files(&root.join("examples/promela"), &["pml"], &mut paths);
    assert!(paths.len() > 30, "the models have moved");
    for path in paths {
        let model = load_file(&path, &[]).unwrap_or_else(|| panic!("{} is refused", path.display()));
        compare(&path.to_string_lossy(), &model, 3_000);
    }
}

#[test]
fn native_code_agrees_on_variants_with_faults() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/promela");
    for error in ["1", "2"] {
        let defines = [("ERROR".to_owned(), error.to_owned())];
        let model = load_file(&root.join("peterson_n.pml"), &defines).expect("a model");
        compare("peterson_n", &model, 20_000);
    }
}

/// `FATHOM_RANDOM_MODELS` asks for more than the usual number.
fn n_random_models() -> u64 {
    std::env::var("FATHOM_RANDOM_MODELS").ok().and_then(|number| number.parse().ok()).unwrap_or(400)
}

#[test]
fn native_code_agrees_on_random_models() {
    let mut states = 0;
    for seed in 0..n_random_models() {
        let text = random_promela(&mut Entropy::seeded(seed, 400));
        states += compare(&text, &load_text(&text), 300);
    }
    assert!(states > 10_000, "the random models have become trivial: {states} states");
}

/// Random programs are free of faults; their mutants are not.
#[test]
fn native_code_agrees_on_mutants_of_random_models() {
    for seed in 0..n_random_models() {
        let text = random_promela(&mut Entropy::seeded(seed + (1 << 32), 400));
        let mut model = load_text(&text);
        let mutations = mutation::mutate(&mut model, &mut Entropy::seeded(seed, 4_000));
        compare(&format!("{mutations:?}\n{text}"), &model, 200);
    }
}

/// `FATHOM_CORPUS` names a folder with models in `promela`; without it there is nothing to do.
#[test]
fn native_code_agrees_on_the_public_corpus() {
    let Some(root) = std::env::var_os("FATHOM_CORPUS") else { return };
    let limit = std::env::var("FATHOM_CORPUS_STATES").ok().and_then(|limit| limit.parse().ok());
    let mut paths = Vec::new();
    files(&Path::new(&root).join("promela"), &["pml", "pm", "prom", "promela"], &mut paths);
    let mut n_models = 0;
    for path in paths {
        if let Some(model) = load_file(&path, &[]) {
            n_models += 1;
            compare(&path.to_string_lossy(), &model, limit.unwrap_or(2_000));
        }
    }
    assert!(n_models > 0, "no model in the corpus");
}
