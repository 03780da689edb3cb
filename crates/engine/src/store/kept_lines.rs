//! The lines that were added in a work tree, the main one too: kept in the directory that the
//! repository's work trees share, until the default branch has them. The other work trees show them as
//! not merged. When the work tree is gone, or git has taken its files, they wait for a review.
//!
//! Where that directory cannot be written, as in an agent's sandbox, they wait in `data/`.

use std::{
    cell::{LazyCell, RefCell},
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::Result;
use memchr::memmem;
use pimem_core::{
    markdown::topic::{self, TopicDoc},
    model::{
        category::CategoryId,
        entry::{EntryId, EventId},
        event::{Author, Cue, Event, EventKind},
        hash::{IdMap, IdSet},
        time::{Now, Timestamp},
    },
    score::adopt::NotedLine,
    seal::HashKey,
};

use super::{
    Store, StoreLock,
    atomic::{self, Sync},
    evidence,
    git::{self, OtherTree, SPOOL, WorkTrees},
    read,
    spool::{HASTE, LineChange, Place, Said, SignedLine, signed},
    transaction::{Change, Target, Txn},
};

/// Bytes of kept lines after which those that are merged are dropped, once for each more of them.
const MUCH_KEPT: usize = 16 * 1024;
/// Maximum number of kept lines of a work tree.
const MOST_KEPT: usize = 10_000;
/// Begins the topic of a kept line.
const TOPIC: &str = "\"topic\":\"";
/// Operations of events that tell something of a line.
const TELLING: [&str; 2] = ["\"expire\"", "\"supersede\""];
/// Begins a marker, behind the text of a line.
const MARKER: &str = " *(";
/// Time limit for git, which knows what is merged.
const GIT: Duration = Duration::from_millis(500);

/// Problems with keeping lines, for the command to report.
#[derive(Debug, Default)]
pub struct KeptLines {
    /// The directory that cannot be written, for which these are the first that wait.
    pub closed: Option<PathBuf>,
    /// Number of older lines for which there is no room any more.
    pub left_out: usize,
}

impl Said {
    /// Returns the evidence that a line of another work tree has here: that it was added, and until when it
    /// holds.
    pub(super) fn evidence(&self, entry: EntryId) -> Vec<Event> {
        let Some(Now(ts)) = self.time() else { return Vec::new() };
        let kinds =
            [Some(EventKind::Add(Cue::Explicit, None)), self.expiry().map(EventKind::Expire)];
        let event = |(at, kind): (u8, EventKind)| Event {
            id: EventId::derived(ts, &[b"elsewhere", &[at], self.text.as_bytes()]),
            ts,
            entry,
            by: Author::of(&self.by),
            kind,
        };
        (0..).zip(kinds.into_iter().flatten()).map(event).collect()
    }
}

impl Txn<'_> {
    /// Returns what becomes of lines of topics, as another work tree would take them over. `after` is what is
    /// going to be in the files.
    pub(super) fn added_lines(&self, after: &[&[u8]]) -> Vec<Said> {
        let topics = self.changes.iter().filter_map(|(target, changes)| match target {
            Target::Topic(stem) => Some(changes.iter().map(move |change| (stem, change))),
            Target::Archive(_) => None,
        });
        let docs = LazyCell::new(|| -> Vec<TopicDoc> {
            after.iter().map(|file| TopicDoc::parse(file.to_vec(), self.categories)).collect()
        });
        let behind = |category: CategoryId, text: &str| {
            let mut entries = docs.iter().flat_map(|doc| &doc.entries);
            let found = entries.find(|entry| entry.category == category && entry.text == text);
            found.map(|entry| topic::written(&entry.markers)).unwrap_or_default()
        };
        let mut ends: IdMap<EntryId, Timestamp> = IdMap::default();
        let mut replaced: IdMap<EntryId, Vec<String>> = IdMap::default();
        let tells = |line: &&String| TELLING.iter().any(|operation| line.contains(operation));
        for line in self.events.iter().filter(tells) {
            match evidence::event(line.as_bytes()) {
                Some(Event { entry, kind: EventKind::Expire(until), .. }) => {
                    ends.insert(entry, until);
                }
                Some(Event { entry, kind: EventKind::Supersede(by), .. }) => {
                    replaced.entry(by).or_default().push(entry.to_string());
                }
                _ => {}
            }
        }
        let lines = topics.flatten().filter_map(|(stem, change)| {
            let (category, text, was, markers) = match change {
                Change::Append { category, text, markers, .. } => {
                    (*category, text, None, topic::written(markers))
                }
                Change::Reword(of, text) => {
                    (of.category, text, Some(&of.text), behind(of.category, text))
                }
                Change::Mark(of, _) => {
                    (of.category, &of.text, Some(&of.text), behind(of.category, &of.text))
                }
                Change::Remove(of) => (of.category, &String::new(), Some(&of.text), String::new()),
                Change::RemoveRepeats(..) => return None,
            };
            let id =
                |text: &str| EntryId::of(&self.categories.spec(category).name, text.as_bytes());
            let held = || self.snapshot.ledger.evidence(self.now, id(was?))?.until;
            let until = ends.get(&id(text)).copied().or_else(held);
            let mut replaces = replaced.get(&id(text)).cloned().unwrap_or_default();
            replaces.extend(was.filter(|was| *was != text).map(|was| id(was).to_string()));
            Some(Said {
                at: self.now.0.to_string(),
                by: self.who.by.clone(),
                session: self.who.session.clone(),
                text: text.clone(),
                was: was.cloned(),
                markers: Some(markers).filter(|markers| !markers.is_empty()),
                until: until.map(|until| until.to_string()),
                replaces,
                waits: true,
                category: Some(self.categories.spec(category).name.to_string()),
                topic: Some(stem.clone()),
                ..Said::default()
            })
        });
        lines.collect()
    }
}

impl Store {
    /// Keeps what became of lines, as git may take the files of a work tree away. Where git's directory
    /// cannot be written they wait in `data/` for who can. What cannot be kept is in the files all the
    /// same.
    ///
    /// # Errors
    /// Fails if neither can be written.
    pub(super) fn keep_lines(&self, changes: Vec<Said>) -> Result<KeptLines> {
        let Some(trees) = self.work_trees().filter(|_| !changes.is_empty()) else {
            return Ok(KeptLines::default());
        };
        let (branch, key) = (trees.branch(), self.made_spool_key()?);
        let changes: Vec<Said> =
            changes.into_iter().map(|said| Said { branch: branch.clone(), ..said }).collect();
        let waiting = self.waiting_place();
        let is_new = !waiting.kept.exists();
        match self.keep_there(&trees, &key, &changes) {
            Ok(left_out) => Ok(KeptLines { left_out, ..KeptLines::default() }),
            Err(_) if self.has_data_beside() => {
                let path = self.local_path(&self.waiting_name())?;
                let _held = StoreLock::shared(&waiting.root, self.patience.min(HASTE))?;
                self.append_kept(&path, &signed(&key, &changes)?)?;
                Ok(KeptLines { closed: is_new.then(|| trees.kept()), left_out: 0 })
            }
            Err(error) => Err(error),
        }
    }

    /// Keeps what waits for it.
    ///
    /// # Errors
    /// Fails if it cannot be written.
    pub(super) fn keep_waiting(&self) -> Result<()> {
        let Some(trees) = self.work_trees() else { return Ok(()) };
        let Some(key) = self.spool_key() else { return Ok(()) };
        self.keep_there(&trees, &key, &[]).map(drop)
    }

    /// Returns the name of the file of what waits.
    pub(super) fn waiting_name(&self) -> String {
        let path = self.waiting_place().kept;
        path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    fn waiting_place(&self) -> Place {
        let beside = self.dir.parent().unwrap_or(&self.dir).join("data");
        Place::new(beside, &self.spool_name())
    }

    /// Appends to what the repository keeps, behind what waited for it. Returns the number of lines for
    /// which there is no room any more.
    fn keep_there(&self, trees: &WorkTrees, key: &HashKey, changes: &[Said]) -> Result<usize> {
        let place = Place::new(trees.kept(), &trees.name(SPOOL));
        read::guard_way(&trees.common, &place.kept)?;
        atomic::create_dir(&place.root, Sync::Private)?;
        let waiting = self.waiting_place();
        let patience = self.patience.min(HASTE);
        let is_waiting = waiting.kept.exists();
        let _held = if is_waiting {
            // Two must not append it.
            StoreLock::alone(&place.root, patience)?
        } else {
            StoreLock::shared(&place.root, patience)?
        };
        let mut new =
            if is_waiting { self.said_in(&waiting, &waiting.kept, key)? } else { Vec::new() };
        let is_waiting = !new.is_empty();
        new.extend_from_slice(changes);
        if new.is_empty() {
            return Ok(0);
        }
        let text = signed(key, &new)?;
        let before =
            place.kept.metadata().map_or(0, |meta| usize::try_from(meta.len()).unwrap_or(0));
        let is_much = before / MUCH_KEPT < (before + text.len()) / MUCH_KEPT;
        let mut left_out = 0;
        // What was taken away is not to be read there.
        if is_much || new.iter().any(|said| said.was.is_some()) {
            let mut all = self.said_in(&place, &place.kept, key)?;
            for mut said in new {
                let is_it = |one: &&Said| {
                    one.category == said.category && Some(&one.text) == said.was.as_ref()
                };
                let has_other = said.was.is_some() && !said.text.is_empty();
                let former = has_other.then(|| all.iter().rfind(is_it)).flatten();
                said.replaces.extend(former.map(|one| one.replaces.clone()).unwrap_or_default());
                all.push(said);
            }
            let mut lines = standing(all, Said::change, |_| true);
            for said in &mut lines {
                // Applied already; read again, a change of markers would find no line.
                said.was = None;
            }
            if is_much {
                left_out = self.drop_merged(trees, &mut lines);
            }
            if before > 0 || !lines.is_empty() {
                self.write_kept(&place, key, &lines)?;
            }
        } else {
            self.append_kept(&place.kept, &text)?;
        }
        if is_waiting {
            atomic::remove_file(&waiting.kept, Sync::Private)?;
        }
        Ok(left_out)
    }

    fn append_kept(&self, path: &Path, lines: &str) -> Result<()> {
        let record = self.seal.appended(path, lines.as_bytes())?.into_owned();
        atomic::append_record(path, record.trim_ascii_end(), Sync::Private)
    }

    fn write_kept(&self, place: &Place, key: &HashKey, lines: &[Said]) -> Result<()> {
        let text = signed(key, lines)?;
        self.seal.replace(&place.kept, text.as_bytes(), Sync::Private, || Ok(true))?;
        // Other work trees write beside it, so only what is old was left by a killed process.
        if let Ok(now) = place.kept.metadata().and_then(|meta| meta.modified()) {
            atomic::sweep_old(&place.root, now, atomic::OLD);
        }
        Ok(())
    }

    /// Removes the lines that the default branch has, and the oldest of too many. Returns the number of
    /// these.
    fn drop_merged(&self, trees: &WorkTrees, lines: &mut Vec<Said>) -> usize {
        let topics: BTreeSet<&str> =
            lines.iter().filter_map(|said| said.topic.as_deref()).collect();
        let path = |name: String| format!("{}/{name}", trees.below.display());
        let paths = topics.iter().flat_map(|topic| self.files_of_topic(topic)).map(path);
        let files = git::on_default_branch(&self.dir, paths, GIT);
        let files = files.unwrap_or_default();
        let has =
            |line: String| files.iter().any(|file| memmem::find(file, line.as_bytes()).is_some());
        lines.retain(|said| !said.line().is_some_and(|line| whole(&line).into_iter().any(has)));
        let too_many = lines.len().saturating_sub(MOST_KEPT);
        lines.drain(..too_many);
        too_many
    }

    /// Returns those of the lines whose files git has taken away that no commit of the default branch
    /// has, and forgets the others.
    pub fn still_gone(&self, mut gone: Vec<Said>) -> Vec<Said> {
        let has_had = |said: &Said| {
            said.line()
                .is_some_and(|line| git::default_branch_has_had(&self.dir, &whole(&line), GIT))
        };
        let merged: Vec<Said> = gone.extract_if(.., |said| has_had(said)).collect();
        if !merged.is_empty() {
            drop(self.drop_kept(|said| merged.iter().any(|one| one.id() == said.id())));
        }
        gone
    }

    /// Returns true if a topic of lines that are kept for this work tree has no file.
    pub fn lacks_kept_topics(&self) -> bool {
        let Some(trees) = self.work_trees() else { return false };
        let place = Place::new(trees.kept(), &trees.name(SPOOL));
        let text = self.text_in(&place, &place.kept).unwrap_or_default();
        let mut topics: Vec<&str> = Vec::new();
        for at in memmem::find_iter(text.as_bytes(), TOPIC) {
            let named = text.get(at + TOPIC.len()..).unwrap_or_default();
            let end = memchr::memchr(b'"', named.as_bytes()).unwrap_or(named.len());
            let topic = named.get(..end).unwrap_or_default();
            // Few topics have many lines.
            if !topics.contains(&topic) {
                topics.push(topic);
            }
        }
        topics.into_iter().any(|topic| self.files_of_topic(topic).is_empty())
    }

    /// Returns the lines of other branches that this work tree's files have not, as topics would have
    /// them, by branch.
    pub fn text_elsewhere(&self) -> BTreeMap<String, Vec<u8>> {
        let mut found: BTreeMap<String, Vec<u8>> = BTreeMap::new();
        let Some(trees) = self.work_trees() else { return found };
        let here = trees.branch();
        let here = here.as_deref();
        let is_away = |of: &LineChange<'_>| of.branch.as_deref().is_some_and(|on| here != Some(on));
        let there = self.other_trees(&trees);
        let held: RefCell<HashMap<String, HashSet<Vec<u8>>>> = RefCell::default();
        let is_missing = |of: &LineChange<'_>| {
            let (Some(topic), Some(line)) = (of.topic.as_deref(), of.line()) else { return true };
            let mut held = held.borrow_mut();
            let held = held.entry(topic.to_owned()).or_insert_with(|| self.lines_of_topic(topic));
            !held.contains(line.as_bytes())
        };
        let is_away_and_missing = |of: &LineChange<'_>| is_away(of) && is_missing(of);
        let (own, others) = self.kept_lines(&trees, &there, is_away_and_missing, is_missing);
        let own = own.into_iter().filter_map(|said| {
            let on = said.branch.clone().filter(|on| trees.has_branch(on))?;
            Some((on, said))
        });
        for (branch, said) in own.chain(others) {
            if let Some(line) = said.line() {
                let lines = found.entry(branch).or_default();
                let behind = said.markers.as_deref().unwrap_or_default();
                lines.extend([&line, behind, "\n"].concat().into_bytes());
            }
        }
        found
    }

    /// Returns the lines of a topic's files, each with and without its markers.
    fn lines_of_topic(&self, stem: &str) -> HashSet<Vec<u8>> {
        let mut lines = HashSet::new();
        for name in self.files_of_topic(stem) {
            let held = self.listed(&name).ok().flatten().unwrap_or_default();
            for line in held.split(|byte| *byte == b'\n') {
                let line = line.trim_ascii_end();
                let bare = memmem::find_iter(line, MARKER).filter_map(|end| line.get(..end));
                lines.extend(bare.chain([line]).map(<[u8]>::to_vec));
            }
        }
        lines
    }

    /// Returns the names of the files of a topic, which may go on in others.
    fn files_of_topic(&self, stem: &str) -> Vec<String> {
        let names = read::markdown_names(&self.dir, &self.dir.join("topics")).unwrap_or_default();
        let is_of = |name: &String| {
            let rest = name.strip_suffix(".md").and_then(|of| of.strip_prefix(stem));
            rest.is_some_and(|rest| {
                let number = rest.strip_prefix('-').map(str::parse::<usize>);
                rest.is_empty() || number.is_some_and(|number| number.is_ok())
            })
        };
        names.into_iter().filter(is_of).map(|name| format!("topics/{name}")).collect()
    }

    /// Returns what was noted of lines where they were written, in this work tree or another: a merge may
    /// bring one without its log.
    pub(super) fn noted_lines(&self, wanted: &IdSet<EntryId>) -> IdMap<EntryId, NotedLine> {
        let Some(trees) = self.work_trees() else { return IdMap::default() };
        let is_wanted = |of: &LineChange<'_>| of.id().is_some_and(|id| wanted.contains(&id));
        let there = self.other_trees(&trees);
        let (own, others) = self.kept_lines(&trees, &there, is_wanted, is_wanted);
        let noted = |said: &Said| {
            Some((said.id()?, NotedLine { at: said.time()?.0, until: said.expiry() }))
        };
        others.iter().map(|(_, said)| said).chain(&own).filter_map(noted).collect()
    }

    /// Forgets kept lines.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub fn drop_kept(&self, is_gone: impl Fn(&Said) -> bool) -> Result<bool> {
        let (Some(trees), Some(key)) = (self.work_trees(), self.spool_key()) else {
            return Ok(false);
        };
        let place = Place::new(trees.kept(), &trees.name(SPOOL));
        read::guard_way(&trees.common, &place.kept)?;
        let mut has_gone = false;
        for place in [place, self.waiting_place()] {
            let all = self.said_in(&place, &place.kept, &key)?;
            if all.iter().any(&is_gone) {
                has_gone = true;
                let mut lines = standing(all, Said::change, |_| true);
                lines.retain(|said| !is_gone(said));
                self.write_kept(&place, &key, &lines)?;
            }
        }
        Ok(has_gone)
    }

    /// Returns the lines that were learned in this work tree and in others, each of these with its
    /// branch: those that are wanted. Few are, and only these are asked who wrote them.
    pub(super) fn kept_lines(
        &self,
        trees: &WorkTrees,
        there: &[OtherTree],
        own: impl Fn(&LineChange<'_>) -> bool,
        others: impl Fn(&LineChange<'_>) -> bool,
    ) -> (Vec<Said>, Vec<(String, Said)>) {
        let Some(key) = self.spool_key() else { return Default::default() };
        let lines =
            |places: Vec<Place>, is_wanted: &dyn Fn(&LineChange<'_>) -> bool| -> Vec<Said> {
                let text = |place: &Place| self.text_in(place, &place.kept).unwrap_or_default();
                let texts: Vec<String> = places.iter().map(text).collect();
                let lines = texts.iter().flat_map(|text| SignedLine::all(text));
                let lines: Vec<_> = lines.filter_map(|line| Some((line.change()?, line))).collect();
                // Mostly none is, whatever became of others.
                if !lines.iter().any(|(change, _)| is_wanted(change)) {
                    return Vec::new();
                }
                let is_ours = |(_, line): &(LineChange<'_>, SignedLine<'_>)| line.is_by(&key);
                standing(lines, |(change, _)| change.clone(), is_ours)
                    .into_iter()
                    .filter(|one| is_wanted(&one.0) && is_ours(one))
                    .filter_map(|(_, line)| line.said())
                    .collect()
            };
        let place = |dir| Place::new(dir, &trees.name(SPOOL));
        let of_other = |OtherTree { noted, branch, .. }: &OtherTree| {
            let branch = branch.clone();
            lines(vec![place(noted.clone())], &others).into_iter().map(move |said| {
                // It may have another branch checked out by now.
                let on = said.branch.clone().filter(|on| trees.has_branch(on));
                (on.unwrap_or_else(|| branch.clone()), said)
            })
        };
        (
            lines(vec![place(trees.kept()), self.waiting_place()], &own),
            there.iter().flat_map(of_other).collect(),
        )
    }
}

/// Returns a line of a topic with what ends it: a longer line may begin with it.
fn whole(line: &str) -> [String; 2] {
    [format!("{line}\n"), format!("{line}{MARKER}")]
}

/// Returns the lines that stood at the end, of what became of lines. Of a change that takes something
/// away it is asked whether it is true; of the others nothing is. A change from a text to itself is one of
/// the line's markers, and nothing if there is no such line.
pub(super) fn standing<T>(
    changes: Vec<T>,
    change: impl for<'a> Fn(&'a T) -> LineChange<'a>,
    is_true: impl Fn(&T) -> bool,
) -> Vec<T> {
    let mut places = HashMap::with_capacity(changes.len());
    for (at, one) in changes.iter().enumerate() {
        let LineChange { category, text, was, .. } = change(one);
        let was = was.map(|was| (category.clone(), was));
        let line = (category, text);
        let takes = was.iter().chain([&line]).any(|line| places.contains_key(line));
        let is_mark = was.as_ref() == Some(&line);
        let counts = if takes { is_true(one) } else { !is_mark };
        if !counts {
            continue;
        }
        if let Some(was) = was {
            places.remove(&was);
        }
        if !line.1.is_empty() {
            places.insert(line, at);
        }
    }
    let stands: HashSet<usize> = places.into_values().collect();
    let all = (0..).zip(changes).filter(|(at, _)| stands.contains(at));
    all.map(|(_, one)| one).collect()
}

#[cfg(test)]
mod tests {
    use pimem_core::model::category::Categories;
    use proptest::prelude::*;

    use super::*;
    use crate::store::snapshot::{Snapshot, TopicFile};

    #[test]
    fn many_lines_are_looked_up_in_an_index() {
        let line = |number: usize| format!("- [lesson] Berth {number}");
        let text = (0..20).map(line).collect::<Vec<_>>().join("\n");
        let doc = TopicDoc::parse(text.into_bytes(), &Categories::default());
        let topics = vec![TopicFile::new("lessons".to_owned(), doc)];
        let snapshot = Snapshot { topics, ..Snapshot::default() };
        for (_, entry) in snapshot.entries() {
            assert_eq!(snapshot.lines_of(entry.id)[0].1, entry);
        }
        assert_eq!(snapshot.places.get().map(HashMap::len), Some(20));
    }

    #[test]
    fn what_is_not_true_takes_nothing_away() {
        let line = |text: &str, was: Option<&str>| Said {
            text: text.to_owned(),
            was: was.map(str::to_owned),
            ..Said::default()
        };
        let stands = |changes: &[Said], is_true: bool| -> Vec<String> {
            let lines = standing(changes.to_vec(), Said::change, |_| is_true);
            lines.into_iter().map(|said| said.text).collect()
        };
        for (change, want) in [
            (line("", Some("a")), "b"),
            (line("c", Some("a")), "b c"),
            (line("b", Some("a")), "b"),
            (line("a", None), "b a"),
        ] {
            let changes = [line("a", None), line("b", None), change];
            assert_eq!(stands(&changes, true).join(" "), want);
            assert_eq!(stands(&changes, false), ["a", "b"]);
        }
    }

    proptest! {
        #[test]
        fn what_stands_is_found_as_by_comparing_all(
            changes in proptest::collection::vec(("[a-d]?", proptest::option::of("[a-d]"), 0_u8..2), 0..12),
        ) {
            let said = changes.iter().map(|(text, was, category)| Said {
                text: text.clone(),
                was: was.clone(),
                category: Some(category.to_string()),
                ..Said::default()
            });
            let mut want: Vec<Said> = Vec::new();
            for one in said.clone() {
                let is_mark = one.was.as_ref() == Some(&one.text);
                let is_one = |line: &Said| line.category == one.category && line.text == one.text;
                if is_mark && !want.iter().any(is_one) {
                    continue;
                }
                want.retain(|line| {
                    let is_gone = line.text == one.text || Some(&line.text) == one.was.as_ref();
                    line.category != one.category || !is_gone
                });
                want.extend((!one.text.is_empty()).then_some(one));
            }
            prop_assert_eq!(standing(said.collect(), Said::change, |_| true), want);
        }
    }
}
