with recursive family (entry) as (
  select unnest($3::bytea[])
  union
  select l.other from family f
  join pimem.links l on l.org_id = $1::uuid and l.project_id = $2::uuid and l.entry = f.entry
)
select entry from family
