insert into pimem.events (org_id, project_id, author, id, digest, entry, op, ts, typed, doc)
select $1::uuid, $2::uuid, $3::uuid, t.id, t.digest, t.entry, t.op, t.ts, t.typed, t.doc
from unnest($4::bytea[], $5::bytea[], $6::bytea[], $7::text[], $8::timestamptz[], $9::bool[], $10::text[])
  as t (id, digest, entry, op, ts, typed, doc)
order by t.id, t.digest
on conflict do nothing
returning id, digest
