//! Random small Promela programs.
//!
//! The programs are legal and their state spaces small: variables have few bits, channels few places, and
//! whatever counts wraps. They are dense in what is hard to get right: rendezvous inside `atomic`, `unless`
//! around all kinds of statements, `else` beside channel operations, jumps out of `atomic`, `d_step` with
//! selections, processes that start and end, blocks with declarations, channels that are passed on.
//!
//! Nothing in a program is left to an implementation: indices are in range, and `d_step` neither blocks nor
//! loops for ever. So whoever disagrees about such a program is wrong. Expressions and simple statements are
//! in `phrase`.

mod phrase;

use std::fmt::Write;

use crate::Entropy;

/// A random program.
pub fn random_promela(entropy: &mut Entropy<'_>) -> String {
    let mut generator = Generator {
        entropy,
        text: String::new(),
        indent: 1,
        n_labels: 0,
        n_blocks: 0,
        loops: 0,
        scalars: Vec::new(),
        buffered: Vec::new(),
        bit_channels: Vec::new(),
        runs: false,
        runs_with_channel: false,
        uses_last: false,
    };
    generator.program();
    generator.text
}

struct Generator<'e, 'b> {
    entropy: &'e mut Entropy<'b>,
    text: String,
    indent: usize,
    /// Labels declared in the current process.
    n_labels: usize,
    /// Blocks with declarations in the current process.
    n_blocks: usize,
    /// Loops around the current statement.
    loops: usize,
    /// Numbers in scope, as they are written.
    scalars: Vec<String>,
    /// Channels in scope that can be asked for their length.
    buffered: Vec<&'static str>,
    /// Channels in scope with messages of one bit.
    bit_channels: Vec<&'static str>,
    /// Whether there is a proctype `w` to run.
    runs: bool,
    /// Whether there is a proctype `v` to run, which wants a channel.
    runs_with_channel: bool,
    /// Whether expressions may ask who moved last.
    uses_last: bool,
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

/// A proctype to be written.
struct Header<'h> {
    text: &'h str,
    /// Most statements on the outermost level.
    length: usize,
    has_channel_parameter: bool,
}

const GLOBALS: [&str; 8] = ["x", "y", "z", "a[0]", "a[1]", "a[x]", "t.f", "t.g[y & 1]"];

const INLINES: &str = "\
inline bump(v) { v++; y = v }
inline pass(q, v) { q!v; x = v }
inline mix(v) { unsigned k : 2; k = v; if :: k > 1 -> x = 1 :: else -> y = k fi }
";

impl Generator<'_, '_> {
    fn program(&mut self) {
        self.text.push_str("mtype = { red, green };\n");
        self.text.push_str("typedef T { bit f; bit g[2] };\n");
        self.text.push_str("bit x; unsigned y : 2; mtype z = red; bit a[2]; T t;\n");
        let (c, d) = (1 + self.entropy.below(2), 1 + self.entropy.below(2));
        let _ = writeln!(self.text, "chan c = [{c}] of {{ bit }};\nchan d = [{d}] of {{ mtype, bit }};");
        self.text.push_str("chan r = [0] of { bit };\nchan s = [0] of { mtype, bit };\n");
        self.text.push_str(INLINES);
        self.uses_last = self.entropy.chance(15);
        let (runs, runs_with_channel) = (self.entropy.chance(30), self.entropy.chance(25));
        // Such processes run no others: most state spaces would be too large to look at.
        if runs {
            self.process(&Header { text: "proctype w(bit p)", length: 2, has_channel_parameter: false });
        }
        if runs_with_channel {
            self.process(&Header {
                text: "proctype v(chan q; bit p)",
                length: 2,
                has_channel_parameter: true,
            });
        }
        (self.runs, self.runs_with_channel) = (runs, runs_with_channel);
        let n_processes = 1 + self.entropy.below(3);
        for number in 0..n_processes {
            let provided = if self.entropy.chance(10) { self.provided() } else { String::new() };
            let text = format!("active proctype p{number}(){provided}");
            self.process(&Header { text: &text, length: 4, has_channel_parameter: false });
        }
    }

    /// A condition for a whole process: nothing local, nothing about time.
    fn provided(&mut self) -> String {
        format!(
            " provided ({})",
            self.entropy.pick(&["!x || y > 0", "z == red", "len(c) < 2", "t.f == a[1]"])
        )
    }

    fn process(&mut self, header: &Header<'_>) {
        self.n_labels = 0;
        self.n_blocks = 0;
        self.loops = 0;
        self.scalars = GLOBALS.map(str::to_owned).to_vec();
        self.scalars.push("l".to_owned());
        self.buffered = vec!["c", "d"];
        self.bit_channels = vec!["c", "r"];
        let _ = writeln!(self.text, "{} {{\n  unsigned l : 2; byte i;", header.text);
        if header.has_channel_parameter {
            // It may be a rendezvous: its length is not asked for.
            self.bit_channels.push("q");
        } else if self.entropy.chance(20) {
            self.text.push_str("  chan m = [1] of { bit };\n");
            self.buffered.push("m");
            self.bit_channels.push("m");
        }
        // A first statement that a backward jump can always lead to.
        self.text.push_str("L0: skip;\n");
        self.n_labels = 1;
        let n_statements = 1 + self.entropy.below(header.length);
        for _ in 0..n_statements {
            self.label();
            self.statement(Place::Open, 3);
            self.text.push_str(";\n");
        }
        self.text.push_str("  skip\n}\n");
    }

    /// Perhaps a label, or two at the same place.
    fn label(&mut self) {
        if !self.entropy.chance(25) {
            return;
        }
        let number = self.n_labels;
        // A name must not come again, whether or not jumps may lead to it.
        self.n_labels += 1;
        match *self.entropy.pick(&["L", "L", "end", "progress", "both"]) {
            "L" => {
                let _ = write!(self.text, "L{number}: ");
            }
            "both" => {
                let _ = write!(self.text, "end{number}: L{number}: skip; ");
            }
            prefix => {
                let _ = write!(self.text, "{prefix}{number}: skip; L{number}: ");
            }
        }
    }

    fn pad(&mut self) {
        let indent = self.indent;
        let _ = write!(self.text, "{:1$}", "", 2 * indent);
    }

    fn statement(&mut self, place: Place, depth: usize) {
        self.pad();
        let n_kinds = if depth == 0 { 7 } else { 16 };
        match (self.entropy.below(n_kinds), place) {
            (0, _) => self.assignment(),
            (4, _) => self.odd(place),
            (6, _) => self.inline_call(place),
            (7, _) => self.selection(place, depth),
            (8, Place::DStep) => self.text.push_str("for (i : 0 .. 1) { a[i] = x }"),
            // What follows may block, jump or go on for ever.
            (_, Place::DStep) => self.assignment(),
            (1, _) => self.condition_statement(),
            (2 | 3, _) => self.exchange(),
            (5, _) => self.jump(),
            (8, _) => self.counted_loop(place, depth),
            (9, _) => self.repetition(place, depth),
            (10, Place::Open) => self.group("atomic", Place::Atomic, depth),
            (11, _) => self.group("d_step", Place::DStep, depth),
            (12, _) => self.unless(place, depth),
            (13, Place::Open) if self.runs => self.run("w(x)"),
            (14, Place::Open) if self.runs_with_channel => self.run_with_channel(),
            (15, _) => self.block(place, depth),
            _ => self.assignment(),
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

    /// A loop over a variable, which its body may change: the variable wraps.
    fn counted_loop(&mut self, place: Place, depth: usize) {
        let header =
            *self.entropy.pick(&["for (l : 0 .. 2) {\n", "for (i : 0 .. 1) {\n", "for (i in a) {\n"]);
        self.text.push_str(header);
        self.loops += 1;
        self.enclosed(place, depth, 2);
        self.loops -= 1;
        self.text.push('}');
    }

    /// A block with a variable of its own.
    fn block(&mut self, place: Place, depth: usize) {
        let number = self.n_blocks;
        self.n_blocks += 1;
        let name = format!("n{number}");
        let initial = if self.entropy.chance(50) { format!(" = {}", self.value(0)) } else { String::new() };
        let _ = writeln!(self.text, "{{ unsigned {name} : 2{initial};");
        self.scalars.push(name);
        self.enclosed(place, depth, 3);
        self.scalars.pop();
        self.text.push('}');
    }

    fn group(&mut self, keyword: &str, place: Place, depth: usize) {
        let _ = writeln!(self.text, "{keyword} {{");
        let outer_loops = self.loops;
        if place == Place::DStep {
            self.loops = 0;
        }
        if self.entropy.chance(60) {
            self.indent += 1;
            self.guard(place);
            self.indent -= 1;
            self.text.push_str(";\n");
        }
        self.enclosed(place, depth, 3);
        self.loops = outer_loops;
        self.text.push('}');
    }

    /// One to `most` statements, up to the closing brace.
    fn enclosed(&mut self, place: Place, depth: usize, most: usize) {
        self.indent += 1;
        for number in 0..1 + self.entropy.below(most) {
            if number > 0 {
                self.text.push_str(";\n");
            }
            self.statement(place, depth.saturating_sub(1));
        }
        self.indent -= 1;
        self.text.push('\n');
        self.pad();
    }

    fn unless(&mut self, place: Place, depth: usize) {
        self.text.push_str("{\n");
        self.enclosed(place, depth, 2);
        self.text.push_str("} unless {\n");
        self.indent += 1;
        self.guard(place);
        self.text.push_str(";\n");
        self.indent -= 1;
        self.enclosed(place, 0, 1);
        self.text.push('}');
    }
}
