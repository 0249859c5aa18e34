//! Models from files, for tests.

use std::path::{Path, PathBuf};

use fathom_source::{LoadError, LoadedFile};

/// Loads a file; an included one is looked for beside the file that includes it. Text that is not UTF-8 is
/// read with replacement characters.
///
/// # Errors
///
/// When the file cannot be read.
pub fn file_loader(path: &str, from: Option<&str>) -> Result<LoadedFile, LoadError> {
    let folder = from.and_then(|from| Path::new(from).parent()).unwrap_or(Path::new(""));
    let name = folder.join(path);
    let bytes = std::fs::read(&name).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => LoadError::NotFound,
        _ => LoadError::Other(error.to_string()),
    })?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    Ok(LoadedFile { name: name.to_string_lossy().into_owned(), text })
}

/// The sidecars (`.json`) in a folder of the repository, by name.
///
/// # Panics
///
/// When there is no such folder.
pub fn sidecars_in(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
    let entries = std::fs::read_dir(folder).expect("a folder of the project");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let is_sidecar = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "json");
    let mut found: Vec<PathBuf> = paths.filter(is_sidecar).collect();
    found.sort();
    found
}
