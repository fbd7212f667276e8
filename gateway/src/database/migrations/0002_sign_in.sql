-- A code that a browser redeems for a copy of the key that minted it, or for a key of the member a provider vouched for.
create table login_codes (
  digest bytea primary key,
  key text references keys,
  member text references members on delete cascade,
  expires_at timestamptz not null,
  constraint login_codes_of_one check (num_nonnulls(key, member) = 1)
);
create index login_codes_to_forget on login_codes (expires_at);

-- A terminal that waits for somebody to approve it. The key row stands from the approval; its secret is drawn at collection.
create table pairings (
  digest bytea primary key,
  device text not null,
  org_name text,
  key text references keys,
  is_collected boolean not null default false,
  expires_at timestamptz not null
);
create index pairings_to_forget on pairings (expires_at);

create table identity_providers (
  org text primary key references orgs,
  issuer text not null,
  client_id text not null,
  client_secret bytea not null,
  role text check (role in ('admin', 'developer', 'manager', 'qa', 'supervisor')),
  required boolean not null
);

-- A domain without a token was declared before proofs existed, and counts as proven.
create table identity_provider_domains (
  org text not null references identity_providers on delete cascade,
  domain text not null,
  ordinal integer not null,
  token text,
  verified boolean not null,
  primary key (org, domain)
);
create index identity_provider_domains_by_domain on identity_provider_domains (domain);

-- The operator's brand; a column that is null reads as the default.
create table brand (
  only_row boolean primary key default true check (only_row),
  name text,
  logo_url text,
  accent text
);
