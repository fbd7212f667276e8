-- Apart from 0044, so that neither waits for one of the two tables while it has the other locked.

-- As yet there is one table. A running gateway validates this and then makes the table a partition, without reading it
-- again while it is locked.
alter table entries add column month integer not null default 0;
alter table entries add constraint entries_have_no_month check (month = 0) not valid;

-- A gateway that knows of no months names none: what it writes is put where the log's other entries are.
create function place_entry() returns trigger language plpgsql as $$
begin
  new.month := coalesce((select month from logs where id = new.log), 0);
  insert into entries values (new.*);
  return null;
end
$$;

-- Makes of the table `entries` a partition of a new one of the same name, once and quickly.
create function partition_entries() returns void language plpgsql as $$
declare
  trigger_name text;
  trigger_names text[];
  definition text;
  definitions text[];
begin
  lock table entries in access exclusive mode;
  if (select relkind from pg_class where oid = to_regclass('entries')) = 'p' then
    return;
  end if;
  -- All triggers go over to the new table, also those that later migrations made.
  select array_agg(tgname::text order by tgname), array_agg(pg_get_triggerdef(oid) order by tgname)
  into trigger_names, definitions
  from pg_trigger where tgrelid = to_regclass('entries') and not tgisinternal;
  foreach trigger_name in array trigger_names loop
    execute format('drop trigger %I on entries', trigger_name);
  end loop;
  alter table entries rename to entries_without_month;
  create table entries (like entries_without_month including defaults) partition by list (month);
  alter table entries alter column month set default -1;
  foreach definition in array definitions loop
    execute definition;
  end loop;
  create trigger entries_stay after update or delete on entries_without_month
    for each statement execute function refuse_change_of_log();
  create trigger entries_stay_whole before truncate on entries_without_month
    for each statement execute function refuse_change();

  alter table entries attach partition entries_without_month for values in (0);
  alter table entries_without_month drop constraint entries_have_no_month;

  create table entries_of_older_gateways (like entries_without_month);
  create trigger entries_get_month before insert on entries_of_older_gateways
    for each row execute function place_entry();
  alter table entries attach partition entries_of_older_gateways for values in (-1);
end
$$;

-- The new partition is made beside the others: nobody who reads or writes waits for it.
create function add_entries_month(added integer) returns void language plpgsql as $$
declare
  name text := 'entries_' || added;
begin
  perform pg_advisory_xact_lock(hashtextextended('switchroom months', 0));
  if exists (select from entry_months where month = added) then
    return;
  end if;
  execute format('create table %I (like entries_without_month including indexes)', name);
  execute format('create trigger entries_stay after update or delete on %I
    for each statement execute function refuse_change_of_log()', name);
  execute format('create trigger entries_stay_whole before truncate on %I
    for each statement execute function refuse_change()', name);
  execute format('alter table entries attach partition %I for values in (%s)', name, added);
  insert into entry_months (month) values (added);
end
$$;

-- False if a log still has entries there: nothing is dropped then. Logs are locked first, as by every writer; no log is
-- given the month meanwhile.
create function drop_entries_month(dropped integer) returns boolean language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('switchroom months', 0));
  lock table logs in share mode;
  if exists (select from logs where month = dropped and month > 0) then
    return false;
  end if;
  delete from entry_months where month = dropped;
  if found then
    execute format('drop table %I', 'entries_' || dropped);
  end if;
  return found;
end
$$;

-- As in 0039, and in the log's month alone.
create or replace function touch_threads_of_calls() returns trigger language plpgsql as $$
begin
  insert into thread_touches (org, env, agent, contact, at)
  select new.org, new.env, new.agent, new.contact, greatest(extract(epoch from new.opened_at)::float8, (
    select ts from entries
    where log = new.id and month = (select month from logs where id = new.id)
      and type in ('user.message', 'agent.message')
    order by seq desc limit 1
  ));
  return null;
end
$$;

-- Without logs there is nothing to wait for; else a running gateway does it (calls/partitions).
do $$
begin
  if not exists (select from logs) then
    create index logs_of_month on logs (month) where month > 0;
    perform partition_entries();
    perform add_entries_month(to_char(at, 'YYYYMM')::integer)
    from generate_series(0, 2) as ahead,
      lateral (select date_trunc('month', now() at time zone 'UTC') + ahead * interval '1 month' as at) as month;
  end if;
end
$$;
