import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Chunk } from '@switchroom/gateway/knowledge/passages'
import { judge, say } from '../report.ts'
import { type BenchBases, chunkOf } from './bench-base.ts'
import { questions } from './questions.ts'

const docs = join(import.meta.dirname, '../../../docs')
const longestChunk = 900
const budgets = { 1: 0.35, 5: 0.7 } as const

/** How often the passage that answers a question is the first, or among the first five, on our own documentation. */
export async function recall(bases: BenchBases): Promise<boolean> {
  const base = await bases.add('docs', 'en')
  let size = 0
  for (const file of (await readdir(docs)).filter((name) => name.endsWith('.md'))) {
    const chunks = chunksOf(await readFile(join(docs, file), 'utf8'))
    size += chunks.length
    await bases.put(base, file, chunks)
  }
  const places: number[] = []
  for (const [query, answer] of questions) {
    const { passages } = await bases.search.search(bases.reach, 'docs', { query, k: 5, minScore: 0 })
    const place = passages.findIndex(({ text }) => plain(text).includes(plain(answer)))
    places.push(place)
    if (place === -1) say(`not among the first five: ${query}`)
  }
  say(`${questions.length} questions to ${size} chunks of our documentation (Apache-2.0), full text alone`)
  const share = (most: number) =>
    places.filter((place) => place >= 0 && place < most).length / questions.length
  const first = judge('recall at 1', share(1), { atLeast: budgets[1] })
  return judge('recall at 5', share(5), { atLeast: budgets[5] }) && first
}

const plain = (text: string) => text.replace(/\s+/g, ' ').toLowerCase()

/** By headings and paragraphs: the bench measures searching, so that a change of how documents are read changes nothing. */
function chunksOf(markdown: string): Chunk[] {
  const heading: string[] = []
  const chunks: Chunk[] = []
  let text = ''
  const end = () => {
    if (text.trim() !== '') chunks.push(chunkOf(text.trim(), [...heading]))
    text = ''
  }
  for (const block of markdown.split(/\n{2,}/)) {
    const [, level, title] = /^(#{1,6}) (.*)/.exec(block) ?? []
    if (level !== undefined && title !== undefined) {
      end()
      heading.splice(level.length - 1, heading.length, title)
      continue
    }
    if (text.length + block.length > longestChunk) end()
    text += `${block}\n\n`
  }
  end()
  return chunks
}
