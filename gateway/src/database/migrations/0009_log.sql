-- A call beyond its head: between whom, how it stands, and who runs it.
alter table calls
  add column direction text not null default 'inbound' check (direction in ('inbound', 'outbound')),
  add column caller text,
  add column called text,
  add column contact text,
  add column metadata json not null default '{}',
  add column language text,
  add column extension text,
  add column routed_from text,
  add column line_transcript json not null default '[]',
  add column state text not null default 'open' check (state in ('open', 'held', 'ended')),
  -- The member, or the key that names nobody, who took it over.
  add column held_by text,
  add column reason text,
  -- When the worker of a spoken call last gave a sign of life.
  add column beat_at timestamptz,
  add column turns integer not null default 0;
create index calls_of_org on calls (org, env, ordinal desc);
create index calls_of_contact on calls (org, contact) where contact is not null;
create index calls_beating on calls (beat_at) where ended_at is null and beat_at is not null;

-- A log: one call's, or with no call an agent's own. Whoever writes to it holds its row, and so `seq` is given
-- in the order of commits.
create table logs (
  id text primary key,
  org text not null references orgs,
  env text not null check (env in ('sandbox', 'production')),
  agent text not null,
  call text,
  seq integer not null default 0,
  -- The last batch taken from the call's worker.
  batch integer not null default 0,
  -- The gateway that runs the written call, and alone writes what it says; another takes it up when that one is gone.
  runner text,
  -- Nothing more is written to it.
  sealed boolean not null default false,
  foreign key (org, agent) references agents
);
create index logs_run on logs (runner) where runner is not null;
create index logs_of_agents on logs (org, env, agent) where call is null;

-- Its entries, each as readers get it.
create table entries (
  log text not null,
  seq integer not null,
  ts double precision not null,
  type text not null,
  entry text not null,
  primary key (log, seq)
);
create index entries_callbacks on entries (log, seq) where type = 'callback.requested';
create index entries_words on entries using gin (to_tsvector('simple', entry::json -> 'data' ->> 'text'))
  where type in ('user.message', 'agent.message');

-- Entries stay as they were written, but for the erasure of a person and the age after which logs are forgotten.
create function refuse_change_of_log() returns trigger language plpgsql as $$
begin
  if coalesce(current_setting('switchroom.erasing', true), '') <> 'on' then
    raise exception 'a log keeps what it holds: entries are added, never changed or deleted';
  end if;
  return null;
end
$$;
create trigger entries_stay after update or delete on entries
  for each statement execute function refuse_change_of_log();
create trigger entries_stay_whole before truncate on entries
  for each statement execute function refuse_change();
