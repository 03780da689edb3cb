//! Every error at every call on a file: the command says what failed, or did what it said.

use anyhow::Result;

use crate::{
    Found,
    cases::{self, CASES, Case},
    kill::sample,
    strace::{self, Point},
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
        let mut world = case.world(scene)?;
        let (before, after) = cases::undisturbed(&world, case)?;
        let (old, new) = (truth(&before), truth(&after));
        world.lay(&before)?;
        let args = case.args();
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let calls = if sabotaged { FEW_CALLS } else { CALLS };
        let points = strace::points_here(&world, calls, &args, case.input.as_bytes())?;
        if sabotaged {
            world.wrap(SABOTAGE)?;
        }
        let mut found = Found::default();
        for (at, point) in sample(&points, most).enumerate() {
            world.lay(&before)?;
            let error = ERRORS[at % ERRORS.len()];
            let what = format!("error={error}");
            let done = strace::strike(&world, point, &what, &args, case.input.as_bytes())?;
            let now = truth(&world.files()?);
            let end = if case.is_hook() { End::Any } else { End::Cut };
            let wrong = torn(&now, &old, &new, end).pop().map(|name| format!("{name} is torn"));
            let is_other = |(name, new): &(&String, &Vec<u8>)| {
                let now = now.get(*name);
                let noted = || lines(now).is_superset(&lines(Some(new)));
                let unsaid = || done.err.contains("Not noted as reviewed");
                now != Some(*new) && !(name.contains("/trust/") && (noted() || unsaid()))
            };
            let differs = new.iter().find(is_other).map(|(name, _)| name.as_str());
            let wrong = wrong.or_else(|| misleads(case, &world, &done, differs));
            let wrong = match wrong {
                None if !sabotaged => cases::goes_on(&world, case)?,
                wrong => wrong,
            };
            found.trials += 1;
            found.faults.extend(wrong.map(|wrong| told(case, point, error, &wrong)));
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

fn told(case: &Case, point: &Point, error: &str, wrong: &str) -> String {
    format!("{}: {error} from {} {}: {wrong}", case.line, point.name, point.number)
}
