//! The arms of a hunt when nobody says otherwise.

use fathom_guide::Heuristic;
use fathom_model::{PropertyId, System};

use crate::arm::{Arm, IsrArm, WalkArm, arm_seed, expansion_bytes};
use crate::best_arm::BestArm;
use crate::choose::{Bias, Share};
use crate::complete_arm::CompleteArm;
use crate::isr::{IsrOptions, Sizes};
use crate::walk::{Acceptance, Children, Guide, Hooks, Repeats, StartAt, WalkOptions};

/// From so many bytes of steps in one state on, looking at all of them takes too long.
const LARGE_EXPANSION: usize = 64 << 10;

/// The arms that need no heuristic, and for each heuristic those that it guides. A guided search that remembers
/// what it saw may take so many bytes.
pub fn default_arms<'s, S: System + Sync>(
    system: &'s S,
    heuristics: &[(&str, &'s dyn Heuristic<S::Region>)],
    seed: u64,
    search_bytes: u64,
) -> Vec<Box<dyn Arm + 's>>
where
    S::Region: Send,
{
    let walks =
        |arm: u64| WalkOptions { max_depth: None, seed: arm_seed(seed, arm), ..WalkOptions::default() };
    let trails = |arm: u64| WalkOptions { repeats: Repeats::Avoid, ..walks(arm) };
    let throws =
        |arm: u64, sizes: Sizes| IsrOptions { sizes, seed: arm_seed(seed, arm), ..IsrOptions::default() };
    let growing = Sizes::Growing {
        first: 1,
        small_step: 1,
        per_magnitude: 8,
        threshold: 10_000,
        factor: 1.2,
        last: 50_000,
    };
    // Where all steps of a state are too many, a trail looks at those of one process after the other.
    let children = if expansion_bytes(system) > LARGE_EXPANSION { Children::TryOne } else { Children::All };
    let sample = (children == Children::TryOne).then_some(64);
    let random = Sizes::AtRandom { first: 64, factor: 2.0, per_magnitude: 2, last: 64 << 10 };
    let mut arms: Vec<Box<dyn Arm + 's>> = vec![
        Box::new(WalkArm::new("walk", system, walks(0), Hooks::none())),
        Box::new(IsrArm::new("pruned, random", system, throws(1, random))),
        Box::new(WalkArm::new("trail", system, WalkOptions { children, ..trails(2) }, Hooks::none())),
        Box::new(IsrArm::new("pruned, growing", system, throws(3, growing))),
        Box::new(WalkArm::new(
            "walk, restarts",
            system,
            WalkOptions { start: StartAt::PreviousWalk { probability: 0.5, chain: 16 }, ..walks(4) },
            Hooks::none(),
        )),
        Box::new(CompleteArm::new(system, search_bytes.saturating_mul(2))),
    ];
    for (number, &(name, heuristic)) in heuristics.iter().enumerate() {
        let guided = |bias: Bias, share: Share, sample: Option<usize>| Hooks {
            guide: Some(Guide { heuristic, bias, share, sample }),
            lasso: None,
        };
        let arm = 5 + number as u64 * 4;
        arms.push(Box::new(BestArm::new(&format!("best, {name}"), system, heuristic, search_bytes)));
        arms.push(Box::new(WalkArm::new(
            &format!("walk, {name}"),
            system,
            WalkOptions { children: Children::All, ..walks(arm) },
            // Walks that are hardly drawn anywhere, beside trails that are.
            guided(Bias::Linear { floor: 1 }, Share::EachStep, Some(64)),
        )));
        arms.push(Box::new(WalkArm::new(
            &format!("trail, {name}"),
            system,
            WalkOptions { children: Children::All, ..trails(arm + 1) },
            guided(Bias::default(), Share::EachEstimate, sample),
        )));
        arms.push(Box::new(
            IsrArm::new(&format!("pruned, {name}"), system, throws(arm + 3, random)).guided_by(heuristic),
        ));
        arms.push(Box::new(WalkArm::new(
            &format!("greedy trail, {name}"),
            system,
            WalkOptions { children: Children::All, ..trails(arm + 2) },
            guided(Bias::Greedy { epsilon: 0.05 }, Share::EachStep, sample),
        )));
    }
    arms
}

/// The arms that look for a loop through an accepting state: walks that end at their first loop, and walks that go on.
pub fn lasso_arms<'s, S: System + Sync>(
    system: &'s S,
    lasso: (PropertyId, &'s dyn Acceptance<S::Region>),
    seed: u64,
) -> Vec<Box<dyn Arm + 's>> {
    let hooks = Hooks { guide: None, lasso: Some(lasso) };
    let walks = |arm: u64, repeats: Repeats| WalkOptions {
        max_depth: None,
        repeats,
        children: Children::All,
        seed: arm_seed(seed, arm),
        ..WalkOptions::default()
    };
    let restarts = StartAt::PreviousWalk { probability: 0.5, chain: 16 };
    vec![
        Box::new(WalkArm::new("walk to a loop", system, walks(0, Repeats::End), hooks)),
        Box::new(WalkArm::new("walk with loops", system, walks(1, Repeats::Allow), hooks)),
        Box::new(WalkArm::new(
            "walk with loops, restarts",
            system,
            WalkOptions { start: restarts, ..walks(2, Repeats::Allow) },
            hooks,
        )),
    ]
}
