//! What the server's role in the database reaches by any statement, whatever the server's own
//! statements say.

use crate::common::{
    pg::{Cluster, Database},
    server::Team,
    tenants::{ONE_ROW, TABLES},
};

/// Settings of a transaction of `acme`.
fn inside(database: &Database) -> String {
    let org = database.one("select id from pimem.orgs where name = 'acme'");
    let projects =
        database.one(&format!("select array_agg(id) from pimem.projects where org_id = '{org}'"));
    format!("set role pimem_app; set pimem.org = '{org}'; set pimem.projects = '{projects}';")
}

fn both(cluster: &Cluster) -> Database {
    let database = cluster.database();
    Team::new(&database, "acme");
    Team::with_project(&database, "other", "depot");
    database.execute(ONE_ROW);
    database
}

/// Returns the result of statements of the server's role within `acme`: the number of rows of the
/// last, or the message of the error.
fn attempt(database: &Database, inside: &str, statement: &str) -> Result<u64, String> {
    database.with(async |client| {
        client.batch_execute(inside).await.unwrap();
        let done = client.execute(statement, &[]).await;
        done.map_err(|error| error.as_db_error().unwrap().message().to_owned())
    })
}

#[test]
fn every_table_of_organisations_is_tried() {
    let Some(cluster) = Cluster::shared() else { return };
    let tables = "select string_agg(relname, ' ' order by relname) from pg_class c
        where relnamespace = 'pimem'::regnamespace and relkind in ('r', 'p') and not relispartition
        and (relname = 'orgs' or exists (select from pg_attribute a where a.attrelid = c.oid and attname = 'org_id'))";
    let mut tried: Vec<&str> = TABLES.to_vec();
    tried.push("api_keys");
    tried.sort_unstable();
    assert_eq!(cluster.database().one(tables), tried.join(" "));
}

#[test]
fn no_statement_finds_a_foreign_row() {
    let Some(cluster) = Cluster::shared() else { return };
    let database = both(cluster);
    let inside = inside(&database);
    let other = database.one("select id from pimem.orgs where name = 'other'");
    for table in TABLES.iter().chain(&["api_keys"]) {
        let column = if *table == "orgs" { "id" } else { "org_id" };
        let all =
            database.one(&format!("select count(*) from pimem.{table} where {column} = '{other}'"));
        assert_ne!(all, "0", "{table} has foreign rows to find");
        let own = attempt(&database, &inside, &format!("select from pimem.{table}"));
        assert!(own.unwrap() > 0, "{table} has own rows");
        for statement in [
            format!("select from pimem.{table} where {column} = '{other}'"),
            format!(
                "select from pimem.{table} where {column} <> current_setting('pimem.org')::uuid"
            ),
            format!("delete from pimem.{table} where {column} = '{other}'"),
            format!("update pimem.{table} set {column} = {column} where {column} = '{other}'"),
            format!("update pimem.{table} set {column} = '{other}'"),
        ] {
            // Either it may not at all, or it finds nothing.
            match attempt(&database, &inside, &statement) {
                Ok(count) => assert_eq!(count, 0, "{statement}"),
                Err(told) => {
                    let is_known = ["permission denied", "row-level security"];
                    assert!(
                        is_known.iter().any(|known| told.contains(known)),
                        "{statement}: {told}"
                    );
                }
            }
        }
    }
    let kept = "select count(*) from pimem.entries";
    assert_eq!(database.one(kept), "2");
}

/// The projects of a transaction are a limit of their own, for foreign ones and for one's own.
#[test]
fn a_project_that_is_not_named_is_not_seen() {
    let Some(cluster) = Cluster::shared() else { return };
    let database = both(cluster);
    let inside = inside(&database);
    let depot = database.one("select id from pimem.projects where slug = 'depot'");
    for projects in ["{}".to_owned(), format!("{{{depot}}}")] {
        let inside = format!("{inside} set pimem.projects = '{projects}';");
        for table in ["entries", "events", "memories", "index_queue"] {
            let seen = attempt(&database, &inside, &format!("select from pimem.{table}"));
            assert_eq!(seen, Ok(0), "{table} {projects}");
        }
    }
}

#[test]
fn nothing_is_written_elsewhere() {
    let Some(cluster) = Cluster::shared() else { return };
    let database = both(cluster);
    let inside = inside(&database);
    let (org, project) = (
        database.one("select id from pimem.orgs where name = 'other'"),
        database.one("select id from pimem.projects where slug = 'depot'"),
    );
    let own = database.one("select id from pimem.orgs where name = 'acme'");
    for (org, project) in [(&org, &project), (&own, &project)] {
        for statement in [
            format!("insert into pimem.entries (org_id, project_id, hash, line, author)
                values ('{org}', '{project}', sha256('x'), 'x', '{org}')"),
            format!("insert into pimem.events (org_id, project_id, id, digest, entry, op, ts, doc, author)
                values ('{org}', '{project}', '1234567890123456', sha256('x'), '12345678', 'x', now(), '', '{org}')"),
            format!("insert into pimem.index_queue (org_id, project_id, entry)
                values ('{org}', '{project}', '87654321')"),
        ] {
            let told = attempt(&database, &inside, &statement).unwrap_err();
            assert!(told.contains("row-level security"), "{told}");
        }
    }
    let foreign = format!("insert into pimem.audit (org_id, action) values ('{org}', 'x')");
    assert!(attempt(&database, &inside, &foreign).unwrap_err().contains("row-level security"));
}

/// What the role needs not, it has not.
#[test]
fn the_role_of_the_server_is_small() {
    let Some(cluster) = Cluster::shared() else { return };
    let database = both(cluster);
    let inside = inside(&database);
    for statement in [
        "update pimem.entries set line = ''",
        "update pimem.events set doc = ''",
        "update pimem.api_keys set revoked_at = null",
        "update pimem.api_keys set scopes = '{admin}'",
        "insert into pimem.grants (org_id, user_id, role) select org_id, id, 'admin' from pimem.users",
        "insert into pimem.users (org_id, name) select id, 'eve' from pimem.orgs",
        "delete from pimem.audit",
        "update pimem.audit set action = ''",
        "truncate pimem.entries",
        "alter table pimem.entries disable row level security",
        "drop policy tenant on pimem.entries",
        "create table pimem.mine ()",
        "select * from pimem.entries_00",
        "set role pimem_owner",
        "copy pimem.entries to program 'cat'",
    ] {
        let told = attempt(&database, &inside, statement);
        let is_login = statement.starts_with("set role");
        // The tests' connection is a superuser, who may become anybody; a login of its own may not.
        assert!(is_login || told.is_err(), "{statement}");
    }
    let roles = "select string_agg(rolname, ' ') from pg_roles where rolname like 'pimem\\_%'
        and (rolsuper or rolbypassrls or rolcreaterole or rolcreatedb or rolcanlogin)";
    assert_eq!(database.one(roles), "");
}

/// A server whose login has only the server's role, as in production.
#[test]
fn a_login_with_the_servers_role_alone() {
    let Some(cluster) = Cluster::shared() else { return };
    let database = both(cluster);
    let name = database.url.rsplit('/').next().unwrap().split('?').next().unwrap().to_owned();
    database.execute(&format!("create role login_{name} login in role pimem_app, pimem_worker"));
    let login = Database { url: database.url.replace("//pimem@", &format!("//login_{name}@")) };
    let key = crate::common::server::key(&database, "acme", "anna", "read,write");
    let server = crate::common::server::Server::start(&login);
    assert_eq!(server.get(&key, "/v1/me").json()["user"], "anna");
    server.push(&key, &crate::common::objects::facts(&["as a small login"]));
    assert!(server.counts().contains("pimem_index_waiting"));
    let told = crate::common::server::fails(&login, &["key", "create", "anna"]);
    assert!(told.contains("member of pimem_owner"), "{told}");
    let refused = login.with(async |client| client.batch_execute("set role pimem_owner").await);
    assert!(refused.is_err());
}
