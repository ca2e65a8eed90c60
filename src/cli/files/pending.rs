//! Output on its way: it grows in a file without a name, which ends with the program however that ends, and gets its name
//! when everything that belongs to it is whole.

use super::interrupt::Held;
use super::{failed, refused, was_read};
use crate::cli::Outcome;
use crate::error::{Error, Result};
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Where files that are open now will go.
static OPEN: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// How it gets to its place.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Goes {
    /// The file itself gets its name.
    Linked,
    /// It is copied beside its place and renamed: where a file cannot get a name later.
    Copied,
    /// It is copied into what is no regular file, or to standard output.
    Into,
}

/// A file that is being written.
pub(in crate::cli) struct Pending {
    given: PathBuf,
    /// `None` for standard output.
    target: Option<PathBuf>,
    file: File,
    goes: Goes,
    permissions: Option<Permissions>,
}

/// What a path leads to, and what is there already.
fn resolve(path: &str) -> Result<(PathBuf, Option<fs::Metadata>)> {
    let given = Path::new(path);
    let name = given
        .file_name()
        .ok_or_else(|| refused(given, "it names no file"));
    let target = match given.canonicalize() {
        Ok(target) => target,
        Err(_) => directory_of(given)
            .canonicalize()
            .unwrap_or_else(|_| directory_of(given).to_owned())
            .join(name?),
    };
    let there = fs::metadata(&target).ok();
    if let Some(meta) = &there {
        if meta.is_dir() {
            return Err(refused(given, "it is a directory"));
        }
        if meta.is_file() && meta.permissions().readonly() {
            return Err(refused(given, "it is read-only"));
        }
        if meta.is_file() && was_read(&target) {
            return Err(refused(
                given,
                "this command reads it: give the output another name",
            ));
        }
    }
    Ok((target, there))
}

fn directory_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent.as_os_str().is_empty() => Path::new("."),
        Some(parent) => parent,
        None => Path::new("/"),
    }
}

/// Refuses a path that cannot become a file, before work is done for it. `-` is standard output.
///
/// # Errors
/// [`Error::File`] for a directory, a read-only file or one that this command has read.
pub(in crate::cli) fn check(path: &str) -> Result<()> {
    if path != "-" {
        resolve(path)?;
    }
    Ok(())
}

/// A file without a name that can get one.
#[cfg(target_os = "linux")]
fn nameless(directory: &Path) -> Option<File> {
    use std::os::unix::fs::OpenOptionsExt;
    let flags = i32::try_from(rustix::fs::OFlags::TMPFILE.bits()).ok()?;
    let open = OpenOptions::new()
        .read(true)
        .write(true)
        .custom_flags(flags)
        .open(directory);
    open.ok().filter(|file| descriptor(file).exists())
}

#[cfg(not(target_os = "linux"))]
fn nameless(_directory: &Path) -> Option<File> {
    None
}

#[cfg(target_os = "linux")]
fn descriptor(file: &File) -> PathBuf {
    use std::os::fd::AsRawFd;
    PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()))
}

#[cfg(target_os = "linux")]
fn link(file: &File, path: &Path) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};
    let flags = AtFlags::SYMLINK_FOLLOW;
    linkat(CWD, descriptor(file), CWD, path, flags).map_err(io::Error::from)
}

#[cfg(not(target_os = "linux"))]
fn link(_file: &File, _path: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

impl Pending {
    /// Output for `path`; `-` is standard output.
    ///
    /// # Errors
    /// [`Error::File`] if the place cannot be written, has been read by this command, or is that of other output.
    pub fn open(path: &str) -> Result<Self> {
        Self::open_as(path, true)
    }

    fn open_as(path: &str, linked: bool) -> Result<Self> {
        let given = PathBuf::from(path);
        let bad = |error: io::Error| failed(Path::new(path), &error);
        if path == "-" {
            return Ok(Self {
                file: tempfile::tempfile().map_err(bad)?,
                given,
                target: None,
                goes: Goes::Into,
                permissions: None,
            });
        }
        let (target, there) = resolve(path)?;
        let special = there.as_ref().is_some_and(|meta| !meta.is_file());
        let (file, goes) = if special {
            // Whether it can be written is better known now; a pipe would wait for its reader.
            (tempfile::tempfile().map_err(bad)?, Goes::Into)
        } else {
            let directory = directory_of(&target);
            if let Some(file) = nameless(directory).filter(|_| linked) {
                (file, Goes::Linked)
            } else {
                let file = tempfile::tempfile_in(directory).map_err(bad)?;
                (file, Goes::Copied)
            }
        };
        if !special {
            let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
            if open.contains(&target) {
                return Err(refused(
                    Path::new(path),
                    "other output of this command goes there: give one of them another name",
                ));
            }
            open.push(target.clone());
        }
        Ok(Self {
            given,
            target: Some(target),
            file,
            goes,
            permissions: there.map(|meta| meta.permissions()),
        })
    }

    /// The file to write to.
    pub fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// Whether it goes to standard output.
    pub fn is_printed(&self) -> bool {
        self.target.is_none()
    }

    /// An error of the system, with the path as typed.
    pub fn failed(&self, error: &io::Error) -> Error {
        failed(&self.given, error)
    }

    /// Everything on disk, without a name.
    fn whole(&mut self) -> io::Result<()> {
        if self.goes == Goes::Into {
            return Ok(());
        }
        if let Some(permissions) = self.permissions.clone() {
            self.file.set_permissions(permissions)?;
        }
        self.file.sync_all()
    }

    /// Into what is no regular file.
    fn pour(&mut self) -> io::Result<()> {
        if self.goes != Goes::Into {
            return Ok(());
        }
        self.file.rewind()?;
        let Some(target) = &self.target else {
            let mut out = io::stdout().lock();
            let poured = io::copy(&mut self.file, &mut out).and_then(|_| out.flush());
            return match poured {
                // A reader that has gone away is success.
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
                other => other,
            };
        };
        let mut out = OpenOptions::new().write(true).open(target)?;
        io::copy(&mut self.file, &mut out)?;
        out.flush()
    }

    /// The name that it has while it is copied, or linked where another file is in its place.
    fn beside(target: &Path) -> PathBuf {
        let mut name = target.file_name().unwrap_or_default().to_os_string();
        name.push(format!(".{}.part", std::process::id()));
        target.with_file_name(name)
    }

    /// A whole copy beside the place, if it cannot be linked.
    fn copied(&mut self) -> io::Result<Option<Part>> {
        match &self.target {
            Some(target) if self.goes == Goes::Copied => {
                let part = Part::new(Self::beside(target))?;
                part.copy(&mut self.file, self.permissions.clone())?;
                Ok(Some(part))
            }
            _ => Ok(None),
        }
    }

    /// Its name.
    fn named(&mut self, part: Option<Part>) -> io::Result<()> {
        let Some(target) = self.target.clone().filter(|_| self.goes != Goes::Into) else {
            return Ok(());
        };
        if let Some(part) = part {
            return part.rename(&target);
        }
        if link(&self.file, &target).is_ok() {
            return Ok(());
        }
        let part = Part::new(Self::beside(&target))?;
        if link(&self.file, &part.path).is_err() {
            part.copy(&mut self.file, self.permissions.clone())?;
        }
        part.rename(&target)
    }
}

impl Write for Pending {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        if let Some(target) = &self.target {
            let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
            open.retain(|path| path != target);
        }
    }
}

/// A file beside its place, gone on every way out except the last one.
struct Part {
    path: PathBuf,
    done: bool,
    held: Held,
}

impl Part {
    fn new(path: PathBuf) -> io::Result<Self> {
        Ok(Self {
            path,
            done: false,
            held: Held::new()?,
        })
    }

    fn copy(&self, from: &mut File, permissions: Option<Permissions>) -> io::Result<()> {
        from.rewind()?;
        let mut to = File::create(&self.path)?;
        if let Some(permissions) = permissions {
            to.set_permissions(permissions)?;
        }
        let mut block = vec![0; 1 << 20];
        loop {
            self.held.go_on()?;
            let read = from.read(&mut block)?;
            if read == 0 {
                return to.sync_all();
            }
            to.write_all(&block[..read])?;
        }
    }

    fn rename(mut self, target: &Path) -> io::Result<()> {
        self.held.go_on()?;
        fs::rename(&self.path, target)?;
        self.done = true;
        Ok(())
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        if !self.done {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Gives all of them their names, if each is whole and `before` goes well: what it prints cannot be taken back, and names are
/// given last.
///
/// # Errors
/// [`Error::File`] if one of them cannot be written, or what `before` says; no name is given then.
pub(in crate::cli) fn place(
    mut all: Vec<Pending>,
    before: impl FnOnce() -> Result<Outcome>,
) -> Result<Outcome> {
    for pending in &mut all {
        pending.whole().map_err(|error| pending.failed(&error))?;
    }
    for pending in &mut all {
        pending.pour().map_err(|error| pending.failed(&error))?;
    }
    let outcome = before()?;
    if outcome == Outcome::Refused {
        return Ok(outcome);
    }
    let mut parts = Vec::new();
    for pending in &mut all {
        parts.push(pending.copied().map_err(|error| pending.failed(&error))?);
    }
    for (pending, part) in all.iter_mut().zip(parts) {
        pending
            .named(part)
            .map_err(|error| pending.failed(&error))?;
    }
    Ok(outcome)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt;
    use std::process::Command;
    use std::time::{Duration, Instant};

    const CHILD: &str = "CWND_TEST_COPIED_TO";

    /// Not a test of its own: what [`a_copy_is_gone_after_a_signal`] starts.
    #[test]
    fn copies_and_waits_for_a_signal() {
        let Ok(path) = std::env::var(CHILD) else {
            return;
        };
        let mut pending = Pending::open_as(&path, false).unwrap();
        pending.write_all(&[b'x'; 10_000]).unwrap();
        let part = pending.copied().unwrap().unwrap();
        let begin = Instant::now();
        while part.held.go_on().is_ok() && begin.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(2));
        }
        // A copy that goes on notices the signal too.
        assert!(part.copy(&mut pending.file, None).is_err());
        let _ = pending.named(Some(part));
        panic!("the signal has not ended the program");
    }

    #[test]
    fn a_copy_is_gone_after_a_signal() {
        for (signal, number) in [("INT", 2), ("TERM", 15)] {
            let folder = tempfile::tempdir().unwrap();
            let entries = || std::fs::read_dir(folder.path()).unwrap().count();
            let mut child = Command::new(std::env::current_exe().unwrap())
                .args([
                    "--exact",
                    "cli::files::pending::tests::copies_and_waits_for_a_signal",
                ])
                .env(CHILD, folder.path().join("out"))
                .spawn()
                .unwrap();
            let begin = Instant::now();
            while entries() == 0 && begin.elapsed() < Duration::from_secs(60) {
                std::thread::sleep(Duration::from_millis(2));
            }
            let command = format!("kill -{signal} {}", child.id());
            Command::new("sh").args(["-c", &command]).status().unwrap();
            let status = child.wait().unwrap();
            assert_eq!(status.signal(), Some(number));
            assert_eq!(entries(), 0);
        }
    }

    #[test]
    fn a_copied_file_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        for text in ["first", "second"] {
            let mut pending = Pending::open_as(&path.to_string_lossy(), false).unwrap();
            pending.write_all(text.as_bytes()).unwrap();
            place(vec![pending], || Ok(Outcome::Answered)).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        }
    }
}
