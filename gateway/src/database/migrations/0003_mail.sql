-- The SMTP accounts: an org's own, or the platform's as the operator stored it.
create table mailboxes (
  owner text primary key,
  org text generated always as (nullif(owner, 'platform')) stored references orgs,
  host text not null,
  port integer not null,
  security text not null check (security in ('starttls', 'tls')),
  username text,
  -- Sealed.
  password bytea,
  "from" text not null,
  verified_at timestamptz,
  last_error text,
  kept_at timestamptz not null
);

-- Letters that wait to be sent. Whoever takes one moves its due time ahead, so that it is due again if they die.
create table letters (
  id text primary key,
  owner text not null,
  -- Sealed: the address and what the letter says.
  letter bytea not null,
  tries integer not null default 0,
  due_at timestamptz not null,
  expires_at timestamptz not null
);
create index letters_due on letters (due_at);
