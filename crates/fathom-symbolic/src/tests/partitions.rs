//! What partitions mean and what `auto` chooses.

use super::differential::model;
use crate::{Partition, UnknownPart};

const PROGRAM: &str = "byte total; byte step; bit flag; chan q = [2] of { byte };
    active proctype p() { byte data; byte i; byte a[3];
        do :: i < 3 -> a[i] = data; total = total + data * 5; i++ :: q!data :: q?data :: flag = !flag od }";

fn symbolic(partition: &Partition) -> Vec<&str> {
    partition.sides().iter().filter(|side| side.symbolic).map(|side| side.name.as_str()).collect()
}

#[test]
fn everything_that_varies_has_a_name() {
    let model = model(PROGRAM);
    let names: Vec<String> =
        Partition::explicit(&model).sides().iter().map(|side| side.name.clone()).collect();
    for name in ["total", "flag", "q", "at(p)", "p.data", "p.a", "len(q)", "messages(q)"] {
        assert!(names.iter().any(|known| known == name), "{name} in {names:?}");
    }
    assert!(Partition::explicit(&model).is_explicit());
    assert_eq!(symbolic(&Partition::symbolic(&model)).len(), names.len());
}

#[test]
fn names_move_parts_and_unknown_names_are_refused() {
    let model = model(PROGRAM);
    let some = Partition::explicit(&model).with(&["total", "p.a"], true).unwrap();
    assert_eq!(symbolic(&some), ["total", "p.a"]);
    let others = Partition::symbolic(&model).with(&["all"], false).unwrap().with(&["len(q)"], true).unwrap();
    assert_eq!(symbolic(&others), ["len(q)"]);
    let unknown = Partition::explicit(&model).with(&["nothing"], true);
    assert_eq!(unknown, Err(UnknownPart { name: "nothing".to_owned() }));
}

#[test]
fn arrays_and_instances_of_smv_move_as_a_whole() {
    let text = "MODULE main VAR a : array 0..1 of array 0..1 of boolean; ab : boolean; p : cell; pp : cell; MODULE cell VAR x : boolean; q : bit; MODULE bit VAR y : 0..3;";
    let (model, _) = super::microwave::smv(text);
    let moved =
        |name: &str| Partition::explicit(&model).with(&[name], true).map(|some| symbolic(&some).join(" "));
    assert_eq!(moved("a").unwrap(), "a[0][0] a[0][1] a[1][0] a[1][1]");
    assert_eq!(moved("a[1]").unwrap(), "a[1][0] a[1][1]");
    assert_eq!(moved("p").unwrap(), "p.x p.q.y");
    assert_eq!(moved("pp.q").unwrap(), "pp.q.y");
    assert!(moved("cell").is_err() && moved("a[").is_err());
}

#[test]
fn auto_keeps_what_decides_and_moves_what_is_only_carried() {
    let model = model(PROGRAM);
    let auto = Partition::auto(&model);
    let moved = symbolic(&auto);
    for data in ["total", "p.data", "p.a", "messages(q)"] {
        assert!(moved.contains(&data), "{data} is data: {moved:?}");
    }
    for control in ["at(p)", "len(q)", "p.i", "flag", "q"] {
        assert!(!moved.contains(&control), "{control} is control: {moved:?}");
    }
    let reason = |name: &str| auto.sides().iter().find(|side| side.name == name).map(|side| side.reason);
    assert_eq!(reason("p.i"), Some("decides control flow"));
    assert_eq!(reason("flag"), Some("narrow"));
}

/// Both products have the factor that never changes; what is made of it does not make it change.
#[test]
fn auto_knows_a_factor_that_settles_products() {
    let model = model(
        "byte a; byte b; byte e; byte f; byte wide;
         active proctype p() { do :: a = a * e; b = (b * 3) * e :: wide = a / f; f = e od }",
    );
    let auto = Partition::auto(&model);
    assert_eq!(symbolic(&auto), ["a", "b", "wide"]);
    let reason = |name: &str| auto.sides().iter().find(|side| side.name == name).map(|side| side.reason);
    assert!(reason("e").is_some_and(|reason| reason.contains("factor")));
    assert!(reason("f").is_some_and(|reason| reason.contains("factor")), "it is what the other factor is");
}
