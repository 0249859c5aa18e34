//! Graphs in the DOT language of Graphviz.

use std::fmt::Write;

use super::roles::explained;
use super::{Graph, Node, Role};

/// All graphs as one, each in a cluster of its own.
pub fn to_dot(name: &str, graphs: &[Graph]) -> String {
    let mut text = format!("digraph {} {{\n  node [shape=box, fontname=\"monospace\"];\n", quoted(name));
    text += "  edge [fontname=\"monospace\"];\n";
    for (number, graph) in graphs.iter().enumerate() {
        let _ = writeln!(text, "  subgraph cluster_{number} {{\n    label={};", quoted(&graph.name));
        for (index, node) in graph.nodes.iter().enumerate() {
            let _ = writeln!(text, "    n{number}_{index} [label={}{}];", quoted(&node.label), style(node));
        }
        for arrow in &graph.arrows {
            let style = if arrow.dashed { ", style=dashed" } else { "" };
            let color =
                arrow.color.name().map_or(String::new(), |name| format!(", color={name}, fontcolor={name}"));
            let label = quoted(&arrow.label);
            let _ = writeln!(
                text,
                "    n{number}_{} -> n{number}_{} [label={label}{style}{color}];",
                arrow.from, arrow.to
            );
        }
        text += "  }\n";
    }
    text + &legend(&explained(graphs)) + "}\n"
}

/// A table that says what marks mean.
fn legend(roles: &[Role]) -> String {
    if roles.is_empty() {
        return String::new();
    }
    let row = |role: &Role| {
        let fill = role.fill().map_or(String::new(), |fill| format!(" bgcolor=\"{fill}\""));
        format!("<tr><td{fill}>{}</td></tr>", role.meaning())
    };
    let rows: String = roles.iter().map(row).collect();
    format!(
        "  legend [shape=plaintext, label=<<table border=\"0\" cellborder=\"1\" cellspacing=\"2\">{rows}</table>>];\n"
    )
}

/// The marks of a node; see [`super::roles`].
fn style(node: &Node) -> String {
    let roles = node.roles;
    let styles = [("filled", roles.fill().is_some()), ("dashed", roles.has(Role::Open))];
    let styles: Vec<&str> = styles.iter().filter(|(_, is_so)| *is_so).map(|(style, _)| *style).collect();
    let mut text = match styles[..] {
        [] => String::new(),
        [one] => format!(", style={one}"),
        _ => format!(", style=\"{}\"", styles.join(",")),
    };
    if let Some(fill) = roles.fill() {
        text += &format!(", fillcolor={fill}");
    }
    if roles.has(Role::Initial) {
        text += ", penwidth=3";
    }
    if roles.has(Role::Accepting) {
        text += ", peripheries=2";
    }
    text
}

/// A quoted string: what DOT would take for an escape stays as it is written.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', r"\\").replace('"', "\\\"").replace('\n', r"\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_escaped() {
        assert_eq!(quoted("printf(\"a\\n\")\nx"), r#""printf(\"a\\n\")\nx""#);
    }

    #[test]
    fn every_mark_of_a_node_is_drawn() {
        let mut node = Node::new("n");
        assert_eq!(style(&node), "");
        node.roles.add(Role::Open);
        assert_eq!(style(&node), ", style=dashed");
        Role::ALL.into_iter().for_each(|role| node.roles.add(role));
        let all = ", style=\"filled,dashed\", fillcolor=lightpink, penwidth=3, peripheries=2";
        assert_eq!(style(&node), all);
        let graph = Graph { name: "g".to_owned(), nodes: vec![node], arrows: Vec::new() };
        let text = to_dot("m", &[graph]);
        assert!(Role::ALL.iter().all(|role| text.contains(role.meaning())), "{text}");
        let plain =
            Graph { name: "g".to_owned(), nodes: vec![Node::new("n").starting(true)], arrows: Vec::new() };
        assert!(!to_dot("m", &[plain]).contains("legend"));
    }
}
