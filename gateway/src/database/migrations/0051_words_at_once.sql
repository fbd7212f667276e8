-- As in 0038, with `shelf_seed`, `seeded_words` and `seeded_mark` written out: PostgreSQL would read and start each of
-- them anew for every turn, which takes longer than to find its words.
create or replace function keep_words() returns trigger language plpgsql as $$
begin
  insert into turn_words (call, seq, words)
  select log, seq, words || hashtextextended('agent is ' || agent, seed)
    || hashtextextended('channel is ' || channel, seed)
  from added join calls on calls.id = log
  cross join lateral (
    select hashtextextended(calls.org || '/' || env || '/' || (ordinal >> 14), 0) as seed offset 0
  ) as own
  cross join lateral (
    select array_agg(hashtextextended(lexeme, seed)) as words
    from unnest(tsvector_to_array(to_tsvector('simple', entry::json -> 'data' ->> 'text'))) as lexeme
  ) as said
  where added.org is not null and words is not null;
  return null;
end
$$;
