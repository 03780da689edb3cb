//! The schema, organisations, people, projects and grants.

use anyhow::{Context as _, bail};
use tokio_postgres::{Client, Transaction, error::SqlState};
use uuid::Uuid;

use crate::{auth::Right, config::ServerConfig, db, seal::Keeper};

/// A transaction of the schema's owner. It sees one organisation, if one is set.
///
/// # Errors
/// The database is away, or the role may not administer.
pub async fn begin(client: &mut Client) -> anyhow::Result<Transaction<'_>> {
    let transaction = client.transaction().await?;
    transaction
        .batch_execute("set local role pimem_owner; set local search_path = pimem, public")
        .await
        .context("this needs a role of PostgreSQL that is a member of pimem_owner")?;
    Ok(transaction)
}

/// Enters an organisation: the named one, or the only one.
///
/// # Errors
/// There is none, or several and none is named.
pub async fn enter(transaction: &Transaction<'_>, name: Option<&str>) -> anyhow::Result<Uuid> {
    let rows = transaction.query("select id, name from orgs order by name", &[]).await?;
    let id: Uuid = match (name, rows.as_slice()) {
        (Some(name), rows) => rows
            .iter()
            .find(|row| row.get::<_, String>(1) == name)
            .with_context(|| format!("there is no organisation {name:?}"))?
            .get(0),
        (None, [only]) => only.get(0),
        (None, []) => bail!("there is no organisation: `pimem-server org create NAME`"),
        (None, _) => bail!("there are several organisations: name one by --org"),
    };
    transaction.execute("select set_config('pimem.org', $1, true)", &[&id.to_string()]).await?;
    Ok(id)
}

/// Makes an organisation.
///
/// # Errors
/// The name is taken or not one; or it is to be sealed, and there is no key.
pub async fn create_org(
    client: &mut Client,
    keeper: &Keeper,
    name: &str,
    mode: &str,
) -> anyhow::Result<String> {
    let transaction = begin(client).await?;
    let row = "insert into orgs (name, key_mode) values ($1, $2)";
    made(transaction.execute(row, &[&name, &mode]).await, name)?;
    if mode == "sealed" {
        let org = enter(&transaction, Some(name)).await?;
        keeper.add(&transaction, org, 1).await?;
    }
    transaction.commit().await?;
    Ok(format!("organisation {name}\n"))
}

/// Makes a user.
///
/// # Errors
/// The name is taken or not one.
pub async fn create_user(
    client: &mut Client,
    org: Option<&str>,
    name: &str,
) -> anyhow::Result<String> {
    let transaction = begin(client).await?;
    let org = enter(&transaction, org).await?;
    let row = "insert into users (org_id, name) values ($1, $2)";
    made(transaction.execute(row, &[&org, &name]).await, name)?;
    transaction.commit().await?;
    Ok(format!("user {name}\n"))
}

/// Makes a project.
///
/// # Errors
/// The name is taken or not one.
pub async fn create_project(
    client: &mut Client,
    org: Option<&str>,
    slug: &str,
    visibility: &str,
) -> anyhow::Result<String> {
    let transaction = begin(client).await?;
    let org = enter(&transaction, org).await?;
    let row = "insert into projects (org_id, slug, visibility) values ($1, $2, $3)";
    made(transaction.execute(row, &[&org, &slug, &visibility]).await, slug)?;
    transaction.commit().await?;
    Ok(format!("project {slug}\n"))
}

/// Gives a user a role in a project, or in all that are not private.
///
/// # Errors
/// There is no such user or project.
pub async fn grant(
    client: &mut Client,
    org: Option<&str>,
    user: &str,
    role: Option<Right>,
    project: Option<&str>,
) -> anyhow::Result<String> {
    let transaction = begin(client).await?;
    let org = enter(&transaction, org).await?;
    let user_id = user_id(&transaction, user).await?;
    let project_id = match project {
        Some(slug) => Some(project_id(&transaction, slug).await?),
        None => None,
    };
    let old = "delete from grants where user_id = $1 and project_id is not distinct from $2";
    transaction.execute(old, &[&user_id, &project_id]).await?;
    if let Some(role) = role {
        let row = "insert into grants (org_id, user_id, project_id, role) values ($1, $2, $3, $4)";
        transaction.execute(row, &[&org, &user_id, &project_id, &role.role()]).await?;
    }
    transaction.commit().await?;
    let role = role.map_or("no role", Right::role);
    Ok(format!("{user}: {role} in {}\n", project.unwrap_or("all projects that are not private")))
}

/// Lists projects or users, with the roles in them.
///
/// # Errors
/// The database is away.
pub async fn list(client: &mut Client, org: Option<&str>, what: List) -> anyhow::Result<String> {
    let transaction = begin(client).await?;
    enter(&transaction, org).await?;
    let query = match what {
        List::Projects => "select slug || '  ' || visibility from projects order by slug",
        List::Users => {
            "select u.name || coalesce('  ' || string_agg(g.role || ' in ' || coalesce(p.slug, '*'), ', '
                order by p.slug nulls first), '')
             from users u left join grants g on g.user_id = u.id left join projects p on p.id = g.project_id
             group by u.id, u.name order by u.name"
        }
    };
    let rows = transaction.query(query, &[]).await?;
    Ok(rows.iter().map(|row| row.get::<_, String>(0) + "\n").collect())
}

/// What [`list`] lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum List {
    Projects,
    Users,
}

/// Finds a user by name.
///
/// # Errors
/// There is none.
pub async fn user_id(transaction: &Transaction<'_>, name: &str) -> anyhow::Result<Uuid> {
    let found = transaction.query_opt("select id from users where name = $1", &[&name]).await?;
    Ok(found.with_context(|| format!("there is no user {name:?}"))?.get(0))
}

/// Finds a project by name.
///
/// # Errors
/// There is none.
pub async fn project_id(transaction: &Transaction<'_>, slug: &str) -> anyhow::Result<Uuid> {
    let found = transaction.query_opt("select id from projects where slug = $1", &[&slug]).await?;
    Ok(found.with_context(|| format!("there is no project {slug:?}"))?.get(0))
}

fn made(done: Result<u64, tokio_postgres::Error>, name: &str) -> anyhow::Result<()> {
    match done {
        Ok(_) => Ok(()),
        Err(error) if error.code() == Some(&SqlState::UNIQUE_VIOLATION) => {
            bail!("{name} is there already")
        }
        Err(error) if error.code() == Some(&SqlState::CHECK_VIOLATION) => bail!(
            "{name:?} is not a name: small letters, digits, '.', '_' and '-', at most 63, \
             with a letter or digit first"
        ),
        Err(error) => Err(error.into()),
    }
}

/// Applies the missing migrations and tells them; with `plan`, only tells all. `is_restored` is as in
/// [`db::migrate`].
///
/// # Errors
/// The database is away, or its schema cannot be brought up to date.
pub async fn migrate(
    config: &ServerConfig,
    plan: bool,
    is_restored: bool,
) -> anyhow::Result<String> {
    let mut client = db::connect(config).await?;
    let steps =
        if plan { db::plan(&client).await? } else { db::migrate(&mut client, is_restored).await? };
    if steps.is_empty() {
        return Ok("the schema is up to date\n".to_owned());
    }
    let tell = |step: &db::Migration| {
        let state = if step.applied { "applied" } else { "missing" };
        format!("{:04} {} {state}\n", step.number, step.name)
    };
    Ok(steps.iter().map(tell).collect())
}
