-- How many seconds of spoken calls an org had in each month (UTC), for its quota of minutes. A trigger adds each call when
-- it ends, so that a gateway of an earlier version counts as well; calls that ended before are not counted. Each of a
-- month's parts is written by other connections, so that two gateways that end calls of an org need not wait.
create table spoken_seconds (
  org text not null,
  month date not null,
  part smallint not null,
  seconds double precision not null,
  primary key (org, month, part)
) with (fillfactor = 70);

-- A dial counts from its answer; a call that no worker ran does not count.
create function spoken_from(call text, direction text, runner text, opened_at timestamptz) returns timestamptz
language sql stable
return case
  when runner is null then null
  when direction <> 'outbound' then opened_at
  when exists (select from placements p where p.call = $1) then
    (select p.answered_at from placements p where p.call = $1)
  else opened_at
end;

create function count_spoken() returns trigger language plpgsql as $$
declare
  began timestamptz := spoken_from(new.id, new.direction, new.runner, new.opened_at);
  this_month date := date_trunc('month', new.ended_at at time zone 'UTC');
begin
  if began is null or began >= new.ended_at then return null; end if;
  insert into spoken_seconds as kept (org, month, part, seconds)
  values (new.org, this_month, pg_backend_pid() % 64, extract(epoch from new.ended_at - began))
  on conflict (org, month, part) do update set seconds = kept.seconds + excluded.seconds;
  return null;
end
$$;
create trigger calls_spoken after update of ended_at on calls for each row
  when (old.ended_at is null and new.ended_at is not null and new.channel in ('phone', 'web'))
  execute function count_spoken();
