//! The fuzz targets for about a second each, always with the same inputs.
//!
//! `FATHOM_FUZZ_SECONDS` makes them longer. A failing input is shrunk; the message shows what is left of it
//! and how to get it again.

#![allow(clippy::print_stdout)]

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use fathom_core::search::Random;
use fathom_testing::{
    Compared, Judged, attempt, check_branching, check_common_fragment, check_front_end, check_linear,
    check_random_claim, check_random_coverage, check_random_formula, check_random_labels, check_random_model,
    check_random_partition, check_random_sequence, check_random_smv, check_random_timed, check_random_tree,
    shrink_failing,
};

fn budget() -> Duration {
    let seconds = std::env::var("FATHOM_FUZZ_SECONDS").ok().and_then(|seconds| seconds.parse().ok());
    Duration::from_secs(seconds.unwrap_or(1))
}

/// Runs a check; when it fails, fails with the smallest input that fails.
fn require<T>(check: fn(&[u8]) -> T, origin: &str, bytes: &[u8]) -> T {
    let message = match attempt(check, bytes) {
        Ok(passed) => return passed,
        Err(message) => message,
    };
    let smallest = shrink_failing(check, bytes);
    let why = attempt(check, &smallest).err().unwrap_or_default();
    let text = String::from_utf8_lossy(&smallest);
    panic!("{origin} fails: {message}\nsmallest input: {smallest:?}\n{text}\nit fails with: {why}");
}

#[test]
fn random_models_agree() {
    let (start, budget) = (Instant::now(), budget());
    let (mut n_agreed, mut n_large, mut n_states) = (0, 0, 0);
    for seed in 0.. {
        if start.elapsed() > budget && n_agreed >= 50 {
            break;
        }
        let mut random = Random::new(seed);
        let bytes: Vec<u8> = (0..20 + random.below(280)).map(|_| random.below(256) as u8).collect();
        match require(check_random_model, &format!("the random model of seed {seed}"), &bytes) {
            Compared::Agreed { states } => {
                n_agreed += 1;
                n_states += states;
            }
            Compared::TooLarge => n_large += 1,
        }
    }
    println!("{n_agreed} models agree, {n_states} states; {n_large} are too large");
    assert!(n_large < n_agreed, "most models are too large to compare: {n_large}, but {n_agreed} are not");
    assert!(n_states > 20 * n_agreed, "the models are too small to say much: {n_states} states");
}

#[test]
fn random_programs_in_smv_say_the_same_under_random_partitions() {
    let (start, budget) = (Instant::now(), budget());
    let (mut n_programs, mut n_hold) = (0, 0);
    for seed in 0.. {
        if start.elapsed() > budget && n_programs >= 30 {
            break;
        }
        let mut random = Random::new(seed);
        let bytes: Vec<u8> = (0..20 + random.below(100)).map(|_| random.below(256) as u8).collect();
        n_hold += require(check_random_smv, &format!("the random program of seed {seed}"), &bytes);
        n_programs += 1;
    }
    println!("{n_programs} programs agree, {n_hold} properties hold");
    assert!(n_hold > n_programs, "hardly anything holds: {n_hold} of {n_programs} programs");
}

#[test]
fn labels_under_random_partitions_are_those_of_the_definition() {
    let (start, budget) = (Instant::now(), budget());
    let (mut n_programs, mut n_large, mut n_sets) = (0, 0, 0);
    for seed in 0.. {
        if start.elapsed() > budget && n_programs >= 15 {
            break;
        }
        let mut random = Random::new(seed);
        let bytes: Vec<u8> = (0..20 + random.below(100)).map(|_| random.below(256) as u8).collect();
        match require(check_random_labels, &format!("the random program of seed {seed}"), &bytes) {
            Some(sets) => (n_programs, n_sets) = (n_programs + 1, n_sets + sets),
            None => n_large += 1,
        }
    }
    println!("{n_programs} programs agree in {n_sets} sets of states; {n_large} are too large");
    assert!(n_sets > 5 * n_programs && n_large < n_programs, "{n_sets} sets, {n_large} too large");
}

#[test]
fn random_models_agree_under_random_partitions() {
    let (start, budget) = (Instant::now(), budget());
    let (mut n_agreed, mut n_states) = (0, 0);
    for seed in 0.. {
        if start.elapsed() > budget && n_agreed >= 20 {
            break;
        }
        let mut random = Random::new(seed);
        let bytes: Vec<u8> = (0..30 + random.below(200)).map(|_| random.below(256) as u8).collect();
        let origin = format!("the random model and partition of seed {seed}");
        if let Compared::Agreed { states } = require(check_random_partition, &origin, &bytes) {
            n_agreed += 1;
            n_states += states;
        }
    }
    println!("{n_agreed} models agree under partitions, {n_states} states");
    assert!(n_states > 10 * n_agreed, "the models are too small to say much: {n_states} states");
}

/// Some bytes that the seed determines.
fn bytes_of(seed: u64) -> Vec<u8> {
    let mut random = Random::new(seed);
    (0..10 + random.below(90)).map(|_| random.below(256) as u8).collect()
}

#[test]
fn labels_of_branching_formulas_are_what_they_mean() {
    let (start, budget) = (Instant::now(), budget());
    let (mut n_checked, mut n_mixed) = (0_u64, 0);
    while start.elapsed() < budget || n_checked < 500 {
        let (n_true, n_states) =
            require(check_branching, &format!("the formula of seed {n_checked}"), &bytes_of(n_checked));
        n_mixed += u64::from(0 < n_true && n_true < n_states);
        n_checked += 1;
    }
    println!("{n_checked} formulas, {n_mixed} true in some states and false in others");
    assert!(n_mixed * 10 > n_checked, "the formulas say little: {n_mixed} of {n_checked}");
}

#[test]
fn automata_accept_the_words_that_satisfy_the_formula() {
    let (start, budget) = (Instant::now(), budget());
    let (mut n_checked, mut n_mixed) = (0_u64, 0);
    while start.elapsed() < budget || n_checked < 100 {
        let found = require(check_linear, &format!("the formula of seed {n_checked}"), &bytes_of(n_checked));
        n_mixed += u64::from(found.is_some_and(|(n_true, n_words)| 0 < n_true && n_true < n_words));
        n_checked += 1;
    }
    println!("{n_checked} formulas, {n_mixed} true of some words and false of others");
    assert!(n_mixed * 10 > n_checked, "the formulas say little: {n_mixed} of {n_checked}");
}

#[test]
fn random_formulas_have_one_answer() {
    have_one_answer(check_random_formula, "formula");
}

#[test]
fn tests_for_random_models_cover_what_can_be_reached() {
    let (start, budget) = (Instant::now(), budget());
    let mut n_compared = 0_u32;
    for seed in 0.. {
        if start.elapsed() > budget && n_compared >= 60 {
            break;
        }
        let mut random = Random::new(seed);
        let bytes: Vec<u8> = (0..20 + random.below(180)).map(|_| random.below(256) as u8).collect();
        let is_compared = require(check_random_coverage, &format!("the random model of seed {seed}"), &bytes);
        n_compared += u32::from(is_compared);
    }
    println!("tests for {n_compared} models cover what can be reached");
}

#[test]
fn random_claims_have_one_answer() {
    have_one_answer(check_random_claim, "claim");
}

#[test]
fn random_formulas_of_branching_time_have_one_answer() {
    let (start, budget) = (Instant::now(), budget());
    let (mut n_agreed, mut n_true, mut n_on_the_fly) = (0_u32, 0, 0);
    for seed in 0.. {
        if start.elapsed() > budget && n_agreed >= 200 {
            break;
        }
        let mut random = Random::new(seed);
        let bytes: Vec<u8> = (0..20 + random.below(180)).map(|_| random.below(256) as u8).collect();
        let found = require(check_random_tree, &format!("the random formula of seed {seed}"), &bytes);
        let Some((is_true, is_on_the_fly)) = found else { continue };
        n_agreed += 1;
        n_true += u32::from(is_true);
        n_on_the_fly += u32::from(is_on_the_fly);
    }
    println!("{n_agreed} formulas, {n_true} true, {n_on_the_fly} answered by a search for one path");
    assert!(n_true > n_agreed / 10 && n_true < n_agreed * 9 / 10, "{n_true} of {n_agreed}");
    assert!(n_on_the_fly > n_agreed / 10, "{n_on_the_fly} of {n_agreed}");
}

#[test]
fn what_both_logics_can_say_has_one_answer() {
    let (start, budget) = (Instant::now(), budget());
    let (mut n_agreed, mut n_true) = (0_u32, 0);
    for seed in 0.. {
        if start.elapsed() > budget && n_agreed >= 200 {
            break;
        }
        let mut random = Random::new(seed);
        let bytes: Vec<u8> = (0..20 + random.below(180)).map(|_| random.below(256) as u8).collect();
        let found = require(check_common_fragment, &format!("the random formula of seed {seed}"), &bytes);
        n_agreed += u32::from(found.is_some());
        n_true += u32::from(found == Some(true));
    }
    println!("{n_agreed} formulas in both logics, {n_true} true");
    assert!(n_true > n_agreed / 20 && n_true < n_agreed * 9 / 10, "{n_true} of {n_agreed}");
}

#[test]
fn formulas_on_random_timed_automata_have_one_answer() {
    let (start, budget) = (Instant::now(), budget());
    let (mut n_networks, mut n_holding, mut n_asked) = (0_u64, 0, 0);
    while start.elapsed() < budget || n_networks < 100 {
        let mut random = Random::new(n_networks);
        let bytes: Vec<u8> = (0..20 + random.below(120)).map(|_| random.below(256) as u8).collect();
        let origin = format!("the random network of seed {n_networks}");
        let (holding, asked) = require(check_random_timed, &origin, &bytes);
        n_networks += 1;
        n_holding += holding;
        n_asked += asked;
    }
    println!("{n_networks} networks, {n_holding} of {n_asked} formulas hold");
    assert!(n_holding > n_asked / 10 && n_holding < n_asked * 9 / 10, "{n_holding} of {n_asked}");
}

#[test]
fn random_formulas_with_sequences_have_one_answer() {
    let (start, budget) = (Instant::now(), budget());
    let (mut n_agreed, mut n_violated, mut n_reduced, mut n_twins) = (0_u32, 0, 0, 0);
    for seed in 0.. {
        if start.elapsed() > budget && n_agreed >= 200 {
            break;
        }
        let mut random = Random::new(seed);
        let bytes: Vec<u8> = (0..20 + random.below(180)).map(|_| random.below(256) as u8).collect();
        let origin = format!("the random formula of seed {seed}");
        let Some(agreed) = require(check_random_sequence, &origin, &bytes) else { continue };
        n_agreed += 1;
        n_violated += u32::from(agreed.violated);
        n_reduced += u32::from(agreed.reduced);
        n_twins += u32::from(agreed.has_twin);
    }
    println!(
        "{n_agreed} formulas, {n_violated} violated, {n_reduced} with less to search, {n_twins} with a twin in LTL"
    );
    assert!(n_violated > n_agreed / 10 && n_violated < n_agreed * 9 / 10, "{n_violated} of {n_agreed}");
    assert!(n_reduced > n_agreed / 10 && n_twins > n_agreed / 10, "{n_reduced} {n_twins} of {n_agreed}");
}

fn have_one_answer(check: fn(&[u8]) -> Judged, what: &str) {
    let (start, budget) = (Instant::now(), budget());
    let (mut n_agreed, mut n_violated, mut n_saved_by_fairness, mut n_large) = (0, 0, 0, 0);
    for seed in 0.. {
        if start.elapsed() > budget && n_agreed >= 200 {
            break;
        }
        let mut random = Random::new(seed);
        let bytes: Vec<u8> = (0..20 + random.below(180)).map(|_| random.below(256) as u8).collect();
        match require(check, &format!("the random {what} of seed {seed}"), &bytes) {
            Judged::Agreed { violated, violated_fairly } => {
                n_agreed += 1;
                n_violated += u32::from(violated);
                n_saved_by_fairness += u32::from(violated && !violated_fairly);
            }
            Judged::TooLarge => n_large += 1,
        }
    }
    println!(
        "{n_agreed} times a {what}, {n_violated} violated, {n_saved_by_fairness} not by fair runs; {n_large} too large"
    );
    assert!(n_large < 4 * n_agreed, "most models are too large: {n_large}, but {n_agreed} are not");
    assert!(n_violated > n_agreed / 10 && n_violated < n_agreed * 9 / 10, "{n_violated} of {n_agreed}");
}

fn programs(folder: &Path, out: &mut Vec<Vec<u8>>) {
    let entries = std::fs::read_dir(folder).expect("a folder of the project");
    let mut entries: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            programs(&path, out);
        } else if path.extension().is_some_and(|extension| extension == "pml") {
            out.push(std::fs::read(&path).expect("a program"));
        }
    }
}

/// Pieces that change what everything around them means.
const PIECES: [&str; 40] = [
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
    ",",
    "!",
    "?",
    "??",
    "..",
    "\"",
    "/*",
    "\n#define x ",
    "\n#if 0\n",
    "if",
    "fi",
    "do",
    "od",
    "unless {",
    "atomic {",
    "d_step {",
    "else",
    "goto L",
    "L: ",
    "break",
    "run P(",
    "proctype P(",
    "active ",
    "typedef T {",
    "inline f(a) {",
    "chan c = [1] of { byte };",
    "mtype ",
    "int ",
    "99999999999",
    "\u{e9}",
];

fn damage(random: &mut Random, text: &mut Vec<u8>, all: &[Vec<u8>]) {
    let at = random.below(text.len() + 1);
    let end = (at + random.below(40)).min(text.len());
    match random.below(7) {
        0 => drop(text.drain(at..end)),
        1 => {
            let piece = text[at..end].to_vec();
            let to = random.below(text.len() + 1);
            text.splice(to..to, piece);
        }
        2 if at < text.len() => text[at] = random.below(256) as u8,
        3 if at < text.len() => {
            let other = random.below(text.len());
            text.swap(at, other);
        }
        4 => {
            // A piece of another program: whole lines, so that it often makes sense.
            let lines: Vec<&[u8]> =
                all[random.below(all.len())].split_inclusive(|&byte| byte == b'\n').collect();
            let line = lines[random.below(lines.len())].to_vec();
            text.splice(at..at, line);
        }
        _ => drop(text.splice(at..at, PIECES[random.below(PIECES.len())].bytes())),
    }
}

#[test]
fn front_end_survives_anything() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut all = Vec::new();
    programs(&root.join("corpus/promela"), &mut all);
    programs(&root.join("examples/promela"), &mut all);
    all.retain(|program| !program.is_empty());
    assert!(all.len() > 300, "the corpus and the examples are there");
    let (start, budget) = (Instant::now(), budget());
    let mut n_checked = 0_u64;
    while start.elapsed() < budget || n_checked < 500 {
        let mut random = Random::new(n_checked);
        let mut text = all[random.below(all.len())].clone();
        for _ in 0..random.below(6) {
            damage(&mut random, &mut text, &all);
        }
        let before = Instant::now();
        require(check_front_end, &format!("damaged program {n_checked}"), &text);
        let elapsed = before.elapsed();
        assert!(elapsed.as_secs() < 10, "{elapsed:?} for one program:\n{}", String::from_utf8_lossy(&text));
        n_checked += 1;
    }
    println!("{n_checked} damaged programs");
}
