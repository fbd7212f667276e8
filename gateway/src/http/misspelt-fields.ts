import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { badRequest, type Refusal } from '../foundation/refusals.ts'
import type { Access } from './access.ts'
import { nearestName } from '@switchroom/contract/near-names'
import type { Server } from './server.ts'

/** Of one request, no more unknown fields than these are compared: comparing costs time. */
const mostCompared = 50

interface Misspelt {
  /** As it came, with the fields it is inside of. */
  path: string
  meant: string
}

/** The fields of an object, and of the objects inside it. */
interface Fields {
  names: ReadonlySet<string>
  inner: readonly (readonly [name: string, fields: Fields])[]
}

/**
 * An unknown field is ignored, for a newer client may send what this gateway does not know. But one that is a slip away
 * from a known name is a typo, which would be silent: it is refused with the name that was meant. Workers of another
 * version are never refused for a field.
 */
export function refuseMisspelt(server: Server) {
  server.addHook('onRoute', (route) => {
    if (isForWorkers(route.access)) return
    const query = fieldsOf(route.schema?.querystring)
    const body = fieldsOf(route.schema?.body)
    if (!query && !body) return
    const refuse = (request: FastifyRequest, _reply: FastifyReply, done: (refusal?: Refusal) => void) =>
      done(refusalOf('query parameter', query, request.query) ?? refusalOf('field', body, request.body))
    route.preHandler = [refuse, ...[route.preHandler ?? []].flat()] as RouteOptions['preHandler'] & {}
  })
}

const isForWorkers = ({ kind }: Access) => kind === 'worker' || kind === 'fleet' || kind === 'appOrFleet'

interface ObjectSchema {
  properties?: Record<string, unknown>
  additionalProperties?: unknown
  items?: unknown
}

/** None if the schema is of no object, or says itself what else may come. */
function fieldsOf(schema: unknown): Fields | undefined {
  const { properties, additionalProperties, items } = (schema ?? {}) as ObjectSchema
  if (items) return fieldsOf(items)
  if (!properties || additionalProperties !== undefined) return undefined
  const inner = Object.entries(properties).flatMap(([name, own]) => {
    const fields = fieldsOf(own)
    return fields ? [[name, fields] as const] : []
  })
  return { names: new Set(Object.keys(properties)), inner }
}

function refusalOf(what: string, fields: Fields | undefined, sent: unknown): Refusal | undefined {
  const misspelt = fields && misspeltIn(sent, fields, { left: mostCompared })
  if (!misspelt) return undefined
  const { path, meant } = misspelt
  return badRequest(`${path}: there is no such ${what}; did you mean ${meant}?`).as('UNKNOWN_FIELD')
}

interface Budget {
  left: number
}

function misspeltIn(sent: unknown, fields: Fields, budget: Budget): Misspelt | undefined {
  if (typeof sent !== 'object' || sent === null || budget.left <= 0) return undefined
  if (Array.isArray(sent)) return first(sent, (item) => misspeltIn(item, fields, budget))
  const unknown = Object.keys(sent).filter((name) => !fields.names.has(name))
  const own = unknown.length === 0 ? undefined : misspeltOf(unknown, sent, fields, budget)
  return own ?? first(fields.inner, ([name, inner]) => misspeltInside(name, sent, inner, budget))
}

/** Of a name that was sent as well, no other is a misspelling. */
function misspeltOf(unknown: readonly string[], sent: object, { names }: Fields, budget: Budget) {
  const unsent = [...names].filter((name) => !Object.hasOwn(sent, name))
  const compared = unknown.slice(0, budget.left)
  budget.left -= compared.length
  return first(compared, (path): Misspelt | undefined => {
    const meant = nearestName(path, unsent)
    return meant === undefined ? undefined : { path, meant }
  })
}

function misspeltInside(name: string, sent: object, fields: Fields, budget: Budget): Misspelt | undefined {
  const found = misspeltIn((sent as Record<string, unknown>)[name], fields, budget)
  return found && { ...found, path: `${name}.${found.path}` }
}

function first<T, R>(items: readonly T[], find: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const found = find(item)
    if (found !== undefined) return found
  }
  return undefined
}
