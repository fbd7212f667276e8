import { untilAborted } from '@switchroom/kit/until-aborted'
import type { RealtimeAsked, RealtimeModel, RealtimeTold, ToolCall } from '@switchroom/kit/vendor'
import type { RealtimeRun } from '../src/spoken/spoken-parts.ts'

const sampleRate = 24_000

type Wish = Extract<RealtimeAsked, { type: 'reply' | 'say' }>
export type Asked = Exclude<RealtimeAsked, Uint8Array>

/** What the model does when it is asked: says this, calls these, fails so, or says nothing at all. */
export interface RealtimeDeed {
  text?: string
  calls?: ToolCall[]
  fails?: string
  /** The connection breaks after so many words. */
  breaksAfter?: number
  isSilent?: boolean
}

const usage = { inputTokens: 90, outputTokens: 40, inputAudioTokens: 60, outputAudioTokens: 30 }

/** A realtime model that does one deed after the other, and hears what a test has the party say. */
export class ScriptedRealtime implements RealtimeRun {
  readonly vendor: string
  readonly model = 'live-1'
  readonly key = 'lent'
  readonly realtime: RealtimeModel
  /** What it was asked, conversation by conversation. */
  readonly conversations: Asked[][] = []
  heardBytes = 0
  wordMs = 100
  /** It takes so long from one word to the next; no time by default. */
  betweenWordsMs = 0
  broken: Error | null = null
  /** What a reply used comes after its end. */
  saysUsageLater = false
  /** The connection breaks after so many words of the next text that it is asked to say. */
  breaksSaying: number | null = null
  readonly #deeds: RealtimeDeed[]
  #events: (RealtimeTold | Error)[] = []
  #wake: (() => void) | null = null
  #stopped = new Set<string>()
  #turns = 0

  constructor(vendor: string, ...deeds: RealtimeDeed[]) {
    this.vendor = vendor
    this.#deeds = deeds
    this.realtime = { sampleRate, converse: (asked, signal) => this.#converse(asked, signal) }
  }

  /** What it was asked of a kind, in whichever conversation. */
  asked<T extends Asked['type']>(type: T): Extract<Asked, { type: T }>[] {
    return this.conversations.flat().filter((one): one is Extract<Asked, { type: T }> => one.type === type)
  }

  /** The party has said something, whose words come with it or later. */
  hears(text?: string | null): string {
    const turn = `turn_${(this.#turns += 1)}`
    this.tells({ type: 'turn', state: 'started', turn }, { type: 'turn', state: 'ended', turn })
    if (text !== undefined) this.tells({ type: 'final', turn, text })
    return turn
  }

  tells(...events: (RealtimeTold | Error)[]) {
    this.#events.push(...events)
    this.#wake?.()
  }

  async *#converse(asked: AsyncIterable<RealtimeAsked>, signal: AbortSignal): AsyncIterable<RealtimeTold> {
    const conversation: Asked[] = []
    this.conversations.push(conversation)
    this.#events = []
    if (this.broken) throw this.broken
    yield { type: 'ready' }
    void this.#take(asked, conversation)
    for (;;) {
      const event = this.#events.shift()
      if (event instanceof Error) throw event
      if (event) yield event
      else await untilAborted(new Promise<void>((resolve) => (this.#wake = resolve)), signal)
    }
  }

  async #take(asked: AsyncIterable<RealtimeAsked>, conversation: Asked[]) {
    for await (const one of asked) {
      if (one instanceof Uint8Array) {
        this.heardBytes += one.length
        continue
      }
      conversation.push(structuredClone(one))
      if (one.type === 'stop') this.#stopped.add(one.reply)
      if (one.type === 'reply' || one.type === 'say') void this.#reply(one)
    }
  }

  #saying(text: string): RealtimeDeed {
    const breaksAfter = this.breaksSaying ?? Infinity
    this.breaksSaying = null
    return { text, breaksAfter }
  }

  async #reply(wish: Wish) {
    const { reply } = wish
    const deed = wish.type === 'say' ? this.#saying(wish.text) : (this.#deeds.shift() ?? { text: 'Well.' })
    const { text = '', calls = [], fails = null, breaksAfter = Infinity, isSilent = false } = deed
    if (isSilent) return
    const pcm = tone((sampleRate * this.wordMs) / 1_000)
    for (const [nth, word] of (text.match(/\S+\s*/gu) ?? []).entries()) {
      if (nth >= breaksAfter) return this.tells(new Error('it broke off'))
      if (this.betweenWordsMs > 0)
        await new Promise((resolve) => void setTimeout(resolve, this.betweenWordsMs))
      if (this.#stopped.has(reply)) break
      this.tells({ type: 'text', reply, text: word }, { type: 'audio', reply, item: `item_of_${reply}`, pcm })
    }
    if (!this.#stopped.has(reply))
      this.tells(...calls.map((call) => ({ type: 'call', reply, ...call }) as const))
    this.tells({ type: 'replied', reply, failure: fails, usage: this.saysUsageLater ? null : usage })
    if (this.saysUsageLater) this.tells({ type: 'used', reply, usage })
  }
}

function tone(samples: number): Uint8Array {
  const wave = Int16Array.from(
    { length: samples },
    (_, at) => 6_000 * Math.sin((2 * Math.PI * 300 * at) / sampleRate),
  )
  return new Uint8Array(wave.buffer)
}
