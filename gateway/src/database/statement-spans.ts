import { activePlace, startSpan, typeOf, type Span } from '@switchroom/telemetry/tracing'

/** What a statement does, and to which table: neither its text, which may have values in it, nor its values. */
interface StatementClass {
  name: string
  attributes: Readonly<Record<string, string>>
}

const known = new Map<string, StatementClass>()
/** Texts are written down in stores; those that are put together have few forms. */
const mostKnown = 2_000

const writing =
  /\b(insert)\s+into\s+(\w+)|(?<!\bfor |\bkey )\b(update)\s+(?!set\b)(\w+)|\b(delete)\s+from\s+(\w+)/i
/** Not `extract(epoch from …)`, nor `is distinct from …`. */
const reading = /(?<!\bepoch\s|\bdistinct\s)\bfrom\s+([a-z_]\w*)/i

function classOf(text: string): StatementClass {
  const found = known.get(text)
  if (found) return found
  const [, ...groups] = writing.exec(text) ?? []
  const [verb = 'select', table = reading.exec(text)?.[1]] = groups.filter((group) => group !== undefined)
  const operation = verb.toUpperCase()
  const made = {
    name: table === undefined ? operation : `${operation} ${table}`,
    attributes: {
      'db.system.name': 'postgresql',
      'db.operation.name': operation,
      ...(table !== undefined && { 'db.collection.name': table }),
    },
  }
  if (known.size < mostKnown) known.set(text, made)
  return made
}

const commit: StatementClass = {
  name: 'COMMIT',
  attributes: { 'db.system.name': 'postgresql', 'db.operation.name': 'COMMIT' },
}

/** Undefined unless it is made for a request or a call that is traced. */
export function statementSpan(text: string): Span | undefined {
  if (!activePlace()) return undefined
  const { name, attributes } = classOf(text)
  return startSpan(name, { kind: 'client', attributes })
}

export const commitSpan = (): Span | undefined =>
  activePlace() && startSpan(commit.name, { kind: 'client', attributes: commit.attributes })

export function endStatement(span: Span | undefined, error: unknown): void {
  if (!span) return
  if (error) span.fail(typeOf(error))
  span.end()
}
