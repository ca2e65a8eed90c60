//! A time that may be counted in round trips.

use crate::error::{Error, Result};


