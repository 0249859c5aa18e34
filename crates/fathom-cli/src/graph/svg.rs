//! Graphs as SVG, laid out by the crate `layout-rs`; nothing else here knows it.
//!
//! The crate has no clusters: each graph gets a title that points at its first node. It may panic on graphs that
//! it cannot place, which becomes an error here. It knows neither double lines nor legends: a canvas between it and its writer adds both.

use std::panic::{AssertUnwindSafe, catch_unwind};

use layout::backends::svg::SVGWriter;
use layout::core::base::Orientation;
use layout::core::color::Color;
use layout::core::format::{ClipHandle, RenderBackend};
use layout::core::geometry::Point;
use layout::core::style::{LineStyleKind, StyleAttr};
use layout::std_shapes::shapes::{Arrow as Line, Element, LineEndKind, ShapeKind};
use layout::topo::layout::VisualGraph;

use super::roles::explained;
use super::{Arrow, Graph, Node, Role, Roles};

/// Most nodes and arrows: the layout takes time that grows faster than their number, here some seconds.
const MAX_SIZE: usize = 600;
const FONT_SIZE: usize = 14;
/// A guess at the size of a character, in pixels.
const CHARACTER: (f64, f64) = (8.6, 18.0);
/// What boxes with a double line have among their properties.
const DOUBLE: &str = "data-line=\"double\"";
/// What boxes with a dashed line have.
const DASHED: &str = "stroke-dasharray=\"6,4\"";

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
    let mut canvas = Canvas { writer: SVGWriter::new(), bottom: 0.0 };
    picture.do_it(false, false, false, &mut canvas);
    canvas.draw_legend(&explained(graphs));
    canvas.writer.finalize()
}

/// Draws what the writer draws, and double lines.
struct Canvas {
    writer: SVGWriter,
    /// Where the lowest box or arrow ends.
    bottom: f64,
}

impl Canvas {
    /// A box for each role with what it means, below everything else.
    fn draw_legend(&mut self, roles: &[Role]) {
        const MARGIN: f64 = 20.0;
        let mut top = self.bottom + MARGIN;
        for &role in roles {
            let mut alone = Roles::default();
            alone.add(role);
            let text = role.meaning();
            let (size, look) = (size_of(text), look_of(alone));
            let corner = Point::new(MARGIN, top);
            self.draw_rect(corner, size, &look, properties(alone), None);
            self.draw_text(Point::new(corner.x + size.x / 2.0, corner.y + size.y / 2.0), text, &look);
            top += size.y + MARGIN / 2.0;
        }
    }
}

impl RenderBackend for Canvas {
    fn draw_rect(
        &mut self,
        xy: Point,
        size: Point,
        look: &StyleAttr,
        properties: Option<String>,
        clip: Option<ClipHandle>,
    ) {
        const GAP: f64 = 3.0;
        self.bottom = self.bottom.max(xy.y + size.y);
        let is_double = properties.as_ref().is_some_and(|text| text.contains(DOUBLE));
        self.writer.draw_rect(xy, size, look, properties.clone(), clip);
        if is_double {
            let inner = Point::new(xy.x + GAP, xy.y + GAP);
            let inner_size = Point::new(size.x - 2.0 * GAP, size.y - 2.0 * GAP);
            self.writer.draw_rect(inner, inner_size, look, properties, clip);
        }
    }

    fn draw_line(&mut self, start: Point, stop: Point, look: &StyleAttr, properties: Option<String>) {
        self.writer.draw_line(start, stop, look, properties);
    }

    fn draw_circle(&mut self, xy: Point, size: Point, look: &StyleAttr, properties: Option<String>) {
        self.writer.draw_circle(xy, size, look, properties);
    }

    fn draw_text(&mut self, xy: Point, text: &str, look: &StyleAttr) {
        self.writer.draw_text(xy, text, look);
    }

    fn draw_arrow(
        &mut self,
        path: &[(Point, Point)],
        dashed: bool,
        head: (bool, bool),
        look: &StyleAttr,
        properties: Option<String>,
        text: &str,
    ) {
        let ends = path.iter().flat_map(|(one, other)| [one.y, other.y]);
        self.bottom = ends.fold(self.bottom, f64::max);
        self.writer.draw_arrow(path, dashed, head, look, properties, text);
    }

    fn create_clip(&mut self, xy: Point, size: Point, rounded_px: usize) -> ClipHandle {
        self.writer.create_clip(xy, size, rounded_px)
    }
}

fn element(node: &Node) -> Element {
    boxed(&node.label, look_of(node.roles), properties(node.roles))
}

fn title(name: &str) -> Element {
    let look = StyleAttr { line_width: 0, ..look_of(Roles::default()) };
    boxed(name, look, None)
}

fn boxed(label: &str, look: StyleAttr, properties: Option<String>) -> Element {
    let size = size_of(label);
    let shape = ShapeKind::new_box(label);
    match properties {
        Some(text) => Element::create_with_properties(shape, look, Orientation::TopToBottom, size, text),
        None => Element::create(shape, look, Orientation::TopToBottom, size),
    }
}

/// The line and the color of a node; see [`super::roles`].
fn look_of(roles: Roles) -> StyleAttr {
    let width = if roles.has(Role::Initial) { 3 } else { 1 };
    let fill = Color::fast(roles.fill().unwrap_or("white"));
    StyleAttr::new(Color::fast("black"), width, Some(fill), 4, FONT_SIZE)
}

/// What the library has no style for.
fn properties(roles: Roles) -> Option<String> {
    let marks = [(Role::Accepting, DOUBLE), (Role::Open, DASHED)];
    let marks: Vec<&str> =
        marks.into_iter().filter(|(role, _)| roles.has(*role)).map(|(_, mark)| mark).collect();
    (!marks.is_empty()).then(|| marks.join(" "))
}

fn size_of(label: &str) -> Point {
    let columns = label.lines().map(|line| line.chars().count()).max().unwrap_or(1).max(1);
    let rows = label.lines().count().max(1);
    Point::new(columns as f64 * CHARACTER.0 + 16.0, rows as f64 * CHARACTER.1 + 10.0)
}

fn line(label: &str, style: LineStyleKind, color: &str) -> Line {
    let look = StyleAttr::new(Color::fast(color), 1, None, 0, FONT_SIZE);
    Line::new(LineEndKind::None, LineEndKind::Arrow, style, label, &look, &None, &None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mark_of_a_node_is_drawn() {
        let mut node = Node::new("n");
        Role::ALL.into_iter().for_each(|role| node.roles.add(role));
        let graph = Graph { name: "g".to_owned(), nodes: vec![node], arrows: Vec::new() };
        let text = to_svg(&[graph]).expect("a picture");
        assert!(Role::ALL.iter().all(|role| text.contains(role.meaning())), "{text}");
        // The node and one box of the legend, each twice.
        assert_eq!(text.matches(DOUBLE).count(), 4, "{text}");
        assert_eq!(text.matches(DASHED).count(), 3, "{text}");
        assert!(text.contains("stroke-width=\"3\""), "{text}");
    }
}
