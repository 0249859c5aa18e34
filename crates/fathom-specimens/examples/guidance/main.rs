//! Prints the table of `docs/benchmarks/online.md`: steps until a goal is covered, by strategy.

use std::io::Write;

use fathom_online::Strategy;
use fathom_specimens::{buffer, lamp, model_of, sessions};

mod measure;

use measure::{GOALS, median_steps};

/// Seeds of each cell.
const SEEDS: u64 = 11;

fn main() -> std::io::Result<()> {
    let strategies = [
        Strategy::Random,
        Strategy::LeastVisited,
        Strategy::Coverage { depth: 3 },
        Strategy::Guided { most_states: 5000 },
    ];
    let (buffer_program, session_program, lamp_program) =
        (buffer::BufferModel, sessions::SessionModel, lamp::LampModel);
    let buffer_model = model_of(&buffer_program, buffer::roles());
    let session_model = model_of(&session_program, sessions::roles());
    let lamp_model = model_of(&lamp_program, lamp::roles());
    let mut out = std::io::stdout();
    writeln!(out, "| model | goal | random | least-visited | coverage, depth 3 | guided |")?;
    writeln!(out, "| --- | --- | --: | --: | --: | --: |")?;
    for (name, goal) in GOALS {
        let cells = strategies.map(|strategy| match name {
            "buffer" => median_steps(&buffer_model, || buffer::Buffer::new(None), goal, strategy, SEEDS),
            "lamp" => median_steps(&lamp_model, || lamp::Lamp::new(None), goal, strategy, SEEDS),
            _ => median_steps(&session_model, || sessions::Server::new(None), goal, strategy, SEEDS),
        });
        let cells: Vec<String> = cells.iter().map(ToString::to_string).collect();
        writeln!(out, "| {name} | `{goal}` | {} |", cells.join(" | "))?;
    }
    Ok(())
}
