//! What laws and control loops have in common where `laws` and `explain` tell of them: rows of data, and the page of text.

use super::emit::table;
use super::lists::cite_line;
use crate::model::{Explanation, Kind, Preset, Setting};
use crate::references;
use crate::units::significant;
use serde::Serialize;

#[derive(Serialize)]
pub(super) struct PresetRow {
    pub name: &'static str,
    source: &'static str,
    note: Option<&'static str>,
}

#[derive(Serialize)]
pub(super) struct ParameterRow {
    pub key: &'static str,
    symbol: &'static str,
    value: f64,
    allowed: String,
    unit: &'static str,
    meaning: &'static str,
}

#[derive(Serialize)]
pub(super) struct EquationRow {
    formula: &'static str,
    source: &'static str,
    meaning: &'static str,
}

pub(super) fn presets(all: &[Preset]) -> Vec<PresetRow> {
    all.iter()
        .map(|p| PresetRow {
            name: p.name,
            source: p.source,
            note: p.note,
        })
        .collect()
}

pub(super) fn parameters(setting: &Setting) -> Vec<ParameterRow> {
    setting
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
        .collect()
}

pub(super) fn equations(about: &Explanation) -> Vec<EquationRow> {
    about
        .equations
        .iter()
        .map(|e| EquationRow {
            formula: e.formula,
            source: e.source,
            meaning: e.meaning,
        })
        .collect()
}

/// A page of `explain`.
pub(super) struct Page<'a> {
    pub title: String,
    pub summary: &'static str,
    pub equations: &'a [EquationRow],
    /// Name of the preset whose values are shown.
    pub preset: &'static str,
    pub parameters: &'a [ParameterRow],
    pub presets: &'a [PresetRow],
    /// The heading of the forms, and a line for each.
    pub forms: (&'static str, Vec<String>),
    pub ranges: &'a [&'static str],
    pub caveats: &'a [&'static str],
    pub references: &'a [&'static str],
}

impl Page<'_> {
    pub fn text(&self) -> String {
        let mut out = format!("{}\n\n{}\n\nEquations\n", self.title, self.summary);
        for equation in self.equations {
            out += &format!(
                "  {}\n      {} [{}]\n",
                equation.formula, equation.meaning, equation.source
            );
        }
        if !self.parameters.is_empty() {
            out += &format!("\nParameters (preset {})\n", self.preset);
            let rows = self.parameters.iter().map(|p| {
                vec![
                    format!("  {}", p.key),
                    p.symbol.into(),
                    significant(p.value, 12),
                    p.unit.into(),
                    p.allowed.clone(),
                    p.meaning.into(),
                ]
            });
            out += &table(
                &["  key", "symbol", "value", "unit", "allowed", "meaning"],
                &[false; 6],
                rows.collect(),
            );
        }
        let presets = self.presets.iter().map(|preset| {
            let note = preset
                .note
                .map_or(String::new(), |note| format!(": {note}"));
            format!("{} [{}]{note}", preset.name, preset.source)
        });
        let remarks = |lines: &[&str]| lines.iter().map(|line| format!("- {line}")).collect();
        let works = self.references.iter().filter_map(|key| {
            let work = references::find(key).ok()?;
            Some(format!("{key}: {}", cite_line(work)))
        });
        for (heading, lines) in [
            ("Presets", presets.collect()),
            (self.forms.0, self.forms.1.clone()),
            ("Where they hold", remarks(self.ranges)),
            ("Known errors and traps", remarks(self.caveats)),
            ("Sources", works.collect::<Vec<String>>()),
        ] {
            if !lines.is_empty() {
                out += &format!("\n{heading}\n");
            }
            for line in lines {
                out += &format!("  {line}\n");
            }
        }
        out
    }
}
