-- The ids of the vault keys that something may be sealed under: one, or two while the key is changed.
alter table deployment add column vault_keys text[];
-- The id of the key that a gateway seals with.
alter table gateways add column vault_key text;
