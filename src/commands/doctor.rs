//! `pimem doctor`: checks stores, permissions, locks, index and git files. Every finding has a fix.

use pimem_engine::{
    error::Failure,
    memory::doctor::{Diagnosis, DoctorFinding, Fact},
};

use crate::{
    commands::hooks::{self, status},
    shell::{Exit, Shell},
    ui::{Human, Style, Styled, Ui},
};

/// Find what is wrong with the stores, and say how to mend it
///
/// Looks at the agents that call pimem too. Exit code 1 says that something was found.
#[derive(Debug, clap::Args)]
pub(crate) struct DoctorArgs {}

pub(crate) fn run(ctx: &Shell, _: &DoctorArgs) -> Result<Exit, Failure> {
    let mut diagnosis = ctx.diagnose()?;
    for agent in status::twice(ctx).unwrap_or_default() {
        let (what, fix) = hooks::twice(agent);
        diagnosis.findings.push(DoctorFinding { what, fix });
    }
    ctx.ui.show(&diagnosis);
    Ok(if diagnosis.findings.is_empty() { Exit::Done } else { Exit::Nothing })
}

impl Human for Diagnosis {
    fn human(&self, ui: &Ui) {
        for Fact { name, value } in &self.facts {
            ui.field(17, name, value);
        }
        for DoctorFinding { what, fix } in &self.findings {
            ui.styled(&Styled::new(Style::Warn, "finding:").with(None, " ").with(None, what), 4);
            ui.hanging(&format!("    fix: {fix}"), 9);
        }
        if self.findings.is_empty() {
            ui.line("no findings");
        }
    }
}
