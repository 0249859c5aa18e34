//! How files come in: through a loader that the caller passes.
//!
//! The core never touches the file system. Whoever does (the command line, an editor, a test) implements
//! [`FileLoader`]; front ends ask it for the files that a model includes.

use crate::{FileId, SourceMap};
use std::collections::BTreeMap;
use std::fmt;

/// No file may be larger than this, nor all files of a model together.
pub const MAX_SOURCE_BYTES: usize = 64 << 20;

/// A file as a loader gives it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoadedFile {
    /// The name for messages, and what the loader wants to see as `from` for files included by this one.
    pub name: String,
    /// The text.
    pub text: String,
}

/// Why a file could not be loaded.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum LoadError {
    /// There is no such file.
    NotFound,
    /// The file is larger than [`MAX_SOURCE_BYTES`], or all files together would be.
    TooLarge {
        /// The size in bytes.
        bytes: u64,
    },
    /// Anything else, in the words of the environment.
    Other(String),
}

impl fmt::Display for LoadError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LoadError::NotFound => formatter.write_str("no such file"),
            LoadError::TooLarge { bytes } => {
                write!(formatter, "too large: {bytes} bytes, at most {MAX_SOURCE_BYTES} are read")
            }
            LoadError::Other(text) => formatter.write_str(text),
        }
    }
}

impl std::error::Error for LoadError {}

/// Finds the files that a model includes.
pub trait FileLoader {
    /// Loads the file that is called `path` in the text of the file `from` (its [`LoadedFile::name`]).
    ///
    /// # Errors
    ///
    /// When there is no such file or it cannot be read.
    fn load(&self, path: &str, from: Option<&str>) -> Result<LoadedFile, LoadError>;
}

impl<F> FileLoader for F
where
    F: Fn(&str, Option<&str>) -> Result<LoadedFile, LoadError>,
{
    fn load(&self, path: &str, from: Option<&str>) -> Result<LoadedFile, LoadError> {
        self(path, from)
    }
}

/// A loader that has files by name in memory; an empty one has none.
#[derive(Clone, Default, Debug)]
pub struct MemoryLoader {
    /// Texts by name.
    pub files: BTreeMap<String, String>,
}

impl MemoryLoader {
    /// A loader without files.
    pub fn new() -> MemoryLoader {
        MemoryLoader::default()
    }

    /// Adds a file.
    pub fn with(mut self, name: impl Into<String>, text: impl Into<String>) -> MemoryLoader {
        self.files.insert(name.into(), text.into());
        self
    }
}

impl FileLoader for MemoryLoader {
    fn load(&self, path: &str, _from: Option<&str>) -> Result<LoadedFile, LoadError> {
        let text = self.files.get(path).ok_or(LoadError::NotFound)?;
        Ok(LoadedFile { name: path.to_owned(), text: text.clone() })
    }
}

impl SourceMap {
    /// Takes a loaded file in if it is not too large.
    ///
    /// # Errors
    ///
    /// [`LoadError::TooLarge`] when the file, or all files together, pass [`MAX_SOURCE_BYTES`].
    pub fn add_loaded(&mut self, file: LoadedFile) -> Result<FileId, LoadError> {
        let bytes = self.total_bytes() + file.text.len();
        if bytes > MAX_SOURCE_BYTES {
            return Err(LoadError::TooLarge { bytes: bytes as u64 });
        }
        Ok(self.add(file.name, file.text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_beyond_the_total_limit_are_refused() {
        let mut map = SourceMap::new();
        let half = LoadedFile { name: "half".to_owned(), text: " ".repeat(MAX_SOURCE_BYTES / 2 + 1) };
        assert!(map.add_loaded(half.clone()).is_ok());
        assert!(matches!(map.add_loaded(half), Err(LoadError::TooLarge { .. })));
        assert_eq!(map.files().count(), 1);
    }

    #[test]
    fn a_function_is_a_loader() {
        let loader = |path: &str, _: Option<&str>| {
            Ok::<_, LoadError>(LoadedFile { name: path.to_owned(), text: "x".to_owned() })
        };
        assert_eq!(FileLoader::load(&loader, "a", None).map(|file| file.text), Ok("x".to_owned()));
        assert_eq!(MemoryLoader::new().load("a", None), Err(LoadError::NotFound));
    }
}
