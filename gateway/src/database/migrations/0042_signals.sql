-- Keeps deployments apart that share a Redis.
alter table deployment add column id uuid not null default gen_random_uuid();
