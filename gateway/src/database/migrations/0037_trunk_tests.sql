-- What a worker is to try of a trunk, and what it found.
create table trunk_test_offers (
  id text primary key,
  org text not null references orgs,
  env text not null,
  -- Sealed: the trunk, and whom to call through it.
  sealed bytea not null,
  -- The two numbers of its call: if the called one is the org's own, the worker that it rings at echoes.
  called text,
  caller text,
  offered_at timestamptz not null,
  worker text,
  report jsonb
);
create index trunk_test_offers_open on trunk_test_offers (env, offered_at) where worker is null and report is null;
create index trunk_test_offers_called on trunk_test_offers (called) where report is null;
