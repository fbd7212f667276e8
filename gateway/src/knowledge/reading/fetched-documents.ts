import { createHash } from 'node:crypto'
import type { DocumentFormat } from '@switchroom/contract/knowledge-names'
import type { Database } from '../../database/database.ts'
import type { Clock } from '../../foundation/clock.ts'
import type { PublicAddresses } from '../../foundation/public-addresses.ts'
import type { Vault } from '../../foundation/sealing.ts'
import type { Bases } from '../bases/bases.ts'
import type { SealedAddress } from '../documents/document-fields.ts'
import { formatOfMediaType, formatOfName, mediaTypeOf } from '../documents/document-formats.ts'
import { placeOf } from '../documents/documents.ts'
import type { Originals } from '../documents/originals.ts'
import type { SearchedBase } from '../passages.ts'
import { fetchPage, type FetchedPage } from './page-fetch.ts'
import * as store from './queue.store.ts'
import { Unreadable } from './reading-process.ts'

export interface FetchedDocumentParts {
  database: Database
  clock: Clock
  vault: Vault
  publicAddresses: PublicAddresses
  bases: Bases
  originals: Originals
}

/** What a document holds now. */
export interface CurrentContent {
  format: DocumentFormat
  content: Buffer
}

/** Documents from addresses: each is kept as it was fetched, and not read anew if it is as before. */
export class FetchedDocuments {
  readonly #parts: FetchedDocumentParts

  constructor(parts: FetchedDocumentParts) {
    this.#parts = parts
  }

  /** Whether the address is asked before it is read: not yet, again by hand, or because its time has come. */
  isDue({ sealed, blob, is_fetch_due, was }: store.ClaimedDocument): boolean {
    return sealed !== null && (blob === null || is_fetch_due || was === 'ready' || was === 'failed')
  }

  /** Undefined if what was read is still what the address answers, or the document is another's by now. */
  async fetch(
    base: SearchedBase,
    document: store.ClaimedDocument,
    claim: store.Claim,
    signal: AbortSignal,
  ): Promise<CurrentContent | undefined> {
    const { database, clock, vault, publicAddresses } = this.#parts
    const { id, sealed } = document
    if (sealed === null) throw new Error('a document that is fetched has an address')
    const address = JSON.parse(vault.open(sealed, placeOf(id))) as SealedAddress
    const isRead = document.digest !== null && document.digest === document.read_digest
    const known = isRead
      ? { etag: document.etag, lastModified: document.last_modified }
      : { etag: null, lastModified: null }
    const page = await fetchPage(publicAddresses, { ...address, ...known }, signal)
    const digest = page && createHash('sha256').update(page.content).digest('hex')
    if (!page || (isRead && digest === document.digest)) {
      await database.transaction(async (tx) => {
        if (await store.lockClaimed(tx, claim)) await store.settleUnchanged(tx, id, clock.now())
      })
      return undefined
    }
    const format = formatOf(address, page)
    return (await this.#keep(base, claim, format, page)) ? { format, content: page.content } : undefined
  }

  async #keep(base: SearchedBase, claim: store.Claim, format: DocumentFormat, page: FetchedPage) {
    const { database, clock, bases, originals } = this.#parts
    const original = await originals.put(base.org, once(page.content), mediaTypeOf[format])
    try {
      const isKept = await database.transaction(async (tx) => {
        const before = await store.lockClaimed(tx, claim)
        if (!before) return false
        await store.keepFetched(tx, claim.id, { format, ...original, ...page }, clock.now())
        await originals.name(tx, original)
        await bases.count(tx, base, { bytes: original.bytes - before.bytes })
        return true
      })
      await originals.drop(isKept ? [] : [original]) // with what it replaced
      return isKept
    } catch (error) {
      await originals.drop([original])
      throw error
    }
  }
}

/** As the person said, else as the server says; of plain text the name may say more. */
function formatOf({ format, url }: SealedAddress, { mediaType }: FetchedPage): DocumentFormat {
  const named = formatOfName(new URL(url).pathname)
  const said = formatOfMediaType(mediaType)
  const known = format ?? (said === 'text' ? (named ?? said) : (said ?? named))
  if (known) return known
  const type = (mediaType ?? 'no content-type').slice(0, 100)
  throw new Unreadable(`it is sent as ${type}, which is no format of documents: name its format`)
}

async function* once(content: Buffer) {
  yield content
}
