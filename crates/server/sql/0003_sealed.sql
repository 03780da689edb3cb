-- Keys of sealed organisations, and rows that only the server's own key opens.

set local role pimem_owner;
set local search_path = pimem, public;

-- A data key of each epoch, wrapped by a key that is never here. The first one also makes the index
-- key, so that none is ever removed.
create table org_keys (
  org_id uuid not null references orgs,
  key_id int not null check (key_id > 0),
  wrapped bytea not null,
  created timestamptz not null default now(),
  -- Since when no row is of an older epoch.
  settled timestamptz,
  primary key (org_id, key_id)
);
alter table org_keys enable row level security;
alter table org_keys force row level security;
create policy tenant on org_keys using (org_id = (select current_setting('pimem.org')::uuid));
-- The worker looks for organisations whose rows are of an older epoch.
create policy worker on org_keys for select to pimem_worker using (true);
grant select on org_keys to pimem_app, pimem_worker;
grant update (settled) on org_keys to pimem_worker;
grant update (sealed, key_id) on entries, events to pimem_worker;

-- Rows of an epoch; there are none in plain organisations.
create index entries_epoch on entries (org_id, key_id) where key_id is not null;
create index events_epoch on events (org_id, key_id) where key_id is not null;
create index memories_epoch on memories (org_id, key_id) where key_id is not null;

alter table idempotency
  alter column answer drop not null,
  add column sealed bytea,
  add column epoch int,
  add check ((answer is null) <> (sealed is null));

drop function authenticate(text);

-- What a presented key is, with the projects that it and its user may see, and the wrapped keys of
-- its organisation. The caller compares the hash.
create function authenticate(presented text)
returns table (
  key_id uuid, hash bytea, expired boolean, revoked boolean, used_today boolean, scopes text[],
  org_id uuid, org text, key_mode text, user_id uuid, user_name text,
  project_ids uuid[], slugs text[], ranks int[], epochs int[], wrapped bytea[])
language plpgsql as $$
declare
  key pimem.api_keys;
begin
  perform set_config('role', 'pimem_app', true), set_config('pimem.key', presented, true);
  select * into key from pimem.api_keys k where k.prefix = presented;
  if not found then
    return;
  end if;
  perform set_config('pimem.org', key.org_id::text, true);
  return query
    select key.id, key.hash, coalesce(key.expires_at <= now(), false), key.revoked_at is not null,
      coalesce(key.last_used = current_date, false), key.scopes, o.id, o.name, o.key_mode, u.id, u.name,
      coalesce(array_agg(v.id order by v.slug) filter (where v.rank is not null), '{}'),
      coalesce(array_agg(v.slug order by v.slug) filter (where v.rank is not null), '{}'),
      coalesce(array_agg(v.rank order by v.slug) filter (where v.rank is not null), '{}'),
      array(select w.key_id from pimem.org_keys w where w.org_id = o.id order by w.key_id),
      array(select w.wrapped from pimem.org_keys w where w.org_id = o.id order by w.key_id)
    from pimem.orgs o
    join pimem.users u on u.org_id = o.id and u.id = key.user_id
    left join lateral (
      select p.id, p.slug, greatest(
        max(pimem.rank(g.role)) filter (where g.project_id = p.id or p.visibility <> 'private'),
        case when p.visibility = 'org' then 1 end) as rank
      from pimem.projects p
      left join pimem.grants g
        on g.org_id = p.org_id and g.user_id = u.id and (g.project_id = p.id or g.project_id is null)
      where p.org_id = o.id and (key.projects is null or p.id = any (key.projects))
      group by p.id, p.slug, p.visibility) v on true
    where o.id = key.org_id
    group by o.id, u.id;
end $$;
