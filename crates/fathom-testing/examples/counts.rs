//! Prints states and transitions of a Promela file: `cargo run -p fathom-testing --example counts -- FILE`.
#![allow(clippy::print_stdout)]

use fathom_core::search::NoMonitor;
use fathom_core::{CheckOptions, Language, check, default_properties, load};
use fathom_testing::file_loader;

fn main() {
    for path in std::env::args().skip(1) {
        let loaded = load(&path, Language::Promela, &file_loader, &[]).expect("a file");
        let Some(model) = loaded.model else {
            println!("{path}: refused {:?}", loaded.diagnostics);
            continue;
        };
        let properties = default_properties(&model);
        let options = CheckOptions {
            properties,
            continue_after_all: true,
            max_states: Some(300_000),
            ..CheckOptions::default()
        };
        let report = check(&model, &options, &mut NoMonitor);
        let verdicts: Vec<String> = report
            .verdicts
            .iter()
            .map(|verdict| {
                format!("{}={}", model.properties[verdict.property.index()].name, verdict.answer.word())
            })
            .collect();
        println!(
            "{path}: states={} transitions={} stop={} {}",
            report.statistics.states,
            report.statistics.transitions,
            report.stop.word(),
            verdicts.join(" ")
        );
    }
}
