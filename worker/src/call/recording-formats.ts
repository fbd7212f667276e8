import { randomBytes } from 'node:crypto'
import { wavHeader, wavHeaderBytes } from '@switchroom/audio/wav'
import { isOpusRate, OggOpusWriter } from '@switchroom/audio/ogg-opus'

export const recordingFormats = ['wav', 'opus'] as const
export type RecordingFormat = (typeof recordingFormats)[number]

export const mediaTypes: Readonly<Record<RecordingFormat, string>> = { wav: 'audio/wav', opus: 'audio/ogg' }

const channels = 2

/** Makes a file of 16 bit stereo samples. */
export interface RecordingEncoder {
  readonly format: RecordingFormat
  /** Bytes at the beginning that are written last. */
  readonly headBytes: number
  encode(samples: Int16Array): Uint8Array
  end(): Uint8Array
  /** For a file that has so many bytes behind it. */
  head(bytes: number): Uint8Array
}

/** A sample rate that Opus does not have is recorded as WAV. */
export function newRecordingEncoder(wanted: RecordingFormat, sampleRate: number): RecordingEncoder {
  return wanted === 'opus' && isOpusRate(sampleRate)
    ? opusEncoder(new OggOpusWriter(sampleRate, randomBytes(4).readUInt32LE()))
    : wavEncoder(sampleRate)
}

const nothing = new Uint8Array(0)

const wavEncoder = (sampleRate: number): RecordingEncoder => ({
  format: 'wav',
  headBytes: wavHeaderBytes,
  encode: ({ buffer, byteOffset, byteLength }) =>
    new Uint8Array(buffer.slice(byteOffset, byteOffset + byteLength)),
  end: () => nothing,
  head: (bytes) => wavHeader({ sampleRate, channels, dataBytes: bytes }),
})

function opusEncoder(writer: OggOpusWriter): RecordingEncoder {
  let head = writer.head()
  return {
    format: 'opus',
    headBytes: 0,
    encode(samples) {
      const encoded = Buffer.concat([head, writer.encode(samples)])
      head = Buffer.alloc(0)
      return encoded
    },
    end: () => writer.end(),
    head: () => nothing,
  }
}
