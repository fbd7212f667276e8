-- The deployment itself: one row.
create table deployment (
  only_row boolean primary key default true check (only_row),
  vault_check bytea not null
);

create table orgs (
  id text primary key,
  slug text not null constraint orgs_slug_taken unique,
  name text not null,
  quotas jsonb not null,
  created_at timestamptz not null,
  ordinal bigint generated always as identity
);

-- A person is an address, with one password and one proof in every org they are in.
create table persons (
  email text primary key,
  password_hash text,
  verified boolean not null default false
);

create table members (
  id text primary key,
  org text not null references orgs,
  email text not null references persons,
  name text not null,
  role text not null check (role in ('admin', 'developer', 'manager', 'qa', 'supervisor')),
  agents text[] not null default '{}',
  status text not null check (status in ('invited', 'active', 'disabled')),
  operator boolean not null default false,
  production boolean not null,
  created_at timestamptz not null,
  ordinal bigint generated always as identity,
  constraint members_once_per_org unique (org, email),
  constraint members_admin_opens_production check (role <> 'admin' or production)
);
create index members_by_email on members (email);
create index members_operators on members (email) where operator and status = 'active';

-- Only the digest of a key is kept. A row outlives its member, so that the list of keys stays whole.
create table keys (
  id text primary key,
  org text not null references orgs,
  digest bytea constraint keys_digest_once unique,
  kind text not null check (kind in ('person', 'server')),
  label text not null,
  env text not null check (env in ('sandbox', 'production')),
  member text,
  visitor text,
  name text,
  scopes text[],
  created_by text not null,
  -- Every key above this one in the tree of copies, the first one first.
  ancestors text[] not null default '{}',
  created_at timestamptz not null,
  last_used_at timestamptz,
  revoked_at timestamptz,
  expires_at timestamptz,
  ordinal bigint generated always as identity,
  constraint keys_of_somebody check (
    kind = 'server' and scopes is not null and member is null and visitor is null
    or kind = 'person' and scopes is null and num_nonnulls(member, visitor) = 1
  )
);
create index keys_by_org on keys (org, ordinal);
create index keys_by_member on keys (member);
create index keys_by_ancestor on keys using gin (ancestors);

-- One-use links: an invitation's, or a reset's. Handed ones were answered to whoever asked for them.
create table invitations (
  digest bytea primary key,
  member text not null references members on delete cascade,
  purpose text not null check (purpose in ('invitation', 'reset')),
  handed boolean not null,
  proves_address boolean not null,
  expires_at timestamptz not null
);
create index invitations_by_member on invitations (member);

-- When something counted was admitted, per subject; the subject is a digest, so no address is kept for it.
create table rate_counts (
  subject bytea primary key,
  admitted timestamptz[] not null,
  forget_at timestamptz not null
);
create index rate_counts_to_forget on rate_counts (forget_at);
