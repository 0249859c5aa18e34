//! Guidance reaches a goal in fewer steps than chance, on every model that is shipped here.

use fathom_online::Strategy;
use fathom_specimens::{buffer, lamp, model_of, sessions};

#[path = "../../examples/guidance/measure.rs"]
mod measure;

use measure::{GOALS, median_steps};

#[test]
fn guidance_needs_fewer_steps_than_chance() {
    let (buffer_program, session_program, lamp_program) =
        (buffer::BufferModel, sessions::SessionModel, lamp::LampModel);
    let buffer_model = model_of(&buffer_program, buffer::roles());
    let session_model = model_of(&session_program, sessions::roles());
    let lamp_model = model_of(&lamp_program, lamp::roles());
    let steps = |name: &str, goal: &str, strategy| match name {
        "buffer" => median_steps(&buffer_model, || buffer::Buffer::new(None), goal, strategy, 5),
        "lamp" => median_steps(&lamp_model, || lamp::Lamp::new(None), goal, strategy, 5),
        _ => median_steps(&session_model, || sessions::Server::new(None), goal, strategy, 5),
    };
    for (name, goal) in GOALS {
        let random = steps(name, goal, Strategy::Random);
        for strategy in [Strategy::Coverage { depth: 3 }, Strategy::Guided { most_states: 5000 }] {
            let guided = steps(name, goal, strategy);
            assert!(guided < random, "{name}, {goal}: {strategy:?} {guided}, random {random}");
        }
    }
}
