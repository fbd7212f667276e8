-- How an app holds an agent beside others: alone, or in turn with the other processes of its name.
alter table registrations
  add column exclusive boolean not null default false,
  add column balance boolean not null default false,
  -- When it was given a call last, of those that take turns; 0 if it was given none.
  add column turn bigint not null default 0;

create sequence registration_turns;

-- The socket that a new call of an agent goes to: that of the newest registration, a person's own copy before the
-- org's. If that registration takes turns, the one of its app that waited longest for a call; two calls that come at
-- once wait for each other here, so that they get two turns.
create function next_app_socket(
  of_org text, of_env text, of_agent text, of_holder text, own_gateway text, alive_since timestamptz
) returns text language plpgsql as $$
declare
  newest record;
  chosen text;
begin
  select r.socket, r.holder, r.app, r.balance into newest
  from registrations r
  join app_sockets s on s.id = r.socket
  join gateways g on g.id = s.gateway
    and (g.id = own_gateway or g.seen_at > alive_since or gateway_has_lock(g.id))
  where r.org = of_org and r.env = of_env and r.agent = of_agent and r.holder in (of_holder, '')
  order by r.holder = '', r.ordinal desc limit 1;
  if not found then return null; end if;
  if not newest.balance then return newest.socket; end if;

  perform pg_advisory_xact_lock(
    hashtextextended(concat_ws(' ', 'switchroom turns', of_org, of_env, of_agent, newest.holder, newest.app), 0));
  select r.socket into chosen
  from registrations r
  join app_sockets s on s.id = r.socket
  join gateways g on g.id = s.gateway
    and (g.id = own_gateway or g.seen_at > alive_since or gateway_has_lock(g.id))
  where r.org = of_org and r.env = of_env and r.agent = of_agent and r.holder = newest.holder
    and r.app = newest.app and r.balance
  order by r.turn, r.ordinal limit 1;
  update registrations r set turn = nextval('registration_turns')
  where r.socket = chosen and r.agent = of_agent;
  return chosen;
end $$;
