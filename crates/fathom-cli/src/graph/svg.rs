//! Graphs as SVG, laid out by the crate `layout-rs`; nothing else here knows it.
//!
//! The crate has no clusters: each graph gets a title that points at its first node. It may panic on graphs that
//! it cannot place, which becomes an error here.

use std::panic::{AssertUnwindSafe, catch_unwind};

use layout::backends::svg::SVGWriter;
use layout::core::base::Orientation;
use layout::core::color::Color;
use layout::core::geometry::Point;
use layout::core::style::{LineStyleKind, StyleAttr};
use layout::std_shapes::shapes::{Arrow as Line, Element, LineEndKind, ShapeKind};
use layout::topo::layout::VisualGraph;

use super::{Arrow, Graph, Node, Shape};

/// Most nodes and arrows: the layout takes time that grows faster than their number, here some seconds.
const MAX_SIZE: usize = 600;
const FONT_SIZE: usize = 14;
/// A guess at the size of a character, in pixels.
const CHARACTER: (f64, f64) = (8.6, 18.0);

/// All graphs in one picture.
///
/// # Errors
///
/// When the graph cannot be laid out.
pub fn to_svg(graphs: &[Graph]) -> Result<String, String> {
    if !fits(graphs) {
        let size = size(graphs);
        return Err(format!(
            "{size} nodes and arrows are too many to lay out here; --format dot gives them to Graphviz"
        ));
    }
    // The panic of a library is not a bug to be reported by the user: no message.
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let drawn = catch_unwind(AssertUnwindSafe(|| draw(graphs)));
    std::panic::set_hook(usual);
    drawn.map_err(|_| "the graph cannot be laid out; --format dot gives it to Graphviz".to_owned())
}

/// Whether a picture can hold the graphs.
pub fn fits(graphs: &[Graph]) -> bool {
    size(graphs) <= MAX_SIZE
}

fn size(graphs: &[Graph]) -> usize {
    graphs.iter().map(|graph| graph.nodes.len() + graph.arrows.len()).sum()
}

fn draw(graphs: &[Graph]) -> String {
    let mut picture = VisualGraph::new(Orientation::TopToBottom);
    for graph in graphs {
        let handles: Vec<_> = graph.nodes.iter().map(|node| picture.add_node(element(node))).collect();
        if let Some(&first) = handles.first() {
            let title = picture.add_node(title(&graph.name));
            picture.add_edge(line("", LineStyleKind::Dotted, "black"), title, first);
        }
        for Arrow { from, to, label, dashed, color } in &graph.arrows {
            let style = if *dashed { LineStyleKind::Dashed } else { LineStyleKind::Normal };
            picture.add_edge(
                line(label, style, color.name().unwrap_or("black")),
                handles[*from],
                handles[*to],
            );
        }
    }
    let mut writer = SVGWriter::new();
    picture.do_it(false, false, false, &mut writer);
    writer.finalize()
}

fn element(node: &Node) -> Element {
    let (width, fill) = match node.shape {
        Shape::Plain => (1, "white"),
        Shape::Initial => (3, "white"),
        Shape::End => (1, "honeydew"),
        Shape::Bad => (1, "lightpink"),
        Shape::Open => (1, "lightgray"),
    };
    boxed(&node.label, width, fill)
}

fn title(name: &str) -> Element {
    boxed(name, 0, "white")
}

fn boxed(label: &str, line_width: usize, fill: &str) -> Element {
    let look = StyleAttr::new(Color::fast("black"), line_width, Some(Color::fast(fill)), 4, FONT_SIZE);
    let columns = label.lines().map(|line| line.chars().count()).max().unwrap_or(1).max(1);
    let rows = label.lines().count().max(1);
    let size = Point::new(columns as f64 * CHARACTER.0 + 16.0, rows as f64 * CHARACTER.1 + 10.0);
    Element::create(ShapeKind::new_box(label), look, Orientation::TopToBottom, size)
}

fn line(label: &str, style: LineStyleKind, color: &str) -> Line {
    let look = StyleAttr::new(Color::fast(color), 1, None, 0, FONT_SIZE);
    Line::new(LineEndKind::None, LineEndKind::Arrow, style, label, &look, &None, &None)
}
