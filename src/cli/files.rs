//! Files appear whole: written beside their place, then renamed into it.

use crate::error::{Error, Result};
use std::fs;
use std::io::Write;
use std::path::Path;

pub(super) fn failed(path: &Path, error: &std::io::Error) -> Error {
    Error::File {
        path: path.display().to_string(),
        detail: error.to_string(),
    }
}

/// Writes `bytes` to `path` in one piece: beside it and renamed into place, its permissions kept, symbolic links followed.
/// What is no regular file (a device, a pipe) is written to as it stands.
///
/// # Errors
/// [`Error::File`] if the place cannot be written; nothing is left behind then.
pub(super) fn write(path: &str, bytes: &[u8]) -> Result<()> {
    write_with(path, |file| file.write_all(bytes))
}

/// The same for contents that are written piece by piece.
///
/// # Errors
/// As [`write`].
pub(super) fn write_with(
    path: &str,
    contents: impl FnOnce(&mut fs::File) -> std::io::Result<()>,
) -> Result<()> {
    let given = Path::new(path);
    let bad = |detail: &str| Error::File {
        path: path.into(),
        detail: detail.into(),
    };
    let target = given.canonicalize().unwrap_or_else(|_| given.to_owned());
    let there = fs::metadata(&target).ok();
    if there.as_ref().is_some_and(fs::Metadata::is_dir) {
        return Err(bad("it is a directory"));
    }
    if there.as_ref().is_some_and(|meta| !meta.is_file()) {
        let written = fs::OpenOptions::new()
            .write(true)
            .open(&target)
            .and_then(|mut file| contents(&mut file));
        return written.map_err(|error| failed(given, &error));
    }
    if there
        .as_ref()
        .is_some_and(|meta| meta.permissions().readonly())
    {
        return Err(bad("it is read-only"));
    }
    let name = target.file_name().ok_or_else(|| bad("it names no file"))?;
    let mut beside = name.to_os_string();
    beside.push(format!(".{}.part", std::process::id()));
    let beside = target.with_file_name(beside);
    let written = fs::File::create(&beside)
        .and_then(|mut file| {
            if let Some(meta) = &there {
                file.set_permissions(meta.permissions())?;
            }
            contents(&mut file)?;
            file.sync_all()
        })
        .and_then(|()| fs::rename(&beside, &target));
    written.map_err(|error| {
        let _ = fs::remove_file(&beside);
        failed(given, &error)
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
pub(super) fn read(path: &str) -> Result<String> {
    let text = if path == "-" {
        std::io::read_to_string(std::io::stdin())
    } else {
        fs::read_to_string(path)
    };
    text.map_err(|error| failed(Path::new(path), &error))
}
