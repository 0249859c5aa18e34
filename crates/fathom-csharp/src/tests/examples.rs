//! The model programs of `examples/csharp`: the counts and verdicts of their sidecars, and that together they show the language.

use std::path::{Path, PathBuf};

use fathom_program::{ProgramSystem, Symmetry};
use serde_json::{Value, json};

use super::corpus::{load_from, sidecars, texts};
use super::explore;
use crate::{CSharpProgram, Options};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/csharp")
}

/// By property, whether it holds in all states that there are.
fn verdicts(program: &CSharpProgram, violated: impl Fn(&str) -> bool) -> Value {
    let system = ProgramSystem::new(program, Symmetry::None);
    let asked = system.properties().iter().filter(|property| !property.is_proposition());
    let names = asked.map(|property| property.name().to_string());
    let word = |name: &str| if violated(name) { "violated" } else { "holds" };
    names.map(|name| (name.clone(), json!(word(&name)))).collect::<serde_json::Map<_, _>>().into()
}

#[test]
fn examples_have_the_counts_and_verdicts_of_their_sidecars() {
    let mut wrong = String::new();
    let all = sidecars(&folder());
    assert!(all.len() >= 6);
    for (path, sidecar) in all {
        let name = path.file_name().unwrap().to_str().unwrap();
        for run in sidecar["runs"].as_array().unwrap() {
            let options = Options {
                programs: texts(&run["programs"]),
                scenarios: texts(&run["scenarios"]),
                ..Options::default()
            };
            let (program, said) = load_from(&folder(), name, &options);
            // An example has nothing to warn of.
            assert!(said.is_empty(), "{name}: {said}");
            let program = program.unwrap();
            for (symmetry, states, steps) in [
                (Symmetry::None, "states", "transitions"),
                (Symmetry::Canonical, "classes", "class_transitions"),
            ] {
                let explored = explore(&program, symmetry, 100_000);
                let verdict = verdicts(&program, |name| explored.findings.contains_key(name));
                let found = json!({ states: explored.n_states, steps: explored.n_steps, "verdict": verdict });
                let expected = json!({ states: run[states], steps: run[steps], "verdict": run["verdict"] });
                if found != expected || explored.is_cut {
                    wrong += &format!("{name} {run}\n  {found} {:?}\n", explored.faults);
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// What the examples have to show, as it is written.
const CONSTRUCTS: &[&str] = &[
    // Declarations.
    "namespace ",
    "static class ",
    "enum ",
    " = 10,",
    "using Groceries = ",
    "const int ",
    "static readonly ",
    "public readonly ",
    "{ get { return",
    // Attributes.
    "[Abstract]",
    "[Sort(\"",
    "[Action]",
    "[Action(\"",
    "[Action(\"Submit(owner, nPages)\")]\n        [Action(\"Urgent(owner, nPages)\")]",
    "[Action(Start = \"",
    ", Finish = \"",
    "[Split]",
    "[Feature]",
    "[Feature(\"",
    "[Domain(\"new\")]",
    "([Domain(\"",
    "[Domain(\"All\")]\n    public class",
    "[New]",
    "[Requirement(\"",
    "[StateFilter]",
    "[StateInvariant]",
    "[StateProperty(\"",
    "[AcceptingStateCondition]",
    "[TransitionProperty(\"StateInvariant\")]",
    // Conditions.
    "bool SubmitEnabled()",
    "bool SubmitEnabled(string owner)",
    "bool PrintEnabled1()",
    "bool BorrowEnabled(Book book)",
    "[Requires(\"",
    // Objects and values.
    ": LabeledInstance<",
    ".Create();",
    "override void Initialize()",
    ": CompoundValue",
    ": this(",
    "(out ",
    // Factories.
    "LibraryModelProgram Create()",
    "new LibraryModelProgram(",
    "LibraryModelProgram.Create(typeof(",
    "FeatureNames.",
    // Types.
    "int ",
    "bool ",
    "string ",
    "Zone? ",
    "= null;",
    "default(int)",
    "Set<",
    "Map<",
    "Bag<",
    "Sequence<",
    "Pair<",
    "Triple<",
    "Func<",
    // Statements.
    "foreach (",
    "for (int ",
    "while (",
    "if (",
    "else ",
    "switch (",
    "case ",
    "break;",
    "continue;",
    "throw ",
    "return ",
    // Expressions.
    " => ",
    " ? ",
    "++",
    " += ",
    "(int)",
    // What collections have.
    ".EmptySet",
    ".EmptyMap",
    ".EmptyBag",
    ".EmptySequence",
    ".Count",
    ".IsEmpty",
    ".Add(",
    ".Remove(",
    ".Contains(",
    ".Select(",
    ".Exists(",
    ".Forall(",
    ".Convert(",
    ".Choose()",
    ".Minimum()",
    ".Maximum()",
    "Dishes - cooked",
    "cooked + others",
    "cooked * others",
    ".IsProperSubsetOf(",
    ".Union(",
    ".Intersect(",
    ".Difference(",
    ".IsSubsetOf(",
    ".BigUnion(",
    ".Keys",
    ".Values",
    "recipes[dish]",
    ".ContainsKey(",
    ".TryGetValue(",
    ".Override(",
    ".RemoveKey(",
    ".RestrictKeys(",
    ".Merge(",
    "stored + stored",
    "twice - stored",
    "stored * twice",
    ".CountItem(",
    ".CountUnique",
    ".RemoveAll(",
    ".Head",
    ".Tail",
    ".Last",
    ".Front",
    "menu[0]",
    ".AddFirst(",
    ".AddLast(",
    ".Reverse()",
    ".IsPrefixOf(",
    ".IndexOf(",
    "menu + menu",
    ".First",
    ".Second",
    ".Third",
    ".HasValue",
    ".Value)",
    // What texts have.
    ".ToUpper()",
    ".StartsWith(",
    ".Length",
];

#[test]
fn examples_show_the_language() {
    let mut code = String::new();
    for (path, _) in sidecars(&folder()) {
        let text = std::fs::read_to_string(&path).unwrap();
        let (comment, _) = text.split_once("using ").unwrap();
        assert!(
            comment.lines().all(|line| line.starts_with("//")),
            "{} begins with a comment",
            path.display()
        );
        assert!(comment.contains("// Known"), "{} says what is known", path.display());
        for line in text.lines() {
            code += line.split("//").next().unwrap_or_default();
            code.push('\n');
        }
    }
    let missing: Vec<_> = CONSTRUCTS.iter().filter(|construct| !code.contains(**construct)).collect();
    assert!(missing.is_empty(), "no example has {missing:?}");
}

#[test]
fn scenarios_of_examples_are_composed_with_them_and_leave_arguments_open() {
    let scenarios: Vec<String> = sidecars(&folder())
        .iter()
        .flat_map(|(_, sidecar)| runs(sidecar))
        .flat_map(|run| texts(&run["scenarios"]))
        .collect();
    let entries = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let machines: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|extension| extension == "fsm")).collect();
    assert!(!machines.is_empty());
    for path in machines {
        let name = path.file_name().unwrap().to_str().unwrap().to_string();
        assert!(scenarios.contains(&name), "no run has {name}");
        assert!(std::fs::read_to_string(&path).unwrap().contains("(_"), "{name} leaves nothing open");
    }
}

fn runs(sidecar: &Value) -> Vec<Value> {
    sidecar["runs"].as_array().cloned().unwrap_or_default()
}
