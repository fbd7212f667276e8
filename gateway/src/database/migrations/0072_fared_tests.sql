-- How versions fared is read without the calls of tests, from an index alone that says which those are. Where there are
-- calls, a running gateway changes the indexes (calls/backfills).
do $$
begin
  if not exists (select from calls) then
    drop index if exists calls_fared;
    create index calls_fared_with_tests on calls (org, agent, env, config_holder, config_version)
      include (errors, llm_timeouts, opened_at, ended_at, test);
  end if;
end
$$;
