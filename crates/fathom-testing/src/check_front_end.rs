//! The check of a whole front end on arbitrary bytes, for tests and fuzz targets.

use fathom_core::model::{Interpreter, Model, print, validate};
use fathom_core::source::{MemoryLoader, has_errors, render_json, render_text};
use fathom_core::{Language, Loaded, load};

use crate::explore;

/// So many states of an accepted model are expanded.
const N_STATES: usize = 20;

/// A model is only run when its frames are smaller than this: damaged programs declare huge arrays.
const LARGEST_FRAME: u32 = 10_000;

/// Reads bytes as a Promela program, through lexer, parser and lowering, and runs a few steps of what is
/// accepted.
///
/// # Panics
///
/// When Fathom has a bug: it panics, refuses without saying why, accepts what it calls wrong, points at a
/// place that does not exist, or makes a model that breaks the rules of models.
pub fn check_front_end(bytes: &[u8]) {
    fathom_promela::check_front_end(bytes);
    let text = String::from_utf8_lossy(bytes);
    let loader = MemoryLoader::new().with("input", text.as_ref());
    let loaded = load("input", Language::Promela, &loader, &[]).expect("a file in memory");
    check_diagnostics(&loaded);
    if let Some(model) = &loaded.model {
        check_model(model);
    }
}

fn check_diagnostics(loaded: &Loaded) {
    let rendered = render_text(&loaded.sources, &loaded.diagnostics, true);
    render_json(&loaded.sources, &loaded.diagnostics);
    assert_eq!(
        loaded.model.is_none(),
        has_errors(&loaded.diagnostics),
        "a program is refused if and only if there are errors:\n{rendered}"
    );
    for diagnostic in &loaded.diagnostics {
        for label in diagnostic.primary.iter().chain(&diagnostic.secondary) {
            let text = loaded.sources.file(label.span.file).text();
            let range = label.span.start as usize..label.span.end as usize;
            assert!(text.get(range).is_some(), "a place that does not exist: {diagnostic:?}");
        }
    }
}

/// Checks what must be true of every model that a front end makes.
///
/// # Panics
///
/// When it is not.
fn check_model(model: &Model) {
    if let Err(problems) = validate(model) {
        panic!("an invalid model: {}", problems.join("; "));
    }
    let frames = model.templates.iter().map(|template| &template.locals).chain([&model.globals]);
    let channels = model.channel_types.iter().map(|ty| ty.message_size().saturating_mul(ty.capacity));
    if frames.map(|frame| frame.size).chain(channels).all(|size| size < LARGEST_FRAME) {
        print::print_model(model);
        explore(&Interpreter::new(model, &fathom_core::default_properties(model)), N_STATES);
    }
}
