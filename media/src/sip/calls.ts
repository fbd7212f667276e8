import type { SoundState } from '../leg.ts'
import { MediaError } from '../plane.ts'
import type { MediaTerms } from '../rtp/media-terms.ts'
import type { FenceTerms, Trunk } from '@switchroom/contract/trunk-terms'
import { plainLine, sentenceOfSip } from '../failure-words.ts'

/** Who may send calls to which numbers, as the gateway sends it to its workers. */
export interface SipFence extends FenceTerms {
  name: string
  /** IPv4 networks. */
  networks: readonly string[]
  /** E.164 with +, or `201@acme/…` for the extension 201. */
  numbers: readonly string[]
  /** What the peer proves itself with; null if its network is proof enough. */
  pair: { username: string; password: string } | null
  fleet: string
}

/** Its `hostname` is `host` or `host:port`. */
export type SipTrunk = Trunk

/** How a dialog ended: one side hung up, or nothing was heard of the far end any more. */
export type DialogEnd = 'hangup' | 'lost'

/** A call that was answered. */
export interface SipDialog {
  readonly terms: MediaTerms
  /** The far end moved its sound, or holds the call: nothing is sent while it is held. */
  onTermsChanged(listener: (terms: MediaTerms, isHeld: boolean) => void): void
  /** Sends the far end on to a number, an extension or a SIP address, and ends this call; rejects with `SipRefused` if it stays. */
  refer(to: string): Promise<void>
  /** Nothing when it is over. */
  bye(): Promise<void>
  /** Resolves once, whichever side ended it; its media port is free from then on. */
  readonly ended: Promise<DialogEnd>
  /** A key that came as signalling (INFO) in place of sound. */
  onInfoTone(listener: (digit: string) => void): void
  /** Presses a key by INFO; rejects with `SipRefused` if the far end does not take it so. */
  sendInfoTone(key: string): Promise<void>
  /** Whether sound comes from the far end: one that is silent and answers nothing is lost, one that is heard never is. */
  tellSound(sound: SoundState): void
}

/** A call from an admitted source, which has got 100 Trying and nothing else. */
export interface IncomingInvite {
  /** As its fence lists it; null if an agent is asked for by name. */
  readonly number: string | null
  /** Only from this machine. */
  readonly agent: string | null
  /** E.164 with + if it is a number; empty if it is withheld. */
  readonly from: string
  /** E.164 with +: which number sent the call on to this one; empty if none did. */
  readonly divertedFrom: string
  /** Null for a phone on this machine. */
  readonly fence: SipFence | null
  /** Aborted when the caller gave up. */
  readonly signal: AbortSignal
  /**
   * Has the sound prepared before the caller hears that they are answered, on another port if a `MediaError` says
   * that one cannot be had. Resolves when the caller acknowledged the answer; no sound before that is theirs. Rejects
   * with `MediaError` when the caller gave up, never acknowledged, or their answer to our offer does not fit.
   */
  accept(prepare?: (terms: MediaTerms) => Promise<void>): Promise<SipDialog>
  reject(status: number, reason?: string): void
  ring(): void
}

/** The far end said no; `status` is its answer, 408 when none came and 503 when it could not be reached. */
export class SipRefused extends MediaError {
  readonly status: number
  readonly reason: string
  /** Whether a phone had rung or answered by then. */
  hasRung = false

  constructor(status: number, reason: string, why?: string) {
    super(sentenceOfSip(status, reason, why))
    this.status = status
    this.reason = plainLine(reason)
  }
}

/** Nothing was answered, so that the status is ours. */
export class SipUnanswered extends SipRefused {
  constructor(status: 408 | 487 | 503, reason: string, why: string) {
    super(status, reason)
    this.message = why
  }
}

export interface SipStats {
  /** Answered calls in progress. */
  dialogs: number
  /** Asked for and not answered yet. */
  ringing: number
  /** Answered, and not acknowledged yet. */
  unacknowledged: number
  transactions: number
  connections: number
  /** Messages since the start: dropped because no fence lists their source, */
  refused: number
  /** because their source sends too many, */
  limited: number
  /** or because they are no SIP. */
  malformed: number
}
