-- The position of an event is its time, then its id if that was made within a day of the time.
with said as (
  select ctid, tableoid, op, typed,
    (ts, case when abs(('x' || encode(substr(id, 1, 6), 'hex'))::bit(48)::bigint - floor(extract(epoch from ts) * 1000)) <= 86400000
      then id else '\x00000000000000000000000000000000'::bytea end) > ($4::timestamptz, $5::bytea) as is_later
  from pimem.events
  where org_id = $1::uuid and project_id = $2::uuid and entry = $3::bytea
), gone as (
  delete from pimem.events e using said
  where e.org_id = $1::uuid and e.project_id = $2::uuid and e.entry = $3::bytea
    and e.ctid = said.ctid and e.tableoid = said.tableoid and said.op <> 'purge' and not said.is_later
), forgotten as (
  delete from pimem.memories where org_id = $1::uuid and project_id = $2::uuid and entry = $3::bytea
  returning fts, words
), unasked as (
  delete from pimem.accesses where org_id = $1::uuid and project_id = $2::uuid and entry = $3::bytea
), counted as (
  update pimem.lexemes l set docs = l.docs - 1 from forgotten f
  where l.org_id = $1::uuid and l.project_id = $2::uuid and l.lexeme = any (tsvector_to_array(f.fts))
), sized as (
  update pimem.corpora c set docs = c.docs - 1, words = c.words - f.words from forgotten f
  where c.org_id = $1::uuid and c.project_id = $2::uuid and f.fts is not null
)
delete from pimem.entries
where org_id = $1::uuid and project_id = $2::uuid and fnv = $3::bytea
  and not exists (select from said where typed and is_later)
