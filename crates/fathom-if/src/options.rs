//! Bounds and choices that IF leaves open, as definitions from outside: `if_queue=8`.

use fathom_source::Diagnostic;

/// What happens when a signal is sent to a full queue. Queues of IF have no bound; those of a finite model have one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Overflow {
    /// It violates the assertion property.
    Error,
    /// The sender waits.
    Block,
    /// The signal is lost.
    Drop,
}

/// When the environment sends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Environment {
    /// Only to an empty queue.
    Patient,
    /// Whenever there is room.
    Eager,
}

/// What a variable is that nobody has assigned when the system starts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unassigned {
    /// Zero, or the first value of its type.
    Zero,
    /// Anything: all its values are initial.
    Any,
}

/// Bounds and choices.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Most signals in a queue.
    pub queue: u32,
    /// What happens when there are more.
    pub overflow: Overflow,
    /// When the environment sends.
    pub environment: Environment,
    /// Whether a signal that a state neither takes nor saves is thrown away.
    pub discard: bool,
    /// Most processes at one time, ended ones included.
    pub processes: u32,
    /// What variables without a value are at the start.
    pub unassigned: Unassigned,
    /// Values of constants.
    pub constants: Vec<(String, String)>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            queue: 4,
            overflow: Overflow::Error,
            environment: Environment::Patient,
            discard: true,
            processes: 16,
            unassigned: Unassigned::Zero,
            constants: Vec::new(),
        }
    }
}

impl Options {
    /// Reads definitions: names that start with `if_` are options, all others constants.
    pub fn from_defines(defines: &[(String, String)]) -> (Options, Vec<Diagnostic>) {
        let mut options = Options::default();
        let mut diagnostics = Vec::new();
        for (name, value) in defines {
            if !name.starts_with("if_") {
                options.constants.push((name.clone(), value.clone()));
            } else if let Err(expected) = options.set(name, value) {
                let message = format!("{name}={value}: expected {expected}");
                diagnostics.push(Diagnostic::error("if::option", message));
            }
        }
        (options, diagnostics)
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), &'static str> {
        let number =
            |low: u32, high: u32| value.parse::<u32>().ok().filter(|value| (low..=high).contains(value));
        match name {
            "if_queue" => self.queue = number(1, 1000).ok_or("a number from 1 to 1000")?,
            "if_processes" => self.processes = number(1, 10_000).ok_or("a number from 1 to 10000")?,
            "if_overflow" => {
                self.overflow = match value {
                    "error" => Overflow::Error,
                    "block" => Overflow::Block,
                    "drop" => Overflow::Drop,
                    _ => return Err("error, block or drop"),
                }
            }
            "if_environment" => {
                self.environment = match value {
                    "patient" => Environment::Patient,
                    "eager" => Environment::Eager,
                    _ => return Err("patient or eager"),
                }
            }
            "if_discard" => {
                self.discard = match value {
                    "on" | "1" => true,
                    "off" | "0" => false,
                    _ => return Err("on or off"),
                }
            }
            "if_unassigned" => {
                self.unassigned = match value {
                    "zero" => Unassigned::Zero,
                    "any" => Unassigned::Any,
                    _ => return Err("zero or any"),
                }
            }
            _ => {
                let known =
                    "if_queue, if_overflow, if_environment, if_discard, if_processes or if_unassigned";
                return Err(known);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_are_options_or_constants() {
        let define = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let given = [define("if_queue", "2"), define("if_overflow", "drop"), define("N", "5")];
        let (options, said) = Options::from_defines(&given);
        assert!(said.is_empty());
        assert_eq!((options.queue, options.overflow), (2, Overflow::Drop));
        assert_eq!(options.constants, vec![define("N", "5")]);
        for wrong in [
            define("if_queue", "0"),
            define("if_discard", "maybe"),
            define("if_unassigned", "1"),
            define("if_quue", "1"),
        ] {
            assert_eq!(Options::from_defines(&[wrong]).1.len(), 1);
        }
    }
}
