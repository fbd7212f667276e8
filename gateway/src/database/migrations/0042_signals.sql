-- Keeps deployments apart that share a Redis.
alter table deployment add column id uuid not null default gen_random_uuid();

-- Which tokens are over, and which live as long as their calls, without reading all calls.
create index log_tokens_by_end on log_tokens (expires_at);
