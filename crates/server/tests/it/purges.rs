//! A purge removes an entry from the server, for ever or until somebody types it again.

use pimem_core::sync::check::Reason;

use crate::common::{
    objects::{added, event_by, facts, purged, push, told},
    pg::Cluster,
    server::{Server, Team},
};
use pimem_core::model::event::{Cue, EventKind};

#[test]
fn a_purged_entry_is_gone_and_does_not_come_back() {
    let Some(cluster) = Cluster::shared() else { return };
    let database = cluster.database();
    let team = Team::new(&database, "acme");
    let server = Server::start(&database);
    let sent = facts(&["the password is on the fridge", "kept"]);
    server.push(&team.writer, &sent);
    let told_of =
        server.push(&team.writer, &push(&[], &[purged(50, "the password is on the fridge")]));
    assert_eq!(told_of.events.new, 1);
    // The line, its event, and whatever was made of them are gone; the tombstone stays.
    let left: Vec<String> = server.pull(&team.reader, 3, 10).iter().map(told).collect();
    assert!(left.iter().all(|told| !told.contains("fridge")), "{left:?}");
    assert_eq!(left.iter().filter(|told| told.contains("\"purge\"")).count(), 1);
    let everywhere = "select count(*) from pimem.entries where line like '%fridge%'";
    assert_eq!(database.one(everywhere), "0");

    // A clone that does not know of it sends it again.
    let again = server.push(&team.curator, &sent);
    let reasons: Vec<Reason> = again.refused.iter().map(|refused| refused.reason).collect();
    assert_eq!(reasons, [Reason::Purged, Reason::Purged]);
    assert_eq!((again.entries.new, again.entries.known, again.events.known), (0, 1, 1));
    // Neither does a program bring it back.
    let by_hook =
        event_by("hook", 60, "the password is on the fridge", EventKind::Add(Cue::Explicit, None));
    let told_of = server.push(&team.writer, &push(&["the password is on the fridge"], &[by_hook]));
    assert_eq!(told_of.entries.new, 0);
    // But a person who types it again does.
    let typed = added(70, "the password is on the fridge");
    let told_of = server.push(&team.writer, &push(&["the password is on the fridge"], &[typed]));
    assert_eq!((told_of.entries.new, told_of.events.new, told_of.refused.len()), (1, 1, 0));
}

/// What is refused brings nothing back: an `add` dated in the future is none.
#[test]
fn a_refused_event_brings_nothing_back() {
    let Some(cluster) = Cluster::shared() else { return };
    let database = cluster.database();
    let team = Team::new(&database, "acme");
    let server = Server::start(&database);
    server.push(&team.writer, &push(&[], &[purged(50, "gone")]));
    let told_of = server.push(&team.writer, &push(&["gone"], &[added(1 << 40, "gone")]));
    let reasons: Vec<Reason> = told_of.refused.iter().map(|refused| refused.reason).collect();
    assert_eq!(reasons.len(), 2, "{reasons:?}");
    assert!(reasons.contains(&Reason::Purged));
    let told_of = server.push(&team.writer, &push(&["other"], &[purged(1 << 40, "other")]));
    assert_eq!((told_of.entries.new, told_of.refused.len()), (1, 1));
}

/// The order in which a purge and what it concerns arrive does not matter.
#[test]
fn a_purge_that_arrives_first_or_in_between() {
    let Some(cluster) = Cluster::shared() else { return };
    let database = cluster.database();
    let team = Team::new(&database, "acme");
    let server = Server::start(&database);
    server.push(&team.writer, &push(&[], &[purged(50, "early")]));
    assert_eq!(server.push(&team.writer, &facts(&["early"])).refused.len(), 2);
    // In one push: the purge counts for the line beside it, a later `add` for both.
    let one = push(&["both"], &[added(1, "both"), purged(2, "both")]);
    let told_of = server.push(&team.writer, &one);
    assert_eq!((told_of.entries.new, told_of.events.new, told_of.refused.len()), (0, 1, 2));
    let two = push(&["late"], &[added(1, "late"), purged(2, "late"), added(3, "late")]);
    let told_of = server.push(&team.writer, &two);
    assert_eq!((told_of.entries.new, told_of.events.new, told_of.refused.len()), (1, 2, 1));
    // An old purge that arrives after the line was typed again takes only what is older.
    server.push(&team.writer, &push(&["again"], &[added(1, "again"), added(9, "again")]));
    server.push(&team.writer, &push(&[], &[purged(5, "again")]));
    let left = server.pull(&team.reader, 1 + 1 + 3 + 3, 100);
    let lines: Vec<String> = left.iter().filter_map(|object| object.line.clone()).collect();
    assert_eq!(lines, ["- [fact] late", "- [fact] again"]);
}

#[test]
fn only_an_administrator_purges_what_others_brought() {
    let Some(cluster) = Cluster::shared() else { return };
    let database = cluster.database();
    let team = Team::new(&database, "acme");
    let server = Server::start(&database);
    server.push(&team.writer, &facts(&["hers"]));
    let purge = push(&[], &[purged(50, "hers")]);
    let refused = server.push(&team.curator, &purge).refused;
    assert_eq!(refused[0].reason, Reason::NotAllowed);
    // What is refused has no effect on what else is pushed.
    assert_eq!(server.push(&team.curator, &facts(&["hers"])).entries.known, 1);
    assert_eq!(server.push(&team.admin, &purge).events.new, 1);
    assert_eq!(server.push(&team.writer, &facts(&["hers"])).entries.known, 0);
}
