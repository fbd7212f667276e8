import type { FileHandle } from 'node:fs/promises'

/** How far into a file its audio data may begin. */
const longestHeader = 4096

/** How long a WAV file plays; undefined if it is no WAV file. The length in its header is ignored. */
export async function wavDurationMs(file: FileHandle, bytes: number): Promise<number | undefined> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(longestHeader), 0, longestHeader, 0)
  const header = buffer.subarray(0, bytesRead)
  if (header.toString('latin1', 0, 4) !== 'RIFF' || header.toString('latin1', 8, 12) !== 'WAVE')
    return undefined
  let bytesPerSecond = 0
  for (let at = 12; at + 8 <= header.length;) {
    const [chunk, length] = [header.toString('latin1', at, at + 4), header.readUInt32LE(at + 4)]
    if (chunk === 'fmt ' && at + 20 <= header.length) bytesPerSecond = header.readUInt32LE(at + 16)
    if (chunk === 'data')
      return bytesPerSecond > 0 ? Math.round(((bytes - at - 8) / bytesPerSecond) * 1000) : undefined
    at += 8 + length + (length % 2)
  }
  return undefined
}
