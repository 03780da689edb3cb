//! Rows of tables that no command fills.

/// Tables with rows of organisations, but for keys, which are found by their prefix.
pub(crate) const TABLES: &[&str] = &[
    "orgs",
    "users",
    "projects",
    "grants",
    "entries",
    "events",
    "memories",
    "index_queue",
    "audit",
    "links",
    "corpora",
    "lexemes",
    "idempotency",
    "org_keys",
    "accesses",
];

/// A row for each project in each table that is filled by pushes.
pub(crate) const ONE_ROW: &str = "
insert into pimem.entries (org_id, project_id, hash, fnv, line, author)
    select org_id, id, sha256(id::text::bytea), '12345678', '- [fact] of ' || id, id from pimem.projects;
insert into pimem.events (org_id, project_id, id, digest, entry, op, ts, doc, author)
    select org_id, id, '1234567890123456', sha256(id::text::bytea), '12345678', 'pin', now(), '{}', id
    from pimem.projects;
insert into pimem.memories (org_id, project_id, entry, category, place, first_seen, last_reinforced, cue, user_state)
    select org_id, id, '12345678', 'fact', 'topics', now(), now(), 1, 'none' from pimem.projects;
insert into pimem.index_queue (org_id, project_id, entry) select org_id, id, '12345678' from pimem.projects;
insert into pimem.audit (org_id, action) select id, 'test' from pimem.orgs;
insert into pimem.links (org_id, project_id, entry, other) select org_id, id, '12345678', '87654321' from pimem.projects;
insert into pimem.corpora (org_id, project_id) select org_id, id from pimem.projects;
insert into pimem.lexemes (org_id, project_id, lexeme, docs) select org_id, id, 'site', 1 from pimem.projects;
insert into pimem.idempotency (org_id, project_id, key_id, key, request, status, answer)
    select org_id, id, id, 'once', sha256(''), 200, '{}' from pimem.projects;
insert into pimem.accesses (org_id, project_id, entry, count, last) select org_id, id, '12345678', 1, now() from pimem.projects;
insert into pimem.org_keys (org_id, key_id, wrapped) select id, 1, '' from pimem.orgs;
";
