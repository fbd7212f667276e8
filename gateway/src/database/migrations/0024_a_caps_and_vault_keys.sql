-- The ids of the vault keys that something may be sealed under: one, or two while the key is changed.
alter table deployment add column vault_keys text[];
-- The id of the key that a gateway seals with.
alter table gateways add column vault_key text;

-- What the operator changed of the usual caps: what is not named is as usual, null is no limit.
alter table orgs add column caps jsonb not null default '{}';

create function cap_of(of_org text, cap_name text, usual integer) returns integer language sql stable
return (select case when caps ? cap_name then (caps ->> cap_name)::integer else usual end from orgs where id = of_org);

-- Event streams and chats that are open, counted for as long as their gateway lives. Not written ahead: what is lost with
-- the database's memory is counted anew as it is opened.
create unlogged table open_connections (
  id text primary key,
  gateway text not null,
  -- The cap it counts for, and whose that is: a key's or an org's.
  cap text not null,
  owner text not null,
  opened_at timestamptz not null
);
create index open_connections_of_owner on open_connections (cap, owner);

-- Answers the cap where it is reached, else null, and the connection is listed. One opens after the other, so that two
-- gateways cannot both open the last one; each statement sees what was opened while the lock was waited for.
create function open_connection(
  of_org text, cap_name text, usual integer, owned_by text, new_id text, own_gateway text, alive_since timestamptz, at timestamptz
) returns integer language plpgsql as $$
declare
  most integer := cap_of(of_org, cap_name, usual);
begin
  if most is not null then
    perform pg_advisory_xact_lock(hashtextextended(cap_name || ' ' || owned_by, 0));
    if most <= (
      select count(*) from open_connections c
      join gateways g on g.id = c.gateway and (g.id = own_gateway or g.seen_at > alive_since)
      where c.cap = cap_name and c.owner = owned_by
    ) then return most; end if;
  end if;
  insert into open_connections (id, gateway, cap, owner, opened_at)
  values (new_id, own_gateway, cap_name, owned_by, at);
  return null;
end
$$;

-- The same for an app's socket, which is listed with what it holds.
create function open_app_socket(
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
      join gateways g on g.id = s.gateway and (g.id = own_gateway or g.seen_at > alive_since)
      where s.org = of_org
    ) then return most; end if;
  end if;
  insert into app_sockets (id, gateway, org, env, holder, key_id, connected_at)
  values (new_id, own_gateway, of_org, of_env, of_holder, of_key, at);
  return null;
end
$$;

-- The cap of an org's chats where as many of its calls are chats that run; held until the end of the transaction, so
-- that two cannot both begin the last one.
create index logs_run_of_org on logs (org) where runner is not null;
create function chats_at_cap(of_org text, usual integer) returns integer language plpgsql as $$
declare
  most integer := cap_of(of_org, 'chats', usual);
begin
  if most is null then return null; end if;
  perform pg_advisory_xact_lock(hashtextextended('chats begun ' || of_org, 0));
  if most <= (
    select count(*) from logs l join calls c on c.id = l.id and c.channel = 'chat'
    where l.org = of_org and l.runner is not null
  ) then return most; end if;
  return null;
end
$$;

-- The entries that a call may have, as its org's cap was when it was opened; null is the usual cap.
alter table logs add column most integer;

-- How much sound an org keeps.
create table recorded_bytes (
  org text primary key references orgs,
  bytes bigint not null
);
insert into recorded_bytes (org, bytes)
select calls.org, sum(recordings.bytes) from recordings join calls on calls.id = recordings.call group by calls.org;
