//! Expressions and simple statements of random programs.

use std::fmt::Write;

use super::{Generator, Place};

impl Generator<'_, '_> {
    fn scalar(&mut self) -> String {
        self.entropy.pick(&self.scalars).clone()
    }

    fn buffered(&mut self) -> &'static str {
        self.buffered[self.entropy.below(self.buffered.len())]
    }

    fn bit_channel(&mut self) -> &'static str {
        self.bit_channels[self.entropy.below(self.bit_channels.len())]
    }

    fn color(&mut self) -> String {
        (*self.entropy.pick(&["red", "green", "z"])).to_owned()
    }

    pub(super) fn value(&mut self, depth: usize) -> String {
        match self.entropy.below(if depth == 0 { 3 } else { 8 }) {
            0 => self.entropy.below(4).to_string(),
            1 | 2 => self.scalar(),
            3 => format!("({} + 1)", self.value(depth - 1)),
            4 => format!("({} -> {} : {})", self.condition(0), self.value(0), self.value(0)),
            5 => format!("len({})", self.buffered()),
            6 => format!("a[{} & 1]", self.value(0)),
            _ => format!("({} ^ {})", self.value(depth - 1), self.value(0)),
        }
    }

    /// A value that needs no truncation to one bit. Spin's verifier does not truncate elements of bit arrays
    /// and messages of one bit, as the language says it should.
    fn bit(&mut self) -> String {
        format!("({} & 1)", self.value(1))
    }

    pub(super) fn condition(&mut self, depth: usize) -> String {
        match self.entropy.below(if depth == 0 { 4 } else { 10 }) {
            0 => format!("{} == {}", self.value(0), self.value(0)),
            1 => (*self.entropy.pick(&["x", "!x", "y > 1", "z == red"])).to_owned(),
            2 => format!("{} != {}", self.value(0), self.value(0)),
            3 => "true".to_owned(),
            4 => format!("({} && {})", self.condition(depth - 1), self.condition(0)),
            5 => format!("({} || {})", self.condition(depth - 1), self.condition(0)),
            6 => (*self.entropy.pick(&["c?[1]", "d?[red,_]", "d??[green,0]", "nempty(c)", "full(d)"]))
                .to_owned(),
            7 => (*self.entropy.pick(&["empty(d)", "nfull(c)", "_nr_pr > 2", "_pid == 0"])).to_owned(),
            8 if self.uses_last => format!("_last == {}", self.entropy.below(3)),
            8 => "t.f".to_owned(),
            _ => "timeout".to_owned(),
        }
    }

    pub(super) fn assignment(&mut self) {
        let target = self.scalar();
        let value = match target.as_str() {
            "z" => self.color(),
            array if array.contains('[') => self.bit(),
            _ => self.value(1),
        };
        let _ = write!(self.text, "{target} = {value}");
    }

    pub(super) fn condition_statement(&mut self) {
        let condition = self.condition(1);
        let _ = write!(self.text, "({condition})");
    }

    pub(super) fn exchange(&mut self) {
        let statement = match self.entropy.below(14) {
            0 | 1 => format!("{}!{}", self.bit_channel(), self.bit()),
            2 | 3 => format!("{}?x", self.bit_channel()),
            4 => format!("{}?0", self.bit_channel()),
            5 => format!("d!{},{}", self.color(), self.value(0)),
            6 => "d?z,l".to_owned(),
            7 => "d??green,x".to_owned(),
            8 => format!("d!!{},{}", self.color(), self.value(0)),
            9 => "d?eval(z),y".to_owned(),
            10 => "c?<x>".to_owned(),
            11 => format!("s!{}({})", self.color(), self.value(0)),
            12 => "s?z,l".to_owned(),
            _ => "s?green,_".to_owned(),
        };
        self.text.push_str(&statement);
    }

    /// Something that is none of the others.
    pub(super) fn odd(&mut self, place: Place) {
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

    pub(super) fn inline_call(&mut self, place: Place) {
        let statement = match self.entropy.below(3) {
            0 => format!("bump({})", self.entropy.pick(&["x", "y", "l", "t.f"])),
            1 if place != Place::DStep => format!("pass({}, {})", self.bit_channel(), self.bit()),
            _ => format!("mix({})", self.value(0)),
        };
        self.text.push_str(&statement);
    }

    pub(super) fn run_with_channel(&mut self) {
        let call = format!("v({}, {})", self.bit_channel(), self.value(0));
        self.run(&call);
    }

    /// Starts a process, unless there are many: the state space is to stay finite.
    pub(super) fn run(&mut self, call: &str) {
        let _ = write!(self.text, "if :: _nr_pr < 5 -> run {call} :: else fi");
    }

    pub(super) fn jump(&mut self) {
        if self.loops > 0 && self.entropy.chance(50) {
            self.text.push_str("break");
        } else {
            let label = self.entropy.below(self.n_labels);
            let _ = write!(self.text, "goto L{label}");
        }
    }
}
