-- A number is E.164, or an extension of a SIP account: its key names the account and the org, so that no other org can
-- take it, and each org has its own.
alter table numbers add constraint numbers_are_keyed check (
  position('@' in number) = 0 or (
    channel = 'phone' and origin = 'imported' and not managed and account is not null
    and number ~ '^[0-9]{1,8}@' and substr(number, position('@' in number) + 1) = account || '/' || org));

-- Which extensions agents may dial at a SIP account, as `105` or `100-199`.
alter table carrier_accounts add column dial_extensions text[] not null default '{}';
