//! The command line.

use std::{io::Write as _, path::PathBuf, process::ExitCode};

use clap::{Parser, Subcommand, ValueEnum};

use crate::{
    auth::Right,
    commands::{admin, carry, keys, serve},
    config::{self, Options, ServerConfig},
    db,
    routes::router,
    seal::Keeper,
};

/// Where memories of coding agents meet: a server on PostgreSQL.
#[derive(Debug, Parser)]
#[command(name = "pimem-server", version)]
struct Cli {
    #[command(flatten)]
    options: Options,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Bring the schema of the database up to date
    Migrate {
        /// Only say what would be done
        #[arg(long)]
        plan: bool,
        /// The disk is an older copy: every client pulls once more from the beginning
        #[arg(long, conflicts_with = "plan")]
        restored: bool,
    },
    /// Answer requests until SIGTERM
    Serve,
    /// Print the OpenAPI document
    Openapi,
    /// Write projects as stores, which `pimem` reads: DIR/PROJECT
    Export {
        dir: PathBuf,
        /// Organisation; needed where there are several
        #[arg(long)]
        org: Option<String>,
        /// Only this project
        #[arg(long)]
        project: Option<String>,
    },
    /// Push the lines and events of a store, or of a project that has one
    Import {
        dir: PathBuf,
        /// Organisation; needed where there are several
        #[arg(long)]
        org: Option<String>,
        /// Into this project
        #[arg(long)]
        project: String,
        /// As this user
        #[arg(long)]
        user: String,
    },
    /// Organisations
    Org {
        #[command(subcommand)]
        command: Org,
    },
    /// Keys of sealed organisations
    Seal {
        #[command(subcommand)]
        command: Seal,
    },
    /// Projects
    Project {
        /// Organisation; needed where there are several
        #[arg(long, global = true)]
        org: Option<String>,
        #[command(subcommand)]
        command: Project,
    },
    /// People, and what they may do
    User {
        /// Organisation; needed where there are several
        #[arg(long, global = true)]
        org: Option<String>,
        #[command(subcommand)]
        command: User,
    },
    /// Keys that people's programs present
    Key {
        /// Organisation; needed where there are several
        #[arg(long, global = true)]
        org: Option<String>,
        #[command(subcommand)]
        command: KeyCommand,
    },
}

#[derive(Debug, Subcommand)]
enum Org {
    /// Make an organisation
    Create {
        name: String,
        /// What the server sees of texts. It is chosen once
        #[arg(long, default_value = "plain", value_parser = ["plain", "sealed", "end-to-end"])]
        mode: String,
    },
}

#[derive(Debug, Subcommand)]
enum Seal {
    /// Make a new data key, under which the worker re-encrypts all rows
    Rotate {
        /// Name of the organisation
        name: String,
    },
    /// Wrap the data keys of all organisations with another key, which servers need from then on
    Rewrap {
        /// File of the new key; the variable `PIMEM_SERVER_NEW_KEY` has the key itself
        #[arg(long, value_name = "FILE")]
        new_key_file: Option<PathBuf>,
        /// Command of the shell that prints the new key
        #[arg(long, value_name = "COMMAND", conflicts_with = "new_key_file")]
        new_key_command: Option<String>,
    },
}

#[derive(Debug, Subcommand)]
enum Project {
    /// Make a project
    Create {
        slug: String,
        /// Who reads it without a grant of its own: nobody, who has a grant for all projects, or everybody
        #[arg(long, default_value = "team", value_parser = ["private", "team", "org"])]
        visibility: String,
    },
    /// List projects
    List,
}

#[derive(Debug, Subcommand)]
enum User {
    /// Make a user
    Create { name: String },
    /// List users with their roles
    List,
    /// Give a user a role, instead of the one before
    Grant {
        name: String,
        role: Role,
        /// In this project; without it, in all that are not private
        #[arg(long)]
        project: Option<String>,
    },
}

#[derive(Debug, Subcommand)]
enum KeyCommand {
    /// Make a key and show it, this once
    Create {
        user: String,
        /// What the key allows, within its user's roles
        #[arg(long, value_delimiter = ',', default_value = "read,write")]
        scopes: Vec<Scope>,
        /// Only in these projects
        #[arg(long, value_delimiter = ',')]
        projects: Vec<String>,
        /// Days until it expires
        #[arg(long, default_value_t = 90, value_parser = clap::value_parser!(u32).range(1..=3650))]
        days: u32,
    },
    /// List keys, without what makes them keys
    List,
    /// End a key at once
    Revoke {
        /// The eight characters after pmk_, or the whole key
        key: String,
    },
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Role {
    None,
    Reader,
    Writer,
    Curator,
    Admin,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Scope {
    Read,
    Write,
    Curate,
    Admin,
}

impl Scope {
    fn right(self) -> Right {
        match self {
            Self::Read => Right::Read,
            Self::Write => Right::Write,
            Self::Curate => Right::Curate,
            Self::Admin => Right::Admin,
        }
    }
}

impl Role {
    fn right(self) -> Option<Right> {
        match self {
            Self::None => None,
            Self::Reader => Some(Right::Read),
            Self::Writer => Some(Right::Write),
            Self::Curator => Some(Right::Curate),
            Self::Admin => Some(Right::Admin),
        }
    }
}

/// Runs the program.
#[must_use]
pub fn run() -> ExitCode {
    match start(Cli::parse()) {
        Ok(text) => {
            // Nobody may be reading.
            std::io::stdout().write_all(text.as_bytes()).ok();
            ExitCode::SUCCESS
        }
        Err(error) => {
            tell(&format!("pimem-server: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

#[expect(clippy::print_stderr, reason = "the last word")]
fn tell(text: &str) {
    eprintln!("{text}");
}

fn start(cli: Cli) -> anyhow::Result<String> {
    if matches!(cli.command, Command::Openapi) {
        return Ok(router::document()?);
    }
    let config = cli.options.resolve()?;
    // TLS of both sides is by ring; another thread cannot have chosen before.
    rustls::crypto::ring::default_provider().install_default().ok();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(command(config, cli.command))
}

async fn command(config: ServerConfig, command: Command) -> anyhow::Result<String> {
    match command {
        Command::Migrate { plan, restored } => {
            return admin::migrate(&config, plan, restored).await;
        }
        Command::Serve => return serve::run(config).await.map(|()| String::new()),
        _ => {}
    }
    let client = &mut db::connect(&config).await?;
    let keeper = || Keeper::load(&config.key);
    match command {
        Command::Migrate { .. } | Command::Serve | Command::Openapi => Ok(String::new()),
        Command::Export { dir, org, project } => {
            carry::export(client, &keeper(), org.as_deref(), project.as_deref(), &dir).await
        }
        Command::Import { dir, org, project, user } => {
            carry::import(&config, client, org.as_deref(), &user, &project, &dir).await
        }
        Command::Org { command: Org::Create { name, mode } } => {
            admin::create_org(client, &keeper(), &name, &mode).await
        }
        Command::Seal { command: Seal::Rotate { name } } => {
            keys::rotate(client, &keeper(), &name).await
        }
        Command::Seal { command: Seal::Rewrap { new_key_file, new_key_command } } => {
            let new = config::source(new_key_file, new_key_command, "PIMEM_SERVER_NEW_KEY");
            keys::rewrap(client, &keeper(), &Keeper::load(&new)).await
        }
        Command::Project { org, command } => match command {
            Project::Create { slug, visibility } => {
                admin::create_project(client, org.as_deref(), &slug, &visibility).await
            }
            Project::List => admin::list(client, org.as_deref(), admin::List::Projects).await,
        },
        Command::User { org, command } => match command {
            User::Create { name } => admin::create_user(client, org.as_deref(), &name).await,
            User::List => admin::list(client, org.as_deref(), admin::List::Users).await,
            User::Grant { name, role, project } => {
                let (role, project) = (role.right(), project.as_deref());
                admin::grant(client, org.as_deref(), &name, role, project).await
            }
        },
        Command::Key { org, command } => match command {
            KeyCommand::Create { user, scopes, projects, days } => {
                let scopes: Vec<Right> = scopes.iter().map(|scope| scope.right()).collect();
                let (org, user) = (org.as_deref(), user.as_str());
                let wanted =
                    keys::WantedKeys { org, user, scopes: &scopes, projects: &projects, days };
                keys::create(client, &wanted).await
            }
            KeyCommand::List => keys::list(client, org.as_deref()).await,
            KeyCommand::Revoke { key } => keys::revoke(client, org.as_deref(), &key).await,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_expires() {
        for (days, is_taken) in [("0", false), ("1", true), ("3650", true), ("3651", false)] {
            let read =
                Cli::try_parse_from(["pimem-server", "key", "create", "anna", "--days", days]);
            assert_eq!(read.is_ok(), is_taken, "{days}");
        }
    }
}
