//! `fathom plan` as a whole program.

mod common;

use common::Folder;

/// Two ways to get to 4: many cheap steps, or few dear ones.
const WAYS: &str = "byte at; short paid;
active proctype p() { do :: d_step { at < 4 -> at = at + 1; paid = paid + 1 } :: d_step { at == 0 -> at = 4; paid = paid + 9 } od }";

#[test]
fn the_best_plan_depends_on_what_is_made_small() {
    let folder = Folder::with(&[("m.pml", WAYS)]);
    let plan = |minimize: &str| {
        let arguments = ["plan", "m.pml", "--goal", "at == 4", "--minimize", minimize, "--format", "json"];
        folder.run(&[&arguments[..], &["--show", "paid", "--quiet"]].concat()).expect(0).json()
    };
    let (short, cheap) = (plan("steps"), plan("paid"));
    assert_eq!((&short["value"], &short["optimal"]), (&1.0.into(), &true.into()));
    assert_eq!((&cheap["value"], &cheap["optimal"]), (&4.0.into(), &true.into()));
    assert_eq!(short["steps"][1]["shown"]["paid"], 9);
    assert_eq!(cheap["steps"].as_array().unwrap().len(), 5);
}

#[test]
fn without_a_plan_the_status_says_whether_there_is_none() {
    let folder = Folder::with(&[("m.pml", WAYS)]);
    let ran = folder.run(&["plan", "m.pml", "--goal", "at == 7", "--quiet"]).expect(1);
    assert!(ran.stdout.contains("there is no plan"), "{}", ran.stdout);
    folder
        .run(&["plan", "m.pml", "--goal", "at == 4 && paid == 4", "--max-states", "2", "--quiet"])
        .expect(3);
    folder.run(&["plan", "m.pml", "--goal", "at == 4", "--minimize", "time"]).expect(2);
    folder.run(&["plan", "m.pml", "--goal", "at == nothing"]).expect(2);
}

#[test]
fn plans_of_timed_automata_have_moments_and_pictures() {
    let text = "clock x; process P() { state off, on { x <= 10 }, done; init off;
        trans off -> on { assign x = 0; }, on -> done { guard x >= 5; }; } system P;";
    let folder = Folder::with(&[("m.xta", text)]);
    let arguments =
        ["plan", "m.xta", "--goal", "P.done", "--minimize", "time", "--gantt", "p.svg", "--quiet"];
    let ran = folder.run(&[&arguments[..], &["--format", "json"]].concat()).expect(0).json();
    assert_eq!((&ran["value"], &ran["optimal"]), (&5.0.into(), &true.into()));
    assert_eq!(ran["steps"][2]["time"], 5.0);
    assert!(folder.read("p.svg").contains(">on<"), "{}", folder.read("p.svg"));
    folder.run(&arguments).expect(2);
    folder.run(&["plan", "m.xta", "--goal", "P.done", "--minimize", "cost"]).expect(2);
}

#[test]
fn a_picture_of_steps_has_a_bar_for_each_move() {
    let folder = Folder::with(&[("m.pml", WAYS)]);
    let arguments =
        ["plan", "m.pml", "--goal", "at == 4", "--minimize", "paid", "--gantt", "p.svg", "--quiet"];
    let text = folder.run(&arguments).expect(0).stdout;
    assert!(text.contains("a plan with 4 steps, paid 4; optimal: proved"), "{text}");
    assert_eq!(folder.read("p.svg").matches("<rect x=").count(), 4);
}
