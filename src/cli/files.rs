//! Files appear whole: written beside their place, then renamed into it.

use crate::error::{Error, Result};
use std::fs;
use std::io::Write;
use std::path::Path;

fn failed(path: &Path, error: &std::io::Error) -> Error {
    Error::File {
        path: path.display().to_string(),
        detail: error.to_string(),
    }
}

/// Writes `bytes` to `path` in one piece.
///
/// # Errors
/// [`Error::File`] if the place cannot be written; nothing is left behind then.
pub(super) fn write(path: &str, bytes: &[u8]) -> Result<()> {
    let target = Path::new(path);
    let name = target.file_name().ok_or_else(|| Error::File {
        path: path.into(),
        detail: "it names no file".into(),
    })?;
    if target.is_dir() {
        return Err(Error::File {
            path: path.into(),
            detail: "it is a directory".into(),
        });
    }
    let mut beside = name.to_os_string();
    beside.push(format!(".{}.part", std::process::id()));
    let beside = target.with_file_name(beside);
    let written = fs::File::create(&beside)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&beside, target));
    written.map_err(|error| {
        let _ = fs::remove_file(&beside);
        failed(target, &error)
    })
}

/// Makes a directory and its parents.
///
/// # Errors
/// [`Error::File`] if it cannot be made.
#[cfg(feature = "plot")]
pub(super) fn directory(path: &str) -> Result<()> {
    fs::create_dir_all(path).map_err(|error| failed(Path::new(path), &error))
}

/// Reads a text file; `-` is standard input.
///
/// # Errors
/// [`Error::File`] if it cannot be read as UTF-8.
#[cfg(any(feature = "plot", feature = "files"))]
pub(super) fn read(path: &str) -> Result<String> {
    let text = if path == "-" {
        std::io::read_to_string(std::io::stdin())
    } else {
        fs::read_to_string(path)
    };
    text.map_err(|error| failed(Path::new(path), &error))
}
