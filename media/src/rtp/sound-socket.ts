import { createSocket, type Socket } from 'node:dgram'
import { isIPv6 } from 'node:net'
import { MediaError } from '../plane.ts'
import type { MediaTerms } from './media-terms.ts'

const receiveBytes = 512 * 1024

/** The socket of a leg's sound, bound to its port; rejects with a `MediaError` if the port cannot be had. */
export async function bindSound({
  localPort,
  localAddress,
}: Pick<MediaTerms, 'localPort' | 'localAddress'>): Promise<Socket> {
  const family = isIPv6(localAddress) ? 6 : 4
  const socket = createSocket({
    type: family === 6 ? 'udp6' : 'udp4',
    recvBufferSize: receiveBytes, // what comes while this process is busy is kept
    lookup: (address, _options, found) => found(null, address, family), // every address is a literal one
  })
  await new Promise<void>((resolve, reject) => {
    const fail = ({ code = 'unknown' }: NodeJS.ErrnoException) => {
      socket.close()
      reject(new MediaError(`the port ${localPort} for sound could not be opened: ${code}`))
    }
    socket.once('error', fail)
    socket.bind({ port: localPort, address: localAddress }, () => {
      socket.off('error', fail)
      resolve()
    })
  })
  return socket
}
