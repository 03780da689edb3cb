-- What searches need: words and their counts by project, which entries speak of each other, and the stages of the queue.

set local role pimem_owner;
set local search_path = pimem, public;

alter table memories
  alter column cue type float8,
  alter column priority type float8,
  alter column importance type float8,
  -- Decay constant of the category, in days.
  add column tau float8 not null default 30,
  add column author uuid,
  -- Why it is in the archive.
  add column archived text,
  -- Length for BM25.
  add column words int not null default 0;

-- Vectors are compressed badly, and read in every search: they stay in the row.
alter table memories alter column table_vec set storage plain, alter column model_vec set storage plain;
do $$
begin
  for part in 0..15 loop
    execute format('alter table memories_%s alter column table_vec set storage plain, alter column model_vec set storage plain', lpad(part::text, 2, '0'));
  end loop;
end $$;

-- Stage 0: the row is older than its events. Stage 1: only its vector by the transformer is missing.
alter table index_queue
  add column stage smallint not null default 0,
  -- Until then, a worker is at it.
  add column leased timestamptz;
drop index index_queue_order;
create index index_queue_order on index_queue (stage, since);

create table links (
  org_id uuid not null,
  project_id uuid not null,
  entry bytea not null check (octet_length(entry) = 8),
  other bytea not null check (octet_length(other) = 8),
  primary key (org_id, project_id, entry, other)
);

create table corpora (
  org_id uuid not null,
  project_id uuid not null,
  docs bigint not null default 0,
  words bigint not null default 0,
  primary key (org_id, project_id)
);

create table lexemes (
  org_id uuid not null,
  project_id uuid not null,
  lexeme text not null,
  docs bigint not null,
  primary key (org_id, project_id, lexeme)
);

-- Answers to writes with an Idempotency-Key, for a day.
create table idempotency (
  org_id uuid not null,
  project_id uuid not null,
  key_id uuid not null,
  key text not null,
  request bytea not null check (octet_length(request) = 32),
  status smallint not null,
  answer text not null,
  at timestamptz not null default now(),
  primary key (org_id, key_id, key)
);
create index idempotency_at on idempotency (at);

do $$
declare
  name text;
begin
  foreach name in array array['links', 'corpora', 'lexemes', 'idempotency'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format(
      'create policy tenant on %I using (
        org_id = (select current_setting(''pimem.org'')::uuid)
        and project_id = any ((select current_setting(''pimem.projects'')::uuid[])::uuid[]))', name);
    execute format('grant select on %I to pimem_app, pimem_worker, pimem_ro', name);
  end loop;
end $$;
grant insert, delete on links to pimem_app;
grant insert, delete on idempotency to pimem_app;
grant insert, update, delete on corpora, lexemes to pimem_worker;
-- A purge takes its words out of the counts at once.
grant update on corpora, lexemes to pimem_app;

-- cue × e^(−idle / tau) × ln(1 + evidence), as the program computes it. Below e^-700 PostgreSQL has errors.
create function stability(cue float8, evidence int, last_reinforced timestamptz, tau float8, at timestamptz)
returns float8 language sql immutable parallel safe
return cue
  * exp(greatest(-greatest(extract(epoch from at - last_reinforced)::float8, 0) / 86400 / tau, -700))
  * ln(1 + greatest(evidence, 0)::float8);

create function state(user_state text, stability float8)
returns text language sql immutable parallel safe
return case
  when user_state = 'pinned' then 'active'
  when user_state = 'forgotten' then 'dropped'
  when stability >= 1.5 then 'active'
  when stability >= 0.7 then 'provisional'
  when stability >= 0.4 then 'candidate'
  else 'dropped'
end;

-- Rows with words of a query, those with the rarest first. Under row-level security `@@` cannot use the index, as it is
-- not marked leakproof; so this runs as the owner, and states itself what the policy of the table says. The statement is
-- planned for each call: a plan for any project reads whole partitions.
create policy owner on memories for select to pimem_owner using (true);
create function worded(
  projects uuid[], terms text[], weights float8[], wanted text, archive bool, most int)
returns table (project_id uuid, entry bytea)
language plpgsql stable security definer set search_path = pimem, public
as $$
begin
  return query execute '
    select m.project_id, m.entry
    from unnest($1, $2) as t (term, weight)
    cross join lateral (
      select m.project_id, m.entry from pimem.memories m
      where m.org_id = $3 and m.project_id = any ($4) and m.project_id = any ($5)
        and m.fts @@ t.term::tsquery
        and m.place <> ''nowhere'' and ($6 or m.place = ''topics'')
        and m.user_state <> ''forgotten'' and ($7 is null or m.category = $7)
    ) m
    group by m.project_id, m.entry
    order by sum(t.weight) desc, m.entry
    limit $8'
  using terms, weights, current_setting('pimem.org')::uuid, current_setting('pimem.projects')::uuid[], projects,
    archive, wanted, most;
end
$$;
revoke execute on function worded from public;
grant execute on function worded to pimem_app, pimem_ro;
