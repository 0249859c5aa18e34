//! Random small Promela programs.
//!
//! The programs are legal and their state spaces small: variables have few bits, channels few places, and
//! whatever counts wraps. They are dense in what is hard to get right: rendezvous inside `atomic`, `unless`
//! around all kinds of statements, `else` beside channel operations, jumps out of `atomic`, `d_step` with
//! selections, processes that start and end.

use std::fmt::Write;

use crate::Entropy;

/// A random program.
pub fn random_promela(entropy: &mut Entropy<'_>) -> String {
    let mut generator =
        Generator { entropy, text: String::new(), indent: 1, n_labels: 0, loops: 0, runs: false };
    generator.program();
    generator.text
}

struct Generator<'e, 'b> {
    entropy: &'e mut Entropy<'b>,
    text: String,
    indent: usize,
    /// Labels declared in the current process.
    n_labels: usize,
    /// Loops around the current statement.
    loops: usize,
    /// Whether there is a proctype `w` to run.
    runs: bool,
}

/// Where a statement stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Anywhere.
    Open,
    /// Inside `atomic`.
    Atomic,
    /// Inside `d_step`: nothing that blocks, jumps or meets another process.
    DStep,
}

const SCALARS: [&str; 6] = ["x", "y", "z", "a[0]", "a[1]", "l"];
const BUFFERED: [&str; 2] = ["c", "d"];

impl Generator<'_, '_> {
    fn program(&mut self) {
        self.text.push_str("mtype = { red, green };\n");
        self.text.push_str("bit x; unsigned y : 2; mtype z = red; bit a[2];\n");
        let (c, d) = (1 + self.entropy.below(2), 1 + self.entropy.below(2));
        let _ = writeln!(self.text, "chan c = [{c}] of {{ bit }};\nchan d = [{d}] of {{ mtype, bit }};");
        self.text.push_str("chan r = [0] of { bit };\nchan s = [0] of { mtype, bit };\n");
        self.runs = self.entropy.chance(30);
        if self.runs {
            self.process("proctype w(bit p)", 2);
        }
        let n_processes = 1 + self.entropy.below(3);
        for number in 0..n_processes {
            let header = format!("active proctype p{number}()");
            self.process(&header, 4);
        }
    }

    fn process(&mut self, header: &str, length: usize) {
        self.n_labels = 0;
        self.loops = 0;
        let _ = writeln!(self.text, "{header} {{\n  unsigned l : 2;");
        // A first statement that a backward jump can always lead to.
        self.text.push_str("L0: skip;\n");
        self.n_labels = 1;
        let n_statements = 1 + self.entropy.below(length);
        for _ in 0..n_statements {
            self.label();
            self.statement(Place::Open, 3);
            self.text.push_str(";\n");
        }
        self.text.push_str("  skip\n}\n");
    }

    fn label(&mut self) {
        if self.entropy.chance(25) {
            let prefix = *self.entropy.pick(&["L", "L", "end", "progress"]);
            let number = self.n_labels;
            let _ = write!(self.text, "{prefix}{number}: ");
            if prefix == "L" {
                self.n_labels += 1;
            } else {
                // Not a target of jumps, but the name must not come again.
                self.n_labels += 1;
                let _ = write!(self.text, "skip; L{number}: ");
            }
        }
    }

    fn pad(&mut self) {
        let indent = self.indent;
        let _ = write!(self.text, "{:1$}", "", 2 * indent);
    }

    fn statement(&mut self, place: Place, depth: usize) {
        self.pad();
        let n_kinds = if depth == 0 { 6 } else { 12 };
        match (self.entropy.below(n_kinds), place) {
            (0, _) => self.assignment(),
            (1, Place::DStep) => self.assignment(),
            (1, _) => self.condition_statement(),
            (2 | 3, Place::DStep) => self.assignment(),
            (2 | 3, _) => self.exchange(),
            (4, _) => self.odd(place),
            (5, Place::DStep) => self.assignment(),
            (5, _) => self.jump(),
            (6, _) => self.selection(place, depth),
            (7, Place::DStep) => self.assignment(),
            (7, _) => self.repetition(place, depth),
            (8, Place::Open) => self.group("atomic", Place::Atomic, depth),
            (9, Place::Open | Place::Atomic) => self.group("d_step", Place::DStep, depth),
            (10, Place::Open | Place::Atomic) => self.unless(place, depth),
            (11, Place::Open) if self.runs => self.text.push_str("run w(x)"),
            _ => self.assignment(),
        }
    }

    fn assignment(&mut self) {
        let target = *self.entropy.pick(&SCALARS);
        let value = match target {
            "z" => self.color(),
            // Spin's verifier does not truncate elements of bit arrays, as the language says it should.
            "a[0]" | "a[1]" => format!("({} & 1)", self.value(1)),
            _ => self.value(1),
        };
        let _ = write!(self.text, "{target} = {value}");
    }

    fn color(&mut self) -> String {
        (*self.entropy.pick(&["red", "green", "z"])).to_owned()
    }

    fn value(&mut self, depth: usize) -> String {
        match self.entropy.below(if depth == 0 { 3 } else { 7 }) {
            0 => self.entropy.below(4).to_string(),
            1 | 2 => (*self.entropy.pick(&SCALARS)).to_owned(),
            3 => format!("({} + 1)", self.value(depth - 1)),
            4 => format!("({} -> {} : {})", self.condition(0), self.value(0), self.value(0)),
            5 => format!("len({})", self.entropy.pick(&BUFFERED)),
            _ => format!("({} ^ {})", self.value(depth - 1), self.value(0)),
        }
    }

    fn condition(&mut self, depth: usize) -> String {
        match self.entropy.below(if depth == 0 { 4 } else { 9 }) {
            0 => format!("{} == {}", self.value(0), self.value(0)),
            1 => (*self.entropy.pick(&["x", "!x", "y > 1", "z == red"])).to_owned(),
            2 => format!("{} != {}", self.value(0), self.value(0)),
            3 => "true".to_owned(),
            4 => format!("({} && {})", self.condition(depth - 1), self.condition(0)),
            5 => format!("({} || {})", self.condition(depth - 1), self.condition(0)),
            6 => (*self.entropy.pick(&["c?[1]", "d?[red,_]", "d??[green,0]", "nempty(c)", "full(d)"]))
                .to_owned(),
            7 => (*self.entropy.pick(&["empty(d)", "nfull(c)", "_nr_pr > 2", "_pid == 0"])).to_owned(),
            _ => "timeout".to_owned(),
        }
    }

    fn condition_statement(&mut self) {
        let condition = self.condition(1);
        let _ = write!(self.text, "({condition})");
    }

    fn exchange(&mut self) {
        let statement = match self.entropy.below(14) {
            0 => format!("c!{}", self.value(0)),
            1 => "c?x".to_owned(),
            2 => "c?0".to_owned(),
            3 => format!("d!{},{}", self.color(), self.value(0)),
            4 => "d?z,l".to_owned(),
            5 => "d??green,x".to_owned(),
            6 => format!("d!!{},{}", self.color(), self.value(0)),
            7 => "d?eval(z),y".to_owned(),
            8 => "c?<x>".to_owned(),
            9 => format!("r!{}", self.value(0)),
            10 => "r?x".to_owned(),
            11 => format!("s!{}({})", self.color(), self.value(0)),
            12 => "s?z,l".to_owned(),
            _ => "s?green,_".to_owned(),
        };
        self.text.push_str(&statement);
    }

    fn odd(&mut self, place: Place) {
        let statement = match self.entropy.below(5) {
            0 => "skip".to_owned(),
            1 => "printf(\"x = %d\\n\", x)".to_owned(),
            2 => format!("assert({})", self.condition(0)),
            3 => (*self.entropy.pick(&["x++", "y--", "l++"])).to_owned(),
            _ if place == Place::DStep => "skip".to_owned(),
            _ => "select(l : 0 .. 2)".to_owned(),
        };
        self.text.push_str(&statement);
    }

    fn jump(&mut self) {
        if self.loops > 0 && self.entropy.chance(50) {
            self.text.push_str("break");
        } else {
            let label = self.entropy.below(self.n_labels);
            let _ = write!(self.text, "goto L{label}");
        }
    }

    /// The first statement of an option: something that can block.
    fn guard(&mut self, place: Place) {
        self.pad();
        match self.entropy.below(if place == Place::DStep { 3 } else { 10 }) {
            0..=4 => self.condition_statement(),
            5..=7 => self.exchange(),
            8 => self.assignment(),
            _ => self.jump(),
        }
    }

    fn options(&mut self, place: Place, depth: usize, must_end: bool) {
        let n_options = 1 + self.entropy.below(3);
        self.indent += 1;
        for _ in 0..n_options {
            self.pad();
            self.text.push_str("::\n");
            self.option(place, depth);
        }
        let total = place == Place::DStep;
        if must_end || total || self.entropy.chance(50) {
            self.pad();
            self.text.push_str(match (total, self.entropy.chance(70)) {
                (true, _) | (_, true) => ":: else",
                _ => ":: timeout",
            });
            if must_end {
                self.text.push_str(" -> break");
            }
            self.text.push('\n');
        }
        self.indent -= 1;
    }

    fn option(&mut self, place: Place, depth: usize) {
        self.indent += 1;
        if place == Place::Open && self.entropy.chance(15) {
            self.group("atomic", Place::Atomic, depth.max(2) - 1);
        } else {
            self.guard(place);
        }
        for _ in 0..self.entropy.below(3) {
            self.text.push_str(";\n");
            self.statement(place, depth.saturating_sub(1));
        }
        self.text.push('\n');
        self.indent -= 1;
    }

    fn selection(&mut self, place: Place, depth: usize) {
        self.text.push_str("if\n");
        self.options(place, depth, false);
        self.pad();
        self.text.push_str("fi");
    }

    fn repetition(&mut self, place: Place, depth: usize) {
        self.text.push_str("do\n");
        self.loops += 1;
        self.options(place, depth, true);
        self.loops -= 1;
        self.pad();
        self.text.push_str("od");
    }

    fn group(&mut self, keyword: &str, place: Place, depth: usize) {
        let _ = writeln!(self.text, "{keyword} {{");
        self.indent += 1;
        let outer_loops = self.loops;
        if place == Place::DStep {
            self.loops = 0;
        }
        if self.entropy.chance(60) {
            self.guard(place);
        } else {
            self.statement(place, depth.saturating_sub(1));
        }
        for _ in 0..1 + self.entropy.below(3) {
            self.text.push_str(";\n");
            self.statement(place, depth.saturating_sub(1));
        }
        self.loops = outer_loops;
        self.indent -= 1;
        self.text.push('\n');
        self.pad();
        self.text.push('}');
    }

    fn unless(&mut self, place: Place, depth: usize) {
        self.text.push_str("{\n");
        self.indent += 1;
        self.statement(place, depth.saturating_sub(1));
        self.text.push_str(";\n");
        self.statement(place, depth.saturating_sub(1));
        self.text.push('\n');
        self.indent -= 1;
        self.pad();
        self.text.push_str("} unless {\n");
        self.indent += 1;
        self.guard(place);
        self.text.push_str(";\n");
        self.statement(place, 0);
        self.text.push('\n');
        self.indent -= 1;
        self.pad();
        self.text.push('}');
    }
}
