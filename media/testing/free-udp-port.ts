import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'

/** Below those that a socket is given if it asks for none. */
const [lowest, highest] = [10_000, 32_000]

/** An even port for UDP that stays free until a test binds it, also while other sockets come and go: reports have the odd ones. */
export async function freeUdpPort(): Promise<number> {
  for (;;) {
    const port = 2 * randomInt(lowest / 2, highest / 2)
    const probe = createSocket('udp4').bind(port, '127.0.0.1')
    const isFree = await once(probe, 'listening').then(
      () => true,
      () => false,
    )
    await new Promise<void>((resolve) => probe.close(resolve))
    if (isFree) return port
  }
}
