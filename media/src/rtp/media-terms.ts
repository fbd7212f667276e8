import type { MediaSecurity } from '../srtp/media-security.ts'
import type { Codec, OpusTerms } from './codecs.ts'

/** What a SIP dialog agreed on about its sound: where it goes to and comes from, and in which form. */
export interface MediaTerms {
  /** Even, as RTP wants it. */
  localPort: number
  /** That the socket is bound to. */
  localAddress: string
  remoteAddress: string
  remotePort: number
  /** Where the signalling comes from: sound from there may be the party's too, behind a router. */
  signalledFrom: string
  codec: Codec
  payloadType: number
  /** What the other end may send instead: it named more than one codec in its answer. */
  others?: { codec: Codec; payloadType: number }[]
  /** Only with Opus. */
  opus?: OpusTerms
  /** Of telephone events (RFC 4733); null if the other end has none. */
  tonePayloadType: number | null
  /** 8000 if it is not said. */
  toneClockRate?: number
  /** It takes keys as signalling (INFO), if it has no telephone events. */
  takesInfo?: true
  /** Of comfort noise (RFC 3389), which may be sent in silence; absent if the other end knows none. */
  comfortPayloadType?: number
  /** Of each packet that is sent. */
  ptimeMs: number
  /** Reports share the port for sound (RFC 5761). */
  rtcpMux?: true
  /** Where the other end has its reports, if that is not the port above the one for sound. */
  remoteRtcpPort?: number
  /** It sends nothing, so that its silence says nothing. */
  onlyListens?: true
  /** What the packets are encrypted with; absent if they are in the clear. */
  security?: MediaSecurity
}
