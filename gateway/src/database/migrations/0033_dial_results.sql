-- What a worker reported of a dial that was not answered.
alter table placement_offers add column sip_status integer, add column sip_reason text, add column why text;

-- How each dial of the ledger went, written once: the ledger's own rows are never changed.
create table dial_results (
  call text primary key,
  outcome text not null,
  -- The far end's final answer, if it refused.
  sip_status integer,
  sip_reason text,
  -- In words; null if the call was answered.
  why text,
  at timestamptz not null
);

create trigger dial_results_stay before update or delete or truncate on dial_results
  for each statement execute function refuse_change();
