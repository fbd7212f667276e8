-- A number and the agent that answers at it.
create table numbers (
  number text primary key,
  org text not null references orgs,
  env text not null check (env in ('sandbox', 'production')),
  agent text not null,
  channel text not null default 'phone' check (channel in ('phone', 'msgapp')),
  label text,
  -- Bought by the platform.
  managed boolean not null default false,
  origin text not null check (origin in ('bought', 'imported', 'hooked', 'typed')),
  -- When a hooked number was let ring; it rings at once where nobody approves them.
  approved_at timestamptz,
  last_call_at timestamptz,
  created_at timestamptz not null,
  ordinal bigint generated always as identity,
  foreign key (org, agent) references agents
);
create index numbers_of_org on numbers (org, env, ordinal);

-- The app that takes the calls of a number before its agent does.
create table lines (
  number text primary key references numbers on delete cascade on update cascade,
  socket text not null references app_sockets on delete cascade,
  extension_ms integer not null check (extension_ms between 0 and 10000)
);
create index lines_of_socket on lines (socket);

alter table calls
  -- The line that owns the call, until it hands it over.
  add column line text,
  -- Whether its extension window has closed, and the line's app been told of the call.
  add column line_told boolean not null default false,
  -- The worker that runs it, as it calls itself.
  add column worker text;
create index calls_on_lines on calls (line) where line is not null and ended_at is null;
