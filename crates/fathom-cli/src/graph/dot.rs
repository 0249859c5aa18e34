//! Graphs in the DOT language of Graphviz.

use std::fmt::Write;

use super::{Graph, Node, Shape};

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
    text + "}\n"
}

fn style(node: &Node) -> &'static str {
    match node.shape {
        Shape::Plain => "",
        Shape::Initial => ", penwidth=3",
        Shape::End => ", peripheries=2",
        Shape::Bad => ", style=filled, fillcolor=lightpink",
        Shape::Open => ", style=dashed",
    }
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
}
