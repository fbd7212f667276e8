import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyReply } from 'fastify'
import { acceptedEncodings } from './accepted-encodings.ts'

/** Shorter ones fit into a packet as they are. */
const compressedFromBytes = 1024

const compress = promisify(gzip)

/** A JSON answer for several requests: it is written once, and compressed once if one of them accepts that. */
export class SharedAnswer {
  readonly #json: string
  #bytes: Buffer | undefined
  #compressed: Promise<Buffer> | undefined

  constructor(json: string) {
    this.#json = json
  }

  async sendTo(reply: FastifyReply, accepted: string | undefined): Promise<FastifyReply> {
    reply.type('application/json; charset=utf-8').header('vary', 'accept-encoding')
    if (this.#json.length < compressedFromBytes || !acceptedEncodings(accepted).has('gzip'))
      return reply.send((this.#bytes ??= Buffer.from(this.#json)))
    const compressed = await (this.#compressed ??= compress(this.#json))
    return reply.header('content-encoding', 'gzip').send(compressed)
  }
}
