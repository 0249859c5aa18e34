//! Random models: what must hold whatever the model is.

use super::builder::*;
use crate::*;

const BYTE: ScalarType = ScalarType::BYTE;

/// Numbers without end from a seed (xorshift by G. Marsaglia, 2003).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % limit
    }
}

fn random_edge(random: &mut Random, x: &Place, channels: &[Expr], n_locations: usize) -> Edge {
    let value = random.below(3) as i64;
    let channel = &channels[random.below(channels.len())];
    let pattern = [bind(x), only(value), anything()][random.below(3)].clone();
    let made = match random.below(10) {
        0 => set(x, value),
        1 => set(x, plus(x, 1)).when(less(x, 4)),
        2 => wait(equal(x, value)),
        3 | 4 => send(channel, vec![load(x)]),
        5..=7 => receive(channel, vec![pattern]),
        8 => skip().guard(Guard::Else),
        _ => wait(Expr::Timeout),
    };
    let mut made = to(random.below(n_locations), made);
    made.atomic = random.below(3) == 0;
    made
}

fn random_model(random: &mut Random) -> Build {
    let mut build = Build::new();
    build.model.uses_timeout = true;
    build.model.uses_last = random.below(2) == 0;
    let x = build.global("x", BYTE);
    let channels = [build.channel("r", 0, &[BYTE]), build.channel("c", 1, &[BYTE])];
    for name in ["A", "B", "C"] {
        let n_locations = 3 + random.below(2);
        let mut template = BuildTemplate::new(name, n_locations);
        for location in 0..n_locations - 1 {
            for _ in 0..1 + random.below(3) {
                let edge = random_edge(random, &x, &channels, n_locations);
                template.edge(location, random.below(2), edge);
            }
        }
        // Rarely: most blocks of a random model get stuck.
        if random.below(4) == 0 {
            template.location(1).deterministic = true;
        }
        if random.below(4) == 0 {
            template.provided(Expr::binary(BinaryOp::NotEqual, load(&x), 2.into()));
        }
        build.run(template);
    }
    build
}

/// Every step of a random model replays move by move to the state it says (checked while exploring), states
/// are the same with and without labels, and nothing but the state decides the steps.
#[test]
fn steps_replay_and_do_not_depend_on_history() {
    let mut random = Random(0x5eed);
    let (mut n_states, mut n_shakes) = (0, 0);
    for _ in 0..300 {
        let build = random_model(&mut random);
        let explored = build.explore();
        n_states += explored.states.len();
        let interpreter = Interpreter::new(&build.model, &[]);
        let mut used = interpreter.scratch();
        for state in &explored.states.iter().collect::<std::collections::BTreeSet<_>>() {
            let (mut with_labels, mut without) = (Steps::recording(), Steps::new());
            interpreter.successors(state, &NoRegion, &mut used, &mut without);
            interpreter.successors(state, &NoRegion, &mut interpreter.scratch(), &mut with_labels);
            assert_eq!(with_labels.len(), without.len());
            for index in 0..without.len() {
                assert_eq!(with_labels.state(index), without.state(index));
                assert!(explored.states.contains(without.state(index)));
                n_shakes += with_labels.labels(index).iter().filter(|label| label.partner.is_some()).count();
            }
        }
    }
    assert!(n_states > 1_000 && n_shakes > 100, "the models are worth the while: {n_states} {n_shakes}");
}
