//! Amounts with units on the command line: times, sizes and definitions.

use std::time::Duration;

/// Reads a time: `500ms`, `60s`, `5m`, `2h`; a number alone is in seconds.
pub fn parse_time(text: &str) -> Result<Duration, String> {
    let (number, unit) = split(text);
    let seconds = match unit {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(format!("unknown unit '{unit}', expected ms, s, m or h")),
    };
    let amount: f64 = number.parse().map_err(|_| "expected a time such as 60s, 5m or 500ms".to_owned())?;
    Duration::try_from_secs_f64(amount * seconds).map_err(|_| "the time is too long".to_owned())
}

/// Reads a size in bytes: `512M`, `8G`; units are powers of 1024.
pub fn parse_size(text: &str) -> Result<u64, String> {
    let (number, unit) = split(text);
    let unit = unit.to_ascii_uppercase();
    let shift = match unit.trim_end_matches('B').trim_end_matches('I') {
        "" => 0,
        "K" => 10,
        "M" => 20,
        "G" => 30,
        "T" => 40,
        _ => return Err(format!("unknown unit '{unit}', expected K, M, G or T")),
    };
    let amount: f64 = number.parse().map_err(|_| "expected a size such as 512M or 8G".to_owned())?;
    let bytes = amount * (1u64 << shift) as f64;
    if bytes < 1.0 || bytes >= u64::MAX as f64 {
        return Err("the size is out of range".to_owned());
    }
    Ok(bytes as u64)
}

/// Reads `NAME=VALUE`, or `NAME`, which means `NAME=1` as for a C preprocessor.
pub fn parse_define(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').unwrap_or((text, "1"));
    let is_name = name.chars().all(|character| character.is_alphanumeric() || character == '_')
        && !name.starts_with(|first: char| first.is_ascii_digit());
    if name.is_empty() || !is_name {
        return Err(format!("'{name}' is not a name"));
    }
    Ok((name.to_owned(), value.to_owned()))
}

/// A size for people.
pub fn display_size(bytes: u64) -> String {
    let mut amount = bytes as f64;
    for unit in ["B", "KiB", "MiB", "GiB"] {
        if amount < 1024.0 {
            return if unit == "B" { format!("{bytes} B") } else { format!("{amount:.1} {unit}") };
        }
        amount /= 1024.0;
    }
    format!("{amount:.1} TiB")
}

/// A number of things: `1 step`, `2 steps`. The word takes a plain `s`.
pub fn counted(number: u64, thing: &str) -> String {
    if number == 1 { format!("1 {thing}") } else { format!("{number} {thing}s") }
}

/// The number in front and the unit behind.
fn split(text: &str) -> (&str, &str) {
    let text = text.trim();
    let end = text.find(|character: char| character.is_alphabetic()).unwrap_or(text.len());
    (text[..end].trim_end(), &text[end..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units_and_seconds_are_the_default() {
        assert_eq!(parse_time("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(parse_time("60s"), Ok(Duration::from_secs(60)));
        assert_eq!(parse_time("1.5m"), Ok(Duration::from_secs(90)));
        assert_eq!(parse_time("2"), Ok(Duration::from_secs(2)));
        for wrong in ["", "s", "5 parsecs", "-1s", "1e300h", "NaN", "inf"] {
            assert!(parse_time(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn sizes_are_powers_of_1024() {
        assert_eq!(parse_size("8G"), Ok(8 << 30));
        assert_eq!(parse_size("512MiB"), Ok(512 << 20));
        assert_eq!(parse_size("1k"), Ok(1024));
        assert_eq!(parse_size("77"), Ok(77));
        for wrong in ["", "G", "8X", "-1M", "0", "1e30"] {
            assert!(parse_size(wrong).is_err(), "{wrong}");
        }
        assert_eq!(display_size(3 << 19), "1.5 MiB");
    }

    #[test]
    fn a_definition_without_value_is_one() {
        assert_eq!(parse_define("N=3"), Ok(("N".to_owned(), "3".to_owned())));
        assert_eq!(parse_define("N"), Ok(("N".to_owned(), "1".to_owned())));
        assert_eq!(parse_define("N="), Ok(("N".to_owned(), String::new())));
        for wrong in ["", "=3", "3N", "a-b"] {
            assert!(parse_define(wrong).is_err(), "{wrong}");
        }
    }
}
