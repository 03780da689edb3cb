-- How often searches of this server gave an entry. Counts of clients are events, which every store
-- pulls; an event for each search would be too many, and these stay here.

set local role pimem_owner;
set local search_path = pimem, public;

create table accesses (
  org_id uuid not null,
  project_id uuid not null,
  entry bytea not null check (octet_length(entry) = 8),
  count bigint not null check (count > 0),
  last timestamptz not null,
  primary key (org_id, project_id, entry)
);
alter table accesses enable row level security;
alter table accesses force row level security;
create policy tenant on accesses using (
  org_id = (select current_setting('pimem.org')::uuid)
  and project_id = any ((select current_setting('pimem.projects')::uuid[])::uuid[]));
grant select on accesses to pimem_app, pimem_worker, pimem_ro;
grant insert, update, delete on accesses to pimem_app;
