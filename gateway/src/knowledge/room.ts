import type { AgentsRoom } from '../agents/room.ts'
import type { Infrastructure } from '../database/room.ts'
import type { HttpRoom } from '../http/room.ts'
import { Bases } from './bases/bases.ts'
import { DocumentMoves } from './documents/document-moves.ts'
import { Documents } from './documents/documents.ts'
import { Originals } from './documents/originals.ts'
import { DocumentReader } from './reading/document-reader.ts'
import { FetchedDocuments } from './reading/fetched-documents.ts'
import { ReadingTasks } from './reading/reading-tasks.ts'
import { AskedSearches } from './search/asked-searches.ts'
import { StoredChunks } from './search/chunk-index.ts'
import { Missed } from './search/missed.ts'
import { BaseSearch, SearchMemory } from './search/search.ts'
import { Stems } from './search/stems.ts'

export type KnowledgeRoom = ReturnType<typeof makeKnowledge>

/** What agents answer from: bases of documents, how they are read and searched. */
export function makeKnowledge(parts: Infrastructure & HttpRoom & AgentsRoom) {
  const { database, slowDatabase, slowRequests, lexicons, dueChecks, logger, runningGateways } = parts
  const stems = new Stems(database)
  const memory = new SearchMemory({ stems, lexicons })
  const chunkIndex = new StoredChunks(database, stems)
  const knowledgeSearch = new BaseSearch(database, memory)
  const askedSearches = new AskedSearches(new BaseSearch(slowDatabase, memory), slowRequests)
  const missedQueries = new Missed(slowDatabase)
  const bases = new Bases(parts)
  const originals = new Originals(parts)
  const documents = new Documents({ ...parts, bases, originals })
  const reader = new DocumentReader({
    ...parts,
    bases,
    originals,
    fetched: new FetchedDocuments({ ...parts, bases, originals }),
    index: chunkIndex,
    gateway: runningGateways.id,
  })
  const readingTasks = new ReadingTasks(reader, dueChecks, logger)
  bases.onQueued = () => readingTasks.poll()
  return {
    chunkIndex,
    knowledgeSearch,
    askedSearches,
    missedQueries,
    bases,
    documents,
    readingTasks,
    documentMoves: new DocumentMoves({ ...parts, originals }),
  }
}
