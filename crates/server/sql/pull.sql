select o.xid::text, o.seq, o.hash, o.fnv, o.line, o.id, o.digest, o.entry, o.doc, o.sealed, o.key_id, u.name as author,
  coalesce(octet_length(o.line), octet_length(o.sealed), octet_length(o.doc), 0) as size
from (
  (select xid, seq, author, hash, fnv, line, null::bytea as id, null::bytea as digest, null::bytea as entry,
     null::text as doc, sealed, key_id
   from pimem.entries
   where org_id = $1::uuid and project_id = $2::uuid and (xid, seq) > ($3::text::xid8, $4::int8)
     and xid < pg_snapshot_xmin(pg_current_snapshot())
   order by xid, seq limit $5::int8)
  union all
  (select xid, seq, author, null, null, null, id, digest, entry, doc, sealed, key_id
   from pimem.events
   where org_id = $1::uuid and project_id = $2::uuid and (xid, seq) > ($3::text::xid8, $4::int8)
     and xid < pg_snapshot_xmin(pg_current_snapshot())
   order by xid, seq limit $5::int8)
) o
left join pimem.users u on u.id = o.author
order by o.xid, o.seq
limit $5::int8
