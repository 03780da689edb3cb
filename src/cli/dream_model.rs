//! stub
use super::context::Context;
use crate::{
    llm::Trouble,
    plan::act::{Refused, Step},
    score::board::Board,
    store::vault::Store,
};
pub(super) struct Answer {
    pub(super) model: String,
    pub(super) steps: Vec<Step>,
    pub(super) refused: Vec<Refused>,
}
pub(super) fn ask(_: &Context, _: &Store, _: &Board, _: &[String]) -> Result<Answer, Trouble> {
    Err(Trouble { message: "x".into(), hint: "y".into() })
}
