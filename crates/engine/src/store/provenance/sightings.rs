//! Search for the first sighting of a line: in a commit made here, in a fetched commit, or nowhere
//! in git.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    io::{self, ErrorKind},
    rc::Rc,
};

use memchr::memmem;

use super::reflog::{ReflogStep, Refs};
use crate::store::provenance;
use crate::store::{
    git::{self, GitObject, GitObjects},
    seal::Seal,
};
use pimem_core::{
    markdown::topic::{TopicDoc, TopicEntry},
    model::category::{Categories, CategoryId},
};

/// Folders of a store in which an entry may be.
const FOLDERS: [&str; 2] = ["topics", "archive"];
/// Maximum number of files read over all commits.
const FILES: usize = 2000;
/// Up to this number of lines, a file is first searched for each of them before it is parsed.
const FEW: usize = 16;
/// Maximum number of commits visited to find an ancestor that was made here.
const DEPTH: usize = 200;
pub(super) const ATTRIBUTES: &str = ".gitattributes";

/// Input of the search.
pub(super) struct GitQuestion<'a> {
    /// The lines to find, each with its number.
    pub(super) lines: HashMap<(CategoryId, &'a str), usize>,
    pub(super) categories: &'a Categories,
    /// Names of files that may be in the index.
    pub(super) files: BTreeSet<String>,
    pub(super) refs: &'a Refs,
    /// Opens the files of a sealed store.
    pub(super) seal: &'a Seal,
    /// Depth of the store's directory below the root of the work tree.
    pub(super) depth: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineOrigin {
    /// Typed on this machine.
    Here,
    Git,
    /// Not known yet.
    Unclear,
}

/// Numbers of the searched lines that a commit contains.
type View = HashSet<usize>;

pub(super) fn judge(
    question: &GitQuestion<'_>,
    objects: &mut GitObjects,
) -> io::Result<Vec<LineOrigin>> {
    let GitQuestion { refs, lines, .. } = question;
    let mut files = question.files.clone();
    let views = Views::read(question, objects, &mut files)?;
    let index = index(question, objects, &files)?;
    let mut ours = Ours::default();
    let mut origin = |line: usize| -> io::Result<LineOrigin> {
        let has = |commit: &str| views.has(commit, line);
        let mut fetched = refs
            .fetched
            .iter()
            .filter(|seen| has(&seen.commit) && !seen.before.as_deref().is_some_and(has));
        let mut local = refs.local.iter().filter(|commit| has(commit));
        let made = match views.first(&refs.head, line) {
            First::Commit(made) => made,
            First::Else => return Ok(LineOrigin::Git),
            First::Unknown => return Ok(LineOrigin::Unclear),
            First::Nowhere if has(HEAD) || fetched.next().is_some() => return Ok(LineOrigin::Git),
            First::Nowhere => {
                let there = index.contains(&line) || local.next().is_some();
                return Ok(if there { LineOrigin::Unclear } else { LineOrigin::Here });
            }
        };
        let since = || refs.head.iter().skip(made).filter(|step| has(&step.after));
        // If others have our lines, they got them from commits made here, and so later than these.
        let step = refs.head.get(made).ok_or(ErrorKind::NotFound)?;
        // Not every program logs that a commit ended a merge.
        if ours.parents(objects, &BTreeSet::from([step.after.clone()]))?.len() > 1 {
            return Ok(LineOrigin::Git);
        }
        let commits: BTreeSet<&str> =
            since().filter(|step| step.is_commit()).map(|step| step.after.as_str()).collect();
        for seen in fetched {
            if !seen.is_after(step) && !ours.lead_to(objects, &seen.commit, &commits)? {
                return Ok(LineOrigin::Git);
            }
        }
        let commits: BTreeSet<&str> = since().map(|step| step.after.as_str()).collect();
        for commit in local {
            if !ours.lead_to(objects, commit, &commits)? {
                return Ok(LineOrigin::Git);
            }
        }
        let is_staged = index.contains(&line) && !has(HEAD);
        Ok(if is_staged { LineOrigin::Unclear } else { LineOrigin::Here })
    };
    let origins: io::Result<Vec<LineOrigin>> = (0..lines.len()).map(&mut origin).collect();
    let sure = |origin| match origin {
        LineOrigin::Here if views.converted => LineOrigin::Unclear,
        origin => origin,
    };
    Ok(origins?.into_iter().map(sure).collect())
}

/// The first step of HEAD that has a line.
enum First {
    /// A commit made here, by the number of its step.
    Commit(usize),
    /// Any other step.
    Else,
    /// A commit cannot be read.
    Unknown,
    /// No step has the line.
    Nowhere,
}

/// The searched lines that each commit contains.
struct Views {
    /// Views by commit id; `None` if the commit does not exist.
    of: HashMap<String, Option<Rc<View>>>,
    /// True if git may have converted any of the files on checkout.
    converted: bool,
}

/// The commit of the work tree.
const HEAD: &str = "HEAD";

impl Views {
    /// Reads all commits that the refs mention, and adds the names of their files to `files`.
    fn read(
        question: &GitQuestion<'_>,
        objects: &mut GitObjects,
        files: &mut BTreeSet<String>,
    ) -> io::Result<Self> {
        let mut commits: Vec<&str> = question.refs.commits().into_iter().collect();
        commits.push(HEAD);
        let names: Vec<String> = commits.iter().map(|commit| format!("{commit}:./")).collect();
        let mut stores: BTreeMap<String, GitObject> = BTreeMap::new();
        let mut of: HashMap<&str, Option<String>> = HashMap::new();
        let mut bare = Vec::new();
        for (commit, tree) in commits.into_iter().zip(objects.get(&names)?) {
            match tree.filter(|tree| tree.is_tree) {
                Some(tree) => {
                    of.insert(commit, Some(tree.id.clone()));
                    stores.insert(tree.id.clone(), tree);
                }
                None => bare.push(commit),
            }
        }
        // These commits have no store, or do not exist.
        let names: Vec<String> = bare.iter().map(|commit| (*commit).to_owned()).collect();
        for (commit, object) in bare.into_iter().zip(objects.get(&names)?) {
            if object.is_some() || commit == HEAD {
                of.insert(commit, None);
            }
        }
        let (views, mut converted) = read_stores(question, objects, &stores, files)?;
        converted |= attributes_above(question, objects, &of)?;
        let empty = Rc::new(View::default());
        let view = |tree: Option<String>| match tree {
            Some(tree) => views.get(&tree).cloned(),
            None => Some(Rc::clone(&empty)),
        };
        let of = of.into_iter().map(|(commit, tree)| (commit.to_owned(), view(tree))).collect();
        Ok(Self { of, converted })
    }

    fn get(&self, commit: &str) -> Option<&View> {
        self.of.get(commit)?.as_deref()
    }

    /// Returns true if a commit contains a line. A commit that does not exist was never checked
    /// out.
    fn has(&self, commit: &str, line: usize) -> bool {
        self.get(commit).is_some_and(|view| view.contains(&line))
    }

    fn first(&self, steps: &[ReflogStep], line: usize) -> First {
        for (number, step) in steps.iter().enumerate() {
            let before = step.before.as_deref().map(|commit| self.get(commit));
            match (before, self.get(&step.after)) {
                (Some(None), _) | (_, None) => return First::Unknown,
                (Some(Some(view)), _) if view.contains(&line) => return First::Else,
                (_, Some(view)) if !view.contains(&line) => {}
                _ if step.is_commit() => return First::Commit(number),
                _ => return First::Else,
            }
        }
        First::Nowhere
    }
}

/// An entry of a tree: name, whether it is a tree, and id.
type Entry = (String, bool, String);

/// Reads the lines of stores, by the ids of their trees. The flag is true if attributes in them
/// convert the files.
fn read_stores(
    question: &GitQuestion<'_>,
    objects: &mut GitObjects,
    stores: &BTreeMap<String, GitObject>,
    files: &mut BTreeSet<String>,
) -> io::Result<(HashMap<String, Rc<View>>, bool)> {
    let is_wanted = |(name, is_dir, _): &Entry| match is_dir {
        true => FOLDERS.contains(&name.as_str()),
        false => name == ATTRIBUTES,
    };
    let inside: BTreeMap<&str, Vec<Entry>> = stores
        .iter()
        .map(|(id, tree)| {
            (id.as_str(), git::tree_entries(tree).into_iter().filter(is_wanted).collect())
        })
        .collect();
    let ids = |wanted: bool| -> BTreeSet<String> {
        let found = inside.values().flatten().filter(|(_, is_dir, _)| *is_dir == wanted);
        found.map(|(.., id)| id.clone()).collect()
    };
    let folders: Vec<String> = ids(true).into_iter().collect();
    let mut blobs = ids(false);
    let mut attributes = blobs.clone();
    let mut held: HashMap<String, Vec<String>> = HashMap::new();
    for (id, tree) in folders.iter().zip(objects.get(&folders)?) {
        let found = git::tree_entries(&tree.ok_or(ErrorKind::NotFound)?);
        let held = held.entry(id.clone()).or_default();
        for (name, _, id) in found.into_iter().filter(|(_, is_dir, _)| !is_dir) {
            blobs.insert(id.clone());
            if name == ATTRIBUTES {
                attributes.insert(id.clone());
            }
            files.insert(name);
            held.push(id);
        }
    }
    if blobs.len() > FILES {
        return Err(ErrorKind::FileTooLarge.into());
    }
    let blobs: Vec<String> = blobs.into_iter().collect();
    let mut converted = false;
    let mut lines: HashMap<String, Vec<usize>> = HashMap::new();
    // An object that does not exist was never checked out.
    let found = objects.get(&blobs)?;
    for (id, blob) in blobs.into_iter().zip(found) {
        let Some(blob) = blob else { continue };
        converted |= attributes.contains(&id) && provenance::may_convert(&blob.bytes);
        lines.insert(id, question.found(blob.bytes));
    }
    let view = |folders: &Vec<Entry>| {
        let files = folders.iter().filter_map(|(.., id)| held.get(id)).flatten();
        Rc::new(files.filter_map(|id| lines.get(id)).flatten().copied().collect())
    };
    let views = inside.iter().map(|(id, folders)| ((*id).to_owned(), view(folders))).collect();
    Ok((views, converted))
}

/// Returns true if attributes above the store converted it when a step of HEAD checked it out.
fn attributes_above(
    question: &GitQuestion<'_>,
    objects: &mut GitObjects,
    of: &HashMap<&str, Option<String>>,
) -> io::Result<bool> {
    let tree = |commit: Option<&str>| commit.and_then(|commit| of.get(commit)).cloned().flatten();
    let head = question.refs.head.iter();
    let writes = head.filter(|step| {
        let after = tree(Some(&step.after));
        after.is_some() && after != tree(step.before.as_deref())
    });
    let commits: BTreeSet<&str> = writes.map(|step| step.after.as_str()).chain([HEAD]).collect();
    let up = |commit: &str| {
        let dirs = (1..=question.depth).map(|up| "../".repeat(up));
        dirs.map(|dir| format!("{commit}:{dir}{ATTRIBUTES}")).collect::<Vec<_>>()
    };
    let names: Vec<String> = commits.into_iter().flat_map(up).collect();
    let found = objects.get(&names)?;
    Ok(found.into_iter().flatten().any(|blob| provenance::may_convert(&blob.bytes)))
}

impl GitQuestion<'_> {
    /// Returns the numbers of the searched lines that a file contains.
    fn found(&self, bytes: Vec<u8>) -> Vec<usize> {
        let Ok(bytes) = self.seal.open_past(bytes) else { return Vec::new() };
        // The bytes of a text that was not UTF-8 cannot be recovered from it.
        let might = |text: &str| {
            text.contains(char::REPLACEMENT_CHARACTER)
                || memmem::find(&bytes, text.as_bytes()).is_some()
        };
        if self.lines.len() <= FEW && !self.lines.keys().any(|(_, text)| might(text)) {
            return Vec::new();
        }
        let doc = TopicDoc::parse(bytes, self.categories);
        let number =
            |entry: &TopicEntry| self.lines.get(&(entry.category, entry.text.as_str())).copied();
        doc.entries.iter().filter_map(number).collect()
    }
}

/// Returns the lines in the index, both staged and in either side of a conflict.
fn index(
    question: &GitQuestion<'_>,
    objects: &mut GitObjects,
    files: &BTreeSet<String>,
) -> io::Result<HashSet<usize>> {
    let mut names = Vec::new();
    for file in files {
        for folder in FOLDERS {
            names.extend([0, 2, 3].map(|stage| format!(":{stage}:./{folder}/{file}")));
        }
    }
    let found = objects.get(&names)?.into_iter().flatten();
    Ok(found.flat_map(|blob| question.found(blob.bytes)).collect())
}

/// Cache of commit ancestry.
#[derive(Default)]
struct Ours {
    parents: HashMap<String, Vec<String>>,
    known: HashMap<(String, Vec<String>), bool>,
}

impl Ours {
    /// Returns true if `commit` or one of its ancestors is in `ours`, visiting about [`DEPTH`]
    /// commits.
    fn lead_to(
        &mut self,
        objects: &mut GitObjects,
        commit: &str,
        ours: &BTreeSet<&str>,
    ) -> io::Result<bool> {
        let key = (commit.to_owned(), ours.iter().map(|id| (*id).to_owned()).collect());
        if let Some(known) = self.known.get(&key) {
            return Ok(*known);
        }
        let mut seen: BTreeSet<String> = BTreeSet::new();
        let mut open = BTreeSet::from([commit.to_owned()]);
        let mut found = false;
        while !open.is_empty() && seen.len() < DEPTH && !found {
            found = open.iter().any(|id| ours.contains(id.as_str()));
            let next = self.parents(objects, &open)?;
            seen.append(&mut open);
            open = next.into_iter().filter(|id| !seen.contains(id)).collect();
        }
        self.known.insert(key, found);
        Ok(found)
    }

    fn parents(
        &mut self,
        objects: &mut GitObjects,
        commits: &BTreeSet<String>,
    ) -> io::Result<BTreeSet<String>> {
        let new = commits.iter().filter(|id| !self.parents.contains_key(*id));
        let new: Vec<String> = new.cloned().collect();
        for (id, commit) in new.iter().zip(objects.get(&new)?) {
            self.parents
                .insert(id.clone(), commit.map(|commit| parents(&commit)).unwrap_or_default());
        }
        Ok(commits.iter().filter_map(|id| self.parents.get(id)).flatten().cloned().collect())
    }
}

/// Returns the parents of a commit, or the target of a tag.
fn parents(commit: &GitObject) -> Vec<String> {
    let text = String::from_utf8_lossy(&commit.bytes);
    let head = text.lines().take_while(|line| !line.is_empty());
    let id = |line: &str| {
        let tagged = || line.strip_prefix("object ");
        line.strip_prefix("parent ").or_else(tagged).map(str::to_owned)
    };
    head.filter_map(id).collect()
}
