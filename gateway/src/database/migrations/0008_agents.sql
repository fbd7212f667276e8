-- An agent of an org, from the first write or registration that names it.
create table agents (
  org text not null references orgs,
  slug text not null,
  created_at timestamptz not null,
  primary key (org, slug)
);

-- What was set, one row a set: kept as sent, so json and not jsonb. The holder is a member's id, or empty for the org.
create table versions (
  kind text not null check (kind in ('settings', 'lexicon')),
  org text not null,
  agent text not null,
  env text not null check (env in ('sandbox', 'production')),
  holder text not null,
  version integer not null check (version > 0),
  author text not null,
  note text,
  set_at timestamptz not null,
  content json not null,
  constraint versions_once primary key (org, agent, env, holder, kind, version),
  foreign key (org, agent) references agents
);

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% keeps what it holds: rows are added, never changed or deleted', tg_table_name;
end
$$;

create trigger versions_stay before update or delete on versions
  for each statement execute function refuse_change();
create trigger versions_stay_whole before truncate on versions
  for each statement execute function refuse_change();

-- The one version of a scope that runs on some calls only.
create table canaries (
  org text not null,
  agent text not null,
  env text not null check (env in ('sandbox', 'production')),
  holder text not null,
  version integer not null,
  share integer not null check (share between 0 and 100),
  author text not null,
  note text,
  set_at timestamptz not null,
  primary key (org, agent, env, holder),
  foreign key (org, agent) references agents
);

-- The model an org has its calls judged on, in both environments.
create table org_judging (
  org text primary key references orgs,
  judge text not null,
  judge_builds text,
  judge_options json
);

-- A gateway of the deployment, alive for as long as it says so; what it holds open is gone with it.
create table gateways (
  id text primary key,
  seen_at timestamptz not null
);

-- An app's open socket, with or without agents on it.
create table app_sockets (
  id text primary key,
  gateway text not null references gateways on delete cascade,
  org text not null references orgs,
  env text not null check (env in ('sandbox', 'production')),
  -- Whose copies it holds: a member's in the sandbox, empty for the org's own.
  holder text not null,
  key_id text not null references keys,
  connected_at timestamptz not null,
  ordinal bigint generated always as identity
);
create index app_sockets_of_gateway on app_sockets (gateway);
create index app_sockets_of_org on app_sockets (org, env);

-- Which agents each app holds; of several that hold one, the one with the highest ordinal does.
create table registrations (
  socket text not null references app_sockets on delete cascade,
  agent text not null,
  org text not null,
  env text not null,
  holder text not null,
  app text not null,
  -- What the class says of settings and lexicon, and the names of it.
  declaration json not null,
  fixed text[] not null,
  -- Its tools, its state, its endpoints and what it wants of a call.
  offer json not null,
  ordinal bigint generated always as identity,
  primary key (socket, agent),
  foreign key (org, agent) references agents
);
create index registrations_of_agent on registrations (org, env, agent);

-- The head of a call: what it is, and the versions it runs on for as long as it lives.
create table calls (
  id text primary key,
  org text not null references orgs,
  agent text not null,
  env text not null check (env in ('sandbox', 'production')),
  holder text not null,
  channel text not null,
  opened_at timestamptz not null,
  -- Per scope of its chain, nearest first: the holder, the version run or null, whether a canary picked it.
  settings json not null,
  -- The row of the nearest scope that set a knob, and the nearest lexicon; null where no scope has one.
  config_holder text,
  config_version integer,
  lexicon_holder text,
  lexicon_version integer,
  canary boolean not null,
  -- What its log counted.
  errors integer not null default 0,
  llm_timeouts integer not null default 0,
  ended_at timestamptz,
  ordinal bigint generated always as identity,
  foreign key (org, agent) references agents
);
create index calls_of_agent on calls (org, env, agent, ordinal desc);
create index calls_of_version on calls (org, agent, env, config_holder, config_version);
