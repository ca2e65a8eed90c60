//! Which share of a sweep this process does.

use crate::cli::args::SweepArgs;
use crate::cli::meaning::whole;
use crate::error::{Error, Result};

/// Share `number` of `count`, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shard {
    pub number: u64,
    pub count: u64,
}

/// Most shares of one sweep.
const MOST: u64 = 1_000_000;

impl Shard {
    /// The share that flags and environment ask for.
    pub fn of(args: &SweepArgs) -> Result<Option<Self>> {
        let shards = match &args.shards {
            None => None,
            Some(text) => Some(whole("--shards", text)?),
        };
        let shard = match args.shard.as_deref() {
            None => return Ok(None),
            Some("env") => Self::from_environment(shards, |name| std::env::var(name).ok())?,
            Some(text) => {
                let (number, count) = text
                    .split_once('/')
                    .ok_or_else(|| Error::malformed("share", text, "K/N such as 2/8, or env"))?;
                if shards.is_some() {
                    return Err(Error::Arguments(format!(
                        "--shard {text} says itself how many shares there are: leave out --shards"
                    )));
                }
                Self {
                    number: whole("--shard", number)?,
                    count: whole("--shard", count)?,
                }
            }
        };
        if shard.count == 0 || shard.count > MOST || !(1..=shard.count).contains(&shard.number) {
            return Err(Error::out_of_range(
                "the share",
                format!("{} of {}", shard.number, shard.count),
                format!("1 of N to N of N, N at most {MOST}"),
            ));
        }
        Ok(Some(shard))
    }

    /// From the variables of a job array. Slurm's numbers begin where its script says, Kubernetes' at 0.
    fn from_environment(
        shards: Option<u64>,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Self> {
        let number = |name: &str| -> Result<Option<u64>> {
            variable(name)
                .map(|text| {
                    text.trim().parse().map_err(|_| {
                        Error::Arguments(format!(
                            "the environment variable {name} is `{text}`: a whole number is needed"
                        ))
                    })
                })
                .transpose()
        };
        if let Some(task) = number("SLURM_ARRAY_TASK_ID")? {
            let first = number("SLURM_ARRAY_TASK_MIN")?.unwrap_or(1);
            let step = number("SLURM_ARRAY_TASK_STEP")?.unwrap_or(1).max(1);
            let count = shards
                .or(number("SLURM_ARRAY_TASK_COUNT")?)
                .ok_or_else(|| without_count("SLURM_ARRAY_TASK_ID"))?;
            return Ok(Self {
                number: task.checked_sub(first).map_or(0, |past| past / step + 1),
                count,
            });
        }
        if let Some(index) = number("JOB_COMPLETION_INDEX")? {
            let count = shards.ok_or_else(|| without_count("JOB_COMPLETION_INDEX"))?;
            return Ok(Self {
                number: index.saturating_add(1),
                count,
            });
        }
        Err(Error::Arguments(
            "--shard env finds neither SLURM_ARRAY_TASK_ID nor JOB_COMPLETION_INDEX in the environment: give --shard K/N".into(),
        ))
    }

    /// The part of `chunks` pieces that falls to this share.
    pub fn range(self, chunks: u64) -> std::ops::Range<u64> {
        let at =
            |number: u64| (u128::from(chunks) * u128::from(number) / u128::from(self.count)) as u64;
        at(self.number - 1)..at(self.number)
    }
}

fn without_count(name: &str) -> Error {
    Error::Arguments(format!(
        "{name} is set, but not how many shares there are: give --shards N"
    ))
}
