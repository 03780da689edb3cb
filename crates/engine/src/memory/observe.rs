//! Observations of a transcript: reads its new messages, observes them, and writes the result.
//! Prints nothing but warnings.

use crate::memory::handles::Tending;
use std::{io::Read, ops::ControlFlow};

use pimem_core::{
    model::{
        hash::short_sha256,
        time::{Date, Timestamp},
    },
    observe::{
        document::{self, Observations},
        rules::{self, HeardTurn},
    },
    report::budget::Tokens,
    safety::secret,
    session::transcript::{Message, Role as Speaker, Session, TranscriptLines},
};
use serde::Serialize;

use super::{
    Memory, WriteTarget, lock,
    reflect::{self, How},
    sessions::{self, OpenedTranscript, Transcript},
};
use crate::{
    error::Failure,
    llm::{ModelError, ModelRole, Prompt, Question, Service},
    local_time,
    memory::reflect::ReflectedFile,
    store::{
        Store,
        notes::{self, Reached},
        read,
    },
    view,
};

/// Tokens of a conversation that are observed at once.
const PIECE: Tokens = Tokens(30_000);
/// Maximum number of questions to a model in one run; the rest is left for the next run.
const QUESTIONS: usize = 20;
/// Maximum number of characters of observations that one run makes.
const MOST: usize = 1 << 20;
/// Maximum number of characters of earlier observations in the model's prompt.
const SO_FAR: usize = 8_000;

/// Which part of a transcript to observe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Observing {
    /// The new messages.
    News,
    /// The new messages, if they are enough.
    IfDue,
    /// All messages, including those observed before; nothing is written.
    Anew,
}

#[derive(Debug, Clone, Copy)]
struct ObserveRequest<'a> {
    /// Id of the session, used instead of the transcript's.
    session: Option<&'a str>,
    /// Minimum number of new tokens.
    due: Option<Tokens>,
    /// True to observe all messages, including those observed before.
    anew: bool,
}

struct Observed {
    /// Name of the session's file without `.md`.
    stem: String,
    found: Observations,
    /// Number of new messages, and their tokens.
    messages: u64,
    tokens: Tokens,
    /// True if there was enough to observe.
    due: bool,
    /// True if a part was left for another run.
    more: bool,
    /// Name of the model, if it observed all of it, and the number of lines in its answers that
    /// were not observations.
    model: Option<String>,
    dropped: usize,
    before: Reached,
    reached: Reached,
}

impl Observed {
    /// Converts to the output, with the observations that were written, or would be.
    fn view(self, written: &Observations, reflected: Option<ReflectedFile>) -> ObserveView {
        let session = ObservedSession {
            file: notes::observation_file(&self.stem),
            messages: self.messages,
            tokens: self.tokens.0,
            due: self.due,
            more: self.more,
            by: self.model.unwrap_or_else(|| "rules".to_owned()),
            dropped: self.dropped,
        };
        let (observations, text) = (written.items().count(), written.to_string());
        ObserveView { session: Some(session), observations, text, reflected }
    }
}

impl Tending<'_> {
    /// Observes a session and appends the observations to its file. A file that becomes too long is
    /// consolidated.
    ///
    /// # Errors
    /// Fails if the transcript cannot be read or parsed, or the store cannot be written.
    pub fn observe(
        self,
        transcript: Transcript<'_>,
        session: Option<&str>,
        observing: Observing,
    ) -> Result<ObserveView, Failure> {
        let least = self.memory.config.settings.observer.message_tokens;
        let due = (observing == Observing::IfDue).then_some(least);
        let request = ObserveRequest { session, due, anew: observing == Observing::Anew };
        let observed = match transcript {
            Transcript::Stdin(input) => observe(self.memory, input, "standard input", request)?,
            Transcript::File(path) => {
                observe(self.memory, sessions::open(path)?, &path.display().to_string(), request)?
            }
        };
        let notices = &self.memory.notices;
        let Some(observed) = observed else {
            notices.note("There is nothing to observe: nobody said anything");
            let text = String::new();
            return Ok(ObserveView { session: None, observations: 0, text, reflected: None });
        };
        if observed.dropped > 0 {
            notices.note(&format!(
                "Lines of the answer that are no observations, left out: {}",
                observed.dropped
            ));
        }
        if !observed.due {
            let tokens = observed.tokens;
            notices.note(&format!("Not due: what is new has {tokens} of {least} tokens"));
            return Ok(observed.view(&Observations::default(), None));
        }
        if observing == Observing::Anew {
            let found = observed.found.clone();
            return Ok(observed.view(&found, None));
        }
        self.keep(observed)
    }

    /// Writes the observations.
    fn keep(self, observed: Observed) -> Result<ObserveView, Failure> {
        let (target, notices) = (self.memory.target()?, &self.memory.notices);
        // Without observations, no store is created.
        if observed.found.is_empty() && !target.exists {
            notices.note("There is nothing new to note");
            return Ok(observed.view(&Observations::default(), None));
        }
        let Some((store, written)) = write(self.memory, target, &observed)? else {
            notices
                .note("Another process has observed this session meanwhile: nothing was written");
            return Ok(observed.view(&Observations::default(), None));
        };
        if observed.more {
            notices.note("The transcript goes on: the same call again observes more of it");
        }
        if written.is_empty() {
            notices.note("There is nothing new to note");
            return Ok(observed.view(&written, None));
        }
        let due = reflect::due(self.memory);
        let long = reflect::tokens(&store, &observed.stem)? > due;
        let how = How { aggressive: false, due, trial: false };
        let reflected = long.then(|| reflect::file(self.memory, &store, &observed.stem, how));
        let reflected = reflected.transpose()?;
        notices.note(&format!(
            "Observed {} in {}: {}",
            view::count(usize::try_from(observed.messages).unwrap_or(usize::MAX), "message"),
            notes::observation_file(&observed.stem),
            view::count(written.items().count(), "observation")
        ));
        if let Some(file) = &reflected {
            notices.note(&file.line());
        }
        Ok(observed.view(&written, reflected))
    }
}

fn observe(
    memory: &Memory,
    input: impl Read,
    name: &str,
    request: ObserveRequest<'_>,
) -> Result<Option<Observed>, Failure> {
    let mut work = Work {
        memory,
        request,
        place: None,
        seen: Seen::default(),
        piece: Piece::default(),
        waiting: Vec::new(),
        found: Observations::default(),
        chars: 0,
        asked: 0,
        looked: false,
        service: None,
        model: None,
        dropped: 0,
        more: false,
    };
    match sessions::opened(input, name)? {
        None => {}
        Some(OpenedTranscript::Text(text)) => {
            let messages = sessions::blocks(&text).into_iter().filter_map(spoken);
            work.take(None, messages);
        }
        Some(OpenedTranscript::Lines(input)) => {
            let mut lines = TranscriptLines::default();
            let read = read::each_line(input, u64::MAX, |line| {
                let messages = lines.push(line);
                work.take(lines.session(), messages);
                if work.more { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            read.map_err(|error| sessions::unreadable(name, error))?;
            let (session, rest) = lines.finish().ok_or_else(|| sessions::unknown(name))?;
            work.take(Some(&session), rest);
        }
    }
    Ok(work.finish())
}

/// Appends observations to the session's file, and returns what was written. `None` if another
/// process has observed the same messages meanwhile.
fn write(
    memory: &Memory,
    target: WriteTarget,
    observed: &Observed,
) -> Result<Option<(Store, Observations)>, Failure> {
    let store = memory.made(target)?;
    let mut written = Observations::default();
    {
        let lock = lock(memory, &store)?;
        if store.reached(&observed.stem) != observed.before {
            return Ok(None);
        }
        store.rewrite(&lock, &notes::observation_file(&observed.stem), |bytes| {
            written = observed.found.without(&Observations::parse(&String::from_utf8_lossy(bytes)));
            (!written.is_empty()).then(|| document::append(bytes, &written))
        })?;
        store.note_reached(&observed.stem, &observed.reached)?;
    }
    Ok(Some((store, written)))
}

/// Converts a message to local time and redacts secrets. A message without a time gets the `day` of
/// the previous one.
pub fn heard(memory: &Memory, message: Message, day: &mut Option<Date>) -> HeardTurn {
    let Message { role, text, when } = message;
    let at = local_time::local(memory.now.cap(when.unwrap_or(memory.now.0)));
    let date = if when.is_some() { at.date } else { day.unwrap_or(at.date) };
    *day = Some(date);
    HeardTurn { role, text: secret::clean_lines(&text), date, minute: when.map(|_| at.minute()) }
}

/// Parses a message of plain text. A prefix such as `Assistant:` names the speaker.
fn spoken(block: &str) -> Option<Message> {
    let text = block.trim();
    let (who, rest) = text.split_once(':').unwrap_or(("", text));
    let (role, text) = match who.to_ascii_lowercase().as_str() {
        "user" | "human" => (Speaker::User, rest.trim()),
        "assistant" | "agent" => (Speaker::Assistant, rest.trim()),
        _ => (Speaker::User, text),
    };
    (!text.is_empty()).then(|| Message { role, text: text.to_owned(), when: None })
}

/// The session, and how far it was observed.
struct Place {
    stem: String,
    reached: Reached,
    /// End of the earlier observations, for a model.
    so_far: String,
}

/// How far the transcript was read.
#[derive(Default)]
struct Seen {
    /// Number of all messages, and of new ones.
    all: u64,
    fresh: u64,
    tokens: u64,
    last: Option<Timestamp>,
    day: Option<Date>,
}

/// Messages that are observed together.
#[derive(Default)]
struct Piece {
    heard: Vec<HeardTurn>,
    chars: usize,
}

struct Work<'a> {
    memory: &'a Memory,
    request: ObserveRequest<'a>,
    place: Option<Place>,
    seen: Seen,
    piece: Piece,
    /// Pieces that are observed as soon as there are enough.
    waiting: Vec<Piece>,
    found: Observations,
    chars: usize,
    asked: usize,
    looked: bool,
    /// The model, until it fails.
    service: Option<Service>,
    model: Option<String>,
    dropped: usize,
    more: bool,
}

impl Work<'_> {
    fn take(&mut self, session: Option<&Session>, messages: impl IntoIterator<Item = Message>) {
        for message in messages {
            if self.more {
                return;
            }
            if self.place.is_none() {
                self.find_place(session, &message);
            }
            let number = self.seen.all;
            let known = |place: &Place| !place.reached.is_before(number, message.when);
            let known = self.place.as_ref().is_some_and(known);
            if self.piece.is_full(message.role) {
                self.close();
                if self.more {
                    return;
                }
            }
            self.seen.all += 1;
            self.seen.last = self.seen.last.max(message.when);
            let heard = heard(self.memory, message, &mut self.seen.day);
            if !known && !heard.text.trim().is_empty() {
                self.seen.fresh += 1;
                self.piece.push(heard);
            }
        }
    }

    fn find_place(&mut self, session: Option<&Session>, first: &Message) {
        let id = self.request.session.map(str::to_owned);
        let id = id.or_else(|| session?.id.clone()).or_else(|| self.memory.who().session);
        let id = id.map(|id| secret::clean(&id)).filter(|id| !id.is_empty());
        // The first message identifies a transcript without an id; it stays the same as the
        // transcript grows.
        let id = id.unwrap_or_else(|| short_sha256(first.text.as_bytes()));
        let stem = notes::observation_stem(&id);
        let (mut reached, mut so_far) = (Reached::default(), String::new());
        let known = self.memory.target().ok().filter(|target| target.exists && !self.request.anew);
        if let Some(WriteTarget { dir, scope, .. }) = known {
            let store = self.memory.store(dir, scope).strict();
            reached = store.reached(&stem);
            let name = notes::observation_file(&stem);
            // Unreviewed text, as from a clone, is not sent to a model.
            let file = store.file(&name).ok().flatten().filter(|_| store.file_reviewed(&name));
            so_far =
                file.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
        }
        self.place = Some(Place { stem, reached, so_far });
    }

    /// Ends a piece, and observes the waiting pieces if they are enough.
    fn close(&mut self) {
        let piece = std::mem::take(&mut self.piece);
        self.seen.tokens += u64::from(Tokens::of_chars(piece.chars).0);
        self.waiting.push(piece);
        if !self.is_due() {
            return;
        }
        for piece in
            std::mem::take(&mut self.waiting).into_iter().filter(|piece| !piece.heard.is_empty())
        {
            let new = self.observed(&piece.heard);
            self.chars += new.to_string().len();
            for (date, item) in new.items() {
                self.found.push(date, item.clone());
            }
        }
        self.more = self.chars >= MOST || self.asked >= QUESTIONS;
    }

    fn is_due(&self) -> bool {
        self.request.due.is_none_or(|least| self.seen.tokens >= u64::from(least.0))
    }

    fn find_model(&mut self) {
        if std::mem::replace(&mut self.looked, true) {
            return;
        }
        match Service::of(&self.memory.config, &self.memory.env, ModelRole::Observer) {
            Ok(service) => self.service = service,
            Err(trouble) => warn(self.memory, &trouble, "observed by rules instead"),
        }
        self.model = self.service.as_ref().map(|service| service.name().to_owned());
    }

    /// Observes a piece by the model, or else by rules.
    fn observed(&mut self, heard: &[HeardTurn]) -> Observations {
        self.find_model();
        if let Some(service) = self.service.take() {
            match self.asked(&service, heard) {
                Ok(found) => {
                    self.service = Some(service);
                    return found;
                }
                Err(trouble) => warn(self.memory, &trouble, "observed by rules instead"),
            }
            // A model that failed is not asked again, because every piece would wait for it.
            self.model = None;
        }
        rules::observe(heard)
    }

    fn asked(
        &mut self,
        service: &Service,
        heard: &[HeardTurn],
    ) -> Result<Observations, ModelError> {
        let text = Prompt::Observer.text(self.memory.env.home.as_deref())?;
        let before = self.place.as_ref().map(|place| place.so_far.as_str()).unwrap_or_default();
        let before = format!("{before}{}", self.found);
        let said: String = heard.iter().map(HeardTurn::read_out).collect();
        let mut about = String::new();
        if !before.trim().is_empty() {
            about = format!(
                "The end of the observations so far, not to be repeated:\n\n{}\n\n",
                end_of(&before)
            );
        }
        about += &format!("The conversation:\n\n{said}");
        self.asked += 1;
        let answer = service.ask(Question { rules: &text, text: &about })?;
        let days = || heard.iter().map(|heard| heard.date);
        let (first, last) = (days().min(), days().max());
        let known = |date: Date| {
            first.is_some_and(|first| date >= first) && last.is_some_and(|last| date <= last)
        };
        let (found, dropped) = document::read_answer(&answer, first, known);
        self.dropped += dropped;
        if found.is_empty() {
            let message = format!("{} answered without any observation", service.name());
            return Err(ModelError { message, hint: "try again, or another model".to_owned() });
        }
        Ok(found)
    }

    fn finish(mut self) -> Option<Observed> {
        if !self.more {
            self.close();
        }
        let Place { stem, reached: before, .. } = self.place?;
        let last = self.seen.last.max(before.last.as_deref().and_then(Timestamp::parse));
        let reached =
            Reached { messages: Some(self.seen.all), last: last.map(|last| last.to_string()) };
        Some(Observed {
            stem,
            due: self.request.due.is_none_or(|least| self.seen.tokens >= u64::from(least.0)),
            found: self.found,
            messages: self.seen.fresh,
            tokens: Tokens(u32::try_from(self.seen.tokens).unwrap_or(u32::MAX)),
            more: self.more,
            model: self.model.filter(|_| self.asked > 0),
            dropped: self.dropped,
            before,
            reached,
        })
    }
}

impl Piece {
    fn push(&mut self, heard: HeardTurn) {
        self.chars += heard.read_out().chars().count();
        self.heard.push(heard);
    }

    /// Returns true if the next message starts another piece. If possible, pieces start with a
    /// message of the user.
    fn is_full(&self, next: Speaker) -> bool {
        let most = PIECE.chars();
        self.chars >= most || (next == Speaker::User && self.chars >= most / 4 * 3)
    }
}

/// Reports why a model did not answer.
pub fn warn(memory: &Memory, trouble: &ModelError, instead: &str) {
    memory.notices.note(&format!("warning: {trouble}; {instead}"));
    if !trouble.hint.is_empty() {
        memory.notices.note(&format!("hint: {}", trouble.hint));
    }
}

/// Returns the last lines of a text.
fn end_of(text: &str) -> &str {
    let text = text.trim_end();
    let Some(cut) = text.len().checked_sub(SO_FAR) else { return text };
    let end = text.get(text.ceil_char_boundary(cut)..).unwrap_or_default();
    end.split_once('\n').map_or(end, |(_, rest)| rest)
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ObserveView {
    /// The session read; absent if it has no messages.
    #[serde(flatten)]
    pub session: Option<ObservedSession>,
    /// Number of observations written, or that would be.
    pub observations: usize,
    /// Text of the observations.
    pub text: String,
    /// Consolidation of the file, if it was too long.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reflected: Option<ReflectedFile>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ObservedSession {
    /// File of observations, relative to the store.
    pub file: String,
    pub messages: u64,
    pub tokens: u32,
    /// True if there were enough tokens.
    pub due: bool,
    /// True if messages are left for another run.
    pub more: bool,
    /// Language model that observed all of it, or `rules`.
    pub by: String,
    /// Lines of the model's answers that are not observations.
    pub dropped: usize,
}

documents! {
    ObserveView: "pimem.observe/1",
}
