//! From a law's two verbs to a response function: one file for each road. None of them can name a closed form.

pub mod ack;
pub mod epoch;
