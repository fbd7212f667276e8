-- What an agent knows of a contact from earlier calls, a fact a row.
create table memories (
  org text not null,
  env text not null check (env in ('sandbox', 'production')),
  agent text not null,
  contact text not null,
  id text not null,
  text text not null,
  learned_at timestamptz not null,
  ordinal bigint generated always as identity,
  primary key (org, env, agent, contact, id),
  foreign key (org, agent) references agents
);
create index memories_of_contact on memories (org, contact);

-- A user's turn that was put to a model, counted for a day: by its place in its call's log, so that it counts once.
create table asked_turns (
  call text not null,
  seq integer not null,
  org text not null references orgs,
  env text not null check (env in ('sandbox', 'production')),
  asked_at timestamptz not null,
  primary key (call, seq)
);
create index asked_turns_of_org on asked_turns (org, env, asked_at);
create index asked_turns_to_forget on asked_turns (asked_at);

-- The calls of an org that have not ended.
create index calls_open on calls (org) where ended_at is null;
-- A message that a client sends again is found by its id.
create index entries_sent on entries (log, (entry::json -> 'data' ->> 'messageId')) where type = 'user.message';
