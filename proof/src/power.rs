//! What the disk may hold when the power fails: effects of a command that were not waited for are there,
//! in part or not at all, and the files are as before or as after.
//!
//! An effect is certain once its file (data) or its directory (names) was synced after it. Two models:
//! by the strict one (POSIX) any of the others may be missing, by the journal's (ext4, xfs, btrfs) names
//! survive in their order, and syncing any file brings all names before it.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    hash::{DefaultHasher, Hash as _, Hasher as _},
};

use anyhow::{Result, bail};

use crate::{
    Found,
    calls::Call,
    cases::{CASES, Trial},
    random::Random,
    strace,
    truth::{End, lines, torn, truth},
    world::{Files, Scene, World},
};

const CALLS: &str = "openat,write,pwrite64,ftruncate,fsync,fdatasync,rename,renameat,renameat2,unlink,\
                     unlinkat,mkdir,mkdirat,close";
/// Number of images of one moment that are all tried; of more, as many are drawn.
const ALL: usize = 1 << 12;
/// How many of the images are laid on the disk and used: of files that change together more, as only
/// the next command shows whether they are whole.
const USED: (usize, usize) = (40, 1_000);

/// What a call does to the disk, by names in the world.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Effect {
    Create(String),
    Write(String, Vec<u8>),
    Cut(String, usize),
    Rename(String, String),
    Remove(String),
    Make(String),
    Sync(String),
    /// The command has said that it is done.
    Said,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Disk {
    Strict,
    Journal,
}

pub fn run(scene: &Scene, sabotaged: bool) -> Result<Found> {
    let each = scene.runs.div_ceil(CASES.len());
    scene.each(CASES, |case| {
        let traced = Traced::new(Trial::new(scene, case)?)?;
        if sabotaged {
            return Ok(traced.without_barriers(scene.seed));
        }
        let mut found = Found::default();
        for disk in [Disk::Strict, Disk::Journal] {
            let mut random = Random::new(scene.seed);
            let images = traced.images(&traced.effects, disk, &mut random, each.div_ceil(2));
            found.trials += images.len();
            found.faults.extend(images.iter().filter_map(|image| traced.fault(image)));
            let used = if case.journal { USED.1 } else { USED.0 };
            let step = images.len().div_ceil(used.min(each)).max(1);
            for image in images.iter().step_by(step) {
                traced.trial.world.lay(&image.files)?;
                let fault = traced.trial.goes_on()?;
                found.faults.extend(fault.map(|fault| format!("{}: power: {fault}", case.line)));
            }
        }
        Ok(found)
    })
}

/// What a disk may hold, and whether the command had said that it is done.
struct Image {
    said: bool,
    files: Files,
}

/// A trial, and what its command does to the disk.
struct Traced<'a> {
    trial: Trial<'a>,
    effects: Vec<Effect>,
}

impl<'a> Traced<'a> {
    fn new(trial: Trial<'a>) -> Result<Self> {
        let Trial { case, world, .. } = &trial;
        let (done, calls) = strace::calls(world, CALLS, &case.args(), case.input.as_bytes())?;
        if done.code != 0 {
            bail!("{}: {done:?}", case.line);
        }
        let mut effects = effects(world, &calls)?;
        // What a hook says acknowledges nothing.
        effects.retain(|effect| *effect != Effect::Said || !case.is_hook());
        if !case.is_hook() && !effects.contains(&Effect::Said) {
            effects.push(Effect::Said);
        }
        Ok(Self { trial, effects })
    }

    /// Returns images of all moments, each once: about `most`.
    fn images(
        &self,
        effects: &[Effect],
        disk: Disk,
        random: &mut Random,
        most: usize,
    ) -> Vec<Image> {
        let mut images = Vec::new();
        let mut seen = HashSet::new();
        let each = most.div_ceil(effects.len().max(1)).max(4);
        for end in 0..=effects.len() {
            let moment = Moment::new(&self.trial.before, &effects[..end], disk);
            for choice in moment.choices(random, each.min(ALL)) {
                let image = Image { said: moment.said, files: moment.image(&choice, disk) };
                let mut hasher = DefaultHasher::new();
                (image.said, &image.files).hash(&mut hasher);
                if seen.insert(hasher.finish()) {
                    images.push(image);
                }
            }
        }
        images
    }

    fn fault(&self, image: &Image) -> Option<String> {
        let Trial { case, old, new, .. } = &self.trial;
        // Of files that change together this is asked after the next command.
        if case.journal {
            return None;
        }
        let now = truth(&image.files);
        let is_lost = |name: &&String| {
            let (now, new) = (now.get(*name), new.get(*name));
            if name.contains("/trust/") { !lines(now).is_superset(&lines(new)) } else { now != new }
        };
        let line = case.line;
        if let Some(name) = torn(&now, old, new, End::Garbled).first() {
            return Some(format!("{line}: power: {name} is torn"));
        }
        let lost = image.said.then(|| new.keys().chain(old.keys()).find(is_lost)).flatten();
        lost.map(|name| format!("{line}: power: {name} was said to be done"))
    }

    /// Leaves out each barrier in turn, and tells those that this shows.
    fn without_barriers(&self, seed: u64) -> Found {
        let Trial { case, old, new, before, .. } = &self.trial;
        let mut found = Found::default();
        for at in 0..self.effects.len() {
            let Effect::Sync(name) = &self.effects[at] else { continue };
            let mut effects = self.effects.clone();
            effects.remove(at);
            // Of what is not looked at nothing can be told, nor of what a later barrier does too.
            let mut kept = new.keys().chain(old.keys());
            let matters = kept.any(|kept| kept == name || parent(kept) == *name)
                || name.contains(".pi/memory/") && name.contains(".pimem-tmp-");
            let pending = |of: &[Effect]| Moment::new(before, of, Disk::Strict).pending;
            let is_last = pending(&self.effects) != pending(&effects);
            if !matters || !is_last || case.journal || case.is_hook() {
                continue;
            }
            let images = self.images(&effects, Disk::Strict, &mut Random::new(seed), 4_000);
            let fault = images.iter().find_map(|image| self.fault(image));
            found.trials += 1;
            match fault {
                Some(fault) => found.faults.push(fault),
                None => println!("    {}: nothing shows that {name} is synced", case.line),
            }
        }
        found
    }
}

fn parent(name: &str) -> &str {
    name.rsplit_once('/').map_or("", |(dir, _)| dir)
}

/// Translates calls. Those outside of the world have no effect.
fn effects(world: &World, calls: &[Call]) -> Result<Vec<Effect>> {
    let root = world.root.to_string_lossy().into_owned() + "/";
    let project = world.project();
    let mut open: BTreeMap<i64, String> = BTreeMap::new();
    let mut effects = Vec::new();
    for call in calls {
        let Some(result) = call.result() else { continue };
        let texts = call.texts()?;
        let name = |at: usize| {
            let path = String::from_utf8_lossy(texts.get(at)?).into_owned();
            let path = project.join(path).to_string_lossy().replace("/./", "/");
            path.strip_prefix(&root).map(str::to_owned)
        };
        let file = call.first().and_then(|number| open.get(&number)).cloned();
        match call.name.as_str() {
            "openat" => {
                let Some(name) = name(0) else { continue };
                if call.args.contains("O_CREAT") {
                    effects.push(Effect::Create(name.clone()));
                }
                if call.args.contains("O_TRUNC") {
                    effects.push(Effect::Cut(name.clone(), 0));
                }
                open.insert(i64::try_from(result)?, name);
            }
            "close" => drop(call.first().map(|number| open.remove(&number))),
            "write" if call.first() == Some(1) => effects.push(Effect::Said),
            "write" | "pwrite64" => {
                let bytes = texts.into_iter().next().unwrap_or_default();
                effects.extend(file.map(|file| {
                    Effect::Write(file, bytes.get(..result).unwrap_or(&bytes).to_vec())
                }));
            }
            "ftruncate" => {
                let size = call.args.rsplit(", ").next().and_then(|size| size.parse().ok());
                effects.extend(file.zip(size).map(|(file, size)| Effect::Cut(file, size)));
            }
            "fsync" | "fdatasync" => effects.extend(file.map(Effect::Sync)),
            "rename" | "renameat" | "renameat2" => {
                effects.extend(name(0).zip(name(1)).map(|(from, to)| Effect::Rename(from, to)));
            }
            "unlink" | "unlinkat" => effects.extend(name(0).map(Effect::Remove)),
            "mkdir" | "mkdirat" => effects.extend(name(0).map(Effect::Make)),
            _ => {}
        }
    }
    Ok(effects)
}

/// An effect on the disk's files by number, so that data and names come and go apart.
#[derive(Debug, Clone)]
enum Step {
    Link(String, usize),
    Move(String, String, usize),
    Unlink(String),
    Directory(String),
    Write(usize, Vec<u8>),
    Cut(usize, usize),
}

impl Step {
    fn is_name(&self) -> bool {
        !matches!(self, Self::Write(..) | Self::Cut(..))
    }

    fn is_in(&self, dir: &str) -> bool {
        match self {
            Self::Link(name, _) | Self::Unlink(name) | Self::Directory(name) => parent(name) == dir,
            Self::Move(from, to, _) => parent(from) == dir || parent(to) == dir,
            Self::Write(..) | Self::Cut(..) => false,
        }
    }
}

/// How much of a step is on the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kept {
    All,
    Half,
    Zeros,
    None,
}

/// The disk after some effects.
struct Moment {
    /// The files before, by number, and their names.
    data: Vec<Vec<u8>>,
    names: BTreeMap<String, usize>,
    directories: BTreeSet<String>,
    steps: Vec<Step>,
    /// Steps that may be missing.
    pending: Vec<usize>,
    said: bool,
}

impl Moment {
    fn new(before: &Files, effects: &[Effect], disk: Disk) -> Self {
        let files = before.iter().filter(|(name, _)| !name.ends_with('/'));
        let mut data: Vec<Vec<u8>> = files.clone().map(|(_, bytes)| bytes.clone()).collect();
        let names: BTreeMap<String, usize> =
            files.enumerate().map(|(at, (name, _))| (name.clone(), at)).collect();
        let directories = before.keys().filter_map(|name| name.strip_suffix('/'));
        let directories = directories.map(str::to_owned).collect();
        let mut now = names.clone();
        let (mut steps, mut certain): (Vec<Step>, Vec<bool>) = (Vec::new(), Vec::new());
        let mut said = false;
        for effect in effects {
            let step = match effect {
                Effect::Create(name) if !now.contains_key(name) => {
                    data.push(Vec::new());
                    now.insert(name.clone(), data.len() - 1);
                    Step::Link(name.clone(), data.len() - 1)
                }
                Effect::Write(name, bytes) => match now.get(name) {
                    Some(file) => Step::Write(*file, bytes.clone()),
                    None => continue,
                },
                Effect::Cut(name, size) => match now.get(name) {
                    Some(file) => Step::Cut(*file, *size),
                    None => continue,
                },
                Effect::Rename(from, to) => match now.remove(from) {
                    Some(file) => {
                        now.insert(to.clone(), file);
                        Step::Move(from.clone(), to.clone(), file)
                    }
                    None => continue,
                },
                Effect::Remove(name) => {
                    now.remove(name);
                    Step::Unlink(name.clone())
                }
                Effect::Make(name) => Step::Directory(name.clone()),
                Effect::Said => {
                    said = true;
                    continue;
                }
                Effect::Sync(name) => {
                    let file = now.get(name);
                    for (step, certain) in steps.iter().zip(&mut certain) {
                        let is_data = match step {
                            Step::Write(of, _) | Step::Cut(of, _) => Some(of) == file,
                            _ => false,
                        };
                        let is_name = step.is_name() && (disk == Disk::Journal || step.is_in(name));
                        *certain |= is_data || is_name;
                    }
                    continue;
                }
                Effect::Create(_) => continue,
            };
            steps.push(step);
            certain.push(false);
        }
        let pending = (0..steps.len()).filter(|at| !certain[*at]).collect();
        Self { data, names, directories, steps, pending, said }
    }

    /// Returns what may be left of the pending steps: everything, nothing, and others.
    fn choices(&self, random: &mut Random, most: usize) -> Vec<Vec<Kept>> {
        let of = |at: &usize| -> &[Kept] {
            match self.steps[*at] {
                Step::Write(..) => &[Kept::All, Kept::None, Kept::Half, Kept::Zeros],
                _ => &[Kept::All, Kept::None],
            }
        };
        let options: Vec<&[Kept]> = self.pending.iter().map(of).collect();
        let count = options.iter().try_fold(1_usize, |all, options| all.checked_mul(options.len()));
        if let Some(count) = count.filter(|count| *count <= most) {
            let choice = |mut number: usize| {
                let one = |options: &&[Kept]| {
                    let kept = options[number % options.len()];
                    number /= options.len();
                    kept
                };
                options.iter().map(one).collect()
            };
            return (0..count).map(choice).collect();
        }
        let all_of = |kept: Kept| options.iter().map(|_| kept).collect();
        let mut choices = vec![all_of(Kept::All), all_of(Kept::None)];
        // One step that is missing alone, and one that is there alone, show most.
        for at in 0..options.len() {
            for (rest, one) in [(Kept::All, Kept::None), (Kept::None, Kept::All)] {
                let mut choice: Vec<Kept> = all_of(rest);
                choice[at] = one;
                choices.push(choice);
            }
        }
        while choices.len() < most {
            choices.push(options.iter().map(|options| *random.of(options)).collect());
        }
        choices.truncate(most.max(2));
        choices
    }

    fn image(&self, choice: &[Kept], disk: Disk) -> Files {
        let mut kept = vec![Kept::All; self.steps.len()];
        for (at, choice) in self.pending.iter().zip(choice) {
            kept[*at] = *choice;
        }
        if disk == Disk::Journal {
            let mut is_gone = false;
            for at in self.pending.iter().filter(|at| self.steps[**at].is_name()) {
                is_gone |= kept[*at] == Kept::None;
                kept[*at] = if is_gone { Kept::None } else { Kept::All };
            }
        }
        let (mut data, mut names) = (self.data.clone(), self.names.clone());
        let mut directories = self.directories.clone();
        let mut made: BTreeMap<&str, bool> = BTreeMap::new();
        for (step, kept) in self.steps.iter().zip(kept) {
            if let Step::Directory(name) = step {
                made.insert(name, kept != Kept::None);
            }
            if kept == Kept::None {
                continue;
            }
            match step {
                Step::Link(name, file) => drop(names.insert(name.clone(), *file)),
                Step::Move(from, to, file) => {
                    names.remove(from);
                    names.insert(to.clone(), *file);
                }
                Step::Unlink(name) => drop(names.remove(name)),
                Step::Directory(name) => drop(directories.insert(name.clone())),
                Step::Write(file, bytes) => match kept {
                    Kept::Half => data[*file].extend(&bytes[..bytes.len() / 2]),
                    Kept::Zeros => data[*file].extend(bytes.iter().map(|_| 0)),
                    Kept::All | Kept::None => data[*file].extend(bytes),
                },
                Step::Cut(file, size) => data[*file].resize(*size, 0),
            }
        }
        // A directory that is gone takes its files along.
        let is_there = |name: &String| {
            let mut above = name.as_str();
            while !above.is_empty() {
                above = parent(above);
                if made.get(above) == Some(&false) {
                    return false;
                }
            }
            true
        };
        let files = names.into_iter().filter(|(name, _)| is_there(name));
        let files = files.map(|(name, file)| (name, data[file].clone()));
        files.chain(directories.into_iter().map(|name| (name + "/", Vec::new()))).collect()
    }
}
