import { createReadStream } from 'node:fs'
import { Type } from 'typebox'
import { notFound } from '../../foundation/refusals.ts'
import { open } from '../../http/access.ts'
import { refusals } from '../../http/refusals.ts'
import type { Server } from '../../http/server.ts'
import { connectionsOf, type PageSettings } from './connections.ts'
import type { ConsoleFiles } from './console-files.ts'

const headersOf = (connections: readonly string[]) => ({
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: https:", // a brand's logo is an https address
    "media-src 'self' blob:",
    `connect-src ${["'self'", ...connections].join(' ')}`,
    "font-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'referrer-policy': 'no-referrer', // the address of an invitation or a login code is a secret
  'cache-control': 'no-store',
})

/** Every address that a person opens: the console finds out by itself what to show there. */
const pages = [
  '/',
  '/cli',
  '/invitations/:token',
  '/sign-up',
  '/forgotten-password',
  ...['/sandbox', '/production'].flatMap((place) => [place, `${place}/*`]),
  // Addresses of older versions, without an environment: the console puts it in front.
  '/team',
  '/audit',
  '/keys',
  '/publishable-keys',
  '/provider-keys',
  '/model-endpoints',
  '/webhooks',
  '/judging',
  '/single-sign-on',
  '/mailbox',
  ...['/agents', '/calls', '/numbers', '/threads', '/platform'].flatMap((place) => [place, `${place}/*`]),
]

const notBuilt = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>No console here</title></head>
<body><main><h1>The console was not built</h1>
<p>Run <code>node tools/build-console.mjs</code> in the checkout and open this page again. The API is served all the same; <a href="/docs">its reference</a> has every endpoint.</p></main></body>
</html>
`

/** The console, the same page for any address: looking at one spends nothing. */
export async function pageRoutes(server: Server, files: ConsoleFiles, settings: PageSettings) {
  const headers = headersOf(connectionsOf(settings))
  const schema = { hide: true, response: { 200: Type.String(), 503: Type.String() } }
  for (const path of pages) {
    server.get(path, { access: open, schema }, async (_request, reply) => {
      const page = await files.page()
      const status = page === undefined ? 503 : 200
      return reply
        .code(status)
        .type('text/html; charset=utf-8')
        .headers(headers)
        .send(page ?? notBuilt)
    })
  }

  const Params = Type.Object({ asset: Type.String() })
  server.get(
    '/assets/:asset',
    {
      access: open,
      schema: { hide: true, params: Params, response: { 200: Type.Unknown(), ...refusals(404) } },
    },
    async ({ params, headers: { 'accept-encoding': accepted } }, reply) => {
      const found = await files.asset(params.asset, accepted?.toString())
      if (!found) throw notFound(`there is no door at /assets/${params.asset}`)
      if (found.encoding !== undefined) reply.header('content-encoding', found.encoding)
      return reply
        .type(found.type)
        .header('vary', 'accept-encoding')
        .header('cache-control', 'public, max-age=31536000, immutable') // its name changes with its content
        .send(createReadStream(found.path))
    },
  )

  server.get(
    '/embed/:asset',
    {
      access: open,
      schema: { hide: true, params: Params, response: { 200: Type.Unknown(), ...refusals(404) } },
    },
    async ({ params, headers: { 'accept-encoding': accepted } }, reply) => {
      const found = await files.asset(params.asset, accepted?.toString(), 'embed')
      if (!found) throw notFound(`there is no door at /embed/${params.asset}`)
      if (found.encoding !== undefined) reply.header('content-encoding', found.encoding)
      const isEntry = params.asset === 'switchroom.js' // the name that pages know; the others change with their content
      return reply
        .type(found.type)
        .header('vary', 'accept-encoding')
        .header('access-control-allow-origin', '*') // a module of another origin needs it
        .header('cache-control', isEntry ? 'public, max-age=300' : 'public, max-age=31536000, immutable')
        .send(createReadStream(found.path))
    },
  )
}
