-- When a worker first answered the browser: from then on the token reconnects the running call, and opens nothing else.
alter table browser_calls add column answered_at timestamptz;
alter table browser_calls add column reconnects integer not null default 0;
