-- In the order of the ids, so that two servers never wait for each other in a circle. What was purged since has no row.
insert into pimem.accesses as a (org_id, project_id, entry, count, last)
select $1::uuid, t.project, t.entry, t.count, $5::timestamptz
from unnest($2::uuid[], $3::bytea[], $4::int8[]) as t (project, entry, count)
where exists (
  select from pimem.memories m where m.org_id = $1::uuid and m.project_id = t.project and m.entry = t.entry)
order by t.project, t.entry
on conflict (org_id, project_id, entry) do update set
  count = a.count + excluded.count, last = greatest(a.last, excluded.last)
