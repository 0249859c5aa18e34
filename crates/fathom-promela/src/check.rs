//! A check of the whole reading side on arbitrary bytes, for tests and fuzz targets.

use crate::{parse_expression, parse_formula, parse_program, print};
use fathom_source::{MemoryLoader, SourceMap, has_errors, render_json, render_text};

/// Reads bytes as a program, as an expression and as a formula, and renders everything there is to say.
///
/// # Panics
///
/// When the front end has a bug: it panics, a diagnostic has a place that does not exist, or a program that
/// was accepted is refused after printing.
pub fn check_front_end(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let mut sources = SourceMap::new();
    let file = sources.add("input", text.as_ref());
    let loader = MemoryLoader::new().with("input", text.as_ref());
    let (program, mut diagnostics) = parse_program(file, &mut sources, &loader, &[]);
    if !has_errors(&diagnostics) {
        let printed = sources.add("printed", print::program(&program));
        let (_, again) = parse_program(printed, &mut sources, &MemoryLoader::new(), &[]);
        assert!(
            !has_errors(&again),
            "printing made an accepted program wrong:\n{}",
            render_text(&sources, &again, false)
        );
        diagnostics.extend(again);
    }
    let names = ["P".to_owned()];
    diagnostics.extend(parse_expression(file, &sources, &names).1);
    diagnostics.extend(parse_formula(file, &sources, &names).1);
    for diagnostic in &diagnostics {
        for label in diagnostic.primary.iter().chain(&diagnostic.secondary) {
            let text = sources.file(label.span.file).text();
            let range = label.span.start as usize..label.span.end as usize;
            assert!(text.get(range).is_some(), "a place that does not exist: {diagnostic:?}");
        }
    }
    render_text(&sources, &diagnostics, true);
    render_json(&sources, &diagnostics);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;
    use std::time::{Duration, Instant};

    /// A small generator of pseudo-random numbers (xorshift), so that failures repeat.
    struct Random(u64);

    impl Random {
        fn below(&mut self, bound: usize) -> usize {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 % bound.max(1) as u64) as usize
        }
    }

    /// A range of up to `length` bytes.
    fn range(random: &mut Random, text: &[u8], length: usize) -> std::ops::Range<usize> {
        let start = random.below(text.len());
        start..(start + 1 + random.below(length)).min(text.len())
    }

    const PIECES: &[&str] = &[
        "(",
        ")",
        "{",
        "}",
        "[",
        "]",
        "::",
        "->",
        ";",
        ":",
        "..",
        "!!",
        "??",
        "<",
        ">",
        "-",
        "\"",
        "'",
        "/*",
        "*/",
        "//",
        "\\\n",
        "\n#",
        "#define x(",
        "\n#if ",
        "\n#endif\n",
        "\n#include \"input\"\n",
        "é",
        "\u{0}",
        "if",
        "fi",
        "do",
        "od",
        "unless",
        "inline f(a) { f(a) }",
        "ltl {",
        "c_code {",
        "P:",
        "@",
        "##",
        "\r\n",
        "99999999999",
        "mtype",
        "typedef",
        "run",
        "proctype P(",
        "select(",
        "for (",
        "return 1",
        "\n#define N N N\n",
    ];

    fn mutate(random: &mut Random, text: &mut Vec<u8>) {
        if text.is_empty() {
            text.push(b' ');
        }
        match random.below(6) {
            0 => {
                let hole = range(random, text, 30);
                text.drain(hole);
            }
            1 => {
                let copied = range(random, text, 60);
                let copied = text[copied].to_vec();
                let at = random.below(text.len());
                text.splice(at..at, copied);
            }
            2 => {
                let at = random.below(text.len());
                text[at] = random.below(256) as u8;
            }
            3 => {
                let from = random.below(text.len());
                let to = random.below(text.len());
                text.swap(from, to);
            }
            _ => {
                let piece = PIECES[random.below(PIECES.len())];
                let at = random.below(text.len());
                text.splice(at..at, piece.bytes());
            }
        }
    }

    #[test]
    fn damaged_programs_never_panic_or_hang() {
        let mut random = Random(0x9e37_79b9_7f4a_7c15);
        let start = Instant::now();
        let mut slowest = Duration::ZERO;
        for round in 0..3000 {
            let sample = samples::PROGRAMS[round % samples::PROGRAMS.len()];
            let mut text = sample.as_bytes().to_vec();
            for _ in 0..1 + random.below(8) {
                mutate(&mut random, &mut text);
            }
            let before = Instant::now();
            check_front_end(&text);
            slowest = slowest.max(before.elapsed());
            if round > 500 && start.elapsed() > Duration::from_millis(1500) {
                break;
            }
        }
        assert!(slowest < Duration::from_secs(10), "one of them took {slowest:?}");
    }

    #[test]
    fn the_samples_and_odd_inputs_pass_the_check() {
        for sample in samples::PROGRAMS {
            check_front_end(sample.as_bytes());
        }
        for odd in ["", "\u{feff}", "\u{0}", "#", "#define", "\\", "'", "\"", "/*", "#include", "\r", "init{"]
        {
            check_front_end(odd.as_bytes());
        }
        check_front_end(&[0xff, 0xfe, b'"', 0xc3]);
        check_front_end(&[b'('; 1_000_000]);
    }
}
