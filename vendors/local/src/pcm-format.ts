/** What the bytes of a recording or a live stream are. */
export interface PcmFormat {
  sampleRate: number
  channels: number
  /** Little-endian: signed 16 bits, or 32 bits of floating point. */
  encoding: 's16' | 'f32'
}

export const bytesPerSecond = ({ sampleRate, channels, encoding }: PcmFormat) =>
  sampleRate * channels * (encoding === 's16' ? 2 : 4)
