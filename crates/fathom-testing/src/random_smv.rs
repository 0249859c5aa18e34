//! Random programs in SMV: every way to constrain and to choose, on a few small variables, and now and then a division by zero or a value that does not fit.
//!
//! A variable without a next value takes any, so that steps multiply: with four such variables, an input and two processes there are millions of
//! them, which a check without optimization does not see the end of. Few variables are left free, and none when the choices have run out.

use crate::Entropy;

/// Variables with their types and values.
const VARIABLES: [(&str, &str, [&str; 3]); 4] = [
    ("x", "0..3", ["0", "1", "3"]),
    ("y", "boolean", ["TRUE", "FALSE", "TRUE"]),
    ("z", "{red, green, blue}", ["red", "green", "blue"]),
    ("w", "unsigned word[2]", ["0ud2_0", "0ud2_1", "0ud2_3"]),
];

/// A program that the front end accepts.
pub fn random_smv(entropy: &mut Entropy<'_>) -> String {
    let mut text = String::from("MODULE main\n");
    if entropy.chance(33) {
        text.push_str("IVAR i : boolean;\n");
    }
    let has_input = text.contains("IVAR");
    text.push_str("VAR\n");
    for (name, ty, _) in VARIABLES {
        text.push_str(&format!("  {name} : {ty};\n"));
    }
    let has_processes = entropy.chance(33);
    if has_processes {
        text.push_str("  p : process side(y); q : process side(y);\n");
    }
    text.push_str("ASSIGN\n");
    // What the processes set is free in the others' steps.
    let mut n_free = if has_processes { 1 } else { 2 };
    for (name, _, values) in VARIABLES {
        if !entropy.chance(33) {
            text.push_str(&format!("  init({name}) := {};\n", initial(entropy, name, &values)));
        }
        let is_free = entropy.chance(25) && n_free > 0;
        n_free -= usize::from(is_free);
        let is_set_by_processes = has_processes && name == "y";
        if !is_free && !is_set_by_processes {
            text.push_str(&format!("  next({name}) := {};\n", next(entropy, name, &values, has_input)));
        }
    }
    for (section, has_next) in [("INIT", false), ("INVAR", false), ("TRANS", true)] {
        if entropy.chance(25) {
            text.push_str(&format!("{section} {}\n", condition(entropy, has_next, has_next && has_input)));
        }
    }
    if entropy.chance(10) {
        text.push_str("INIT 3 / x > 1\n");
    }
    if entropy.chance(25) {
        text.push_str(&format!("FAIRNESS {}\n", condition(entropy, false, false)));
    }
    for _ in 0..1 + entropy.below(2) {
        text.push_str(&format!("CTLSPEC {}\n", formula(entropy, 3)));
    }
    text.push_str(&format!("LTLSPEC {}\n", run_formula(entropy)));
    text.push_str(&format!("INVARSPEC {}\n", condition(entropy, false, false)));
    if has_processes {
        text.push_str("MODULE side(flag)\nVAR n : 0..2;\nASSIGN init(n) := 0;\n");
        text.push_str("  next(n) := case flag : {n, 0}; n < 2 : n + 1; TRUE : 0; esac;\n");
        text.push_str("  next(flag) := case n = 2 : !flag; TRUE : flag; esac;\n");
        if entropy.below(2) == 0 {
            text.push_str("FAIRNESS running\n");
        }
    }
    text
}

fn initial(entropy: &mut Entropy<'_>, name: &str, values: &[&str; 3]) -> String {
    match entropy.below(if name == "x" { 10 } else { 9 }) {
        9 => (*entropy.pick(&["y ? 4 : 2", "{2, 7}", "case y : 1; esac", "5..6"])).to_owned(),
        0..3 => format!("{{{}, {}}}", values[0], values[2]),
        _ => (*entropy.pick(values)).to_owned(),
    }
}

fn value(entropy: &mut Entropy<'_>, name: &str, values: &[&str; 3]) -> String {
    let kept = match name {
        "x" => *entropy.pick(&["(x + 1) mod 4", "(x + 1) mod 4", "3 / x", "x + 1", "{x, x + 2}"]),
        "y" => "x > 1",
        "w" => "w + 0ud2_1",
        _ => name,
    };
    match entropy.below(4) {
        0 => kept.to_owned(),
        1 => name.to_owned(),
        2 => format!("{{{}, {name}}}", values[1]),
        _ => (*entropy.pick(values)).to_owned(),
    }
}

fn next(entropy: &mut Entropy<'_>, name: &str, values: &[&str; 3], has_input: bool) -> String {
    if entropy.below(3) == 0 {
        return value(entropy, name, values);
    }
    let first = condition(entropy, false, has_input);
    let (one, other) = (value(entropy, name, values), value(entropy, name, values));
    format!("case {first} : {one}; TRUE : {other}; esac")
}

fn condition(entropy: &mut Entropy<'_>, has_next: bool, has_input: bool) -> String {
    let atom = |entropy: &mut Entropy<'_>| {
        let next = has_next && entropy.below(2) == 0;
        let variable = |name: &str| if next { format!("next({name})") } else { name.to_owned() };
        match entropy.below(if has_input { 6 } else { 5 }) {
            0 => format!("{} > 1", variable("x")),
            1 => variable("y"),
            2 => format!("{} = green", variable("z")),
            3 => format!("{}[1:1] = 0ub1_1", variable("w")),
            4 => format!("{} in {{0, 3}}", variable("x")),
            _ => "i".to_owned(),
        }
    };
    let left = atom(entropy);
    let sign = *entropy.pick(&["|", "&", "->", "<->", "xor"]);
    match entropy.below(3) {
        0 => left,
        1 => format!("!({left})"),
        _ => format!("({left} {sign} {})", atom(entropy)),
    }
}

fn run_formula(entropy: &mut Entropy<'_>) -> String {
    let (one, other) = (condition(entropy, false, false), condition(entropy, false, false));
    match entropy.below(7) {
        0 => format!("G F ({one})"),
        1 => format!("F G ({one})"),
        2 => format!("G (({one}) -> F ({other}))"),
        3 => format!("(({one}) U ({other}))"),
        4 => format!("G F ({one}) -> G F ({other})"),
        5 => format!("G (({one}) -> X ({other}))"),
        _ => format!("F (({one}) & X X ({other}))"),
    }
}

fn formula(entropy: &mut Entropy<'_>, depth: usize) -> String {
    if depth == 0 || entropy.below(5) == 0 {
        return condition(entropy, false, false);
    }
    let left = formula(entropy, depth - 1);
    let word = *entropy.pick(&["EX", "EF", "EG", "AX", "AF", "AG", "EG", "AF"]);
    match entropy.below(8) {
        0 => format!("!({left})"),
        1 => format!("(({left}) & ({}))", formula(entropy, depth - 1)),
        2 => format!("E [({left}) U ({})]", formula(entropy, depth - 1)),
        3 => format!("A [({left}) U ({})]", formula(entropy, depth - 1)),
        _ => format!("{word} ({left})"),
    }
}
