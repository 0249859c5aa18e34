//! Parameters of a program written in Rust: what `-D NAME=VALUE` on its command line sets.
//!
//! A program asks for them one by one before its commands run, so that whatever was asked for by then is all that it has. A
//! value that does not fit and a name that nobody asked for end the process with a message: a program that went on with its
//! defaults would answer another question.

use std::fmt::Display;
use std::str::FromStr;
use std::sync::{Mutex, PoisonError};

use crate::failure::{self, Failure};
use crate::output;

/// The names that were asked for.
static ASKED: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// The value that the arguments of the process give a parameter of a program, with `-D NAME=VALUE`; without one, the
/// default.
///
/// A value that is no such value ends the process with a message.
pub fn parameter<T: FromStr>(name: &str, default: T) -> T {
    match given(name) {
        Some(value) => value
            .parse()
            .unwrap_or_else(|_| refuse(&format!("-D {name}={value}: this is no value for {name}"))),
        None => default,
    }
}

/// Like [`parameter`], for a parameter that may have these values only; the first one is the default.
///
/// # Panics
///
/// When there are no values.
pub fn parameter_among<T: FromStr + PartialEq + Display + Clone>(name: &str, values: &[T]) -> T {
    let value = parameter(name, values[0].clone());
    if !values.contains(&value) {
        let values: Vec<String> = values.iter().map(T::to_string).collect();
        refuse(&format!("-D {name}={value}: {name} is one of {}", values.join(", ")));
    }
    value
}

/// Looks at the names of parameters that were given.
///
/// # Errors
///
/// When the program did not ask for one of them.
pub fn all_were_asked<'n>(mut names: impl Iterator<Item = &'n str>) -> Result<(), Failure> {
    let asked = ASKED.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(name) = names.find(|name| !asked.iter().any(|asked| asked == name)) else { return Ok(()) };
    let has =
        if asked.is_empty() { "it has none".to_owned() } else { format!("it has {}", asked.join(", ")) };
    Err(Failure::new(format!("-D {name}: the program has no parameter of this name; {has}")))
}

fn given(name: &str) -> Option<String> {
    let mut asked = ASKED.lock().unwrap_or_else(PoisonError::into_inner);
    if !asked.iter().any(|asked| asked == name) {
        asked.push(name.to_owned());
    }
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut defines = arguments.iter().enumerate().filter_map(|(place, argument)| {
        let define = argument.strip_prefix("-D")?;
        if define.is_empty() { arguments.get(place + 1).map(String::as_str) } else { Some(define) }
    });
    defines.find_map(|define| define.strip_prefix(name)?.strip_prefix('=')).map(str::to_owned)
}

fn refuse(message: &str) -> ! {
    output::complain(message);
    std::process::exit(failure::CANNOT_RUN.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_nobody_asked_for_is_refused() {
        assert_eq!(parameter("SIZE", 3), 3);
        assert_eq!(parameter_among("SHAPE", &[4, 5]), 4);
        assert!(all_were_asked(["SIZE", "SHAPE"].into_iter()).is_ok());
        let refused = all_were_asked(["SIZE", "SIZES"].into_iter()).expect_err("nobody asked for it");
        let message = format!("{refused:?}");
        assert!(message.contains("-D SIZES") && message.contains("SIZE, SHAPE"), "{message}");
    }
}
