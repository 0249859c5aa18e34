//! Random networks of timed automata in the text format of Uppaal: two processes with a clock each, an integer, and a channel of every kind.

use std::fmt::Write;

use crate::Entropy;

/// Locations of each process.
const N_LOCATIONS: usize = 3;

/// Conditions on the locations and the integer of such a network.
pub const CONDITIONS: [&str; 9] =
    ["P.l0", "P.l1", "P.l2", "Q.l0", "Q.l1", "Q.l2", "v == 0", "v == 1", "v == 2"];

/// A network that the front end accepts.
pub fn random_uppaal(entropy: &mut Entropy<'_>) -> String {
    let mut text = String::from("clock x, y;\nint[0,2] v;\n");
    let kind = *entropy.pick(&["", "", "urgent ", "broadcast "]);
    let _ = writeln!(text, "{kind}chan a;");
    for name in ["P", "Q"] {
        // Uppaal has no bounds on clocks where a channel is urgent.
        process(entropy, name, kind == "urgent ", &mut text);
    }
    text.push_str("system P, Q;\n");
    text
}

fn process(entropy: &mut Entropy<'_>, name: &str, is_urgent: bool, text: &mut String) {
    let states: Vec<String> = (0..N_LOCATIONS)
        .map(|location| match entropy.below(3) {
            0 => format!("l{location}"),
            bound => {
                format!("l{location} {{ {} <= {} }}", entropy.pick(&["x", "y"]), bound + entropy.below(3))
            }
        })
        .collect();
    let _ = writeln!(text, "process {name}() {{\n  state {};", states.join(", "));
    match entropy.below(8) {
        6 => text.push_str("  commit l1;\n"),
        7 => text.push_str("  urgent l2;\n"),
        _ => {}
    }
    text.push_str("  init l0;\n  trans\n");
    let n_edges = 2 + entropy.below(4);
    let edges: Vec<String> = (0..n_edges).map(|_| edge(entropy, name, is_urgent)).collect();
    let _ = writeln!(text, "{};\n}}", edges.join(",\n"));
}

fn edge(entropy: &mut Entropy<'_>, name: &str, is_urgent: bool) -> String {
    let (from, to) = (entropy.below(N_LOCATIONS), entropy.below(N_LOCATIONS));
    let has_sync = entropy.chance(35);
    let mut parts: Vec<String> = Vec::new();
    if entropy.chance(30) {
        parts.push(format!("v == {}", entropy.below(3)));
    }
    for clock in ["x", "y"] {
        if entropy.chance(35) && !(has_sync && is_urgent) {
            let sign = *entropy.pick(&[">=", ">", "<=", "<", "=="]);
            parts.push(format!("{clock} {sign} {}", 1 + entropy.below(3)));
        }
    }
    let mut edge = format!("    l{from} -> l{to} {{");
    if !parts.is_empty() {
        let _ = write!(edge, " guard {};", parts.join(" && "));
    }
    if has_sync {
        let _ = write!(edge, " sync a{};", if name == "P" { "!" } else { "?" });
    }
    let mut updates: Vec<String> = Vec::new();
    for clock in ["x", "y"] {
        if entropy.chance(40) {
            updates.push(format!("{clock} = 0"));
        }
    }
    if entropy.chance(40) {
        updates.push(format!("v = {}", entropy.pick(&["0", "1", "2", "(v + 1) % 3"])));
    }
    if !updates.is_empty() {
        let _ = write!(edge, " assign {};", updates.join(", "));
    }
    edge.push_str(" }");
    edge
}
