//! Whatever is read: no panic, and a program exactly when there is no error.

use proptest::prelude::*;

use crate::check_front_end;

const MODELS: [&str; 6] = [
    include_str!("../../../../corpus/csharp/ok/philosophers.cs"),
    include_str!("../../../../corpus/csharp/ok/bag.cs"),
    include_str!("../../../../corpus/csharp/ok/chat.cs"),
    include_str!("../../../../corpus/csharp/ok/lift.cs"),
    include_str!("../../../../corpus/csharp/ok/server.cs"),
    include_str!("../../../../corpus/csharp/ok/rules.cs"),
];

/// The words of a text, with what is between them.
fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut start = 0;
    let kind = |c: char| {
        if c.is_alphanumeric() || c == '_' {
            0
        } else if c.is_whitespace() {
            1
        } else {
            2
        }
    };
    let mut last = None;
    for (place, next) in text.char_indices() {
        if place > start && (last != Some(kind(next)) || kind(next) == 2) {
            words.push(&text[start..place]);
            start = place;
        }
        last = Some(kind(next));
    }
    words.push(&text[start..]);
    words
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn arbitrary_bytes_are_read_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        check_front_end(&bytes);
    }

    #[test]
    fn arbitrary_words_of_programs_are_read_without_a_panic(
        picks in prop::collection::vec((0..MODELS.len(), any::<prop::sample::Index>()), 0..60),
    ) {
        let models: Vec<Vec<&str>> = MODELS.iter().map(|model| words(model)).collect();
        let text: String = picks.iter().map(|(model, word)| *word.get(&models[*model])).collect();
        check_front_end(text.as_bytes());
    }

    #[test]
    fn mutated_programs_are_read_without_a_panic(
        model in 0..MODELS.len(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0..4_u8), 1..6),
    ) {
        let mut words: Vec<&str> = words(MODELS[model]);
        for (place, other, edit) in edits {
            let (place, other) = (place.index(words.len()), other.index(words.len()));
            match edit {
                0 => drop(words.remove(place)),
                1 => words.insert(place, words[other]),
                2 => words[place] = words[other],
                _ => words.swap(place, other),
            }
            if words.is_empty() {
                words.push(" ");
            }
        }
        check_front_end(words.concat().as_bytes());
    }
}

#[test]
fn what_nests_too_deep_is_told() {
    for (open, close) in
        [("(", ")"), ("!", ""), ("-", ""), ("f(", ")"), ("new Set<int>(", ")"), ("x => ", "")]
    {
        let deep = format!("{}1{}", open.repeat(5000), close.repeat(5000));
        let text =
            format!("namespace A {{ static class B {{ [Action] static void C() {{ var x = {deep}; }} }} }}");
        check_front_end(text.as_bytes());
    }
    let sum = vec!["1"; 3000].join(" + ");
    let text =
        format!("namespace A {{ static class B {{ [Action] static void C() {{ int x = {sum}; }} }} }}");
    check_front_end(text.as_bytes());
    let blocks = format!("{}{}", "{".repeat(3000), "}".repeat(3000));
    check_front_end(format!("namespace A {{ class B {{ void C() {blocks} }} }}").as_bytes());
    check_front_end("namespace A { class B { ".repeat(1000).as_bytes());
    check_front_end(format!("FSM({}", "a(".repeat(100_000)).as_bytes());
}
