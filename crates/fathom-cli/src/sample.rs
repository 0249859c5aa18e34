//! What sampled engines did, for people and for scripts.

use std::fmt::Write;

use fathom_core::hunting::{Claim, Hit};
use fathom_core::model::Answer;
use fathom_core::{Distinction, Report, Sample};

use crate::units::counted;
use crate::wire::{ClaimForm, DistinctionForm, HitForm, RoleForm, SampleForm};

/// Classes and states of each that are written down.
const MOST_CLASSES: usize = 20;
const MOST_MEMBERS: usize = 20;
/// Variables that are listed for people.
const MOST_VARIABLES: usize = 30;

/// Whether the claim about walks counts: only when they found nothing.
fn claim_of(report: &Report, sample: &Sample) -> Option<Claim> {
    let is_found = report.verdicts.iter().any(|verdict| verdict.trace.is_some());
    sample.claim.filter(|_| !is_found && report.verdicts.iter().any(|one| one.answer == Answer::Inconclusive))
}

/// The form for scripts.
pub fn to_wire(report: &Report) -> Option<SampleForm> {
    let sample = report.sample.as_ref()?;
    let claim = claim_of(report, sample).map(|claim| ClaimForm {
        walks: claim.n_walks,
        draws: claim.n_draws,
        cut: claim.n_cut,
        delta: claim.delta,
        epsilon: claim.epsilon,
    });
    let hit = |hit: &Hit| HitForm {
        number: hit.number,
        bits: hit.throw.bits,
        stored: hit.thrown.n_stored,
        matched: hit.thrown.n_matched,
        depth: hit.thrown.max_depth,
        length: hit.length,
    };
    Some(SampleForm {
        attempts: sample.n_attempts,
        claim,
        hits: sample.hits.iter().map(hit).collect(),
        distinction: sample.distinction.as_ref().map(distinction_to_wire),
    })
}

fn distinction_to_wire(distinction: &Distinction) -> DistinctionForm {
    let roles = distinction.variables.iter().map(|(name, role)| RoleForm {
        name: name.clone(),
        values: role.n_values,
        mixed_classes: role.n_mixed_classes,
        differs_inside: role.differs_inside,
        differs_anywhere: role.differs_anywhere,
    });
    let differences = |first: &[Option<String>], other: &[Option<String>]| {
        let names = distinction.variables.iter().map(|(name, _)| name);
        let pairs = names.zip(first.iter().zip(other));
        pairs
            .filter(|(_, (one, other))| one != other)
            .map(|(name, (_, value))| (name.clone(), value.clone()))
            .collect()
    };
    let class = |class: &Vec<Vec<Option<String>>>| {
        class.iter().take(MOST_MEMBERS).map(|member| differences(&class[0], member)).collect()
    };
    DistinctionForm {
        bits: distinction.bits,
        states: distinction.n_states,
        classes: distinction.n_classes,
        variables: roles.collect(),
        largest: distinction.shared.iter().take(MOST_CLASSES).map(class).collect(),
    }
}

/// The form for people; empty when no engine sampled.
pub fn to_text(report: &Report) -> String {
    let Some(sample) = &report.sample else { return String::new() };
    let mut text = String::new();
    let thing = if sample.claim.is_some() { "walk" } else { "pruned search" };
    let searches = if sample.n_attempts == 1 {
        thing.to_owned()
    } else {
        format!("{thing}s").replace("searchs", "searches")
    };
    let _ = writeln!(text, "{} {searches}", sample.n_attempts);
    for hit in &sample.hits {
        let _ = writeln!(
            text,
            "hit with a table of {} bytes: {}, {} stored, {} matched, depth {}",
            hit.throw.bits / 8,
            counted(hit.length as u64, "step"),
            hit.thrown.n_stored,
            hit.thrown.n_matched,
            hit.thrown.max_depth
        );
    }
    if let Some(claim) = claim_of(report, sample) {
        text += &claim_to_text(&claim);
    }
    if let Some(distinction) = &sample.distinction {
        text += &distinction_to_text(distinction);
    }
    text
}

fn claim_to_text(claim: &Claim) -> String {
    if claim.n_draws == 0 {
        return "no independent walk was finished: nothing can be claimed\n".to_owned();
    }
    let kind = match claim.max_depth.filter(|_| claim.n_cut > 0) {
        Some(max_depth) => format!("of at most {max_depth} steps"),
        None => "to their ends".to_owned(),
    };
    format!(
        "{} independent walks {kind} found nothing: unless an event with probability {} has happened, \
         the probability that such a walk finds something is at most {:.3e}\n",
        claim.n_draws, claim.delta, claim.epsilon
    )
}

fn distinction_to_text(distinction: &Distinction) -> String {
    let mut text = format!(
        "\nthe last one told {} states apart as {} classes, with {} bits; everything else is one more class\n",
        distinction.n_states, distinction.n_classes, distinction.bits
    );
    let mut varying: Vec<_> = distinction.variables.iter().filter(|(_, role)| role.n_values > 1).collect();
    // What was told apart best comes first.
    let score = |role: &fathom_core::hunting::Role| role.differs_inside - role.differs_anywhere;
    varying.sort_by(|(_, one), (_, other)| score(one).total_cmp(&score(other)));
    let n_constant = distinction.variables.len() - varying.len();
    let _ = writeln!(
        text,
        "{:<28}  {:>7}  {:>14}  {:>14}  {:>16}",
        "variable", "values", "mixed classes", "differs inside", "differs anywhere"
    );
    for (name, role) in varying.iter().take(MOST_VARIABLES) {
        let _ = writeln!(
            text,
            "{name:<28}  {:>7}  {:>14}  {:>13.1}%  {:>15.1}%",
            role.n_values,
            role.n_mixed_classes,
            100.0 * role.differs_inside,
            100.0 * role.differs_anywhere
        );
    }
    if varying.len() > MOST_VARIABLES {
        let _ = writeln!(text, "and {} more", varying.len() - MOST_VARIABLES);
    }
    if n_constant > 0 {
        let _ = writeln!(text, "{} had one value only", counted(n_constant as u64, "variable"));
    }
    let always: Vec<&str> =
        varying.iter().filter(|(_, role)| role.is_always_told()).map(|(name, _)| name.as_str()).collect();
    let list = if always.is_empty() { "none".to_owned() } else { always.join(", ") };
    let _ = writeln!(text, "never mixed in a class: {list}");
    if let Some(class) = distinction.shared.first() {
        let _ = writeln!(text, "the largest class, {}:", counted(class.len() as u64, "state"));
        for member in class.iter().take(5) {
            let pairs = varying_values(distinction, class, member);
            let _ = writeln!(text, "    {}", pairs.join(", "));
        }
    }
    text
}

/// The values of a state that are not the same in its whole class.
fn varying_values(
    distinction: &Distinction,
    class: &[Vec<Option<String>>],
    member: &[Option<String>],
) -> Vec<String> {
    let varies = |index: usize| class.iter().any(|other| other[index] != class[0][index]);
    (0..member.len())
        .filter(|&index| varies(index))
        .take(12)
        .map(|index| {
            format!("{}={}", distinction.variables[index].0, member[index].as_deref().unwrap_or("-"))
        })
        .collect()
}
