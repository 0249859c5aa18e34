//! Who does what when: one row for each actor, a bar for each thing it does (after H. Gantt, 1910s).

use std::fmt::Write;

/// A schedule.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct GanttChart {
    /// The rows, each with its bars in order.
    pub rows: Vec<GanttRow>,
    /// What stands at the axis.
    pub axis: String,
    /// A moment of note, and what it is.
    pub mark: Option<(f64, String)>,
}

/// The bars of one actor.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct GanttRow {
    /// Its name.
    pub name: String,
    /// The bars.
    pub bars: Vec<GanttBar>,
}

/// Something that takes some time.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct GanttBar {
    /// When it begins.
    pub start: f64,
    /// When it ends, not before it begins.
    pub end: f64,
    /// What it is; equal texts have equal colors.
    pub text: String,
}

const NAMES_WIDTH: f64 = 160.0;
const WIDTH: f64 = 1000.0;
const ROW_HEIGHT: f64 = 30.0;
const HEADER: f64 = 14.0;
const FOOTER: f64 = 46.0;
/// A guess at the width of a letter, in pixels.
const LETTER: f64 = 6.6;

impl GanttChart {
    /// The picture, as SVG.
    pub fn svg(&self) -> String {
        let end = self.rows.iter().flat_map(|row| &row.bars).map(|bar| bar.end).fold(0.0, f64::max);
        let scale = if end > 0.0 { WIDTH / end } else { 1.0 };
        let height = HEADER + self.rows.len() as f64 * ROW_HEIGHT + FOOTER;
        let width = NAMES_WIDTH + WIDTH + 30.0;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
        );
        let mut texts: Vec<&str> = Vec::new();
        for (number, row) in self.rows.iter().enumerate() {
            let top = HEADER + number as f64 * ROW_HEIGHT;
            let _ = writeln!(svg, "<text x=\"8\" y=\"{:.1}\">{}</text>", top + 19.0, escaped(&row.name));
            for bar in &row.bars {
                let color = texts.iter().position(|text| *text == bar.text).unwrap_or_else(|| {
                    texts.push(&bar.text);
                    texts.len() - 1
                });
                draw_bar(&mut svg, bar, color, top, scale);
            }
        }
        if let Some((at, text)) = &self.mark {
            draw_mark(&mut svg, NAMES_WIDTH + at * scale, height - FOOTER, text);
        }
        self.draw_axis(&mut svg, end, scale, height);
        svg + "</svg>\n"
    }

    fn draw_axis(&self, svg: &mut String, end: f64, scale: f64, height: f64) {
        let base = height - FOOTER + 4.0;
        let right = NAMES_WIDTH + WIDTH;
        let _ = writeln!(
            svg,
            "<line x1=\"{NAMES_WIDTH}\" y1=\"{base:.1}\" x2=\"{right}\" y2=\"{base:.1}\" stroke=\"black\"/>"
        );
        let step = tick(end);
        let mut at = 0.0;
        while at <= end {
            let x = NAMES_WIDTH + at * scale;
            let _ = writeln!(
                svg,
                "<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{at}</text>",
                base + 16.0
            );
            at += step;
        }
        let middle = NAMES_WIDTH + WIDTH / 2.0;
        let _ = writeln!(
            svg,
            "<text x=\"{middle}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            base + 34.0,
            escaped(&self.axis)
        );
    }
}

/// A dashed line through all rows, with its text above them.
fn draw_mark(svg: &mut String, x: f64, bottom: f64, text: &str) {
    let _ = writeln!(
        svg,
        "<line x1=\"{x:.1}\" y1=\"0\" x2=\"{x:.1}\" y2=\"{bottom:.1}\" stroke=\"black\" stroke-dasharray=\"4 3\"/>\n\
         <text x=\"{:.1}\" y=\"11\">{}</text>",
        x + 3.0,
        escaped(text)
    );
}

fn draw_bar(svg: &mut String, bar: &GanttBar, color: usize, top: f64, scale: f64) {
    let crate::RGBColor(red, green, blue) = crate::color(color);
    let (x, width) = (NAMES_WIDTH + bar.start * scale, ((bar.end - bar.start) * scale).max(1.0));
    let _ = writeln!(
        svg,
        "<rect x=\"{x:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"22\" fill=\"rgb({red},{green},{blue})\" \
         fill-opacity=\"0.45\" stroke=\"white\"><title>{}</title></rect>",
        top + 4.0,
        escaped(&bar.text)
    );
    let n_letters = ((width - 4.0) / LETTER).max(0.0) as usize;
    let shown: String = bar.text.chars().take(n_letters).collect();
    if !shown.is_empty() {
        let _ =
            writeln!(svg, "<text x=\"{:.1}\" y=\"{:.1}\">{}</text>", x + 3.0, top + 19.0, escaped(&shown));
    }
}

/// A round distance of numbers at the axis: about ten of them.
fn tick(end: f64) -> f64 {
    let mut step = 1.0;
    while end / step > 12.0 {
        step *= if format!("{step}").starts_with('2') { 2.5 } else { 2.0 };
    }
    step
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_have_their_place_and_texts_are_escaped() {
        let bar = |start, end, text: &str| GanttBar { start, end, text: text.to_owned() };
        let row = GanttRow { name: "P".to_owned(), bars: vec![bar(0.0, 5.0, "a < b"), bar(5.0, 10.0, "c")] };
        let chart =
            GanttChart { rows: vec![row], axis: "time".to_owned(), mark: Some((5.0, "again".to_owned())) };
        let svg = chart.svg();
        assert!(svg.contains("x1=\"660.0\" y1=\"0\"") && svg.contains(">again<"), "{svg}");
        assert!(svg.contains("x=\"660.0\"") && svg.contains("a &lt; b") && svg.contains(">time<"), "{svg}");
        assert_eq!(svg.matches("<rect x=").count(), 2);
    }

    #[test]
    fn numbers_at_the_axis_are_round() {
        assert_eq!([5.0, 16.0, 100.0, 6011.0].map(tick), [1.0, 2.0, 10.0, 1000.0]);
    }
}
