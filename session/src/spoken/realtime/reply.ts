import { silent } from '@switchroom/kit/failures'
import type { RealtimeTold, RealtimeUsage, Thought } from '@switchroom/kit/vendor'
import { PieceQueue } from '../piece-queue.ts'
import type { RealtimeRun } from '../spoken-parts.ts'

const bytesPerSample = 2

export type ReplyPiece = { type: 'audio'; item: string; pcm: Uint8Array } | { type: 'text'; text: string }

type ToldOfReply = Exclude<Extract<RealtimeTold, { reply: string }>, { type: 'used' }>

/** One reply of a realtime model: its audio for the player, its text for the log. */
export class RealtimeReply {
  readonly id: string
  /** The text that it was asked to say; null if it answers. */
  readonly given: string | null
  readonly sound = new PieceQueue<ReplyPiece>()
  readonly thoughts = new PieceQueue<Thought>()
  /** How long each of its items is, as far as it came. */
  readonly items = new Map<string, number>()
  /** The model it was asked of; null before. */
  run: RealtimeRun | null = null
  /** And on which connection. */
  on: object | null = null
  askedMs: number
  firstMs: number | null = null
  overMs: number | null = null
  isUnwanted = false
  readonly #settled = Promise.withResolvers<void>()

  constructor(id: string, given: string | null, nowMs: number) {
    this.id = id
    this.given = given
    this.askedMs = nowMs
  }

  get lengthMs(): number {
    return [...this.items.values()].reduce((sum, ms) => sum + ms, 0)
  }

  /** Resolves once nothing more comes of it, and its usage is known or never will be. */
  get settled(): Promise<void> {
    return this.#settled.promise
  }

  settle() {
    this.#settled.resolve()
  }

  take(told: ToldOfReply, nowMs: number) {
    if (told.type === 'replied') return this.#end(told.failure, told.usage)
    this.firstMs ??= nowMs
    if (this.isUnwanted) return
    if (told.type === 'audio') this.#takeAudio(told)
    else if (told.type === 'text') {
      this.sound.put(told)
      this.thoughts.put(told)
    } else this.thoughts.put(told)
  }

  #takeAudio({ item, pcm }: Extract<ToldOfReply, { type: 'audio' }>) {
    const rate = this.run?.realtime.sampleRate ?? Infinity
    const ms = (pcm.length / bytesPerSample / rate) * 1_000
    this.items.set(item, (this.items.get(item) ?? 0) + ms)
    this.sound.put({ type: 'audio', item, pcm })
  }

  #end(failure: string | null, usage: RealtimeUsage | null) {
    if (failure !== null) return this.fail(silent(failure))
    if (usage) this.thoughts.put({ type: 'usage', ...usage })
    this.thoughts.end()
    this.sound.end()
    if (usage) this.settle()
  }

  /** What was not heard of it yet is not said. */
  fail(error: unknown) {
    this.thoughts.fail(error)
    this.sound.fail(error)
    this.settle()
  }
}
