import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { ours } from './sip-call.ts'

/** As many as a socket hands over between two turns of the event loop, which sender and server share here. */
const atOnce = 25

/** Sends from as many addresses of this machine as a test wants to be. */
export class Flood {
  /** Datagrams that came back, by the address they came back to. */
  readonly heard = new Map<string, number>()
  readonly #port: number
  readonly #sockets: Socket[] = []

  private constructor(port: number) {
    this.#port = port
  }

  static async from(addresses: readonly string[], port: number): Promise<Flood> {
    const flood = new Flood(port)
    for (const address of addresses) {
      const socket = createSocket('udp4')
      socket.on('message', () => flood.heard.set(address, (flood.heard.get(address) ?? 0) + 1))
      socket.bind(0, address)
      await once(socket, 'listening')
      flood.#sockets.push(socket)
    }
    return flood
  }

  /** As many as wanted, each from the next address; resolves when all of them are sent. */
  async send(count: number, make: (n: number, from: { address: string; port: number }) => string | Buffer) {
    for (let n = 0; n < count; n++) {
      const socket = this.#sockets[n % this.#sockets.length]
      const { address, port } = socket?.address() ?? { address: '', port: 0 }
      socket?.send(make(n, { address, port }), this.#port, '127.0.0.1')
      if (n % atOnce === 0) await setImmediate()
    }
    await setImmediate()
  }

  close(): void {
    for (const socket of this.#sockets) socket.close()
  }
}

/** A request that nothing is wrong with, and that is like no other of the same sender. */
export const writtenBy = (
  method: string,
  n: number,
  { address, port }: { address: string; port: number },
  body = '',
  uri = ours,
): string =>
  [
    `${method} ${uri} SIP/2.0`,
    `Via: SIP/2.0/UDP ${address}:${port};rport;branch=z9hG4bK${address}-${n}`,
    `From: <sip:${n}@${address}>;tag=${n}`,
    `To: <${uri}>`,
    `Call-ID: ${address}-${port}-${n}`,
    `CSeq: 1 ${method}`,
    `Contact: <sip:x@${address}:${port}>`,
    ...(body === '' ? [] : ['Content-Type: application/sdp']),
    `Content-Length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n')

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** What is really held, in megabytes. */
export function heldMb(): number {
  collect()
  collect()
  return process.memoryUsage().heapUsed / 2 ** 20
}

/** The same numbers every time. */
export function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const splices = [
  '\r\n',
  '\0',
  '"',
  '<',
  '>',
  ';',
  ',',
  ':',
  '@',
  '%',
  ' ',
  '\t',
  '\u{1F600}',
  '-1',
  '99999999999',
  'z9hG4bK',
  'SIP/2.0',
]

/** The message with a few bytes changed, cut, doubled or put in. */
export function mutated(message: string, random: () => number): string {
  let text = message
  for (let changes = 1 + Math.floor(random() * 4); changes > 0; changes--) {
    const at = Math.floor(random() * text.length)
    const length = Math.floor(random() * 12)
    const splice = splices[Math.floor(random() * splices.length)] ?? ''
    const choice = Math.floor(random() * 4)
    if (choice === 0) text = text.slice(0, at) + text.slice(at + length)
    else if (choice === 1) text = text.slice(0, at) + splice + text.slice(at)
    else if (choice === 2) text = text.slice(0, at) + text.slice(at, at + length).repeat(3) + text.slice(at)
    else text = text.slice(0, at) + String.fromCharCode(Math.floor(random() * 256)) + text.slice(at + 1)
  }
  return text
}
