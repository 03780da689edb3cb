-- Where memories count, as rules of their lines say; none where they count everywhere. All are folded
-- again, as only that reads it, whatever the organisation.

set local role pimem_owner;
set local search_path = pimem, public;

alter table memories add column counts_in text[] not null default '{}';

alter table memories no force row level security;
alter table index_queue no force row level security;
insert into index_queue (org_id, project_id, entry)
select org_id, project_id, entry from memories order by entry
on conflict (org_id, project_id, entry) do update set tries = 0, stage = 0, leased = null;
alter table memories force row level security;
alter table index_queue force row level security;
