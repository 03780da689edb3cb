//! The command line: parses the arguments, opens a memory, and runs the command.

use std::rc::Rc;

use clap::{Args as _, CommandFactory, FromArgMatches, Parser, Subcommand, error::ErrorKind};

use crate::{
    commands::{
        add, check, config, curate, decay, diff, doctor, dream, edit, encrypt, eval, export,
        extract, forecast, generate, handoff, hooks, import, init, list, merge_driver, model, note,
        observe, purge, read, rebuild, reflect, reinforce, report, score, search, session, show,
        stats, status, sync, telemetry, todo, topics, trust, undo, why,
    },
    complete,
    exit::Exit,
    globals::Globals,
    help, hook, mcp,
    shell::Shell,
    ui::{Color, Ui},
    usage,
};
use pimem_engine::{
    config::env::Env,
    error::{self, Failure},
    memory::stale,
};

/// The version, of a release with its commit, and the features.
macro_rules! version {
    () => {
        concat!(
            env!("CARGO_PKG_VERSION"),
            env!("PIMEM_COMMIT"),
            "\nfeatures: ",
            env!("PIMEM_FEATURES")
        )
    };
}

/// Memory for coding agents
///
/// pimem keeps short memories as markdown in the repository, scores them so that what is not
/// reinforced fades, finds them again, and prints a token-budgeted report for a prompt.
#[derive(Debug, Parser)]
#[command(name = "pimem", version = version!(), max_term_width = 100, arg_required_else_help = true)]
#[command(override_help = help::fitted(help::screen()))]
pub(crate) struct Cli {
    #[command(flatten)]
    globals: Globals,
    #[command(subcommand)]
    command: Command,
}

/// The single list of commands, from which both the parser and its fast path are generated.
macro_rules! commands {
    ($($variant:ident $name:literal $args:ty;)*) => {
        #[derive(Debug, Subcommand)]
        pub(crate) enum Command { $($variant($args),)* }

        /// The definition of one command, without the others.
        fn only(name: &str) -> Option<clap::Command> {
            match name {
                $($name => Some(<$args>::augment_args(clap::Command::new($name))),)*
                _ => None,
            }
        }
    };
}

commands! {
    Init "init" init::Args;
    Add "add" add::Args;
    Reinforce "reinforce" reinforce::Args;
    List "list" list::Args;
    Show "show" show::Args;
    Topics "topics" topics::Args;
    Search "search" search::Args;
    Report "report" report::Args;
    Why "why" why::Args;
    Forecast "forecast" forecast::Args;
    Diff "diff" diff::Args;
    Score "score" score::Args;
    Stats "stats" stats::Args;
    Decay "decay" decay::Args;
    Trust "trust" trust::Args;
    Handoff "handoff" handoff::Args;
    Hook "hook" hook::Args;
    Note "note" note::NoteArgs;
    Log "log" note::LogArgs;
    Todo "todo" todo::Args;
    Read "read" read::Args;
    Session "session" session::Args;
    Observe "observe" observe::Args;
    Reflect "reflect" reflect::Args;
    Extract "extract" extract::Args;
    Pin "pin" curate::PinArgs;
    Unpin "unpin" curate::UnpinArgs;
    Forget "forget" curate::ForgetArgs;
    Restore "restore" curate::RestoreArgs;
    Undo "undo" undo::Args;
    Purge "purge" purge::Args;
    Edit "edit" edit::Args;
    Encrypt "encrypt" encrypt::Args;
    Eval "eval" eval::Args;
    Dream "dream" dream::Args;
    Rebuild "rebuild" rebuild::Args;
    Export "export" export::Args;
    Import "import" import::Args;
    Sync "sync" sync::Args;
    Check "check" check::Args;
    Status "status" status::Args;
    Doctor "doctor" doctor::Args;
    MergeDriver "merge-driver" merge_driver::Args;
    Telemetry "telemetry" telemetry::Args;
    Hooks "hooks" hooks::Args;
    Mcp "mcp" mcp::Args;
    Config "config" config::Args;
    Model "model" model::Args;
    Completions "completions" generate::CompletionsArgs;
    Man "man" generate::ManArgs;
}

/// Runs the program on `args`, which begin with its name, and returns the exit code.
pub fn run(args: impl IntoIterator<Item = std::ffi::OsString>) -> u8 {
    let args: Vec<std::ffi::OsString> = args.into_iter().collect();
    // The most common call from scripts; it needs no parser.
    if let [_, flag] = args.as_slice()
        && (flag == "--version" || flag == "-V")
    {
        return version();
    }
    let env = Env::of_process();
    if hook::is_meant(&args) {
        return match hook::plain(&args).map_or_else(|| hook_of(&args), |call| Ok(Some(call))) {
            Ok(Some(call)) => hook::main(call, env),
            Ok(None) => 0,
            Err(error) => {
                usage(&args, &env, &error);
                hook::ignore_input();
                0
            }
        };
    }
    if complete::is_meant(&args) {
        return print(&complete::answer(&args, env, definition()));
    }
    if matches!(args.as_slice(), [_, help, all] if help == "help" && all == "--all") {
        return print(&help::fitted(help::everything(&definition())));
    }
    let cli = match parse(&args) {
        Ok(cli) => cli,
        Err(error) => return usage(&args, &env, &error),
    };
    let globals = cli.globals.clone();
    let color = globals.color.unwrap_or_default();
    let ui = Rc::new(Ui::new(&env, globals.json, globals.quiet, globals.verbose, color));
    if let Command::Mcp(args) = &cli.command {
        return match mcp::run(args, globals, env, &ui) {
            Ok(exit) => exit as u8,
            Err(failure) => {
                ui.failure(&failure);
                Exit::Error as u8
            }
        };
    }
    let made = Shell::new(globals, env, Rc::clone(&ui));
    let made = made.and_then(|ctx| {
        if ctx.asks_for_team_alone() && !reads_team(&cli.command) {
            let message = "this command is not about mirrors of the team";
            let hint = "--scope team is for list, show, search, report, why, forecast, score, stats, \
                        trust, status and doctor";
            return Err(Failure::new(error::Kind::Usage, message, hint));
        }
        Ok(ctx)
    });
    let mut ctx = match made {
        Ok(ctx) => ctx,
        Err(failure) => {
            ui.failure(&failure);
            return Exit::Error as u8;
        }
    };
    if let Some(name) = undone_as(&cli.command) {
        ctx.memory.begin_run(name);
    }
    if !matches!(cli.command, Command::Trust(_)) {
        ctx.say_withheld();
    }
    match cli.command {
        // These two report unusable settings among their findings.
        Command::Status(_) | Command::Doctor(_) => {}
        Command::Config(_) | Command::Trust(_) | Command::Hooks(_) => ctx.say_each_unusable(),
        _ => ctx.say_unusable(),
    }
    let done = dispatch(&ctx, &cli.command);
    if let Err(error) = ctx.ui.flush() {
        ui.failure(&unwritten(error));
        return Exit::Error as u8;
    }
    ctx.say_unnoted();
    ctx.say_closed();
    match done {
        Ok((exit, stale)) => {
            stale::refresh(&ctx, stale);
            exit as u8
        }
        Err(failure) => {
            ui.failure(&failure);
            Exit::Error as u8
        }
    }
}

/// Returns true for the commands that read mirrors.
fn reads_team(command: &Command) -> bool {
    matches!(
        command,
        Command::List(_)
            | Command::Show(_)
            | Command::Search(_)
            | Command::Report(_)
            | Command::Why(_)
            | Command::Forecast(_)
            | Command::Score(_)
            | Command::Stats(_)
            | Command::Trust(_)
            | Command::Status(_)
            | Command::Doctor(_)
    )
}

/// Returns the name of a command that `undo` can revert.
fn undone_as(command: &Command) -> Option<&'static str> {
    Some(match command {
        Command::Add(_) => "add",
        Command::Reinforce(_) => "reinforce",
        Command::Edit(_) => "edit",
        Command::Pin(_) => "pin",
        Command::Unpin(_) => "unpin",
        Command::Forget(args) if !args.destroys() => "forget",
        Command::Restore(_) => "restore",
        Command::Import(_) => "import",
        Command::Check(_) => "check --fix",
        Command::Dream(_) => "dream",
        Command::Decay(_) => "decay --apply",
        Command::Log(_) => "log",
        Command::Todo(_) => "todo",
        Command::Note(_) => "note",
        _ => return None,
    })
}

fn version() -> u8 {
    print(concat!("pimem ", version!(), "\n"))
}

fn print(text: &str) -> u8 {
    match std::io::Write::write_all(&mut std::io::stdout().lock(), text.as_bytes()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            let ui = Ui::new(&Env::of_process(), false, false, false, Color::Auto);
            ui.failure(&unwritten(error));
            Exit::Error as u8
        }
        _ => Exit::Done as u8,
    }
}

/// The exit code, and the stores whose index needs a refresh after the answer was printed.
pub(crate) type Outcome = (Exit, Vec<stale::Stale>);

/// Parses a hook call with options; `None` if it is not a hook call.
fn hook_of(args: &[std::ffi::OsString]) -> Result<Option<hook::Called>, clap::Error> {
    let Cli { globals, command } = parse(args)?;
    let Command::Hook(call) = command else { return Ok(None) };
    Ok(call.called(globals))
}

fn dispatch(ctx: &Shell, command: &Command) -> Result<Outcome, Failure> {
    let plain = |exit| (exit, Vec::new());
    match command {
        Command::Init(args) => init::run(ctx, args).map(plain),
        Command::Add(args) => add::run(ctx, args).map(plain),
        Command::Reinforce(args) => reinforce::run(ctx, args).map(plain),
        Command::List(args) => list::run(ctx, args).map(plain),
        Command::Show(args) => show::run(ctx, args).map(plain),
        Command::Topics(args) => topics::run(ctx, args).map(plain),
        Command::Search(args) => search::run(ctx, args),
        Command::Report(args) => report::run(ctx, args),
        Command::Why(args) => why::run(ctx, args).map(plain),
        Command::Forecast(args) => forecast::run(ctx, args).map(plain),
        Command::Diff(args) => diff::run(ctx, args).map(plain),
        Command::Score(args) => score::run(ctx, args).map(plain),
        Command::Stats(args) => stats::run(ctx, args).map(plain),
        Command::Decay(args) => decay::run(ctx, args).map(plain),
        Command::Trust(args) => trust::run(ctx, args).map(plain),
        Command::Handoff(args) => handoff::run(ctx, args).map(plain),
        // These are answered earlier, before anything else can fail.
        Command::Hook(_) | Command::Mcp(_) => Ok(plain(Exit::Done)),
        Command::Note(args) => note::note(ctx, args).map(plain),
        Command::Log(args) => note::log(ctx, args).map(plain),
        Command::Todo(args) => todo::run(ctx, args).map(plain),
        Command::Read(args) => read::run(ctx, args).map(plain),
        Command::Session(args) => session::run(ctx, args),
        Command::Observe(args) => observe::run(ctx, args).map(plain),
        Command::Reflect(args) => reflect::run(ctx, args).map(plain),
        Command::Extract(args) => extract::run(ctx, args).map(plain),
        Command::Pin(args) => curate::pin(ctx, args).map(plain),
        Command::Unpin(args) => curate::unpin(ctx, args).map(plain),
        Command::Forget(args) => curate::forget(ctx, args),
        Command::Restore(args) => curate::restore(ctx, args).map(plain),
        Command::Undo(args) => undo::run(ctx, args).map(plain),
        Command::Purge(args) => purge::run(ctx, args),
        Command::Edit(args) => edit::run(ctx, args).map(plain),
        Command::Encrypt(args) => encrypt::run(ctx, args).map(plain),
        Command::Eval(args) => eval::run(ctx, args).map(plain),
        Command::Dream(args) => dream::run(ctx, args).map(plain),
        Command::Rebuild(args) => rebuild::run(ctx, args).map(plain),
        Command::Export(args) => export::run(ctx, args),
        Command::Import(args) => import::run(ctx, args).map(plain),
        Command::Sync(args) => sync::run(ctx, args),
        Command::Check(args) => check::run(ctx, args).map(plain),
        Command::Status(args) => status::run(ctx, args).map(plain),
        Command::Doctor(args) => doctor::run(ctx, args).map(plain),
        Command::MergeDriver(args) => merge_driver::run(ctx, args).map(plain),
        Command::Telemetry(args) => telemetry::run(ctx, args).map(plain),
        Command::Hooks(args) => hooks::run(ctx, args).map(plain),
        Command::Config(args) => config::run(ctx, args).map(plain),
        Command::Model(args) => model::run(ctx, args).map(plain),
        Command::Completions(args) => Ok(plain(generate::completions(ctx, args, definition()))),
        Command::Man(args) => generate::man(ctx, args, definition()).map(plain),
    }
}

/// Returns the definition from which parser, help, completions and man pages are made.
pub(crate) fn definition() -> clap::Command {
    Cli::command()
}

/// Parses the arguments. Defining all commands with all options takes longer than most commands
/// run, so the named command is tried alone first. If that fails, the full definition decides.
fn parse(args: &[std::ffi::OsString]) -> Result<Cli, clap::Error> {
    let named = args.get(1).and_then(|name| only(name.to_str()?));
    if let Some(command) = named {
        let alone = Globals::augment_args(clap::Command::new("pimem"));
        let alone = alone.subcommand(command).disable_help_subcommand(true);
        if let Ok(matches) = alone.try_get_matches_from(args) {
            return Cli::from_arg_matches(&matches);
        }
    }
    Cli::from_arg_matches(&definition().try_get_matches_from(args)?)
}

/// Returns the failure of a write to standard output.
fn unwritten(error: std::io::Error) -> Failure {
    Failure::from(anyhow::Error::new(error).context("cannot write to standard output"))
}

/// Prints help and version to stdout with exit code 0, usage errors to stderr with exit code 2.
fn usage(args: &[std::ffi::OsString], env: &Env, error: &clap::Error) -> u8 {
    let json = args.iter().any(|arg| arg == "--json");
    let is_help = error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
    if error.use_stderr() && (json || !is_help) {
        let ui = Ui::new(env, json, false, false, usage::color(args));
        ui.failure(&usage::failure(args, error, definition()));
        return Exit::Error as u8;
    }
    // clap has rules of its own for colour; these are those of everything else that is printed.
    let ui = Ui::new(env, json, false, false, usage::color(args));
    let (text, to_stderr) = (error.render(), error.use_stderr());
    let colored = if to_stderr { ui.has_colored_messages() } else { ui.is_colored() };
    let text = if colored { text.ansi().to_string() } else { text.to_string() };
    if to_stderr {
        ui.message_text(&text);
        return Exit::Error as u8;
    }
    print(&text)
}

#[cfg(test)]
mod tests {
    use clap::Args as _;

    use super::{Globals, help};

    #[test]
    fn the_definition_is_sound() {
        super::definition().debug_assert();
    }

    /// clap would take the value of one option for the other.
    #[test]
    fn no_argument_has_the_name_of_a_global_one() {
        let globals = Globals::augment_args(clap::Command::new("pimem"));
        let mut waiting: Vec<clap::Command> =
            super::definition().get_subcommands().cloned().collect();
        while let Some(command) = waiting.pop() {
            waiting.extend(command.get_subcommands().cloned());
            for arg in command.get_arguments().filter(|arg| !arg.is_global_set()) {
                let known = globals.get_arguments().any(|global| global.get_id() == arg.get_id());
                assert!(!known, "{}: {}", command.get_name(), arg.get_id());
            }
        }
    }

    #[test]
    fn a_command_alone_is_the_command() {
        let whole = super::definition();
        for command in whole.get_subcommands() {
            let alone = super::only(command.get_name()).expect("in the list");
            let ids = |command: &clap::Command| -> Vec<String> {
                command.get_arguments().map(|arg| format!("{arg:?}")).collect()
            };
            assert_eq!(ids(command), ids(&alone), "{}", command.get_name());
        }
    }

    #[test]
    fn every_command_is_on_the_whole_list_once() {
        let definition = super::definition();
        let all = help::everything(&definition);
        for name in help::everyday() {
            assert!(definition.find_subcommand(name).is_some(), "{name}");
            assert_eq!(help::everyday().filter(|known| *known == name).count(), 1, "{name}");
        }
        for command in definition.get_subcommands().filter(|command| !command.is_hide_set()) {
            let name = command.get_name();
            let listed = all.lines().any(|line| line.starts_with(&format!("    {name} ")));
            assert!(listed != help::everyday().any(|known| known == name), "{name}\n{all}");
        }
        assert!(all.contains("--scope"), "{all}");
    }

    #[test]
    fn what_is_meant() {
        let definition = super::definition();
        for (word, want) in [
            ("remember", "add"),
            ("find", "search"),
            ("serach", "search"),
            ("delete", "forget"),
            ("ad", "add"),
            ("lst", "list"),
            ("stauts", "status"),
            ("Explain", "why"),
            ("settings", "config"),
            ("hook-install", ""),
            ("xyzzy", ""),
        ] {
            let found = help::suggestions(word, &definition);
            assert_eq!(found.first().map_or("", String::as_str), want, "{word}: {found:?}");
        }
        for (name, words) in help::MEANINGS {
            assert!(definition.find_subcommand(name).is_some(), "{name}");
            let is_command =
                |word: &str| definition.get_subcommands().any(|c| c.get_name() == word);
            assert!(!words.split(' ').any(is_command), "{words}");
        }
    }
}
