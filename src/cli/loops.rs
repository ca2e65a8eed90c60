//! Control loops as `laws` and `explain` tell of them.

use super::emit::table;
use crate::error::Result;
use crate::model::Kind;
use crate::references;
use crate::systems::{Chosen, SYSTEMS};
use crate::units::significant;
use serde::Serialize;

#[derive(Serialize)]
struct FormRow {
    name: &'static str,
    source: &'static str,
    meaning: &'static str,
}

#[derive(Serialize)]
struct PresetRow {
    name: &'static str,
    source: &'static str,
    note: Option<&'static str>,
}

#[derive(Serialize)]
struct ParameterRow {
    key: &'static str,
    symbol: &'static str,
    value: f64,
    allowed: String,
    unit: &'static str,
    meaning: &'static str,
}

#[derive(Serialize)]
struct EquationRow {
    formula: &'static str,
    source: &'static str,
    meaning: &'static str,
}

/// A control loop as data.
#[derive(Serialize)]
pub(super) struct LoopRow {
    system: &'static str,
    title: &'static str,
    presets: Vec<PresetRow>,
    forms: Vec<FormRow>,
    parameters: Vec<ParameterRow>,
    references: &'static [&'static str],
    summary: &'static str,
    equations: Vec<EquationRow>,
    ranges: &'static [&'static str],
    caveats: &'static [&'static str],
}

pub(super) fn row(chosen: &Chosen) -> LoopRow {
    let system = chosen.system;
    let about = system.explanation();
    LoopRow {
        system: system.name(),
        title: system.title(),
        presets: system
            .presets()
            .iter()
            .map(|p| PresetRow {
                name: p.name,
                source: p.source,
                note: p.note,
            })
            .collect(),
        forms: system
            .forms()
            .iter()
            .map(|f| FormRow {
                name: f.name,
                source: f.source,
                meaning: f.meaning,
            })
            .collect(),
        parameters: chosen
            .setting
            .iter()
            .map(|(p, value)| ParameterRow {
                key: p.key,
                symbol: p.symbol,
                value,
                allowed: if p.kind == Kind::Switch {
                    "0 or 1".into()
                } else {
                    p.bounds.describe()
                },
                unit: p.unit,
                meaning: p.meaning,
            })
            .collect(),
        references: system.references(),
        summary: about.summary,
        equations: about
            .equations
            .iter()
            .map(|e| EquationRow {
                formula: e.formula,
                source: e.source,
                meaning: e.meaning,
            })
            .collect(),
        ranges: about.ranges,
        caveats: about.caveats,
    }
}

/// Every loop with its defaults.
pub(super) fn rows() -> Result<Vec<LoopRow>> {
    SYSTEMS
        .iter()
        .map(|system| Chosen::parse(system.name(), None, &[]).map(|chosen| row(&chosen)))
        .collect()
}

/// The list below the laws.
pub(super) fn list(rows: &[LoopRow]) -> String {
    let names = |words: Vec<&str>| words.join(", ");
    let text = table(
        &[
            "control loop",
            "what it is",
            "presets (default first)",
            "forms (default first)",
            "keys",
        ],
        &[false; 5],
        rows.iter()
            .map(|row| {
                vec![
                    row.system.into(),
                    row.title.into(),
                    names(row.presets.iter().map(|p| p.name).collect()),
                    names(row.forms.iter().map(|f| f.name).collect()),
                    names(row.parameters.iter().map(|p| p.key).collect()),
                ]
            })
            .collect(),
    );
    format!("\nFor the verb `stability`:\n{text}")
}

/// The page of `explain`.
pub(super) fn page(row: &LoopRow, preset: &str) -> String {
    let mut out = format!(
        "control loop {}: {}\n\n{}\n\nEquations\n",
        row.system, row.title, row.summary
    );
    for equation in &row.equations {
        out += &format!(
            "  {}\n      {} [{}]\n",
            equation.formula, equation.meaning, equation.source
        );
    }
    out += &format!("\nParameters (preset {preset})\n");
    let rows = row
        .parameters
        .iter()
        .map(|p| {
            vec![
                format!("  {}", p.key),
                p.symbol.into(),
                significant(p.value, 12),
                p.unit.into(),
                p.allowed.clone(),
                p.meaning.into(),
            ]
        })
        .collect();
    out += &table(
        &["  key", "symbol", "value", "unit", "allowed", "meaning"],
        &[false; 6],
        rows,
    );
    out += "\nPresets\n";
    for preset in &row.presets {
        let note = preset
            .note
            .map_or(String::new(), |note| format!(": {note}"));
        out += &format!("  {} [{}]{note}\n", preset.name, preset.source);
    }
    out += "\nForms (--form; the first is the default)\n";
    for form in &row.forms {
        out += &format!("  {} [{}]: {}\n", form.name, form.source, form.meaning);
    }
    for (title, lines) in [
        ("Where they hold", row.ranges),
        ("Known errors and traps", row.caveats),
    ] {
        out += &format!("\n{title}\n");
        for line in lines {
            out += &format!("  - {line}\n");
        }
    }
    out += "\nSources\n";
    for key in row.references {
        if let Ok(work) = references::find(key) {
            out += &format!("  {key}: {}\n", super::lists::cite_line(work));
        }
    }
    out
}
