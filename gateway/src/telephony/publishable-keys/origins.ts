import { badRequest } from '../../foundation/refusals.ts'
import { cutToLine } from '../../foundation/text.ts'

const mostOrigins = 20
/** Without TLS a browser gives its microphone only to pages of its own machine. */
const ownMachine = new Set(['localhost', '127.0.0.1', '[::1]'])

/** Origins as browsers send them, each once. */
export function originsOf(wanted: readonly string[]): string[] {
  const origins = [...new Set(wanted.map(originOf))]
  if (origins.length < 1 || origins.length > mostOrigins)
    throw badRequest(`origins are 1 to ${mostOrigins}, such as https://shop.example (got ${origins.length})`)
  return origins
}

function originOf(wanted: string): string {
  const url = URL.canParse(wanted) ? new URL(wanted) : undefined
  const isPlain = /^https?:\/\/[^/?#@*\s]+\/?$/i.test(wanted)
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && ownMachine.has(url.hostname))
  if (!url || !isPlain || !isSafe)
    throw badRequest(
      `an origin is https://host, with a port if it is not 443, or http://localhost (got ${cutToLine(wanted, 'nothing')})`,
    )
  return url.origin
}
