//! The conversation of `fathom simulate`: a list of steps, a command, and again.
//!
//! Works on a terminal and on a pipe; the end of the input is the end of the walk.

use std::io::{self, BufRead, Write};

use fathom_core::model::{Expr, Interpreter, System};

use crate::failure::{self, Failure};
use crate::session::Session;
use crate::story::describe;
use crate::story_text::{effects_to_text, state_to_text, steps_to_text};
use crate::walk::{Remembers, Walk};
use fathom_core::search::Random;

const HELP: &str = "\
  N         take step N
  (empty)   take the only step
  b         go back one step
  r [N]     take N random steps (1)
  i N       start again, in initial state N
  w EXPR    show this expression after every step
  s         show the state
  h         show this help
  q         quit
";

/// Longest line that is read: what is longer is no command.
const MAX_LINE: u64 = 1 << 16;

/// Steps beyond which no more are shown.
const MAX_SHOWN: usize = 200;

/// One conversation.
struct Conversation<'a, O: Write> {
    session: &'a Session,
    interpreter: &'a Interpreter<'a>,
    walk: Walk<'a>,
    random: Random,
    watches: Vec<(String, Expr)>,
    out: O,
}

/// What the user wants.
#[derive(PartialEq, Eq, Debug)]
pub enum Wish {
    Step(usize),
    OnlyStep,
    Back,
    Random(u64),
    Initial(usize),
    Watch(String),
    State,
    Help,
    Quit,
    Unknown,
}

/// Talks with the user until one of them has enough.
pub fn converse(session: &Session, interpreter: &Interpreter<'_>, random: Random) -> Result<u8, Failure> {
    let walk = Walk::start(session, interpreter, Remembers::TheWay, |_| 0).map_err(Failure::new)?;
    let out = io::stdout().lock();
    let mut conversation = Conversation { session, interpreter, walk, random, watches: Vec::new(), out };
    talk(&mut conversation)
}

/// Someone to talk with.
pub trait Talk {
    /// Shows where things are and what can be done.
    fn show_menu(&mut self) -> io::Result<()>;
    /// Does what the user wants.
    fn grant(&mut self, wish: Wish) -> io::Result<()>;
    /// Where it is shown.
    fn out(&mut self) -> &mut dyn Write;
}

/// Reads wishes from standard input and has them granted, until the user has enough.
pub fn talk(conversation: &mut dyn Talk) -> Result<u8, Failure> {
    let listen = |conversation: &mut dyn Talk, input: &mut dyn BufRead| -> io::Result<()> {
        conversation.show_menu()?;
        loop {
            write!(conversation.out(), "> ")?;
            conversation.out().flush()?;
            match read_wish(input)? {
                None => return writeln!(conversation.out()),
                Some(Wish::Quit) => return Ok(()),
                Some(wish) => conversation.grant(wish)?,
            }
        }
    };
    match listen(conversation, &mut io::stdin().lock()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::new(format!("cannot talk to the terminal: {error}")))
        }
        _ => Ok(failure::HOLDS),
    }
}

impl<O: Write> Talk for Conversation<'_, O> {
    fn grant(&mut self, wish: Wish) -> io::Result<()> {
        let n_options = self.walk.n_options();
        match wish {
            Wish::Step(number) if (1..=n_options).contains(&number) => self.take(number - 1)?,
            Wish::OnlyStep if n_options == 1 => self.take(0)?,
            Wish::Step(_) | Wish::OnlyStep => {
                return writeln!(self.out, "choose a step from 1 to {n_options}, or h for help");
            }
            Wish::Back if !self.walk.back() => return writeln!(self.out, "this is the start"),
            Wish::Back => {}
            Wish::Random(count) => self.take_random(count)?,
            Wish::Initial(number) => {
                let n_initial = self.walk.initial().1;
                if !(1..=n_initial).contains(&number) {
                    return writeln!(self.out, "choose an initial state from 1 to {n_initial}");
                }
                let pick = |_| number - 1;
                // It has started before.
                if let Ok(walk) = Walk::start(self.session, self.interpreter, Remembers::TheWay, pick) {
                    self.walk = walk;
                }
            }
            Wish::Watch(text) => return self.watch(text),
            Wish::State => {
                let state = describe(self.interpreter, self.walk.state());
                return write!(self.out, "{}", state_to_text(self.session, &state));
            }
            Wish::Help => return write!(self.out, "{HELP}"),
            Wish::Unknown | Wish::Quit => return writeln!(self.out, "unknown command; h for help"),
        }
        self.show_menu()
    }

    fn show_menu(&mut self) -> io::Result<()> {
        self.show_watches()?;
        let problems = self.walk.problems();
        for problem in &problems {
            let summary = self.walk.summary(&problem.moves);
            let gap = if summary.is_empty() { "" } else { ": " };
            writeln!(self.out, "  *** {summary}{gap}{}", problem.text)?;
        }
        self.show_start()?;
        writeln!(self.out, "after {} steps:", self.walk.choices().len())?;
        self.show_options()?;
        if self.walk.n_options() == 0 {
            writeln!(self.out, "      nothing can move")?;
        }
        Ok(())
    }

    fn out(&mut self) -> &mut dyn Write {
        &mut self.out
    }
}

impl<O: Write> Conversation<'_, O> {
    fn take(&mut self, option: usize) -> io::Result<()> {
        match self.walk.take(option) {
            Ok(step) => write!(self.out, "{}", steps_to_text(self.session, &[step])),
            Err(error) => writeln!(self.out, "{error}"),
        }
    }

    /// The state at the start, where there are several.
    fn show_start(&mut self) -> io::Result<()> {
        let (initial, n_initial) = self.walk.initial();
        if n_initial < 2 || !self.walk.choices().is_empty() {
            return Ok(());
        }
        writeln!(self.out, "initial state {} of {n_initial} (i N for another):", initial + 1)?;
        let state = describe(self.interpreter, self.walk.state());
        write!(self.out, "{}", state_to_text(self.session, &state))
    }

    /// The steps that can be taken; those of one statement are told apart by what they do.
    fn show_options(&mut self) -> io::Result<()> {
        let n_options = self.walk.n_options();
        let n_shown = n_options.min(MAX_SHOWN);
        let summaries: Vec<String> =
            (0..n_shown).map(|option| self.walk.summary(self.walk.moves(option))).collect();
        for (option, summary) in summaries.iter().enumerate() {
            let is_alone = summaries.iter().filter(|other| *other == summary).count() == 1;
            let told = if is_alone { None } else { self.walk.told(option).ok() };
            let effects = told.map(|step| effects_to_text(self.session, &step)).unwrap_or_default();
            let gap = if effects.is_empty() { "" } else { "  " };
            writeln!(self.out, "{:>4}  {summary}{gap}{effects}", option + 1)?;
        }
        if n_shown < n_options {
            writeln!(self.out, "      and {} more, up to {n_options}", n_options - n_shown)?;
        }
        Ok(())
    }

    fn take_random(&mut self, count: u64) -> io::Result<()> {
        for _ in 0..count {
            let n_options = self.walk.n_options();
            if n_options == 0 {
                break;
            }
            let option = self.random.below(n_options);
            self.take(option)?;
        }
        Ok(())
    }

    fn watch(&mut self, text: String) -> io::Result<()> {
        match self.session.parse_watch(&text) {
            Ok(expr) => {
                self.watches.push((text, expr));
                self.show_watches()
            }
            Err(failure) => {
                failure.report(false);
                Ok(())
            }
        }
    }

    fn show_watches(&mut self) -> io::Result<()> {
        let mut scratch = self.interpreter.scratch();
        for (text, expr) in &self.watches {
            match self.interpreter.evaluate(&mut scratch, self.walk.state(), expr) {
                Ok(value) => writeln!(self.out, "  {text} = {value}")?,
                Err(fault) => writeln!(self.out, "  {text}: {fault}")?,
            }
        }
        Ok(())
    }
}

/// Reads what the user wants; nothing at the end of the input.
fn read_wish(input: &mut dyn BufRead) -> io::Result<Option<Wish>> {
    let mut line = Vec::new();
    if io::Read::take(input, MAX_LINE).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    Ok(Some(parse_wish(String::from_utf8_lossy(&line).trim())))
}

fn parse_wish(line: &str) -> Wish {
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    match (word, rest) {
        ("", _) => Wish::OnlyStep,
        ("b" | "back", "") => Wish::Back,
        ("r" | "random", "") => Wish::Random(1),
        ("r" | "random", count) => count.parse().map_or(Wish::Unknown, Wish::Random),
        ("i" | "initial", number) => number.parse().map_or(Wish::Unknown, Wish::Initial),
        ("w" | "watch", text) if !text.is_empty() => Wish::Watch(text.to_owned()),
        ("s" | "state", "") => Wish::State,
        ("h" | "help" | "?", _) => Wish::Help,
        ("q" | "quit" | "exit", _) => Wish::Quit,
        (number, "") => number.parse().map_or(Wish::Unknown, Wish::Step),
        _ => Wish::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_short_or_long() {
        assert_eq!(parse_wish("3"), Wish::Step(3));
        assert_eq!(parse_wish(""), Wish::OnlyStep);
        assert_eq!(parse_wish("r  12"), Wish::Random(12));
        assert_eq!(parse_wish("random"), Wish::Random(1));
        assert_eq!(parse_wish("i 3"), Wish::Initial(3));
        assert_eq!(parse_wish("i"), Wish::Unknown);
        assert_eq!(parse_wish("w x + 1"), Wish::Watch("x + 1".to_owned()));
        for wrong in ["w", "r x", "-1", "3 4", "jump"] {
            assert_eq!(parse_wish(wrong), Wish::Unknown, "{wrong}");
        }
    }
}
