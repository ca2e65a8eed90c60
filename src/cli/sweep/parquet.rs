//! The parts of a sweep as a Parquet file: one optional column for each key.

use crate::cli::files::write_with;
use crate::error::Result;
use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::Type;
use serde_json::{Map, Value};
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter};
use std::path::PathBuf;
use std::sync::Arc;

/// Rows that are kept in memory and written as one group.
const GROUP: usize = 100_000;

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Nothing so far.
    Empty,
    Flag,
    Whole,
    Number,
    Text,
}

impl Kind {
    fn of(value: &Value) -> Self {
        match value {
            Value::Null => Self::Empty,
            Value::Bool(_) => Self::Flag,
            Value::Number(number) if number.is_i64() => Self::Whole,
            Value::Number(_) => Self::Number,
            _ => Self::Text,
        }
    }

    /// What holds both.
    fn with(self, other: Self) -> Self {
        match (self, other) {
            (Self::Empty, kind) | (kind, Self::Empty) => kind,
            (one, two) if one == two => one,
            (Self::Whole, Self::Number) | (Self::Number, Self::Whole) => Self::Number,
            _ => Self::Text,
        }
    }

    fn physical(self) -> Physical {
        match self {
            Self::Flag => Physical::BOOLEAN,
            Self::Whole => Physical::INT64,
            Self::Number => Physical::DOUBLE,
            Self::Empty | Self::Text => Physical::BYTE_ARRAY,
        }
    }
}

/// Writes `out` in one piece from JSON lines.
pub(super) fn write(out: &str, columns: &[String], parts: &[&PathBuf]) -> Result<()> {
    write_with(out, |file| {
        // Twice over the rows: a column's type must be known before its first value is written.
        let mut kinds = vec![Kind::Empty; columns.len()];
        rows(parts, |row| {
            for (kind, column) in kinds.iter_mut().zip(columns) {
                *kind = kind.with(row.get(column).map_or(Kind::Empty, Kind::of));
            }
            Ok(())
        })?;
        fill(file, columns, &kinds, parts).map_err(io::Error::other)
    })
}

fn rows(
    parts: &[&PathBuf],
    mut each: impl FnMut(Map<String, Value>) -> io::Result<()>,
) -> io::Result<()> {
    for path in parts {
        for line in BufReader::new(File::open(path)?).lines() {
            each(serde_json::from_str(&line?)?)?;
        }
    }
    Ok(())
}

fn fill(
    file: &mut File,
    columns: &[String],
    kinds: &[Kind],
    parts: &[&PathBuf],
) -> std::result::Result<(), ParquetError> {
    let fields: std::result::Result<Vec<_>, ParquetError> = columns
        .iter()
        .zip(kinds)
        .map(|(column, kind)| {
            let text = (kind.physical() == Physical::BYTE_ARRAY).then_some(LogicalType::String);
            Type::primitive_type_builder(column, kind.physical())
                .with_repetition(Repetition::OPTIONAL)
                .with_logical_type(text)
                .build()
                .map(Arc::new)
        })
        .collect();
    let schema = Type::group_type_builder("sweep")
        .with_fields(fields?)
        .build()?;
    let properties = Arc::new(WriterProperties::builder().build());
    let mut writer = SerializedFileWriter::new(BufWriter::new(file), Arc::new(schema), properties)?;
    let mut held: Vec<Map<String, Value>> = Vec::new();
    let mut flush = |held: &mut Vec<Map<String, Value>>| -> std::result::Result<(), ParquetError> {
        let mut group = writer.next_row_group()?;
        for (column, kind) in columns.iter().zip(kinds) {
            let values = held
                .iter()
                .map(|row| row.get(column).unwrap_or(&Value::Null));
            match kind {
                Kind::Flag => {
                    put::<BoolType>(&mut group, values, |v| v.as_bool().unwrap_or_default())
                }
                Kind::Whole => {
                    put::<Int64Type>(&mut group, values, |v| v.as_i64().unwrap_or_default())
                }
                Kind::Number => {
                    put::<DoubleType>(&mut group, values, |v| v.as_f64().unwrap_or_default())
                }
                Kind::Empty | Kind::Text => put::<ByteArrayType>(&mut group, values, |v| match v {
                    Value::String(text) => ByteArray::from(text.as_str()),
                    other => ByteArray::from(other.to_string().into_bytes()),
                }),
            }?;
        }
        group.close()?;
        held.clear();
        Ok(())
    };
    rows(parts, |row| {
        held.push(row);
        if held.len() == GROUP {
            flush(&mut held).map_err(io::Error::other)?;
        }
        Ok(())
    })
    .map_err(|error| ParquetError::External(Box::new(error)))?;
    if !held.is_empty() {
        flush(&mut held)?;
    }
    writer.close()?;
    Ok(())
}

/// One column of a group; what is null has no value.
fn put<'v, T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, BufWriter<&mut File>>,
    values: impl Iterator<Item = &'v Value>,
    read: impl Fn(&Value) -> T::T,
) -> std::result::Result<(), ParquetError> {
    let (mut levels, mut present) = (Vec::new(), Vec::new());
    for value in values {
        levels.push(i16::from(!value.is_null()));
        if !value.is_null() {
            present.push(read(value));
        }
    }
    let mut column = group
        .next_column()?
        .ok_or_else(|| ParquetError::General("fewer columns than names".into()))?;
    column
        .typed::<T>()
        .write_batch(&present, Some(&levels), None)?;
    column.close()
}
