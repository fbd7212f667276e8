import { knobTable } from '@switchroom/contract/knobs'
import type { CallReason, Entry } from '@switchroom/contract/log'
import type { OpenedWorkerCall } from '@switchroom/contract/worker'
import type { Leg, LegEnd } from '@switchroom/media/leg'
import type { SpokenParts } from '@switchroom/session/spoken/spoken-parts'
import { Unrunnable } from '@switchroom/session/setup/spoken-setup'
import { SpokenSession } from '@switchroom/session/spoken/spoken-session'
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { CallLog } from './call-log.ts'
import { partyGone, sessionOver } from './end-causes.ts'
import { collectDigits } from './extension-window.ts'
import { GatewayRefusal } from '../gateway-client.ts'
import { holdTones } from './hold-tones.ts'
import { LineWatch } from './line-watch.ts'
import { Recording } from './recording.ts'
import type { RecordingFormat } from './recording-formats.ts'
import type { UnsentRecordings } from './unsent-recordings.ts'
import { agentParts, type AgentParts, type PartsSources } from './spoken-parts.ts'
import { stayed, transferred, untransferred, type DialLeg } from './transfers.ts'

const secondMs = 1000
const longestTimerMs = 24 * 3600 * secondMs
/** The result of a transfer is logged before the end, if it comes in time. */
const toldWithinMs = 3 * secondMs

/** Joins two parties; resolves when one of them is gone. */
export type JoinLegs = (caller: Leg, second: Leg) => Promise<void>

export interface SpokenCallParts extends Omit<PartsSources, 'log'> {
  leg: Leg
  /** Brings a second person to the phone. */
  dial: DialLeg
  join: JoinLegs
  /** The browser's network changed; absent for other parties. */
  reconnect?: () => Promise<void>
  tellLanguage: (language: string) => void
  /** Whether a vendor of this machine hears or speaks. */
  tellVendors: (onMachine: boolean) => void
  idleTimeoutMs: number
  recordingFormat: RecordingFormat
  unsentRecordings: Pick<UnsentRecordings, 'send'>
}

/** One call on the process that runs it, from the first sound to the last entry. */
export class SpokenCall {
  readonly #parts: SpokenCallParts
  readonly #opened: OpenedWorkerCall
  readonly #log: CallLog
  readonly #sources: PartsSources
  readonly #recording: Recording
  readonly #lineWatch: LineWatch
  readonly #over = new AbortController()
  #agent: string
  #session: SpokenSession | undefined
  #config: SpokenParts['config'] = {}
  readonly #begunAt = Date.now()
  readonly #longestS: number
  #endsAt = Infinity
  #legEnd: LegEnd | undefined
  /** Why the call ended, in words for the process's log: the first cause counts. */
  #why: string | undefined
  #joined: Promise<void> | undefined
  #transferring: Promise<void> | undefined
  #isOnLine: boolean
  #isTakenOver = false

  constructor(parts: SpokenCallParts, opened: OpenedWorkerCall, endsAt: number | null) {
    const { call, org, agent } = opened
    const logger = parts.logger.child({ call, org, agent })
    this.#parts = { ...parts, logger }
    this.#opened = opened
    this.#agent = opened.agent
    this.#recording = new Recording(parts.recordingFormat)
    this.#longestS = endsAt === null ? Infinity : Math.max(1, (endsAt - this.#begunAt) / secondMs)
    this.#isOnLine = opened.line !== null
    this.#log = new CallLog(parts.gateway, call, logger)
    this.#sources = { ...this.#parts, log: this.#log }
    this.#lineWatch = new LineWatch(
      () => parts.leg.line,
      (entries) => void this.#log.keep(entries).catch(() => {}),
    )
  }

  get #id(): string {
    return this.#opened.call
  }

  /** Resolves when the call is over and everything about it is sent. */
  async run(): Promise<void> {
    const { logger } = this.#parts
    logger.info('a call runs here')
    void this.#awaitLeg()
    this.#lineWatch.start()
    let reason: CallReason = 'failed'
    try {
      reason = await this.#converse()
    } catch (error) {
      if (this.#legEnd === 'hangup') reason = 'hangup'
      else if (!this.#log.isClosed) {
        logger.error({ err: error }, 'a call could not go on')
        this.#why ??= 'it could not go on: the line before this one says why'
        await this.#tellFailure(error)
      }
    }
    await this.#finish(this.#legEnd === 'lost' ? 'failed' : reason)
  }

  async #awaitLeg() {
    const { leg } = this.#parts
    this.#legEnd = await leg.ended
    this.#why ??= leg.whyEnded ?? partyGone[this.#legEnd]
    this.#over.abort()
  }

  /** Ends the call from outside. */
  end(reason: CallReason, why: string): void {
    this.#why ??= why
    this.#session?.end(reason)
    this.#over.abort()
    if (this.#joined) void this.#parts.leg.hangUp().catch(() => {})
  }

  async #converse(): Promise<CallReason> {
    const { gateway } = this.#parts
    const { line } = this.#opened
    const preparing = agentParts(this.#sources, this.#id, this.#agent)
    preparing.catch(() => {}) // awaited below, once the window has closed
    if (line && line.extensionMs > 0) await this.#collectExtension(line.extensionMs)
    const [swapped, entries] = await Promise.all([
      preparing.catch((error: unknown) => this.#preparedForRouted(error)),
      gateway.entriesOf(this.#id),
    ])
    this.#tellSettings(swapped)
    const session = new SpokenSession(this.#spokenParts(swapped), entries)
    this.#session = session
    if (line) session.mute() // its app speaks for itself, until it hands the call over
    const running = session.run(this.#over.signal)
    void session.silent.then((reason) => this.#hangUpAfter(reason)).catch(() => {}) // what is learned takes longer
    const following = this.#follow(entries).catch((error: unknown) => {
      this.#parts.logger.warn({ err: error }, "the call's log is followed no longer")
    })
    const { reason } = await running
    await this.#joined
    this.#over.abort()
    await following
    return reason
  }

  /** The agent has said its last word, unless the caller is connected to another person. */
  async #hangUpAfter(reason: CallReason) {
    if (this.#joined) return this.#joined
    this.#why ??= sessionOver[reason] ?? 'the conversation is over'
    await this.#parts.leg.hangUp()
  }

  /** A line may have handed the call over before anybody asked what its own agent would say. */
  async #preparedForRouted(failure: unknown): Promise<AgentParts> {
    const entries = await this.#parts.gateway.entriesOf(this.#id)
    const routed = entries.findLast(({ type }) => type === 'call.routed')?.data['agent']
    if (typeof routed !== 'string' || routed === this.#agent) throw failure
    this.#agent = routed
    return agentParts(this.#sources, this.#id, routed)
  }

  async #collectExtension(windowMs: number) {
    const { gateway, leg } = this.#parts
    const digits = await collectDigits(leg, windowMs, this.#over.signal)
    await gateway.tellExtension(this.#id, digits).catch((error: unknown) => {
      const isUnwanted = error instanceof GatewayRefusal && error.status === 409 // the line has released the call
      if (!isUnwanted) throw error
    })
  }

  #spokenParts(swapped: AgentParts): SpokenParts {
    const { config, instructions } = swapped
    return {
      ...swapped,
      ...(this.#isOnLine && { instructions: { ...instructions, greeting: null } }),
      config: this.#within(config),
      callId: this.#id,
      sound: this.#parts.leg,
      keep: this.#log.keep,
      show: this.#log.show,
      record: this.#recording.take,
      idleTimeoutMs: this.#parts.idleTimeoutMs,
      newMessageId: () => `msg_${randomBytes(9).toString('base64url')}`,
      nowMs: () => performance.now(),
    }
  }

  /** A placed call has a longest time of its own, its ring included. */
  #within(config: SpokenParts['config']): SpokenParts['config'] {
    this.#config = config
    const { max_duration_s = knobTable.max_duration_s.default.value } = config
    const ownS = max_duration_s === 0 ? Infinity : max_duration_s // 0 is no limit
    const longestS = Math.min(ownS, this.#longestS)
    this.#endsAt = this.#begunAt + longestS * secondMs
    return longestS === Infinity ? config : { ...config, max_duration_s: longestS }
  }

  /** What was asked for before anybody listened is done too; what was whispered, the session has read. */
  async #follow(soFar: readonly Entry[]): Promise<void> {
    for (const entry of soFar) if (entry.type !== 'call.whispered') await this.#tryToObey(entry)
    const after = soFar.at(-1)?.seq ?? 0
    for await (const entry of this.#parts.gateway.follow(this.#id, after, this.#over.signal))
      await this.#tryToObey(entry)
  }

  async #tryToObey(entry: Entry): Promise<void> {
    await this.#obey(entry).catch((error: unknown) => {
      const about = { err: error, type: entry.type }
      this.#parts.logger.warn(about, 'what the log asks for was not done')
    })
  }

  /** What others want of the call. Nothing here may wait long, because the next request waits behind it. */
  async #obey({ type, data }: Entry): Promise<void> {
    const session = this.#session
    const { text = '', agent = '', digits = '', to = '' } = data as Record<string, string> // as the gateway writes them
    if (type === 'say.requested')
      void session?.say(text, data['by'] === undefined ? 'say' : 'human').catch(() => {})
    else if (type === 'call.whispered') session?.whisper(text)
    else if (type === 'call.taken_over' || type === 'call.released')
      this.#takeOver(type === 'call.taken_over')
    else if (type === 'call.routed') await this.#handOver(agent)
    else if (type === 'reconnect.requested') await this.#parts.reconnect?.()
    else if (type === 'hangup.requested') this.end('hangup', 'the page hung up')
    else if (type === 'tones.requested') void session?.press(digits).catch(() => {})
    else if (type === 'transfer.requested') this.#transferOnce(to, data['kind'] === 'cold')
    else if (type === 'call.ended') this.#endedElsewhere()
  }

  #takeOver(isTaken: boolean) {
    this.#isTakenOver = isTaken
    if (isTaken) this.#session?.mute()
    else if (!this.#isOnLine) this.#session?.release() // a line speaks for itself
  }

  /** The line has nothing more to do with it: the agent answers on the same sound. */
  async #handOver(agent: string) {
    this.#agent = agent
    this.#isOnLine = false
    try {
      const swapped = await agentParts(this.#sources, this.#id, agent)
      this.#tellSettings(swapped)
      await this.#session?.swap({ ...swapped, config: this.#within(swapped.config) })
      if (this.#isTakenOver) this.#session?.mute()
    } catch (error) {
      await this.#tellFailure(error)
      this.end('failed', `${agent}, which was to answer, could not`)
      throw error
    }
  }

  /** One at a time, and none once the caller is connected to another person. */
  #transferOnce(to: string, isCold: boolean) {
    const why = this.#joined
      ? 'the caller is already connected to another person'
      : this.#transferring && 'another transfer of this call is under way'
    if (why) void this.#log.keep([untransferred(to, isCold, why)]).catch(() => {})
    else this.#transferring = this.#transfer(to, isCold)
  }

  async #transfer(to: string, isCold: boolean) {
    const { gateway, leg, dial, logger } = this.#parts
    try {
      const place = { call: this.#id, agent: this.#agent, to }
      const second = await transferred(
        { gateway, leg, dial, log: this.#log, onRinging: () => this.#wait() },
        place,
        isCold,
        this.#over.signal,
      )
      if (second === 'gone') this.end('hangup', 'the caller was sent on to another number')
      else if ('why' in second) this.#session?.noteTransfer(stayed(to, isCold, second.why))
      else this.#join(second)
    } catch (error) {
      logger.warn({ err: error }, 'a transfer failed')
    } finally {
      leg.playBetween?.(null)
      this.#transferring = undefined
    }
  }

  /** Until the second person answers, the caller hears what the settings say. */
  #wait() {
    const { leg } = this.#parts
    const config = this.#config
    const { hold_message = '', hold_music = knobTable.hold_music.default.value } = config
    if (hold_message.trim() !== '') this.#session?.sayNext(hold_message)
    if (hold_music) leg.playBetween?.(holdTones(leg.sampleRate))
  }

  /** The agent leaves: from now on the two speak with each other. */
  #join(second: Leg) {
    const { leg, join } = this.#parts
    const leftMs = Math.min(this.#endsAt - Date.now(), longestTimerMs)
    const late = setTimeout(() => void leg.hangUp().catch(() => {}), leftMs)
    this.#joined = join(leg, second).finally(() => {
      clearTimeout(late)
      this.#why ??= 'the person whom it was transferred to hung up'
      void second.hangUp().catch(() => {})
    })
    this.#session?.end('hangup')
  }

  #endedElsewhere() {
    this.#log.close()
    this.end('hangup', 'it was ended at the gateway: by a supervisor, an app or a limit')
  }

  #tellSettings({ config: { language }, transcribers, voices }: AgentParts) {
    if (language !== undefined) this.#parts.tellLanguage(language)
    this.#parts.tellVendors([transcribers[0], voices[0]].some((run) => run?.key === 'none'))
  }

  async #tellFailure(failure: unknown) {
    const isTold = failure instanceof Unrunnable || failure instanceof GatewayRefusal
    const detail = isTold ? failure.message : 'the worker could not run the call'
    await this.#log.keep([{ type: 'error', data: { code: 'llm_failed', detail } }]).catch(() => {})
  }

  async #finish(reason: CallReason) {
    const { leg, unsentRecordings, logger } = this.#parts
    this.#over.abort()
    await leg.hangUp().catch(() => {})
    await Promise.race([this.#transferring, sleep(toldWithinMs, undefined, { ref: false })])
    await this.#recording
      .handOver((recorded) => unsentRecordings.send(this.#id, recorded))
      .catch((error: unknown) => logger.warn({ err: error }, 'a recording was not stored'))
    const line = this.#lineWatch.end()
    if (!this.#log.isClosed)
      await this.#log
        .keep([...line, { type: 'call.ended', data: { reason } }])
        .catch((error: unknown) => logger.warn({ err: error }, 'the end was not told'))
    this.#log.close()
    logger.info({ reason, why: this.#why }, 'a call is over')
  }
}
