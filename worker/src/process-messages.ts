import type { BrowserOffer, CarrierRoute } from '@switchroom/contract/media-plane'
import type { Environment } from '@switchroom/contract/scopes'
import type { OpenedWorkerCall } from '@switchroom/contract/worker'
import type { LegEnd, SoundState } from '@switchroom/media/leg'
import type { RoomTerms } from '@switchroom/media/livekit/room'
import type { LiveKitAddress } from '@switchroom/media/livekit/server'
import type { MediaTerms } from '@switchroom/media/rtp/media-terms'
import type { KeyedSecurity } from '@switchroom/media/srtp/media-security'
import type { SipTrunk } from '@switchroom/media/sip/server'
import type { Occasion } from './sentences.ts'

// The worker has the signalling of every call; processes of its own have the sound and the conversations.

/** A call for a process to run. */
export type CallTask =
  | {
      kind: 'phone'
      opened: OpenedWorkerCall
      leg: string
      terms: MediaTerms
      /** Epoch milliseconds by which it has to be over, whatever the agent's settings say. */
      endsAt: number | null
    }
  | { kind: 'browser'; offer: BrowserOffer }
  | RoomTask

/** A call in a room of a LiveKit server. */
export interface RoomTask {
  kind: 'room'
  call: string
  env: Environment
  /**
   * A phone that called, a browser's or a dialled call that is known already, a phone for which there is no place, or
   * one whose process was lost.
   */
  way: 'arrived' | 'known' | 'placed' | 'overflow' | 'lost'
  terms: RoomTerms
  server: LiveKitAddress
  /** As for a phone. */
  endsAt: number | null
  /** The agent's, if it is known. */
  language: string | undefined
}

/** What a second person is dialled by. */
export interface LegDial {
  to: string
  from: string
  trunk: SipTrunk
  /** To try in this order if the trunk cannot carry the call. */
  fallbacks?: readonly CarrierRoute[]
  /** The number of the caller who is forwarded. */
  caller?: string
}

export interface SentenceAsked {
  occasion: Occasion
  language: string | undefined
  /** Whether there is a number to call back. */
  callsBack: boolean
}

/** A packet that came before the process had the socket. */
export interface EarlyPacket {
  /** In base64. */
  bytes: string
  address: string
  port: number
}

export type ToProcess =
  | { type: 'run'; task: CallTask }
  /** Binds a leg's sound, before the leg is answered; a socket that comes with it is bound already. */
  | { type: 'leg.open'; leg: string; terms: MediaTerms; early?: EarlyPacket[] }
  /** What came to that socket while it was handed over. */
  | { type: 'leg.early'; leg: string; packets: EarlyPacket[] }
  | { type: 'leg.terms'; leg: string; terms: MediaTerms; isHeld: boolean }
  | { type: 'leg.tone'; leg: string; digit: string }
  | { type: 'leg.ended'; leg: string; end: LegEnd }
  /** What became of a question. */
  | {
      type: 'answer'
      ask: number
      failure: string | null
      dialled?: { leg: string; terms: MediaTerms }
      /** Samples at 8 kHz. */
      clip?: string
    }
  /** Keeps the vendors of this machine loaded: calls use them. */
  | { type: 'warm' }
  /** This call ends now. */
  | { type: 'call.end'; call: string }
  /** Every call ends now. */
  | { type: 'end' }

export type FromProcess =
  | { type: 'ready' }
  | { type: 'leg.opened'; leg: string; failure: string | null }
  /** What a handshake has found, so that the caller hears a sentence if the process is lost. */
  | { type: 'leg.keys'; leg: string; keys: KeyedSecurity }
  | { type: 'leg.hangUp'; leg: string }
  /** Whether sound comes from the party. */
  | { type: 'leg.sound'; leg: string; sound: SoundState }
  | { type: 'leg.refer'; leg: string; to: string; ask: number }
  /** A key that the party takes as signalling. */
  | { type: 'leg.press'; leg: string; key: string; ask: number }
  | { type: 'leg.dial'; call: string; dial: LegDial; ask: number }
  /** The dial was given up. */
  | { type: 'leg.giveUp'; ask: number }
  /** So that the caller hears a sentence in it if the process is lost. */
  | { type: 'call.language'; call: string; language: string }
  /** Whether a vendor of this machine hears or speaks in it. */
  | { type: 'call.vendors'; call: string; onMachine: boolean }
  /** For one of the worker's own sentences. */
  | { type: 'sentence'; asked: SentenceAsked; ask: number }
  /** How late its event loop was at most in the last seconds, in which it ran calls. */
  | { type: 'process.delay'; longestMs: number }
  | { type: 'call.over'; call: string }
