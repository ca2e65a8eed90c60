//! Who loses when a buffer overflows, and the words for it.

use crate::error::{Error, Result};
use crate::units::parse_number;

/// Who loses when a buffer overflows.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Sync {
    /// Every flow on the link.
    All,
    /// The flow with the highest rate.
    One,
    /// This share of the flows, at least one, drawn from the seed.
    Share(f64),
    /// While the buffer is full each flow meets losses as a point process of intensity (1 − C/Σx) x.
    #[default]
    Natural,
}

impl Sync {
    /// Reads `all`, `one`, `natural` or a fraction.
    ///
    /// # Errors
    /// [`Error::Unknown`] or [`Error::OutOfRange`] with what is allowed.
    pub fn parse(text: &str) -> Result<Self> {
        match text.trim() {
            "all" => Ok(Self::All),
            "one" => Ok(Self::One),
            "natural" => Ok(Self::Natural),
            other => {
                let words = ["all", "one", "natural", "a fraction such as 0.3"];
                let share = parse_number("number", other)
                    .map_err(|_| Error::unknown("sync", other, words))?;
                if share > 0.0 && share <= 1.0 {
                    Ok(Self::Share(share))
                } else {
                    Err(Error::out_of_range(
                        "the share of flows that lose",
                        format!("`{other}`"),
                        "more than 0 and at most 1",
                    ))
                }
            }
        }
    }

    /// The text that reads back as this.
    #[must_use]
    pub fn name(self) -> String {
        match self {
            Self::All => "all".into(),
            Self::One => "one".into(),
            Self::Natural => "natural".into(),
            Self::Share(share) => share.to_string(),
        }
    }
}
