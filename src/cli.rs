//! The command line: parses the arguments, opens a memory, and runs the command.

use std::rc::Rc;

use clap::{Args as _, CommandFactory, FromArgMatches, Parser, Subcommand, error::ErrorKind};
use pimem_engine::{
    config::env::Env,
    error::{self, Failure},
    memory::background,
};

use crate::{
    commands::{
        add, check, config, curate, dream, edit, encrypt, export, extract, generate, handoff,
        hooks, import, init, list, merge_driver, model, note, observe, rebuild, reinforce, report,
        search, status, sync, telemetry, todo, trust, undo, why,
    },
    complete,
    globals::Globals,
    help::{self, Group, HelpLine, Row, UnusableNotice},
    hook, mcp,
    shell::{Exit, Outcome, Shell},
    ui::{self, Color, Ui},
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
#[command(override_help = help::fitted(help::screen(GROUPS, "")))]
pub(crate) struct Cli {
    #[command(flatten)]
    globals: Globals,
    #[command(subcommand)]
    command: Command,
}

/// Makes of the table of commands the parser, its fast path, the help screens and the dispatch.
macro_rules! commands {
    ($($group:literal { $($about:literal {
        $($variant:ident $name:literal $args:ty, $run:path $({ $($key:ident: $value:expr),* })?;)*
    })* })* hidden { $($unseen:ident $unseen_name:literal $unseen_args:ty, $unseen_run:path;)* }) => {
        #[derive(Debug, Subcommand)]
        enum Command {
            $($($($variant($args),)*)*)*
            $(#[command(hide = true)] $unseen($unseen_args),)*
        }

        /// The definition of one command, without the others.
        fn only(name: &str) -> Option<clap::Command> {
            match name {
                $($($($name => Some(<$args>::augment_args(clap::Command::new($name))),)*)*)*
                $($unseen_name => Some(<$unseen_args>::augment_args(clap::Command::new($unseen_name))),)*
                _ => None,
            }
        }

        const GROUPS: &[Group] = &[$(Group { title: $group, lines: &[$(HelpLine {
            about: $about,
            commands: &[$(Row { $($($key: $value,)*)? ..Row::named($name) },)*],
        },)*] },)*];

        impl Command {
            fn row(&self) -> &'static Row {
                match self {
                    $($($(Self::$variant(_) => const {
                        &Row { $($($key: $value,)*)? ..Row::named($name) }
                    },)*)*)*
                    $(Self::$unseen(_) => const { &Row::named($unseen_name) },)*
                }
            }

            fn run(&self, ctx: &Shell) -> Result<Outcome, Failure> {
                match self {
                    $($($(Self::$variant(args) => $run(ctx, args).map(Outcome::from),)*)*)*
                    $(Self::$unseen(args) => $unseen_run(ctx, args).map(Outcome::from),)*
                }
            }
        }
    };
}

commands! {
    "remember" {
        "Remember something: pimem add -c lesson TEXT" {
            Add "add" add::AddArgs, add::run
                { undone_as: Some("add"),
                  words: "remember save store memorize memorise new create put insert keep" };
        }
        "It proved right; say it in other words" {
            Reinforce "reinforce" reinforce::ReinforceArgs, reinforce::run
                { undone_as: Some("reinforce"), words: "confirm upvote approve strengthen helpful" };
            Edit "edit" edit::EditArgs, edit::run
                { undone_as: Some("edit"), words: "change update modify rewrite reword amend replace" };
        }
        "Keep it for ever; let it fade again" {
            Pin "pin" curate::PinArgs, curate::pin
                { undone_as: Some("pin"), words: "always forever" };
            Unpin "unpin" curate::UnpinArgs, curate::unpin { undone_as: Some("unpin") };
        }
        "Drop it from reports; bring it back" {
            Forget "forget" curate::ForgetArgs, curate::forget
                { undone_as: Some("forget"),
                  words: "delete del drop discard erase rm remove destroy shred wipe" };
            Restore "restore" curate::RestoreArgs, curate::restore
                { undone_as: Some("restore"), words: "recover unforget undelete" };
        }
        "Take back the last change" {
            Undo "undo" undo::UndoArgs, undo::run { words: "revert rollback back" };
        }
    }
    "find" {
        "Find by words and meaning: pimem search WORDS" {
            Search "search" search::SearchArgs, search::run
                { reads_team: true,
                  words: "find grep query lookup look ask recall retrieve rg where" };
        }
        "List entries with their state" {
            List "list" list::ListArgs, list::run
                { reads_team: true, words: "all entries memories dir ls" };
        }
        "Why an entry is shown to agents, or is not" {
            Why "why" why::WhyArgs, why::run
                { reads_team: true, words: "explain reason cat view display get" };
        }
        "What an agent is told" {
            Report "report" report::ReportArgs, report::run
                { reads_team: true, words: "context inject prompt brief" };
        }
    }
    "the day" {
        "Today's log, a checklist, long-term notes" {
            Log "log" note::LogArgs, note::log
                { undone_as: Some("log"), words: "journal diary daily today" };
            Todo "todo" todo::TodoArgs, todo::run
                { undone_as: Some("todo"), words: "task tasks checklist scratchpad" };
            Note "note" note::NoteArgs, note::note
                { undone_as: Some("note"), words: "notes memo" };
        }
        "What the next session should start from" {
            Handoff "handoff" handoff::HandoffArgs, handoff::run { words: "handover" };
        }
    }
    "tend" {
        "Everything on one screen; find what is wrong" {
            Status "status" status::StatusArgs, status::run
                { reads_team: true, unusable: UnusableNotice::Finding, words: "info state overview" };
            Check "check" check::CheckArgs, check::run
                { reads_team: true, undone_as: Some("check --fix"), unusable: UnusableNotice::Finding,
                  words: "lint validate verify diagnose repair fix" };
        }
        "Review what waits, as after a git pull" {
            Trust "trust" trust::TrustArgs, trust::run
                { reads_team: true, unusable: UnusableNotice::Each, words: "review accept" };
        }
        "Merge, archive and learn; rescore and reindex" {
            Dream "dream" dream::DreamArgs, dream::run
                { undone_as: Some("dream"), words: "consolidate compact tidy clean" };
            Rebuild "rebuild" rebuild::RebuildArgs, rebuild::run
                { words: "reindex index refresh rescore" };
        }
        "Which memories were used" {
            Telemetry "telemetry" telemetry::TelemetryArgs, telemetry::run { words: "usage metrics" };
        }
    }
    "agents" {
        "Have agents call pimem: pimem hooks install" {
            Hooks "hooks" hooks::HooksArgs, hooks::run
                { unusable: UnusableNotice::Each,
                  words: "install agents agent connect integrate claude codex cursor gemini plugin" };
        }
        "Serve clients of the Model Context Protocol" {
            Mcp "mcp" mcp::McpArgs, answered { words: "serve server tools" };
        }
    }
    "move" {
        "Exchange with another store, or with a team" {
            Sync "sync" sync::SyncArgs, sync::run
                { words: "push pull fetch share team upload download" };
        }
        "From and to other programs" {
            Import "import" import::ImportArgs, import::run
                { undone_as: Some("import"), words: "load" };
            Export "export" export::ExportArgs, export::run { words: "dump backup" };
        }
    }
    "set up" {
        "Make a store; show or change settings" {
            Init "init" init::InitArgs, init::run { words: "start begin setup" };
            Config "config" config::ConfigArgs, config::run
                { unusable: UnusableNotice::Each,
                  words: "settings setting set configure options preferences" };
        }
        "Models of semantic search; encrypt a store" {
            Model "model" model::ModelArgs, model::run { words: "models embedding embeddings" };
            Encrypt "encrypt" encrypt::EncryptArgs, encrypt::run { words: "seal decrypt key" };
        }
        "The shell's Tab key" {
            Completions "completions" generate::CompletionsArgs, generate::completions
                { words: "complete completion" };
        }
    }
    // Machines call these, and one agent's notes name the last three so.
    hidden {
        Hook "hook" hook::HookArgs, answered;
        MergeDriver "merge-driver" merge_driver::MergeDriverArgs, merge_driver::run;
        Man "man" generate::ManArgs, man;
        Observe "observe" observe::ObserveArgs, observe::run;
        Reflect "reflect" observe::ReflectArgs, observe::reflect;
        Extract "extract" extract::ExtractArgs, extract::run;
    }
}

/// Stands for commands that are answered before anything else can fail.
#[expect(clippy::unnecessary_wraps, reason = "as the other commands")]
fn answered<A>(_: &Shell, _: &A) -> Result<Exit, Failure> {
    Ok(Exit::Done)
}

fn man(ctx: &Shell, args: &generate::ManArgs) -> Result<Exit, Failure> {
    generate::man(ctx, args, definition())
}

/// Runs the program on `args`, which begin with its name, and returns the exit code.
pub fn run(args: impl IntoIterator<Item = std::ffi::OsString>) -> u8 {
    let args: Vec<std::ffi::OsString> = args.into_iter().collect();
    // The most common call from scripts; it needs no parser.
    if let [_, flag] = args.as_slice()
        && (flag == "--version" || flag == "-V")
    {
        return print(concat!("pimem ", version!(), "\n"));
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
        return print(&help::fitted(help::everything(GROUPS)));
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
    let row = cli.command.row();
    let made = Shell::new(globals, env, Rc::clone(&ui));
    let made = made.and_then(|ctx| {
        if ctx.memory.sharing().asks_for_team_alone() && !row.reads_team {
            let message = "this command is not about mirrors of the team";
            let readers = help::rows(GROUPS).filter(|row| row.reads_team).map(|row| row.name);
            let hint = format!("--scope team is for {}", readers.collect::<Vec<_>>().join(", "));
            return Err(Failure::new(error::FailureKind::Usage, message, hint));
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
    let is_final = match &cli.command {
        Command::Forget(args) => args.destroys(),
        Command::Dream(args) => args.is_apart(),
        _ => false,
    };
    if let Some(name) = row.undone_as.filter(|_| !is_final) {
        ctx.memory.begin_run(name);
    }
    if !matches!(cli.command, Command::Trust(_)) {
        ctx.memory.say_withheld();
    }
    match row.unusable {
        UnusableNotice::Finding => {}
        UnusableNotice::Each => ctx.memory.say_each_unusable(),
        UnusableNotice::InShort => ctx.memory.say_unusable(),
    }
    let done = cli.command.run(&ctx);
    if let Err(error) = ctx.ui.flush() {
        ui.failure(&unwritten(error));
        return Exit::Error as u8;
    }
    ctx.memory.say_unnoted();
    ctx.memory.say_closed();
    match done {
        Ok((exit, stale)) => {
            background::refresh(&ctx.memory, stale);
            exit as u8
        }
        Err(failure) => {
            ui.failure(&failure);
            Exit::Error as u8
        }
    }
}

fn print(text: &str) -> u8 {
    let Err(error) = ui::print(text) else { return Exit::Done as u8 };
    let ui = Ui::new(&Env::of_process(), false, false, false, Color::Auto);
    ui.failure(&unwritten(error));
    Exit::Error as u8
}

/// Parses a hook call with options; `None` if it is not a hook call.
fn hook_of(args: &[std::ffi::OsString]) -> Result<Option<hook::Called>, clap::Error> {
    let Cli { globals, command } = parse(args)?;
    let Command::Hook(call) = command else { return Ok(None) };
    Ok(call.called(globals))
}

/// Returns the definition from which parser, help, completions and man pages are made.
pub(crate) fn definition() -> clap::Command {
    Cli::command()
}

/// Parses the arguments. Defining all commands with all options takes longer than most commands
/// run, so the named command is tried alone first. If that fails, the full definition decides.
fn parse(args: &[std::ffi::OsString]) -> Result<Cli, clap::Error> {
    let args = &without_bullets(args);
    let named = args.get(1).and_then(|name| only(name.to_str()?));
    if let Some(command) = named {
        let alone = Globals::augment_args(clap::Command::new("pimem"));
        let alone = alone.subcommand(command).disable_help_subcommand(true);
        if let Ok(matches) = alone.try_get_matches_from(args) {
            return Cli::from_arg_matches(&matches);
        }
    }
    Cli::from_arg_matches(&help::brief(definition()).try_get_matches_from(args)?)
}

/// Takes the dash off a line of a list, and hides that of a whole list: they are no options.
fn without_bullets(args: &[std::ffi::OsString]) -> Vec<std::ffi::OsString> {
    let mut is_value = false;
    let plain = args.iter().map(|arg| {
        let text = arg.to_str().filter(|_| !is_value).and_then(|text| text.strip_prefix("- "));
        is_value = arg.as_encoded_bytes().starts_with(b"-") && text.is_none();
        match text {
            Some(list) if list.contains('\n') => format!("\n- {list}").into(),
            Some(line) => line.into(),
            None => arg.clone(),
        }
    });
    plain.collect()
}

/// Returns the failure of a write to standard output.
fn unwritten(error: std::io::Error) -> Failure {
    Failure::from(anyhow::Error::new(error).context("cannot write to standard output"))
}

/// Returns what comes first, for the first screen; nothing where an agent calls pimem.
fn first_step() -> &'static str {
    let env = Env::of_process();
    let ui = Rc::new(Ui::new(&env, false, true, false, Color::Never));
    let agents =
        Shell::new(Globals::default(), env, ui).and_then(|ctx| hooks::status::installed(&ctx));
    let is_called = agents.map_or(true, |agents| !agents.is_empty());
    if is_called { "" } else { "No agent calls it: pimem hooks install\n" }
}

/// Prints help and version to stdout with exit code 0, usage errors to stderr with exit code 2.
fn usage(args: &[std::ffi::OsString], env: &Env, error: &clap::Error) -> u8 {
    let definition = help::built(definition());
    let words = help::CallWords::of(&definition, args);
    let ui = Ui::new(env, words.json(), false, false, words.color());
    let is_help = error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
    if error.use_stderr() && (words.json() || !is_help) {
        ui.failure(&words.failure(error, GROUPS));
        return Exit::Error as u8;
    }
    // clap has rules of its own for colour; these are those of everything else that is printed.
    let (text, to_stderr) = (error.render(), error.use_stderr());
    let colored = if to_stderr { ui.has_colored_messages() } else { ui.is_colored() };
    let text = if colored { text.ansi().to_string() } else { text.to_string() };
    let is_screen = words.names_no_command() && error.kind() != ErrorKind::DisplayVersion;
    let text = if is_screen { help::fitted(help::screen(GROUPS, first_step())) } else { text };
    if to_stderr {
        ui.message_text(&text);
        return Exit::Error as u8;
    }
    print(&text)
}

#[cfg(test)]
mod tests {
    use clap::Args as _;

    use super::{GROUPS, Globals, help};

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
    fn every_command_is_on_the_screen() {
        let all = help::everything(GROUPS);
        let rows: Vec<&str> = help::rows(GROUPS).map(|row| row.name).collect();
        for command in super::definition().get_subcommands() {
            let name = command.get_name();
            let words = all.split(|c: char| c.is_whitespace() || c == ',');
            assert!(
                command.is_hide_set() || words.clone().any(|word| word == name),
                "{name}\n{all}"
            );
            assert_ne!(command.is_hide_set(), rows.contains(&name), "{name}");
        }
        assert!(rows.len() <= 32, "a new command takes the place of another: {rows:?}");
        assert!(all.contains("--scope"), "{all}");
    }

    #[test]
    fn the_first_screen_is_one_screen() {
        let screen = help::screen(GROUPS, "");
        assert!(screen.lines().count() <= 32, "{screen}");
        assert!(screen.lines().all(|line| line.chars().count() <= 80), "{screen}");
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
            ("rm", "forget"),
            ("hook-install", ""),
            ("xyzzy", ""),
        ] {
            let found = help::suggestions(GROUPS, word, &definition);
            assert_eq!(found.first().map_or("", String::as_str), want, "{word}: {found:?}");
        }
        for row in help::rows(GROUPS) {
            let is_command =
                |word: &str| definition.get_subcommands().any(|c| c.get_name() == word);
            assert!(!row.words.split(' ').any(is_command), "{}", row.words);
        }
    }
}
