import { badRequest } from '../../foundation/refusals.ts'
import { holdsNul, nulInside } from '../../http/json-body.ts'

const longestBytes = 4096

type Metadata = Record<string, unknown>

/** What the opener of a call says about it. */
export function readMetadata(given: Metadata): Metadata {
  const text = wellFormed(given)
  if (Buffer.byteLength(text) > longestBytes)
    throw badRequest(`metadata is at most ${longestBytes} bytes of JSON`)
  if (holdsNul(given)) throw nulInside()
  return JSON.parse(text) as Metadata
}

/** PostgreSQL refuses lone surrogates. */
function wellFormed(given: Metadata): string {
  try {
    return JSON.stringify(given, (_key, part: unknown) =>
      typeof part === 'string' ? part.toWellFormed() : part,
    )
  } catch {
    throw badRequest('metadata is nested too deeply') // deeper than the stack
  }
}

/** The same as a query says it. */
export function metadataInQuery(said: string | undefined): Metadata {
  if (said === undefined) return {}
  const given = jsonOf(said)
  if (typeof given !== 'object' || given === null || Array.isArray(given)) throw notOne()
  return readMetadata(given as Metadata)
}

const notOne = () => badRequest('metadata is a JSON object, such as {"name": "Ana"}')

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw notOne()
  }
}
