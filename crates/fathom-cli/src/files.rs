//! Files of a model from the disk.
//!
//! An included file is looked for beside the file that includes it, then beside the main file. Text that is not
//! UTF-8 is read as Latin-1, byte by byte: old models have such letters in their comments.

use std::cell::RefCell;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use fathom_source::{FileLoader, LoadError, LoadedFile, MAX_SOURCE_BYTES};

use crate::failure::Failure;

/// Loads files from the disk.
#[derive(Debug, Default)]
pub struct DiskLoader {
    /// The folder of the main file.
    main_folder: RefCell<Option<PathBuf>>,
    /// Names of the files that were read as Latin-1.
    latin: RefCell<Vec<String>>,
}

impl DiskLoader {
    /// Names of the files that were read as Latin-1.
    pub fn latin_files(&self) -> Vec<String> {
        self.latin.borrow().clone()
    }

    fn read(&self, path: &Path) -> Result<LoadedFile, LoadError> {
        let bytes = read_bytes(path)?;
        let name = path.to_string_lossy().into_owned();
        let text = match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => {
                self.latin.borrow_mut().push(name.clone());
                error.as_bytes().iter().map(|&byte| char::from(byte)).collect()
            }
        };
        Ok(LoadedFile { name, text })
    }
}

impl FileLoader for DiskLoader {
    fn load(&self, path: &str, from: Option<&str>) -> Result<LoadedFile, LoadError> {
        let path = Path::new(path);
        let folder = |file: &Path| file.parent().unwrap_or(Path::new("")).to_owned();
        let Some(from) = from else {
            self.main_folder.replace(Some(folder(path)));
            return self.read(path);
        };
        let beside = self.read(&folder(Path::new(from)).join(path));
        match (beside, &*self.main_folder.borrow()) {
            (Err(LoadError::NotFound), Some(main)) => self.read(&main.join(path)),
            (beside, _) => beside,
        }
    }
}

/// The text of a file that is no model, of any size.
pub fn read_text(path: &str) -> Result<String, Failure> {
    std::fs::read_to_string(path).map_err(|error| match error.kind() {
        ErrorKind::NotFound => Failure::new(format!("cannot read {path}: {}", LoadError::NotFound)),
        _ => Failure::new(format!("cannot read {path}: {error}")),
    })
}

/// Reads a file that may be of any size and any kind.
fn read_bytes(path: &Path) -> Result<Vec<u8>, LoadError> {
    let of_environment = |error: std::io::Error| match error.kind() {
        ErrorKind::NotFound => LoadError::NotFound,
        _ => LoadError::Other(error.to_string()),
    };
    let metadata = std::fs::metadata(path).map_err(of_environment)?;
    if metadata.is_dir() {
        return Err(LoadError::Other("is a directory".to_owned()));
    }
    if metadata.len() > MAX_SOURCE_BYTES as u64 {
        return Err(LoadError::TooLarge { bytes: metadata.len() });
    }
    // A device or a pipe does not say its size.
    let mut bytes = Vec::new();
    let limit = MAX_SOURCE_BYTES as u64 + 1;
    File::open(path).and_then(|file| file.take(limit).read_to_end(&mut bytes)).map_err(of_environment)?;
    if bytes.len() as u64 >= limit {
        return Err(LoadError::TooLarge { bytes: bytes.len() as u64 });
    }
    Ok(bytes)
}
