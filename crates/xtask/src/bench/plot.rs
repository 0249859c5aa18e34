//! Results as a picture: how many times better, for each model, on a logarithmic scale.
//!
//! One panel for each plotted quantity, one dot for each model and comparison, a line at 1 (equal) and a dashed line
//! at each geometric mean. A ratio and its inverse are equally far from the line: no side looks better than it is.

use std::error::Error;

use plotters::coord::Shift;
use plotters::prelude::*;

use super::measurement::{Quantity, geometric_mean};
use super::results::Results;
use super::sets::{Comparison, Set};

const PANEL_WIDTH: u32 = 420;
const NAMES_WIDTH: u32 = 180;
const ROW_HEIGHT: u32 = 22;
const HEADER_HEIGHT: u32 = 60;
const FOOTER_HEIGHT: u32 = 40;

/// Colors that are told apart also without color vision, after M. Okabe and K. Ito.
const COLORS: [RGBColor; 3] = [RGBColor(0, 114, 178), RGBColor(213, 94, 0), RGBColor(0, 158, 115)];

type Panel<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Failure<'a> = Box<dyn Error + 'a>;

/// The picture of a set, as SVG.
///
/// # Errors
///
/// When the drawing library fails.
pub fn svg(set: &Set, results: &Results) -> Result<String, String> {
    let mut text = String::new();
    draw(set, results, &mut text).map_err(|error| error.to_string())?;
    Ok(text)
}

fn draw<'a>(set: &Set, results: &Results, text: &'a mut String) -> Result<(), Failure<'a>> {
    let n_panels = u32::try_from(set.plotted.len())?;
    let height = HEADER_HEIGHT + FOOTER_HEIGHT + ROW_HEIGHT * u32::try_from(results.rows.len().max(1))?;
    let width = NAMES_WIDTH + PANEL_WIDTH * n_panels;
    let root = SVGBackend::with_string(text, (width, height)).into_drawing_area();
    root.fill(&WHITE)?;
    let (names, panels) = root.split_horizontally(NAMES_WIDTH);
    draw_names(results, &names)?;
    for (panel, &quantity) in panels.split_evenly((1, set.plotted.len())).iter().zip(&set.plotted) {
        draw_panel(set, results, quantity, panel)?;
    }
    draw_legend(set, &root)?;
    root.present()?;
    Ok(())
}

/// The middle of a row.
fn row_center(index: usize) -> i32 {
    (HEADER_HEIGHT + ROW_HEIGHT * index as u32 + ROW_HEIGHT / 2) as i32
}

fn draw_names<'a>(results: &Results, area: &Panel<'a>) -> Result<(), Failure<'a>> {
    let style = ("sans-serif", 13).into_font().color(&BLACK);
    for (index, row) in results.rows.iter().enumerate() {
        area.draw_text(&row.model, &style, (8, row_center(index) - 7))?;
    }
    Ok(())
}

fn draw_legend<'a>(set: &Set, area: &Panel<'a>) -> Result<(), Failure<'a>> {
    let style = ("sans-serif", 13).into_font().color(&BLACK);
    for (index, (ours, theirs)) in set.comparisons.iter().enumerate() {
        let x = NAMES_WIDTH as i32 + 230 * index as i32;
        area.draw(&Circle::new((x, 14), 4, COLORS[index % COLORS.len()].filled()))?;
        area.draw_text(&format!("{ours} over {theirs}"), &style, (x + 10, 7))?;
    }
    Ok(())
}

fn draw_panel<'a>(
    set: &Set,
    results: &Results,
    quantity: Quantity,
    area: &Panel<'a>,
) -> Result<(), Failure<'a>> {
    let rows: Vec<Vec<Option<f64>>> = set
        .comparisons
        .iter()
        .map(|comparison| results.rows.iter().map(|row| row.advantage(quantity, comparison)).collect())
        .collect();
    let scale = Scale::new(rows.iter().flatten().flatten().copied());
    let bottom = row_center(results.rows.len().max(1)) - ROW_HEIGHT as i32 / 2;
    draw_grid(quantity, &scale, bottom, area)?;
    for (number, (comparison, ratios)) in set.comparisons.iter().zip(&rows).enumerate() {
        let color = COLORS[number % COLORS.len()];
        if let Some(mean) = mean(results, quantity, comparison) {
            let x = scale.place(mean);
            for y in (HEADER_HEIGHT as i32..bottom).step_by(8) {
                area.draw(&PathElement::new([(x, y), (x, (y + 4).min(bottom))], color))?;
            }
        }
        for (index, ratio) in ratios.iter().enumerate() {
            if let Some(ratio) = ratio {
                area.draw(&Circle::new((scale.place(*ratio), row_center(index)), 4, color.filled()))?;
            }
        }
    }
    Ok(())
}

fn mean(results: &Results, quantity: Quantity, comparison: &Comparison) -> Option<f64> {
    geometric_mean(&results.ratios(quantity, comparison))
}

fn draw_grid<'a>(
    quantity: Quantity,
    scale: &Scale,
    bottom: i32,
    area: &Panel<'a>,
) -> Result<(), Failure<'a>> {
    let top = HEADER_HEIGHT as i32;
    let style = ("sans-serif", 12).into_font().color(&BLACK);
    area.draw_text(
        &format!("{}: times better", quantity.title()),
        &("sans-serif", 13).into_font().color(&BLACK),
        (MARGIN, top - 22),
    )?;
    for mark in scale.marks() {
        let x = scale.place(mark);
        let color = if mark == 1.0 { BLACK.to_rgba() } else { BLACK.mix(0.15) };
        area.draw(&PathElement::new([(x, top), (x, bottom)], color))?;
        area.draw_text(&mark.to_string(), &style, (x - 6, bottom + 6))?;
    }
    Ok(())
}

/// Free space on both sides of a panel.
const MARGIN: i32 = 20;

/// From ratios to places: powers of two at the ends, 1 always inside.
struct Scale {
    /// Exponents of two.
    low: i32,
    high: i32,
}

impl Scale {
    fn new(ratios: impl Iterator<Item = f64>) -> Scale {
        let (mut low, mut high) = (-1, 1);
        for ratio in ratios.map(f64::log2) {
            low = low.min(ratio.floor() as i32);
            high = high.max(ratio.ceil() as i32);
        }
        Scale { low, high }
    }

    fn place(&self, ratio: f64) -> i32 {
        let width = f64::from(PANEL_WIDTH) - 2.0 * f64::from(MARGIN);
        let part = (ratio.log2() - f64::from(self.low)) / f64::from(self.high - self.low);
        MARGIN + (part * width).round() as i32
    }

    /// Powers of two, not more than fit; 1 is among them.
    fn marks(&self) -> Vec<f64> {
        let every = (self.high - self.low) / 9 + 1;
        (self.low..=self.high)
            .filter(|exponent| exponent % every == 0)
            .map(|exponent| 2_f64.powi(exponent))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::results::tests::sample;
    use super::*;

    #[test]
    fn every_model_has_its_dots() {
        let (set, results) = sample();
        let svg = svg(&set, &results).expect("a picture");
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"), "{svg}");
        assert!(svg.contains("philosophers_twostep-7"));
        // Two models with three comparisons each, one where only Fathom is complete, in three panels; the legend.
        assert_eq!(svg.matches("<circle").count(), 3 * (2 * 3 + 1) + 3);
    }

    #[test]
    fn results_without_rows_are_drawn() {
        let (set, mut results) = sample();
        results.rows.clear();
        assert!(svg(&set, &results).expect("a picture").contains("</svg>"));
    }

    #[test]
    fn a_ratio_and_its_inverse_are_equally_far_from_one() {
        let scale = Scale::new([0.3, 3.0, 4.0, 0.25].into_iter());
        assert_eq!((scale.low, scale.high), (-2, 2));
        assert_eq!(scale.place(1.0) - scale.place(0.5), scale.place(2.0) - scale.place(1.0));
        assert_eq!((scale.place(0.25), scale.place(4.0)), (MARGIN, PANEL_WIDTH as i32 - MARGIN));
    }

    #[test]
    fn one_is_always_marked() {
        for ratios in [vec![], vec![1000.0], vec![1e-4, 1e4], vec![17.0, 33.0]] {
            let marks = Scale::new(ratios.into_iter()).marks();
            assert!(marks.contains(&1.0) && marks.len() <= 10, "{marks:?}");
        }
    }
}
