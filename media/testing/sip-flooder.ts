import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { refusedCorpus, tolerated, tornCorpus } from './sip-corpus.ts'
import { writtenBy } from './sip-flood.ts'
import { offerOf } from './sip-peer.ts'

export interface Flooding {
  port: number
  addresses: readonly string[]
  /** What is called. */
  number: string
}

export interface Flooder {
  sent: number
  /** Datagrams that came back. */
  heard: number
}

const atOnce = 200
const kept = 2_000
/** No datagram holds more. */
const mostBytes = 65_000
const methods = ['INVITE', 'OPTIONS', 'REGISTER', 'BYE', 'CANCEL', 'SUBSCRIBE', 'ACK']
const corpus = [tolerated, refusedCorpus, tornCorpus]
  .flatMap((messages): (string | Buffer)[] => Object.values(messages))
  .filter((message) => message.length < mostBytes)

/** As fast as this process can, until it is stopped. */
async function flood({ port, addresses, number }: Flooding): Promise<void> {
  const told: Flooder = { sent: 0, heard: 0 }
  const sources = await Promise.all(
    addresses.map(async (address) => {
      const socket = createSocket({ type: 'udp4', lookup: (host, _options, found) => found(null, host, 4) })
      socket.on('message', () => told.heard++)
      const isListening = once(socket, 'listening')
      socket.bind(0, address)
      await isListening
      const from = { address, port: socket.address().port }
      const messages = Array.from({ length: kept }, (_, n) =>
        Buffer.from(
          corpus[n % (corpus.length * 3)] ??
            writtenBy(methods[n % methods.length] ?? '', n, from, offerOf(4000), `sip:${number}@127.0.0.1`),
        ),
      )
      return { socket, messages }
    }),
  )
  process.on('message', () => process.send?.(told))
  process.once('disconnect', () => process.exit())
  const burst = () => {
    for (let more = 0; more < atOnce; more++) {
      const source = sources[told.sent % sources.length]
      const message = source?.messages[Math.floor(told.sent / sources.length) % kept]
      told.sent++
      if (message) source.socket.send(message, port, '127.0.0.1', () => {})
    }
    setImmediate(burst)
  }
  burst()
}

if (process.send && import.meta.main) await flood(JSON.parse(process.argv[2] ?? '') as Flooding)
