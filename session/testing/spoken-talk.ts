import { once, EventEmitter } from 'node:events'
import { after } from 'node:test'
import { dispose } from '@livekit/rtc-node'
import type { CallReason, NewEntry } from '@switchroom/contract/log'
import type { Config, EndOfTurn } from '@switchroom/contract/settings'
import type { TranscriberRun, RealtimeRun, SpokenParts, VoiceRun } from '../src/spoken/spoken-parts.ts'
import { SpokenSession } from '../src/spoken/spoken-session.ts'
import type { ModelRun } from '../src/parts.ts'
import { ScriptedSound } from './scripted-sound.ts'
import { Talk } from './talk.ts'

const started = new Set<SpokenTalk>()

// a test that failed leaves its call behind, and LiveKit's native half keeps a process alive
after(async () => {
  await Promise.all([...started].map((talk) => talk.hangUp()))
  await dispose()
})

const patienceMs = 15_000

/** A spoken call around a scripted party and scripted vendors. `told` has everything written or shown, in order. */
export class SpokenTalk extends Talk {
  readonly sound = new ScriptedSound()
  readonly told: NewEntry[] = []
  transcribers: TranscriberRun[]
  voices: VoiceRun[]
  realtime: RealtimeRun[] = []
  config: Config = { turn: { endpointing_ms: 300 } }
  endOfTurn: EndOfTurn = 'framework'
  sendsAudioMetrics = false
  idleTimeoutMs: number | null = null
  record: SpokenParts['record'] = null
  contact: string | null = null
  ended: Promise<CallReason> | null = null
  readonly #hangUp = new AbortController()
  readonly #tells = new EventEmitter()
  #session: SpokenSession | null = null

  constructor(model: ModelRun, transcriber: TranscriberRun, voice: VoiceRun) {
    super(model)
    this.transcribers = [transcriber]
    this.voices = [voice]
  }

  spokenParts(): SpokenParts {
    const { sound, config, endOfTurn, transcribers, voices, realtime } = this
    const { sendsAudioMetrics, idleTimeoutMs, record, contact } = this
    const { entries: _, ...parts } = this.parts()
    return {
      ...parts,
      callId: 'call_1',
      contact,
      sound,
      config,
      endOfTurn,
      transcribers,
      voices,
      realtime,
      sendsAudioMetrics,
      idleTimeoutMs,
      record,
      keep: async (entries) => {
        this.#tell(entries)
        await parts.keep(entries)
      },
      show: (entries) => this.#tell(entries),
    }
  }

  #tell(entries: readonly NewEntry[]) {
    this.told.push(...structuredClone(entries))
    this.#tells.emit('told')
  }

  start(): SpokenSession {
    this.#session = new SpokenSession(this.spokenParts(), [...this.entries])
    started.add(this)
    this.ended = this.#session.run(this.#hangUp.signal).then(({ reason }) => reason)
    return this.#session
  }

  /** The data of the nth entry of a type, kept or shown, once there is one. */
  async until(type: string, nth = 1): Promise<Readonly<Record<string, unknown>>> {
    const found = () => this.told.filter((entry) => entry.type === type)[nth - 1]
    await this.untilTrue(() => found() !== undefined, `${type} number ${nth}`)
    return found()?.data ?? {}
  }

  async untilTrue(holds: () => boolean, what = 'what was waited for') {
    const signal = AbortSignal.timeout(patienceMs)
    while (!holds())
      await once(this.#tells, 'told', { signal }).catch(() => {
        throw new Error(`${what} did not come; the entries so far: ${this.types().join(' ')}`)
      })
  }

  /** The types of the entries so far, in order; only those named, if any are. */
  types(...named: string[]): string[] {
    const types = this.told.map(({ type }) => type)
    return named.length === 0 ? types : types.filter((type) => named.includes(type))
  }

  /** The data of the entries of a type. */
  dataOf(type: string) {
    return this.told.filter((entry) => entry.type === type).map(({ data }) => data)
  }

  async hangUp(): Promise<CallReason> {
    this.#hangUp.abort()
    return (await this.ended) ?? 'failed'
  }
}
