//! Files are read up to a size, and appear whole: they grow without a name and get it at the end.

mod interrupt;
mod pending;

pub(super) use pending::{Pending, check, place};

use super::Outcome;
use crate::error::{Error, Result};
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Bytes of a file that describes a question: more is no such file.
const DESCRIPTION: u64 = 16 << 20;
/// Bytes of a file with data.
const DATA: u64 = 1 << 30;

/// What this command has read, which it may not overwrite.
static READ: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

pub(super) fn failed(path: &Path, error: &std::io::Error) -> Error {
    refused(path, error.to_string())
}

fn refused(path: &Path, detail: impl Into<String>) -> Error {
    Error::File {
        path: path.display().to_string(),
        detail: detail.into(),
    }
}

/// A new command has read nothing.
pub(super) fn begin() {
    READ.lock().unwrap_or_else(PoisonError::into_inner).clear();
}

fn was_read(target: &Path) -> bool {
    let read = READ.lock().unwrap_or_else(PoisonError::into_inner);
    read.iter().any(|path| path == target)
}

/// Writes `bytes` to `path` in one piece: its permissions kept, symbolic links followed.
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
    let mut pending = Pending::open(path)?;
    contents(pending.file()).map_err(|error| pending.failed(&error))?;
    place(vec![pending], || Ok(Outcome::Answered)).map(|_| ())
}

/// `bytes` on their way to `path`: [`place`] gives them their name.
///
/// # Errors
/// As [`write`].
pub(super) fn written(path: &str, bytes: impl AsRef<[u8]>) -> Result<Pending> {
    let mut pending = Pending::open(path)?;
    let done = pending.file().write_all(bytes.as_ref());
    done.map_err(|error| pending.failed(&error))?;
    Ok(pending)
}

/// Makes a directory and its parents.
///
/// # Errors
/// [`Error::File`] if it cannot be made.
#[cfg(feature = "plot")]
pub(super) fn directory(path: &str) -> Result<()> {
    fs::create_dir_all(path).map_err(|error| failed(Path::new(path), &error))
}

/// Reads a text file that describes a question, of at most 16 MiB; `-` is standard input.
///
/// # Errors
/// [`Error::File`] if it cannot be read as UTF-8 or is larger.
#[cfg(feature = "files")]
pub(super) fn read(path: &str) -> Result<String> {
    read_most(path, DESCRIPTION)
}

/// The same for a file with data, of at most 1 GiB.
///
/// # Errors
/// As [`read`].
pub(super) fn read_data(path: &str) -> Result<String> {
    read_most(path, DATA)
}

fn read_most(path: &str, most: u64) -> Result<String> {
    let given = Path::new(path);
    let mut text = String::new();
    let read = if path == "-" {
        let stdin = std::io::stdin().lock();
        stdin.take(most + 1).read_to_string(&mut text)
    } else {
        if let Ok(target) = given.canonicalize() {
            let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
            read.push(target);
        }
        fs::File::open(given).and_then(|file| file.take(most + 1).read_to_string(&mut text))
    };
    match read {
        // A letter that the limit cuts in two is no reason to complain about letters.
        Ok(bytes) if bytes as u64 <= most => Ok(text),
        Err(error) if error.kind() != std::io::ErrorKind::InvalidData => Err(failed(given, &error)),
        Err(error) if fs::metadata(given).map_or(0, |meta| meta.len()) <= most => {
            Err(failed(given, &error))
        }
        _ => Err(refused(
            given,
            format!("it is larger than {} MiB", most >> 20),
        )),
    }
}
