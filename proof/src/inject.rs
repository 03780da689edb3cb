//! Every error at every call on a file: the command says what failed, or did what it said.

use anyhow::Result;

use crate::{
    Found,
    cases::{CASES, Case, Trial},
    strace,
    truth::{End, lines, torn, truth},
    world::{Done, Scene, World},
};

const CALLS: &str = "openat,read,write,fsync,fdatasync,rename,unlink,mkdir,statx,newfstatat,lseek,ftruncate,\
                     flock,getdents64,fchmod,readlink";
/// The same for the control, whose shell makes some of these calls itself.
const FEW_CALLS: &str = "fsync,rename,ftruncate,flock";
const ERRORS: [&str; 7] = ["EIO", "ENOSPC", "EACCES", "EMFILE", "EROFS", "EDQUOT", "EINTR"];
/// Swallows errors.
const SABOTAGE: &str = "\"$PROGRAM\" \"$@\" 2> /dev/null; exit 0";

pub fn run(scene: &Scene, sabotaged: bool) -> Result<Found> {
    let most = scene.runs.div_ceil(CASES.len());
    scene.each(CASES, |case| {
        let mut trial = Trial::new(scene, case)?;
        let calls = if sabotaged { FEW_CALLS } else { CALLS };
        let points = strace::points_here(&trial.world, calls, &case.args(), case.input.as_bytes())?;
        if sabotaged {
            trial.world.wrap(SABOTAGE)?;
        }
        let mut found = Found::default();
        for (at, point) in strace::sample(&points, most).enumerate() {
            let error = ERRORS[at % ERRORS.len()];
            let done = trial.strike(point, &format!("error={error}"))?;
            let now = truth(&trial.world.files()?);
            let end = if case.is_hook() { End::Any } else { End::Cut };
            let is_other = |(name, new): &(&String, &Vec<u8>)| {
                let now = now.get(*name);
                let noted = || lines(now).is_superset(&lines(Some(new)));
                let unsaid = || done.err.contains("Not noted as reviewed");
                now != Some(*new) && !(name.contains("/trust/") && (noted() || unsaid()))
            };
            let differs = trial.new.iter().find(is_other).map(|(name, _)| name.as_str());
            let wrong = if let Some(name) = torn(&now, &trial.old, &trial.new, end).pop() {
                Some(format!("{name} is torn"))
            } else if let Some(wrong) = misleads(case, &trial.world, &done, differs) {
                Some(wrong)
            } else if sabotaged {
                None
            } else {
                trial.goes_on()?
            };
            found.trials += 1;
            let told = |wrong| format!("{}: {error} from {point}: {wrong}", case.line);
            found.faults.extend(wrong.map(told));
        }
        Ok(found)
    })
}

fn misleads(case: &Case, world: &World, done: &Done, differs: Option<&str>) -> Option<String> {
    let root = world.root.to_string_lossy();
    let names = [&*root, ".jsonl", "../", ".pi/", ".md"];
    let names_a_path = names.iter().any(|name| done.err.contains(name));
    match done.code {
        _ if done.broke() => Some(format!("{done:?}")),
        0 if differs.is_none() || case.is_hook() => None,
        2 if !case.is_hook() && names_a_path => None,
        _ => Some(format!("it misleads ({differs:?}): {done:?}")),
    }
}
