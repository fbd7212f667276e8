-- A spoken call that a browser may open: the token that lets it in, and the sound that it offers.
create table browser_calls (
  call text primary key references calls on delete cascade,
  org text not null,
  env text not null,
  -- Of the token that was handed out; null where a media server lets the browser in.
  digest bytea unique,
  expires_at timestamptz not null,
  -- Since when the browser waits for an answer; null where it does not.
  offered_at timestamptz,
  -- What it offers and what it was answered are kept while it waits.
  offer text,
  worker text,
  answer text,
  refused text
);
create index browser_calls_open on browser_calls (env, offered_at) where offered_at is not null and worker is null;
create index browser_calls_by_age on browser_calls (expires_at);

-- Workers of the platform, as they last said of themselves.
create table workers (
  env text not null,
  worker text not null,
  calls integer not null,
  capacity integer not null,
  draining boolean not null,
  started_at timestamptz not null,
  beat_at timestamptz not null,
  primary key (env, worker)
);

-- The sound of a call, which is a file beside the database.
create table recordings (
  call text primary key references calls on delete cascade,
  bytes bigint not null,
  duration_ms bigint not null,
  stored_at timestamptz not null
);

-- Nothing of an erased call may be kept that comes late.
alter table calls add column erased boolean not null default false;
