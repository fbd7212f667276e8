import { randomBytes } from 'node:crypto'
import type { Readable } from 'node:stream'
import {
  type AddedDocuments,
  type CreateDocument,
  type DocumentList,
  type DocumentsAsked,
  type KnowledgeDocument,
  type ReplaceDocument,
} from '@switchroom/contract/knowledge'
import { documentStates } from '@switchroom/contract/knowledge-names'
import { recordAudit } from '../../audit/recording.ts'
import type { BlobLedger } from '../../database/blobs/blob-ledger.ts'
import type { Database } from '../../database/database.ts'
import type { Caller } from '../../foundation/caller.ts'
import type { Clock } from '../../foundation/clock.ts'
import { cursorOf, placeIn } from '../../foundation/cursors.ts'
import { badRequest, conflict, notFound } from '../../foundation/refusals.ts'
import type { SealedPlace, Vault } from '../../foundation/sealing.ts'
import { type BaseRow, type Bases } from '../bases/bases.ts'
import { addressFieldsOf, nameOf, nameOfAddress, nameOfFile } from './document-fields.ts'
import { formatFrom, formatOfName, mediaTypeOf } from './document-formats.ts'
import * as store from './documents.store.ts'
import type { Original, Originals } from './originals.ts'
import { readForm } from './uploads.ts'

/** An address with its headers is opened only where it was sealed. */
export const placeOf = (document: string): SealedPlace => `knowledge_documents:sealed:${document}`

export interface DocumentParts {
  database: Database
  clock: Clock
  vault: Vault
  blobLedger: Pick<BlobLedger, 'removeDueNow'>
  bases: Bases
  originals: Originals
}

/** An upload as it comes: a form of files. */
export interface Form {
  body: Readable
  contentType: string
}

interface NewDocument {
  id: string
  name: string
  content: store.Content
}

/** What a base holds: each document is kept as it came and read into chunks later. */
export class Documents {
  readonly #parts: DocumentParts

  constructor(parts: DocumentParts) {
    this.#parts = parts
  }

  async list(caller: Caller, base: string, asked: DocumentsAsked): Promise<DocumentList> {
    const { database, bases } = this.#parts
    const { state = null, name = null } = asked
    if (state !== null && !documentStates.some((known) => known === state))
      throw badRequest(`state is one of ${documentStates.join(', ')} (got ${state.slice(0, 40)})`)
    const limit = Number(asked.limit ?? 50)
    if (!Number.isInteger(limit) || limit < 1 || limit > 200)
      throw badRequest(`limit must be between 1 and 200 (got ${asked.limit})`)
    const [after] = asked.after === undefined ? [''] : placeIn(asked.after, 'text')
    const { id } = await bases.find(caller, base)
    const rows = await store.listDocuments(database, id, { after, state, name, limit: limit + 1 })
    const last = rows.length > limit ? rows[limit - 1] : undefined
    return { documents: rows.slice(0, limit).map(shown), next: last ? cursorOf(last.id) : null }
  }

  async read(caller: Caller, base: string, id: string): Promise<KnowledgeDocument> {
    return shown((await this.#find(caller, base, id)).row)
  }

  async download(caller: Caller, base: string, id: string) {
    const { row } = await this.#find(caller, base, id)
    const { place, blob, name, format, bytes } = row
    if (place === null || blob === null)
      throw conflict(`document ${id} was not fetched yet: look at its state`)
    const content = await this.#parts.originals.read({ place, blob })
    if (!content) throw unknownDocument(base, id)
    return { name, bytes, mediaType: mediaTypeOf[format], content }
  }

  async add(caller: Caller, base: string, wanted: CreateDocument | Form): Promise<AddedDocuments> {
    const row = await this.#parts.bases.findToChange(caller, base)
    return this.#keeping(async (originals) => {
      const added =
        'body' in wanted
          ? await this.#uploaded(row, wanted, originals)
          : [await this.#described(row, wanted, originals)]
      return { documents: await this.#insert(caller, row, added, originals) }
    })
  }

  /** What searches find of the old content stays until the new one is read. */
  async replace(caller: Caller, base: string, id: string, wanted: ReplaceDocument | Form) {
    const { bases } = this.#parts
    const row = await bases.findToChange(caller, base)
    const { name } = await this.#rowOf(row, id)
    return this.#keeping(async (originals) => {
      const [content, ...more] =
        'body' in wanted
          ? (await this.#uploaded(row, wanted, originals, id)).map((uploaded) => uploaded.content)
          : [(await this.#described(row, { ...wanted, name }, originals, id)).content]
      if (!content || more.length > 0) throw badRequest('a document is replaced by one file')
      return this.#replace(caller, row, id, content, originals)
    })
  }

  async remove(caller: Caller, base: string, id: string): Promise<void> {
    const { database, bases, blobLedger } = this.#parts
    const row = await bases.findToChange(caller, base)
    await database.transaction(async (tx) => {
      const document = await store.lockDocument(tx, row.id, id)
      if (!document) throw unknownDocument(base, id)
      await store.deleteDocument(tx, id)
      await recordAudit(tx, caller, 'document.deleted', targetOf(document), {
        env: caller.env,
        detail: { base },
      })
      const { bytes, chunks } = document
      await bases.count(tx, row, { documents: -1, bytes: -bytes, chunks: -chunks }, true)
    })
    await blobLedger.removeDueNow()
  }

  async refetch(caller: Caller, base: string, id: string): Promise<KnowledgeDocument> {
    const { database, bases, clock } = this.#parts
    const row = await bases.findToChange(caller, base)
    return database.transaction(async (tx) => {
      const document = await store.lockDocument(tx, row.id, id)
      if (!document) throw unknownDocument(base, id)
      if (document.source !== 'url')
        throw conflict(`document ${id} was not fetched from an address: replace it instead`)
      const queued = written(await store.requestFetch(tx, id, clock.now()))
      await recordAudit(tx, caller, 'document.refetched', targetOf(queued), {
        env: caller.env,
        detail: { base },
      })
      tx.afterCommit(() => bases.onQueued())
      return shown(queued)
    })
  }

  /** Removes what was kept for rows that were never written. */
  async #keeping<Answer>(work: (originals: Original[]) => Promise<Answer>): Promise<Answer> {
    const originals: Original[] = []
    try {
      const answer = await work(originals)
      await this.#parts.blobLedger.removeDueNow()
      return answer
    } catch (error) {
      await this.#parts.originals.drop(originals)
      throw error
    }
  }

  async #uploaded({ org }: BaseRow, { body, contentType }: Form, originals: Original[], replaced?: string) {
    const form = await readForm(body, contentType, async ({ name, content }) => {
      const original = await this.#parts.originals.put(org, content, 'application/octet-stream')
      originals.push(original)
      return { name, original }
    })
    const { name: said, format } = form.fields
    if (form.kept.length === 0)
      throw badRequest('the upload has no file: send it as a part of the form with a name')
    if (said !== undefined && form.kept.length > 1) throw badRequest('name is for an upload of one file')
    return form.kept.map(({ name: path, original }): NewDocument => {
      const name = said === undefined ? path : nameOfFile(said)
      const from = { source: 'upload', url: null, sealed: null, refetch_s: null } as const
      const content = { format: formatFrom(format, path), ...from, ...original }
      return { id: replaced ?? newDocumentId(), name, content }
    })
  }

  async #described(
    { org }: BaseRow,
    { name: said, format, text, url, headers, refetch_s }: CreateDocument,
    originals: Original[],
    id = newDocumentId(),
  ): Promise<NewDocument> {
    if ((text === undefined) === (url === undefined))
      throw badRequest('a document has either a text or a url; a file is uploaded as multipart/form-data')
    if (url !== undefined) {
      const { vault } = this.#parts
      const fields = addressFieldsOf({ url, format, headers, refetch_s })
      const sealed = vault.seal(JSON.stringify(fields.sealed), placeOf(id))
      const { pathname } = new URL(fields.sealed.url)
      const known = fields.sealed.format ?? formatOfName(pathname) ?? 'html'
      const from = { source: 'url', url: fields.url, sealed, refetch_s: fields.refetch_s } as const
      const name = said === undefined ? nameOfAddress(fields.sealed.url) : nameOf(said)
      return {
        id,
        name,
        content: { format: known, ...from, place: null, blob: null, bytes: 0, digest: null },
      }
    }
    if (headers !== undefined || (refetch_s ?? null) !== null)
      throw badRequest('headers and refetch_s are for a document from a url')
    if (said === undefined) throw badRequest('name is needed: such as prices.md')
    const name = nameOf(said)
    const known = format === undefined ? (formatOfName(name) ?? 'text') : formatFrom(format, name)
    if (known === 'pdf' || known === 'docx') throw badRequest(`a ${known} document is uploaded as a file`)
    const original = await this.#parts.originals.put(org, once(Buffer.from(text ?? '')), mediaTypeOf[known])
    originals.push(original)
    return {
      id,
      name,
      content: { format: known, source: 'text', url: null, sealed: null, refetch_s: null, ...original },
    }
  }

  #insert(caller: Caller, row: BaseRow, added: readonly NewDocument[], originals: readonly Original[]) {
    const { database, bases, clock } = this.#parts
    return database.transaction(async (tx) => {
      const documents: KnowledgeDocument[] = []
      let bytes = 0
      for (const { id, name, content } of added) {
        const inserted = written(await store.insertDocument(tx, { id, name }, row, content, clock.now()))
        const { format, source } = content
        const detail = { base: row.base, format, source, bytes: content.bytes }
        await recordAudit(tx, caller, 'document.created', targetOf(inserted), { env: caller.env, detail })
        documents.push(shown(inserted))
        bytes += content.bytes
      }
      for (const original of originals) await this.#parts.originals.name(tx, original)
      await bases.count(tx, row, { documents: added.length, bytes })
      tx.afterCommit(() => bases.onQueued())
      return documents
    })
  }

  #replace(caller: Caller, row: BaseRow, id: string, content: store.Content, originals: readonly Original[]) {
    const { database, bases, clock } = this.#parts
    return database.transaction(async (tx) => {
      const before = await store.lockDocument(tx, row.id, id)
      if (!before) throw unknownDocument(row.base, id)
      const replaced = written(await store.replaceContent(tx, id, content, clock.now()))
      const detail = { base: row.base, bytes: { before: before.bytes, after: content.bytes } }
      await recordAudit(tx, caller, 'document.replaced', targetOf(replaced), { env: caller.env, detail })
      for (const original of originals) await this.#parts.originals.name(tx, original)
      await bases.count(tx, row, { bytes: content.bytes - before.bytes })
      tx.afterCommit(() => bases.onQueued())
      return shown(replaced)
    })
  }

  async #find(caller: Caller, base: string, id: string) {
    const row = await this.#parts.bases.find(caller, base)
    return { base: row, row: await this.#rowOf(row, id) }
  }

  async #rowOf({ id: base, base: name }: BaseRow, id: string): Promise<store.DocumentRow> {
    const row = await store.findDocument(this.#parts.database, base, id)
    if (!row) throw unknownDocument(name, id)
    return row
  }
}

/** In the order of their making, by which they are listed. */
const newDocumentId = () => `doc_${Date.now().toString(36)}${randomBytes(6).toString('hex')}`

const targetOf = ({ id, name }: Pick<store.DocumentRow, 'id' | 'name'>) =>
  ({ kind: 'document', id, label: name }) as const

/** Every field is named here, so that what is sealed can never be among them. */
const shown = (row: store.DocumentRow): KnowledgeDocument => ({
  id: row.id,
  name: row.name,
  format: row.format,
  source: row.source,
  url: row.url,
  refetch_s: row.refetch_s,
  fetched_at: row.fetched_at,
  state: row.state,
  why: row.why,
  bytes: row.bytes,
  digest: row.digest,
  chunks: row.chunks,
  created_at: row.created_at,
  changed_at: row.changed_at,
})

const unknownDocument = (base: string, id: string) => notFound(`base ${base} has no document ${id}`)

async function* once(content: Buffer) {
  yield content
}

function written(row: store.DocumentRow | undefined): store.DocumentRow {
  if (!row) throw new Error('a locked or inserted document is answered')
  return row
}
