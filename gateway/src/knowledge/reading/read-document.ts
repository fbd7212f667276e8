import { UnreadableDocument, type Block } from './blocks.ts'
import { chunksOf } from './chunking.ts'
import type { ReadAnswer, ReadTask } from './reading-process.ts'

/** Each format's library is loaded for it alone. */
export async function readDocument({ format, language }: ReadTask, content: Buffer): Promise<ReadAnswer> {
  try {
    return { chunks: chunksOf(await blocksOf(format, content), language) }
  } catch (error) {
    if (error instanceof UnreadableDocument) return { why: error.message }
    throw error
  }
}

async function blocksOf(format: ReadTask['format'], content: Buffer): Promise<Iterable<Block>> {
  if (format === 'pdf') return (await import('./formats/pdf.ts')).pdfBlocks(content)
  if (format === 'docx') return (await import('./formats/docx.ts')).docxBlocks(content)
  const { decodeText } = await import('./formats/text-decoding.ts')
  const text = decodeText(content)
  if (format === 'markdown') return (await import('./formats/markdown.ts')).markdownBlocks(text)
  if (format === 'html') return (await import('./formats/html.ts')).htmlBlocks(text, 'page')
  if (format === 'csv') return (await import('./formats/csv.ts')).csvBlocks(text)
  return (await import('./formats/plain-text.ts')).plainTextBlocks(text)
}
