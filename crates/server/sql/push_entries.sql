insert into pimem.entries (org_id, project_id, author, hash, fnv, line, sealed, key_id)
select $1::uuid, $2::uuid, $3::uuid, t.hash, t.fnv, t.line, t.sealed, t.key_id
from unnest($4::bytea[], $5::bytea[], $6::text[], $7::bytea[], $8::int4[]) as t (hash, fnv, line, sealed, key_id)
order by t.hash
on conflict do nothing
returning fnv
