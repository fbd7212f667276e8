-- What a recording is coded in, and the loudest sample of each stretch of it, one byte a side: the caller's, the agent's.
alter table recordings add column format text not null default 'wav', add column peaks bytea;

create or replace function name_replaced_recording() returns trigger language plpgsql as $$
begin
  new.place := 'folder';
  new.blob := null;
  new.format := 'wav';
  new.peaks := null;
  return new;
end
$$;
