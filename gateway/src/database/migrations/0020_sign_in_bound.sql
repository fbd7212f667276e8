-- Digest of the secret with which a terminal collects its key; null where the word alone collects it.
alter table pairings add column collect bytea;

-- Digest of the cookie of the browser that began the sign-in; null for a code that a key minted.
alter table login_codes add column browser bytea;
