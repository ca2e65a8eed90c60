//! Control loops as `laws` and `explain` tell of them.

use super::emit::table;
use super::explanation::{
    EquationRow, Page, ParameterRow, PresetRow, equations, parameters, presets,
};
use crate::error::Result;
use crate::systems::{Chosen, SYSTEMS};
use serde::Serialize;

#[derive(Serialize)]
struct FormRow {
    name: &'static str,
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
        presets: presets(system.presets()),
        forms: system
            .forms()
            .iter()
            .map(|f| FormRow {
                name: f.name,
                source: f.source,
                meaning: f.meaning,
            })
            .collect(),
        parameters: parameters(&chosen.setting),
        references: system.references(),
        summary: about.summary,
        equations: equations(about),
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
pub(super) fn page(row: &LoopRow, preset: &'static str) -> String {
    Page {
        title: format!("control loop {}: {}", row.system, row.title),
        summary: row.summary,
        equations: &row.equations,
        preset,
        parameters: &row.parameters,
        presets: &row.presets,
        forms: (
            "Forms (--form; the first is the default)",
            row.forms
                .iter()
                .map(|f| format!("{} [{}]: {}", f.name, f.source, f.meaning))
                .collect(),
        ),
        ranges: row.ranges,
        caveats: row.caveats,
        references: row.references,
    }
    .text()
}
