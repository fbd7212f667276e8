-- For how many days what ages is kept, where the operator sets nothing: as it was usual when the deployment began. One
-- that is older keeps what it kept until then, which is everything.
alter table deployment add column lives jsonb not null default '{}';
alter table deployment alter column lives set default '{"logs": 400, "calls": 800, "dials": 2000, "keys": 400}';

-- The ledger's rows are deleted for their age alone, and never changed.
create function refuse_change_of_dials() returns trigger language plpgsql as $$
begin
  if tg_op <> 'DELETE' or coalesce(current_setting('switchroom.dial_retention', true), '') <> 'on' then
    raise exception '% keeps what it holds: rows are added, never changed or deleted', tg_table_name;
  end if;
  return null;
end
$$;
create or replace trigger dials_stay before update or delete or truncate on dials
  for each statement execute function refuse_change_of_dials();
create or replace trigger dial_results_stay before update or delete or truncate on dial_results
  for each statement execute function refuse_change_of_dials();

-- Asked when a key is deleted. The table holds what was granted within a day.
create index voice_grants_of_key on voice_grants (key_id);

-- Where there are rows already, a running gateway makes these (platform/retention).
do $$
begin
  if not exists (select from calls) then
    create index calls_forgotten on calls (ended_at) where forgotten;
  end if;
  if not exists (select from keys) then
    create index keys_revoked on keys (revoked_at) where revoked_at is not null;
  end if;
end
$$;
