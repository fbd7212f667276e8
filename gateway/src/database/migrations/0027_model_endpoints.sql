-- A model endpoint that an org runs or rents itself; its agents name it as custom/<name>.
create table model_endpoints (
  org text not null references orgs,
  env text not null check (env in ('sandbox', 'production')),
  name text not null,
  base_url text not null,
  wire text not null check (wire in ('chat', 'responses')),
  model text not null,
  -- Set for Azure's deployment form.
  azure_api_version text,
  -- Sealed: the key. Null for an endpoint that takes none.
  sealed bytea,
  created_at timestamptz not null,
  changed_at timestamptz not null,
  tried_at timestamptz not null,
  primary key (org, env, name)
);
