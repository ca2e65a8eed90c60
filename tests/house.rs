//! The house: who may import whom, the lists, and the independence of the roads, read off the source itself.

use std::fs;
use std::path::{Path, PathBuf};

fn sources(room: &str) -> Vec<PathBuf> {
    fn walk(at: &Path, out: &mut Vec<PathBuf>) {
        if at.is_dir() {
            let mut entries: Vec<_> = fs::read_dir(at)
                .unwrap()
                .map(|e| e.unwrap().path())
                .collect();
            entries.sort();
            for entry in &entries {
                walk(entry, out);
            }
        } else if at.extension().is_some_and(|e| e == "rs") {
            out.push(at.to_owned());
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut out = Vec::new();
    walk(&root.join(room), &mut out);
    walk(&root.join(format!("{room}.rs")), &mut out);
    out.retain(|p| p.is_file());
    out
}

/// Code without comments and doc comments, so that prose may name what code may not.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    text.lines()
        .map(|line| line.split("//").next().unwrap_or(""))
        .collect::<Vec<_>>()
        .join("\n")
}

/// Rooms that a file names through `crate::room`, also inside `use crate::{a, b}`.
fn named(code: &str) -> Vec<String> {
    let mut out = Vec::new();
    for piece in code.split("crate::").skip(1) {
        let words = piece.strip_prefix('{').map_or_else(
            || {
                piece
                    .split(|c: char| !(c.is_alphanumeric() || c == '_'))
                    .take(1)
                    .collect::<Vec<_>>()
            },
            |list| {
                list.split('}')
                    .next()
                    .unwrap()
                    .split(',')
                    .map(|w| w.trim().split("::").next().unwrap())
                    .collect()
            },
        );
        out.extend(words.into_iter().map(str::to_owned));
    }
    out
}

/// What each room may name besides itself.
const ARROWS: &[(&str, &[&str])] = &[
    ("error", &[]),
    ("units", &["error"]),
    ("references", &["error"]),
    ("numeric", &["error"]),
    ("model", &["numeric", "units", "error"]),
    ("algorithms", &["model", "numeric", "units", "error"]),
    ("responses", &["model", "numeric", "units", "error"]),
    ("analysis", &["model", "numeric", "units", "error"]),
    ("systems", &["model", "numeric", "units", "error"]),
    ("network", &["units", "error"]),
    (
        "fluid",
        &["network", "responses", "model", "numeric", "units", "error"],
    ),
    (
        "what_if",
        &[
            "systems",
            "analysis",
            "fluid",
            "network",
            "responses",
            "algorithms",
            "model",
            "numeric",
            "units",
            "error",
        ],
    ),
    (
        "experiments",
        &[
            "what_if",
            "analysis",
            "fluid",
            "network",
            "algorithms",
            "model",
            "numeric",
            "units",
            "error",
        ],
    ),
    (
        "figures",
        &[
            "experiments",
            "fluid",
            "analysis",
            "systems",
            "what_if",
            "network",
            "algorithms",
            "model",
            "numeric",
            "units",
            "error",
        ],
    ),
    (
        "verify",
        &[
            "experiments",
            "analysis",
            "systems",
            "what_if",
            "fluid",
            "network",
            "responses",
            "algorithms",
            "model",
            "numeric",
            "units",
            "error",
        ],
    ),
    (
        "files",
        &[
            "what_if",
            "fluid",
            "network",
            "algorithms",
            "model",
            "units",
            "error",
        ],
    ),
    ("draw", &["figures", "error"]),
    (
        "cli",
        &[
            "systems",
            "draw",
            "files",
            "figures",
            "analysis",
            "verify",
            "what_if",
            "fluid",
            "responses",
            "references",
            "algorithms",
            "model",
            "numeric",
            "units",
            "error",
        ],
    ),
];

#[test]
fn arrows_point_down() {
    for (room, allowed) in ARROWS {
        let files = sources(room);
        assert!(!files.is_empty(), "the room {room} has no files");
        for file in files {
            for other in named(&code(&file)) {
                assert!(
                    other == *room || allowed.contains(&other.as_str()),
                    "{} names crate::{other}, which {room} may not",
                    file.display()
                );
            }
        }
    }
}

#[test]
fn every_room_is_in_the_table() {
    let lib = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs")).unwrap();
    for line in lib
        .lines()
        .filter_map(|l| l.trim().strip_prefix("pub mod "))
    {
        let room = line.trim_end_matches(';');
        assert!(
            ARROWS.iter().any(|(name, _)| *name == room),
            "the room {room} has no arrows"
        );
    }
    for (room, allowed) in ARROWS {
        for (at, other) in allowed.iter().enumerate() {
            assert!(
                !allowed[..at].contains(other),
                "{other} stands twice among the arrows of {room}"
            );
        }
    }
}

#[test]
fn roads_cannot_name_closed_forms_or_algorithms() {
    for file in ["responses", "analysis", "network", "fluid"]
        .into_iter()
        .flat_map(sources)
    {
        let code = code(&file).replace(".join(", "");
        for word in [
            "ClosedForms",
            "Formula",
            "closed(",
            "algorithms",
            "Entry",
            "PowerLaw",
            "STANDARD_TCP",
            "join(",
        ] {
            assert!(!code.contains(word), "{} names {word}", file.display());
        }
    }
}

#[test]
fn algorithms_do_not_know_how_they_are_checked() {
    for file in sources("algorithms")
        .into_iter()
        .filter(|f| f.file_name().unwrap() != "mod.rs")
    {
        let code = code(&file);
        for word in [
            "responses",
            "Epoch::new",
            "Ack::",
            "crate::algorithms",
            "crate::verify",
            "crate::what_if",
        ] {
            assert!(!code.contains(word), "{} names {word}", file.display());
        }
    }
}

#[test]
fn nobody_knows_an_algorithm_by_name() {
    let names: Vec<String> = cwnd::algorithms::ALGORITHMS
        .iter()
        .map(|a| format!("\"{}\"", a.name()))
        .collect();
    for room in [
        "model",
        "responses",
        "network",
        "analysis",
        "fluid",
        "what_if",
        "files",
        "numeric",
        "draw",
        "cli",
    ] {
        for file in sources(room) {
            let mut code = code(&file);
            if room == "network" {
                // A queue may have the name of the sender that it is made for.
                code = code
                    .lines()
                    .filter(|line| !line.trim_start().starts_with("name: "))
                    .collect::<Vec<_>>()
                    .join("\n");
            }
            for name in &names {
                assert!(
                    !code.contains(name.as_str()),
                    "{} knows {name}",
                    file.display()
                );
            }
        }
    }
}

#[test]
fn every_file_of_an_algorithm_is_in_the_list() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/algorithms");
    let names: Vec<&str> = cwnd::algorithms::ALGORITHMS
        .iter()
        .map(|a| a.name())
        .collect();
    for entry in fs::read_dir(root).unwrap() {
        let path = entry.unwrap().path();
        let stem = path.file_stem().unwrap().to_str().unwrap().to_owned();
        if stem != "mod" {
            assert!(
                names.contains(&stem.as_str()),
                "{stem} is not in the list of algorithms"
            );
        }
    }
}

#[test]
fn every_file_of_a_control_loop_is_in_the_list() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/systems");
    let names: Vec<String> = cwnd::systems::SYSTEMS
        .iter()
        .map(|s| s.name().replace('-', "_"))
        .collect();
    for entry in fs::read_dir(root).unwrap() {
        let path = entry.unwrap().path();
        let stem = path.file_stem().unwrap().to_str().unwrap().to_owned();
        // What loops share, and the table of laws in their common form.
        if !["mod", "common", "flow_level"].contains(&stem.as_str()) {
            assert!(
                names.contains(&stem),
                "{stem} is not in the list of control loops"
            );
        }
    }
}

#[test]
fn control_loops_are_sound_and_nobody_knows_them_by_name() {
    for system in cwnd::systems::SYSTEMS {
        for key in system.references() {
            assert!(
                cwnd::references::find(key).is_ok(),
                "{} cites {key}",
                system.name()
            );
        }
        let sources = system
            .forms()
            .iter()
            .map(|f| f.source)
            .chain(system.presets().iter().map(|p| p.source))
            .chain(system.explanation().equations.iter().map(|e| e.source));
        for source in sources {
            let key: String = source
                .chars()
                .take_while(char::is_ascii_alphanumeric)
                .collect();
            assert!(
                key == "derived" || cwnd::references::find(&key).is_ok(),
                "{} cites {source}",
                system.name()
            );
        }
        for preset in system.presets() {
            for form in system.forms() {
                let spec = format!("{}@{}", system.name(), preset.name);
                let built = cwnd::systems::Chosen::parse(&spec, Some(form.name), &[]);
                assert!(
                    built.is_ok() || matches!(built, Err(cwnd::error::Error::NoAnswer(_))),
                    "{spec} {}",
                    form.name
                );
            }
        }
        for parameter in system.parameters() {
            assert!(
                parameter.bounds.contains(parameter.default),
                "{} {}",
                system.name(),
                parameter.key
            );
        }
        let plane = system.plane();
        for key in [plane.x.0, plane.y.0] {
            assert!(
                system.parameters().iter().any(|p| p.key == key),
                "{} draws {key}",
                system.name()
            );
        }
        // Names that are ordinary words of other rooms (a queue called `red`) are not looked for there.
        let quoted = format!("\"{}\"", system.name());
        for room in ["numeric", "model", "what_if", "draw", "cli"] {
            for file in self::sources(room) {
                assert!(
                    !code(&file).contains(&quoted),
                    "{} knows {}",
                    file.display(),
                    system.name()
                );
            }
        }
    }
}

#[test]
fn only_one_room_names_each_outside_library() {
    for (word, room) in [
        ("plotters", "draw"),
        ("ab_glyph", "draw"),
        ("clap", "cli"),
        ("comfy_table", "cli"),
        ("terminal_size", "cli"),
        ("nalgebra", "numeric"),
        ("lambert_w::", "numeric"),
        ("num_dual", "numeric"),
    ] {
        for file in sources("").into_iter().filter(|f| {
            !f.starts_with(Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(room))
        }) {
            assert!(
                !code(&file).contains(word),
                "{} names {word}",
                file.display()
            );
        }
    }
}

#[test]
fn only_the_command_line_prints_reads_clocks_or_files() {
    for file in sources("") {
        let in_cli = file.starts_with(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/cli"))
            || file.ends_with("main.rs");
        let code = code(&file);
        for word in ["println!", "eprintln!", "print!(", "dbg!"] {
            assert!(!code.contains(word), "{} prints", file.display());
        }
        for word in [
            "std::fs",
            "std::io",
            "Instant::now",
            "SystemTime",
            "std::env",
            "thread::spawn",
        ] {
            assert!(
                in_cli || !code.contains(word),
                "{} names {word}",
                file.display()
            );
        }
    }
}

#[test]
fn no_file_is_two_files() {
    for file in sources("") {
        let lines = fs::read_to_string(&file).unwrap().lines().count();
        assert!(lines <= 500, "{} has {lines} lines", file.display());
    }
}

#[test]
fn every_citation_has_its_work() {
    let known = |text: &str| {
        let key: String = text
            .chars()
            .take_while(char::is_ascii_alphanumeric)
            .collect();
        key == "derived" || cwnd::references::find(&key).is_ok()
    };
    for algorithm in cwnd::algorithms::ALGORITHMS {
        for key in algorithm.references() {
            assert!(
                cwnd::references::find(key).is_ok(),
                "{} cites {key}",
                algorithm.name()
            );
        }
        for preset in algorithm.presets() {
            assert!(
                known(preset.source),
                "{}@{} cites {}",
                algorithm.name(),
                preset.name,
                preset.source
            );
        }
        for equation in algorithm.explanation().equations {
            assert!(
                known(equation.source),
                "{} cites {}",
                algorithm.name(),
                equation.source
            );
        }
    }
}

#[test]
fn laws_keep_clear_of_the_keys_of_a_flow() {
    for algorithm in cwnd::algorithms::ALGORITHMS {
        for parameter in algorithm.parameters() {
            assert!(
                !["rtt", "count", "start", "stop", "size"].contains(&parameter.key),
                "{} has {}",
                algorithm.name(),
                parameter.key
            );
            assert_eq!(parameter.key, parameter.key.to_lowercase());
            assert!(
                parameter.bounds.contains(parameter.default),
                "{} {}",
                algorithm.name(),
                parameter.key
            );
        }
        for preset in algorithm.presets() {
            for (key, value) in preset.values {
                let parameter = algorithm.parameters().iter().find(|p| p.key == *key);
                assert!(
                    parameter.is_some_and(|p| p.bounds.contains(*value)),
                    "{}@{} sets {key}",
                    algorithm.name(),
                    preset.name
                );
            }
        }
    }
}
