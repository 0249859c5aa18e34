//! What a sweep goes over: a parameter and its values, as written in `--over`.

use std::fmt;

/// Most values of a sweep.
const MOST_VALUES: usize = 1_000_000;

/// What changes from run to run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Parameter {
    /// Bytes of the one table of a pruned search.
    Table,
    /// The seed of everything random.
    Seed,
    /// Most steps from the initial state.
    Depth,
    /// A macro, constant or parameter of the model.
    Define(String),
}

impl fmt::Display for Parameter {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Parameter::Table => write!(formatter, "table"),
            Parameter::Seed => write!(formatter, "seed"),
            Parameter::Depth => write!(formatter, "depth"),
            Parameter::Define(name) => write!(formatter, "{name}"),
        }
    }
}

/// A parameter and its values, in the order in which they are tried.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Over {
    /// The parameter.
    pub parameter: Parameter,
    /// Its values.
    pub values: Vec<u64>,
}

/// Reads `NAME=LIST`, where a list has numbers and ranges, separated by commas: `3`, `3..9`, `10..100:10`, `1..4096*2`.
/// Both ends of a range belong to it.
pub fn parse_over(text: &str) -> Result<Over, String> {
    let (name, list) = text.split_once('=').ok_or("expected NAME=VALUES, such as N=3..9 or table=1..700")?;
    let parameter = match name {
        "table" => Parameter::Table,
        "seed" => Parameter::Seed,
        "depth" => Parameter::Depth,
        _ => Parameter::Define(crate::units::parse_define(name)?.0),
    };
    let mut values = Vec::new();
    for part in list.split(',') {
        add_values(part.trim(), &mut values)?;
    }
    if parameter == Parameter::Table && values.contains(&0) {
        return Err("a table has at least one byte".to_owned());
    }
    if parameter == Parameter::Depth && values.iter().any(|&value| value > u64::from(u32::MAX)) {
        return Err("the depth is too large".to_owned());
    }
    Ok(Over { parameter, values })
}

fn add_values(part: &str, values: &mut Vec<u64>) -> Result<(), String> {
    let number =
        |text: &str| text.trim().parse::<u64>().map_err(|_| format!("'{text}' is not a number, at least 0"));
    let Some((first, rest)) = part.split_once("..") else {
        values.push(number(part)?);
        return Ok(());
    };
    let first = number(first)?;
    let next: Box<dyn Fn(u64) -> Option<u64>>;
    let last = if let Some((last, factor)) = rest.split_once('*') {
        let factor: f64 = factor.trim().parse().map_err(|_| format!("'{factor}' is not a number"))?;
        if !(factor > 1.0 && factor.is_finite()) {
            return Err(format!("'{part}': the factor must be greater than 1"));
        }
        // At least one more, so that small numbers grow, too.
        next =
            Box::new(move |value| Some(((value as f64 * factor).round() as u64).max(value.checked_add(1)?)));
        number(last)?
    } else {
        let (last, step) = rest.split_once(':').unwrap_or((rest, "1"));
        let step = number(step)?;
        if step == 0 {
            return Err(format!("'{part}': the step must be at least 1"));
        }
        next = Box::new(move |value| value.checked_add(step));
        number(last)?
    };
    if last < first {
        return Err(format!("'{part}' has no values"));
    }
    let mut value = Some(first);
    while let Some(one) = value.filter(|&one| one <= last) {
        if values.len() >= MOST_VALUES {
            return Err(format!("more than {MOST_VALUES} values"));
        }
        values.push(one);
        value = next(one);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str) -> Vec<u64> {
        parse_over(text).expect("a sweep").values
    }

    #[test]
    fn lists_have_numbers_and_ranges_with_steps_and_factors() {
        assert_eq!(values("N=3"), [3]);
        assert_eq!(values("N=3..5,9"), [3, 4, 5, 9]);
        assert_eq!(values("table=10..41:10"), [10, 20, 30, 40]);
        assert_eq!(values("table=1..20*2"), [1, 2, 4, 8, 16]);
        assert_eq!(values("seed=1..4*1.1"), [1, 2, 3, 4]);
        assert_eq!(values("seed=0,18446744073709551615"), [0, u64::MAX]);
        assert_eq!(values("seed=18446744073709551614..18446744073709551615"), [u64::MAX - 1, u64::MAX]);
    }

    #[test]
    fn words_are_parameters_of_the_run_and_other_names_those_of_the_model() {
        assert_eq!(parse_over("table=1").unwrap().parameter, Parameter::Table);
        assert_eq!(parse_over("depth=1").unwrap().parameter, Parameter::Depth);
        assert_eq!(parse_over("MAX=1").unwrap().parameter, Parameter::Define("MAX".to_owned()));
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for wrong in [
            "",
            "N",
            "N=",
            "N=x",
            "N=5..3",
            "N=1..9:0",
            "N=1..9*1",
            "N=1..9*x",
            "table=0",
            "3N=1",
            "N=-1",
            "depth=5000000000",
            "seed=0..18446744073709551615",
            "N=1,,2",
        ] {
            assert!(parse_over(wrong).is_err(), "{wrong}");
        }
    }
}
