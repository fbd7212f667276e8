-- Keeps deployments apart that share a Redis.
alter table deployment add column id uuid not null default gen_random_uuid();

-- Which tokens are over, and which live as long as their calls, without reading all calls. Where there are tokens, a
-- running gateway makes it, because nobody can be given one meanwhile.
do $$
begin
  if not exists (select from log_tokens) then
    create index log_tokens_by_end on log_tokens (expires_at);
  end if;
end
$$;
