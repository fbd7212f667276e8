import { Lexer, type Token, type Tokens } from 'marked'
import type { Block } from '../blocks.ts'
import { decodeEntities, htmlBlocks } from './html.ts'
import { rowText } from './table-rows.ts'

export function* markdownBlocks(text: string): Generator<Block> {
  yield* blocksIn(new Lexer({ gfm: true }).lex(text.replace(/^---\n[\s\S]*?\n---\n/, '')))
}

function* blocksIn(tokens: readonly Token[]): Generator<Block> {
  for (const token of tokens) {
    if (token.type === 'heading')
      yield { kind: 'heading', level: (token as Tokens.Heading).depth, text: wordsOf(token) }
    else if (token.type === 'paragraph' || token.type === 'text') yield { kind: 'text', text: wordsOf(token) }
    else if (token.type === 'code') yield { kind: 'text', text: (token as Tokens.Code).text }
    else if (token.type === 'list') yield { kind: 'text', text: linesOf(token as Tokens.List, 0).join('\n') }
    else if (token.type === 'table') yield* tableBlocks(token as Tokens.Table)
    else if (token.type === 'blockquote') yield* blocksIn((token as Tokens.Blockquote).tokens)
    else if (token.type === 'html') yield* htmlBlocks((token as Tokens.HTML).text, 'part')
  }
}

function linesOf({ ordered, start, items }: Tokens.List, depth: number): string[] {
  return items.flatMap((item, at) => {
    const mark = ordered ? `${(start || 1) + at}.` : '-'
    const inner = item.tokens.filter(({ type }) => type === 'list') as Tokens.List[]
    const words = item.tokens.filter(({ type }) => type !== 'list' && type !== 'space').map(wordsOf)
    return [
      `${'  '.repeat(depth)}${mark} ${words.join(' ')}`,
      ...inner.flatMap((list) => linesOf(list, depth + 1)),
    ]
  })
}

function* tableBlocks({ header, rows }: Tokens.Table): Generator<Block> {
  const names = header.map(({ tokens }) => tokens.map(wordsOf).join(''))
  for (const row of rows)
    yield {
      kind: 'text',
      text: rowText(
        names,
        row.map(({ tokens }) => tokens.map(wordsOf).join('')),
      ),
      isLine: true,
    }
}

/** What a person reads of it: a link by its words, an image by its description. */
function wordsOf(token: Token): string {
  if (token.type === 'br') return '\n'
  if (token.type === 'image') return (token as Tokens.Image).text
  if (token.type === 'html') return ''
  if (token.type === 'codespan' || token.type === 'escape' || token.type === 'code')
    return (token as Tokens.Text).text
  if ('tokens' in token && token.tokens && token.tokens.length > 0) return token.tokens.map(wordsOf).join('')
  return 'text' in token ? decodeEntities(String(token.text)) : ''
}
