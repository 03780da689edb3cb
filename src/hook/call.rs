//! The context of a hook call: agent, event, stores, and the session's ledger. Its input is read from
//! standard input up to the end of the JSON object, because some agents leave the pipe open.

use std::{
    cell::{Cell, OnceCell},
    collections::{BTreeSet, HashSet},
    io::{self, BufRead, IsTerminal},
    path::{Path, PathBuf},
    time::Duration,
};

use pimem_core::{
    guard::glob,
    model::{entry::EntryId, event::Provenance, hash::fnv1a64},
    safe,
    safety::{safe_text::SafeText, secret},
    search::social_gate,
    session::transcript,
    usage::record::{Injected, PROMPT, Record, RecordKindOf},
};
use pimem_engine::{
    error::Failure,
    memory::{handoff, learn::News, next::NotShown, sessions},
    store::{
        Store,
        hook_ledger::{self, KnownSession, LedgerNote, LedgerSession},
        provenance, read,
        spool::Said,
    },
};

use super::{answer::HookAnswer, prompt::Heard};
use crate::{
    agents::{
        Agent, CompactionReply, HookEvent, KeptContext,
        hook_input::{self, Input, PromptSource, Speaker},
        reply,
    },
    shell::Shell,
};

/// Maximum number of characters of a session id in recorded provenance.
const SESSION: usize = 64;
/// Time reserved for the hook itself before its deadline.
const REST: Duration = Duration::from_millis(50);
/// Maximum number of characters of a prompt kept for a summary.
const SAID: usize = 450;
/// Most files of a session that are noted as touched.
const TOUCHED: usize = 64;
/// Bytes read from the end of a transcript for the last answer.
const TAIL: u64 = 256 << 10;

pub(crate) struct Call<'a> {
    pub(crate) ctx: &'a Shell,
    pub(crate) agent: Agent,
    pub(crate) moment: HookEvent,
    pub(crate) input: Input,
    /// Existing stores, the project's first; never empty.
    pub(crate) stores: Vec<Store>,
    session: Option<LedgerSession>,
    /// True if nothing may be written, because of how a store is kept.
    is_shut: bool,
    nothing: KnownSession,
    open: OnceCell<String>,
    said: OnceCell<String>,
    /// What the agent reads by itself.
    stated: OnceCell<HashSet<String>>,
    /// True if what waits to be learned was tried.
    learned: Cell<bool>,
}

impl<'a> Call<'a> {
    /// Returns the existing stores, the project's first, whose writers wait for `left` at most.
    pub(crate) fn stores(ctx: &Shell, left: Duration) -> Result<Vec<Store>, Failure> {
        // Agents get only content written or reviewed on this machine, however the store was named.
        // Stores of another user are not even written to, unless they are trusted as a whole.
        let mut stores = ctx.memory.strict_readers()?;
        stores.retain(|store| store.trust.is_whole() || !store.trust.is_foreign());
        for store in &mut stores {
            store.patience = left;
        }
        Ok(stores)
    }

    /// Opens the session. Returns `None` if there is nothing to do: no store, or another process
    /// answers the same call.
    pub(crate) fn new(
        ctx: &'a Shell,
        agent: Agent,
        moment: HookEvent,
        mut input: Input,
        stores: Vec<Store>,
    ) -> Option<Self> {
        let home = stores.first()?;
        let mut session = None;
        let is_shut = ctx.memory.is_shut();
        if let Some(id) = input.context().filter(|_| !is_shut) {
            let call = key(ctx, moment, &input);
            let begins_turn = moment == HookEvent::Prompt;
            let mut open =
                LedgerSession::open(home, &id, (&call, begins_turn), ctx.memory.real_now)?;
            forget(ctx, agent, moment, &mut input, &mut open);
            if open.known.unattended {
                input.speaker = Speaker::Agent;
            } else if input.unattended {
                open.note(&[LedgerNote::Unattended]);
            }
            session = Some(open);
        }
        let nothing = KnownSession::default();
        let (open, said, stated) = (OnceCell::new(), OnceCell::new(), OnceCell::new());
        let learned = Cell::new(false);
        let call = Self {
            ctx,
            agent,
            moment,
            input,
            stores,
            session,
            is_shut,
            nothing,
            open,
            said,
            stated,
            learned,
        };
        // What a sub-agent does is part of its session.
        if call.input.sub_agent.is_some() {
            return Some(call);
        }
        if let (None, Some(id)) = (&call.known().whose, call.session_id()) {
            call.note(&[LedgerNote::Session { id, agent: agent.name().to_owned() }]);
        }
        if let (None, Some(path)) = (&call.known().transcript, call.transcript()) {
            call.note(&[LedgerNote::Transcript { path }]);
        }
        let mut files = call.input.files.clone();
        files.retain(|file| !call.known().touched.contains(file));
        if moment == HookEvent::PostTool
            && !files.is_empty()
            && call.known().touched.len() < TOUCHED
        {
            call.note(&[LedgerNote::Touched { files }]);
        }
        Some(call)
    }

    /// Returns the store that learned entries go to, and whose `data/` is used.
    pub(crate) fn home(&self) -> Option<&Store> {
        self.stores.first()
    }

    pub(crate) fn known(&self) -> &KnownSession {
        self.session.as_ref().map_or(&self.nothing, |session| &session.known)
    }

    pub(crate) fn has_session(&self) -> bool {
        self.session.is_some()
    }

    /// Returns true if nothing may be written. Reading may have shown it.
    pub(crate) fn is_shut(&self) -> bool {
        self.is_shut || self.ctx.memory.is_shut()
    }

    /// Returns true if the answer goes into a prompt.
    pub(crate) fn listens(&self) -> bool {
        reply::listens(self.agent, self.moment)
    }

    /// Returns how long git may take.
    pub(crate) fn git_limit(&self) -> Duration {
        let left = self.home().map(|home| home.patience).unwrap_or_default();
        provenance::LIMIT.min(left.saturating_sub(REST))
    }

    /// Returns what the agent reads by itself, in files of rules.
    pub(crate) fn stated(&self) -> &HashSet<String> {
        let files = self.agent.record().rule_files;
        self.stated.get_or_init(|| self.ctx.memory.reading().stated_in(files))
    }

    /// Returns true if the agent reads a text by itself, in a file of rules.
    pub(crate) fn is_read(&self, text: &str) -> bool {
        self.stated().contains(text)
    }

    pub(crate) fn own_summaries(&self) -> Vec<String> {
        let Some(id) = self.session_id() else { return Vec::new() };
        self.stores.iter().flat_map(|store| sessions::own_texts(store, &id)).collect()
    }

    pub(crate) fn note(&self, notes: &[LedgerNote]) {
        if let Some(session) = &self.session {
            session.note(notes);
        }
    }

    /// Continues the session in a store that was just created.
    pub(crate) fn move_to(&self, store: &Store) {
        if let Some(session) = &self.session {
            session.copy_to(store);
        }
    }

    /// Returns the provenance for events of this call.
    pub(crate) fn who(&self) -> Provenance {
        Provenance {
            by: self.agent.name().to_owned(),
            session: self.session_id(),
            ..Provenance::default()
        }
    }

    /// Returns the session id, cleaned and truncated for recording.
    pub(crate) fn session_id(&self) -> Option<String> {
        session_id(&self.input)
    }

    /// Returns true if the agent shows notices to the person.
    pub(crate) fn shows_notices(&self) -> bool {
        self.agent.record().shows_notices && self.listens()
    }

    /// Returns true if there may be something to learn, or to tell.
    pub(crate) fn has_news(&self, heard: &Heard) -> bool {
        !heard.unspooled.is_empty()
            || !self.known().untold.is_empty()
            || self.stores.iter().any(Store::has_spool)
    }

    /// Learns what waits, once in a call. What fails stays for the next call, but for what is not in
    /// the spool: returns that.
    pub(crate) fn learn<'b>(&self, heard: &'b Heard) -> &'b [Said] {
        if self.learned.replace(true) {
            return &[];
        }
        self.ctx.memory.learning().take_in(&self.stores, false);
        let mut lost: &[Said] = &[];
        if let Some(home) = self.home().filter(|_| !heard.unspooled.is_empty())
            && let Err((failure, left)) = self.ctx.memory.learning().hear(home, &heard.unspooled)
        {
            self.ctx.memory.notices.detail(&format!("not learned: {}", failure.message));
            lost = left;
        }
        // Later calls must find the session in a store that was just made.
        if let Some(made) = heard.made.as_ref().filter(|made| made.dir.is_dir()) {
            self.move_to(made);
        }
        lost
    }

    /// Returns what the person is told that was learned, and notes that.
    pub(crate) fn notice(&self) -> SafeText {
        let news = self.ctx.memory.learning().news();
        let mut lines = self.known().untold.clone();
        lines.extend(news.iter().map(News::told));
        lines.dedup();
        let ids: Vec<EntryId> = news.iter().filter_map(|news| news.entry).collect();
        if !ids.is_empty()
            && let Ok(found) = self.ctx.memory.reading().left_out(&ids)
        {
            let why = |absent: NotShown| format!("not in the next report: {}", absent.reason);
            lines.extend(found.into_iter().flatten().map(why));
        }
        if !lines.is_empty() {
            self.note(&[LedgerNote::Told]);
        }
        lines.iter().map(|line| safe!("{}\n", line)).collect()
    }

    pub(crate) fn record(&self, answer: &HookAnswer) {
        let mut notes = Vec::new();
        notes.extend(answer.report.then_some(LedgerNote::Report));
        // A later prompt may recall a single line of a longer passage.
        let lines = |text: &String| text.lines().map(|line| hash(line.trim())).collect::<Vec<_>>();
        let hashes = answer.passages().flat_map(|text| [vec![hash(text)], lines(text)].concat());
        let hashes: BTreeSet<u64> = hashes.collect();
        let hashes = hashes.into_iter().collect();
        notes.extend(hook_ledger::seen(answer.entries().map(|shown| shown.id), hashes));
        if self.moment == HookEvent::Prompt && self.input.speaker.is_person() {
            let recalled = answer.entries().filter(|shown| shown.score.is_some());
            let entries: Vec<String> = recalled.map(|shown| shown.id.to_string()).collect();
            notes.extend((!entries.is_empty()).then_some(LedgerNote::Recalled { entries }));
        }
        self.note(&notes);
        let mut records = Vec::new();
        // Prompts that found nothing count too.
        let asked = matches!(self.moment, HookEvent::Prompt | HookEvent::SubagentStart)
            && self.listens()
            && !social_gate::is_trivial(self.prompt());
        let shown = answer.entries();
        let entries: Vec<Injected> =
            shown.map(|shown| Injected::new(shown.id, &shown.text, shown.score)).collect();
        if !entries.is_empty() || asked {
            records.push(RecordKindOf::Injection {
                event: self.moment.name().to_owned(),
                prompt: self.prompt().to_owned(),
                entries,
            });
        }
        let count = answer.sessions();
        if count > 0 {
            records.push(RecordKindOf::SessionInject { prompt: self.prompt().to_owned(), count });
        }
        // Before the telemetry, from which accesses are counted where they never were.
        for store in &self.stores {
            let recalled = answer.entries().filter(|shown| shown.score.is_some());
            let here = recalled.filter(|shown| shown.scope == store.scope);
            let here: Vec<EntryId> = here.map(|shown| shown.id).collect();
            self.ctx.memory.learning().count_accesses(store, &here);
        }
        self.telemetry(records);
    }

    pub(crate) fn telemetry(&self, records: Vec<RecordKindOf>) {
        let Some(home) = self.home().filter(|_| !records.is_empty()) else { return };
        let record = |what| Record {
            ts: self.ctx.memory.now.0.to_string(),
            agent: self.agent.name().to_owned(),
            session: self.session_id(),
            what,
        };
        let records: Vec<Record> = records.into_iter().map(record).collect();
        self.ctx.memory.learning().note_telemetry(home, &records);
    }

    /// Returns the agent's answer: from the input, otherwise from the end of the transcript.
    pub(crate) fn response(&self) -> Option<String> {
        self.input.response.clone().or_else(|| {
            let tail = read::tail(Path::new("/"), &self.transcript()?, TAIL).ok()??;
            transcript::last_assistant(&tail)
        })
    }

    pub(crate) fn transcript(&self) -> Option<PathBuf> {
        self.input.transcript.as_ref().map(|path| self.ctx.memory.places.cwd.join(path))
    }

    /// Returns the beginning of the prompt on one line, without secrets.
    pub(crate) fn prompt(&self) -> &str {
        self.said.get_or_init(|| {
            let line = self.open().split_whitespace().collect::<Vec<_>>().join(" ");
            line.chars().take(PROMPT).collect()
        })
    }

    /// Returns more of the prompt, with its line breaks, without secrets: enough to recognise what
    /// was typed.
    pub(crate) fn said(&self) -> String {
        self.open().chars().take(SAID).collect()
    }

    /// Returns the prompt without secrets. Cached, because a prompt may contain pasted pages.
    pub(super) fn open(&self) -> &str {
        self.open
            .get_or_init(|| secret::clean_lines(self.input.prompt.as_deref().unwrap_or_default()))
    }
}

/// Says which files the session works on: those that the prompt names or tools have touched.
pub(crate) fn works_on(ctx: &Shell, home: Option<&Store>, input: &Input) {
    let ledger = input.session.as_deref().map(hook_ledger::name_of);
    let touched = home.zip(ledger).map(|(home, ledger)| hook_ledger::known(home, &ledger).touched);
    let touched = touched.unwrap_or_default();
    let named = glob::named(input.prompt.as_deref().unwrap_or_default());
    ctx.memory.works_on(touched.iter().chain(&input.files).map(String::as_str).chain(named));
}

/// Returns the session id, cleaned and truncated for recording.
pub(crate) fn session_id(input: &Input) -> Option<String> {
    let visible = handoff::visible(input.session.as_ref()?);
    Some(visible.chars().take(SESSION).collect::<String>()).filter(|id| !id.is_empty())
}

/// Returns the hash of a text that is not an entry.
pub(crate) fn hash(text: &str) -> u64 {
    fnv1a64(&[text.as_bytes()])
}

/// Returns the key by which two calls are recognised as the same.
fn key(ctx: &Shell, moment: HookEvent, input: &Input) -> String {
    let Input { source, prompt, files, response, invocation, transcript, .. } = input;
    let source = if moment == HookEvent::SessionStart { *source } else { PromptSource::Startup };
    // Sessions that are resumed soon end again, with more said.
    let ends = matches!(moment, HookEvent::Stop | HookEvent::SessionEnd);
    let said = transcript.as_ref().filter(|_| ends).and_then(|path| {
        let said = std::fs::metadata(ctx.memory.places.cwd.join(path));
        Some(said.ok()?.len())
    });
    format!("{moment:?} {source:?} {prompt:?} {files:?} {response:?} {invocation} {said:?}")
}

/// Forgets what hooks gave before if the agent's context no longer has it.
fn forget(
    ctx: &Shell,
    agent: Agent,
    moment: HookEvent,
    input: &mut Input,
    open: &mut LedgerSession,
) {
    let behaviour = agent.record();
    let is_start = moment == HookEvent::SessionStart;
    let is_resumed =
        input.source == PromptSource::Resume && behaviour.prompt_context == KeptContext::Process;
    let is_announced =
        moment == HookEvent::PreCompact && behaviour.compaction == CompactionReply::Announced;
    let mut is_gone = is_announced || is_start && (input.source.forgets() || is_resumed);
    if behaviour.compaction == CompactionReply::InTranscript
        && (is_start || moment == HookEvent::Prompt)
        && let Some(path) = &input.transcript
    {
        let path = ctx.memory.places.cwd.join(path);
        // A session that is resumed may start in another file. What its first one tells is known then.
        let first = open.known.transcript.clone().filter(|first| is_start && *first != path);
        let files = [Some(path), first].into_iter().flatten();
        if files.filter(|file| open.was_compacted(file)).count() > 0 {
            is_gone = true;
            input.source = PromptSource::Compact;
        }
    }
    if is_gone {
        open.forget_context();
    }
}

/// Maximum input in bytes. A tool result with a whole file fits; longer input is read to its end, and
/// dropped.
const INPUT: usize = 8 << 20;

/// Reads the input. Text that is not a JSON object is the prompt for a generic agent, and `None`
/// for others.
pub(crate) fn read_input(agent: Agent) -> Option<Input> {
    let stdin = io::stdin();
    if stdin.is_terminal() {
        return Some(Input::default());
    }
    let mut stdin = stdin.lock();
    // What grows is copied, and room that is not used costs nothing.
    let mut bytes = Vec::with_capacity(INPUT / 32);
    let mut frame = Frame::default();
    loop {
        let (read, closes) = match stdin.fill_buf() {
            Ok([]) => break,
            Ok(piece) => {
                bytes.extend_from_slice(piece);
                (piece.len(), frame.closes(piece))
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => break,
        };
        stdin.consume(read);
        if bytes.len() > INPUT {
            drop(io::copy(&mut stdin, &mut io::sink()));
            return Some(Input { too_large: true, ..Input::default() });
        }
        if closes && let Some(input) = hook_input::read(agent, &bytes) {
            return Some(input);
        }
    }
    hook_input::read(agent, &bytes).or_else(|| {
        let prompt = String::from_utf8(bytes).ok().filter(|_| agent == Agent::Generic)?;
        Some(Input { prompt: hook_input::typed(&prompt), ..Input::default() })
    })
}

/// Detects the end of a JSON object. Every byte is examined once, however small the pieces are.
#[derive(Debug, Default)]
struct Frame {
    /// Number of open braces.
    depth: usize,
    quoted: bool,
    /// True if the last byte was a backslash that escapes the next byte of a string.
    escaped: bool,
    /// True if an object was closed; further bytes belong to no message.
    closed: bool,
}

impl Frame {
    /// Examines the next piece. Returns true if it closes the object, which happens once.
    fn closes(&mut self, piece: &[u8]) -> bool {
        if self.closed {
            return false;
        }
        let mut at = 0;
        if std::mem::take(&mut self.escaped) {
            at = 1;
        }
        while let Some(rest) = piece.get(at..) {
            let found = if self.quoted {
                memchr::memchr2(b'"', b'\\', rest)
            } else {
                memchr::memchr3(b'"', b'{', b'}', rest)
            };
            let Some(found) = found else { break };
            at += found + 1;
            match rest.get(found) {
                Some(b'"') => self.quoted = !self.quoted,
                Some(b'\\') => {
                    self.escaped = at == piece.len();
                    at += 1;
                }
                Some(b'{') => self.depth += 1,
                _ => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth == 0 {
                        self.closed = true;
                        return true;
                    }
                }
            }
        }
        false
    }
}

/// Time to wait for further input.
pub(crate) const MORE: Duration = Duration::from_millis(50);

/// Consumes what the agent has written, so that its write does not fail when this process exits.
/// Returns at once if there is no input; after some input, waits up to `patience` for more.
#[cfg(unix)]
pub(crate) fn drain(patience: Duration) {
    use rustix::{
        buffer::spare_capacity,
        event::{PollFd, PollFlags, Timespec, poll},
    };
    let stdin = io::stdin();
    if stdin.is_terminal() {
        return;
    }
    let (mut piece, mut left) = (Vec::with_capacity(64 << 10), INPUT);
    let mut wait = Timespec { tv_sec: 0, tv_nsec: 0 };
    // Bypasses the lock of the handle, which another thread may hold while it reads.
    while left > 0 {
        let mut ready = [PollFd::new(&stdin, PollFlags::IN)];
        if !poll(&mut ready, Some(&wait)).is_ok_and(|ready| ready > 0) {
            return;
        }
        piece.clear();
        match rustix::io::read(&stdin, spare_capacity(&mut piece)) {
            Ok(0) | Err(_) => return,
            Ok(read) => left = left.saturating_sub(read),
        }
        wait.tv_nsec = patience.subsec_nanos().into();
    }
}

#[cfg(not(unix))]
pub(crate) fn drain(_: Duration) {}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the offset at which the object closes if the text arrives in pieces of `size` bytes.
    fn closes(text: &str, size: usize) -> Option<usize> {
        let mut frame = Frame::default();
        let mut seen = 0;
        let mut found = Vec::new();
        for piece in text.as_bytes().chunks(size) {
            seen += piece.len();
            if frame.closes(piece) {
                found.push(seen);
            }
        }
        assert!(found.len() <= 1, "{text}: {found:?}");
        found.pop()
    }

    #[test]
    fn an_object_ends_once_however_it_comes() {
        for (text, want) in [
            ("{}", Some(2)),
            ("\u{feff} {} {}", Some(6)),
            ("{\"a\":{\"b\":[{}]}}\n", Some(16)),
            ("{\"a\":\"}\"}", Some(9)),
            ("{\"a\":\"\\\"}\"}", Some(11)),
            ("{\"a\":\"\\\\\"}", Some(10)),
            ("{\"a\":\"\\\\\\\"}\"}", Some(13)),
            ("{\"\\u007d\":1}", Some(12)),
            ("{\"a\":\"}", None),
            ("{\"a\":{}", None),
            ("", None),
            ("no object", None),
            ("\"{}\"", None),
            ("}{}", Some(1)),
        ] {
            assert_eq!(closes(text, 1), want, "{text}");
            for size in 2..=text.len() {
                let whole =
                    want.map(|end| end.div_ceil(size) * size).map(|end| end.min(text.len()));
                assert_eq!(closes(text, size), whole, "{text} in pieces of {size}");
            }
        }
    }
}
