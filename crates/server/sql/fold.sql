insert into pimem.memories as m (
  org_id, project_id, entry, hash, category, topic, place, archived, body, sealed, key_id, author, tags, evidence,
  accesses, last_accessed, first_seen, last_reinforced, cue, tau, user_state, priority, importance, valid_until,
  superseded_by, counts_in)
values (
  $1::uuid, $2::uuid, $3::bytea, $4::bytea, $5::text, $6::text, $7::text, $8::text, $9::text, $10::bytea, $11::int4,
  $12::uuid, $13::text[], $14::int4, $15::int8, $16::timestamptz, $17::timestamptz, $18::timestamptz, $19::float8,
  $20::float8, $21::text, $22::float8, $23::float8, $24::timestamptz, $25::bytea, $26::text[])
on conflict (org_id, project_id, entry) do update set
  hash = excluded.hash, category = excluded.category, topic = excluded.topic, place = excluded.place,
  archived = excluded.archived, body = excluded.body, sealed = excluded.sealed, key_id = excluded.key_id,
  author = excluded.author, tags = excluded.tags, evidence = excluded.evidence, accesses = excluded.accesses,
  last_accessed = excluded.last_accessed, first_seen = excluded.first_seen,
  last_reinforced = excluded.last_reinforced, cue = excluded.cue, tau = excluded.tau,
  user_state = excluded.user_state, priority = excluded.priority, importance = excluded.importance,
  valid_until = excluded.valid_until, superseded_by = excluded.superseded_by,
  counts_in = excluded.counts_in,
  -- The words of the topic count as those of the line.
  indexed_at = case
    when m.topic is not distinct from excluded.topic and m.hash is not distinct from excluded.hash then m.indexed_at
  end
