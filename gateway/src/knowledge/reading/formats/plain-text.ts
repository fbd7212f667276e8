import type { Block } from '../blocks.ts'

/** Paragraphs are divided by empty lines; a line break inside one is none of its own. */
export function* plainTextBlocks(text: string): Generator<Block> {
  for (const paragraph of text.split(/\n[ \t]*\n+/)) yield { kind: 'text', text: paragraph.trim() }
}
