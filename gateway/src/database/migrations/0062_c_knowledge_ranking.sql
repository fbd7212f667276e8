-- In place of knowledge_ranked: how often a word is in a chunk, and how long the chunk is, count for more, as measured on
-- questions to our own documentation (a word that is there once is 0.69); and words that are nearly everywhere are looked
-- for in the first chunks of a base alone, because an index names all chunks that have a word before any is ranked.
create index knowledge_words_of_base on knowledge_words (base, document, ordinal);
drop function knowledge_ranked;

create function knowledge_best(
  lookups tsquery[], limits integer[], everywhere tsquery, in_base integer, sampled integer,
  exact tsquery[], headings tsquery[], looser tsquery[], weights float8[], usual_length float8, best integer
) returns table (document text, ordinal integer, score float8) language sql stable
set enable_seqscan = off as $$
  select found.document, found.ordinal,
    (
      select sum(weight * greatest(
        case when found.words @@ heading then 1 end,
        case when found.words @@ word then
          0.2 + 0.8 * least(1, ts_rank('{1,1,1,1}', found.words, word) * (numnode(word) + 1) / 2)
        end,
        case when found.words @@ loose then 0.6 end,
        0))
      from unnest(exact, headings, looser, weights) as asked (word, heading, loose, weight)
    ) / (1 + 0.1 * greatest(0, found.length / usual_length - 1)) as score
  from (
    select distinct on (one.document, one.ordinal) one.*
    from (
      select among.* from unnest(lookups, limits) as looked (up, most)
      cross join lateral (
        select w.document, w.ordinal, w.length, w.words from knowledge_words w
        where w.words @@ looked.up limit looked.most
      ) as among
      union all
      select early.* from (
        select w.document, w.ordinal, w.length, w.words from knowledge_words w
        where w.base = in_base and everywhere is not null order by w.base, w.document, w.ordinal limit sampled
      ) as early
      where early.words @@ everywhere
    ) as one
  ) as found
  order by score desc, found.document, found.ordinal
  limit best
$$;
