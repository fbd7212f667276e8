-- A message of the messaging platform, read once however often it is delivered: the insert is the claim.
create table message_claims (
  org text not null references orgs,
  message_id text not null,
  claimed_at timestamptz not null,
  -- When it was put on its conversation's queue, or kept for nobody.
  read_at timestamptz,
  primary key (org, message_id)
);
create index message_claims_by_age on message_claims (claimed_at);

-- A delivery names the number it came to by its id at the platform, which is its account's name.
create index numbers_by_account on numbers (account) where channel = 'msgapp';

-- One contact writing with one number, and the call in which that happens.
create table conversations (
  org text not null references orgs,
  env text not null,
  number text not null,
  contact text not null,
  -- As the platform last named the contact.
  name text,
  -- The number's id at the platform, which answers go out from.
  phone_number_id text not null,
  call text references calls on delete set null,
  -- When the contact last wrote: the platform lets nobody answer a day after.
  wrote_at timestamptz not null,
  primary key (org, env, number, contact)
);
create index conversations_of_call on conversations (call) where call is not null;

-- What waits on an agent's own log for an app to hold the agent: an index of its entries.
create table waiting_messages (
  org text not null references orgs,
  env text not null,
  agent text not null,
  message_id text not null,
  number text not null,
  contact text not null,
  sent_at timestamptz not null,
  message jsonb not null,
  ordinal bigint generated always as identity,
  primary key (org, message_id)
);
create index waiting_messages_of_agent on waiting_messages (org, env, agent, ordinal);
create index waiting_messages_of_contact on waiting_messages (org, contact);

-- Who brings the agent's turns of a messaging call to the platform: gone once the call has ended and they all went.
create table sendings (
  call text primary key references calls on delete cascade,
  org text not null references orgs,
  -- Where they go out from, and to whom.
  phone_number_id text not null,
  contact text not null,
  -- The gateway that sends; empty where none does.
  sender text not null
);

-- A part of an agent's turn on its way to the platform.
create table sends (
  call text not null references calls on delete cascade,
  seq bigint not null,
  part integer not null,
  -- Written before the platform is asked: what is not settled after a crash may have been heard.
  attempted_at timestamptz not null,
  settled_at timestamptz,
  -- The platform's own id of it; null when it was refused.
  platform_id text,
  primary key (call, seq, part)
);

-- A desk lists an agent's calls by whom they are with.
create index calls_of_threads on calls (org, env, agent, contact, ordinal) where contact is not null;

-- How far a person has read a contact's thread.
create table thread_reads (
  org text not null references orgs,
  env text not null,
  agent text not null,
  contact text not null,
  member text not null references members on delete cascade,
  read_at timestamptz not null,
  primary key (org, env, agent, contact, member)
);
