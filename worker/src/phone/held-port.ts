import { MediaError } from '@switchroom/media/plane'
import type { MediaTerms } from '@switchroom/media/rtp/media-terms'
import { createSocket, type Socket } from 'node:dgram'

/** Keeps a port for sound until the caller has acknowledged the answer; what comes to it before is not heard. */
export class HeldPort {
  #socket: Socket | undefined

  /** Rejects with a `MediaError` if the port cannot be had. */
  async bind({ localPort, localAddress }: MediaTerms): Promise<void> {
    const socket = createSocket(localAddress.includes(':') ? 'udp6' : 'udp4')
    await new Promise<void>((resolve, reject) => {
      socket.once('error', ({ code = 'unknown' }: NodeJS.ErrnoException) => {
        socket.close()
        reject(new MediaError(`the port ${localPort} for sound could not be opened: ${code}`))
      })
      socket.bind({ port: localPort, address: localAddress }, resolve)
    })
    socket.removeAllListeners('error').on('error', () => {}) // the call's process binds it anew, and says what is wrong
    this.#socket = socket
  }

  /** The port is free for the next socket. */
  async letGo(): Promise<void> {
    const socket = this.#socket
    this.#socket = undefined
    if (socket) await new Promise<void>((resolve) => socket.close(resolve))
  }
}
