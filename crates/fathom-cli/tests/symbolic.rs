//! Sets of values on the command line: partitions, their files, reports, and bad input.

mod common;

use common::{Folder, property};

const CONVERTER: &str = "byte dec; byte weight = 128;
active proctype converter() {
  do
  :: atomic { weight > 0 -> dec = dec + weight; weight = weight / 2 }
  :: atomic { weight > 0 -> weight = weight / 2 }
  :: weight == 0
  od
}
";

/// The converter of da Costa (2005), rebuilt: 511 states, and a way of eight steps to the last number.
#[test]
fn every_partition_gives_the_same_answers_and_counts() {
    let folder = Folder::with(&[
        ("c.pml", CONVERTER),
        ("p.txt", "# by hand\nsymbolic dec\nexplicit weight # control\n"),
    ]);
    let asked = [
        "check",
        "c.pml",
        "--format",
        "json",
        "--continue",
        "--reach",
        "dec == 255",
        "--invariant",
        "dec + weight < 256",
    ];
    let plain = folder.run(&asked).expect(0).json();
    assert_eq!(plain["statistics"]["states"], 511);
    for flags in [
        &["--symbolic", "dec"][..],
        &["--explicit", "dec,at(converter)"],
        &["--symbolic", "dec,weight"],
        &["--engine", "symbolic"],
        &["--partition", "auto"],
        &["--partition", "p.txt", "--engine", "dfs"],
    ] {
        let report = folder.run(&[&asked[..], flags].concat()).expect(0).json();
        assert_eq!(report["composite"]["concrete_states"], 511.0, "{flags:?}");
        assert_eq!(property(&report, "reach-1")["verdict"], "holds");
        assert_eq!(property(&report, "invariant-1")["verdict"], "holds");
        if !flags.contains(&"dfs") {
            assert_eq!(
                property(&report, "reach-1")["trace"],
                property(&plain, "reach-1")["trace"],
                "{flags:?}"
            );
        }
    }
}

#[test]
fn reports_list_the_partition_and_info_explains_auto() {
    let folder = Folder::with(&[("c.pml", CONVERTER)]);
    let text = folder.run(&["check", "c.pml", "--symbolic", "dec"]).expect(0).stdout;
    assert!(text.contains("symbolic: dec\nexplicit: weight, at(converter)\n"), "{text}");
    assert!(text.contains("--symbolic dec"), "the command that reproduces it: {text}");
    let info = folder.run(&["info", "c.pml"]).expect(0).stdout;
    assert!(info.contains("symbolic dec  # 8 bits, wide data that decides nothing"), "{info}");
    assert!(info.contains("explicit weight  # 8 bits, decides control flow"), "{info}");
}

#[test]
fn unknown_parts_files_and_engines_are_refused() {
    let folder = Folder::with(&[("c.pml", CONVERTER), ("bad.txt", "symbolic dec\nperhaps weight\n")]);
    for (flags, wanted) in [
        (&["--symbolic", "nothing"][..], "`nothing` is no part"),
        (&["--partition", "missing.txt"], "missing.txt"),
        (&["--partition", "bad.txt"], "bad.txt:2"),
        (&["--symbolic", "dec", "--engine", "bnb"], "does not run on sets of values"),
    ] {
        let ran = folder.run(&[&["check", "c.pml"], flags].concat()).expect(2);
        assert!(ran.stderr.contains(wanted), "{}", ran.stderr);
    }
}
