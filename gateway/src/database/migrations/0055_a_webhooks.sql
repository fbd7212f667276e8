-- Where an org is told of its events, and the queue of what is still to be sent there.
create table webhook_endpoints (
  id text primary key,
  org text not null references orgs,
  env text not null check (env in ('sandbox', 'production')),
  url text not null,
  description text not null,
  -- Null for every type, and for every agent.
  types text[],
  agents text[],
  -- The signing secrets, newest first.
  sealed bytea not null,
  created_at timestamptz not null,
  changed_at timestamptz not null,
  paused_at timestamptz,
  paused_why text check (paused_why in ('person', 'failing')),
  -- Since when no delivery succeeds.
  failing_since timestamptz,
  delivered_at timestamptz,
  check ((paused_at is null) = (paused_why is null))
);
create index webhook_endpoints_of_org on webhook_endpoints (org, env);

-- An event that at least one endpoint is told of. Its id follows from what it tells of, so that none is written twice.
create table webhook_events (
  id text primary key,
  org text not null,
  env text not null,
  agent text,
  call text,
  type text not null,
  at timestamptz not null,
  -- The JSON that the body is made of.
  source text not null,
  -- What is sent, made before the first attempt, so that every attempt sends the same.
  body text
);
create index webhook_events_of_call on webhook_events (call) where call is not null;
create index webhook_events_by_age on webhook_events (at);

-- No key to the endpoint: an append to a log would lock its row.
create table webhook_deliveries (
  ordinal bigint generated always as identity primary key,
  endpoint text not null,
  event text not null references webhook_events on delete cascade,
  -- What is sent in order: the events of one call by their places in its log, or of one number as they came.
  chain text not null,
  place bigint not null,
  state text not null default 'pending' check (state in ('pending', 'delivered', 'failed')),
  created_at timestamptz not null,
  -- Not attempted before; while a gateway attempts it, when another may take it over; infinity while the endpoint is paused.
  due_at timestamptz not null,
  -- The gateway that attempts it.
  sender text,
  attempts integer not null default 0,
  settled_at timestamptz,
  unique (event, endpoint)
);
create index webhook_deliveries_due on webhook_deliveries (due_at) where state = 'pending';
create index webhook_deliveries_in_order on webhook_deliveries (endpoint, chain, place, ordinal) where state = 'pending';
create index webhook_deliveries_recent on webhook_deliveries (endpoint, ordinal desc);

create table webhook_attempts (
  delivery bigint not null references webhook_deliveries on delete cascade,
  attempt integer not null,
  at timestamptz not null,
  duration_ms integer not null,
  -- The headers of Standard Webhooks that were sent; null if nothing was.
  signed_at bigint,
  signature text,
  -- Null without an answer.
  status integer,
  answer text,
  -- Why it counts as failed; null if it was delivered.
  error text,
  primary key (delivery, attempt)
);

-- In the transaction of what it tells of, whichever gateway writes, also an older one. An org without endpoints pays for
-- one look at an index.
create function announce_event(
  event_key text, event_org text, event_env text, event_agent text, event_call text, event_type text,
  event_at timestamptz, event_chain text, event_place bigint, event_source text
) returns void language plpgsql as $$
declare
  wanting text[];
  event_id text;
begin
  select array_agg(id) into wanting from webhook_endpoints
  where org = event_org and env = event_env
    and (types is null or event_type = any(types)) and (agents is null or event_agent = any(agents));
  if wanting is null then
    return;
  end if;
  event_id := 'evt_' || left(encode(sha256(convert_to(event_key, 'UTF8')), 'hex'), 32);
  insert into webhook_events (id, org, env, agent, call, type, at, source)
  values (event_id, event_org, event_env, event_agent, event_call, event_type, event_at, event_source)
  on conflict do nothing;
  if found then
    insert into webhook_deliveries (endpoint, event, chain, place, created_at, due_at)
    select endpoint, event_id, event_chain, event_place, event_at, event_at from unnest(wanting) as endpoint;
  end if;
end
$$;

-- What a call's log tells of. Entries that are moved between partitions are inserted again, which is no event.
create function announce_entry() returns trigger language plpgsql as $$
begin
  if coalesce(current_setting('switchroom.erasing', true), '') = 'on' then
    return null;
  end if;
  perform announce_event(
    'entry ' || new.log || ' ' || new.seq, logs.org, logs.env, logs.agent, logs.call,
    case new.type when 'chat.started' then 'call.started' when 'msgapp.started' then 'call.started'
      when 'user.message' then 'message.received' else new.type end,
    to_timestamp(new.ts), 'call ' || logs.call, new.seq, new.entry)
  from logs where logs.id = new.log and logs.call is not null and (
    new.type <> 'user.message' or exists (select from calls where calls.id = logs.call and channel = 'msgapp')
  );
  return null;
end
$$;

-- A callback that is erased from another contact's call is erased from what tells of that call too.
create function drop_callback_event() returns trigger language plpgsql as $$
begin
  delete from webhook_events where call = old.log and type = 'callback.requested'
    and source::json ->> 'seq' = old.seq::text;
  update webhook_events set body = null where call = old.log and type = 'call.ended';
  return null;
end
$$;

create function drop_events_of_call() returns trigger language plpgsql as $$
begin
  delete from webhook_events where call = new.id;
  return null;
end
$$;

create function announce_send() returns trigger language plpgsql as $$
begin
  perform announce_event(
    'send ' || new.call || ' ' || new.seq || ' ' || new.part || ' ' || new.status, org, env, agent, id,
    'message.' || new.status, clock_timestamp(), 'call ' || id, new.seq,
    json_build_object('seq', new.seq, 'part', new.part, 'platform_id', new.platform_id, 'error', new.error)::text)
  from calls where id = new.call and not erased;
  return null;
end
$$;

create function announce_recording() returns trigger language plpgsql as $$
begin
  perform announce_event(
    'recording ' || new.call, calls.org, calls.env, calls.agent, calls.id, 'recording.stored', new.stored_at,
    'call ' || calls.id, logs.seq, json_build_object('bytes', new.bytes, 'duration_ms', new.duration_ms)::text)
  from calls join logs on logs.id = calls.id where calls.id = new.call;
  return null;
end
$$;

-- A change of a number, as the audit log has it; of which agent's, the number says where the change does not.
create function announce_number() returns trigger language plpgsql as $$
begin
  perform announce_event(
    'audit ' || new.id, new.org, new.env,
    coalesce(
      case jsonb_typeof(new.detail -> 'agent') when 'string' then new.detail ->> 'agent'
        else new.detail -> 'agent' ->> 'after' end,
      (select agent from numbers
        where org = new.org and number in (new.target_id, new.target_id || '/' || new.org) limit 1)),
    null, new.action, new.at, 'number ' || new.target_id, 0,
    json_build_object('number', new.target_id, 'changes', new.detail)::text);
  return null;
end
$$;
