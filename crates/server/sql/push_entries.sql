insert into pimem.entries (org_id, project_id, author, hash, fnv, line, sealed)
select $1::uuid, $2::uuid, $3::uuid, decode(t.hash, 'hex'), t.fnv, t.line, t.sealed
from unnest($4::text[], $5::bytea[], $6::text[], $7::bytea[]) as t (hash, fnv, line, sealed)
order by t.hash
on conflict do nothing
returning fnv
