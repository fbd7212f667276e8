-- Words are searched for in the turns of one org: its name is a part of every word, so that no other org's are read.
create function org_words(org text, said text) returns bigint[] language sql immutable strict parallel safe
return (
  select array_agg(hashtextextended(lexeme, hashtextextended(org, 0)))
  from unnest(tsvector_to_array(to_tsvector('simple', said))) as lexeme
);

-- The org of what is searched: the turns of calls. Null in every other entry.
alter table entries add column org text;
set local switchroom.erasing = 'on';
update entries set org = logs.org from logs where logs.id = entries.log and type in ('user.message', 'agent.message');

drop index entries_words;
-- Without a list of what is not sorted in yet, which every search would read and some append would have to sort in.
create index entries_words on entries using gin (org_words(org, entry::json -> 'data' ->> 'text'))
  with (fastupdate = off) where org is not null;
