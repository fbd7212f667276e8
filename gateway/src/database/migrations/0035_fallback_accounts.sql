-- The org's accounts that a call from the number is placed through if those before it cannot carry it, in this order.
alter table numbers add column fallback_accounts text[] not null default '{}';

create or replace view from_numbers as
select n.org, n.env, n.agent, n.number, n.ordinal, a.account, a.kind,
  case
    when n.managed then 'bought'
    when n.origin = 'hooked' then 'hooked'
    when n.account is null then 'no_account'
    when a.account is null or a.forgotten_at is not null then 'forgotten'
    when a.kind = 'sip' and a.dials_at is null then 'no_host'
    when a.kind = 'apicarrier' and o.provisioned_at is null then 'not_provisioned'
  end as why_not,
  n.fallback_accounts
from numbers n
left join carrier_accounts a on a.org = n.org and a.account = n.account
left join outbound_credentials o on o.org = a.org and o.account = a.account
where n.channel = 'phone';

-- Through which account the call went in the end, and why those before it could not carry it.
alter table placement_offers add column account text, add column failed_accounts jsonb not null default '[]';
alter table dial_results add column account text, add column failed_accounts jsonb not null default '[]';
