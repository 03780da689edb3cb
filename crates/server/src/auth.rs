//! Who asks: keys, how often one may ask, and what their users may do.
//!
//! A key is `pmk_<8 characters>_<32 random bytes in base 62>_<CRC-32>`. Secret scanners know it by its
//! look, and a mistyped one is told from a wrong one without a question to the database. Each has a
//! bucket of tokens in the memory of this process.

use std::{
    collections::HashMap,
    fmt,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use deadpool_postgres::{Client, Pool};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;
use uuid::Uuid;

use crate::{
    db::{self, Actor, Error, TenantRole, TenantScope},
    seal::{Keeper, Vault},
};

const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const PREFIX: usize = 8;
/// Digits of 256 bits in base 62.
const SECRET: usize = 43;
/// Digits of 32 bits in base 62.
const SUM: usize = 6;

/// A key. It does not show itself in messages.
#[derive(Clone, PartialEq, Eq)]
pub struct AccessKey(String);

impl AccessKey {
    /// Makes a key.
    ///
    /// # Errors
    /// The system has no random bytes.
    pub fn new() -> Result<Self, getrandom::Error> {
        let mut random = [0_u8; 32 + 8];
        getrandom::fill(&mut random)?;
        let (secret, prefix) = random.split_at(32);
        let front = format!("pmk_{}_{}", base62(prefix, PREFIX), base62(secret, SECRET));
        let sum = sum(&front);
        Ok(Self(format!("{front}_{sum}")))
    }

    /// Reads a key, if it has the look of one and its checksum fits.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let (front, end) = text.rsplit_once('_')?;
        let mut parts = front.strip_prefix("pmk_")?.split('_');
        let is = |part: Option<&str>, length: usize| {
            part.is_some_and(|part| {
                part.len() == length && part.bytes().all(|byte| byte.is_ascii_alphanumeric())
            })
        };
        let fits = is(parts.next(), PREFIX) && is(parts.next(), SECRET) && parts.next().is_none();
        (fits && sum(front) == end).then(|| Self(text.to_owned()))
    }

    /// The part that is stored as it is, to find the key by.
    #[must_use]
    pub fn prefix(&self) -> &str {
        self.0.get(4..4 + PREFIX).unwrap_or_default()
    }

    /// What is stored of the key. 256 random bits need no slow hash.
    #[must_use]
    pub fn hash(&self) -> [u8; 32] {
        Sha256::digest(self.0.as_bytes()).into()
    }

    /// Compares with a stored hash, in the same time wherever they differ.
    #[must_use]
    pub fn is(&self, hash: &[u8]) -> bool {
        self.hash().as_slice().ct_eq(hash).into()
    }

    /// Shows the key, once.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for AccessKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "pmk_{}_…", self.prefix())
    }
}

/// Writes bytes as one number of `digits` digits; more significant ones are dropped.
fn base62(bytes: &[u8], digits: usize) -> String {
    let mut number = bytes.to_vec();
    let mut text = vec![b'0'; digits];
    for digit in text.iter_mut().rev() {
        let mut rest = 0_u32;
        for byte in &mut number {
            let value = rest << 8 | u32::from(*byte);
            *byte = u8::try_from(value / 62).unwrap_or_default();
            rest = value % 62;
        }
        *digit = usize::try_from(rest).ok().and_then(|at| DIGITS.get(at)).copied().unwrap_or(b'0');
    }
    text.into_iter().map(char::from).collect()
}

fn sum(front: &str) -> String {
    base62(&crc32fast::hash(front.as_bytes()).to_be_bytes(), SUM)
}

/// Buckets above which full ones are thrown away.
const MANY: usize = 10_000;

#[derive(Debug)]
pub struct Limiter {
    /// Tokens a second.
    rate: f64,
    /// Tokens of a full bucket.
    burst: f64,
    buckets: Mutex<HashMap<Uuid, Bucket>>,
}

#[derive(Debug, Clone, Copy)]
struct Bucket {
    tokens: f64,
    at: Instant,
}

/// What is left after a request.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LeftTokens {
    pub is_allowed: bool,
    /// Whole tokens that are left.
    pub tokens: u32,
    /// Time until the next token.
    pub wait: Duration,
}

impl Limiter {
    /// Returns a limiter of `rate` requests a second and `burst` at once.
    #[must_use]
    pub fn new(rate: u32, burst: u32) -> Self {
        Self { rate: rate.into(), burst: burst.into(), buckets: Mutex::default() }
    }

    #[must_use]
    pub fn burst(&self) -> f64 {
        self.burst
    }

    /// Takes a token of `key` at the time `now`.
    pub fn take(&self, key: Uuid, now: Instant) -> LeftTokens {
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        let filled = |bucket: &Bucket| {
            let more = now.saturating_duration_since(bucket.at).as_secs_f64() * self.rate;
            (bucket.tokens + more).min(self.burst)
        };
        if buckets.len() > MANY {
            buckets.retain(|_, bucket| filled(bucket) < self.burst);
        }
        let bucket = buckets.entry(key).or_insert(Bucket { tokens: self.burst, at: now });
        *bucket = Bucket { tokens: filled(bucket), at: now };
        let is_allowed = bucket.tokens >= 1.0;
        if is_allowed {
            bucket.tokens -= 1.0;
        }
        let missing = (1.0 - bucket.tokens).max(0.0);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to burst")]
        let tokens = bucket.tokens as u32;
        LeftTokens { is_allowed, tokens, wait: Duration::from_secs_f64(missing / self.rate) }
    }
}

/// What a request wants to do, from the least. Roles of users and scopes of keys have this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Right {
    /// Pull, list and search.
    Read,
    Write,
    /// Take other people's entries out of sight.
    Curate,
    /// Purge other people's entries.
    Admin,
}

impl Right {
    const ALL: [Self; 4] = [Self::Read, Self::Write, Self::Curate, Self::Admin];

    #[must_use]
    pub fn scope(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Curate => "curate",
            Self::Admin => "admin",
        }
    }

    /// The role of a user who has this right and those below it.
    #[must_use]
    pub fn role(self) -> &'static str {
        match self {
            Self::Read => "reader",
            Self::Write => "writer",
            Self::Curate => "curator",
            Self::Admin => "admin",
        }
    }

    #[must_use]
    pub fn of_scope(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|right| right.scope() == name)
    }

    fn of_rank(rank: i32) -> Option<Self> {
        Self::ALL.into_iter().zip(1..).find(|(_, number)| *number == rank).map(|(right, _)| right)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    pub id: Uuid,
    pub slug: String,
    /// The most that the user may do in it, whatever the key says.
    pub right: Right,
}

/// Who asks.
#[derive(Debug, Clone)]
pub struct Caller {
    pub key: Uuid,
    pub org: Uuid,
    pub org_name: String,
    /// `plain`, `sealed` or `end-to-end`.
    pub mode: String,
    pub user: Uuid,
    pub user_name: String,
    pub scopes: Vec<Right>,
    /// Sorted by slug.
    pub projects: Vec<Project>,
    /// Why the organisation is closed, where it is.
    pub vault: Result<Vault, String>,
}

/// Why a key is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Denied {
    /// There is no such key.
    Unknown,
    Expired,
    Revoked,
}

/// Why a request of a known caller is not answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Forbidden {
    NoProject(String),
    Scope(Right),
    /// The user has not this role in the project.
    Role(Right),
}

impl Actor for Caller {
    fn actor(&self) -> (Uuid, Uuid, Uuid) {
        (self.org, self.user, self.key)
    }
}

impl Caller {
    /// Refuses what the key's scopes do not have.
    ///
    /// # Errors
    /// [`Forbidden::Scope`].
    pub fn scope(&self, right: Right) -> Result<(), Forbidden> {
        if self.scopes.contains(&right) { Ok(()) } else { Err(Forbidden::Scope(right)) }
    }

    /// Returns a project in which the caller has `right`. A project that the caller does not see
    /// is answered like one that does not exist.
    ///
    /// # Errors
    /// [`Forbidden`].
    pub fn project(&self, slug: &str, right: Right) -> Result<&Project, Forbidden> {
        self.scope(right)?;
        let found = self.projects.iter().find(|project| project.slug == slug);
        let found = found.ok_or_else(|| Forbidden::NoProject(slug.to_owned()))?;
        if found.right >= right { Ok(found) } else { Err(Forbidden::Role(right)) }
    }

    /// Returns true if the caller may do this in a project.
    #[must_use]
    pub fn may(&self, project: &Project, right: Right) -> bool {
        self.scopes.contains(&right) && project.right >= right
    }

    /// Returns what the organisation's texts go through, for whoever reads them.
    ///
    /// # Errors
    /// It is sealed, and its key is not at hand; or no server has its key.
    pub fn vault(&self) -> Result<&Vault, Error> {
        if self.is_opaque() { Err(Error::Opaque) } else { self.any_vault() }
    }

    /// Returns true if the server has ciphertext only, which clients sealed.
    #[must_use]
    pub fn is_opaque(&self) -> bool {
        self.mode == "end-to-end"
    }

    /// Returns what the organisation's objects go through, for whoever keeps them as they are.
    ///
    /// # Errors
    /// It is sealed, and its key is not at hand.
    pub fn any_vault(&self) -> Result<&Vault, Error> {
        self.vault.as_ref().map_err(|why| Error::Closed(why.clone()))
    }

    /// What a transaction for one project sees.
    #[must_use]
    pub fn within(&self, project: &Project) -> TenantScope {
        TenantScope { org: self.org, user: self.user, projects: vec![project.id] }
    }

    /// What a transaction for all projects of the caller sees.
    #[must_use]
    pub fn everywhere(&self) -> TenantScope {
        let projects = self.projects.iter().map(|project| project.id).collect();
        TenantScope { org: self.org, user: self.user, projects }
    }
}

/// Looks a key up.
///
/// # Errors
/// The database is away.
pub async fn authenticate(
    pool: &Pool,
    keeper: &Keeper,
    key: &AccessKey,
) -> Result<Result<Caller, Denied>, Error> {
    let mut client = db::take(pool).await?;
    let statement = client.prepare_cached("select * from pimem.authenticate($1)").await?;
    let Some(row) = client.query_opt(&statement, &[&key.prefix()]).await? else {
        return Ok(Err(Denied::Unknown));
    };
    if !key.is(row.get("hash")) {
        return Ok(Err(Denied::Unknown));
    }
    if row.get("revoked") {
        return Ok(Err(Denied::Revoked));
    }
    if row.get("expired") {
        return Ok(Err(Denied::Expired));
    }
    let ids: Vec<Uuid> = row.get("project_ids");
    let slugs: Vec<String> = row.get("slugs");
    let ranks: Vec<i32> = row.get("ranks");
    let projects =
        ids.into_iter().zip(slugs).zip(ranks).filter_map(|((id, slug), rank)| {
            Some(Project { id, slug, right: Right::of_rank(rank)? })
        });
    let scopes: Vec<String> = row.get("scopes");
    let (org, mode): (Uuid, String) = (row.get("org_id"), row.get("key_mode"));
    let (epochs, wrapped): (Vec<i32>, Vec<Vec<u8>>) = (row.get("epochs"), row.get("wrapped"));
    let wrapped: Vec<_> = epochs.into_iter().zip(wrapped).collect();
    let vault = match keeper.vault(org, &mode, &wrapped) {
        Ok(vault) => Ok(vault),
        Err(Error::Closed(why)) => Err(why),
        Err(error) => return Err(error),
    };
    let caller = Caller {
        vault,
        key: row.get("key_id"),
        org,
        org_name: row.get("org"),
        mode,
        user: row.get("user_id"),
        user_name: row.get("user_name"),
        scopes: scopes.iter().filter_map(|scope| Right::of_scope(scope)).collect(),
        projects: projects.collect(),
    };
    if !row.get::<_, bool>("used_today") {
        note_use(&mut client, &caller).await?;
    }
    Ok(Ok(caller))
}

/// Notes the day on which a key was last used, once a day.
async fn note_use(client: &mut Client, caller: &Caller) -> Result<(), Error> {
    let transaction = db::begin(client, TenantRole::App, &caller.everywhere()).await?;
    let update = "update pimem.api_keys set last_used = current_date where id = $1";
    transaction.execute(update, &[&caller.key]).await?;
    Ok(transaction.commit().await?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_read_back_and_a_mistyped_one_is_not() {
        let key = AccessKey::new().unwrap();
        let text = key.reveal();
        assert_eq!(text.len(), 4 + PREFIX + 1 + SECRET + 1 + SUM);
        assert_eq!(AccessKey::read(text), Some(key.clone()));
        assert!(key.is(&key.hash()) && !key.is(&AccessKey::new().unwrap().hash()) && !key.is(b""));
        for at in 0..text.len() {
            let mut other = text.as_bytes().to_vec();
            other[at] = if other[at] == b'a' { b'b' } else { b'a' };
            assert_eq!(AccessKey::read(&String::from_utf8(other).unwrap()), None, "{at}");
            assert_eq!(AccessKey::read(&text[..at]), None);
        }
        assert!(!format!("{key:?}").contains(&text[13..30]));
    }

    #[test]
    fn numbers_in_base_62() {
        assert_eq!(base62(&[0, 61], 3), "00z");
        assert_eq!(base62(&[0, 62], 3), "010");
        assert_eq!(base62(&[255; 32], SECRET).len(), SECRET);
        assert_eq!(base62(&[255, 255, 255, 255], SUM), "4gfFC3");
    }

    #[test]
    fn a_bucket_empties_and_fills_and_is_each_keys_own() {
        let limiter = Limiter::new(2, 3);
        let (key, other, start) = (Uuid::from_u128(1), Uuid::from_u128(2), Instant::now());
        let at = |millis| start + Duration::from_millis(millis);
        let allowed: Vec<bool> = (0..4).map(|_| limiter.take(key, start).is_allowed).collect();
        assert_eq!(allowed, [true, true, true, false]);
        assert_eq!(limiter.take(key, start).wait, Duration::from_millis(500));
        assert!(limiter.take(other, start).is_allowed);
        assert!(!limiter.take(key, at(499)).is_allowed);
        assert!(limiter.take(key, at(500)).is_allowed);
        assert!(!limiter.take(key, at(501)).is_allowed);
        // A minute later the bucket is full, not fuller.
        assert_eq!(limiter.take(key, at(60_000)).tokens, 2);
    }
}
