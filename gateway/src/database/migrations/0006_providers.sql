-- What the platform runs calls on: one document, whole, in the operator's own order of names.
create table providers_row (
  only_row boolean primary key default true check (only_row),
  document json not null
);

-- A key an org brought for a vendor; the vendor need not be installed any more.
create table provider_keys (
  org text not null references orgs,
  vendor text not null,
  -- Sealed: the key, or the credentials, as they were sent.
  sealed bytea not null,
  primary key (org, vendor)
);
