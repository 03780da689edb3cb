//! Keys of the interface.

use anyhow::{Context as _, ensure};
use tokio_postgres::Client;
use uuid::Uuid;

use crate::{
    auth::{caller::Right, key::AccessKey},
    commands::admin::{begin, enter, project_id, user_id},
};

/// What a new key is for.
#[derive(Debug)]
pub struct WantedKeys<'a> {
    pub org: Option<&'a str>,
    pub user: &'a str,
    pub scopes: &'a [Right],
    /// Empty for every project of the user.
    pub projects: &'a [String],
    /// Days until it expires.
    pub days: u32,
}

/// Makes a key and returns it. It is shown this once.
///
/// # Errors
///
/// There is no such user or project.
pub async fn create(client: &mut Client, wanted: &WantedKeys<'_>) -> anyhow::Result<String> {
    let transaction = begin(client).await?;
    let org = enter(&transaction, wanted.org).await?;
    let user = user_id(&transaction, wanted.user).await?;
    let mut projects = Vec::new();
    for slug in wanted.projects {
        projects.push(project_id(&transaction, slug).await?);
    }
    let projects = (!projects.is_empty()).then_some(projects);
    let scopes: Vec<&str> = wanted.scopes.iter().map(|scope| scope.scope()).collect();
    let key = AccessKey::new()?;
    let days = f64::from(wanted.days);
    let row = "insert into api_keys (org_id, user_id, prefix, hash, scopes, projects, expires_at) \
        values ($1, $2, $3, $4, $5, $6, now() + make_interval(secs => $7::float8 * 86400))";
    transaction
        .execute(
            row,
            &[&org, &user, &key.prefix(), &key.hash().as_slice(), &scopes, &projects, &days],
        )
        .await?;
    note(&transaction, org, "key create", key.prefix()).await?;
    transaction.commit().await?;
    Ok(format!("{}\n", key.reveal()))
}

/// Lists keys, without what makes them keys.
///
/// # Errors
///
/// The database is away.
pub async fn list(client: &mut Client, org: Option<&str>) -> anyhow::Result<String> {
    let transaction = begin(client).await?;
    enter(&transaction, org).await?;
    let query = "select concat_ws('  ', k.prefix, u.name, array_to_string(k.scopes, ','),
            (select string_agg(p.slug, ',' order by p.slug) from projects p where p.id = any (k.projects)),
            case when k.revoked_at is not null then 'revoked ' || k.revoked_at::date
                 when k.expires_at <= now() then 'expired ' || k.expires_at::date
                 when k.expires_at is null then 'never expires'
                 else 'expires ' || k.expires_at::date end,
            'last used ' || coalesce(k.last_used::text, 'never'))
        from api_keys k join users u on u.id = k.user_id order by k.created";
    let rows = transaction.query(query, &[]).await?;
    Ok(rows.iter().map(|row| row.get::<_, String>(0) + "\n").collect())
}

/// Ends a key at once.
///
/// # Errors
///
/// There is none with this prefix.
pub async fn revoke(
    client: &mut Client,
    org: Option<&str>,
    prefix: &str,
) -> anyhow::Result<String> {
    // The whole key is taken too, as that is what somebody has who must revoke it.
    let prefix =
        AccessKey::read(prefix).map_or_else(|| prefix.to_owned(), |key| key.prefix().to_owned());
    let transaction = begin(client).await?;
    let org = enter(&transaction, org).await?;
    let update = "update api_keys set revoked_at = coalesce(revoked_at, now()) where prefix = $1";
    let count = transaction.execute(update, &[&prefix]).await?;
    ensure!(count == 1, "there is no key {prefix:?}");
    note(&transaction, org, "key revoke", &prefix).await?;
    transaction.commit().await.context("nothing was revoked")?;
    Ok(format!("revoked {prefix}\n"))
}

async fn note(
    transaction: &tokio_postgres::Transaction<'_>,
    org: Uuid,
    action: &str,
    target: &str,
) -> anyhow::Result<()> {
    let row = "insert into audit (org_id, action, target) values ($1, $2, $3)";
    transaction.execute(row, &[&org, &action, &target]).await?;
    Ok(())
}
