import type { Passage } from '@switchroom/contract/knowledge'
import type { Environment } from '@switchroom/contract/scopes'
import type { Transaction } from '../database/database.ts'

/** A piece of a document, as reading it made it. */
export interface Chunk {
  readonly id: string
  readonly heading: readonly string[]
  readonly text: string
  readonly digest: Buffer
}

/** What a search needs to know of a base. */
export interface SearchedBase {
  readonly id: string
  readonly org: string
  readonly env: Environment
  readonly base: string
  readonly language: string | null
  readonly embed: string | null
}

/** Makes what searches need of chunks: ahead of the transaction that swaps a document's chunks, then inside it. */
export interface ChunkIndex {
  /** Asks for embeddings, for instance; fails with a sentence that becomes the document's `why`. */
  prepare(base: SearchedBase, chunks: readonly Chunk[], signal: AbortSignal): Promise<PreparedChunks>
}

export interface PreparedChunks {
  /** Replaces all chunks of the document. */
  write(tx: Transaction, document: string): Promise<void>
}

/** Whose search it is: a base that is bound to agents is found for these alone. */
export interface SearchReach {
  readonly org: string
  readonly env: Environment
  /** Null: a person or a key that is narrowed to no agent. */
  readonly agents: readonly string[] | null
}

export interface SearchTerms {
  readonly query: string
  readonly k: number
  readonly minScore: number
  readonly signal?: AbortSignal
}

export interface Found {
  /** Best first, none below the minimum. */
  readonly passages: readonly Passage[]
  /** Also of what lies below the minimum; null if nothing was found. */
  readonly bestScore: number | null
  readonly by: 'words' | 'both'
  readonly ms: number
}

export interface KnowledgeSearch {
  /** Refuses with 404 where there is no such base for this reach. */
  search(reach: SearchReach, base: string, terms: SearchTerms): Promise<Found>
}
