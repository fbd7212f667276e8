-- What is still to be added to an account's credits: a charge is negative. Rows are only inserted until they are summed
-- into the account, so that a charge waits for no other. No foreign key: its check would lock a row of the org.
create table credit_changes (
  org text not null,
  id bigint generated always as identity,
  credits numeric(24, 9) not null check (credits <> 'NaN'),
  primary key (org, id)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

-- Sums the changes of these orgs into their accounts, and answers how many. An account that another transaction has
-- locked is left out. Only who has locked an account deletes its changes; each statement sees what was committed before it.
create function settle_credits(of_orgs text[]) returns integer language plpgsql as $$
declare
  locked text[];
begin
  select coalesce(array_agg(org), '{}') into locked
  from (select org from accounts where org = any(of_orgs) order by org for no key update skip locked) as free;
  with settled as (delete from credit_changes where org = any(locked) returning org, credits),
    sums as (select org, sum(credits) as credits from settled group by org)
  update accounts set credits = accounts.credits + sums.credits from sums where accounts.org = sums.org;
  return cardinality(locked);
end
$$;

-- Takes the credits if the account with its changes has as many.
create function take_credits(of_org text, wanted numeric) returns boolean language plpgsql as $$
declare
  available numeric;
  changed numeric;
  is_enough boolean;
begin
  select credits into available from accounts where org = of_org for no key update;
  if available is null then return false; end if;
  with settled as (delete from credit_changes where org = of_org returning credits)
  select coalesce(sum(credits), 0) into changed from settled;
  is_enough := available + changed >= wanted;
  update accounts set credits = available + changed - case when is_enough then wanted else 0 end
  where org = of_org and (is_enough or changed <> 0);
  return is_enough;
end
$$;
