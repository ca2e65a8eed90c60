//! Parse, run, exit code.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(cwnd::cli::run(std::env::args_os()).code())
}
