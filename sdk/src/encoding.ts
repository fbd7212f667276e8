import { SwitchroomError } from './errors.ts'

const longestBytes = 256 * 1024

/** Encodes a frame; the gateway refuses longer ones and those with a NUL. */
export function encoded(frame: object): string {
  const text = JSON.stringify(frame, withoutNul)
  const bytes = Buffer.byteLength(text)
  if (bytes > longestBytes)
    throw new SwitchroomError(
      'FRAME_TOO_LONG',
      `a frame is at most ${longestBytes} bytes, and this one would be ${bytes}`,
    )
  return text
}

const withoutNul = (_key: string, value: unknown) =>
  typeof value === 'string' ? value.replaceAll('\0', '') : value
