import fastify from 'fastify'
import { Pool } from 'pg'
import { Identity } from '@switchroom/contract/identity'
import { open } from '@switchroom/gateway/http/access'
import { presentedKey } from '@switchroom/gateway/http/authentication.store'
import { digestOf } from '@switchroom/gateway/foundation/secrets'

// What a request costs with no product around it: one route, the same one statement, the same answer's shape.
const pool = new Pool({ connectionString: process.env['BARE_DATABASE_URL'], max: 20 })
const server = fastify()

server.get('/v1/whoami', { access: open, schema: { response: { 200: Identity } } }, async (request) => {
  const bearer = request.headers.authorization?.slice('Bearer '.length) ?? ''
  const { name, text } = presentedKey
  const { rows } = await pool.query({ name, text, values: [digestOf(bearer), new Date()] })
  const { id, member, ...row } = rows[0]
  return { ...row, key_id: id, subject: member, scopes: [], visiting: false }
})

await server.listen({ host: '127.0.0.1', port: Number(process.env['BARE_PORT']) })
process.send?.('ready')
process.on('SIGTERM', () => process.exit(0))
