-- Keys that stand in web pages, readable by everybody: each opens calls with one agent, from the pages of some origins,
-- at a pace. They are no secrets, and so are kept as they are, for the console to show again.
create table publishable_keys (
  id text primary key,
  org text not null references orgs on delete cascade,
  env text not null,
  agent text not null,
  label text not null,
  key text not null unique,
  origins text[] not null,
  visitor_per_hour integer not null,
  per_minute integer not null,
  created_by text not null,
  created_at timestamptz not null,
  revoked_at timestamptz
);
create index publishable_keys_of_org on publishable_keys (org, created_at);

-- Tokens that each open one chat, for the page that asked for it.
create table chat_tokens (
  digest bytea primary key,
  call text not null references calls on delete cascade
);
create index chat_tokens_of_call on chat_tokens (call);
