//! The verbs that tell what there is.

use super::Outcome;
use super::args::{CiteArgs, ExplainArgs, ListArgs};
use super::emit::{deliver, machine, table};
use super::explanation::{
    EquationRow, Page, ParameterRow, PresetRow, equations, parameters, presets,
};
use super::loops::{self, LoopRow};
use crate::algorithms::{Selected, all};
use crate::error::{Error, Result};
#[cfg(feature = "files")]
use crate::files::law_example;
use crate::model::{Entry, Spec};
use crate::references::{self, REFERENCES, Reference};
use crate::systems::{self, Chosen, SYSTEMS};
use crate::what_if::Envelope;
use serde::Serialize;

#[derive(Serialize)]
struct ListQuery {
    verb: &'static str,
    law: Option<String>,
}

#[derive(Serialize)]
struct FormRow {
    name: &'static str,
    loss_model: &'static str,
    meaning: &'static str,
}

#[derive(Serialize)]
struct LawRow {
    law: &'static str,
    title: &'static str,
    price: crate::model::Price,
    is_law: bool,
    presets: Vec<PresetRow>,
    forms: Vec<FormRow>,
    parameters: Vec<ParameterRow>,
    references: &'static [&'static str],
}

#[derive(Serialize)]
struct ExplainRow {
    #[serde(flatten)]
    law: LawRow,
    summary: &'static str,
    equations: Vec<EquationRow>,
    ranges: &'static [&'static str],
    caveats: &'static [&'static str],
}

/// One row of a list: of different kinds in one array.
#[derive(Serialize)]
#[serde(untagged)]
enum Row {
    Law(Box<LawRow>),
    Explained(Box<ExplainRow>),
    Loop(Box<LoopRow>),
}

fn law_row(selected: &Selected) -> LawRow {
    let algorithm = selected.algorithm;
    LawRow {
        law: algorithm.name(),
        title: algorithm.title(),
        price: algorithm.price(),
        is_law: algorithm.law(&selected.setting).is_some(),
        presets: presets(algorithm.presets()),
        forms: algorithm
            .forms()
            .iter()
            .map(|f| FormRow {
                name: f.name,
                loss_model: f.loss_model.name(),
                meaning: f.meaning,
            })
            .collect(),
        parameters: parameters(&selected.setting),
        references: algorithm.references(),
    }
}

fn defaults(algorithm: &'static dyn Entry) -> Result<Selected> {
    Selected::parse(algorithm.name())
}

pub(super) fn laws(args: &ListArgs) -> Result<Outcome> {
    #[cfg(feature = "files")]
    if let Some(name) = &args.example {
        return deliver(law_example(name)?.text, &args.output);
    }
    let rows = all()
        .into_iter()
        .map(|algorithm| defaults(algorithm).map(|s| law_row(&s)))
        .collect::<Result<Vec<_>>>()?;
    let text = table(
        &[
            "law",
            "what it is",
            "presets (default first)",
            "forms (default first)",
            "keys",
        ],
        &[false; 5],
        rows.iter()
            .map(|row| {
                let join = |words: Vec<&str>| {
                    if words.is_empty() {
                        "-".into()
                    } else {
                        words.join(", ")
                    }
                };
                let title = if row.is_law {
                    row.title.to_owned()
                } else {
                    format!("{} (a formula, not a law)", row.title)
                };
                vec![
                    row.law.into(),
                    title,
                    join(row.presets.iter().map(|p| p.name).collect()),
                    join(row.forms.iter().map(|f| f.name).collect()),
                    join(row.parameters.iter().map(|p| p.key).collect()),
                ]
            })
            .collect(),
    );
    let query = || ListQuery {
        verb: "laws",
        law: None,
    };
    let loops = loops::rows()?;
    let text = text + &loops::list(&loops);
    let laws = rows.into_iter().map(|row| Row::Law(Box::new(row)));
    let loops = loops.into_iter().map(|row| Row::Loop(Box::new(row)));
    let envelopes = [
        Envelope::new(query(), laws.collect::<Vec<_>>()),
        Envelope::new(query(), loops.collect()),
    ];
    match machine(&envelopes, &args.output)? {
        Some(data) => deliver(&data, &args.output),
        None => deliver(&text, &args.output),
    }
}

pub(super) fn explain(args: &ExplainArgs) -> Result<Outcome> {
    let mut envelopes = Vec::new();
    let mut text = String::new();
    for spec in &args.laws {
        let name = Spec::split(spec).name();
        let looped = systems::find(name).is_ok();
        if looped {
            let chosen = Chosen::parse(spec, None, &[]);
            // A name may be a law's too, with keys that are not the loop's.
            match chosen {
                Ok(chosen) => {
                    let row = loops::row(&chosen);
                    if !text.is_empty() {
                        text.push('\n');
                    }
                    text += &loops::page(&row, chosen.setting.preset().name);
                    envelopes.push(Envelope::new(
                        ListQuery {
                            verb: "explain",
                            law: Some(chosen.spec()),
                        },
                        vec![Row::Loop(Box::new(row))],
                    ));
                }
                Err(error) if Selected::parse(spec).is_err() => return Err(error),
                Err(_) => {}
            }
        }
        let selected = match Selected::parse(spec) {
            Ok(selected) => selected,
            Err(_) if looped => continue,
            Err(Error::Unknown {
                what: "law",
                given,
                mut allowed,
            }) => {
                // Some names are a law's and a loop's.
                for system in SYSTEMS {
                    if !allowed.iter().any(|name| name == system.name()) {
                        allowed.push(system.name().to_owned());
                    }
                }
                return Err(Error::Unknown {
                    what: "law or control loop",
                    given,
                    allowed,
                });
            }
            Err(error) => return Err(error),
        };
        let about = selected.algorithm.explanation();
        let row = ExplainRow {
            law: law_row(&selected),
            summary: about.summary,
            equations: equations(about),
            ranges: about.ranges,
            caveats: about.caveats,
        };
        if !text.is_empty() {
            text.push('\n');
        }
        text += &prose(&selected, &row);
        envelopes.push(Envelope::new(
            ListQuery {
                verb: "explain",
                law: Some(selected.spec()),
            },
            vec![Row::Explained(Box::new(row))],
        ));
    }
    match machine(&envelopes, &args.output)? {
        Some(data) => deliver(&data, &args.output),
        None => deliver(&text, &args.output),
    }
}

fn prose(selected: &Selected, row: &ExplainRow) -> String {
    let law = &row.law;
    Page {
        title: match selected.algorithm.other_names() {
            [] => format!("{}: {}", law.law, law.title),
            others => format!("{}: {} (also {})", law.law, law.title, others.join(", ")),
        },
        summary: row.summary,
        equations: &row.equations,
        preset: selected.setting.preset().name,
        parameters: &law.parameters,
        presets: &law.presets,
        forms: (
            "Closed forms (--form; the first is the default)",
            law.forms
                .iter()
                .map(|f| format!("{} ({} losses): {}", f.name, f.loss_model, f.meaning))
                .collect(),
        ),
        ranges: row.ranges,
        caveats: row.caveats,
        references: law.references,
    }
    .text()
}

pub(super) fn cite_line(work: &Reference) -> String {
    let id = if work.id.is_empty() || work.id == work.venue {
        String::new()
    } else {
        format!(" {}.", work.id)
    };
    format!(
        "{}. {}. {}, {}.{id}",
        work.authors, work.title, work.venue, work.year
    )
}

#[derive(Serialize)]
struct CiteQuery {
    verb: &'static str,
    key: &'static str,
}

#[derive(Serialize)]
struct CiteRow {
    key: &'static str,
    authors: &'static str,
    title: &'static str,
    venue: &'static str,
    year: u16,
    id: Option<&'static str>,
}

pub(super) fn cite(args: &CiteArgs) -> Result<Outcome> {
    let works: Vec<&Reference> = if args.keys.is_empty() {
        REFERENCES.iter().collect()
    } else {
        args.keys
            .iter()
            .map(|key| references::find(key))
            .collect::<Result<_>>()?
    };
    let envelopes: Vec<_> = works
        .iter()
        .map(|w| {
            let row = CiteRow {
                key: w.key,
                authors: w.authors,
                title: w.title,
                venue: w.venue,
                year: w.year,
                id: Some(w.id).filter(|id| !id.is_empty()),
            };
            Envelope::new(
                CiteQuery {
                    verb: "cite",
                    key: w.key,
                },
                vec![row],
            )
        })
        .collect();
    match machine(&envelopes, &args.output)? {
        Some(data) => deliver(&data, &args.output),
        None => deliver(
            &works.iter().fold(String::new(), |text, w| {
                text + &format!("{}: {}\n", w.key, cite_line(w))
            }),
            &args.output,
        ),
    }
}
