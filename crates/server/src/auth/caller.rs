//! What a presented key allows.

use deadpool_postgres::{Client, Pool};
use uuid::Uuid;

use crate::{
    auth::key::AccessKey,
    db::{self, Actor, Error, TenantRole, TenantScope},
    seal::{keys::Keeper, vault::Vault},
};

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

    #[must_use]
    pub fn of_role(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|right| right.role() == name)
    }

    fn of_rank(rank: i32) -> Option<Self> {
        Self::ALL.into_iter().zip(1..).find(|(_, number)| *number == rank).map(|(right, _)| right)
    }
}

/// A project that the caller sees.
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
    /// The key has not this scope.
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
    ///
    /// [`Forbidden::Scope`].
    pub fn scope(&self, right: Right) -> Result<(), Forbidden> {
        if self.scopes.contains(&right) { Ok(()) } else { Err(Forbidden::Scope(right)) }
    }

    /// Returns a project in which the caller has `right`. A project that the caller does not see
    /// is answered like one that does not exist.
    ///
    /// # Errors
    ///
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
    ///
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
    ///
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
///
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
