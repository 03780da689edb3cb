//! Why a number from a sequence is no cursor: whoever takes it first may commit last.

use std::time::Duration;

use tokio_postgres::NoTls;

use crate::common::{
    objects::{facts, told},
    pg::{Cluster, runtime},
    server::{Server, Team},
};

/// A transaction takes a number, another takes a later one and commits, a reader comes, and the
/// first commits. A cursor by number would lose what it wrote.
#[test]
fn what_commits_late_is_not_lost() {
    // Whatever runs in the cluster holds objects back, so this test has one for itself.
    let Some(cluster) = Cluster::start("") else { return };
    let database = cluster.database();
    let team = Team::new(&database, "acme");
    let server = Server::start_with(&database, &["--workers", "0"]);
    let (slow, connection) =
        runtime().block_on(tokio_postgres::connect(&database.url, NoTls)).unwrap();
    runtime().spawn(connection);
    let insert = "begin; insert into pimem.entries (org_id, project_id, hash, line, author)
        select p.org_id, p.id, sha256('slow'), '- [fact] slow', u.id
        from pimem.projects p, pimem.users u where u.name = 'anna'";
    runtime().block_on(slow.batch_execute(insert)).unwrap();
    server.push(&team.writer, &facts(&["fast"]));

    let first = server.page(&team.reader, "", 10);
    assert_eq!(first.objects.len(), 0, "what came after a transaction that runs waits for it");
    let highest: i64 = database.one("select max(seq) from pimem.entries").parse().unwrap();
    assert!(server.counts().contains("pimem_snapshot_xmin_age"));
    runtime().block_on(slow.batch_execute("commit")).unwrap();

    let by_number = format!("select count(*) from pimem.entries where seq > {highest}");
    assert_eq!(database.one(&by_number), "0", "a cursor by number would have lost it");
    let page = server.page(&team.reader, &first.cursor, 10);
    let lines: Vec<String> = page.objects.iter().map(told).collect();
    assert_eq!(lines[..2], ["- [fact] slow", "- [fact] fast"]);
    assert_eq!(lines.len(), 3);

    // One that takes its number, and gives up, holds nothing back for ever.
    runtime().block_on(slow.batch_execute(&insert.replace("'slow'", "'never'"))).unwrap();
    server.push(&team.writer, &facts(&["faster"]));
    assert_eq!(server.page(&team.reader, &page.cursor, 10).objects.len(), 0);
    runtime().block_on(slow.batch_execute("rollback")).unwrap();
    let page = server.page(&team.reader, &page.cursor, 10);
    assert_eq!(page.objects.len(), 2);

    // One that soon ends is waited for.
    runtime().block_on(slow.batch_execute(&insert.replace("'slow'", "'never'"))).unwrap();
    server.push(&team.writer, &facts(&["fastest"]));
    let ends = async move {
        tokio::time::sleep(Duration::from_millis(200)).await;
        slow.batch_execute("rollback").await
    };
    let ended = runtime().spawn(ends);
    assert_eq!(server.page(&team.reader, &page.cursor, 10).objects.len(), 2);
    runtime().block_on(ended).unwrap().unwrap();
}
