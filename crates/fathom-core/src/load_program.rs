//! Loading model programs: from the names of files to a program.

use fathom_csharp::{CSharpProgram, Options};
use fathom_source::{Diagnostic, FileLoader, SourceMap};

/// A model program with the text it comes from and everything there is to say about it.
pub struct LoadedProgram {
    /// The files.
    pub sources: SourceMap,
    /// The program, unless there are errors.
    pub program: Option<CSharpProgram>,
    /// Errors and warnings.
    pub diagnostics: Vec<Diagnostic>,
}

/// Loads a model program in C#, or a state machine, alone or composed with others. Problems, files that cannot be read among them, are
/// diagnostics of the result.
pub fn load_program(path: &str, loader: &dyn FileLoader, options: &Options) -> LoadedProgram {
    let mut sources = SourceMap::new();
    let (program, diagnostics) = fathom_csharp::load(path, loader, options, &mut sources);
    LoadedProgram { sources, program, diagnostics }
}
