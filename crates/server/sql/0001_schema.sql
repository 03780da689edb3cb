-- Organisations, their people, projects and keys; entries and events, which are the truth; and what is derived from them.

do $$
declare
  wanted text;
begin
  -- Roles belong to the whole cluster: another database may have made them, or be making them now.
  foreach wanted in array array['pimem_owner', 'pimem_app', 'pimem_worker', 'pimem_ro'] loop
    begin
      if not exists (select from pg_roles where rolname = wanted) then
        execute format('create role %I nologin', wanted);
      end if;
    exception when duplicate_object or unique_violation then
      null;
    end;
    -- Whoever made the roles may take them; otherwise an administrator has granted them.
    begin
      execute format('grant %I to current_user', wanted);
    exception when insufficient_privilege or unique_violation then
      null;
    end;
  end loop;
  execute format('grant create on database %I to pimem_owner', current_database());
end $$;

create extension if not exists vector with schema public;
create schema pimem authorization pimem_owner;
grant usage on schema pimem to pimem_app, pimem_worker, pimem_ro;
set local role pimem_owner;
set local search_path = pimem, public;

create table migrations (
  number int primary key,
  name text not null,
  checksum bytea not null,
  applied timestamptz not null default now()
);

-- The cluster whose transaction numbers the rows bear, and what cursors are signed with.
create table cluster (
  one boolean primary key default true check (one),
  identity text not null,
  secret bytea not null
);

create table orgs (
  id uuid primary key default gen_random_uuid(),
  name text not null unique check (name ~ '^[a-z0-9][a-z0-9._-]{0,62}$'),
  epoch uuid not null default gen_random_uuid(),
  key_mode text not null default 'plain' check (key_mode in ('plain', 'sealed', 'end-to-end')),
  created timestamptz not null default now()
);

create table users (
  id uuid primary key default gen_random_uuid(),
  org_id uuid not null references orgs,
  name text not null check (name ~ '^[a-z0-9][a-z0-9._@-]{0,62}$'),
  created timestamptz not null default now(),
  unique (org_id, name),
  unique (org_id, id)
);

create table projects (
  id uuid primary key default gen_random_uuid(),
  org_id uuid not null references orgs,
  slug text not null check (slug ~ '^[a-z0-9][a-z0-9._-]{0,62}$'),
  -- Who reads it without a grant of its own: nobody, whoever has a grant for all projects, everybody.
  visibility text not null default 'team' check (visibility in ('private', 'team', 'org')),
  created timestamptz not null default now(),
  unique (org_id, slug),
  unique (org_id, id)
);

-- Without a project a grant is for all projects that are not private.
create table grants (
  org_id uuid not null,
  user_id uuid not null,
  project_id uuid,
  role text not null check (role in ('reader', 'writer', 'curator', 'admin')),
  unique nulls not distinct (user_id, project_id),
  foreign key (org_id, user_id) references users (org_id, id),
  foreign key (org_id, project_id) references projects (org_id, id)
);

create table api_keys (
  id uuid primary key default gen_random_uuid(),
  org_id uuid not null,
  user_id uuid not null,
  prefix text not null unique check (length(prefix) = 8),
  hash bytea not null check (octet_length(hash) = 32),
  scopes text[] not null check (scopes <@ array['read', 'write', 'curate', 'admin']),
  -- Null is every project of the user.
  projects uuid[],
  created timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used date,
  foreign key (org_id, user_id) references users (org_id, id)
);

-- One order for all that is pulled. A number alone is no cursor: whoever took it first may commit last.
create sequence object_seq;

create table entries (
  org_id uuid not null,
  project_id uuid not null,
  hash bytea not null check (octet_length(hash) = 32),
  fnv bytea check (octet_length(fnv) = 8),
  line text,
  sealed bytea,
  key_id int,
  author uuid not null,
  received timestamptz not null default now(),
  xid xid8 not null default pg_current_xact_id(),
  seq bigint not null default nextval('pimem.object_seq'),
  check ((line is null) <> (sealed is null)),
  primary key (org_id, project_id, hash)
) partition by hash (org_id);
create index entries_cursor on entries (org_id, project_id, xid, seq);
create index entries_fnv on entries (org_id, project_id, fnv);

create table events (
  org_id uuid not null,
  project_id uuid not null,
  id bytea not null check (octet_length(id) = 16),
  -- SHA-256 of the document: two documents with one id are two events.
  digest bytea not null check (octet_length(digest) = 32),
  entry bytea not null check (octet_length(entry) = 8),
  op text not null,
  ts timestamptz not null,
  -- An `add` by a person, which brings back what was purged.
  typed boolean not null default false,
  doc text,
  sealed bytea,
  key_id int,
  author uuid not null,
  received timestamptz not null default now(),
  xid xid8 not null default pg_current_xact_id(),
  seq bigint not null default nextval('pimem.object_seq'),
  check ((doc is null) <> (sealed is null)),
  primary key (org_id, project_id, id, digest)
) partition by hash (org_id);
create index events_cursor on events (org_id, project_id, xid, seq);
create index events_entry on events (org_id, project_id, entry);
create index events_purges on events (org_id, project_id, entry) where op = 'purge';

-- Derived from entries and events; may be emptied and made again.
create table memories (
  org_id uuid not null,
  project_id uuid not null,
  entry bytea not null check (octet_length(entry) = 8),
  hash bytea check (octet_length(hash) = 32),
  category text not null,
  topic text,
  place text not null check (place in ('topics', 'archive', 'nowhere')),
  body text,
  sealed bytea,
  key_id int,
  tags text[] not null default '{}',
  evidence int not null default 0,
  harmful int not null default 0,
  accesses bigint not null default 0,
  first_seen timestamptz not null,
  last_reinforced timestamptz not null,
  last_accessed timestamptz,
  cue real not null,
  user_state text not null,
  priority real,
  importance real,
  valid_until timestamptz,
  superseded_by bytea,
  table_vec halfvec(384),
  model_vec halfvec(384),
  fts tsvector,
  indexed_at timestamptz,
  primary key (org_id, project_id, entry)
) partition by hash (org_id);
create index memories_fts on memories using gin (fts);
create index memories_table_bits on memories
  using hnsw ((binary_quantize(table_vec)::bit(384)) bit_hamming_ops);
create index memories_model_bits on memories
  using hnsw ((binary_quantize(model_vec)::bit(384)) bit_hamming_ops);

-- Entries whose row in `memories` is older than their events.
create table index_queue (
  org_id uuid not null,
  project_id uuid not null,
  entry bytea not null check (octet_length(entry) = 8),
  tries int not null default 0,
  since timestamptz not null default now(),
  primary key (org_id, project_id, entry)
);
create index index_queue_order on index_queue (since);

create table audit (
  at timestamptz not null default now(),
  org_id uuid not null,
  actor uuid,
  key_id uuid,
  request uuid,
  action text not null,
  target text
);
create index audit_at on audit (org_id, at);

do $$
declare
  parent text;
  name text;
begin
  foreach parent in array array['entries', 'events', 'memories'] loop
    for part in 0..15 loop
      name := format('%s_%s', parent, lpad(part::text, 2, '0'));
      execute format('create table %I partition of %I for values with (modulus 16, remainder %s)', name, parent, part);
      -- Nobody but the owner reads a part by its name, and it through the same policy.
      execute format('alter table %I enable row level security', name);
      execute format('alter table %I force row level security', name);
    end loop;
  end loop;

  foreach name in array array['orgs', 'users', 'projects', 'grants', 'api_keys', 'entries', 'events', 'memories', 'index_queue', 'audit'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
  end loop;
end $$;

-- The settings are made for each transaction. Without them these are errors, not empty answers.
create policy tenant on orgs using (id = (select current_setting('pimem.org')::uuid));
create policy tenant on users using (org_id = (select current_setting('pimem.org')::uuid));
create policy tenant on projects using (org_id = (select current_setting('pimem.org')::uuid));
create policy tenant on grants using (org_id = (select current_setting('pimem.org')::uuid));
create policy tenant on audit using (org_id = (select current_setting('pimem.org')::uuid));
create policy tenant on entries using (
  org_id = (select current_setting('pimem.org')::uuid)
  and project_id = any ((select current_setting('pimem.projects')::uuid[])::uuid[]));
create policy tenant on events using (
  org_id = (select current_setting('pimem.org')::uuid)
  and project_id = any ((select current_setting('pimem.projects')::uuid[])::uuid[]));
create policy tenant on memories using (
  org_id = (select current_setting('pimem.org')::uuid)
  and project_id = any ((select current_setting('pimem.projects')::uuid[])::uuid[]));
create policy tenant on index_queue to pimem_owner, pimem_app, pimem_ro using (
  org_id = (select current_setting('pimem.org')::uuid)
  and project_id = any ((select current_setting('pimem.projects')::uuid[])::uuid[]));

-- Whoever runs the commands names an organisation before it is known.
create policy owner on orgs to pimem_owner using (true) with check (true);
-- The worker takes from the queue of all, and sets the organisation before it touches memories.
create policy worker on index_queue to pimem_worker using (true);
-- A key is looked up before its organisation is known, by the one prefix that was presented.
create policy tenant on api_keys using (org_id = nullif(current_setting('pimem.org', true), '')::uuid);
create policy presented on api_keys for select using (prefix = current_setting('pimem.key', true));

grant select on migrations, cluster to pimem_app, pimem_worker, pimem_ro;
grant select on orgs, users, projects, grants, entries, events, memories, index_queue, audit to pimem_app, pimem_worker, pimem_ro;
grant select on api_keys to pimem_app;
grant update (last_used) on api_keys to pimem_app;
grant insert, delete on entries, events to pimem_app;
grant insert, update, delete on memories, index_queue to pimem_app, pimem_worker;
grant insert on audit to pimem_app, pimem_worker;
grant usage on sequence object_seq to pimem_app;

create function rank(role text) returns int language sql immutable parallel safe
  return array_position(array['reader', 'writer', 'curator', 'admin'], role);

-- What a presented key is, with the projects that it and its user may see. The caller compares the hash.
create function authenticate(presented text)
returns table (
  key_id uuid, hash bytea, expired boolean, revoked boolean, used_today boolean, scopes text[],
  org_id uuid, org text, key_mode text, user_id uuid, user_name text,
  project_ids uuid[], slugs text[], ranks int[])
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
      coalesce(array_agg(v.rank order by v.slug) filter (where v.rank is not null), '{}')
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
