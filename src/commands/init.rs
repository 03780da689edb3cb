//! `pimem init`: creates a store.

use pimem_engine::{error::Failure, memory::target::Initialized};

use crate::{
    shell::{Exit, Shell},
    ui::{Human, Ui},
};

/// Make a store, with its git files
///
/// The project's store is `.pi/memory` at the root of the work tree, or in the working directory
/// where there is none. Running it again changes nothing. Other commands make a store themselves
/// when they have something to write.
#[derive(Debug, clap::Args)]
pub(crate) struct InitArgs {}

pub(crate) fn run(ctx: &Shell, _: &InitArgs) -> Result<Exit, Failure> {
    let made = ctx.memory.init()?;
    ctx.ui.show(&made);
    if made.created && made.scope == "project" && !ctx.ui.json {
        super::import::offer(ctx);
    }
    Ok(Exit::Done)
}

impl Human for Initialized {
    fn human(&self, ui: &Ui) {
        let Self { store, scope, created } = self;
        ui.line(&if *created {
            format!("Initialized {scope} store in {store}")
        } else {
            format!("Already a {scope} store: {store}")
        });
    }
}
