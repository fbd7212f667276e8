-- A send that the messaging platform did not take at once is tried again, and what the platform reports later is kept.
alter table sends add column attempts integer not null default 1;
alter table sends add column first_attempted_at timestamptz;
-- Not attempted again before; null while an attempt is under way, and after the last.
alter table sends add column retry_at timestamptz;
-- What the platform reported last: sent, failed, delivered or read.
alter table sends add column status text check (status in ('sent', 'failed', 'delivered', 'read'));
-- Of a failed one: the platform's code and words.
alter table sends add column error jsonb;
-- A reaction names the message it is for by the platform's id.
create index sends_by_platform_id on sends (platform_id) where platform_id is not null;

-- An older call of the same contact sends first.
create index sendings_of_contact on sendings (org, phone_number_id, contact);

-- Null for a contact who was sent a template and never wrote.
alter table conversations alter column wrote_at drop not null;

-- Voice notes that are not transcribed yet, and what their contacts wrote after them.
create table untranscribed_messages (
  ordinal bigint generated always as identity primary key,
  org text not null references orgs,
  env text not null,
  number text not null,
  contact text not null,
  message_id text not null,
  -- The recording's id at the platform; null for a message that waits behind a voice note.
  media_id text,
  message jsonb not null,
  -- The gateway that transcribes the conversation's notes.
  gateway text not null,
  attempts integer not null default 0,
  retry_at timestamptz,
  unique (org, message_id)
);
create index untranscribed_messages_of_contact on untranscribed_messages (org, env, number, contact, ordinal);
