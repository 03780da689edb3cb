//! `pimem init`: make a store.

use serde_json::json;

use crate::{exit::Exit, shell::Shell};
use pimem_engine::error::Failure;

/// Make a store, with its git files
///
/// The project's store is `.pi/memory` at the root of the work tree, or in the working directory
/// where there is none. Running it again changes nothing. Other commands make a store themselves
/// when they have something to write.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(ctx: &Shell, _: &Args) -> Result<Exit, Failure> {
    let (dir, scope, _) = ctx.target()?;
    let store = ctx.store(dir, scope);
    let made = store.init()?;
    let path = store.dir.display().to_string();
    if ctx.ui.json {
        ctx.ui.document(&json!({
            "schema": "pimem.init/1", "store": path, "scope": scope.name(), "created": made,
        }));
    } else if made {
        ctx.ui.line(&format!("Initialized {} store in {path}", scope.name()));
    } else {
        ctx.ui.line(&format!("Already a {} store: {path}", scope.name()));
    }
    Ok(Exit::Done)
}
