//! Numbers as pictures, in SVG or PNG: the one place that draws for `fathom sweep`, `fathom plan` and the benchmarks.
//!
//! - [`CurveChart`]: quantities against a parameter, one panel each
//! - [`RatioChart`]: how many times better, for each row, on a logarithmic scale
//! - [`GanttChart`]: who does what when
//!
//! All are plain data with one function that draws. Nothing here knows models or touches files.

mod curves;
mod gantt;
mod raster;
mod ratios;

pub use curves::{Curve, CurveChart, CurvePanel};
pub use gantt::{GanttBar, GanttChart, GanttRow};
pub use ratios::{RatioChart, RatioPanel};

use std::error::Error;

use plotters::coord::Shift;
use plotters::prelude::*;

/// Colors that are told apart also without color vision, after M. Okabe and K. Ito.
const COLORS: [RGBColor; 6] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
];

/// The color of a series.
fn color(number: usize) -> RGBColor {
    COLORS[number % COLORS.len()]
}

type Area<B> = DrawingArea<B, Shift>;
type Failure = Box<dyn Error>;

/// Something to draw on whose failures outlive it.
trait Canvas: DrawingBackend<ErrorType: 'static> {}

impl<B: DrawingBackend<ErrorType: 'static>> Canvas for B {}

/// Black text of a size.
fn text_style(size: u32) -> TextStyle<'static> {
    ("sans-serif", size).into_font().color(&BLACK)
}
