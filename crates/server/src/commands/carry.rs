//! Projects as stores on a disk: `export` writes them as `pimem` has them, and `import` pushes a
//! store's lines and events.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, bail, ensure};
use pimem_core::{
    markdown::topic::{self, TopicDoc},
    model::{
        entry::{EntryId, Markers},
        event::Event,
        rules::LineAsides,
        time::{Now, Timestamp},
    },
    sync::{
        check,
        place::{FoldedEvents, Place},
        wire::{self, MOST_BYTES, MOST_OBJECTS, PushBody, SyncEntry},
    },
};
use tokio_postgres::{Client, Transaction};
use uuid::Uuid;

use crate::{
    auth::{Caller, Project, Right},
    clock,
    commands::admin,
    config::ServerConfig,
    db::{self, Pools},
    index::fold,
    seal::{Keeper, Vault, VaultColumn as Row, VaultText},
    sync::push,
};

/// Maximum size of a file that is imported, in bytes.
const MAX: u64 = 1 << 30;
/// Number of events that are read at a time.
const PAGE: i64 = 10_000;

/// Writes each project of an organisation, or one of them, as a store `DIR/PROJECT`.
///
/// # Errors
/// There is such a directory already, the organisation is sealed and the key is not at hand or no
/// server's, the disk is full, or the database is away.
pub async fn export(
    client: &mut Client,
    keeper: &Keeper,
    org: Option<&str>,
    only: Option<&str>,
    dir: &Path,
) -> anyhow::Result<String> {
    let transaction = admin::begin(client).await?;
    let org = admin::enter(&transaction, org).await?;
    readable(&transaction, org).await?;
    let vault = keeper.read(&transaction, org).await?;
    let rows = transaction
        .query(
            "select id, slug from projects where $1::text is null or slug = $1 order by slug",
            &[&only],
        )
        .await?;
    if let (Some(slug), true) = (only, rows.is_empty()) {
        bail!("there is no project {slug:?}");
    }
    let mut told = String::new();
    for row in rows {
        let (project, slug): (Uuid, String) = (row.get(0), row.get(1));
        let path = dir.join(&slug);
        ensure!(!path.exists(), "{} is there already", path.display());
        let narrow = "select set_config('pimem.projects', $1, true)";
        transaction.execute(narrow, &[&format!("{{{project}}}")]).await?;
        let events = events(&transaction, &vault, project).await?;
        let lines = lines(&transaction, &vault, project).await?;
        write(&path, &lines, &events)?;
        // Writing to a string cannot fail.
        let _ = writeln!(told, "{slug}: {} entries, {} events", lines.len(), events.len());
    }
    Ok(told)
}

/// Refuses an organisation of which there is ciphertext only.
async fn readable(transaction: &Transaction<'_>, org: Uuid) -> anyhow::Result<()> {
    let mode = "select key_mode from orgs where id = $1";
    let mode: String = transaction.query_one(mode, &[&org]).await?.get(0);
    ensure!(
        mode != "end-to-end",
        "the organisation is encrypted end to end: `pimem sync` reads and writes its projects"
    );
    Ok(())
}

async fn lines(
    transaction: &Transaction<'_>,
    vault: &Vault,
    project: Uuid,
) -> anyhow::Result<Vec<String>> {
    let lines = "select hash, fnv, line, sealed, key_id from entries \
        where org_id = $1 and project_id = $2 and fnv is not null";
    let rows = transaction.query(lines, &[&vault.org(), &project]).await?;
    let lines = rows.iter().filter_map(|row| {
        let (hash, entry): (Vec<u8>, Vec<u8>) = (row.get(0), row.get(1));
        vault
            .open(Row::Entry { project, hash: &hash, entry: &entry }, VaultText::at(row, 2))
            .transpose()
    });
    Ok(lines.collect::<Result<_, _>>()?)
}

/// Reads the events of a project in the order of their times.
async fn events(
    transaction: &Transaction<'_>,
    vault: &Vault,
    project: Uuid,
) -> anyhow::Result<Vec<String>> {
    let org = vault.org();
    let page = "select ts, id, digest, entry, doc, sealed, key_id from events \
        where org_id = $1 and project_id = $2 \
        and (ts, id, digest) > ($3, $4, $5) order by ts, id, digest limit $6";
    let page = transaction.prepare(page).await?;
    let mut found = Vec::new();
    let mut at = (fold::date(Timestamp(i64::MIN / 2)), Vec::<u8>::new(), Vec::<u8>::new());
    loop {
        let rows = transaction.query(&page, &[&org, &project, &at.0, &at.1, &at.2, &PAGE]).await?;
        for row in &rows {
            let [id, digest, entry]: [Vec<u8>; 3] = [row.get(1), row.get(2), row.get(3)];
            let place = Row::Event { project, id: &id, digest: &digest, entry: &entry };
            found.extend(vault.open(place, VaultText::at(row, 4))?);
        }
        let Some(last) = rows.last() else { return Ok(found) };
        at = (last.get(0), last.get(1), last.get(2));
    }
}

/// Writes a store whose lines stand where its events say.
fn write(dir: &Path, lines: &[String], events: &[String]) -> anyhow::Result<()> {
    let read: Vec<Event> = events.iter().filter_map(|doc| Event::read_whole(doc)).collect();
    let folded = FoldedEvents::of(&read);
    let categories = fold::categories();
    let mut files: BTreeMap<PathBuf, Vec<(Option<Timestamp>, String)>> = BTreeMap::new();
    for line in lines {
        let Some((category, text)) = check::split(line) else { continue };
        let id = EntryId::of(category, text.as_bytes());
        let folder = match folded.place(id) {
            Place::Topic | Place::Unknown => "topics",
            Place::Archive => "archive",
            Place::Reworded | Place::Purged => continue,
        };
        let spec = categories.find(category).map(|id| categories.spec(id));
        let topic = folded.topic(id).or(spec.map(|spec| spec.topic.as_ref())).unwrap_or(category);
        let asides = folded.asides(id, LineAsides::default());
        let markers = Markers { asides, ..Markers::pinned(folded.is_pinned(id)) };
        let first =
            folded.ledger.evidence(Now(Timestamp(i64::MAX)), id).map(|found| found.first_seen);
        let file = files.entry(dir.join(folder).join(format!("{topic}.md"))).or_default();
        file.push((first, topic::render(category, text, &markers)));
    }
    fs::create_dir_all(dir.join("topics"))
        .with_context(|| format!("cannot make {}", dir.display()))?;
    fs::create_dir_all(dir.join("archive"))?;
    for (path, mut lines) in files {
        lines.sort();
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let lines: String = lines.into_iter().map(|(_, line)| line + "\n").collect();
        put(&path, &format!("# {stem}\n\n{lines}"))?;
    }
    let mut log = events.join("\n");
    log.push_str(if events.is_empty() { "" } else { "\n" });
    put(&dir.join("evidence.jsonl"), &log)
}

fn put(path: &Path, text: &str) -> anyhow::Result<()> {
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

/// Pushes the lines and events of a store, or of a project with one, as a user.
///
/// # Errors
/// There is no store, no such user or project, or the database is away. What is refused is told.
pub async fn import(
    config: &ServerConfig,
    client: &mut Client,
    org: Option<&str>,
    user: &str,
    project: &str,
    dir: &Path,
) -> anyhow::Result<String> {
    let caller = caller(config, client, org, user, project).await?;
    let Some(project) = caller.projects.first() else { bail!("there is no project {project:?}") };
    let store = [dir.join(".pi/memory"), dir.to_path_buf()];
    let store = store.iter().find(|store| store.join("topics").is_dir());
    let store = store.with_context(|| format!("there is no store in {}", dir.display()))?;
    let (entries, events) = (entries(store)?, text(&store.join("evidence.jsonl"))?);
    let events = events.lines().filter(|line| !line.trim().is_empty()).map(|line| {
        wire::raw(line).with_context(|| format!("an event of {} is not JSON", store.display()))
    });
    let events = events.collect::<Result<Vec<_>, _>>()?;
    let pools = Pools::new(config)?;
    let mut connection = db::take(&pools.sync).await?;
    let (mut new, mut refused) = (0, BTreeMap::<&str, usize>::new());
    let mut parts = Vec::new();
    let mut push = PushBody { project: project.slug.clone(), ..PushBody::default() };
    let mut size = 0;
    let lengths = entries.iter().map(|entry| entry.line.as_ref().map_or(0, String::len));
    let lengths: Vec<usize> = lengths.chain(events.iter().map(|event| event.get().len())).collect();
    let mut all = entries.into_iter().map(Ok).chain(events.into_iter().map(Err));
    for length in lengths {
        if push.entries.len() + push.events.len() == MOST_OBJECTS || size + length > MOST_BYTES {
            let next = PushBody { project: project.slug.clone(), ..PushBody::default() };
            parts.push(std::mem::replace(&mut push, next));
            size = 0;
        }
        size += length;
        match all.next() {
            Some(Ok(entry)) => push.entries.push(entry),
            Some(Err(event)) => push.events.push(event),
            None => {}
        }
    }
    parts.push(push);
    for part in &parts {
        let request = Uuid::new_v4();
        let pushed =
            push::push(&mut connection, &caller, project, request, part, clock::stamp()).await?;
        new += pushed.entries.new + pushed.events.new;
        for one in pushed.refused {
            *refused.entry(one.reason.name()).or_default() += 1;
        }
    }
    let mut told = format!("{new} new objects\n");
    for (reason, count) in refused {
        let _ = writeln!(told, "refused: {count} ({reason})");
    }
    Ok(told)
}

/// Returns a caller with every right of a user in one project.
async fn caller(
    config: &ServerConfig,
    client: &mut Client,
    org: Option<&str>,
    user: &str,
    project: &str,
) -> anyhow::Result<Caller> {
    let transaction = admin::begin(client).await?;
    let org = admin::enter(&transaction, org).await?;
    readable(&transaction, org).await?;
    let vault = Keeper::load(&config.key).read(&transaction, org).await?;
    let named = "select o.name, o.key_mode, u.id, p.id from orgs o \
        left join users u on u.org_id = o.id and u.name = $2 left join projects p on p.org_id = o.id and p.slug = $3 \
        where o.id = $1";
    let row = transaction.query_one(named, &[&org, &user, &project]).await?;
    let id: Option<Uuid> = row.get(2);
    let found: Option<Uuid> = row.get(3);
    let rights = [Right::Read, Right::Write, Right::Curate, Right::Admin];
    Ok(Caller {
        key: Uuid::nil(),
        org,
        org_name: row.get(0),
        mode: row.get(1),
        user: id.with_context(|| format!("there is no user {user:?}"))?,
        user_name: user.to_owned(),
        vault: Ok(vault),
        scopes: rights.to_vec(),
        projects: vec![Project {
            id: found.with_context(|| format!("there is no project {project:?}"))?,
            slug: project.to_owned(),
            right: Right::Admin,
        }],
    })
}

/// Reads the entries of a store, in its topics and its archive.
fn entries(store: &Path) -> anyhow::Result<Vec<SyncEntry>> {
    let categories = fold::categories();
    let mut found = BTreeMap::new();
    for folder in ["topics", "archive"] {
        let Ok(names) = fs::read_dir(store.join(folder)) else { continue };
        for name in names {
            let path = name?.path();
            if path.extension().is_none_or(|extension| extension != "md") {
                continue;
            }
            for entry in TopicDoc::parse(text(&path)?.into_bytes(), &categories).entries {
                let category = &categories.spec(entry.category).name;
                let entry = SyncEntry::of(category, &entry.text);
                found.insert(entry.hash.clone(), entry);
            }
        }
    }
    Ok(found.into_values().collect())
}

/// Reads a file that is no link; empty if there is none.
fn text(path: &Path) -> anyhow::Result<String> {
    let Ok(metadata) = fs::symlink_metadata(path) else { return Ok(String::new()) };
    ensure!(
        metadata.is_file() && metadata.len() <= MAX,
        "{} is not a file of a store",
        path.display()
    );
    let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
