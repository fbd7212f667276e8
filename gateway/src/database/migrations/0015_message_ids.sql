-- A worker may name a message by more than an index holds; clients of a chat by 64 characters at most.
drop index entries_sent;
create index entries_sent on entries (log, left(entry::json -> 'data' ->> 'messageId', 64))
  where type = 'user.message';
