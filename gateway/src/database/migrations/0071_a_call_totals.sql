-- What an org's calls come to, by agent, in hours and in days of UTC, so that an overview of any number of calls reads a
-- few rows. A call is added once, after it has ended, to the hour and the day in which it was opened.
create table call_totals (
  org text not null,
  env text not null,
  unit text not null check (unit in ('hour', 'day')),
  at timestamptz not null,
  agent text not null,
  calls integer not null,
  seconds double precision not null,
  errors integer not null,
  with_errors integer not null,
  credits double precision not null,
  -- How many calls ended for which reason.
  reasons jsonb not null,
  -- How many answers were heard within which wait (calls/insights/waits.ts).
  heard integer[] not null,
  primary key (org, env, unit, at, agent)
);

-- Calls that have ended and are not added yet. Triggers write it, so that a gateway of an older version does as well.
create table uncounted_calls (
  call text primary key
);
create function await_totals() returns trigger language plpgsql as $$
begin
  insert into uncounted_calls (call) values (new.id) on conflict do nothing;
  return null;
end
$$;

-- Nothing ends between the trigger and what it has not seen.
create trigger calls_totalled after update of ended_at on calls
  for each row when (old.ended_at is null and new.ended_at is not null) execute function await_totals();
create table call_totals_since (
  one boolean primary key default true check (one),
  ordinal bigint not null,
  open text[] not null
);
insert into call_totals_since (ordinal, open)
select (select last_value from calls_ordinal_seq), array(select id from calls where ended_at is null);

insert into call_backfills (name, done_at)
select 'call_totals', case when not exists (select from calls) then now() end;

-- The calls of a period. Where there are calls, a running gateway makes it, because that takes long.
do $$
begin
  if not exists (select from calls) then
    create index calls_by_opening on calls (org, env, opened_at);
  end if;
end
$$;
