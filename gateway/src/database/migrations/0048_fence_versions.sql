-- Versions of the fences of the embedded media plane: a worker that has one of the last ten thousand of its environment
-- reads only what is different since.
create table fence_versions (
  env text not null,
  version bigint not null,
  -- Of this version alone: in a database that was restored from a backup the same number may stand for other fences.
  mark uuid not null default gen_random_uuid(),
  primary key (env, version)
);
insert into fence_versions (env, version) values ('production', 0), ('sandbox', 0);

-- The fences that were added, changed or removed with a version.
create table fence_changes (
  env text not null,
  version bigint not null,
  name text not null,
  primary key (env, version, name)
);

-- By triggers, because gateways of earlier versions write fences too. Who writes one waits for the commit of who wrote
-- one before, so that versions become visible in their order. Gateways take the same lock before they read.
create function lock_fences() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('fences of the embedded plane', 0));
  return null;
end
$$;
create trigger fences_lock before insert or update or delete on fences
  for each statement execute function lock_fences();

create function keep_fence_version() returns trigger language plpgsql as $$
declare
  changed_env text;
  names text[];
  latest bigint;
begin
  for changed_env, names in
    select split_part(scope, '/', 2), array_agg(name) from changed group by 1
  loop
    insert into fence_versions (env, version)
    select changed_env, coalesce(max(version), 0) + 1 from fence_versions where env = changed_env
    returning version into latest;
    insert into fence_changes (env, version, name) select changed_env, latest, name from unnest(names) as name;
    delete from fence_changes where env = changed_env and version <= latest - 10000;
    delete from fence_versions where env = changed_env and version <= latest - 10000;
  end loop;
  return null;
end
$$;
create trigger fences_added after insert on fences referencing new table as changed
  for each statement execute function keep_fence_version();
create trigger fences_changed after update on fences referencing new table as changed
  for each statement execute function keep_fence_version();
create trigger fences_removed after delete on fences referencing old table as changed
  for each statement execute function keep_fence_version();
