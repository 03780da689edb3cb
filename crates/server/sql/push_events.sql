insert into pimem.events (org_id, project_id, author, id, digest, entry, op, ts, typed, doc, sealed, key_id)
select $1::uuid, $2::uuid, $3::uuid, t.id, t.digest, t.entry, t.op, t.ts, t.typed, t.doc, t.sealed, t.key_id
from unnest($4::bytea[], $5::bytea[], $6::bytea[], $7::text[], $8::timestamptz[], $9::bool[], $10::text[],
    $11::bytea[], $12::int4[])
  as t (id, digest, entry, op, ts, typed, doc, sealed, key_id)
order by t.id, t.digest
on conflict do nothing
returning id, digest
