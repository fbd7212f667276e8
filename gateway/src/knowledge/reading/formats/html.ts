import { parse, parseFragment, type DefaultTreeAdapterTypes } from 'parse5'
import type { Block } from '../blocks.ts'
import { rowText } from './table-rows.ts'

type Node = DefaultTreeAdapterTypes.Node
type Element = DefaultTreeAdapterTypes.Element

const unread = new Set(
  'script style noscript template iframe object embed svg math canvas audio video map form button select input textarea dialog nav aside footer menu head'.split(
    ' ',
  ),
)
const blocky = new Set(
  'address article blockquote body center dd details div dl dt fieldset figcaption figure footer h1 h2 h3 h4 h5 h6 header hgroup html hr li main ol p pre section summary table tbody td tfoot th thead tr ul caption'.split(
    ' ',
  ),
)
/** A part that calls itself the main one and holds less than this of the page is not believed. */
const leastMainShare = 0.25

/** `page`: a whole one, of which the main content is read; `part`: all of it. */
export function* htmlBlocks(html: string, kind: 'page' | 'part'): Generator<Block> {
  if (kind === 'part') {
    yield* blocksIn(parseFragment(html))
    return
  }
  const page = parse(html)
  const root = mainOf(page)
  if (find(root, (node) => node.tagName === 'h1') === undefined) {
    const title = find(page, (node) => node.tagName === 'title')
    if (title) yield { kind: 'heading', level: 1, text: textOf(title) }
  }
  yield* blocksIn(root)
}

export const decodeEntities = (text: string) =>
  text.includes('&') ? textOf(parseFragment(text.replaceAll('<', '&lt;'))) : text

function mainOf(page: Node): Node {
  const body = find(page, (node) => node.tagName === 'body') ?? page
  const main = find(body, (node) => node.tagName === 'main' || attribute(node, 'role') === 'main')
  const articles = all(body, (node) => node.tagName === 'article')
  const named = main ?? (articles.length === 1 ? articles[0] : undefined)
  if (!named) return body
  return textOf(named).length >= leastMainShare * textOf(body).length ? named : body
}

/** Without recursion: pages are as deep as their authors like. */
function* blocksIn(root: Node): Generator<Block> {
  let words = ''
  const todo: (Node | { leave: Element })[] = [root]
  const lists: { count: number | null }[] = []
  let preformatted = 0
  let mark = ''

  function* flush(): Generator<Block> {
    const text = preformatted > 0 ? words.trimEnd() : spaced(words)
    if (text.trim() !== '') {
      yield mark === '' ? { kind: 'text', text } : { kind: 'text', text: mark + text, isLine: true }
      mark = mark === '' ? '' : ' '.repeat(mark.length)
    }
    words = ''
  }
  for (let node = todo.pop(); node !== undefined; node = todo.pop()) {
    if ('leave' in node) {
      const { tagName } = node.leave
      if (blocky.has(tagName)) yield* flush()
      if (tagName === 'pre') preformatted -= 1
      if (tagName === 'ul' || tagName === 'ol') lists.pop()
      if (tagName === 'li') mark = ''
      continue
    }
    if ('value' in node && node.nodeName === '#text') words += node.value
    if (!('tagName' in node)) {
      if ('childNodes' in node) pushAll(todo, node.childNodes)
      continue
    }
    const { tagName } = node
    if (unread.has(tagName) || isHidden(node) || isPageHeader(node)) continue
    if (tagName === 'br') words += '\n'
    if (blocky.has(tagName)) yield* flush()
    if (/^h[1-6]$/.test(tagName)) {
      yield { kind: 'heading', level: Number(tagName[1]), text: textOf(node) }
      continue
    }
    if (tagName === 'table' && !isLayout(node)) {
      yield* rowsOf(node)
      continue
    }
    if (tagName === 'pre') preformatted += 1
    if (tagName === 'ul') lists.push({ count: null })
    if (tagName === 'ol') lists.push({ count: 0 })
    if (tagName === 'li') mark = markIn(lists)
    todo.push({ leave: node })
    pushAll(todo, node.childNodes)
  }
  yield* flush()
}

function markIn(lists: { count: number | null }[]): string {
  const list = lists.at(-1)
  const indent = '  '.repeat(Math.min(Math.max(lists.length - 1, 0), 5))
  if (!list || list.count === null) return `${indent}- `
  list.count += 1
  return `${indent}${list.count}. `
}

function* rowsOf(table: Element): Generator<Block> {
  let names: string[] = []
  const rows = all(table, (node) => node.tagName === 'tr')
  for (const [at, row] of rows.entries()) {
    const cells = row.childNodes.filter(
      (node): node is Element => 'tagName' in node && /^t[hd]$/.test(node.tagName),
    )
    const texts = cells.map((cell) => spaced(textOf(cell)).replaceAll('\n', ' '))
    const isHead = cells.length > 1 && cells.every(({ tagName }) => tagName === 'th')
    const isFirst = at === 0 && cells.length > 1 && rows.length > 1
    if (isHead || (isFirst && names.length === 0)) names = texts
    else yield { kind: 'text', text: rowText(names, texts), isLine: true }
  }
  if (rows.length === 1) yield { kind: 'text', text: names.join('; ') }
}

/** A table that only places other things on the page. */
const isLayout = (table: Element) =>
  table.childNodes.some(
    (child) => 'childNodes' in child && find(child, ({ tagName }) => tagName === 'table'),
  ) || find(table, ({ tagName }) => /^h[1-6]$|^ul$|^ol$/.test(tagName)) !== undefined

/** What every page of a site begins with; the header of an article is its own. */
function isPageHeader(node: Element): boolean {
  if (node.tagName !== 'header') return false
  for (let above = node.parentNode; above && 'tagName' in above; above = above.parentNode)
    if (above.tagName === 'main' || above.tagName === 'article' || above.tagName === 'section') return false
  return true
}

const isHidden = (node: Element) =>
  node.attrs.some(
    ({ name, value }) =>
      name === 'hidden' ||
      (name === 'aria-hidden' && value === 'true') ||
      (name === 'style' && /display\s*:\s*none|visibility\s*:\s*hidden/i.test(value)),
  )

const attribute = (node: Element, named: string) => node.attrs.find(({ name }) => name === named)?.value

function* walk(root: Node): Generator<Node> {
  const todo: Node[] = [root]
  for (let node = todo.pop(); node !== undefined; node = todo.pop()) {
    yield node
    if ('childNodes' in node) pushAll(todo, node.childNodes)
  }
}

/** In the order of the page, from a stack; a spread of so many would be too many arguments. */
function pushAll(todo: unknown[], nodes: readonly Node[]) {
  for (let at = nodes.length - 1; at >= 0; at -= 1) todo.push(nodes[at])
}

function find(root: Node, isMeant: (node: Element) => boolean): Element | undefined {
  for (const node of walk(root)) if ('tagName' in node && isMeant(node)) return node
  return undefined
}

const all = (root: Node, isMeant: (node: Element) => boolean): Element[] =>
  [...walk(root)].filter((node): node is Element => 'tagName' in node && isMeant(node))

/** What can be read of it. */
function textOf(root: Node): string {
  let text = ''
  const todo: Node[] = [root]
  for (let node = todo.pop(); node !== undefined; node = todo.pop()) {
    if ('value' in node && node.nodeName === '#text') text += node.value
    if ('tagName' in node && node !== root) {
      if (unread.has(node.tagName) || isHidden(node)) continue
      if (node.tagName === 'br' || blocky.has(node.tagName)) text += '\n'
    }
    if ('childNodes' in node) pushAll(todo, node.childNodes)
  }
  return text.trim()
}

const spaced = (text: string) =>
  text
    .split('\n')
    .map((line) => line.replace(/\s+/g, ' ').trim())
    .filter((line) => line !== '')
    .join('\n')
