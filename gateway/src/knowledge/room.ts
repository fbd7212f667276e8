import type { AgentsRoom } from '../agents/room.ts'
import type { Infrastructure } from '../database/room.ts'
import type { HttpRoom } from '../http/room.ts'
import { AskedSearches } from './search/asked-searches.ts'
import { StoredChunks } from './search/chunk-index.ts'
import { Missed } from './search/missed.ts'
import { BaseSearch, SearchMemory } from './search/search.ts'
import { Stems } from './search/stems.ts'

export type KnowledgeRoom = ReturnType<typeof makeKnowledge>

/** What agents answer from: bases of documents. */
export function makeKnowledge({
  database,
  slowDatabase,
  slowRequests,
  lexicons,
}: Infrastructure & HttpRoom & AgentsRoom) {
  const stems = new Stems(database)
  const memory = new SearchMemory({ stems, lexicons })
  const chunkIndex = new StoredChunks(database, stems)
  const knowledgeSearch = new BaseSearch(database, memory)
  const askedSearches = new AskedSearches(new BaseSearch(slowDatabase, memory), slowRequests)
  const missedQueries = new Missed(slowDatabase)
  return { chunkIndex, knowledgeSearch, askedSearches, missedQueries }
}
