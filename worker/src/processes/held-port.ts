import type { MediaTerms } from '@switchroom/media/rtp/media-terms'
import { bindSound } from '@switchroom/media/rtp/sound-socket'
import type { Socket } from 'node:dgram'
import type { EarlyPacket } from '../process-messages.ts'

/** Of sound: a second. */
const mostKept = 50
const longestKept = 1_500

/** Holds a port for sound from the answer until the process that runs the call has it; the newest that comes is kept. */
export class HeldPort {
  #socket: Socket | undefined
  readonly #kept: EarlyPacket[] = []

  /** Rejects with a `MediaError` if the port cannot be had. */
  async bind(terms: MediaTerms): Promise<void> {
    const socket = await bindSound(terms)
    socket.on('error', () => {}) // who gets the socket notices
    socket.on('message', (bytes, { address, port }) => {
      if (bytes.length > longestKept) return
      this.#kept.push({ bytes: bytes.toString('base64'), address, port })
      if (this.#kept.length > mostKept) this.#kept.shift()
    })
    this.#socket = socket
  }

  /**
   * Gives the socket to another process, with what came to it, and without a moment in which nothing listens. Resolves
   * with what still came here meanwhile.
   */
  async handOver(send: (socket: Socket, early: EarlyPacket[]) => Promise<void>): Promise<EarlyPacket[]> {
    if (this.#socket) await send(this.#socket, this.#kept.splice(0))
    await this.release()
    return this.#kept.splice(0)
  }

  /** The port is free for the next socket, if no other process has it. */
  async release(): Promise<void> {
    const socket = this.#socket
    this.#socket = undefined
    if (socket) await new Promise<void>((resolve) => socket.close(resolve))
  }
}
