//! The one grammar of everything that has parameters: `NAME[@PRESET][:key=value,...]`.

use super::{Parameter, Preset, Setting};
use crate::error::{Error, Result};

/// Text in the grammar, split but not yet understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spec<'a> {
    whole: &'a str,
    name: &'a str,
    preset: Option<&'a str>,
    values: Option<&'a str>,
}

impl<'a> Spec<'a> {
    /// Splits `text`.
    #[must_use]
    pub fn split(text: &'a str) -> Self {
        let (head, values) = match text.split_once(':') {
            Some((head, values)) => (head, Some(values)),
            None => (text, None),
        };
        let (name, preset) = match head.split_once('@') {
            Some((name, preset)) => (name.trim(), Some(preset.trim())),
            None => (head.trim(), None),
        };
        Self {
            whole: text,
            name,
            preset,
            values,
        }
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &'a str {
        self.name
    }

    /// The values meant, beginning with those of the preset, or of the first of `presets`.
    ///
    /// # Errors
    /// An unknown preset or key with the nearest valid one, a key given twice, a value outside its range.
    pub fn setting(
        &self,
        parameters: &'static [Parameter],
        presets: &'static [Preset],
    ) -> Result<Setting> {
        let preset = match self.preset {
            None => presets
                .first()
                .ok_or_else(|| Error::unknown("preset", "", [""; 0]))?,
            Some(word) => presets
                .iter()
                .find(|p| p.name == word)
                .ok_or_else(|| Error::unknown("preset", word, presets.iter().map(|p| p.name)))?,
        };
        let mut setting = Setting::of(parameters, preset);
        let mut seen = Vec::new();
        for pair in self.values.into_iter().flat_map(|values| values.split(',')) {
            let Some((key, value)) = pair.split_once('=') else {
                return Err(Error::malformed(
                    "parameter",
                    pair,
                    "key=value, such as smax=64",
                ));
            };
            let key = key.trim();
            setting.set(key, value)?;
            if seen.contains(&key) {
                return Err(Error::Arguments(format!(
                    "the key `{key}` is given twice in `{}`: give it once",
                    self.whole
                )));
            }
            seen.push(key);
        }
        Ok(setting)
    }
}

/// The shortest text that reads back as `setting`.
#[must_use]
pub fn write(name: &str, presets: &[Preset], setting: &Setting) -> String {
    let preset = setting.preset();
    let mut out = name.to_owned();
    if presets
        .first()
        .is_none_or(|first| first.name != preset.name)
    {
        out += &format!("@{}", preset.name);
    }
    let changed: Vec<String> = setting
        .changed()
        .map(|(parameter, value)| format!("{}={value}{}", parameter.key, parameter.kind.suffix()))
        .collect();
    if !changed.is_empty() {
        out += &format!(":{}", changed.join(","));
    }
    out
}
