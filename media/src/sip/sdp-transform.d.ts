declare module 'sdp-transform' {
  export interface Connection {
    version: number
    ip: string
  }

  export interface Media {
    type: string
    port: number
    protocol: string
    /** A number if there is only one. */
    payloads?: string | number
    connection?: Connection
    direction?: string
    ptime?: number
    rtcp?: { port: number }
    rtcpMux?: string
    maxptime?: number
    /** What looks like a number is one, in every field. */
    rtp?: { payload: number; codec: string | number; rate?: number; encoding?: number | string }[]
    fmtp?: { payload: number; config: string }[]
    crypto?: { id: number; suite: string; config: string }[]
    fingerprint?: { type: string; hash: string }
    setup?: string
  }

  export interface Session {
    origin?: {
      username: string
      sessionId: string | number
      sessionVersion: number
      netType: string
      ipVer: number
      address: string
    }
    name?: string
    connection?: Connection
    timing?: { start: number; stop: number }
    direction?: string
    media: Media[]
  }

  const transform: { parse(sdp: string): Session; write(session: Session): string }
  export default transform
}
