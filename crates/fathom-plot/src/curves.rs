//! Quantities against a parameter: one panel for each quantity, one curve for each series, with its quartiles as whiskers.
//!
//! Every panel has the same horizontal axis. A vertical axis begins at 0, so that a flat curve looks flat.

use plotters::prelude::*;

use crate::{Area, Canvas, Failure, color, raster, text_style};

const WIDTH: u32 = 760;
const PANEL_HEIGHT: u32 = 240;
/// A row of the legend, and the space around all of them.
const LEGEND_ROW: u32 = 22;
const LEGEND_SPACE: u32 = 12;
/// Names in one row.
const NAMES_IN_ROW: usize = 4;

/// Curves over one parameter.
#[derive(Clone, PartialEq, Debug)]
pub struct CurveChart {
    /// The name of the parameter.
    pub parameter: String,
    /// The quantities.
    pub panels: Vec<CurvePanel>,
}

/// The curves of one quantity.
#[derive(Clone, PartialEq, Debug)]
pub struct CurvePanel {
    /// The name of the quantity, with its unit.
    pub title: String,
    /// The curves.
    pub curves: Vec<Curve>,
}

/// One curve.
#[derive(Clone, PartialEq, Debug)]
pub struct Curve {
    /// Its name in the legend; curves of one name have one color in all panels.
    pub name: String,
    /// Parameter and quantity, by ascending parameter.
    pub points: Vec<(f64, f64)>,
    /// Parameter, lower and upper quartile; may be empty.
    pub whiskers: Vec<(f64, f64, f64)>,
}

impl CurveChart {
    /// The picture, as SVG.
    ///
    /// # Errors
    ///
    /// When the drawing library fails.
    pub fn svg(&self) -> Result<String, String> {
        let mut text = String::new();
        self.draw(&SVGBackend::with_string(&mut text, self.size()).into_drawing_area())
            .map_err(|error| error.to_string())?;
        Ok(text)
    }

    /// The picture, as PNG.
    ///
    /// # Errors
    ///
    /// When the drawing library fails.
    pub fn png(&self) -> Result<Vec<u8>, String> {
        raster::png(self.size(), |root| self.draw(root)).map_err(|error| error.to_string())
    }

    /// Width and height, in pixels.
    #[must_use]
    pub fn size(&self) -> (u32, u32) {
        let n_panels = u32::try_from(self.panels.len().max(1)).unwrap_or(u32::MAX);
        (WIDTH, PANEL_HEIGHT.saturating_mul(n_panels).saturating_add(self.legend_height()))
    }

    fn legend_height(&self) -> u32 {
        let n_rows = self.names().len().div_ceil(NAMES_IN_ROW).max(1);
        LEGEND_SPACE + LEGEND_ROW.saturating_mul(u32::try_from(n_rows).unwrap_or(u32::MAX))
    }

    /// The names of all curves, in the order in which they come.
    fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for curve in self.panels.iter().flat_map(|panel| &panel.curves) {
            if !names.contains(&curve.name.as_str()) {
                names.push(&curve.name);
            }
        }
        names
    }

    fn draw<B: Canvas>(&self, root: &Area<B>) -> Result<(), Failure> {
        let names = self.names();
        root.fill(&WHITE)?;
        let (legend, panels) = root.split_vertically(self.legend_height());
        for (index, name) in names.iter().enumerate() {
            let x = 60 + 170 * (index % NAMES_IN_ROW) as i32;
            let y = 16 + LEGEND_ROW as i32 * (index / NAMES_IN_ROW) as i32;
            legend.draw(&Circle::new((x, y), 4, color(index).filled()))?;
            legend.draw_text(name, &text_style(13), (x + 10, y - 7))?;
        }
        let across = range(self.points().map(|(x, _)| x), None);
        for (area, panel) in panels.split_evenly((self.panels.len().max(1), 1)).iter().zip(&self.panels) {
            self.draw_panel(panel, &names, across.clone(), area)?;
        }
        root.present()?;
        Ok(())
    }

    fn points(&self) -> impl Iterator<Item = (f64, f64)> {
        self.panels.iter().flat_map(|panel| &panel.curves).flat_map(|curve| curve.points.iter().copied())
    }

    fn draw_panel<B: Canvas>(
        &self,
        panel: &CurvePanel,
        names: &[&str],
        across: std::ops::Range<f64>,
        area: &Area<B>,
    ) -> Result<(), Failure> {
        let curves = &panel.curves;
        let heights = curves.iter().flat_map(|curve| {
            let tops = curve.whiskers.iter().map(|whisker| whisker.2);
            curve.points.iter().map(|point| point.1).chain(tops)
        });
        let mut chart = ChartBuilder::on(area)
            .margin(8)
            .x_label_area_size(36)
            .y_label_area_size(70)
            .caption(&panel.title, text_style(14))
            .build_cartesian_2d(across, range(heights, Some(0.0)))?;
        chart
            .configure_mesh()
            .x_desc(&self.parameter)
            .x_label_formatter(&|value| short(*value))
            .y_label_formatter(&|value| short(*value))
            .light_line_style(BLACK.mix(0.04))
            .bold_line_style(BLACK.mix(0.12))
            .draw()?;
        for curve in curves {
            let color = color(names.iter().position(|name| *name == curve.name).unwrap_or(0));
            let whisker = |&(x, low, high): &(f64, f64, f64)| {
                PathElement::new(vec![(x, low), (x, high)], color.mix(0.45))
            };
            chart.draw_series(curve.whiskers.iter().map(whisker))?;
            chart.draw_series(LineSeries::new(curve.points.iter().copied(), color))?;
            // Many points would hide the curve.
            if curve.points.len() <= 60 {
                let dot = |&point: &(f64, f64)| Circle::new(point, 3, color.filled());
                chart.draw_series(curve.points.iter().map(dot))?;
            }
        }
        Ok(())
    }
}

/// The range of some values, and of one that must be in it. Never empty.
fn range(values: impl Iterator<Item = f64>, included: Option<f64>) -> std::ops::Range<f64> {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for value in values.chain(included).filter(|value| value.is_finite()) {
        low = low.min(value);
        high = high.max(value);
    }
    match low.partial_cmp(&high) {
        Some(std::cmp::Ordering::Less) => low..high + (high - low) * 0.04,
        Some(std::cmp::Ordering::Equal) => low - if included == Some(low) { 0.0 } else { 1.0 }..high + 1.0,
        _ => 0.0..1.0,
    }
}

/// A number on an axis.
fn short(value: f64) -> String {
    let rounded = (value * 1e6).round() / 1e6;
    if rounded.abs() >= 1e6 { format!("{rounded:.2e}") } else { rounded.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(name: &str, points: &[(f64, f64)]) -> Curve {
        Curve { name: name.to_owned(), points: points.to_vec(), whiskers: vec![(1.0, 0.5, 3.0)] }
    }

    #[test]
    fn every_panel_and_every_curve_is_drawn() {
        let panel = |title: &str| CurvePanel {
            title: title.to_owned(),
            curves: vec![curve("walk", &[(1.0, 1.0), (2.0, 4.0)]), curve("isr", &[(1.0, 2.0), (2.0, 2.0)])],
        };
        let chart =
            CurveChart { parameter: "N".to_owned(), panels: vec![panel("seconds"), panel("trace length")] };
        let svg = chart.svg().expect("a picture");
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"), "{svg}");
        for text in ["seconds", "trace length", "walk", "isr"] {
            assert!(svg.contains(text), "{text}: {svg}");
        }
        // Two points for each of two curves in two panels, and the legend.
        assert_eq!(svg.matches("<circle").count(), 2 * 2 * 2 + 2);
        assert_eq!(svg.matches("<polyline").count() % 2, 0);
    }

    #[test]
    fn a_png_has_the_size_of_the_svg_and_is_not_blank() {
        let panel = |title: &str| CurvePanel {
            title: title.to_owned(),
            curves: vec![curve("walk", &[(1.0, 1.0), (2.0, 4.0)])],
        };
        let chart = CurveChart { parameter: "N".to_owned(), panels: vec![panel("seconds"), panel("steps")] };
        let (size, pixels) = raster::tests::decode(&chart.png().expect("a picture"));
        assert_eq!(size, chart.size());
        assert_eq!(size, (WIDTH, LEGEND_SPACE + LEGEND_ROW + 2 * PANEL_HEIGHT));
        let svg = chart.svg().expect("a picture");
        assert!(svg.contains(&format!("width=\"{}\" height=\"{}\"", size.0, size.1)), "{svg}");
        let count = |wanted: [u8; 3]| pixels.chunks(3).filter(|pixel| *pixel == wanted).count();
        assert!(count([0, 114, 178]) > 100, "the curve and its points");
        assert!(count([0, 0, 0]) > 100, "letters and axes");
        assert!(count([255, 255, 255]) > pixels.len() / 3 / 2, "paper");
    }

    #[test]
    fn charts_without_points_or_with_one_value_are_drawn() {
        let empty = CurvePanel { title: "nothing".to_owned(), curves: vec![] };
        let flat = CurvePanel { title: "flat".to_owned(), curves: vec![curve("one", &[(7.0, 0.0)])] };
        let chart = CurveChart { parameter: "seed".to_owned(), panels: vec![empty, flat] };
        assert!(chart.svg().expect("a picture").contains("</svg>"));
        assert!(chart.png().is_ok());
    }

    #[test]
    fn ranges_hold_everything_and_are_never_empty() {
        assert_eq!(range([].into_iter(), None), 0.0..1.0);
        let values = range([3.0, f64::NAN, 5.0].into_iter(), Some(0.0));
        assert!(values.contains(&0.0) && values.contains(&5.0));
        assert!(range([2.0].into_iter(), None).contains(&2.0));
    }
}
