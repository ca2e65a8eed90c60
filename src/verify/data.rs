//! Reference data, each file with its source in its first line.

use crate::error::{Error, Result};
use std::collections::HashMap;

pub(super) const CLOSED_FORMS: &str = include_str!("data/closed-forms.csv");
pub(super) const LAMBERT: &str = include_str!("data/lambert.csv");
pub(super) const LAMBERT_LN: &str = include_str!("data/lambert-ln.csv");
pub(super) const BIC_TABLE: &str = include_str!("data/bic-table.csv");
pub(super) const BIC_EPOCH: &str = include_str!("data/bic-epoch.csv");
pub(super) const SCALABLE_EPOCH: &str = include_str!("data/scalable-epoch.csv");
pub(super) const HIGHSPEED_EPOCH: &str = include_str!("data/highspeed-epoch.csv");
pub(super) const RFC3649_TABLE12: &str = include_str!("data/rfc3649-table12.csv");
pub(super) const CONTROL_LOOPS: &str = include_str!("data/control-loops.csv");
pub(super) const CLOSED_FORMS_MODERN: &str = include_str!("data/closed-forms-modern.csv");
pub(super) const LATER_LAWS: &str = include_str!("data/later-laws.csv");
pub(super) const RFC9438_TABLE1: &str = include_str!("data/rfc9438-table1.csv");
pub(super) const RFC9438_TABLE3: &str = include_str!("data/rfc9438-table3.csv");
pub(super) const RFC4828_TABLE1: &str = include_str!("data/rfc4828-table1.csv");
pub(super) const RFC3714_APPENDIX: &str = include_str!("data/rfc3714-appendix.csv");
pub(super) const LINUX_TFRC: &str = include_str!("data/linux-tfrc.csv");
pub(super) const PFTK_TABLE: &str = include_str!("data/pftk-table.csv");
pub(super) const NS2_JAIN: &str = include_str!("data/ns2-jain.csv");
pub(super) const WESTWOOD_JAIN: &str = include_str!("data/westwood-jain.csv");
pub(super) const WESTWOOD: &str = include_str!("data/westwood.csv");
pub(super) const NS2_PERIODIC: &str = include_str!("data/ns2-response-periodic.csv");
pub(super) const NS2_XCP: &str = include_str!("data/ns2-xcp.csv");
pub(super) const LINUX_PERIODIC: &str = include_str!("data/linux-6.18-periodic.csv");
pub(super) const BIC_EXPONENTS: &str = include_str!("data/bic-exponents.csv");
pub(super) const SYNCHRONISED_RATIOS: &str = include_str!("data/synchronised-ratios.csv");
pub(super) const QUEUE_EQUILIBRIA: &str = include_str!("data/queue-equilibria.csv");
pub(super) const SAWTOOTH_USE: &str = include_str!("data/sawtooth-use.csv");
pub(super) const BUFFER_FOR_USE: &str = include_str!("data/buffer-for-use.csv");
pub(super) const CUBIC_BESIDE_RENO: &str = include_str!("data/cubic-beside-reno.csv");

/// One row by column name.
pub(super) struct Row(HashMap<String, String>);

impl Row {
    /// The text in a column, empty if there is none.
    pub(super) fn text(&self, column: &str) -> &str {
        self.0.get(column).map_or("", String::as_str)
    }

    /// The number in a column.
    pub(super) fn number(&self, column: &str) -> Result<f64> {
        let text = self.text(column);
        text.parse()
            .map_err(|_| Error::malformed("number in the reference data", text, "a decimal number"))
    }

    /// The number in a column and half a unit of its last printed digit.
    pub(super) fn printed(&self, column: &str) -> Result<(f64, f64)> {
        Ok((self.number(column)?, half_unit(self.text(column))))
    }
}

/// Half a unit of the last digit of a decimal number as printed.
pub(super) fn half_unit(text: &str) -> f64 {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let decimals = mantissa
        .split_once('.')
        .map_or(0, |(_, tail)| tail.len() as i32);
    0.5 * 10f64.powi(exponent.parse::<i32>().unwrap_or(0) - decimals)
}

/// The rows of a table whose comment lines begin with `#`.
pub(super) fn rows(table: &str) -> Result<Vec<Row>> {
    let broken = |error: csv::Error| Error::File {
        path: "reference data".into(),
        detail: error.to_string(),
    };
    let mut reader = csv::ReaderBuilder::new()
        .comment(Some(b'#'))
        .from_reader(table.as_bytes());
    let header: Vec<String> = reader
        .headers()
        .map_err(broken)?
        .iter()
        .map(str::to_owned)
        .collect();
    reader
        .records()
        .map(|record| {
            let record = record.map_err(broken)?;
            Ok(Row(header
                .iter()
                .cloned()
                .zip(record.iter().map(str::to_owned))
                .collect()))
        })
        .collect()
}
