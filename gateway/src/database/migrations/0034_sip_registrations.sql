-- Accounts whose user a worker keeps registered at the peer.
alter table carrier_accounts add column registers boolean not null default false;

-- Which worker keeps it registered, for how long no other may, and what the registrar says.
create table sip_registrations (
  org text not null,
  account text not null,
  worker text not null,
  leased_until timestamptz not null,
  state text not null default 'trying' check (state in ('trying', 'registered', 'refused')),
  until timestamptz,
  says text,
  primary key (org, account),
  foreign key (org, account) references carrier_accounts (org, account) on delete cascade
);
