-- A sign-in that a browser began at an org's provider, until its callback spends it.
create table sso_sign_ins (
  digest bytea primary key,
  org text not null references orgs,
  issuer text not null,
  -- Digest of the cookie of the browser that began it.
  browser bytea not null,
  -- Sealed: the nonce, the PKCE verifier and the word of a terminal that waits.
  secrets bytea not null,
  expires_at timestamptz not null
);
create index sso_sign_ins_to_forget on sso_sign_ins (expires_at);
