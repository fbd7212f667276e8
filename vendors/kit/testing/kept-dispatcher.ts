import type { TestContext } from 'node:test'
import { keepConnections } from '../src/kept-connections.ts'

const place = Symbol.for('undici.globalDispatcher.1')
const holder = globalThis as unknown as Record<symbol, { destroy?: () => Promise<void> } | undefined>

/** This process keeps connections for so long, until the test is over. */
export function keepConnectionsIn(t: TestContext, forMs: number) {
  void Response // loads what is put back
  const usual = holder[place]
  keepConnections(forMs)
  const kept = holder[place]
  t.after(async () => {
    holder[place] = usual
    await kept?.destroy?.()
  })
}
