import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { Type } from 'typebox'
import { open } from '../../http/access.ts'
import type { Server } from '../../http/server.ts'

const folder = join(import.meta.dirname, 'static')

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
}

const headers = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer', // the address of an invitation or a login code is a secret
  'cache-control': 'no-store',
}

/** Plain pages behind the links that people get. They are the same for any token: looking at one spends nothing. */
const pages: Readonly<Record<string, string>> = {
  '/': 'sign-in.html',
  '/cli': 'sign-in.html',
  '/invitations/:token': 'invitation.html',
  '/pages/page.css': 'page.css',
  '/pages/ask.js': 'ask.js',
  '/pages/sign-in.js': 'sign-in.js',
  '/pages/invitation.js': 'invitation.js',
}

export async function pageRoutes(server: Server) {
  for (const [path, file] of Object.entries(pages)) {
    const text = await readFile(join(folder, file), 'utf8')
    const type = types[extname(file)] ?? 'text/plain'
    const schema = { hide: true, response: { 200: Type.String() } }
    server.get(path, { access: open, schema }, async (_request, reply) =>
      reply.type(type).headers(headers).send(text),
    )
  }
}
