import type { Server } from './server.ts'

/** Whether the process runs; asked without a key. */
export async function healthRoutes(server: Server) {
  server.get('/healthz', async () => ({ status: 'ok' }))
}
