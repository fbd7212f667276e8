-- What the maker of a server token held when they made it; what they hold now is read at every request.
alter table keys
  add column maker_held_providers boolean not null default false,
  add column maker_held_production boolean not null default false;

-- Of tokens that are here already only the present is known, so they are taken as made by it.
update keys k set maker_held_providers = true, maker_held_production = m.production
from members m
where k.kind = 'server' and m.id = k.created_by and m.role in ('admin', 'manager');
update keys set maker_held_providers = true, maker_held_production = true
where kind = 'server' and (created_by = 'operator' or created_by like 'operator:%');

-- A key an org brought for a vendor in one environment alone; there it stands before the one for both.
create table environment_provider_keys (
  org text not null references orgs,
  env text not null check (env in ('sandbox', 'production')),
  vendor text not null,
  -- Sealed: the key, or the credentials, as they were sent.
  sealed bytea not null,
  primary key (org, env, vendor)
);
