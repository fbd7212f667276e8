import { BrowserLeg } from './browser-leg.ts'
import { readOffer } from './offer.ts'
import { Peer, type PeerOptions } from './peer.ts'

export interface AnswerOptions extends PeerOptions {
  /** Of the leg's samples: 24000 by default. */
  sampleRate?: 16_000 | 24_000
}

/** Answers a browser's SDP offer; the answer holds every candidate, so nothing follows it. Fails with a `MediaError`. */
export async function answerOffer(
  offer: string,
  options: AnswerOptions = {},
): Promise<{ sdp: string; leg: BrowserLeg }> {
  const read = readOffer(offer)
  const peer = await Peer.answer(read, options)
  return { sdp: peer.sdp, leg: new BrowserLeg(peer, read, options.sampleRate ?? 24_000) }
}
