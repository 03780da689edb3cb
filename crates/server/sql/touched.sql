insert into pimem.index_queue (org_id, project_id, entry)
select distinct $1::uuid, $2::uuid, entry from unnest($3::bytea[]) entry
order by entry
on conflict (org_id, project_id, entry) do update set tries = 0, stage = 0, leased = null
