-- An agent's threads in the order in which they are listed: when the contact's newest call was opened or something was
-- last said in one of their calls, whichever is later. Epoch seconds, as in the log.
create table threads (
  org text not null,
  env text not null,
  agent text not null,
  contact text not null,
  last_at double precision not null,
  primary key (org, env, agent, contact)
);
create index threads_listed on threads (org, env, agent, last_at desc, contact);

-- What moves a thread up, written in the transaction of the log or of the call. It is folded into the thread's row
-- afterwards: a transaction that holds logs must not wait for a row that calls of several logs share.
create table thread_touches (
  org text not null,
  env text not null,
  agent text not null,
  contact text not null,
  at double precision not null
);
create index thread_touches_of_agent on thread_touches (org, env, agent, contact);

create function touch_threads_of_turns() returns trigger language plpgsql as $$
begin
  insert into thread_touches (org, env, agent, contact, at)
  select calls.org, env, agent, contact, max(ts)
  from added join calls on calls.id = log and contact is not null
  where added.type in ('user.message', 'agent.message')
  group by calls.org, env, agent, contact;
  return null;
end
$$;
create function touch_threads_of_calls() returns trigger language plpgsql as $$
begin
  insert into thread_touches (org, env, agent, contact, at)
  select new.org, new.env, new.agent, new.contact, greatest(extract(epoch from new.opened_at)::float8, (
    select ts from entries where log = new.id and type in ('user.message', 'agent.message') order by seq desc limit 1
  ));
  return null;
end
$$;
create trigger entries_touch_threads after insert on entries referencing new table as added
  for each statement execute function touch_threads_of_turns();
-- A line hands a call over to another agent.
create trigger calls_touch_threads after insert or update of agent, contact on calls
  for each row when (new.contact is not null) execute function touch_threads_of_calls();

insert into call_backfills (name, done_at)
select 'threads', case when not exists (select from calls) then now() end;
