-- Counts the changes to what an org's calls are resolved from, so that a gateway knows whether what it remembers of
-- them still holds. Counted as the transaction commits: whoever changes settings holds the row for no longer.
create table settings_epochs (
  org text primary key references orgs on delete cascade,
  epoch bigint not null
);

create function count_settings_change() returns trigger language plpgsql as $$
begin
  insert into settings_epochs (org, epoch) values (case tg_op when 'DELETE' then old.org else new.org end, 1)
  on conflict (org) do update set epoch = settings_epochs.epoch + 1;
  return null;
end $$;

create constraint trigger agents_counted after insert or update or delete on agents
  deferrable initially deferred for each row execute function count_settings_change();
create constraint trigger versions_counted after insert or update or delete on versions
  deferrable initially deferred for each row execute function count_settings_change();
create constraint trigger canaries_counted after insert or update or delete on canaries
  deferrable initially deferred for each row execute function count_settings_change();
create constraint trigger org_judging_counted after insert or update or delete on org_judging
  deferrable initially deferred for each row execute function count_settings_change();
-- Only which there are: a key may be sealed anew, and an endpoint tried, without a change to any call.
create constraint trigger provider_keys_counted after insert or delete or update of org, vendor on provider_keys
  deferrable initially deferred for each row execute function count_settings_change();
create constraint trigger environment_provider_keys_counted
  after insert or delete or update of org, env, vendor on environment_provider_keys
  deferrable initially deferred for each row execute function count_settings_change();
create constraint trigger model_endpoints_counted after insert or delete or update of org, env, name on model_endpoints
  deferrable initially deferred for each row execute function count_settings_change();
