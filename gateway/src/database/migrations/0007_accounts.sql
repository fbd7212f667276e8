-- What an org pays with. A credit is a US cent; a price of one token needs more decimals than a cent has.
create table accounts (
  org text primary key references orgs,
  plan text not null check (plan in ('free', 'pro', 'enterprise')),
  subscribed boolean not null,
  credits numeric(24, 9) not null check (credits <> 'NaN')
);

insert into accounts (org, plan, subscribed, credits) select id, 'pro', true, 1000 from orgs;
