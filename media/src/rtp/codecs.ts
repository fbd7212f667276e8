/** What is spoken over RTP, by its name in SDP. */
export type Codec = 'opus' | 'G722' | 'PCMU' | 'PCMA'

export interface CodecFacts {
  /** Fixed by RFC 3551, or ours where none is. */
  payloadType: number
  /** Of the timestamps; G.722's is half of its samples' by an old mistake that every phone repeats (RFC 3551 4.5.2). */
  clockRate: number
  /** Of the sound that it carries to us. */
  sampleRate: 8000 | 16_000 | 24_000
}

export const codecs: Readonly<Record<Codec, CodecFacts>> = {
  opus: { payloadType: 111, clockRate: 48_000, sampleRate: 24_000 },
  G722: { payloadType: 9, clockRate: 8000, sampleRate: 16_000 },
  PCMU: { payloadType: 0, clockRate: 8000, sampleRate: 8000 },
  PCMA: { payloadType: 8, clockRate: 8000, sampleRate: 8000 },
}

/** What the far end wants of the Opus that it gets (RFC 7587). */
export interface OpusTerms {
  bitsPerSecond: number
  /** Each packet repeats the one before it, so that one that is lost is not missed. */
  repeats: boolean
  /** It takes a silence in which hardly anything is sent. */
  takesPauses: boolean
}
