-- Whether a gateway has the lock that proves its life: it does as long as its own connection does, however late its
-- heartbeats are. Those that try for the lock to find dead gateways hold it exclusively for a moment.
create function gateway_has_lock(of_gateway text) returns boolean language sql stable
return exists (
  select from pg_locks l
  where l.locktype = 'advisory' and l.mode = 'ShareLock' and l.granted and l.objsubid = 1
    and l.database = (select oid from pg_database where datname = current_database())
    and (l.classid::bigint << 32 | l.objid::bigint) = hashtextextended('switchroom gateway ' || of_gateway, 0)
);

-- As before, but a gateway with its lock is alive although its heartbeat is late.
create or replace function open_connection(
  of_org text, cap_name text, usual integer, owned_by text, new_id text, own_gateway text, alive_since timestamptz, at timestamptz
) returns integer language plpgsql as $$
declare
  most integer := cap_of(of_org, cap_name, usual);
begin
  if most is not null then
    perform pg_advisory_xact_lock(hashtextextended(cap_name || ' ' || owned_by, 0));
    if most <= (
      select count(*) from open_connections c
      join gateways g on g.id = c.gateway
        and (g.id = own_gateway or g.seen_at > alive_since or gateway_has_lock(g.id))
      where c.cap = cap_name and c.owner = owned_by
    ) then return most; end if;
  end if;
  insert into open_connections (id, gateway, cap, owner, opened_at)
  values (new_id, own_gateway, cap_name, owned_by, at);
  return null;
end
$$;

create or replace function open_app_socket(
  of_org text, usual integer, alive_since timestamptz, new_id text, own_gateway text, of_env text, of_holder text,
  of_key text, at timestamptz
) returns integer language plpgsql as $$
declare
  most integer := cap_of(of_org, 'app_sockets', usual);
begin
  if most is not null then
    perform pg_advisory_xact_lock(hashtextextended('app_sockets ' || of_org, 0));
    if most <= (
      select count(*) from app_sockets s
      join gateways g on g.id = s.gateway
        and (g.id = own_gateway or g.seen_at > alive_since or gateway_has_lock(g.id))
      where s.org = of_org
    ) then return most; end if;
  end if;
  insert into app_sockets (id, gateway, org, env, holder, key_id, connected_at)
  values (new_id, own_gateway, of_org, of_env, of_holder, of_key, at);
  return null;
end
$$;
