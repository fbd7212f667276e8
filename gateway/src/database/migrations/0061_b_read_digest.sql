-- Of the content that its chunks were made of: an address that answers the same again is not read anew.
alter table knowledge_documents add column read_digest bytea;
