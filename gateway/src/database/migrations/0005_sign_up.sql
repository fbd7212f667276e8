-- A sign-up that waits for its code: one per address. No org, member or slug is held by it.
create table sign_ups (
  email text primary key,
  slug text not null,
  name text not null,
  person text not null,
  device text not null,
  password_hash text not null,
  code_mac bytea not null,
  tries integer not null default 0,
  expires_at timestamptz not null
);
create index sign_ups_to_forget on sign_ups (expires_at);
