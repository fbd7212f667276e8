-- A message to one gateway, until that gateway has taken it.
create table posts (
  id bigint generated always as identity primary key,
  gateway text not null,
  kind text not null,
  body json not null,
  at timestamptz not null
);
create index posts_of_gateway on posts (gateway, id);

-- Which app's socket drives a call: told what happens in it, asked to prepare its turns and to run its tools.
create table driven_calls (
  call text primary key references calls on delete cascade,
  org text not null,
  env text not null,
  agent text not null,
  holder text not null,
  -- Null while nobody holds the agent.
  socket text,
  -- Whether the socket is that of the phone line the call came by, and of no app that holds the agent.
  by_line boolean not null default false,
  -- Up to where the last socket was told; null while one is being told.
  told integer default 0,
  -- Whether everything was told, up to the end of the call.
  done boolean not null default false,
  -- What the app changed about the call's turns so far.
  prepared jsonb not null default '{}'
);
create index driven_calls_of_agent on driven_calls (org, env, agent) where not done;

-- Tools and their results are looked for while the log is held.
create index entries_tools on entries (log, seq) where type in ('llm.toolCall', 'tool.result');
