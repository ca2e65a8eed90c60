//! The verbs that sweep: a grid over any other verb, in parts that can be resumed, shared out and merged.

mod fast;
mod inputs;
#[cfg(feature = "parquet")]
mod parquet;
mod parts;
mod points;
mod progress;
mod rows;
mod shard;
mod table;

use super::args::{MergeArgs, SweepArgs};
use super::{Outcome, complain, files, meaning, say};
use crate::error::{Error, Result};
use crate::files::{Places, law_texts, read_sweep, register_law, sweep_example};
use crate::what_if::parallel;
use crate::what_if::sweep::Sweep;
use clap::Command;
use inputs::Form;
use parts::{Manifest, Parts};
use points::Points;
use progress::Progress;
use rows::Layout;
use shard::Shard;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use table::{Scratch, Table};
use xxhash_rust::xxh3::Xxh3;

/// Parts of a sweep, as long as it has as many points.
const PARTS: u64 = 512;
/// Parts of each share at least, as long as there are as many points.
const PARTS_OF_A_SHARE: u64 = 8;
/// Points of a part at most: what one thread keeps in memory.
const MOST_POINTS: u64 = 65_536;

/// Program and version, as a manifest names them.
const PROGRAM: &str = concat!("cwnd ", env!("CARGO_PKG_VERSION"));

pub(super) fn sweep(args: &SweepArgs) -> Result<Outcome> {
    if let Some(name) = &args.example {
        return Ok(say(sweep_example(name)?.text));
    }
    let path = args.sweep.as_deref().unwrap_or("-");
    let out = args.out.as_deref().unwrap_or("");
    let (encoding, _) = rows::encoding(out)?;
    let shard = Shard::of(args)?;
    let threads = meaning::threads(&args.threads)?;
    let (sweep, places) = read_file(path)?;
    files::check(out)?;
    let form = Form::of(&sweep.verb)?;
    let points = Points::new(&sweep, &form, &places)?;
    let table = Table::new(points, encoding)?;
    let total = sweep.points()?;
    let pieces = PARTS.max(PARTS_OF_A_SHARE * shard.map_or(1, |shard| shard.count));
    let manifest = Manifest {
        program: PROGRAM.into(),
        query: hash(&sweep, &form),
        verb: sweep.verb.clone(),
        points: total,
        part_points: total.div_ceil(pieces).clamp(1, MOST_POINTS),
        ending: match encoding {
            rows::Encoding::Csv => "csv".into(),
            rows::Encoding::Json => "jsonl".into(),
        },
        columns: table.layout.columns.clone(),
    };
    let parts = Parts::beside(out);
    let fresh = parts.open(&manifest)?;
    let mine = shard.map_or(0..manifest.parts(), |shard| shard.range(manifest.parts()));
    let mut done = parts.finished(&manifest)?;
    done.retain(|number, _| mine.contains(number));
    if !args.resume && (!done.is_empty() || (!fresh && shard.is_none())) {
        return Err(Error::Arguments(format!(
            "`{}` holds {} finished parts of this sweep: --resume does only what is missing",
            parts.directory.display(),
            done.len()
        )));
    }
    let todo: Vec<u64> = mine.filter(|number| !done.contains_key(number)).collect();
    let work = Work {
        table: &table,
        manifest: &manifest,
        parts: &parts,
        progress: Progress::new(points_of(&todo, &manifest), args.quiet),
        stop: AtomicBool::new(false),
        without: AtomicU64::new(0),
        parsers: Mutex::new(Vec::new()),
    };
    let made = parallel::with(threads, || {
        parallel::map(&todo, |number| work.part(*number))
    });
    work.progress.finish();
    let made: Result<Vec<Option<PathBuf>>> = made?.into_iter().collect();
    match made {
        Ok(paths) => done.extend(
            todo.iter()
                .copied()
                .zip(paths)
                .filter_map(|(number, path)| Some((number, path?))),
        ),
        Err(error) => {
            // Nobody can resume a file that has to be changed.
            if fresh {
                parts.remove(&manifest)?;
            }
            return Err(error);
        }
    }
    let without = work.without.load(Ordering::Relaxed);
    if without > 0 && !args.quiet {
        complain(&format!(
            "{without} of {} points have no answer; the column `reason` of their rows says why",
            points_of(&todo, &manifest)
        ));
    }
    if let Some(shard) = shard {
        if !args.quiet {
            complain(&format!(
                "share {} of {} is done; when all are, `cwnd merge {out}` makes the file",
                shard.number, shard.count
            ));
        }
        return Ok(Outcome::Answered);
    }
    assemble(out, &manifest, &done)?;
    parts.remove(&manifest)?;
    Ok(Outcome::Answered)
}

fn read_file(path: &str) -> Result<(Sweep, Places)> {
    let known = |verb: &str| {
        let form = Form::of(verb)?;
        Ok(form.inputs.into_iter().map(|input| input.known).collect())
    };
    let (mut sweep, places) = read_sweep(path, &files::read(path)?, known)?;
    // Laws of one's own are read once, before anything names them.
    if sweep.swept().any(|(_, input)| input.name == LAW_FILE) {
        return Err(places.wrong(LAW_FILE, "a law file is read once: it stands under [fixed]"));
    }
    for (_, laws) in sweep.fixed.extract_if(.., |(name, _)| name == LAW_FILE) {
        for law in laws {
            let text = files::read(&law).map_err(|e| places.wrong(LAW_FILE, &e.to_string()))?;
            register_law(&law, &text)?;
        }
    }
    Ok((sweep, places))
}

/// The flag of every verb that reads a law of one's own.
const LAW_FILE: &str = "law-file";

fn points_of(numbers: &[u64], manifest: &Manifest) -> u64 {
    numbers
        .iter()
        .map(|number| {
            let start = number * manifest.part_points;
            manifest.part_points.min(manifest.points - start)
        })
        .sum()
}

/// What all threads share.
struct Work<'a> {
    table: &'a Table<'a>,
    manifest: &'a Manifest,
    parts: &'a Parts,
    progress: Progress,
    stop: AtomicBool,
    /// Points without an answer.
    without: AtomicU64,
    /// Parsers that no thread uses at the moment: making one costs as much as some points.
    parsers: Mutex<Vec<Command>>,
}

impl Work<'_> {
    /// Makes one part; nothing after an error elsewhere.
    fn part(&self, number: u64) -> Result<Option<PathBuf>> {
        if self.stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let made = self.make(number);
        if made.is_err() {
            self.stop.store(true, Ordering::Relaxed);
        }
        made.map(Some)
    }

    fn make(&self, number: u64) -> Result<PathBuf> {
        let start = number * self.manifest.part_points;
        let end = (start + self.manifest.part_points).min(self.manifest.points);
        let mut bytes = Vec::new();
        let idle = || self.parsers.lock().ok();
        let mut scratch = Scratch {
            parser: idle().and_then(|mut parsers| parsers.pop()),
            ..Scratch::default()
        };
        for point in start..end {
            if !self.table.rows(&mut scratch, point, &mut bytes)? {
                self.without.fetch_add(1, Ordering::Relaxed);
            }
        }
        if let (Some(mut parsers), Some(parser)) = (idle(), scratch.parser) {
            parsers.push(parser);
        }
        let path = self.parts.put(self.manifest, number, &bytes)?;
        self.progress.add(end - start);
        Ok(path)
    }
}

/// Everything that is asked, as one number: resuming and merging compare it.
fn hash(sweep: &Sweep, form: &Form) -> String {
    let mut state = Xxh3::new();
    let mut add = |text: &str| {
        state.update(&(text.len() as u64).to_le_bytes());
        state.update(text.as_bytes());
    };
    add(PROGRAM);
    add(&sweep.verb);
    for key in sweep.columns.iter().flatten() {
        add(key);
    }
    let fixed = sweep.fixed.iter().map(|(name, texts)| (name, texts));
    add("fixed");
    let mut named = Vec::new();
    for (name, texts) in fixed {
        add(name);
        for text in texts {
            add(text);
            if form.find(name).is_some_and(|input| input.file) {
                named.push(text);
            }
        }
    }
    for axis in &sweep.axes {
        add("axis");
        for input in &axis.inputs {
            add(&input.name);
            for value in &input.values {
                add("value");
                for text in &value.texts {
                    add(text);
                    if form.find(&input.name).is_some_and(|known| known.file) {
                        named.push(text);
                    }
                }
            }
        }
    }
    // A law or a file that has changed is another question.
    for text in law_texts() {
        state.update(text.as_bytes());
    }
    for path in named {
        if let Ok(bytes) = std::fs::read(path) {
            state.update(&bytes);
        }
    }
    format!("{:032x}", state.digest128())
}

/// Writes the output in one piece from its parts.
fn assemble(out: &str, manifest: &Manifest, parts: &BTreeMap<u64, PathBuf>) -> Result<()> {
    let missing: Vec<u64> = (0..manifest.parts())
        .filter(|number| !parts.contains_key(number))
        .collect();
    if let Some(first) = missing.first() {
        return Err(Error::Arguments(format!(
            "{} of {} parts of `{out}` are missing, the first is number {first} (points {} to {}): run their shares with --resume",
            missing.len(),
            manifest.parts(),
            first * manifest.part_points,
            ((first + 1) * manifest.part_points).min(manifest.points) - 1
        )));
    }
    let paths: Vec<&PathBuf> = parts.values().collect();
    let (encoding, columnar) = rows::encoding(out)?;
    #[cfg(feature = "parquet")]
    if columnar {
        return parquet::write(out, &manifest.columns, &paths);
    }
    debug_assert!(!columnar, "refused without the feature");
    let header = Layout::new(encoding, manifest.columns.clone()).header();
    files::write_with(out, |file| {
        file.write_all(&header)?;
        for path in paths {
            std::io::copy(&mut std::fs::File::open(path)?, file)?;
        }
        Ok(())
    })
}

/// Makes one file of the parts that the shares have left.
pub(super) fn merge(args: &MergeArgs) -> Result<Outcome> {
    let (encoding, _) = rows::encoding(&args.out)?;
    let own = Parts::beside(&args.out);
    let directories: Vec<Parts> = if args.parts.is_empty() {
        vec![Parts::beside(&args.out)]
    } else {
        args.parts
            .iter()
            .map(|path| Parts {
                directory: PathBuf::from(path),
            })
            .collect()
    };
    let mut common: Option<Manifest> = None;
    let mut all: BTreeMap<u64, PathBuf> = BTreeMap::new();
    let mut twice = 0;
    for parts in &directories {
        let shown = parts.directory.display();
        let manifest = parts.manifest()?.ok_or_else(|| Error::File {
            path: shown.to_string(),
            detail: "it holds no parts of a sweep".into(),
        })?;
        let wanted = common.get_or_insert_with(|| manifest.clone());
        if *wanted != manifest {
            return Err(Error::Arguments(format!(
                "`{shown}` belongs to another sweep or another division of it than `{}`: shares are merged that were made with the same file, the same N and the same version",
                directories[0].directory.display()
            )));
        }
        for (number, path) in parts.finished(&manifest)? {
            if let Some(other) = all.get(&number) {
                // The name carries the hash of the contents.
                if other.file_name() != path.file_name() {
                    return Err(Error::Arguments(format!(
                        "part {number} differs between `{}` and `{}`: one of them is damaged or from another machine's arithmetic",
                        other.display(),
                        path.display()
                    )));
                }
                twice += 1;
            }
            all.insert(number, path);
        }
    }
    let Some(manifest) = common else {
        return Err(Error::Arguments("no directory with parts is given".into()));
    };
    let ending = match encoding {
        rows::Encoding::Csv => "csv",
        rows::Encoding::Json => "jsonl",
    };
    if manifest.ending != ending {
        return Err(Error::Arguments(format!(
            "`{}` does not fit its parts, which are {}: give the --out of the shares",
            args.out, manifest.ending
        )));
    }
    assemble(&args.out, &manifest, &all)?;
    if twice > 0 && !args.quiet {
        complain(&format!(
            "{twice} parts were there twice, with the same contents"
        ));
    }
    own.remove(&manifest)?;
    Ok(Outcome::Answered)
}
