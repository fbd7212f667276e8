-- Words are searched for among the turns of one org, the newest calls first: a shelf is 16,384 calls in the order in
-- which the platform opened them, and a word is another number in every org, environment and shelf.
create function shelf_of(ordinal bigint) returns bigint language sql immutable parallel safe
return ordinal >> 14;

create function shelf_seed(org text, env text, shelf bigint) returns bigint language sql immutable parallel safe
return hashtextextended(org || '/' || env || '/' || shelf, 0);

create function seeded_words(seed bigint, said text) returns bigint[] language sql immutable strict parallel safe
return (
  select array_agg(hashtextextended(lexeme, seed))
  from unnest(tsvector_to_array(to_tsvector('simple', said))) as lexeme
);

-- What else a search may ask for; no two words are in one lexeme, so that it is none.
create function seeded_mark(seed bigint, kind text, value text) returns bigint language sql immutable parallel safe
return hashtextextended(kind || ' is ' || value, seed);

-- The words of a call's turns, with the marks of its agent and channel.
create table turn_words (
  call text not null,
  seq integer not null,
  words bigint[] not null,
  primary key (call, seq)
);
-- Without a list of what is not sorted in yet, which every search would read and some append would have to sort in.
create index turn_words_by_word on turn_words using gin (words) with (fastupdate = off);

-- In the transaction of the log, whichever gateway writes, also an older one. With an offset PostgreSQL computes the
-- words once, and not wherever they are named.
create function keep_words() returns trigger language plpgsql as $$
begin
  insert into turn_words (call, seq, words)
  select log, seq, words || seeded_mark(seed, 'agent', agent) || seeded_mark(seed, 'channel', channel)
  from added join calls on calls.id = log
  cross join lateral (select shelf_seed(calls.org, env, shelf_of(ordinal)) as seed offset 0) as own
  cross join lateral (select seeded_words(seed, entry::json -> 'data' ->> 'text') as words offset 0) as said
  where added.org is not null and words is not null;
  return null;
end
$$;
create function drop_words() returns trigger language plpgsql as $$
begin
  delete from turn_words using gone where gone.org is not null and call = gone.log and turn_words.seq = gone.seq;
  return null;
end
$$;
create trigger entries_keep_words after insert on entries referencing new table as added
  for each statement execute function keep_words();
create trigger entries_drop_words after delete on entries referencing old table as gone
  for each statement execute function drop_words();

-- A call that was routed to another agent is found as that one's.
create function remark_words() returns trigger language plpgsql as $$
declare
  seed bigint := shelf_seed(new.org, new.env, shelf_of(new.ordinal));
begin
  update turn_words
  set words = array_replace(words, seeded_mark(seed, 'agent', old.agent), seeded_mark(seed, 'agent', new.agent))
  where call = new.id;
  return null;
end
$$;
create trigger calls_remark_words after update of agent on calls for each row when (old.agent <> new.agent)
  execute function remark_words();

-- How far the gateways have come with what they derive from older calls while they serve, in the order of their ids.
create table call_backfills (
  name text primary key,
  -- The last call of the last batch.
  reached text not null default '',
  done_at timestamptz
);
insert into call_backfills (name, done_at)
select 'turn_words', case when not exists (select from calls) then now() end;

-- Without calls there is nothing to wait for; else a running gateway changes the indexes (calls/backfills).
do $$
begin
  if not exists (select from calls) then
    drop index entries_words;
    drop index calls_of_version;
    create index calls_fared on calls (org, agent, env, config_holder, config_version)
      include (errors, llm_timeouts, opened_at, ended_at);
    create index calls_of_agent_by_channel on calls (org, env, agent, channel, ordinal desc);
  end if;
end
$$;
