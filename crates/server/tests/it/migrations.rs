//! The schema: applied once, checked, refused where it is not this program's.

use std::thread;

use pimem_core::model::event::EventKind;

use crate::common::{
    objects::{event, facts, push},
    pg::{Cluster, Database},
    server::{Server, Team, fails, run},
    tenants::{ONE_ROW, TABLES},
};

#[test]
fn a_database_is_migrated_once() {
    let Some(cluster) = Cluster::shared() else { return };
    let database = cluster.empty();
    assert!(fails(&database, &["serve"]).contains("run `pimem-server migrate`"));
    assert_eq!(
        run(&database, &["migrate", "--plan"]),
        "0001 schema missing\n0002 index missing\n0003 sealed missing\n0004 accesses missing\n0005 places missing\n"
    );
    assert_eq!(
        run(&database, &["migrate"]),
        "0001 schema applied\n0002 index applied\n0003 sealed applied\n0004 accesses applied\n0005 places applied\n"
    );
    assert_eq!(run(&database, &["migrate"]), "the schema is up to date\n");
    assert_eq!(
        run(&database, &["migrate", "--plan"]),
        "0001 schema applied\n0002 index applied\n0003 sealed applied\n0004 accesses applied\n0005 places applied\n"
    );
}

#[test]
fn several_that_migrate_at_once_do_it_once() {
    let Some(cluster) = Cluster::shared() else { return };
    let database = cluster.empty();
    let told: Vec<String> = thread::scope(|scope| {
        let runs: Vec<_> = (0..4).map(|_| scope.spawn(|| run(&database, &["migrate"]))).collect();
        runs.into_iter().map(|run| run.join().unwrap()).collect()
    });
    assert_eq!(told.iter().filter(|told| told.contains("applied")).count(), 1, "{told:?}");
}

#[test]
fn a_schema_of_another_version_is_refused() {
    let Some(cluster) = Cluster::shared() else { return };
    let database = cluster.database();
    database.execute("insert into pimem.migrations values (999, 'later', '')");
    for command in [["serve"].as_slice(), &["migrate"], &["migrate", "--plan"]] {
        assert!(fails(&database, command).contains("take the newer pimem-server"));
    }
    database.execute("delete from pimem.migrations where number = 999");
    database.execute("update pimem.migrations set checksum = 'x'");
    assert!(fails(&database, &["serve"]).contains("other statements"));
}

/// A migration that fails leaves nothing behind, and the next attempt starts anew.
#[test]
fn a_failed_migration_leaves_nothing() {
    let Some(cluster) = Cluster::shared() else { return };
    let database = cluster.empty();
    database.execute("create schema pimem; create table pimem.audit (x int)");
    assert!(fails(&database, &["migrate"]).contains("migration 1 (schema)"));
    assert_eq!(database.one("to_regclass('pimem.entries')"), "");
    database.execute("drop schema pimem cascade");
    assert_eq!(
        run(&database, &["migrate"]),
        "0001 schema applied\n0002 index applied\n0003 sealed applied\n0004 accesses applied\n0005 places applied\n"
    );
}

/// Logins that are no superusers: one that may make roles, and one that was given them.
#[test]
fn who_may_migrate() {
    let Some(cluster) = Cluster::start("") else { return };
    let root = cluster.empty();
    root.execute("drop database t0");
    root.execute("drop role pimem_owner, pimem_app, pimem_worker, pimem_ro");
    root.execute(
        "create role maker login createrole; create role plain login; create role small login",
    );
    let owned_by = |login: &str| {
        let database = cluster.empty();
        let name = database.one("current_database()");
        database
            .execute(&format!("create extension vector; alter database {name} owner to {login}"));
        Database { url: database.url.replace("//pimem@", &format!("//{login}@")) }
    };
    run(&owned_by("maker"), &["migrate"]);
    let given = owned_by("plain");
    assert!(fails(&given, &["migrate"]).contains("migration 1 (schema)"));
    root.execute("grant pimem_owner, pimem_app, pimem_worker to plain");
    run(&given, &["migrate"]);
    run(&given, &["org", "create", "acme"]);
    let server = Server::start(&given);
    assert_eq!(server.get("", "/readyz").status, 200);
    assert!(server.counts().contains("pimem_database_up 1"));
}

/// Every table that has an organisation in it is under forced row-level security with a policy.
#[test]
fn row_level_security_is_forced_everywhere() {
    let Some(cluster) = Cluster::shared() else { return };
    let database = cluster.database();
    let open = "select string_agg(relname, ' ') from pg_class c
        where relnamespace = 'pimem'::regnamespace and relkind in ('r', 'p')
        and exists (select from pg_attribute a where a.attrelid = c.oid and attname = 'org_id')
        and not (relrowsecurity and relforcerowsecurity)";
    assert_eq!(database.one(open), "");
    let without = "select string_agg(relname, ' ') from pg_class c
        where relnamespace = 'pimem'::regnamespace and relkind in ('r', 'p') and not relispartition
        and relrowsecurity and not exists (select from pg_policy p where p.polrelid = c.oid)";
    assert_eq!(database.one(without), "");
    let parts = "select count(*) from pg_class where relnamespace = 'pimem'::regnamespace
        and relispartition and relkind = 'r' and (has_table_privilege('pimem_app', oid, 'select')
        or has_table_privilege('pimem_app', oid, 'insert'))";
    assert_eq!(database.one(parts), "0");
    let owners = "select string_agg(distinct pg_get_userbyid(relowner), ' ') from pg_class
        where relnamespace = 'pimem'::regnamespace";
    assert_eq!(database.one(owners), "pimem_owner");
}

/// The role of the server sees nothing until a transaction says whose it is.
#[test]
fn an_unset_organisation_is_an_error() {
    let Some(cluster) = Cluster::shared() else { return };
    let database = cluster.database();
    Team::new(&database, "acme");
    database.execute(ONE_ROW);
    for table in TABLES {
        let error = database.with(async |client| {
            client.batch_execute("set role pimem_app").await.unwrap();
            client.query(&format!("select * from pimem.{table}"), &[]).await.unwrap_err()
        });
        let told = error.as_db_error().unwrap().message().to_owned();
        assert!(told.contains("unrecognized configuration parameter"), "{table}: {told}");
    }
    let keys = "set role pimem_app; do $$ begin
        if exists (select from pimem.api_keys) then raise exception 'keys are seen'; end if; end $$";
    database.execute(keys);
}

#[test]
fn a_server_starts_on_its_schema() {
    let Some(cluster) = Cluster::shared() else { return };
    let server = Server::start(&cluster.database());
    assert_eq!(server.get("", "/readyz").status, 200);
}

/// Also of an organisation whose rows are sealed, and of rows that an older server had folded.
#[test]
fn a_memory_says_where_it_counts() {
    let Some(cluster) = Cluster::shared() else { return };
    let database = cluster.database();
    let team = Team::new(&database, "acme");
    let sealed = Team::sealed(&database, "vault");
    let [web, all] = ["The build tool is Vite", "The build runs nightly"];
    let rules = |text: &str| EventKind::Rule(text.into());
    let events = [
        event(10, web, rules("place: packages/web/**")),
        event(11, all, rules("place: where nobody reviews it")),
    ];
    let places = |server: &Server, key: &str| {
        server.indexed();
        let found = server.get(key, "/v1/memories/search?q=build").json();
        let hits = found["hits"].as_array().unwrap().iter();
        let mut told: Vec<String> = hits
            .map(|hit| format!("{}: {}", hit["memory"]["text"], hit["memory"]["places"]))
            .collect();
        told.sort_unstable();
        told
    };
    let want =
        ["\"The build runs nightly\": null", "\"The build tool is Vite\": [\"packages/web/**\"]"];
    {
        let server = Server::start(&database);
        for team in [&team, &sealed] {
            server.push(&team.writer, &facts(&[web, all]));
            server.push(&team.writer, &push(&[], &events));
            assert_eq!(places(&server, &team.reader), want);
        }
    }
    database.execute(
        "alter table pimem.memories drop column counts_in; delete from pimem.migrations where number = 5",
    );
    assert_eq!(run(&database, &["migrate"]), "0005 places applied\n");
    let server = Server::start(&database);
    for team in [&team, &sealed] {
        assert_eq!(places(&server, &team.reader), want);
    }
}
