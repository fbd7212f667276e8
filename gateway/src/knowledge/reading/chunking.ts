import type { ReadChunk } from './chunk-identity.ts'
import { clean, oneLine, UnreadableDocument, type Block } from './blocks.ts'

/** About 120 to 250 words of English. */
const smallSize = 700
const targetSize = 1500
/** No chunk is larger, whatever the document holds. */
export const hardSize = 2400
/** A longer sentence is not repeated at the begin of the next chunk. */
const longestOverlap = 300
const longestHeading = 200
const deepestHeading = 6
export const mostChunks = 20_000

/** A character of a script without spaces says as much as three. */
const wide = /[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\u0e00-\u0eff]/g

export const sizeOf = (text: string) => text.length + 2 * (text.match(wide)?.length ?? 0)

/** Cuts a document at its headings, then joins what is short and divides what is long. */
export function chunksOf(blocks: Iterable<Block>, language: string | null): ReadChunk[] {
  const sentences = new Intl.Segmenter(knownLanguage(language), { granularity: 'sentence' })
  const chunks: ReadChunk[] = []
  const headings: { level: number; text: string }[] = []
  let pieces: string[] = []
  let size = 0
  let isLine = false

  const add = (text: string) => {
    if (chunks.length >= mostChunks)
      throw new UnreadableDocument(`it has more than ${mostChunks} chunks: split it into several documents`)
    chunks.push({ heading: headings.map((heading) => heading.text), text })
  }
  const flush = () => {
    if (pieces.length > 0) add(pieces.join(''))
    pieces = []
    size = 0
  }
  for (const block of blocks) {
    if (block.kind === 'heading') {
      const text = oneLine(block.text).slice(0, longestHeading).toWellFormed()
      if (text === '') continue
      flush()
      while ((headings.at(-1)?.level ?? 0) >= block.level) headings.pop()
      if (headings.length < deepestHeading) headings.push({ level: block.level, text })
      continue
    }
    const text = clean(block.text).trim()
    if (text === '') continue
    if (block.kind === 'row') {
      flush()
      for (const part of divided(text, sentences)) add(part)
      continue
    }
    const own = sizeOf(text)
    if (own > targetSize) {
      flush()
      for (const part of divided(text, sentences)) add(part)
      continue
    }
    if (size + own > targetSize && (size >= smallSize || size + own > hardSize)) flush()
    const joint = pieces.length === 0 ? '' : block.isLine && isLine ? '\n' : '\n\n'
    pieces.push(joint + text)
    isLine = block.isLine === true
    size += own
  }
  flush()
  return chunks
}

/** At sentences, each part but the first with the last sentence of the one before. */
function divided(text: string, sentences: Intl.Segmenter): string[] {
  if (sizeOf(text) <= targetSize) return [text]
  const parts: string[] = []
  let part = ''
  let size = 0
  let last = ''
  for (const { segment } of sentences.segment(text))
    for (const piece of sizeOf(segment) > targetSize ? cut(segment) : [segment]) {
      const own = sizeOf(piece)
      if (size > 0 && size + own > targetSize) {
        parts.push(part.trim())
        const overlaps = sizeOf(last) <= longestOverlap && sizeOf(last) + own <= targetSize
        part = overlaps ? last : ''
        size = sizeOf(part)
      }
      part += piece
      size += own
      last = piece
    }
  if (part.trim() !== '') parts.push(part.trim())
  return parts
}

/** What has no sentences: at spaces, else anywhere between two characters. */
function cut(segment: string): string[] {
  const parts: string[] = []
  let part = ''
  let size = 0
  for (const word of segment.match(/\S{1,400}\s*/gu) ?? []) {
    const own = sizeOf(word)
    if (size > 0 && size + own > targetSize) {
      parts.push(part)
      part = ''
      size = 0
    }
    part += word
    size += own
  }
  return [...parts, part].filter((each) => each.trim() !== '')
}

function knownLanguage(language: string | null): string {
  try {
    return Intl.getCanonicalLocales(language ?? 'en')[0] ?? 'en'
  } catch {
    return 'en'
  }
}
