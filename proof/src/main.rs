//! Tries what the store promises, from outside, on a program as it is published: `proof PART --runs N`.
//!
//! Each part has a control: the same harness on something sabotaged, which it must notice. A part fails
//! if it finds a fault, or its control finds none.

#[path = "../../tests/it/common/calls.rs"]
mod calls;
mod cases;
mod damage;
mod editor;
mod hooks;
mod inject;
mod kill;
mod merge;
mod power;
mod race;
mod random;
mod soak;
mod strace;
mod truth;
mod world;

use std::{env, path::PathBuf, process::ExitCode, time::Instant};

use anyhow::{Context as _, Result, bail};

use crate::world::Scene;

const USAGE: &str =
    "usage: pimem-proof [PART] [--program PATH] [--runs N] [--seed N] [--no-control]";

struct Args {
    /// What to try; all of it if nothing is named.
    part: Option<String>,
    program: PathBuf,
    /// Number of trials of each part.
    runs: usize,
    /// Where the random trials begin.
    seed: u64,
    /// False to leave out whether sabotage is noticed.
    control: bool,
}

impl Args {
    fn parse(mut given: impl Iterator<Item = String>) -> Result<Self> {
        let program = PathBuf::from("target/release/pimem");
        let mut args = Self { part: None, program, runs: 100, seed: 1, control: true };
        while let Some(arg) = given.next() {
            let mut value =
                || given.next().with_context(|| format!("{arg} needs a value\n{USAGE}"));
            match arg.as_str() {
                "--program" => args.program = value()?.into(),
                "--runs" => args.runs = value()?.parse().context("--runs is a number")?,
                "--seed" => args.seed = value()?.parse().context("--seed is a number")?,
                "--no-control" => args.control = false,
                part if PARTS.iter().any(|(name, _)| *name == part) => args.part = Some(arg),
                _ => bail!("there is no {arg:?}\n{USAGE}"),
            }
        }
        Ok(args)
    }
}

type Try = fn(&Scene, bool) -> Result<Found>;

const PARTS: [(&str, Try); 9] = [
    ("kill", kill::run),
    ("power", power::run),
    ("inject", inject::run),
    ("race", race::run),
    ("editor", editor::run),
    ("damage", damage::run),
    ("soak", soak::run),
    ("merge", merge::run),
    ("hooks", hooks::run),
];

/// The outcome of a part.
#[derive(Debug, Default)]
struct Found {
    /// Number of trials.
    trials: usize,
    /// What went wrong, each in a line.
    faults: Vec<String>,
}

impl Found {
    fn join(mut self, other: Self) -> Self {
        self.trials += other.trials;
        self.faults.extend(other.faults);
        self
    }
}

/// Number of faults that are printed.
const PRINTED: usize = 12;

fn main() -> Result<ExitCode> {
    let args = Args::parse(env::args().skip(1))?;
    let program = args.program.canonicalize().with_context(|| format!("{:?}", args.program))?;
    let mut good = true;
    let wanted = |part: &str| args.part.as_deref().is_none_or(|wanted| wanted == part);
    for (name, attempt) in PARTS.into_iter().filter(|(name, _)| wanted(name)) {
        let scene = Scene::new(&program, name, args.runs, args.seed)?;
        let begun = Instant::now();
        let found = attempt(&scene, false)?;
        let seconds = begun.elapsed().as_secs();
        println!("{name}: {} trials, {} faults, {seconds} s", found.trials, found.faults.len());
        found.faults.iter().take(PRINTED).for_each(|fault| println!("    {fault}"));
        good &= found.faults.is_empty() && found.trials > 0;
        if args.control {
            let noticed = attempt(&scene, true)?;
            println!("    sabotaged: {} of {} noticed", noticed.faults.len(), noticed.trials);
            good &= !noticed.faults.is_empty();
            if name == "power" {
                // Each barrier is taken away in turn, and each is needed.
                good &= noticed.faults.len() == noticed.trials;
            }
        }
    }
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
