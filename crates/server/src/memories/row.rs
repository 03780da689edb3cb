//! A row of `memories`, scored at read time by any of the program's policies.

use std::collections::BTreeSet;

use chrono::{DateTime, SecondsFormat, Utc};
use pimem_core::{
    gate::{Facts, Verdict},
    markdown::topic,
    model::{
        category::Traits,
        entry::{EntryId, Share},
        event::{ArchiveReason, Cue},
        hash,
        operation::UserState,
        time::{Now, Timestamp},
    },
    score::{
        access::Access,
        evidence::Evidence,
        policy::{self, Policy, Subject},
        stability::{Score, Standing},
    },
};
use serde::Serialize;
use sha2::{Digest as _, Sha256};
use tokio_postgres::Row;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{
    db::Error,
    index::fold::{self, Inner, id_of},
    seal::{Vault, VaultColumn, VaultText},
};

/// What [`COLUMNS`] are of, after `pimem.memories m`.
pub const JOINED: &str = "left join pimem.users u on u.org_id = m.org_id and u.id = m.author \
    left join pimem.accesses a on a.org_id = m.org_id and a.project_id = m.project_id and a.entry = m.entry";
/// What is read of a row, of `pimem.memories m` with [`JOINED`].
pub const COLUMNS: &str = "m.project_id, m.entry, m.hash, m.category, m.topic, m.place, m.archived, m.body, \
    u.name as author, m.tags, m.evidence, m.accesses + coalesce(a.count, 0) as accesses, \
    greatest(m.last_accessed, a.last) as last_accessed, m.first_seen, m.last_reinforced, m.cue, \
    m.tau, m.user_state, m.priority, m.importance, m.valid_until, m.superseded_by, m.counts_in, \
    m.model_vec is not null as has_model_vector, m.sealed, m.key_id";

/// A row.
#[derive(Debug, Clone)]
pub struct MemoryRow {
    pub project: Uuid,
    pub id: EntryId,
    pub hash: Vec<u8>,
    pub category: String,
    pub topic: String,
    /// `topics` or `archive`.
    pub place: String,
    pub archived: Option<String>,
    pub text: String,
    pub author: Option<String>,
    pub tags: Vec<String>,
    pub evidence: i32,
    pub access: Access,
    pub first_seen: DateTime<Utc>,
    pub last_reinforced: DateTime<Utc>,
    pub cue: f64,
    pub tau: f64,
    pub user: UserState,
    pub priority: Option<f64>,
    pub importance: Option<f64>,
    pub valid_until: Option<DateTime<Utc>>,
    pub superseded_by: Option<EntryId>,
    pub counts_in: Vec<String>,
    pub has_model_vector: bool,
}

/// A memory.
#[derive(Debug, Serialize, ToSchema)]
pub struct View {
    /// 16 hexadecimal digits, as the program has them.
    pub id: String,
    /// SHA-256 of the line.
    pub hash: String,
    pub project: String,
    pub category: String,
    pub text: String,
    pub tags: Vec<String>,
    pub topic: String,
    /// Who pushed it first.
    pub author: Option<String>,
    /// `active`, `provisional`, `candidate` or `dropped`, by the score alone.
    pub state: &'static str,
    /// By the policy that was asked for; 9999 if pinned, 0 if forgotten.
    pub score: f64,
    pub pinned: bool,
    pub forgotten: bool,
    /// 1 and the number of times that it proved right, less what speaks against it.
    pub evidence: i32,
    /// `explicit`, `structural`, `behavioral` or `recurrence`.
    pub cue: &'static str,
    /// 0 to 1, where one was given.
    pub importance: Option<f64>,
    /// 0 to 1, where one was given.
    pub priority: Option<f64>,
    pub created_at: String,
    pub last_reinforced: String,
    pub accessed_at: Option<String>,
    pub access_count: u64,
    pub valid_until: Option<String>,
    /// Id of the entry that replaces it.
    pub superseded_by: Option<String>,
    /// Globs of paths, where it counts there alone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<String>,
    /// Why it is in the archive: `person`, `age`, `replaced` or `merged`.
    pub archived: Option<String>,
}

impl MemoryRow {
    /// Reads [`COLUMNS`]; `None` for a sealed row that is not opened.
    ///
    /// # Errors
    /// As [`Vault::open`].
    pub fn of(row: &Row, vault: &Vault) -> Result<Option<Self>, Error> {
        let memory = Self::plain(row);
        if !vault.is_sealed() {
            return Ok(Some(memory));
        }
        let entry: Vec<u8> = row.get("entry");
        let kept = VaultText { text: None, sealed: row.get("sealed"), key: row.get("key_id") };
        let inner =
            vault.open(VaultColumn::Memory { project: memory.project, entry: &entry }, kept)?;
        let inner = inner.and_then(|inner| serde_json::from_str::<Inner>(&inner).ok());
        let Some(Inner { id, text, topic, superseded_by, counts_in }) = inner else {
            return Ok(None);
        };
        let line = topic::canonical(&memory.category, &text);
        Ok(Some(Self {
            id: EntryId(id),
            hash: Sha256::digest(line).to_vec(),
            tags: fold::tags(&text),
            text,
            topic,
            superseded_by: superseded_by.map(EntryId),
            counts_in,
            ..memory
        }))
    }

    fn plain(row: &Row) -> Self {
        let bytes: Vec<u8> = row.get("entry");
        let superseded: Option<Vec<u8>> = row.get("superseded_by");
        let user: String = row.get("user_state");
        Self {
            project: row.get("project_id"),
            id: id_of(&bytes).unwrap_or(EntryId(0)),
            hash: row.get::<_, Option<Vec<u8>>>("hash").unwrap_or_default(),
            category: row.get("category"),
            topic: row.get::<_, Option<String>>("topic").unwrap_or_default(),
            place: row.get("place"),
            archived: row.get("archived"),
            text: row.get::<_, Option<String>>("body").unwrap_or_default(),
            author: row.get("author"),
            tags: row.get("tags"),
            evidence: row.get("evidence"),
            access: Access {
                count: u64::try_from(row.get::<_, i64>("accesses")).unwrap_or_default(),
                last: row.get::<_, Option<DateTime<Utc>>>("last_accessed").map(stamp),
            },
            first_seen: row.get("first_seen"),
            last_reinforced: row.get("last_reinforced"),
            cue: row.get("cue"),
            tau: row.get("tau"),
            user: UserState::find(&user).unwrap_or_default(),
            priority: row.get("priority"),
            importance: row.get("importance"),
            valid_until: row.get("valid_until"),
            superseded_by: superseded.as_deref().and_then(id_of),
            counts_in: row.get("counts_in"),
            has_model_vector: row.get("has_model_vector"),
        }
    }

    #[must_use]
    pub fn standing(&self, now: Now) -> Standing {
        match self.user {
            UserState::Pinned => Standing::Pinned,
            UserState::Forgotten => Standing::Forgotten,
            UserState::Auto => {
                let count = u64::try_from(self.evidence).unwrap_or_default();
                let idle = now.since(stamp(self.last_reinforced));
                Standing::Scored(Score::new(self.cue, idle, self.tau, count))
            }
        }
    }

    #[must_use]
    pub fn standing_by(&self, policy: Policy, now: Now) -> Standing {
        let evidence = self.evidence_of();
        let touched = policy::last_touched(now, &evidence, self.access);
        let subject = Subject {
            traits: Traits::of(&self.category),
            text: &self.text,
            of_user: false,
            marked: false,
            evidence: &evidence,
            known_for: now.since(evidence.first_seen),
            untouched: now.since(touched),
            access: self.access,
            first: None,
        };
        policy
            .judge(&subject)
            .map_or_else(|| self.standing(now), |judged| Policy::standing(&subject, &judged.parts))
    }

    /// Returns what the gate says of it.
    #[must_use]
    pub fn verdict(&self, now: Now) -> Verdict {
        let facts = Facts {
            reviewed: true,
            pinned: self.user == UserState::Pinned,
            forgotten: self.user == UserState::Forgotten,
            expired: self.valid_until.is_some_and(|until| stamp(until) < now.0),
            replaced_by: self.superseded_by,
            archived: self.archived.as_deref().map(ArchiveReason::of),
            ..Facts::default()
        };
        facts.verdict()
    }

    /// Returns what is answered.
    #[must_use]
    pub fn view(&self, project: &str, policy: Policy, now: Now) -> View {
        let standing = self.standing_by(policy, now);
        let share = |number: f64| (number * 1e6).round() / 1e6;
        View {
            id: self.id.to_string(),
            hash: hash::write_hex(&self.hash),
            project: project.to_owned(),
            category: self.category.clone(),
            text: self.text.clone(),
            tags: self.tags.clone(),
            topic: self.topic.clone(),
            author: self.author.clone(),
            state: policy.state(standing).name(),
            score: share(standing.shown()),
            pinned: self.user == UserState::Pinned,
            forgotten: self.user == UserState::Forgotten,
            evidence: self.evidence,
            cue: self.cue().name(),
            importance: self.importance,
            priority: self.priority,
            created_at: written(self.first_seen),
            last_reinforced: written(self.last_reinforced),
            accessed_at: self.access.last.map(|last| last.to_string()),
            access_count: self.access.count,
            valid_until: self.valid_until.map(written),
            superseded_by: self.superseded_by.map(|id| id.to_string()),
            places: self.counts_in.clone(),
            archived: self.archived.clone(),
        }
    }

    fn cue(&self) -> Cue {
        let near = |cue: &Cue| (cue.weight() - self.cue).abs() < 1e-6;
        Cue::ALL.into_iter().find(near).unwrap_or(Cue::Behavioral)
    }

    fn evidence_of(&self) -> Evidence {
        let last_reinforced = stamp(self.last_reinforced);
        Evidence {
            cue: self.cue(),
            count: u64::try_from(self.evidence).unwrap_or_default(),
            first_seen: stamp(self.first_seen),
            last_reinforced,
            touched: last_reinforced,
            user: self.user,
            until: self.valid_until.map(stamp),
            superseded_by: self.superseded_by.into_iter().collect(),
            outlived: BTreeSet::new(),
            chosen: None,
            priority: self.priority.and_then(Share::new),
            importance: self.importance.and_then(Share::new),
        }
    }
}

fn stamp(time: DateTime<Utc>) -> Timestamp {
    Timestamp(time.timestamp_millis())
}

fn written(time: DateTime<Utc>) -> String {
    time.to_rfc3339_opts(SecondsFormat::Millis, true)
}
