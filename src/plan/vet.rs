//! stub
use super::act::Step;
use crate::{model::category::Categories, score::board::Row};
pub(crate) struct Vetting;
impl Vetting {
    pub(crate) fn of(_: &[Row]) -> Self {
        Self
    }
    pub(crate) fn take(&mut self, _: &Categories, step: Step) -> Result<Step, String> {
        Ok(step)
    }
}
