-- How the calls of a fence come: encrypted or not, and how numbers are written. Nothing in it is a secret.
alter table fences add column terms jsonb not null default '{}';
