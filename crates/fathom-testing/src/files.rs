//! Models from files, for tests.

use std::path::Path;

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
