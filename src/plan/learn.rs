//! stub
use crate::{
    model::{event::Cue, time::Timestamp},
    text::transcript::Message,
};
pub(crate) struct Conclusion {
    pub(crate) category: &'static str,
    pub(crate) cue: Cue,
    pub(crate) text: String,
    pub(crate) reason: String,
    pub(crate) sources: Vec<String>,
}
pub(crate) enum SourceKind {
    Session,
    Log,
}
pub(crate) struct Source {
    pub(crate) id: String,
    pub(crate) kind: SourceKind,
    pub(crate) agent: Option<String>,
    pub(crate) when: Option<Timestamp>,
}
pub(crate) struct Heard {
    pub(crate) source: Source,
}
pub(crate) struct Listener(Source);
impl Listener {
    pub(crate) fn new(s: Source) -> Self {
        Self(s)
    }
    pub(crate) fn push(&mut self, _: &Message) {}
    pub(crate) fn finish(self) -> Heard {
        Heard { source: self.0 }
    }
}
pub(crate) fn of_log<'a>(source: Source, _: impl Iterator<Item = &'a str>) -> Heard {
    Heard { source }
}
pub(crate) struct Memory;
impl Memory {
    pub(crate) fn read(_: &[u8]) -> Self {
        Self
    }
    pub(crate) fn write(&self) -> Vec<u8> {
        Vec::new()
    }
}
pub(crate) fn conclude(_: &mut Memory, _: &[Heard]) -> Vec<Conclusion> {
    Vec::new()
}
