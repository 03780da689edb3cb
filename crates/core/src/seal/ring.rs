//! The keys of a store, and sealing and opening with them.

use std::{cmp::Reverse, collections::HashMap};

use memchr::memchr_iter;

use super::{ID_BYTES, KeyId, SealKey, SealLine, TAG_BYTES};
use crate::seal;

pub const NONCE_BYTES: usize = 24;
/// Plaintext bytes after which a log begins another token.
const RUN: usize = 64 * 1024;

/// How a file is sealed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Each line by itself, so that the file is compared and merged by line.
    Lines,
    /// Neighbouring lines of a log together, but for those that are sealed already.
    Log,
    /// The whole file as one token.
    Whole,
}

/// What [`Keyring::open`] has made of a file.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Opened {
    /// The text. Lines that could not be opened are in it as they are in the file.
    pub bytes: Vec<u8>,
    /// Number of lines that are not sealed, blank ones left out.
    pub plain: usize,
    pub damaged: usize,
    /// Number of lines that are sealed under a key that is not here.
    pub foreign: usize,
    /// Number of lines that are sealed under a former key.
    pub former: usize,
}

impl Opened {
    /// Returns true if sealing the file again would change it.
    pub fn is_due(&self) -> bool {
        self.plain + self.former > 0
    }

    /// Returns the number of lines that could not be opened.
    pub fn closed(&self) -> usize {
        self.damaged + self.foreign
    }
}

/// The keys of a store. The first one seals; all of them open.
#[derive(Debug)]
pub struct Keyring {
    store: String,
    categories: Vec<String>,
    keys: Vec<SealKey>,
}

impl Keyring {
    /// Creates the keyring of a store; `categories` are the names that stay readable before a
    /// sealed entry.
    #[must_use]
    pub fn new(store: String, categories: Vec<String>, key: SealKey, former: Vec<SealKey>) -> Self {
        let mut keys = vec![key];
        keys.extend(former);
        Self { store, categories, keys }
    }

    pub fn store(&self) -> &str {
        &self.store
    }

    pub fn current(&self) -> KeyId {
        self.keys.first().map_or(KeyId([0; ID_BYTES]), |key| key.id)
    }

    fn key(&self, id: KeyId) -> Option<&SealKey> {
        self.keys.iter().find(|key| key.id == id)
    }

    fn data(&self, key: KeyId, category: &[u8]) -> Vec<u8> {
        [b"pimem enc:v1\0", self.store.as_bytes(), b"\0", &key.0, category].concat()
    }

    #[must_use]
    pub fn open(&self, bytes: &[u8]) -> Opened {
        let mut opened = Opened { bytes: Vec::with_capacity(bytes.len()), ..Opened::default() };
        let mut work = Work::default();
        for line in lines(bytes) {
            let (body, end) = seal::body(line);
            match seal::read(body) {
                SealLine::Sealed { category, token } => {
                    self.open_line((category, token), body, &mut work, &mut opened);
                }
                found => {
                    opened.plain += usize::from(found == SealLine::Plain);
                    opened.damaged += usize::from(found == SealLine::Damaged);
                    opened.bytes.extend_from_slice(body);
                }
            }
            opened.bytes.extend_from_slice(end);
        }
        opened
    }

    /// Appends what a sealed line stands for, or the line as it is.
    fn open_line(
        &self,
        (category, token): (&[u8], &[u8]),
        body: &[u8],
        work: &mut Work,
        opened: &mut Opened,
    ) {
        let id = seal::key_of(token);
        let key = id.and_then(|id| self.key(id));
        let before = opened.bytes.len();
        if !category.is_empty() {
            opened.bytes.extend_from_slice(b"- [");
            opened.bytes.extend_from_slice(category);
            opened.bytes.extend_from_slice(b"] ");
        }
        let done = key.map(|key| self.open_token(key, category, token, work, &mut opened.bytes));
        if done == Some(Some(())) {
            opened.former += usize::from(id != Some(self.current()));
            return;
        }
        opened.bytes.truncate(before);
        opened.bytes.extend_from_slice(body);
        // A damaged id looks like one of another key; either is told.
        let count = match done {
            _ if !seal::may_be_token(token) => &mut opened.plain,
            None if id.is_some() => &mut opened.foreign,
            _ => &mut opened.damaged,
        };
        *count += 1;
    }

    /// Appends what a token holds to `out`.
    fn open_token(
        &self,
        key: &SealKey,
        category: &[u8],
        token: &[u8],
        work: &mut Work,
        out: &mut Vec<u8>,
    ) -> Option<()> {
        if work.data_of.as_ref().is_none_or(|(id, of)| *id != key.id || of != category) {
            work.data = self.data(key.id, category);
            work.data_of = Some((key.id, category.to_vec()));
        }
        let token = seal::decode(token, &mut work.bytes)?;
        let text = work.bytes.get_mut(token.text)?;
        key.open(&token.nonce, &work.data, text, token.tag)?;
        out.extend_from_slice(seal::unpadded(text, seal::PAD)?);
        Some(())
    }

    /// Seals a text that replaces the file `before`. Lines that are sealed there keep their bytes,
    /// and so do lines that could not be opened.
    ///
    /// # Errors
    /// Fails if `nonce`, which is called for each token, does.
    pub fn seal<E>(
        &self,
        text: &[u8],
        before: &[u8],
        form: Form,
        nonce: &mut impl FnMut() -> Result<[u8; NONCE_BYTES], E>,
    ) -> Result<Vec<u8>, E> {
        let mut out = Vec::with_capacity(2 * text.len());
        if form == Form::Whole {
            let (body, end) = text.split_at(text.len() - usize::from(text.ends_with(b"\n")));
            if !body.is_empty() {
                self.token(body, b"", nonce, &mut out)?;
            }
            out.extend_from_slice(end);
            return Ok(out);
        }
        let mut known = self.known(before);
        let mut run = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            let line = lines(rest).next().unwrap_or(rest);
            let (body, end) = seal::body(line);
            if let Some((old, length)) = known.next(rest, body) {
                self.flush(&mut run, nonce, &mut out)?;
                out.extend_from_slice(old);
                rest = rest.get(length..).unwrap_or_default();
                continue;
            }
            rest = rest.get(line.len()..).unwrap_or_default();
            if form == Form::Log && end == b"\n" {
                run.extend_from_slice(line);
                if run.len() >= RUN {
                    self.flush(&mut run, nonce, &mut out)?;
                }
                continue;
            }
            self.flush(&mut run, nonce, &mut out)?;
            let readable = seal::entry(body).filter(|(name, at)| {
                form == Form::Lines && body.len() > *at && self.is_readable(name)
            });
            match readable {
                _ if body.is_empty() => {}
                Some((category, at)) => {
                    let (head, text) = body.split_at(at);
                    out.extend_from_slice(head);
                    self.token(text, category, nonce, &mut out)?;
                }
                None => self.token(body, b"", nonce, &mut out)?,
            }
            out.extend_from_slice(end);
        }
        self.flush(&mut run, nonce, &mut out)?;
        Ok(out)
    }

    fn is_readable(&self, name: &[u8]) -> bool {
        self.categories.iter().any(|known| known.as_bytes() == name)
    }

    /// Seals collected lines of a log.
    fn flush<E>(
        &self,
        run: &mut Vec<u8>,
        nonce: &mut impl FnMut() -> Result<[u8; NONCE_BYTES], E>,
        out: &mut Vec<u8>,
    ) -> Result<(), E> {
        if let Some(body) = run.strip_suffix(b"\n") {
            if !body.is_empty() {
                self.token(body, b"", nonce, out)?;
            }
            out.push(b'\n');
            run.clear();
        }
        Ok(())
    }

    fn token<E>(
        &self,
        text: &[u8],
        category: &[u8],
        nonce: &mut impl FnMut() -> Result<[u8; NONCE_BYTES], E>,
        out: &mut Vec<u8>,
    ) -> Result<(), E> {
        let nonce = nonce()?;
        let mut bytes = Vec::with_capacity(ID_BYTES + NONCE_BYTES + text.len() + 64);
        bytes.extend_from_slice(&self.current().0);
        bytes.extend_from_slice(&nonce);
        let start = bytes.len();
        bytes.extend_from_slice(text);
        seal::pad(&mut bytes, start, seal::PAD);
        let data = self.data(self.current(), category);
        let sealed = bytes.get_mut(start..).unwrap_or_default();
        let tag = self.keys.first().and_then(|key| key.seal(&nonce, &data, sealed));
        // The cipher takes up to 256 GiB; files are limited to far less.
        bytes.extend_from_slice(&tag.unwrap_or_default());
        seal::encode(&bytes, out);
        Ok(())
    }

    /// Seals a file that is no text. `name` is bound to it.
    #[must_use]
    pub fn seal_blob(&self, name: &str, bytes: &[u8], nonce: [u8; NONCE_BYTES]) -> Vec<u8> {
        let mut out = Vec::with_capacity(bytes.len() + ID_BYTES + NONCE_BYTES + TAG_BYTES);
        out.extend_from_slice(&self.current().0);
        out.extend_from_slice(&nonce);
        let start = out.len();
        out.extend_from_slice(bytes);
        let data = self.data_of_blob(self.current(), name);
        let sealed = out.get_mut(start..).unwrap_or_default();
        let tag = self.keys.first().and_then(|key| key.seal(&nonce, &data, sealed));
        out.extend_from_slice(&tag.unwrap_or_default());
        out
    }

    /// Opens a file that [`Keyring::seal_blob`] has sealed; `None` if it is damaged, of another name
    /// or under a key that is not here.
    #[must_use]
    pub fn open_blob(&self, name: &str, mut bytes: Vec<u8>) -> Option<Vec<u8>> {
        let id = KeyId(*bytes.first_chunk()?);
        let nonce = *bytes.get(ID_BYTES..)?.first_chunk()?;
        let tag = *bytes.last_chunk()?;
        let text = ID_BYTES + NONCE_BYTES..bytes.len().checked_sub(TAG_BYTES)?;
        let data = self.data_of_blob(id, name);
        self.key(id)?.open(&nonce, &data, bytes.get_mut(text.clone())?, tag)?;
        bytes.truncate(text.end);
        bytes.drain(..text.start);
        Some(bytes)
    }

    /// Returns the id of the key under which [`Keyring::seal_blob`] has sealed, if it is not here.
    #[must_use]
    pub fn lacks(&self, blob: &[u8]) -> Option<KeyId> {
        let id = KeyId(*blob.first_chunk()?);
        self.key(id).is_none().then_some(id)
    }

    fn data_of_blob(&self, key: KeyId, name: &str) -> Vec<u8> {
        [b"pimem blob:v1\0", self.store.as_bytes(), b"\0", &key.0, name.as_bytes()].concat()
    }

    /// Collects the lines of a file that keep their bytes.
    fn known<'a>(&self, before: &'a [u8]) -> Known<'a> {
        let mut known = Known::default();
        for line in lines(before) {
            let (body, end) = seal::body(line);
            let kept = match seal::read(body) {
                SealLine::Blank | SealLine::Plain => continue,
                SealLine::Sealed { token, .. } if !seal::may_be_token(token) => continue,
                SealLine::Damaged => body.to_vec(),
                SealLine::Sealed { token, .. } => match seal::key_of(token) {
                    Some(id) if id == self.current() => {
                        let mut opened = self.open(body).bytes;
                        opened.shrink_to_fit();
                        opened
                    }
                    // Sealed anew under the current key.
                    Some(id) if self.key(id).is_some() => continue,
                    _ => body.to_vec(),
                },
            };
            let first = lines(&kept).next().map_or(Vec::new(), |line| seal::body(line).0.to_vec());
            let kept = [&kept, end].concat();
            known.0.entry(first).or_default().push((kept, line));
        }
        known
    }
}

/// What is used for one token after the other.
#[derive(Default)]
struct Work {
    bytes: Vec<u8>,
    /// Associated data, and the key and category that they are of.
    data: Vec<u8>,
    data_of: Option<(KeyId, Vec<u8>)>,
}

/// Sealed lines of a file by the first line that each stands for.
#[derive(Default)]
struct Known<'a>(HashMap<Vec<u8>, Vec<Pair<'a>>>);

/// A text, and the sealed line that stands for it.
type Pair<'a> = (Vec<u8>, &'a [u8]);

impl<'a> Known<'a> {
    /// Returns the sealed line for the start of `rest`, whose first line is `body`, and the bytes
    /// that it stands for. Of lines that stand for the same text, each has its turn.
    fn next(&mut self, rest: &[u8], body: &[u8]) -> Option<(&'a [u8], usize)> {
        let pairs = self.0.get_mut(body)?;
        let fits = |(_, (kept, _)): &(usize, &Pair<'_>)| rest.starts_with(kept) && ends(kept, rest);
        let fitting = pairs.iter().enumerate().filter(fits);
        let (at, _) = fitting.max_by_key(|(at, (kept, _))| (kept.len(), Reverse(*at)))?;
        let pair = pairs.remove(at);
        let found = (pair.1, pair.0.len());
        pairs.push(pair);
        Some(found)
    }
}

/// Returns true if `kept` ends where a line of `rest` does.
fn ends(kept: &[u8], rest: &[u8]) -> bool {
    kept.ends_with(b"\n") || kept.len() == rest.len()
}

/// Iterates over lines with their ends.
fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let ends = memchr_iter(b'\n', bytes).map(|at| at + 1);
    let last = (!bytes.ends_with(b"\n")).then_some(bytes.len());
    ends.chain(last).scan(0, |start, end| {
        let line = bytes.get(*start..end).filter(|line| !line.is_empty());
        *start = end;
        line
    })
}
