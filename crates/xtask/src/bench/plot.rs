//! Results as a picture: how many times better, for each model, on a logarithmic scale.

use fathom_plot::{RatioChart, RatioPanel};

use super::measurement::{Quantity, geometric_mean};
use super::results::Results;
use super::sets::Set;

/// The picture of a set, as SVG: one panel for each plotted quantity, one dot for each model and comparison.
///
/// # Errors
///
/// When the drawing library fails.
pub fn svg(set: &Set, results: &Results) -> Result<String, String> {
    let panel = |quantity: Quantity| RatioPanel {
        title: quantity.title().to_owned(),
        ratios: set
            .comparisons
            .iter()
            .map(|comparison| results.rows.iter().map(|row| row.advantage(quantity, comparison)).collect())
            .collect(),
        means: set
            .comparisons
            .iter()
            .map(|comparison| geometric_mean(&results.ratios(quantity, comparison)))
            .collect(),
    };
    let chart = RatioChart {
        rows: results.rows.iter().map(|row| row.model.clone()).collect(),
        series: set.comparisons.iter().map(|(ours, theirs)| format!("{ours} over {theirs}")).collect(),
        panels: set.plotted.iter().map(|&quantity| panel(quantity)).collect(),
    };
    chart.svg()
}

#[cfg(test)]
mod tests {
    use super::super::results::tests::sample;
    use super::*;

    #[test]
    fn every_model_has_its_dots() {
        let (set, results) = sample();
        let svg = svg(&set, &results).expect("a picture");
        assert!(svg.contains("philosophers_twostep-7"));
        // Two models with three comparisons each, one where only Fathom is complete, in three panels; the legend.
        assert_eq!(svg.matches("<circle").count(), 3 * (2 * 3 + 1) + 3);
    }
}
