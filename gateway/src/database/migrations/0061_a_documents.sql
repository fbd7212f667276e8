-- Where the original of a document is kept, what its server said of it, and what an org holds of documents.
alter table knowledge_documents
  add column place text,
  add column etag text,
  add column last_modified text,
  -- Its address is asked again before it is read.
  add column is_fetch_due boolean not null default false;

-- The org whose turn it is is found by its first document that waits.
create index knowledge_documents_waiting on knowledge_documents (org, due_at) where due_at is not null;

-- What is only counted: the last lock of a transaction.
create table knowledge_held (
  org text primary key references orgs,
  bases integer not null default 0,
  documents integer not null default 0,
  bytes bigint not null default 0,
  chunks integer not null default 0
);

-- When a document of the org was last taken to be read, so that orgs take turns.
create table knowledge_turns (
  org text primary key references orgs,
  taken_at timestamptz not null
);

-- Whatever deletes or replaces a document leaves its original here in the same transaction.
create function remove_document_blob() returns trigger language plpgsql as $$
begin
  insert into blob_removals (place, key, due_at) values (old.place, old.blob, '-infinity')
  on conflict (place, key) do update set due_at = excluded.due_at;
  return null;
end
$$;
create trigger document_deleted after delete on knowledge_documents for each row
when (old.blob is not null) execute function remove_document_blob();
create trigger document_replaced after update on knowledge_documents for each row
when (old.blob is not null and (old.place, old.blob) is distinct from (new.place, new.blob))
execute function remove_document_blob();
