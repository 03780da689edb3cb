//! The blocks of docs/recipes.md and docs/team.md that are no session of a shell: scripts of git, the
//! team's server, and files for GitHub and pre-commit. tests/it/cmd.rs runs the sessions.

use std::fs;

use crate::{
    common::{repository, sandbox::Sandbox, team::Team, write_program},
    sync_server::Machine,
};

const PAGES: [&str; 2] =
    [include_str!("../../docs/recipes.md"), include_str!("../../docs/team.md")];

/// Returns the block that follows a text.
fn block(after: &str) -> &'static str {
    let found = PAGES.into_iter().find_map(|page| page.split_once(after));
    let (_, rest) = found.unwrap_or_else(|| panic!("{after}"));
    let (_, block) = rest.split_once("```").unwrap();
    block.split_once("```").unwrap().0.split_once('\n').unwrap().1
}

/// Returns a repository with a store, and one of the recipes as a hook of git.
fn with_hook(name: &str) -> Sandbox {
    let sandbox = Sandbox::new("harbor");
    let project = sandbox.project();
    sandbox.git(&project, &["init", "-q"]);
    sandbox.git(&project, &["add", "."]);
    sandbox.git(&project, &["commit", "-q", "-m", "Start"]);
    let hook = project.join(".git/hooks").join(name);
    write_program(&hook, block(&format!("in `.git/hooks/{name}`:")));
    sandbox
}

#[test]
fn what_is_finished_is_kept() {
    let sandbox = with_hook("post-commit");
    for subject in ["feat: berths have names", "fix: a comma"] {
        sandbox.git(sandbox.project(), &["commit", "-q", "--allow-empty", "-m", subject]);
    }
    let done = sandbox.run(&["list", "-c", "done"]).ok();
    assert!(done.contains("berths have names") && !done.contains("a comma"), "{done}");
}

#[test]
fn faults_are_not_committed() {
    let sandbox = with_hook("pre-commit");
    let project = sandbox.project();
    fs::write(project.join("code"), "").unwrap();
    sandbox.git(&project, &["add", "code"]);
    sandbox.git(&project, &["commit", "-q", "-m", "Code"]);
    let text = sandbox.read("topics/lessons.md");
    sandbox.write("topics/lessons.md", format!("<<<<<<< HEAD\n{text}"));
    sandbox.git(&project, &["add", "."]);
    let refused = sandbox.try_git(&project, &["commit", "-q", "-m", "Half merged"]);
    assert_eq!(refused.code, 1, "{refused:?}");
    assert!(refused.stderr.contains("[conflict-marker]"), "{refused:?}");
}

#[test]
fn a_member_of_a_team_gets_in() {
    let team = Team::start();
    let machine = Machine::new(&team, "");
    machine.sandbox.run(&["add", "Piers are numbered from the west"]).ok();
    let script = block("Each member:")
        .replace("https://memory.example.org", &team.address)
        .replace("cat >", "echo anna-1 >")
        .replace("pimem sync\n", "pimem sync --yes\n");
    assert!(script.ends_with("pimem sync --yes\n"), "{script}");
    let said = machine.sandbox.shell(&format!("unset XDG_CONFIG_HOME\nset -e\n{script}")).done();
    assert!(said.contains("1 line and 1 event sent"), "{said}");
    assert!(team.held("project").contains("Piers"));
}

#[test]
fn the_action_and_the_hook_are_as_shown() {
    let read = |path: &str| fs::read_to_string(repository().join(path)).unwrap();
    let version = env!("CARGO_PKG_VERSION");
    let job = block("there is an action for it.");
    let (_, action) = job.split_once("uses: OWNER/pimem/").unwrap();
    let (path, rest) = action.split_once('@').unwrap();
    assert!(rest.starts_with(&format!("v{version}\n")), "{rest}");
    let action = read(&format!("{path}/action.yml"));
    let inputs =
        rest.split_once("with:").unwrap().1.lines().filter_map(|line| line.split_once(':'));
    let inputs: Vec<&str> = inputs.map(|(name, _)| name.trim()).collect();
    assert!(!inputs.is_empty());
    for input in inputs {
        assert!(action.contains(&format!("\n  {input}:\n    description:")), "{input}");
    }
    let hook = block("with [pre-commit](https://pre-commit.com)");
    assert!(hook.contains(&format!("rev: v{version}\n")), "{hook}");
    let ids: Vec<&str> =
        hook.split("id: ").skip(1).filter_map(|id| id.split_whitespace().next()).collect();
    assert_eq!(ids.len(), 2, "{hook}");
    for id in ids {
        assert!(read(".pre-commit-hooks.yaml").contains(&format!("- id: {id}\n")), "{id}");
    }
}
