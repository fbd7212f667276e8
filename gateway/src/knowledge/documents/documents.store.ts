import type { DocumentFormat, DocumentSource, DocumentState } from '@switchroom/contract/knowledge-names'
import type { Environment } from '@switchroom/contract/scopes'
import { brokenConstraint, statement, type Queryable, type Transaction } from '../../database/database.ts'
import type { BlobPlace } from '../../foundation/blobs/blob-store.ts'
import { conflict, notFound } from '../../foundation/refusals.ts'

export interface DocumentRow {
  id: string
  name: string
  format: DocumentFormat
  source: DocumentSource
  url: string | null
  refetch_s: number | null
  fetched_at: string | null
  state: DocumentState
  why: string | null
  place: BlobPlace | null
  blob: string | null
  bytes: number
  /** In hex. */
  digest: string | null
  chunks: number
  created_at: string
  changed_at: string
}

const columns = `id, name, format, source, url, refetch_s, fetched_at, state, why, place, blob, bytes,
  encode(digest, 'hex') as digest, chunks, created_at, changed_at`

const page = statement<DocumentRow>(`
  select ${columns} from knowledge_documents
  where base = $1 and id > $2 and ($3::text is null or state = $3) and ($4::text is null or name = $4)
  order by id limit $5`)

export const listDocuments = (
  database: Queryable,
  base: string,
  wanted: { after: string; state: string | null; name: string | null; limit: number },
) => database.rows(page, base, wanted.after, wanted.state, wanted.name, wanted.limit)

const one = statement<DocumentRow>(`select ${columns} from knowledge_documents where base = $1 and id = $2`)

export const findDocument = (database: Queryable, base: string, id: string) => database.row(one, base, id)

const lock = statement<DocumentRow>(
  `select ${columns} from knowledge_documents where base = $1 and id = $2 for update`,
)

export const lockDocument = (tx: Transaction, base: string, id: string) => tx.row(lock, base, id)

/** What a document holds, and where that comes from. */
export interface Content {
  format: DocumentFormat
  source: DocumentSource
  url: string | null
  sealed: Buffer | null
  refetch_s: number | null
  /** None until the address is fetched. */
  place: BlobPlace | null
  blob: string | null
  bytes: number
  digest: Buffer | null
}

const valuesOf = (content: Content) => [
  content.format,
  content.source,
  content.url,
  content.sealed,
  content.refetch_s,
  content.place,
  content.blob,
  content.bytes,
  content.digest,
]

const insert = statement<DocumentRow>(`
  insert into knowledge_documents (id, base, org, env, name, format, source, url, sealed, refetch_s, place, blob, bytes,
    digest, is_fetch_due, state, due_at, created_at, changed_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $7 = 'url', 'queued', $15, $15, $15)
  returning ${columns}`)

export async function insertDocument(
  tx: Transaction,
  { id, name }: Pick<DocumentRow, 'id' | 'name'>,
  base: { id: string; org: string; env: Environment; base: string },
  content: Content,
  now: Date,
) {
  try {
    return await tx.row(insert, id, base.id, base.org, base.env, name, ...valuesOf(content), now)
  } catch (error) {
    const broken = brokenConstraint(error)
    if (broken === 'knowledge_documents_base_name_key')
      throw conflict(`base ${base.base} has a document ${name}: replace that one, or choose another name`)
    if (broken === 'knowledge_documents_base_fkey')
      throw notFound(`this org has no base ${base.base} in ${base.env}`)
    throw error
  }
}

const replace = statement<DocumentRow>(`
  update knowledge_documents
  set format = $2, source = $3, url = $4, sealed = $5, refetch_s = $6, place = $7, blob = $8, bytes = $9, digest = $10,
    is_fetch_due = $3 = 'url', etag = null, last_modified = null, fetched_at = null, read_digest = null,
    state = 'queued', why = null, due_at = $11, reader = null, attempts = 0, changed_at = $11
  where id = $1 returning ${columns}`)

export const replaceContent = (tx: Transaction, id: string, content: Content, now: Date) =>
  tx.row(replace, id, ...valuesOf(content), now)

const refetch = statement<DocumentRow>(`
  update knowledge_documents
  set is_fetch_due = true, state = 'queued', why = null, due_at = $2, reader = null, attempts = 0, changed_at = $2
  where id = $1 returning ${columns}`)

/** What searches find of it stays until it is read. */
export const requestFetch = (tx: Transaction, id: string, now: Date) => tx.row(refetch, id, now)

const remove = statement(`delete from knowledge_documents where id = $1`)

export const deleteDocument = (tx: Transaction, id: string) => tx.rows(remove, id)

export interface ElsewhereRow {
  id: string
  org: string
  format: DocumentFormat
  place: BlobPlace
  blob: string
}

const elsewhere = statement<ElsewhereRow>(`
  select id, org, format, place, blob from knowledge_documents
  where id > $1 and place = any($2::text[]) and blob is not null order by id limit $3`)

export const nextElsewhere = (
  database: Queryable,
  after: string,
  places: readonly BlobPlace[],
  limit: number,
) => database.rows(elsewhere, after, places, limit)

const move = statement<{ id: string }>(`
  update knowledge_documents set place = $4, blob = $5 where id = $1 and place = $2 and blob = $3 returning id`)

/** False if it is there no longer. */
export const moveOriginal = async (
  tx: Transaction,
  { id, place, blob }: ElsewhereRow,
  to: { place: BlobPlace; blob: string },
) => (await tx.row(move, id, place, blob, to.place, to.blob)) !== undefined
