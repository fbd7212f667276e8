-- What a listing of calls looks for: those that go on, one channel's, and a number by its first digits.
create index calls_going on calls (org, env, ordinal desc) where state <> 'ended';
create index calls_of_channel on calls (org, env, channel, ordinal desc);
create index calls_by_caller on calls (org, caller collate "C") where caller is not null;
create index calls_by_called on calls (org, called collate "C") where called is not null;

-- What an agent's own log says of people, in the order in which callbacks are listed.
create index entries_of_people on entries (log, ts, seq)
  where type in ('callback.requested', 'message.waiting', 'message.taken');

-- Whether the call's entries are gone for their age.
alter table calls add column forgotten boolean not null default false;
create index calls_to_forget on calls (ended_at) where ended_at is not null and not forgotten;

-- The newest night whose run was begun: one gateway takes it, and another takes up what a dead one left.
create table retention_run (
  only_row boolean primary key default true check (only_row),
  night date not null,
  begun_at timestamptz not null,
  ended_at timestamptz
);
