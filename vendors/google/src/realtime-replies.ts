import type { RealtimeUsage } from '@switchroom/kit/vendor'
import { outputRate } from './realtime-messages.ts'

const bytesPerMs = (outputRate * 2) / 1_000
/** Of so many replies it is known what they said, for the note of how much of it was heard. */
const mostRemembered = 16

/** A reply as the vendor makes it. */
export interface ServerTurn {
  reply: string
  /** Whether the session asked for it. */
  isAsked: boolean
  text: string
  audioMs: number
  /** The rest of it is not wanted. */
  isStopped: boolean
  /** The model was sent that it is interrupted. */
  isNoted: boolean
  /** The vendor said that it is interrupted: what it says from then on is not of this reply. */
  isInterrupted: boolean
  /** Nothing more is said of it. */
  isDone: boolean
  isGenerated: boolean
  usage: RealtimeUsage | null
}

/** The replies that were asked for, in the order in which the vendor makes and ends them. */
export class ServerTurns {
  #open: ServerTurn[] = []
  #unasked = 0
  readonly #remembered = new Map<string, ServerTurn>()

  begin(reply: string) {
    this.#add(reply, true)
  }

  /** One that the session does not hear. */
  beginUnasked() {
    this.#add(`unasked_${(this.#unasked += 1)}`, false)
  }

  #add(reply: string, isAsked: boolean) {
    const turn: ServerTurn = {
      reply,
      isAsked,
      text: '',
      audioMs: 0,
      isStopped: !isAsked,
      isNoted: false,
      isInterrupted: false,
      isDone: false,
      isGenerated: false,
      usage: null,
    }
    this.#open.push(turn)
    this.#remembered.set(reply, turn)
    const [oldest] = this.#remembered.keys()
    if (this.#remembered.size > mostRemembered && oldest !== undefined) this.#remembered.delete(oldest)
  }

  get(reply: string): ServerTurn | undefined {
    return this.#remembered.get(reply)
  }

  /** Those of which more may come. */
  get unfinished(): ServerTurn[] {
    return this.#open.filter(({ isDone }) => !isDone)
  }

  /** Whether a reply is being made that must not be interrupted. */
  get isBusy(): boolean {
    return this.unfinished.some(({ isStopped }) => !isStopped)
  }

  /** The one that is spoken now: those before it are over, whether the vendor said so or not. */
  speaking(): { turn: ServerTurn | undefined; over: ServerTurn[] } {
    const unfinished = this.unfinished
    const turn = unfinished.find(({ isInterrupted }) => !isInterrupted)
    if (!turn) return { turn: unfinished[0], over: [] }
    const before = this.#open.splice(0, this.#open.indexOf(turn))
    return { turn, over: before.filter(({ isDone }) => !isDone) }
  }

  addAudio(turn: ServerTurn, pcm: Uint8Array) {
    turn.audioMs += pcm.length / bytesPerMs
  }

  interrupted() {
    const [turn] = this.unfinished
    if (turn) turn.isInterrupted = true
  }

  /** Of a reply that called tools it may come after the calls. */
  generated(): ServerTurn | undefined {
    const turn = this.#open.find(({ isGenerated }) => !isGenerated)
    if (turn) turn.isGenerated = true
    return turn?.isDone ? undefined : turn
  }

  /** The vendor ended its oldest turn; it waits with that until the reply would have been heard. */
  completed(): ServerTurn | undefined {
    const turn = this.#open.shift()
    return turn?.isDone ? undefined : turn
  }

  /** Whose usage is said now. */
  get counted(): ServerTurn | undefined {
    return this.#open[0] ?? [...this.#remembered.values()].at(-1)
  }

  /** Another connection makes what was not made on this one. */
  forgetDone() {
    this.#open = this.unfinished
  }
}

/** As many of its words as fit the part of it that was heard. */
export function heardOf({ text, audioMs }: ServerTurn, heardMs: number): string {
  const share = audioMs === 0 ? 0 : Math.min(1, heardMs / audioMs)
  const length = Math.round(text.trim().length * share)
  let heard = ''
  for (const word of text.trim().split(/\s+/u)) {
    const more = heard === '' ? word : `${heard} ${word}`
    if (more.length > length) break
    heard = more
  }
  return heard
}
