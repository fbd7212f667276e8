-- When the worker of a spoken call that has not ended last gave a sign of life. A narrow row without an index on the
-- time, so that each heartbeat is a HOT update; the row of `calls` has fourteen indexes.
create table call_heartbeats (
  call text primary key references calls on delete cascade,
  beat_at timestamptz not null
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);

-- `calls.beat_at` is when a worker took the call. Gateways of earlier versions write each heartbeat there.
create function keep_heartbeat() returns trigger language plpgsql as $$
begin
  if new.beat_at is null or new.ended_at is not null then
    delete from call_heartbeats where call = new.id;
  else
    insert into call_heartbeats (call, beat_at) values (new.id, new.beat_at)
    on conflict (call) do update set beat_at = excluded.beat_at;
  end if;
  return null;
end
$$;
create trigger calls_begin_beating after insert on calls for each row when (new.beat_at is not null)
  execute function keep_heartbeat();
create trigger calls_beat after update of beat_at on calls for each row
  when (old.beat_at is distinct from new.beat_at) execute function keep_heartbeat();

insert into call_heartbeats (call, beat_at)
select id, beat_at from calls where ended_at is null and beat_at is not null;

-- Whether it looks for silent calls in `call_heartbeats`. While one that does not is running, heartbeats are written to
-- `calls` as well, so that it does not end calls that live.
alter table gateways add column reads_heartbeats boolean not null default false;
