import { createHash } from 'node:crypto'
import type { Chunk } from '../passages.ts'

/** What the program that reads documents makes of one. */
export interface ReadChunk {
  heading: string[]
  text: string
}

/** The same text under the same headings is there once, and has the same id whenever the document is read. */
export function identified(document: string, chunks: readonly ReadChunk[]): Chunk[] {
  const made = new Map<string, Chunk>()
  for (const { heading, text } of chunks) {
    const digest = createHash('sha256')
      .update(JSON.stringify([heading, text]))
      .digest()
    const id = `chk_${createHash('sha256').update(document).update(digest).digest('hex').slice(0, 24)}`
    made.set(id, { id, heading, text, digest })
  }
  return [...made.values()]
}
