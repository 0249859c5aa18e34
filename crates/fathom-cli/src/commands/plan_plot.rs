//! Values along a plan as curves: the levels of buffers over time, say.

use fathom_plot::{Curve, CurveChart, CurvePanel};

use super::plan::Sought;

/// Expressions, and the file for their curves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlotRequest {
    pub expressions: Vec<String>,
    pub file: String,
}

/// Reads `E,E=FILE`. The file begins after the last equals sign; commas in brackets belong to expressions.
pub fn parse_request(text: &str) -> Result<PlotRequest, String> {
    let Some((list, file)) = text.rsplit_once('=').filter(|(_, file)| !file.is_empty()) else {
        return Err("expected expressions and a file: E,E=FILE".to_owned());
    };
    if list.ends_with(['=', '<', '>', '!']) {
        return Err("expected a file after the expressions: E,E=FILE".to_owned());
    }
    let (mut expressions, mut depth) = (vec![String::new()], 0usize);
    for character in list.chars() {
        match character {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                expressions.push(String::new());
                continue;
            }
            _ => {}
        }
        expressions.last_mut().expect("there is one").push(character);
    }
    let expressions: Vec<String> = expressions.iter().map(|text| text.trim().to_owned()).collect();
    if expressions.iter().any(String::is_empty) {
        return Err("an expression is empty".to_owned());
    }
    Ok(PlotRequest { expressions, file: file.to_owned() })
}

/// The files, each once.
pub(super) fn files(requests: &[PlotRequest]) -> Vec<&str> {
    let mut files: Vec<&str> = Vec::new();
    for request in requests {
        if !files.contains(&request.file.as_str()) {
            files.push(&request.file);
        }
    }
    files
}

/// The charts, by file. The values of what is drawn begin at `first` in the values of each step.
pub(super) fn charts<'a>(
    requests: &'a [PlotRequest],
    first: usize,
    sought: &Sought,
) -> Vec<(&'a str, CurveChart)> {
    let is_timed = sought.form.steps.iter().any(|step| step.time.is_some());
    let parameter = if is_timed { "time" } else { "steps" };
    let mut charts: Vec<(&str, CurveChart)> = files(requests)
        .into_iter()
        .map(|file| (file, CurveChart { parameter: parameter.to_owned(), panels: Vec::new() }))
        .collect();
    let mut place = first;
    for request in requests {
        let panel = CurvePanel {
            title: request.expressions.join(", "),
            curves: request
                .expressions
                .iter()
                .enumerate()
                .map(|(at, text)| curve(text, place + at, sought))
                .collect(),
        };
        place += request.expressions.len();
        let chart = charts.iter_mut().find(|(file, _)| *file == request.file);
        chart.expect("every file has a chart").1.panels.push(panel);
    }
    charts
}

/// The values of one expression. With time, a value stays until the next step.
fn curve(text: &str, place: usize, sought: &Sought) -> Curve {
    let mut points: Vec<(f64, f64)> = Vec::new();
    for (step, values) in sought.form.steps.iter().zip(&sought.values) {
        let value = values[place] as f64;
        let Some(time) = step.time else {
            points.push((step.number as f64, value));
            continue;
        };
        if let Some(&(_, before)) = points.last() {
            points.push((time, before));
        }
        points.push((time, value));
    }
    Curve { name: text.to_owned(), points, whiskers: Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_read() {
        let request = |text: &str| parse_request(text).map(|found| (found.expressions, found.file));
        let list = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
        assert_eq!(request("a[1], f(b, c)=out.svg"), Ok((list(&["a[1]", "f(b, c)"]), "out.svg".to_owned())));
        assert_eq!(request("a == b=x.svg"), Ok((list(&["a == b"]), "x.svg".to_owned())));
        for wrong in ["a", "a=", "=x.svg", "a,=x.svg", "a ==b"] {
            assert!(request(wrong).is_err(), "{wrong}");
        }
    }
}
