-- Whom and which call an entry of an agent's own log is about, so that an erasure need not parse the logs. As a number
-- that is another one in every org: narrow, whatever an entry names, and no name.
create table log_mentions (
  log text not null,
  seq integer not null,
  named bigint not null,
  primary key (log, seq, named)
);
create index log_mentions_by_name on log_mentions (named);

create function mention_of(of_org text, kind text, value text) returns bigint language sql immutable strict parallel safe
return hashtextextended(kind || ' ' || value, hashtextextended(of_org, 0));

create function mentions_in(of_org text, entry text) returns setof bigint language sql immutable parallel safe
begin atomic
  select distinct mention_of(of_org, kind, value)
  from (select entry::json as parsed offset 0) as own cross join lateral (values
    ('call', parsed ->> 'call'),
    ('person', parsed -> 'data' ->> 'contact'),
    ('person', parsed -> 'data' ->> 'number'),
    ('person', parsed -> 'data' ->> 'from')
  ) as mentioned (kind, value)
  where value <> '';
end;

-- In the transaction of the log, whichever gateway writes, also an older one.
create function keep_mentions() returns trigger language plpgsql as $$
begin
  insert into log_mentions (log, seq, named)
  select new.log, new.seq, named from logs cross join lateral mentions_in(logs.org, new.entry) as named
  where logs.id = new.log and logs.call is null
  on conflict do nothing;
  return null;
end
$$;
create function drop_mentions() returns trigger language plpgsql as $$
begin
  delete from log_mentions where log = old.log and seq = old.seq;
  return null;
end
$$;
create trigger entries_keep_mentions after insert on entries for each row
  when (new.type in ('callback.requested', 'message.waiting', 'message.taken')) execute function keep_mentions();
create trigger entries_drop_mentions after delete on entries for each row
  when (old.type in ('callback.requested', 'message.waiting', 'message.taken')) execute function drop_mentions();

-- Where there are agents' own logs already, a running gateway fills the table.
insert into call_backfills (name, done_at)
select 'log_mentions', case when not exists (select from logs where call is null) then now() end;
