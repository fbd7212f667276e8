import type { CallBase } from '@switchroom/contract/knowledge'
import type { Database } from '../../database/database.ts'
import type { SearchReach } from '../passages.ts'
import * as store from './whole-bases.store.ts'

export type { FoundBase } from './whole-bases.store.ts'

/** As `knowledge` of an agent's settings may have. */
export const longestWhole = 100_000
const mostChunks = 5_000
/** Of all bases that this gateway remembers, in characters. */
const mostRemembered = 5_000_000

type Documents = CallBase['documents']

/** Bases small enough to be read whole, remembered for as long as nothing in them changes. */
export class WholeBases {
  readonly #database: Database
  /** By id, the one that was used last at the end. */
  readonly #read = new Map<string, { generation: string; documents: Documents | null; size: number }>()
  #remembered = 0

  constructor(database: Database) {
    this.#database = database
  }

  /** By name, those of these that there are for this reach. */
  async find(reach: SearchReach, bases: readonly string[]): Promise<Map<string, store.FoundBase>> {
    if (bases.length === 0) return new Map()
    const found = await store.findBases(this.#database, reach, bases)
    return new Map(found.map((base) => [base.base, base]))
  }

  /** Null if it is too large for that. */
  async read({ id, generation }: store.FoundBase): Promise<Documents | null> {
    const known = this.#read.get(id)
    if (known?.generation === generation) {
      this.#read.delete(id)
      this.#read.set(id, known)
      return known.documents
    }
    const documents = documentsOf(await store.readChunks(this.#database, id, mostChunks + 1))
    this.#remember(id, { generation, documents, size: lengthOf(documents ?? []) })
    return documents
  }

  #remember(id: string, read: { generation: string; documents: Documents | null; size: number }) {
    this.#remembered += read.size - (this.#read.get(id)?.size ?? 0)
    this.#read.delete(id)
    this.#read.set(id, read)
    for (const [oldest, { size }] of this.#read) {
      if (this.#remembered <= mostRemembered && this.#read.size <= mostChunks) break
      this.#read.delete(oldest)
      this.#remembered -= size
    }
  }
}

type Chunk = Awaited<ReturnType<typeof store.readChunks>>[number]

/** Each with its headings where they change. */
function documentsOf(chunks: readonly Chunk[]): Documents | null {
  if (chunks.length > mostChunks) return null
  const documents = [...Map.groupBy(chunks, ({ name }) => name)].map(([name, own]) => ({
    name,
    text: own.flatMap((chunk, at) => withHeading(chunk, own[at - 1])).join('\n\n'),
  }))
  return lengthOf(documents) > longestWhole ? null : documents
}

function withHeading({ heading, text }: Chunk, before: Chunk | undefined): string[] {
  const isSame = JSON.stringify(heading) === JSON.stringify(before?.heading ?? [])
  return isSame ? [text] : [heading.join(' › '), text]
}

const lengthOf = (documents: Documents) => documents.reduce((sum, { text }) => sum + text.length, 0)
