//! How many times better, for each row, on a logarithmic scale.
//!
//! One panel for each quantity, one dot for each row and series, a line at 1 (equal) and a dashed line at each mean. A
//! ratio and its inverse are equally far from the line: no side looks better than it is.

use plotters::prelude::*;

use crate::{Area, Canvas, Failure, color, text_style};

const PANEL_WIDTH: u32 = 420;
const NAMES_WIDTH: u32 = 180;
const ROW_HEIGHT: u32 = 22;
const HEADER_HEIGHT: u32 = 60;
const FOOTER_HEIGHT: u32 = 40;
/// Free space on both sides of a panel.
const MARGIN: i32 = 20;

/// Ratios by row and series.
#[derive(Clone, PartialEq, Debug)]
pub struct RatioChart {
    /// The names of the rows.
    pub rows: Vec<String>,
    /// The names of the series.
    pub series: Vec<String>,
    /// The quantities.
    pub panels: Vec<RatioPanel>,
}

/// The ratios of one quantity.
#[derive(Clone, PartialEq, Debug)]
pub struct RatioPanel {
    /// The name of the quantity.
    pub title: String,
    /// By series and row, where there is one.
    pub ratios: Vec<Vec<Option<f64>>>,
    /// The mean of each series.
    pub means: Vec<Option<f64>>,
}

impl RatioChart {
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

    /// Width and height, in pixels.
    fn size(&self) -> (u32, u32) {
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let height = ROW_HEIGHT.saturating_mul(count(self.rows.len().max(1)));
        let width = PANEL_WIDTH.saturating_mul(count(self.panels.len()));
        (width.saturating_add(NAMES_WIDTH), height.saturating_add(HEADER_HEIGHT + FOOTER_HEIGHT))
    }

    fn draw<B: Canvas>(&self, root: &Area<B>) -> Result<(), Failure> {
        root.fill(&WHITE)?;
        let (names, panels) = root.split_horizontally(NAMES_WIDTH);
        for (index, row) in self.rows.iter().enumerate() {
            names.draw_text(row, &text_style(13), (8, row_center(index) - 7))?;
        }
        for (area, panel) in panels.split_evenly((1, self.panels.len())).iter().zip(&self.panels) {
            self.draw_panel(panel, area)?;
        }
        for (index, name) in self.series.iter().enumerate() {
            let x = NAMES_WIDTH as i32 + 230 * index as i32;
            root.draw(&Circle::new((x, 14), 4, color(index).filled()))?;
            root.draw_text(name, &text_style(13), (x + 10, 7))?;
        }
        root.present()?;
        Ok(())
    }

    fn draw_panel<B: Canvas>(&self, panel: &RatioPanel, area: &Area<B>) -> Result<(), Failure> {
        let scale = Scale::new(panel.ratios.iter().flatten().flatten().copied());
        let bottom = row_center(self.rows.len().max(1)) - ROW_HEIGHT as i32 / 2;
        draw_grid(&panel.title, &scale, bottom, area)?;
        for (number, ratios) in panel.ratios.iter().enumerate() {
            if let Some(mean) = panel.means.get(number).copied().flatten() {
                let x = scale.place(mean);
                for y in (HEADER_HEIGHT as i32..bottom).step_by(8) {
                    area.draw(&PathElement::new([(x, y), (x, (y + 4).min(bottom))], color(number)))?;
                }
            }
            for (index, ratio) in ratios.iter().enumerate() {
                if let Some(ratio) = ratio {
                    let place = (scale.place(*ratio), row_center(index));
                    area.draw(&Circle::new(place, 4, color(number).filled()))?;
                }
            }
        }
        Ok(())
    }
}

/// The middle of a row.
fn row_center(index: usize) -> i32 {
    (HEADER_HEIGHT + ROW_HEIGHT * index as u32 + ROW_HEIGHT / 2) as i32
}

fn draw_grid<B: Canvas>(title: &str, scale: &Scale, bottom: i32, area: &Area<B>) -> Result<(), Failure> {
    let top = HEADER_HEIGHT as i32;
    area.draw_text(&format!("{title}: times better"), &text_style(13), (MARGIN, top - 22))?;
    for mark in scale.marks() {
        let x = scale.place(mark);
        let color = if mark == 1.0 { BLACK.to_rgba() } else { BLACK.mix(0.15) };
        area.draw(&PathElement::new([(x, top), (x, bottom)], color))?;
        area.draw_text(&mark.to_string(), &text_style(12), (x - 6, bottom + 6))?;
    }
    Ok(())
}

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
    use super::*;

    fn chart(rows: &[&str]) -> RatioChart {
        let ratios = vec![vec![Some(2.0); rows.len()], vec![None; rows.len()]];
        RatioChart {
            rows: rows.iter().map(|&row| row.to_owned()).collect(),
            series: vec!["one over two".to_owned(), "two over three".to_owned()],
            panels: vec![RatioPanel { title: "Time".to_owned(), ratios, means: vec![Some(2.0), None] }; 2],
        }
    }

    #[test]
    fn every_row_has_its_dots_and_every_series_one_in_the_legend() {
        let svg = chart(&["philosophers", "peterson"]).svg().expect("a picture");
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"), "{svg}");
        assert!(svg.contains("philosophers") && svg.contains("Time: times better"), "{svg}");
        assert_eq!(svg.matches("<circle").count(), 2 * 2 + 2);
    }

    #[test]
    fn a_chart_without_rows_is_drawn() {
        assert!(chart(&[]).svg().expect("a picture").contains("</svg>"));
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
