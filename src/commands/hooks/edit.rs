//! `pimem hooks install` and `uninstall`: edit settings files one by one.

use pimem_core::{
    markdown::patch::{self, Pair},
    score::ranking::Scope,
};
use pimem_engine::{
    error::{Failure, FailureKind},
    memory::Effect,
    store::{
        LockError,
        foreign_file::{Editor, ForeignChange},
    },
};

use super::{HookEditArgs, Site};
use crate::{
    agents::{
        Content, InstallReach, MARK,
        settings::{self, Without},
    },
    commands::{
        hooks::{
            self,
            status::{EditedFile, EditedSettings},
        },
        import,
    },
    shell::{Exit, Shell},
    ui::{Human, Ui},
};

/// Lines of context shown around a change.
const AROUND: usize = 2;

/// What becomes of hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SettingsEdit {
    Install,
    Uninstall,
}

impl SettingsEdit {
    fn name(self) -> &'static str {
        match self {
            Self::Install => "install",
            Self::Uninstall => "uninstall",
        }
    }
}

pub(crate) fn run(ctx: &Shell, args: &HookEditArgs, act: SettingsEdit) -> Result<Exit, Failure> {
    let agreed = args.chosen.required(ctx, act.name())?;
    let reach = args.chosen.scope.reach(ctx)?;
    let has_plugin = |agent| hooks::plugin(ctx, agent).is_some();
    let works = |agent| hooks::plugin_works(ctx, agent);
    let named = |agent| match act {
        SettingsEdit::Install => hooks::is_present(ctx, agent) && !works(agent),
        SettingsEdit::Uninstall => {
            hooks::sites(ctx, agent, reach).is_ok_and(|sites| sites.iter().any(is_held))
        }
    };
    let agents = if agreed.is_empty() { args.chosen.agents(named) } else { agreed };
    let left_out =
        hooks::real().filter(|agent| act == SettingsEdit::Install && !agents.contains(agent));
    let mut is_any_left_out = false;
    for agent in left_out.filter(|agent| args.chosen.is_all() && works(*agent)) {
        is_any_left_out = true;
        ctx.ui.note(&format!("{} is left out: its plugin calls pimem", agent.name()));
    }
    match act {
        SettingsEdit::Install if agents.is_empty() && is_any_left_out => {}
        SettingsEdit::Install if agents.is_empty() => {
            let note = "no agent that pimem knows is used here; name one to install for it anyway";
            ctx.ui.note(note);
        }
        SettingsEdit::Uninstall if agents.is_empty() => ctx.ui.note("no agent calls pimem"),
        SettingsEdit::Install if hooks::in_path(ctx, "pimem").is_none() => {
            ctx.ui.note("warning: pimem is not in the PATH, where agents look for it");
        }
        SettingsEdit::Install | SettingsEdit::Uninstall => {}
    }
    let editor = if args.dry_run || agents.is_empty() { None } else { Some(editor(ctx)?) };
    let mut exit = if agents.is_empty() { Exit::Nothing } else { Exit::Done };
    let mut files = Vec::new();
    for agent in agents {
        if act == SettingsEdit::Install && works(agent) {
            let (what, fix) = hooks::twice(agent);
            ctx.ui.note(&format!("warning: {what}; {fix} takes these out again"));
        } else if act == SettingsEdit::Install && has_plugin(agent) {
            let title = agent.title();
            let note = format!("{title} has pimem's plugin, which was not seen to call pimem");
            ctx.ui.note(&note);
        }
        for site in hooks::sites(ctx, agent, reach)? {
            match edit(ctx, &site, editor.as_ref(), act) {
                Ok(change) => {
                    let lines = if args.dry_run && change != ForeignChange::Keep {
                        let before = site.file()?.read()?;
                        difference(before.as_deref(), &change, &ctx.memory.places.short(&site.path))
                    } else {
                        vec![in_words(ctx, &site, &change, act)]
                    };
                    let next = (act == SettingsEdit::Install && change != ForeignChange::Keep)
                        .then(|| site.agent.next(reach));
                    if change != ForeignChange::Keep && !args.dry_run {
                        hooks::forget_calls(ctx, agent);
                    }
                    files.push(edited(&site, &change, act, next, lines));
                    if act == SettingsEdit::Install && is_off(&site) {
                        let path = ctx.memory.places.short(&site.path);
                        ctx.ui.note(&format!("warning: {path} says that no hooks are run"));
                    }
                }
                Err(failure) => {
                    ctx.ui.failure(&failure);
                    exit = Exit::Error;
                }
            }
        }
    }
    let any = !files.is_empty();
    if any || exit != Exit::Error {
        let action = if act == SettingsEdit::Install { "install" } else { "uninstall" };
        ctx.ui.show(&EditedSettings { action, dry_run: args.dry_run, files });
    }
    if act == SettingsEdit::Install && any {
        make_store(ctx, reach, Effect::of(args.dry_run))?;
        if !args.dry_run && !ctx.ui.json {
            import::offer(ctx);
        }
    }
    Ok(exit)
}

impl Human for EditedSettings {
    fn human(&self, ui: &Ui) {
        for of_agent in self.files.chunk_by(|one, next| one.agent == next.agent) {
            of_agent.iter().flat_map(|file| &file.lines).for_each(|line| ui.line(line));
            let next = of_agent.iter().find_map(|file| file.next).filter(|_| !self.dry_run);
            if let Some(next) = next {
                ui.line(&format!("  next: {next}"));
            }
        }
    }
}

/// Creates a store for the hooks if there is none.
fn make_store(ctx: &Shell, reach: InstallReach, effect: Effect) -> Result<(), Failure> {
    let target =
        if reach == InstallReach::User { ctx.memory.users()? } else { ctx.memory.target()? };
    if effect == Effect::Write {
        return ctx.memory.made(target).map(drop);
    }
    if !target.exists {
        let (scope, dir) = (target.scope.name(), target.dir.display());
        ctx.ui.note(&format!("Would create a {scope} store in {dir}"));
    }
    Ok(())
}

fn editor(ctx: &Shell) -> Result<Editor, Failure> {
    let state = ctx.memory.env.state.as_deref().ok_or_else(|| {
        Failure::new(
            FailureKind::Usage,
            "there is no state directory",
            "set HOME, or XDG_STATE_HOME",
        )
    })?;
    let patience = ctx.memory.store(state.to_path_buf(), Scope::User).patience;
    Editor::new(state, patience).map_err(|error| match error {
        LockError::Busy(..) => Failure::new(
            FailureKind::Locked,
            "another pimem is editing settings of agents",
            "try again; lock.timeoutMs sets how long to wait",
        ),
        error => Failure::from(error),
    })
}

/// Edits one file. Without an editor, only finds out what would be done.
fn edit(
    ctx: &Shell,
    site: &Site,
    editor: Option<&Editor>,
    act: SettingsEdit,
) -> Result<ForeignChange, Failure> {
    let file = site.file()?;
    let change = |before: Option<&[u8]>| change(ctx, site, before, act);
    match editor {
        Some(editor) => editor.change(&file, change),
        None => change(file.read()?.as_deref()),
    }
}

fn change(
    ctx: &Shell,
    site: &Site,
    before: Option<&[u8]>,
    act: SettingsEdit,
) -> Result<ForeignChange, Failure> {
    let refused = |refusal| hooks::refused(ctx, site, &refusal);
    Ok(match (&site.content, before, act) {
        (Content::Settings(layout), before, SettingsEdit::Install) => {
            let after = settings::with(before, layout).map_err(refused)?;
            after.map_or(ForeignChange::Keep, ForeignChange::Replace)
        }
        (Content::Settings(layout), Some(before), SettingsEdit::Uninstall) => {
            match settings::without(before, layout).map_err(refused)? {
                Without::Same => ForeignChange::Keep,
                Without::Bytes(after) => ForeignChange::Replace(after),
                Without::Nothing => ForeignChange::Delete,
            }
        }
        (Content::Whole(whole), None, SettingsEdit::Install) => {
            ForeignChange::Replace(whole.text.into())
        }
        (Content::Whole(whole), Some(before), SettingsEdit::Install) => {
            if before == whole.text.as_bytes() {
                ForeignChange::Keep
            } else if is_marked(before) {
                ForeignChange::Replace(whole.text.into())
            } else {
                let message =
                    format!("{} was not written by pimem", ctx.memory.places.short(&site.path));
                let hint = "move it away, or leave it; nothing was changed";
                return Err(Failure::new(FailureKind::Refused, message, hint));
            }
        }
        (Content::Whole(_), Some(before), SettingsEdit::Uninstall) if is_marked(before) => {
            ForeignChange::Delete
        }
        (_, _, SettingsEdit::Uninstall) => ForeignChange::Keep,
    })
}

/// Returns true if the file has the mark of files written by pimem.
pub(crate) fn is_marked(bytes: &[u8]) -> bool {
    memchr::memmem::find(bytes, MARK.as_bytes()).is_some()
}

/// Returns true if the file has hooks or text of pimem.
pub(crate) fn is_held(site: &Site) -> bool {
    let Ok(Some(bytes)) = site.file().and_then(|file| file.read()) else { return false };
    match &site.content {
        Content::Settings(layout) => {
            // A file that cannot be parsed is examined more closely when it is edited.
            let is_named = || memchr::memmem::find(&bytes, b"pimem").is_some();
            settings::found(&bytes, layout).map_or_else(|_| is_named(), |found| !found.is_empty())
        }
        Content::Whole(_) => is_marked(&bytes),
    }
}

fn is_off(site: &Site) -> bool {
    let bytes = site.file().and_then(|file| file.read());
    match (&site.content, bytes) {
        (Content::Settings(layout), Ok(Some(bytes))) => settings::is_off(&bytes, layout),
        _ => false,
    }
}

fn edited(
    site: &Site,
    change: &ForeignChange,
    act: SettingsEdit,
    next: Option<&'static str>,
    lines: Vec<String>,
) -> EditedFile {
    EditedFile {
        agent: site.agent.name(),
        path: site.path.display().to_string(),
        change: match (change, act) {
            (ForeignChange::Keep, _) => "unchanged",
            (ForeignChange::Replace(_), SettingsEdit::Install) => "installed",
            (ForeignChange::Replace(_), SettingsEdit::Uninstall) => "removed",
            (ForeignChange::Delete, _) => "deleted",
        },
        next,
        lines,
    }
}

/// What became of a file.
fn in_words(ctx: &Shell, site: &Site, change: &ForeignChange, act: SettingsEdit) -> String {
    let path = ctx.memory.places.short(&site.path);
    let what = match &site.content {
        Content::Settings(layout) => format!("{} hooks", layout.hooks.len()),
        Content::Whole(whole) => whole.what.to_owned(),
    };
    let done = match (change, act) {
        (ForeignChange::Keep, SettingsEdit::Install) => format!("unchanged, {what} in {path}"),
        (ForeignChange::Keep, SettingsEdit::Uninstall) => format!("nothing of ours in {path}"),
        (ForeignChange::Replace(_), SettingsEdit::Install) => format!("{what} in {path}"),
        (ForeignChange::Replace(_), SettingsEdit::Uninstall) => {
            format!("hooks taken out of {path}")
        }
        (ForeignChange::Delete, _) => match &site.content {
            Content::Settings(_) => format!("hooks taken out; deleted {path}, now empty"),
            Content::Whole(_) => format!("deleted {path}"),
        },
    };
    format!("{}: {done}", site.agent.name())
}

/// Formats the changes of a file like `diff -u`.
fn difference(before: Option<&[u8]>, change: &ForeignChange, path: &str) -> Vec<String> {
    let after =
        if let ForeignChange::Replace(after) = change { Some(after.as_slice()) } else { None };
    let name = |bytes: Option<&[u8]>| bytes.map_or("/dev/null", |_| path).to_owned();
    let mut lines = vec![format!("--- {}", name(before)), format!("+++ {}", name(after))];
    let text =
        |bytes: Option<&[u8]>| String::from_utf8_lossy(bytes.unwrap_or_default()).into_owned();
    let (before, after) = (text(before), text(after));
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let mut known: Vec<&str> = old.iter().chain(&new).copied().collect();
    known.sort_unstable();
    known.dedup();
    let key = |line: &&str| {
        u32::try_from(known.binary_search(line).unwrap_or_default()).unwrap_or_default()
    };
    let keys = |lines: &[&str]| lines.iter().map(key).collect::<Vec<u32>>();
    let mut pairs = patch::align(&keys(&old), &keys(&new));
    pairs.push(Pair { a: old.len(), b: new.len() });
    // Pairs of sign and line, in order.
    let mut all: Vec<(char, &str)> = Vec::new();
    let (mut i, mut j) = (0, 0);
    for Pair { a: x, b: y } in pairs {
        all.extend(old.get(i..x).unwrap_or_default().iter().map(|line| ('-', *line)));
        all.extend(new.get(j..y).unwrap_or_default().iter().map(|line| ('+', *line)));
        all.extend(old.get(x).map(|line| (' ', *line)));
        (i, j) = (x + 1, y + 1);
    }
    let near = |at: usize| {
        let around = all.get(at.saturating_sub(AROUND)..(at + AROUND + 1).min(all.len()));
        around.unwrap_or_default().iter().any(|(sign, _)| *sign != ' ')
    };
    let mut skipped = true;
    let mut number = 0;
    for (at, (sign, line)) in all.iter().enumerate() {
        number += usize::from(*sign != '+');
        if !near(at) {
            skipped = true;
            continue;
        }
        if std::mem::take(&mut skipped) {
            lines.push(format!("@@ line {} @@", number.max(1)));
        }
        lines.push(format!("{sign}{line}"));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_shown_with_what_is_around() {
        let old = b"1\n2\n3\n4\n5\n6\n7\n8\n".as_slice();
        let new = b"1\n2\n3\n4\nfive\n6\n7\n8\n9\n".as_slice();
        let want =
            ["--- f", "+++ f", "@@ line 3 @@", " 3", " 4", "-5", "+five", " 6", " 7", " 8", "+9"];
        assert_eq!(difference(Some(old), &ForeignChange::Replace(new.to_vec()), "f"), want);
        let want = ["--- /dev/null", "+++ f", "@@ line 1 @@", "+a"];
        assert_eq!(difference(None, &ForeignChange::Replace(b"a\n".to_vec()), "f"), want);
        assert_eq!(
            difference(Some(b"a\n"), &ForeignChange::Delete, "f"),
            ["--- f", "+++ /dev/null", "@@ line 1 @@", "-a"]
        );
    }
}
