import { appFrames, chatFrames, type DocumentedFrame } from './document.ts'

interface Shape {
  type?: string | string[]
  const?: string
  enum?: unknown[]
  properties?: Record<string, Shape>
  required?: string[]
  items?: Shape
}

/** The tables of docs/protocol.md, by the name between their marks. */
export const tables: Record<string, string> = {
  'frames to the gateway': table(appFrames.fromApp, (shape) => fieldsOf(shape, ['type'])),
  'frames to the app': table(appFrames.toApp, (shape) => fieldsOf(shape, ['type', 'agent', 'call'])),
  events: table(appFrames.events, (shape) => fieldsOf(shape.properties?.['data'] ?? {}, [])),
  'chat to the gateway': table(chatFrames.fromChat, (shape) => fieldsOf(shape, ['type'])),
  'chat to the client': table(chatFrames.toChat, (shape) => fieldsOf(shape, ['type'])),
}

export const withTables = (page: string) =>
  page.replaceAll(
    /(<!-- table: ([a-z ]+) -->\n).*?(<!-- \/table -->)/gs,
    (_whole, begin: string, name: string, end: string) => `${begin}${tables[name] ?? ''}${end}`,
  )

function table(frames: readonly DocumentedFrame[], fields: (shape: Shape) => string): string {
  const rows = frames.map(({ type, summary, schema }) => [`\`${type}\``, fields(schema as Shape), summary])
  return [['type', 'fields', 'meaning'], ['---', '---', '---'], ...rows]
    .map((cells) => `| ${cells.join(' | ')} |\n`)
    .join('')
}

/** Each field with its type; `?` marks one that may be absent. */
function fieldsOf({ properties = {}, required = [] }: Shape, without: readonly string[]): string {
  const named = Object.entries(properties).filter(([name]) => !without.includes(name))
  return named
    .map(([name, shape]) => `\`${name}${required.includes(name) ? '' : '?'}\` ${wordFor(name, shape)}`)
    .join(', ')
}

function wordFor(name: string, shape: Shape): string {
  const { type, properties, items } = shape
  if (name === 'call' && properties?.['lineTranscript']) return 'a Call'
  if (shape.enum) return shape.enum.map((value) => `\`${String(value)}\``).join(' or ')
  if (properties) return `{${fieldsOf(shape, [])}}`
  if (items) return `list of ${wordFor('', items)}`
  return type === undefined ? 'any JSON' : [type].flat().map(plainType).join(' or ')
}

function plainType(type: string): string {
  return type === 'string' ? 'text' : type
}
