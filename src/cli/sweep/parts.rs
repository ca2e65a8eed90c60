//! Finished parts of a sweep in a directory beside its output, with a manifest that says which sweep they belong to.

use crate::cli::files::{failed, read_data, write};
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_64;

const MANIFEST: &str = "manifest.json";

/// What the parts of a sweep have in common.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Manifest {
    /// Program and version.
    pub program: String,
    /// Hash of everything that is asked, with the program's version.
    pub query: String,
    /// The verb.
    pub verb: String,
    /// Points in all.
    pub points: u64,
    /// Points of a part; the last one may have fewer.
    pub part_points: u64,
    /// Ending of the parts' names.
    pub ending: String,
    /// Columns.
    pub columns: Vec<String>,
}

impl Manifest {
    /// Number of parts.
    pub fn parts(&self) -> u64 {
        self.points.div_ceil(self.part_points.max(1))
    }
}

/// A directory with parts.
pub(super) struct Parts {
    pub directory: PathBuf,
}

impl Parts {
    /// The directory that belongs to an output file.
    pub fn beside(out: &str) -> Self {
        Self {
            directory: PathBuf::from(format!("{out}.parts")),
        }
    }

    fn shown(&self) -> String {
        self.directory.display().to_string()
    }

    fn manifest_path(&self) -> PathBuf {
        self.directory.join(MANIFEST)
    }

    /// The manifest, if there is one.
    pub fn manifest(&self) -> Result<Option<Manifest>> {
        let path = self.manifest_path();
        if !path.exists() {
            return Ok(None);
        }
        let text = read_data(&path.to_string_lossy())?;
        serde_json::from_str(&text)
            .map(Some)
            .map_err(|error| Error::File {
                path: path.display().to_string(),
                detail: format!("it is no manifest of a sweep: {error}"),
            })
    }

    /// Makes the directory ready for the parts of this sweep; whether this call has made it.
    pub fn open(&self, manifest: &Manifest) -> Result<bool> {
        if let Some(there) = self.manifest()? {
            if there == *manifest {
                return Ok(false);
            }
            let why = if there.program == manifest.program {
                "another sweep or another division of it"
            } else {
                "another version of the program"
            };
            return Err(Error::Arguments(format!(
                "`{}` belongs to {why} ({}, query {}, {} points in parts of {}; asked is {}, query {}, {} points in parts of {}): remove it or give another --out",
                self.shown(),
                there.program,
                there.query,
                there.points,
                there.part_points,
                manifest.program,
                manifest.query,
                manifest.points,
                manifest.part_points,
            )));
        }
        fs::create_dir_all(&self.directory).map_err(|error| failed(&self.directory, &error))?;
        let text = serde_json::to_string_pretty(manifest).map_err(crate::cli::emit::broken)? + "\n";
        write(&self.manifest_path().to_string_lossy(), text.as_bytes())?;
        Ok(true)
    }

    /// Finished parts by number. What is not whole, or what a killed process has left, does not count.
    pub fn finished(&self, manifest: &Manifest) -> Result<BTreeMap<u64, PathBuf>> {
        let mut out = BTreeMap::new();
        for path in self.entries()? {
            let Some((number, hash)) = parse(&path, &manifest.ending) else {
                continue;
            };
            let bytes = fs::read(&path).map_err(|error| failed(&path, &error))?;
            if number < manifest.parts() && xxh3_64(&bytes) == hash {
                out.insert(number, path);
            }
        }
        Ok(out)
    }

    /// Puts a finished part into its place.
    pub fn put(&self, manifest: &Manifest, number: u64, bytes: &[u8]) -> Result<PathBuf> {
        let name = format!("{number:08}-{:016x}.{}", xxh3_64(bytes), manifest.ending);
        let beside = self
            .directory
            .join(format!("{number:08}.{}.unfinished", std::process::id()));
        let place = self.directory.join(name);
        fs::write(&beside, bytes)
            .and_then(|()| fs::rename(&beside, &place))
            .map_err(|error| failed(&beside, &error))?;
        Ok(place)
    }

    fn entries(&self) -> Result<Vec<PathBuf>> {
        if !self.directory.exists() {
            return Ok(Vec::new());
        }
        let read = || -> std::io::Result<Vec<PathBuf>> {
            let mut out = Vec::new();
            for entry in fs::read_dir(&self.directory)? {
                out.push(entry?.path());
            }
            out.sort();
            Ok(out)
        };
        read().map_err(|error| failed(&self.directory, &error))
    }

    /// Takes away what a sweep has put here, and the directory if nothing else is in it.
    pub fn remove(&self, manifest: &Manifest) -> Result<()> {
        for path in self.entries()? {
            let unfinished = path
                .extension()
                .is_some_and(|ending| ending == "unfinished");
            if unfinished || path.ends_with(MANIFEST) || parse(&path, &manifest.ending).is_some() {
                fs::remove_file(&path).map_err(|error| failed(&path, &error))?;
            }
        }
        let _ = fs::remove_dir(&self.directory);
        Ok(())
    }
}

/// Number and hash in a part's name.
fn parse(path: &Path, ending: &str) -> Option<(u64, u64)> {
    let name = path.file_name()?.to_str()?;
    let (number, hash) = name
        .strip_suffix(ending)?
        .strip_suffix('.')?
        .split_once('-')?;
    Some((number.parse().ok()?, u64::from_str_radix(hash, 16).ok()?))
}
