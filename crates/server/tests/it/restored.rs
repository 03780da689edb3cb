//! A database that was restored elsewhere: its numbers of transactions are those of another cluster.

use std::process::Stdio;

use hmac::{Hmac, KeyInit as _, Mac as _};
use pimem_core::model::hash;
use sha2::Sha256;

use crate::common::{
    objects::{all, facts, told},
    pg::{Cluster, Database},
    server::{Server, Team, fails, run},
};

#[test]
fn a_restored_database_is_given_numbers_of_its_cluster() {
    let (Some(old), Some(new)) = (Cluster::start(""), Cluster::start("")) else { return };
    let database = old.database();
    // The old cluster is far ahead: its numbers lie in the future of the new one.
    for _ in 0..20 {
        database.execute(&"select pg_current_xact_id(); commit;".repeat(200));
    }
    let team = Team::new(&database, "acme");
    let server = Server::start(&database);
    let sent = facts(&["one", "two"]);
    server.push(&team.writer, &sent);
    let cursor = server.page(&team.reader, "", 1).cursor;
    drop(server);

    let restored = move_to(&old, &database, &new);
    let ahead =
        "select min(xid)::text::bigint > pg_snapshot_xmax(pg_current_snapshot())::text::bigint
        from pimem.events";
    assert_eq!(restored.one(ahead), "true", "no page would reach these");
    assert!(fails(&restored, &["serve"]).contains("restored from another cluster"));
    run(&restored, &["migrate"]);
    let server = Server::start(&restored);
    let pulled: Vec<String> = server.pull(&team.reader, 4, 3).iter().map(told).collect();
    let mut sorted = pulled.clone();
    sorted.sort();
    assert_eq!(sorted, all(&sent));
    let stale = server.get(&team.reader, &format!("/v1/sync/pull?project=site&cursor={cursor}"));
    assert_eq!((stale.status, stale.kind().as_str()), (410, "cursor"));
    assert!(stale.json()["hints"][0].as_str().unwrap().contains("without a cursor"));
    server.push(&team.writer, &facts(&["three"]));
    server.pull(&team.reader, 6, 5);
}

/// A database that was lost and filled anew by pushes is another one to every cursor.
#[test]
fn a_database_that_was_filled_anew() {
    let Some(cluster) = Cluster::shared() else { return };
    let (lost, anew) = (cluster.database(), cluster.empty());
    run(&anew, &["migrate"]);
    let before = Team::new(&lost, "acme");
    let server = Server::start(&lost);
    server.push(&before.writer, &facts(&["one"]));
    let cursor = server.page(&before.reader, "", 1).cursor;
    let after = Team::new(&anew, "acme");
    let server = Server::start(&anew);
    server.push(&after.writer, &facts(&["one"]));
    let path = format!("/v1/sync/pull?project=site&cursor={cursor}");
    assert_eq!(server.get(&after.reader, &path).kind(), "cursor");
    server.pull(&after.reader, 2, 10);
}

/// An older copy of the disk knows nothing of the numbers that clients have seen since, and will use
/// them again.
#[test]
fn an_older_copy_of_the_disk() {
    let Some(cluster) = Cluster::shared() else { return };
    let database = cluster.database();
    let team = Team::new(&database, "acme");
    let server = Server::start(&database);
    server.push(&team.writer, &facts(&["one"]));
    let cursor = server.page(&team.reader, "", 1).cursor;
    let kind = |cursor: &str| {
        server.get(&team.reader, &format!("/v1/sync/pull?project=site&cursor={cursor}"))
    };
    assert_eq!(kind(&sign(&database, &cursor, 1)).status, 200);
    assert_eq!(kind(&sign(&database, &cursor, 1 << 40)).kind(), "cursor");
    assert_eq!(kind(&cursor).status, 200);
    run(&database, &["migrate", "--restored"]);
    assert_eq!(kind(&cursor).kind(), "cursor");
    server.pull(&team.reader, 2, 10);
}

/// Signs the cursor of another transaction as the server does.
fn sign(database: &Database, cursor: &str, xid: u64) -> String {
    let bytes = |hex: &str| -> Vec<u8> {
        let pairs = hex.as_bytes().as_chunks::<2>().0.iter();
        pairs.map(|pair| u8::from_str_radix(str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
    };
    let place = "select encode(c.secret, 'hex') || ' ' || replace(p.org_id || '' || p.id, '-', '')
        from pimem.cluster c, pimem.projects p";
    let place = database.one(place);
    let (secret, place) = place.split_once(' ').unwrap();
    let signed = [&bytes(cursor)[..17], &xid.to_be_bytes(), &1_i64.to_be_bytes()].concat();
    let mut mac = Hmac::<Sha256>::new_from_slice(&bytes(secret)).unwrap();
    mac.update(&bytes(place));
    mac.update(&signed);
    hash::write_hex(&[&signed, &mac.finalize().into_bytes()[..16]].concat())
}

fn move_to(old: &Cluster, database: &Database, new: &Cluster) -> Database {
    let restored = new.empty();
    let dump = old.program("pg_dump").args(["--dbname", &database.url]).output().unwrap();
    assert!(dump.status.success(), "{}", String::from_utf8_lossy(&dump.stderr));
    let mut psql = new.program("psql");
    psql.args(["-q", "-v", "ON_ERROR_STOP=1", "--dbname", &restored.url]);
    let mut psql = psql.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    std::io::Write::write_all(&mut psql.stdin.take().unwrap(), &dump.stdout).unwrap();
    assert!(psql.wait().unwrap().success());
    restored
}
