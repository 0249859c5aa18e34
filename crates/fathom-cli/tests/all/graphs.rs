//! `fathom graph` on states: marks, limits and symmetry, in every language and both forms.

use crate::common::{Folder, TWO_ERRORS};

const UNSAFE: &str = "fillcolor=lightpink";
const DEADLOCK: &str = "fillcolor=orange";
const GOAL: &str = "fillcolor=lightblue";
const ACCEPTING: &str = "fillcolor=palegreen";

/// The lines of a graph that draw nodes.
fn nodes(dot: &str) -> Vec<&str> {
    dot.lines()
        .filter(|line| line.trim_start().starts_with('n') && line.contains(" [label="))
        .filter(|line| !line.contains(" -> "))
        .collect()
}

fn n_steps(dot: &str) -> usize {
    dot.lines().filter(|line| line.contains(" -> ") && !line.contains("label=\"\"")).count()
}

/// The only node whose text has this.
#[track_caller]
fn node<'a>(dot: &'a str, text: &str) -> &'a str {
    let found: Vec<&str> = nodes(dot).into_iter().filter(|line| line.contains(text)).collect();
    assert_eq!(found.len(), 1, "{text} in {dot}");
    found[0]
}

#[track_caller]
fn check_marks(line: &str, has: &[&str], has_not: &[&str]) {
    assert!(has.iter().all(|mark| line.contains(mark)), "{has:?} in {line}");
    assert!(has_not.iter().all(|mark| !line.contains(mark)), "not {has_not:?} in {line}");
}

#[test]
fn states_of_promela_are_marked_by_what_they_are() {
    let folder = Folder::with(&[("two.pml", TWO_ERRORS)]);
    let dot = folder.run(&["graph", "two.pml", "--states"]).expect(0).stdout;
    check_marks(node(&dot, "assertion violated"), &[UNSAFE], &[DEADLOCK, "penwidth"]);
    check_marks(node(&dot, "*** deadlock"), &[DEADLOCK], &[UNSAFE, "peripheries"]);
    let ends: Vec<&str> = nodes(&dot).into_iter().filter(|line| line.contains(ACCEPTING)).collect();
    // At the end of the text, and after that.
    assert_eq!(ends.len(), 2, "{dot}");
    ends.into_iter().for_each(|end| check_marks(end, &["peripheries=2"], &["penwidth"]));
    check_marks(node(&dot, "label=\"0\\n"), &["penwidth=3"], &["fillcolor"]);
    for meaning in ["pink: something is wrong", "orange: deadlock", "thick line: start"] {
        assert!(dot.contains(meaning), "{dot}");
    }
    assert!(!dot.contains("what is to be reached"), "{dot}");
    let svg = folder.run(&["graph", "two.pml", "--states", "--format", "svg"]).expect(0).stdout;
    for wanted in ["orange: deadlock", "#FFB6C1", "#FFA500", "#98FB98", "data-line=\"double\""] {
        assert!(svg.to_lowercase().contains(&wanted.to_lowercase()), "{wanted} is not in {svg}");
    }
}

#[test]
fn a_state_that_is_cut_is_still_what_it_is() {
    let folder = Folder::with(&[("two.pml", TWO_ERRORS)]);
    let dot = folder.run(&["graph", "two.pml", "--states", "--max-transitions", "2"]).expect(0).stdout;
    assert_eq!(n_steps(&dot), 2, "{dot}");
    check_marks(node(&dot, "assertion violated"), &[UNSAFE, "filled,dashed"], &[]);
    let none = folder.run(&["graph", "two.pml", "--states", "--max-transitions", "0"]).expect(0).stdout;
    assert_eq!((nodes(&none).len(), n_steps(&none)), (1, 0), "{none}");
    check_marks(nodes(&none)[0], &["style=dashed", "penwidth=3"], &["fillcolor"]);
}

/// Three workers who need the tool one after the other.
const WORKERS: &str = "bool used;
active [3] proctype worker() { do :: atomic { !used -> used = true }; used = false od }
";

#[test]
fn states_of_promela_that_differ_in_names_only_are_drawn_as_one() {
    let folder = Folder::with(&[("workers.pml", WORKERS), ("two.pml", TWO_ERRORS)]);
    let draw =
        |more: &[&str]| folder.run(&[&["graph", "workers.pml", "--states"], more].concat()).expect(0).stdout;
    let (all, fewer) = (draw(&[]), draw(&["--symmetry", "canonical"]));
    assert!(nodes(&fewer).len() < nodes(&all).len(), "{fewer}");
    assert_eq!(nodes(&draw(&["--symmetry", "none"])).len(), nodes(&all).len());
    let checked = |more: &[&str]| {
        let check = [&["check", "workers.pml", "--continue", "--format", "json"], more].concat();
        let report = folder.run(&check).expect(0).json();
        report["statistics"]["states"].as_u64()
    };
    assert_eq!(checked(&[]), Some(nodes(&all).len() as u64));
    assert_eq!(checked(&["--symmetry", "canonical"]), Some(nodes(&fewer).len() as u64));
    let twins = draw(&["--twins"]);
    let arrows_to_twins = twins.lines().filter(|line| line.contains("[label=\"\", style=dashed]")).count();
    assert!(arrows_to_twins > 0, "{twins}");
    assert_eq!(nodes(&twins).len() - arrows_to_twins, nodes(&fewer).len(), "{twins}");
    let ran = folder.run(&["graph", "two.pml", "--states", "--symmetry", "canonical"]).expect(0);
    assert!(ran.stderr.contains("nothing in the model may be exchanged"), "{}", ran.stderr);
}

#[test]
fn flags_about_states_are_refused_on_control_flow() {
    let folder = Folder::with(&[("workers.pml", WORKERS), ("switch.xta", SWITCH)]);
    for flags in [
        &["workers.pml", "--symmetry", "canonical"][..],
        &["workers.pml", "--max-transitions", "3"],
        &["workers.pml", "--max-states", "3"],
        &["workers.pml", "--twins"],
        &["workers.pml", "--states", "--symmetry", "pairwise"],
        &["workers.pml", "--states", "--symmetry", "none", "--twins"],
        &["switch.xta", "--states", "--twins"],
    ] {
        folder.run(&[&["graph"], flags].concat()).expect(2);
    }
}

/// On and off, twice at most; then nothing.
const SWITCH: &str = "clock x; int[0,2] n;
process P() { state off, on { x <= 3 }; init off;
  trans off -> on { guard n < 2; assign n = n + 1, x = 0; }, on -> off { guard x >= 2; }; }
system P;
/* Queries are elsewhere. */
";

const SWITCH_XML: &str = "<nta><declaration>clock x; int[0,2] n;</declaration>
<template><name>P</name><location id=\"a\"><name>off</name></location><location id=\"b\"><name>on</name></location>
<init ref=\"a\"/>
<transition><source ref=\"a\"/><target ref=\"b\"/><label kind=\"guard\">n &lt; 2</label><label kind=\"assignment\">n = n + 1</label></transition>
<transition><source ref=\"b\"/><target ref=\"a\"/></transition></template>
<system>system P;</system>
<queries><query><formula>E&lt;&gt; P.on &amp;&amp; n == 1</formula></query>
<query><formula>A[] !(P.on &amp;&amp; n == 2)</formula></query></queries></nta>
";

#[test]
fn zones_are_marked_by_what_they_are() {
    let folder = Folder::with(&[("switch.xta", SWITCH), ("switch.xml", SWITCH_XML)]);
    let dot = folder.run(&["graph", "switch.xta", "--states"]).expect(0).stdout;
    check_marks(node(&dot, "*** deadlock"), &[DEADLOCK, "P.off"], &[UNSAFE]);
    let dot = folder.run(&["graph", "switch.xml", "--states"]).expect(0).stdout;
    check_marks(node(&dot, "P.on\\nn=1"), &[GOAL], &[UNSAFE, DEADLOCK]);
    check_marks(node(&dot, "P.on\\nn=2"), &[UNSAFE], &[GOAL, DEADLOCK]);
    check_marks(node(&dot, "P.off\\nn=2"), &[DEADLOCK], &[UNSAFE]);
    let cut = folder.run(&["graph", "switch.xml", "--states", "--max-transitions", "1"]).expect(0).stdout;
    assert_eq!((nodes(&cut).len(), n_steps(&cut)), (2, 1), "{cut}");
    check_marks(node(&cut, "P.on\\nn=1"), &[GOAL, "filled,dashed"], &[]);
}

/// One of two workers, told apart by nothing.
const TWINS: &str = "typedef scalar[3] id_t; bool b[id_t];
process P(const id_t me) { state idle, busy; init idle; trans idle -> busy { assign b[me] = true; }; }
system P;
";

#[test]
fn zones_that_differ_in_names_of_scalars_only_are_drawn_as_one() {
    let folder = Folder::with(&[("twins.xta", TWINS)]);
    let draw = |more: &[&str]| {
        let dot = folder.run(&[&["graph", "twins.xta", "--states"], more].concat()).expect(0).stdout;
        nodes(&dot).len()
    };
    assert_eq!((draw(&[]), draw(&["--symmetry", "none"]), draw(&["--symmetry", "canonical"])), (8, 8, 4));
}

/// Counts to three; may end at two and more; goes wrong at three.
const STAIRS: &str = r#"
using NModel;
using NModel.Attributes;
using NModel.Execution;

namespace Stairs
{
    public static class Step
    {
        static int at = 0;

        static bool UpEnabled() { return at < 3; }

        [Action]
        static void Up() { at = at + 1; }

        static bool JumpEnabled() { return at == 0; }

        [Action]
        static void Jump() { at = 7; }

        [StateInvariant]
        static bool NotThree() { return at != 3; }

        [AcceptingStateCondition]
        static bool HighEnough() { return at == 2 || at == 3; }
    }

    public static class Factory
    {
        public static ModelProgram Create() { return new LibraryModelProgram(typeof(Factory).Assembly, "Stairs"); }
    }
}
"#;

#[test]
fn states_of_programs_are_marked_by_what_they_are() {
    let anywhere = STAIRS.replace("[AcceptingStateCondition]", "");
    let folder = Folder::with(&[("stairs.cs", STAIRS), ("anywhere.cs", &anywhere)]);
    let dot = folder.run(&["graph", "stairs.cs"]).expect(0).stdout;
    check_marks(node(&dot, "at = 0"), &["penwidth=3"], &["fillcolor", "peripheries"]);
    check_marks(node(&dot, "at = 2"), &[ACCEPTING, "peripheries=2"], &[]);
    check_marks(node(&dot, "at = 3"), &[UNSAFE, "peripheries=2", "NotThree"], &[DEADLOCK]);
    check_marks(node(&dot, "at = 7"), &[DEADLOCK, "*** deadlock"], &["peripheries"]);
    let cut = folder.run(&["graph", "stairs.cs", "--max-transitions", "3"]).expect(0).stdout;
    assert_eq!(n_steps(&cut), 3, "{cut}");
    check_marks(node(&cut, "at = 2"), &[ACCEPTING, "peripheries=2", "filled,dashed"], &[]);
    // Where a run may end anywhere, the last states are enough.
    let dot = folder.run(&["graph", "anywhere.cs"]).expect(0).stdout;
    check_marks(node(&dot, "at = 7"), &[ACCEPTING], &[DEADLOCK]);
    check_marks(node(&dot, "at = 2"), &[], &["fillcolor", "peripheries"]);
    let svg = folder.run(&["graph", "stairs.cs", "--format", "svg"]).expect(0).stdout;
    assert!(svg.contains("green, double line: may end"), "{svg}");
}
