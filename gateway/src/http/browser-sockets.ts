import type { Server } from './server.ts'

const keyForm = /^svc\.bearer\.([\w-]+)$/
const environmentForm = /^svc\.env\.(sandbox|production)$/

/**
 * A browser's socket sends no headers of its own: the protocols that it offers replace them, after a first
 * one that the gateway agrees to. `['svc', 'svc.bearer.<key>', 'svc.env.<environment>']`
 */
export function browserSockets(server: Server) {
  server.addHook('onRequest', (request, _reply, done) => {
    const { headers } = request.raw
    const offered = headers['sec-websocket-protocol']
    if (request.ws && offered !== undefined && headers.authorization === undefined) {
      const protocols = offered.split(',').map((protocol) => protocol.trim())
      const found = (form: RegExp) => protocols.map((protocol) => form.exec(protocol)?.[1]).find(Boolean)
      const [key, environment] = [found(keyForm), found(environmentForm)]
      if (key !== undefined) headers.authorization = `Bearer ${key}`
      if (environment !== undefined) headers['svc-env'] ??= environment
    }
    done()
  })
}
