-- Whether a run of scenarios made the call, and no caller: it counts for nothing that counts calls.
alter table calls add column test boolean not null default false;

do $$
begin
  if not exists (select from calls) then
    create index calls_of_tests on calls (org, env, ordinal desc) where test;
  end if;
end
$$;
