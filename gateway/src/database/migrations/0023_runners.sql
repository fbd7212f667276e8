-- The key that runs a spoken call: `fleet`, or the id of the org's server token. Null for calls from before.
alter table calls add column runner text;

-- The gateway that reads a message. Null for claims from before, of which nobody knows who reads.
alter table message_claims add column gateway text;
