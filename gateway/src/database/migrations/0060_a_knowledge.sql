-- What agents answer from: bases of documents, which are read into chunks.
create table knowledge_bases (
  id text primary key,
  org text not null references orgs,
  env text not null check (env in ('sandbox', 'production')),
  base text not null,
  description text not null,
  -- Null: found in each document by itself.
  language text,
  -- What makes embeddings, as vendor/model; null: full text alone.
  embed text,
  -- The agents that may search it; null for every agent.
  agents text[],
  documents integer not null default 0,
  chunks integer not null default 0,
  bytes bigint not null default 0,
  -- Counted up by every change of what searches find, so that what a gateway keeps in memory is used only while it is so.
  generation bigint not null default 0,
  created_at timestamptz not null,
  changed_at timestamptz not null,
  unique (org, env, base)
);

create table knowledge_documents (
  id text primary key,
  base text not null references knowledge_bases on delete cascade,
  org text not null,
  env text not null,
  name text not null,
  format text not null check (format in ('markdown', 'text', 'html', 'pdf', 'docx', 'csv')),
  source text not null check (source in ('upload', 'text', 'url')),
  -- Without user, password and query values that look like secrets; the whole address is sealed.
  url text,
  sealed bytea,
  refetch_s integer,
  fetched_at timestamptz,
  state text not null check (state in ('queued', 'reading', 'ready', 'failed')),
  why text,
  -- Of the original, in the blob store.
  blob text,
  bytes bigint not null default 0,
  digest bytea,
  chunks integer not null default 0,
  -- Not read before; while a gateway reads it, when another may take it over. Null when there is nothing to do.
  due_at timestamptz,
  -- The gateway that reads it.
  reader text,
  attempts integer not null default 0,
  created_at timestamptz not null,
  changed_at timestamptz not null,
  unique (base, name)
);
create index knowledge_documents_due on knowledge_documents (due_at) where due_at is not null;
create index knowledge_documents_in_order on knowledge_documents (base, id);
create index knowledge_documents_of_org on knowledge_documents (org, env);

-- A document's chunks are swapped in one transaction.
create table knowledge_chunks (
  base text not null references knowledge_bases on delete cascade,
  document text not null references knowledge_documents on delete cascade,
  ordinal integer not null,
  -- Of document, heading and text: the same text in the same place keeps it.
  id text not null,
  heading text[] not null,
  text text not null,
  -- Of heading and text: a base shows the same text once.
  digest bytea not null,
  primary key (base, document, ordinal)
);
create index knowledge_chunks_of_document on knowledge_chunks (document);
