-- How many dials of an org were taken, and how many of its turns a model was asked, in each five minutes. A quota of the
-- last day sums these, and counts rows only of the five minutes in which the day began. Triggers keep them, so that a
-- gateway of an earlier version counts as well.
create table quota_counts (
  org text not null,
  env text not null,
  counted text not null check (counted in ('dials', 'turns')),
  -- Five minutes since 1970.
  bucket integer not null,
  count integer not null,
  primary key (org, env, counted, bucket)
) with (fillfactor = 70);

create function quota_bucket(at timestamptz) returns integer language sql immutable
return floor(extract(epoch from at) / 300)::integer;

create function bucket_end(at timestamptz) returns timestamptz language sql immutable
return to_timestamp((quota_bucket(at) + 1) * 300.0);

-- The first of a bucket deletes the org's old ones.
create function count_for_quota(of_org text, of_env text, what text, at timestamptz, added integer)
returns void language plpgsql as $$
declare
  now_at integer := quota_bucket(at);
begin
  update quota_counts set count = count + added
  where org = of_org and env = of_env and counted = what and bucket = now_at;
  if found then return; end if;
  insert into quota_counts as kept (org, env, counted, bucket, count) values (of_org, of_env, what, now_at, added)
  on conflict (org, env, counted, bucket) do update set count = kept.count + added;
  delete from quota_counts where org = of_org and env = of_env and counted = what and bucket < now_at - 600;
end
$$;

-- What is older than an hour is counted before the triggers are made: after that no dial and no turn is added until the
-- migration is over.
insert into quota_counts (org, env, counted, bucket, count)
select o.id, e.env, 'dials', d.bucket, d.count
from orgs o cross join (values ('sandbox'), ('production')) as e (env) cross join lateral (
  select quota_bucket(at) as bucket, count(*) as count from dials
  where org = o.id and env = e.env and outcome = 'taken' and at > now() - interval '25 hours'
    and at < bucket_end(now() - interval '1 hour') group by 1
) as d;
insert into quota_counts (org, env, counted, bucket, count)
select org, env, 'turns', quota_bucket(asked_at), count(*) from asked_turns
where asked_at < bucket_end(now() - interval '1 hour') group by 1, 2, 4;

create function count_dial() returns trigger language plpgsql as $$
begin
  perform count_for_quota(new.org, new.env, 'dials', new.at, 1);
  return null;
end
$$;
create trigger dials_counted after insert on dials for each row when (new.outcome = 'taken')
  execute function count_dial();

create function count_turns() returns trigger language plpgsql as $$
begin
  perform count_for_quota(org, env, 'turns', min(asked_at), count(*)::integer)
  from added group by org, env, quota_bucket(asked_at);
  return null;
end
$$;
create trigger asked_turns_counted after insert on asked_turns referencing new table as added for each statement
  execute function count_turns();

insert into quota_counts (org, env, counted, bucket, count)
select o.id, e.env, 'dials', d.bucket, d.count
from orgs o cross join (values ('sandbox'), ('production')) as e (env) cross join lateral (
  select quota_bucket(at) as bucket, count(*) as count from dials
  where org = o.id and env = e.env and outcome = 'taken' and at >= bucket_end(now() - interval '1 hour') group by 1
) as d;
insert into quota_counts (org, env, counted, bucket, count)
select org, env, 'turns', quota_bucket(asked_at), count(*) from asked_turns
where asked_at >= bucket_end(now() - interval '1 hour') group by 1, 2, 4;

-- An org's calls that have not ended. Where there are calls, a running gateway makes it, because that takes long.
do $$
begin
  if not exists (select from calls) then
    create index logs_open_of_org on logs (org) where call is not null and not sealed;
  end if;
end
$$;
