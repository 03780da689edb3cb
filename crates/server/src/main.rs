//! The program `pimem-server`.

use std::process::ExitCode;

fn main() -> ExitCode {
    pimem_server::cli::run()
}
