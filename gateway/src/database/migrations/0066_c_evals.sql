-- Scenarios of an agent: who calls, and what must hold. Every change is a version.
create table eval_scenarios (
  id text primary key,
  org text not null references orgs,
  env text not null check (env in ('sandbox', 'production')),
  agent text not null,
  name text not null,
  version integer not null,
  unique (org, env, agent, name)
);
create table eval_scenario_versions (
  scenario text not null references eval_scenarios on delete cascade,
  version integer not null,
  definition json not null,
  author text not null,
  changed_at timestamptz not null,
  primary key (scenario, version)
);

create table eval_runs (
  id text primary key,
  ordinal bigint generated always as identity,
  org text not null references orgs,
  env text not null check (env in ('sandbox', 'production')),
  agent text not null,
  -- Whose copy of the agent answers; empty for the org's own.
  holder text not null,
  against text not null,
  -- What each call runs on, as its record keeps it.
  settings json not null,
  config_version integer,
  times integer not null,
  concurrency integer not null,
  state text not null default 'running' check (state in ('running', 'finished', 'cancelled')),
  total integer not null,
  -- Attempts that a gateway has; changed with their state under the lock of this row.
  running integer not null default 0 check (running between 0 and concurrency),
  passed integer not null default 0,
  failed integer not null default 0,
  errors integer not null default 0,
  created_by text not null,
  created_at timestamptz not null,
  finished_at timestamptz,
  check ((finished_at is null) = (state = 'running'))
);
create index eval_runs_of_org on eval_runs (org, env, ordinal desc);
create index eval_runs_of_agent on eval_runs (org, env, agent, ordinal desc);
create index eval_runs_running on eval_runs (ordinal) where state = 'running';
create index eval_runs_finished on eval_runs (finished_at) where finished_at is not null;

-- What a run calls with, as it was when the run began.
create table eval_run_scenarios (
  run text not null references eval_runs on delete cascade,
  name text not null,
  place integer not null,
  -- Null if the run brought it along.
  version integer,
  definition json not null,
  primary key (run, name)
);

-- One call with one scenario, and the queue of those that are still to be made.
create table eval_attempts (
  id text primary key,
  run text not null references eval_runs on delete cascade,
  place integer not null,
  scenario text not null,
  number integer not null,
  state text not null default 'waiting' check (state in ('waiting', 'running', 'settled')),
  outcome text check (outcome in ('passed', 'failed', 'error', 'cancelled')),
  why text,
  call text,
  verdicts json not null default '[]',
  latencies_ms integer[] not null default '{}',
  credits double precision not null default 0,
  -- Waiting: not made before; running: when another gateway may take it over.
  due_at timestamptz,
  runner text,
  -- How often it was claimed: what an earlier claim writes is refused.
  claims integer not null default 0,
  -- Since when it is tried to open its call.
  begun_at timestamptz,
  settled_at timestamptz,
  unique (run, place),
  check ((state = 'settled') = (outcome is not null))
);
create index eval_attempts_due on eval_attempts (due_at) where state <> 'settled';
create index eval_attempts_open on eval_attempts (run, state, place) where state <> 'settled';
create index eval_attempts_of_call on eval_attempts (call) where call is not null;
