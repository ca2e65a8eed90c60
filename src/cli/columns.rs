//! A file of rows by column: what `sweep` writes, as comma-separated values, JSON lines or Parquet.

use super::files;
use crate::error::{Error, Result};
use crate::figures::Datum;
use crate::units::Kind;
use serde_json::{Map, Value};

/// Rows under a header; a value that is not there is empty.
pub(super) struct Table {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// Reads a file by its ending: `.jsonl` and `.ndjson` are JSON lines, `.parquet` is Parquet, all others are
    /// comma-separated values with a header.
    ///
    /// # Errors
    /// [`Error::File`] if it cannot be read or has no rows.
    pub fn read(path: &str) -> Result<Self> {
        let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
        let found = match ending.to_ascii_lowercase().as_str() {
            "jsonl" | "ndjson" => Self::json_lines(path),
            "parquet" => Self::parquet(path),
            _ => Self::comma_separated(path),
        }?;
        if found.rows.is_empty() {
            return Err(bad(path, &"it has no rows"));
        }
        Ok(found)
    }

    fn comma_separated(path: &str) -> Result<Self> {
        let text = files::read_data(path)?;
        if text.trim_start().starts_with('{') {
            return Err(bad(
                path,
                &"it holds JSON: a file of JSON lines is read under a name that ends in .jsonl",
            ));
        }
        let mut reader = csv::ReaderBuilder::new()
            .comment(Some(b'#'))
            .from_reader(text.as_bytes());
        let header = reader.headers().map_err(|error| bad(path, &error))?;
        let header = header.iter().map(str::to_owned).collect();
        let mut rows = Vec::new();
        for record in reader.records() {
            let record = record.map_err(|error| bad(path, &error))?;
            rows.push(record.iter().map(str::to_owned).collect());
        }
        Ok(Self { header, rows })
    }

    fn json_lines(path: &str) -> Result<Self> {
        let text = files::read_data(path)?;
        let mut objects = Vec::new();
        for (number, line) in text.lines().enumerate() {
            if line.trim().is_empty() {
                continue;
            }
            let object: Map<String, Value> = serde_json::from_str(line).map_err(|error| {
                let line = number + 1;
                bad(
                    path,
                    &format!("line {line} is no JSON object, as each line must be: {error}"),
                )
            })?;
            objects.push(object);
        }
        Ok(Self::of(objects))
    }

    #[cfg(feature = "parquet")]
    fn parquet(path: &str) -> Result<Self> {
        use parquet::file::reader::{FileReader, SerializedFileReader};
        use parquet::record::Field;
        let file = std::fs::File::open(path).map_err(|error| bad(path, &error))?;
        let reader = SerializedFileReader::new(file).map_err(|error| bad(path, &error))?;
        let rows = reader
            .get_row_iter(None)
            .map_err(|error| bad(path, &error))?;
        let mut objects = Vec::new();
        for row in rows {
            let row = row.map_err(|error| bad(path, &error))?;
            let value = |field: &Field| match field {
                Field::Bool(flag) => Value::from(*flag),
                Field::Long(whole) => Value::from(*whole),
                Field::Double(number) => Value::from(*number),
                Field::Str(text) => Value::from(text.as_str()),
                Field::Null => Value::Null,
                other => Value::from(other.to_string()),
            };
            let named = |(key, field): (&String, &Field)| (key.clone(), value(field));
            objects.push(row.get_column_iter().map(named).collect());
        }
        Ok(Self::of(objects))
    }

    #[cfg(not(feature = "parquet"))]
    fn parquet(path: &str) -> Result<Self> {
        Err(Error::Arguments(format!(
            "`{path}` would be a Parquet file, which this build cannot read: give a file that ends in .csv or .jsonl, or build with --features parquet"
        )))
    }

    /// One column for each key, in the order in which they come.
    fn of(objects: Vec<Map<String, Value>>) -> Self {
        let mut header: Vec<String> = Vec::new();
        for key in objects.iter().flat_map(Map::keys) {
            if !header.contains(key) {
                header.push(key.clone());
            }
        }
        let text = |value: Option<&Value>| match value {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
        };
        let row =
            |object: Map<String, Value>| header.iter().map(|key| text(object.get(key))).collect();
        let rows = objects.into_iter().map(row).collect();
        Self { header, rows }
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    pub fn column(&self, name: &str) -> Result<usize> {
        self.header
            .iter()
            .position(|column| column == name)
            .ok_or_else(|| Error::unknown("column", name, &self.header))
    }

    pub fn field(&self, row: usize, column: usize) -> &str {
        self.rows[row].get(column).map_or("", String::as_str)
    }

    pub fn datum(&self, row: usize, column: usize) -> Datum {
        let text = self.field(row, column);
        if text.is_empty() {
            return Datum::Missing;
        }
        match text.parse::<f64>() {
            Ok(x) if x.is_finite() => Datum::Number(x),
            _ => Datum::Word(text.to_owned()),
        }
    }

    /// Keeps the rows with this value: the same text, or the same number in any unit.
    pub fn keep(&mut self, condition: &str) -> Result<()> {
        let (name, value) = condition.split_once('=').ok_or_else(|| {
            Error::malformed("condition", condition, "COLUMN=VALUE, such as rtt_s=100ms")
        })?;
        let column = self.column(name.trim())?;
        let wanted = value.trim();
        let number = Kind::of(wanted).map(|(_, number)| number);
        let alike = |text: &str| {
            let close = |x: f64, wanted: f64| (x - wanted).abs() <= 1e-9 * wanted.abs();
            let as_number = || Some(close(text.parse::<f64>().ok()?, number?));
            text == wanted || as_number().unwrap_or(false)
        };
        let mut seen: Vec<String> = Vec::new();
        for row in &self.rows {
            let text = row.get(column).cloned().unwrap_or_default();
            if seen.len() < 30 && !seen.contains(&text) {
                seen.push(text);
            }
        }
        self.rows
            .retain(|row| row.get(column).is_some_and(|text| alike(text)));
        if self.rows.is_empty() {
            return Err(Error::unknown("value of the column", value, seen));
        }
        Ok(())
    }

    /// Columns in which two rows differ.
    pub fn differing(&self, one: usize, two: usize) -> Vec<String> {
        let differs =
            |(column, _): &(usize, &String)| self.field(one, *column) != self.field(two, *column);
        let names = self.header.iter().enumerate().filter(differs);
        names.map(|(_, name)| name.clone()).collect()
    }
}

fn bad(path: &str, detail: &dyn ToString) -> Error {
    Error::File {
        path: path.to_owned(),
        detail: detail.to_string(),
    }
}
