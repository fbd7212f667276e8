-- What full text finds chunks by. Each lexeme carries its base's number, so that a look-up reads one base alone, however
-- many other bases have the same words.
alter table knowledge_bases add column number integer generated always as identity unique;

create table knowledge_words (
  base integer not null,
  document text not null references knowledge_documents on delete cascade,
  ordinal integer not null,
  -- By whose word forms its lexemes were made; empty: of no language that full text knows.
  language text not null,
  -- How many words it has.
  length integer not null,
  words tsvector not null,
  primary key (document, ordinal)
);
-- Without a list of what is to be added: every search of every org would read it.
create index knowledge_words_by_lexeme on knowledge_words using gin (words) with (fastupdate = off);
-- A vector that does not fit into its row is kept beside it as it is: unpacking it takes longer than ranking.
alter table knowledge_words alter column words set storage external;

-- In how many chunks of a base a lexeme is, so that rare words are looked up and common ones only counted.
create table knowledge_terms (
  base integer not null references knowledge_bases (number) on delete cascade,
  term text collate "C" not null,
  chunks integer not null,
  primary key (base, term)
);
-- Compounds by their last word.
create index knowledge_terms_from_the_end on knowledge_terms (base, reverse(term) collate "C");

create table knowledge_languages (
  base integer not null references knowledge_bases (number) on delete cascade,
  language text not null,
  chunks integer not null,
  words bigint not null,
  primary key (base, language)
);

-- Whoever deletes a document, the counts follow. The base is locked first, so that two writers of one wait in order.
create function count_knowledge_words() returns trigger language plpgsql as $$
declare
  sign integer := case tg_op when 'INSERT' then 1 else -1 end;
begin
  update knowledge_bases set generation = generation + 1 where number in (select base from changed);
  if not found then return null; end if;
  insert into knowledge_terms as t (base, term, chunks)
  select base, substr(lexeme, strpos(lexeme, '/') + 1) collate "C", sign * count(*)
  from changed, unnest(words)
  where exists (select from knowledge_bases where number = changed.base)
  group by 1, 2 order by 1, 2
  on conflict (base, term) do update set chunks = t.chunks + excluded.chunks;
  insert into knowledge_languages as l (base, language, chunks, words)
  select base, language, sign * count(*), sign * sum(length)
  from changed
  where exists (select from knowledge_bases where number = changed.base)
  group by 1, 2 order by 1, 2
  on conflict (base, language) do update
  set chunks = l.chunks + excluded.chunks, words = l.words + excluded.words;
  if sign < 0 then
    delete from knowledge_terms t using (
      select distinct base, substr(lexeme, strpos(lexeme, '/') + 1) collate "C" as term from changed, unnest(words)
    ) as gone
    where t.base = gone.base and t.term = gone.term and t.chunks <= 0;
    delete from knowledge_languages l where l.base in (select base from changed) and l.chunks <= 0;
  end if;
  return null;
end
$$;
create trigger knowledge_words_counted after insert on knowledge_words referencing new table as changed
  for each statement execute function count_knowledge_words();
create trigger knowledge_words_uncounted after delete on knowledge_words referencing old table as changed
  for each statement execute function count_knowledge_words();

-- The best of what a few look-ups find, none of which answers more than its limit. A chunk scores, for each thing that
-- was asked, between 0.8 (the word is there once) and 1 (often, or in a heading), or 0.7 for a looser form of it, times
-- how much the thing weighs; long chunks a little less. In a function, because its plan must use the index whatever
-- PostgreSQL believes of a value that it does not know yet.
create function knowledge_ranked(
  lookups tsquery[], limits integer[], exact tsquery[], headings tsquery[], looser tsquery[], weights float8[],
  usual_length float8, best integer
) returns table (document text, ordinal integer, score float8) language sql stable
set enable_seqscan = off as $$
  select found.document, found.ordinal,
    (
      select sum(weight * greatest(
        case when found.words @@ heading then 1 end,
        case when found.words @@ word then
          0.5 + 0.5 * least(1, ts_rank('{1,1,1,1}', found.words, word) * (numnode(word) + 1) / 2)
        end,
        case when found.words @@ loose then 0.7 end,
        0))
      from unnest(exact, headings, looser, weights) as asked (word, heading, loose, weight)
    ) / (1 + 0.05 * greatest(0, found.length / usual_length - 1)) as score
  from (
    select distinct on (one.document, one.ordinal) one.*
    from unnest(lookups, limits) as looked (up, most)
    cross join lateral (
      select w.document, w.ordinal, w.length, w.words from knowledge_words w where w.words @@ looked.up limit looked.most
    ) as one
  ) as found
  order by score desc, found.document, found.ordinal
  limit best
$$;

-- What callers asked and a base had nothing for. The words stay in the log, and so go with it.
create table knowledge_missed (
  id bigint generated always as identity primary key,
  base text not null references knowledge_bases on delete cascade,
  log text not null references logs on delete cascade,
  seq integer not null,
  agent text not null
);
create index knowledge_missed_of_base on knowledge_missed (base, id);
create index knowledge_missed_of_log on knowledge_missed (log);

create function keep_missed() returns trigger language plpgsql as $$
declare
  found json := new.entry::json -> 'data';
begin
  if json_array_length(found -> 'passages') = 0 and (found ->> 'error') is null and (found ->> 'late') <> 'true' then
    insert into knowledge_missed (base, log, seq, agent)
    select b.id, l.id, new.seq, l.agent
    from logs l join knowledge_bases b on b.org = l.org and b.env = l.env and b.base = found ->> 'base'
    where l.id = new.log;
  end if;
  return null;
end
$$;
