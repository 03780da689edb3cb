//! `pimem mcp`: a server of the Model Context Protocol on standard input and output.
//!
//! One line is one message, and one request is answered after the other. Each opens the stores anew,
//! so that it sees what other processes wrote, and nothing is kept between two of them but what the
//! client has said about itself.

mod arguments;
mod changes;
mod project;
mod prompts;
mod reading;
mod resources;
mod roots;
mod said;
mod server;
mod tools;
mod wire;

use std::{
    io::{self, IsTerminal, Write},
    rc::Rc,
};

use crate::{exit::Exit, globals::Globals, shell, ui::Ui};
use pimem_engine::{config::env::Env, error::Failure};

use self::{project::Surroundings, server::Server, wire::InputLines};

/// Serve the memory to clients of the Model Context Protocol
///
/// A client starts this and speaks JSON-RPC with it on standard input and output, one message a
/// line, until it closes the input. There are five tools: to search, to add, to update, to explain
/// an entry, and to get the context for a task. None of them destroys, trusts or configures anything,
/// and a pin waits for a person.
///
/// The project is that of the tool's argument `project`, or of --dir, or what the agent's variables,
/// the client's roots or the working directory say. Where none is known, your own store is read and
/// nothing is written.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  claude mcp add pimem -- pimem mcp\n  \
    codex mcp add pimem -- pimem mcp\n  pimem mcp --read-only --dir ~/harbor/.pi/memory")]
pub(crate) struct McpArgs {
    /// Offer only the tools that read (as `PIMEM_MCP_READONLY=1` does)
    #[arg(long)]
    read_only: bool,
}

/// Serves until the input ends, or nobody reads the output any more.
pub(crate) fn run(
    args: &McpArgs,
    globals: Globals,
    env: Env,
    ui: &Rc<Ui>,
) -> Result<Exit, Failure> {
    if io::stdin().is_terminal() {
        ui.note("Waiting for a client's messages; docs/mcp.md says how to connect one");
    }
    let read_only =
        args.read_only || Env::seldom("PIMEM_MCP_READONLY").is_some_and(|value| value == "1");
    let surroundings = Surroundings::new(shell::working_directory()?, globals, env);
    // The lock of standard input's own handle would come with a buffer of its own.
    let lines = InputLines::new(io::stdin().lock());
    let output = |line: &str| {
        let mut stdout = io::stdout().lock();
        stdout.write_all(line.as_bytes()).and_then(|()| stdout.flush()).is_ok()
    };
    Server::new(surroundings, read_only, Rc::clone(ui), lines, Box::new(output)).serve();
    Ok(Exit::Done)
}
