-- An org's account at a carrier, a peer it dials through, or its number at the messaging platform.
create table carrier_accounts (
  org text not null references orgs,
  account text not null,
  kind text not null check (kind in ('apicarrier', 'sip', 'msgapp')),
  label text not null,
  -- Sealed: the fields of its kind, as JSON.
  sealed bytea not null,
  -- The networks of a SIP peer, as the org last sent them.
  networks text[] not null default '{}',
  -- Where the platform dials a SIP peer (its sealed outbound_host); null where the org said none, and of other kinds.
  dials_at text,
  -- The org forgot it; it stays until its last number is let go, because its pair and networks admit them.
  forgotten_at timestamptz,
  created_at timestamptz not null,
  ordinal bigint generated always as identity,
  primary key (org, account)
);

-- A network that an org sends calls from, and what the operator says of it.
create table networks (
  id text primary key,
  org text not null references orgs,
  network text not null,
  state text not null default 'waiting' check (state in ('waiting', 'approved', 'refused')),
  -- For whom it was asked: a SIP peer, or a hooked number.
  account text,
  number text,
  asked_at timestamptz not null,
  ordinal bigint generated always as identity,
  unique (org, network)
);
create index networks_by_state on networks (state, ordinal);

-- What the platform made at the carrier so that an org can dial through an account.
create table outbound_credentials (
  org text not null references orgs,
  account text not null,
  host text not null,
  username text not null,
  -- Sealed, and kept before the carrier hears it.
  password bytea not null,
  -- When the carrier had taken all of it.
  provisioned_at timestamptz,
  primary key (org, account)
);

alter table numbers
  drop constraint numbers_org_agent_fkey, -- a number may be routed before its agent is first declared
  -- The catalogue's carrier that a hooked number comes through.
  add column via text,
  -- The org's account that the number lives in.
  add column account text,
  -- The org's own networks that a hooked number comes from.
  add column networks text[] not null default '{}',
  -- When the media plane last admitted it; null while that is still to be done.
  add column admitted_at timestamptz,
  -- The environment it comes from while it moves, until the move has ended.
  add column moving_from text,
  -- When its hooking was asked for.
  add column asked_at timestamptz;
create index numbers_of_agent on numbers (org, env, agent, ordinal);

-- Phone numbers, each with the account that calls from it are placed through, or why none are.
create view from_numbers as
select n.org, n.env, n.agent, n.number, n.ordinal, a.account, a.kind,
  case
    when n.managed then 'bought'
    when n.origin = 'hooked' then 'hooked'
    when n.account is null then 'no_account'
    when a.account is null or a.forgotten_at is not null then 'forgotten'
    when a.kind = 'sip' and a.dials_at is null then 'no_host'
    when a.kind = 'apicarrier' and o.provisioned_at is null then 'not_provisioned'
  end as why_not
from numbers n
left join carrier_accounts a on a.org = n.org and a.account = n.account
left join outbound_credentials o on o.org = a.org and o.account = a.account
where n.channel = 'phone';

-- A number that is being bought: a slot of the quota, taken before the carrier is asked to sell.
create table number_purchases (
  id text primary key,
  org text not null references orgs,
  env text not null,
  agent text not null,
  -- What was searched for.
  asked text not null,
  -- Kept before it is paid for, so that nobody pays for a number nobody sees.
  number text,
  taken_at timestamptz not null
);
create index number_purchases_of_org on number_purchases (org, env);

-- Orgs of which the media plane has still to be told; told again until it took everything.
create table admissions_due (
  org text primary key references orgs,
  -- Counts what was asked, so that telling of an earlier change does not settle a later one.
  asked bigint not null default 1,
  since timestamptz not null
);

-- Fences of the embedded media plane: who may call which numbers, and whose workers answer.
create table fences (
  name text primary key,
  scope text not null,
  networks text[] not null check (cardinality(networks) > 0),
  numbers text[] not null check (cardinality(numbers) > 0),
  -- Sealed: the pair a SIP peer proves itself with.
  pair bytea,
  fleet text not null
);
create index fences_of_scope on fences (scope);
create index fences_by_number on fences using gin (numbers);

-- Who called or wrote to an org: no strangers to it.
create table known_contacts (
  org text not null references orgs,
  env text not null,
  contact text not null,
  first_at timestamptz not null,
  primary key (org, env, contact)
);
insert into known_contacts (org, env, contact, first_at)
  select org, env, contact, min(opened_at) from calls
  where contact is not null and direction = 'inbound' and channel in ('phone', 'msgapp')
  group by org, env, contact;

-- What was said of calling a number; never changed.
create table consents (
  ordinal bigint generated always as identity primary key,
  id text not null unique,
  org text not null references orgs,
  number text not null,
  fact text not null check (fact in ('consent', 'opt_out')),
  kind text check (kind in ('express', 'written')),
  source text,
  words text,
  evidence jsonb,
  by text not null,
  call text,
  at timestamptz not null,
  check ((fact = 'consent') = (kind is not null))
);
create index consents_of_number on consents (org, number, ordinal desc);

-- What stands for a number: its newest fact, by order of writing.
create table consent_standings (
  org text not null references orgs,
  number text not null,
  fact text not null,
  ordinal bigint not null references consents,
  primary key (org, number)
);
create index do_not_call on consent_standings (org, ordinal desc) where fact = 'opt_out';

-- Every dial asked for, taken or refused; never changed.
create table dials (
  ordinal bigint generated always as identity primary key,
  id text not null unique,
  org text not null references orgs,
  env text not null,
  agent text not null,
  kind text not null check (kind in ('dial', 'leg', 'transfer')),
  called text not null,
  caller text,
  call text,
  by text not null,
  outcome text not null check (outcome in ('taken', 'refused')),
  status integer not null,
  reason text,
  at timestamptz not null,
  check ((outcome = 'taken') = (reason is null))
);
create index dials_by_time on dials (org, env, at);
create index dials_taken_by_time on dials (org, env, at) where outcome = 'taken';
create index dials_taken on dials (org, env, called, at) where outcome = 'taken';
create index dials_listed on dials (org, env, ordinal desc);

create trigger consents_stay before update or delete or truncate on consents
  for each statement execute function refuse_change();
create trigger dials_stay before update or delete or truncate on dials
  for each statement execute function refuse_change();

-- What an org holds its own dials to; null is the deployment's default.
create table dialling_policies (
  org text primary key references orgs,
  calling_hours jsonb,
  consent_everywhere boolean,
  per_number_day integer,
  per_minute integer,
  per_day integer
);

-- What the operator holds an org's dials to; null is the deployment's default.
create table dialling_limits (
  org text primary key references orgs,
  dial_anywhere boolean,
  per_minute integer,
  per_day integer,
  max_duration_s integer
);

-- A member's own phone, and the code that was sent to one.
create table own_phones (
  org text not null,
  member text not null,
  number text not null,
  verified_at timestamptz not null,
  primary key (org, member)
);
create index own_phones_by_number on own_phones (number);
create table phone_codes (
  id text primary key,
  org text not null,
  member text not null,
  number text not null,
  digest bytea not null,
  tries integer not null default 0,
  asked_at timestamptz not null,
  expires_at timestamptz not null,
  -- Answered, or replaced by a newer one.
  spent boolean not null default false
);
create index phone_codes_of_member on phone_codes (org, member, asked_at);

-- Opens the log of one call to whoever was given it at the dial.
create table log_tokens (
  digest bytea primary key,
  call text not null references calls on delete cascade,
  -- Null: an hour after the call ended.
  expires_at timestamptz
);

-- A call that is dialled, from the dial on until a worker talks with whoever answered, or nobody will.
create table placements (
  call text primary key references calls on delete cascade,
  -- The gateway that places it; when that is lost, another ends the call.
  gateway text not null,
  -- The org's account that it leaves through.
  account text not null,
  max_duration_s integer not null,
  asked_at timestamptz not null,
  answered_at timestamptz,
  settled_at timestamptz
);
create index placements_open on placements (asked_at) where settled_at is null;

-- A call that the embedded media plane lays before its workers, and what the one that dials it told.
create table placement_offers (
  call text primary key references calls on delete cascade,
  org text not null,
  env text not null,
  -- Sealed: whom to call, from where, and through which trunk.
  sealed bytea not null,
  offered_at timestamptz not null,
  worker text,
  outcome text
);
create index placement_offers_open on placement_offers (env, offered_at) where worker is null and outcome is null;
create index placement_offers_by_age on placement_offers (offered_at);
