//! The `pimem` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(pimem::cli::run(std::env::args_os()))
}
