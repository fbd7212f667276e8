import type { Server } from './server.ts'
import { badRequest, unprocessable } from '../foundation/refusals.ts'

/** Reads JSON bodies: an empty one is none, a broken one is a sentence. */
export function readJsonBodies(server: Server) {
  const parse = server.getDefaultJsonParser('error', 'error')
  server.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    const text = String(body)
    if (text.trim() === '') return done(null, undefined)
    void parse(request, text, (error, parsed) => {
      if (error) return done(unprocessable('body: must be a JSON object'))
      if (text.includes('\\u0000') && holdsNul(parsed)) return done(nulInside())
      done(null, parsed)
    })
  })
}

/** PostgreSQL text cannot hold one. */
export const nulInside = () => badRequest('a NUL character cannot be kept: leave it out')

export function holdsNul(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\0')
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(([name, item]) => name.includes('\0') || holdsNul(item))
}
