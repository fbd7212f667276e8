-- Who changed what, when and from where. Named in words and not by reference: an entry outlives what it names.
create table audit (
  ordinal bigint generated always as identity primary key,
  id text not null unique,
  -- The database's clock, which all gateways share; in milliseconds, as a cursor carries it.
  at timestamptz not null default date_trunc('milliseconds', clock_timestamp()),
  -- Null for what concerns the whole deployment.
  org text,
  env text check (env in ('sandbox', 'production')),
  action text not null,
  actor_kind text not null check (actor_kind in ('person', 'server', 'operator', 'fleet', 'system')),
  actor_key text,
  actor_subject text,
  actor_name text,
  actor_email text,
  visiting boolean not null,
  target_kind text not null,
  target_id text,
  target_label text,
  detail jsonb not null,
  client_address text
);
create index audit_of_org on audit (org, at desc, ordinal desc);
create index audit_by_time on audit (at desc, ordinal desc);

-- Entries are deleted for their age alone, and never changed.
create function refuse_change_of_audit() returns trigger language plpgsql as $$
begin
  if tg_op <> 'DELETE' or coalesce(current_setting('switchroom.audit_retention', true), '') <> 'on' then
    raise exception 'the audit log keeps what it holds: entries are added, never changed or deleted';
  end if;
  return null;
end
$$;
create trigger audit_stays before update or delete or truncate on audit
  for each statement execute function refuse_change_of_audit();
