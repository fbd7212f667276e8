import { createReadStream } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { Type } from 'typebox'
import { notFound } from '../foundation/refusals.ts'
import { open } from './access.ts'
import { refusals } from './refusals.ts'
import type { Server } from './server.ts'

// Swagger UI as its Fastify package ships it; its own plugin would register routes that declare no access.
const folder = join(dirname(createRequire(import.meta.url).resolve('@fastify/swagger-ui')), 'static')

const assets: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
}

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Switchroom API reference</title>
<link rel="icon" href="/docs/favicon-32x32.png">
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<main id="reference"><p>Loading the reference. It needs JavaScript; the same is at <a href="/openapi.json">/openapi.json</a>.</p></main>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`

const start = `SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  docExpansion: 'list',
  defaultModelsExpandDepth: -1,
  deepLinking: true,
  persistAuthorization: false,
})
`

const contentSecurityPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** A page on which a person can read and try every endpoint. */
export function referencePage(server: Server) {
  const Text = Type.String()

  server.get(
    '/docs',
    { access: open, schema: { hide: true, response: { 200: Text } } },
    async (_request, reply) =>
      reply
        .type('text/html; charset=utf-8')
        .header('content-security-policy', contentSecurityPolicy)
        .send(page),
  )

  server.get(
    '/docs/start.js',
    { access: open, schema: { hide: true, response: { 200: Text } } },
    async (_request, reply) => reply.type('text/javascript; charset=utf-8').send(start),
  )

  const Params = Type.Object({ asset: Type.String() })
  server.get(
    '/docs/:asset',
    {
      access: open,
      schema: { hide: true, params: Params, response: { 200: Type.Unknown(), ...refusals(404) } },
    },
    async (request, reply) => {
      const type = assets[request.params.asset]
      if (type === undefined) throw notFound(`there is no door at /docs/${request.params.asset}`)
      return reply
        .type(type)
        .header('cache-control', 'public, max-age=86400')
        .send(createReadStream(join(folder, request.params.asset)))
    },
  )
}
