//! A check of the whole front end on arbitrary bytes, for tests and fuzz targets.

use fathom_source::{SourceMap, has_errors, render_json, render_text};

use crate::lower::{lower_system, lower_timed};
use crate::options::Options;
use crate::parse::{parse_expression, parse_system};

/// Reads bytes as a system and as an expression, and renders everything there is to say.
///
/// # Panics
///
/// When the front end has a bug: it panics, or a diagnostic has a place that does not exist.
pub fn check_front_end(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let mut sources = SourceMap::new();
    let file = sources.add("input", text.as_ref());
    let (system, mut diagnostics) = parse_system(file, &sources);
    if !has_errors(&diagnostics) {
        let (lowered, said) = lower_system(&system, "input", &sources, Options::default());
        assert_eq!(lowered.is_none(), has_errors(&said), "a model exactly when there is no error");
        if let Some((model, _)) = lowered {
            assert_eq!(fathom_model::validate(&model), Ok(()));
        }
        diagnostics.extend(said);
        let (lowered, said) = lower_timed(&system, "input", &sources, Options::default());
        assert_eq!(lowered.is_none(), has_errors(&said), "a network exactly when there is no error");
        diagnostics.extend(said);
    }
    diagnostics.extend(parse_expression(file, &sources).1);
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
    use crate::samples::SYSTEMS;

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

    /// Words of a program with some dropped, doubled, exchanged or replaced by words of another.
    fn damage(text: &str, other: &str, random: &mut Random) -> String {
        let mut words: Vec<&str> = text.split_inclusive([' ', ';', '(', ')', ',', '\n']).collect();
        let others: Vec<&str> = other.split_inclusive([' ', ';', '(', ')', ',', '\n']).collect();
        for _ in 0..=random.below(4) {
            let at = random.below(words.len());
            match random.below(4) {
                0 => {
                    words.remove(at);
                }
                1 => words.insert(at, words[at]),
                2 => {
                    let with = random.below(words.len());
                    words.swap(at, with);
                }
                _ => words[at] = others[random.below(others.len())],
            }
        }
        words.concat()
    }

    #[test]
    fn damaged_programs_do_not_make_the_front_end_panic() {
        let mut random = Random(0x9E37_79B9_7F4A_7C15);
        for round in 0..3_000 {
            let text = SYSTEMS[round % SYSTEMS.len()];
            let other = SYSTEMS[random.below(SYSTEMS.len())];
            check_front_end(damage(text, other, &mut random).as_bytes());
        }
    }

    #[test]
    fn arbitrary_bytes_do_not_make_the_front_end_panic() {
        let mut random = Random(7);
        for round in 0..500 {
            let text = SYSTEMS[round % SYSTEMS.len()];
            let mut bytes = text.as_bytes().to_vec();
            for _ in 0..=random.below(8) {
                let at = random.below(bytes.len());
                bytes[at] = random.below(256) as u8;
            }
            bytes.truncate(random.below(bytes.len() * 2).max(1));
            check_front_end(&bytes);
        }
    }
}
