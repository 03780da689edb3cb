//! The Tab key: what the program answers to the shells' completion scripts, and what bash, zsh and
//! fish make of it on a terminal.

use std::{fs, path::Path, process::Command};

use crate::common::{
    repository,
    sandbox::{Outcome, PIMEM, Sandbox, outcome},
    without_program,
};

/// A store with an entry in each of some states.
fn store() -> Sandbox {
    let sandbox = Sandbox::new("empty");
    sandbox.run(&["init"]).ok();
    sandbox.run(&["add", "-c", "lesson", "Use %F{red}tabs: in makefiles"]).done();
    sandbox.run(&["add", "-c", "preference", "--pin", "Rye bread, never toast #baking"]).done();
    sandbox.run(&["add", "-c", "decision", "The bus is NATS"]).done();
    sandbox.run(&["forget", "NATS"]).done();
    sandbox.run(&["add", "-c", "lesson", "Archived lines are gone"]).done();
    sandbox.run(&["forget", "--archive", "Archived lines"]).done();
    sandbox.run(&["log", "Something happened"]).done();
    sandbox
}

fn ask(sandbox: &Sandbox, line: &str) -> Outcome {
    let mut args = vec!["__complete"];
    args.extend(line.split(' '));
    let done = sandbox.run(&args);
    assert_eq!((done.code, done.stderr.as_str()), (0, ""), "{line:?}");
    done
}

/// Returns the values that are offered at the end of a line, with single spaces between them.
fn values(sandbox: &Sandbox, line: &str) -> String {
    let answer = ask(sandbox, line).stdout;
    let values: Vec<&str> =
        answer.lines().map(|line| line.split('\t').next().unwrap_or_default()).collect();
    values.join(" ")
}

const TABS: &str = "eb29a3d";
const RYE: &str = "7ae799b";
const NATS: &str = "3c73d4a";
const GONE: &str = "64fd5c1";

#[test]
fn values_at_the_end_of_a_line() {
    let sandbox = store();
    let ids = [TABS, RYE, NATS, GONE];
    let [tabs, rye, nats, gone] = ids;
    let wanted: &[(&str, &str)] = &[
        ("pimem li", "list"),
        ("pimem re", "reinforce restore report rebuild"),
        ("pimem list -c l", "lesson"),
        ("pimem list --category=dec", "--category=decision"),
        ("pimem add -cmi", "-cmistake"),
        (
            "pimem list --state ",
            "active provisional candidate dropped fresh pinned unreviewed secret forgotten expired replaced merged unset archived",
        ),
        ("pimem list --tag ba", "baking"),
        ("pimem list --topic ", "preferences lessons decisions"),
        ("pimem search --in topics,no", "topics,notes"),
        ("pimem add --supersedes ", &format!("{rye} {tabs}")),
        ("pimem why ", &format!("{rye} {tabs}")),
        (&format!("pimem why {}", &tabs[..3]), tabs),
        ("pimem why zzz", ""),
        ("pimem pin ", tabs),
        ("pimem unpin ", rye),
        ("pimem forget ", &format!("{rye} {tabs}")),
        ("pimem restore ", &format!("{gone} {nats}")),
        ("pimem trust ", &values(&sandbox, "pimem trust --")),
        ("pimem config get dream.int", "dream.intervalHours"),
        ("pimem config set scoring.policy ", "stability weighted ebbinghaus"),
        ("pimem config set report.fill ", "true false"),
        ("pimem config set embedding.model st", "static"),
        ("pimem --quiet model use n", "none"),
        ("pimem hooks install cla", "claude"),
        ("pimem help model u", "use"),
        ("pimem man tele", "telemetry"),
        ("pimem log --date ", "2026-06-30"),
        ("pimem todo ", "add done undo clear"),
        ("pimem --dir ", ":directories"),
        ("pimem export jsonl --output=x", ":files"),
        ("pimem search --ex", "--explain"),
        ("pimem add tabs", ""),
        ("pimem --user why ", ""),
        ("pimem --dir /nonexistent why ", ""),
        ("pimem --dir /nonexistent config get dream.int", "dream.intervalHours"),
        ("pimem nonsense ", &values(&sandbox, "pimem ")),
    ];
    for (line, want) in wanted {
        assert_eq!(values(&sandbox, line), *want, "{line:?}");
    }
    let described = ask(&sandbox, "pimem unpin ").stdout;
    assert_eq!(described, format!("{rye}\t[preference] Rye bread, never toast #baking\n"));
}

/// Texts from elsewhere are no descriptions, and what a shell would act on is no value.
#[test]
fn stores_from_elsewhere() {
    let sandbox = Sandbox::cloned("hand-written");
    sandbox.plant("topics/a$(id).md", "- [lesson] From a file with a name\n");
    sandbox.plant("topics/b.md", "- [lesson] \u{1b}[31mRed \u{202e}text\n");
    let own = Sandbox::new("empty");
    own.run(&["init"]).ok();
    own.plant("topics/c.md", "- [lesson] \u{1b}[31mRed\u{7} and \u{202e}backwards\n");
    for sandbox in [&sandbox, &own] {
        let before = sandbox.everything();
        for line in
            ["pimem why ", "pimem restore ", "pimem trust ", "pimem list --topic ", "pimem "]
        {
            let answer = ask(sandbox, line).stdout;
            let hazard = |c: char| c.is_control() && !"\t\n".contains(c) || c == '\u{202e}';
            assert!(!answer.contains(hazard) && !answer.contains('$'), "{line}: {answer:?}");
        }
        assert_eq!(sandbox.everything(), before, "nothing is written");
    }
    let answer = ask(&sandbox, "pimem why ").stdout;
    assert!(answer.lines().count() > 2, "{answer}");
    assert!(answer.lines().all(|line| line.ends_with("\t(unreviewed)")), "{answer}");
    assert_eq!(values(&sandbox, "pimem trust "), values(&sandbox, "pimem why "));
}

/// Whatever is broken costs its own values at most, and nothing is said.
#[test]
fn what_is_broken_is_quiet() {
    let (none, broken) = (Sandbox::new("empty"), store());
    broken.configure("{ not JSON");
    fs::write(broken.path("evidence.jsonl"), [0xff, 0, b'\n']).unwrap();
    fs::remove_dir_all(broken.path("topics")).unwrap();
    fs::write(broken.path("topics"), "a file").unwrap();
    fs::remove_dir_all(broken.path("archive")).unwrap();
    fs::write(broken.path("archive"), "a file").unwrap();
    let sealed = store();
    sealed.run(&["encrypt", "init"]).done();
    fs::remove_dir_all(sealed.root().join("config")).unwrap();
    for sandbox in [&none, &broken, &sealed] {
        for line in ["pimem why ", "pimem restore ", "pimem list --topic ", "pimem log --date "] {
            assert!(!ask(sandbox, line).stdout.contains("NATS"), "{line}");
        }
        assert_eq!(values(sandbox, "pimem list -c less"), "lesson");
        assert_eq!(values(sandbox, "pimem config get dream.int"), "dream.intervalHours");
    }
    let mut strange = none.command(&["__complete"]);
    strange.env("PIMEM_NOW", "nonsense").args(["pimem", "model", "use", "no"]);
    let done = outcome(strange);
    assert_eq!((done.code, done.stderr.as_str()), (0, ""));
    assert_eq!(none.run(&["__complete"]).code, 0);
}

/// Keys typed into a shell, and a pattern of what the terminal then shows.
type Typed<'a> = &'a [(&'a str, &'a str)];

/// Types into a shell that has the completions of `pimem completions`. `rc` is read at its start,
/// and sets a prompt that says READY.
fn typed(shell: &str, options: &[&str], rc: &str, cases: Typed<'_>) {
    if without_program(shell, "--version") || without_program("python3", "--version") {
        return;
    }
    let sandbox = store();
    let here = |name: &str| sandbox.project().join(name);
    fs::write(here("_pimem"), sandbox.run(&["completions", shell]).ok()).unwrap();
    fs::write(here(".zshrc"), rc).unwrap();
    fs::create_dir(here("dir-of-files")).unwrap();
    for (keys, pattern) in cases {
        let mut command = Command::new("python3");
        sandbox.place(&mut command);
        let programs = Path::new(PIMEM).parent().unwrap().display();
        command.env("PATH", format!("{programs}:/usr/bin:/bin")).env("TERM", "xterm");
        command.env("ZDOTDIR", sandbox.project());
        command.arg(repository().join("tests/it/common/tab.py")).args([pattern, keys]);
        command.arg(shell).args(options);
        let done = outcome(command);
        assert_eq!(done.code, 0, "{shell}, {keys:?}: {}{}", done.stdout, done.stderr);
    }
}

/// What all three shells do.
const EVERYWHERE: Typed<'_> = &[
    (r"pimem rei\t", "reinforce "),
    (r"pimem list --state=pro\t", "--state=provisional "),
    (r"pimem list -c dec\t", "decision "),
    (r"pimem config set embedding.ba\t", "embedding.background "),
    (r"pimem hooks install open\t", "opencode "),
    (r"pimem model use stat\t", "static "),
    (r"pimem list --topic les\t", "lessons "),
    (r"pimem --dir dir\t", "dir-of-files"),
    (r"pimem --dir=dir\t", "--dir=dir-of-files"),
    (r"pimem why 7ae\t", "7ae799b "),
    // What follows the cursor does not count, and neither does another command before.
    (r"true; pimem list --sort=sc\t", "--sort=score "),
    ("pimem \"--qui\\t", "--quiet"),
];

#[test]
fn bash() {
    let rc = "source _pimem; bind 'set show-all-if-ambiguous on'; PS1='READY '";
    let options = ["--noprofile", "--rcfile", ".zshrc", "-i"];
    typed("bash", &options, rc, EVERYWHERE);
    typed(
        "bash",
        &options,
        rc,
        &[(r"pimem why \t", r"eb29a3d +\[lesson\] Use %F\{red\}tabs: in makefiles")],
    );
}

#[test]
fn zsh() {
    let rc = "fpath=($PWD $fpath); autoload -U compinit; compinit -u -D; PS1='READY '";
    let options = ["-d", "-i"];
    typed("zsh", &options, rc, EVERYWHERE);
    let described = r"eb29a3d +-- \[lesson\] Use %F\{red\}tabs: in makefiles";
    typed("zsh", &options, rc, &[(r"pimem why \t", described)]);
}

#[test]
fn fish() {
    let rc = "source _pimem; function fish_prompt; echo 'READY '; end";
    let options = ["--no-config", "-i", "-C", rc];
    typed("fish", &options, rc, EVERYWHERE);
    let described = r"eb29a3d +\(\[lesson\] Use %F\{red\}tabs: in makefiles\)";
    typed("fish", &options, rc, &[(r"pimem why \t", described)]);
}
