//! `fathom plan` as a whole program.

use crate::common::Folder;

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

/// A file of the examples.
fn example(name: &str) -> String {
    format!("{}/../../examples/{name}", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn what_is_wrong_is_said_of_the_flag_that_gave_it() {
    let folder = Folder::with(&[("m.pml", WAYS), ("m.xta", "process P() { state a; init a; } system P;")]);
    for (model, wrong) in [("m.pml", "at == nothing"), ("m.xta", "P.nothing")] {
        for (flag, flags) in
            [("--goal", &["--goal", wrong][..]), ("--show", &["--goal", "true", "--show", wrong])]
        {
            let ran = folder.run(&[&["plan", model, "--quiet"][..], flags].concat()).expect(2);
            assert!(ran.stderr.contains(&format!("cannot understand {flag}")), "{model}: {}", ran.stderr);
        }
    }
    let ran = folder.run(&["test", "m.pml", "--trap", "at == nothing", "--quiet"]).expect(2);
    assert!(ran.stderr.contains("cannot understand --trap"), "{}", ran.stderr);
}

/// Every language has plans as tables, JSON and pictures.
#[test]
fn every_language_has_plans() {
    let folder = Folder::with(&[]);
    let known = [
        ("promela/hanoi.pml", "right == 7", "right", 7),
        ("smv/clock.smv", "minute = 1", "second", 60),
        ("if/alternating_bit.if", "transmitter@busy", "", 0),
        ("if/watchdog.if", "supervisor@given_up", "", 0),
        ("uppaal/bridge.xta", "arrived == N", "arrived", 0),
        ("timed/crossing.tck", "Train.crossing", "", 0),
        ("csharp/ticket_machine.cs", "!accepting", "Machine.inserted", 1),
    ];
    for (number, (file, goal, shown, n_steps)) in known.into_iter().enumerate() {
        let (file, picture) = (example(file), format!("{number}.svg"));
        let mut arguments =
            vec!["plan", &file, "--goal", goal, "--gantt", &picture, "--format", "json", "--quiet"];
        if !shown.is_empty() {
            arguments.extend(["--show", shown]);
        }
        let plan = folder.run(&arguments).expect(0).json();
        assert_eq!((&plan["answer"], &plan["optimal"]), (&"found".into(), &true.into()), "{file}");
        let steps = plan["steps"].as_array().unwrap();
        assert_eq!(plan["value"], (steps.len() - 1) as f64, "{file}");
        assert!(n_steps == 0 || steps.len() == n_steps + 1, "{file}: {}", steps.len());
        assert!(shown.is_empty() || steps[0]["shown"][shown].is_i64(), "{file}");
        assert!(folder.read(&picture).contains("<rect x="), "{file}");
        let table = folder.run(&["plan", &file, "--goal", goal, "--quiet"]).expect(0).stdout;
        assert!(table.contains("optimal: proved"), "{table}");
    }
}

/// A lamp that can be switched for ever, burn for ever, or break.
const LAMP: &str = "byte heat; bool on;
active proctype lamp() {
  do
  :: d_step { !on -> on = 1; heat = 2 }
  :: d_step { on && heat < 5 -> heat++ }
  :: d_step { on && heat == 5 -> on = 0; heat = 0 }
  :: d_step { on && heat == 3 -> on = 0; heat = 1 }
  :: on -> break
  od
}";

#[test]
fn schedules_go_on_for_ever() {
    let folder = Folder::with(&[("m.pml", LAMP)]);
    let plan = |more: &[&str], status: i32| {
        let arguments =
            ["plan", "m.pml", "--cycle", "--show", "heat", "--show", "on", "--format", "json", "--quiet"];
        folder.run(&[&arguments[..], more].concat()).expect(status).json()
    };
    // The loop comes back, and the goal is true in it.
    let dark = plan(&["--goal", "!on && heat == 0"], 0);
    let (steps, at) = (dark["steps"].as_array().unwrap(), dark["loop_at"].as_u64().unwrap() as usize);
    assert_eq!(steps[at]["shown"], steps[steps.len() - 1]["shown"]);
    assert!(steps[at..].iter().any(|step| step["shown"]["on"] == 0 && step["shown"]["heat"] == 0), "{dark}");
    // The least heat of a lamp that is switched for ever is proved; one that stays cooler is impossible.
    let cool = plan(&["--goal", "on", "--minimize", "heat"], 0);
    assert_eq!((&cool["value"], &cool["optimal"]), (&3.0.into(), &true.into()));
    assert_eq!(plan(&["--goal", "on", "--keep", "heat < 3"], 1)["answer"], "impossible");
    // Runs that end are no schedules: the lamp that is broken stays on, and nothing happens any more.
    assert_eq!(
        plan(&["--goal", "on", "--keep", "heat < 5", "--keep", "on || heat == 0"], 1)["answer"],
        "impossible"
    );
    let text = folder.run(&["plan", "m.pml", "--cycle", "--goal", "on", "--quiet"]).expect(0).stdout;
    assert!(text.contains("a schedule for ever") && text.contains("again and again:"), "{text}");
}

#[test]
fn schedules_without_an_end_have_their_own_flags() {
    let folder = Folder::with(&[("m.pml", LAMP)]);
    let refused = [
        &["--cycle"][..],
        &["--goal", "on", "--keep", "on"],
        &["--cycle", "--goal", "on", "--minimize", "steps"],
        &["--cycle", "--goal", "on", "--store", "bitstate"],
        &["--goal", "on", "--store", "bitstate"],
        &["--cycle", "--goal", "on", "--keep", "nothing"],
    ];
    for flags in refused {
        folder.run(&[&["plan", "m.pml", "--quiet"][..], flags].concat()).expect(2);
    }
}

/// A machine that works for 5 to 10 units, and rests for 3 or, after two jobs, for 7.
const MACHINE: &str = "clock x; int jobs; int rest;
process M() { state idle { x <= rest }, busy { x <= 10 }; init idle;
  trans idle -> busy { guard x >= rest; assign x = 0; },
    busy -> idle { guard x >= 5 && jobs < 1; assign x = 0, jobs = jobs + 1, rest = 3; },
    busy -> idle { guard x >= 5 && jobs >= 1; assign x = 0, jobs = 0, rest = 7; }; }
system M;";

#[test]
fn schedules_of_timed_automata_go_on_for_ever() {
    let folder = Folder::with(&[("m.xta", MACHINE)]);
    let arguments =
        ["plan", "m.xta", "--cycle", "--goal", "M.busy", "--show", "jobs", "--gantt", "m.svg", "--quiet"];
    let plan = folder.run(&[&arguments[..], &["--format", "json"]].concat()).expect(0).json();
    let (steps, at) = (plan["steps"].as_array().unwrap(), plan["loop_at"].as_u64().unwrap() as usize);
    assert_eq!(steps.len() - 1 - at, 4, "two jobs");
    assert_eq!(steps[at]["shown"], steps[steps.len() - 1]["shown"]);
    assert!(folder.read("m.svg").contains("again and again"));
    let kept = ["plan", "m.xta", "--cycle", "--goal", "M.busy", "--keep", "rest < 7", "--quiet"];
    assert_eq!(folder.run(&kept).expect(1).status, Some(1));
    let least =
        ["plan", "m.xta", "--cycle", "--goal", "M.busy", "--minimize", "rest", "--format", "json", "--quiet"];
    let least = folder.run(&least).expect(0).json();
    assert_eq!((&least["value"], &least["optimal"]), (&7.0.into(), &true.into()));
}

/// Other languages, and their own expressions in goals.
#[test]
fn schedules_go_on_for_ever_in_other_languages() {
    let folder = Folder::with(&[]);
    let known = [
        ("smv/clock.smv", "hour = 3", "hour", Some("3")),
        ("if/alternating_bit.if", "transmitter@idle", "", None),
        ("timed/crossing.tck", "Train.crossing", "", None),
    ];
    for (file, goal, minimized, least) in known {
        let file = example(file);
        let mut arguments = vec!["plan", &file, "--cycle", "--goal", goal, "--quiet"];
        if least.is_some() {
            arguments.extend(["--minimize", minimized]);
        }
        let text = folder.run(&arguments).expect(0).stdout;
        assert!(text.contains("a schedule for ever"), "{file}: {text}");
        let value = least.map(|least| format!("{minimized} at most {least}; optimal: proved"));
        assert!(value.is_none_or(|value| text.contains(&value)), "{file}: {text}");
    }
}

#[test]
fn schedules_of_model_programs_go_on_for_ever() {
    let folder = Folder::with(&[]);
    let file = example("csharp/ticket_machine.cs");
    let arguments = ["plan", &file, "--cycle", "--goal", "accepting", "--format", "json", "--quiet"];
    let plan = folder.run(&arguments).expect(0).json();
    assert!(plan["loop_at"].is_u64() && plan["steps"].as_array().unwrap().len() > 1, "{plan}");
    let ran = folder.run(&["plan", &file, "--goal", "no_such_name", "--quiet"]).expect(2);
    assert!(ran.stderr.contains("accepting"), "{}", ran.stderr);
}

#[test]
fn values_along_a_plan_are_drawn() {
    let folder = Folder::with(&[("m.pml", WAYS)]);
    let plots = ["--plot", "at,paid + 1=p.svg", "--plot", "at == 4=p.svg", "--plot", "paid=q.svg"];
    let arguments = ["plan", "m.pml", "--goal", "at == 4", "--minimize", "paid", "--show", "paid", "--quiet"];
    folder.run(&[&arguments[..], &plots].concat()).expect(0);
    let picture = folder.read("p.svg");
    // Two panels with five points for each of three curves, and a legend of three.
    assert_eq!(picture.matches("<circle").count(), 3 * 5 + 3, "{picture}");
    assert!(picture.contains("paid + 1") && picture.contains("at == 4") && picture.contains("steps"));
    assert!(folder.read("q.svg").contains("paid"));
    folder.run(&[&arguments[..], &["--plot", "paid=q.png"]].concat()).expect(0);
    assert!(std::fs::read(folder.path("q.png")).unwrap().starts_with(b"\x89PNG"));
    folder.run(&[&arguments[..], &plots].concat()).expect(2);
    folder.run(&["plan", "m.pml", "--goal", "at == 4", "--plot", "at"]).expect(2);
    folder.run(&["plan", "m.pml", "--goal", "at == 4", "--plot", "at=x.svg", "--gantt", "x.svg"]).expect(2);
}

/// Turns left or right, as it likes; whoever controls it says where.
const TURNS: &str = "bool left; byte place;
#ifdef CONTROLLED
#include \"controller.pml\"
#endif
active proctype walker() {
  do
#ifdef CONTROLLED
  :: d_step { true -> controller_step(); place = (place + (left -> 4 : 1)) % 5 }
#else
  :: d_step { true -> left = 1; place = (place + 4) % 5 }
  :: d_step { true -> left = 0; place = (place + 1) % 5 }
#endif
  od
}";

#[test]
fn a_controller_in_promela_takes_the_place_of_choices() {
    let folder = Folder::with(&[("m.pml", TURNS)]);
    let arguments = ["plan", "m.pml", "--cycle", "--goal", "place == 2", "--keep", "place < 3", "--quiet"];
    let controller = ["--emit-controller", "controller.pml", "--control", "left"];
    folder.run(&[&arguments[..], &controller].concat()).expect(0);
    let controlled = ["check", "m.pml", "-D", "CONTROLLED", "--quiet"];
    folder
        .run(&[&controlled[..], &["--invariant", "place < 3", "--ltl", "[]<> (place == 2)"]].concat())
        .expect(0);
    // Without the controller, neither is true.
    folder.run(&["check", "m.pml", "--invariant", "place < 3", "--quiet"]).expect(1);
    // Nothing is overwritten unless the user says so.
    folder.run(&[&arguments[..], &controller].concat()).expect(2);
    folder.run(&[&arguments[..], &controller, &["--force"]].concat()).expect(0);
    let refused = [
        &["--emit-controller", "c.txt", "--control", "left"][..],
        &["--emit-controller", "c.pml"],
        &["--control", "left"],
        &["--emit-controller", "c.pml", "--control", "left + 1"],
        &["--emit-controller", "c.pml", "--control", "left", "--control-sync", "tick!"],
        &["--emit-controller", "c.pml", "--control", "left", "--control-at", "place > 7"],
    ];
    for flags in refused {
        folder.run(&[&arguments[..], flags].concat()).expect(2);
        assert!(!folder.path("c.pml").exists() && !folder.path("c.txt").exists());
    }
}

#[test]
fn a_controller_of_a_plan_with_an_end_ends() {
    let folder = Folder::with(&[("m.pml", TURNS)]);
    let arguments =
        ["plan", "m.pml", "--goal", "place == 3", "--emit-controller", "controller.pml", "--quiet"];
    folder.run(&[&arguments[..], &["--control", "left"]].concat()).expect(0);
    assert!(folder.read("controller.pml").contains("#define CONTROLLER_DONE"));
    // After its choices the walker stands at the goal, and the controller says no more.
    let checked = folder.run(&["check", "m.pml", "-D", "CONTROLLED", "--invariant", "place != 3", "--quiet"]);
    assert!(checked.status == Some(1), "{checked:?}");
    folder.run(&[&arguments[..], &["--control", "left", "--control-repeat", "--force"]].concat()).expect(0);
    folder.run(&["check", "m.pml", "-D", "CONTROLLED", "--ltl", "[]<> (place == 3)", "--quiet"]).expect(0);
}

#[test]
fn a_controller_in_uppaal_has_the_delays_of_the_plan() {
    let folder = Folder::with(&[("m.xta", MACHINE)]);
    let arguments = ["plan", "m.xta", "--cycle", "--goal", "M.busy", "--quiet"];
    let controller = ["--emit-controller", "c.xml", "--control", "working=M.busy", "--control-sync", "go!"];
    folder.run(&[&arguments[..], &controller].concat()).expect(0);
    let asked = ["--query", "A[] not deadlock", "--query", "E<> Controller.at_1 && working == 1"];
    folder.run(&[&["check", "c.xml", "--quiet"][..], &asked].concat()).expect(0);
    let text = folder.read("c.xml");
    assert!(
        text.contains("waited &lt;= 5") && text.contains("waited &lt;= 3") && text.contains("waited &lt;= 7"),
        "{text}"
    );
    assert!(text.contains("go!"), "{text}");
}

/// The card of J. Ernits (2007): a schedule found in a few kilobytes, made an arbiter, put back and verified.
#[test]
fn an_arbiter_from_a_few_kilobytes_is_verified() {
    let (model, plant) = (example("promela/arbiter.pml"), example("uppaal/arbiter.xml"));
    let folder = Folder::with(&[]);
    std::fs::copy(&model, folder.path("arbiter.pml")).unwrap();
    // 32768 bits are 4 kB.
    let found = [
        "plan",
        "arbiter.pml",
        "-D",
        "SCHEDULE=0",
        "--goal",
        "closed",
        "--minimize",
        "none",
        "--format",
        "json",
    ];
    let store = ["--store", "bitstate", "--store-bits", "32768", "--quiet"];
    let control = ["--control", "bus", "--control-at", "!closed", "--control-repeat"];
    let promela = ["--emit-controller", "arbiter_controller.pml"];
    let plan = folder.run(&[&found[..], &store, &control, &promela].concat()).expect(0).json();
    assert!(plan["statistics"]["store_bytes"].as_u64().unwrap() <= 4096, "{}", plan["statistics"]);
    assert_eq!(plan["optimal"], false);
    let asked = [
        &["--invariant", "IN_BOUNDS", "--invariant", "!missed"][..],
        &["--property", "deadlock", "--reach", "ticks > 31", "--quiet"],
    ];
    folder.run(&[&["check", "arbiter.pml", "-D", "SCHEDULE=4"], asked[0], asked[1]].concat()).expect(0);
    // The same as an automaton of Uppaal, with time: the three queries of the model, and that no burst is missed.
    let uppaal = ["--emit-controller", "arbiter.xml", "--control-into", &plant];
    let timing = ["--control-sync", "tick!", "--control-period", "40"];
    folder.run(&[&found[..], &store, &control, &uppaal, &timing].concat()).expect(0);
    let report = folder.run(&["check", "arbiter.xml", "--format", "json", "--quiet"]).expect(0).json();
    let verdicts: Vec<&serde_json::Value> = report["properties"].as_array().unwrap().iter().collect();
    assert!(verdicts.len() >= 4 && verdicts.iter().all(|one| one["verdict"] == "holds"), "{report}");
    // An arbiter that does not do its work is found out.
    let broken = folder.read("arbiter.xml").replace("bus = 7", "bus = 0");
    folder.write("broken.xml", broken);
    folder.run(&["check", "broken.xml", "--quiet"]).expect(1);
}
