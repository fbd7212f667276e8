import { setTimeout as pause } from 'node:timers/promises'
import type { Call, Entry } from '@switchroom/contract/log'
import type { Logger } from 'pino'
import { secondMs } from '../../foundation/clock.ts'
import type { Log } from '../log/log.ts'
import type { LiveLogs, ShownEntry } from '../log/live-logs.ts'
import { LogCursor } from '../log/log-cursor.ts'
import type { KeptEntry } from '../log/stamping.ts'
import { carriesCall, eventOf, isStart, messagingEventOf, toolCallOf, type Listener } from './mirroring.ts'

const mostWaiting = 1000
const pageSize = 500
const againAfterMs = secondMs

/** Where telling begins. */
export interface Beginning {
  listener: Listener
  /** Up to where another socket was told; null where it went without saying. */
  told: number | null
}

export interface DriveParts {
  log: Log
  liveLogs: LiveLogs
  logger: Logger
  /** False when the socket takes nothing more. */
  send: (frame: object) => boolean
  /** Undefined where another socket drives the call. */
  begin: () => Promise<Beginning | undefined>
  callOf: () => Promise<Call>
  /** What this app was asked for before and has not answered. */
  unanswered: (upTo: number, instance: string) => Promise<KeptEntry[]>
  /** Everything was told, up to the end of the call. */
  onDone: (told: number) => void
  /** The line that was told has handed the call over. */
  onHandedOver: () => void
}

/** Which socket is told of a call, as holder of the agent or as the phone line it came by. */
export interface ToDrive {
  call: string
  agent: string
  socket: string
  byLine: boolean
}

type Waiting = KeptEntry & { isEphemeral?: boolean }

/** Tells an app on this gateway what happens in one call, in the order of its log, whoever writes to it. */
export class Drive {
  readonly call: string
  readonly agent: string
  readonly socket: string
  /** Whether the socket is that of the phone line the call came by. */
  readonly isByLine: boolean
  readonly #parts: DriveParts
  #listener: Listener = { instance: '', wantsAudioMetrics: false, contact: null }
  #told = 0
  #isTelling = true
  #isStopped = false
  #hasBegun = false
  #isBehind = false
  #queue: Waiting[] = []
  /** Frames that go once what was written before them is told. */
  #later: { after: number; frame: object }[] = []
  readonly #cursor: LogCursor

  constructor(toDrive: ToDrive, parts: DriveParts) {
    this.call = toDrive.call
    this.agent = toDrive.agent
    this.socket = toDrive.socket
    this.isByLine = toDrive.byLine
    this.#parts = parts
    this.#cursor = new LogCursor({
      log: this.call,
      liveLogs: parts.liveLogs,
      read: async (after, limit) => (await this.#insist(() => parts.log.read(this.call, after, limit))) ?? [],
      onPage: (entries) => this.#tellAll(entries),
      onLive: (entries) => this.#take(entries),
    })
  }

  get isStopped(): boolean {
    return this.#isStopped
  }

  /** Up to where the app was told; null where it never began. */
  get told(): number | null {
    return this.#hasBegun ? this.#told : null
  }

  /** Answers once the app is told as things happen. */
  async start() {
    const beginning = await this.#insist(this.#parts.begin)
    if (!beginning) return this.stop()
    this.#listener = beginning.listener
    const told = beginning.told ?? (await this.#insist(() => this.#parts.log.find(this.call)))?.seq
    if (told === undefined) return this.stop()
    this.#told = told
    this.#hasBegun = true
    if (this.#isStopped) return
    if (beginning.told !== 0 && !(await this.#isBeforeStart())) await this.#pass(beginning.told === null)
    const replayed = await this.#insist(() => this.#cursor.start(this.#told))
    if (replayed === undefined || this.#isStopped) return
    this.#moveTo(Math.max(this.#told, replayed))
    await this.#tellWaiting()
  }

  /** Whether the app that takes over will see the call's start in the log. */
  async #isBeforeStart(): Promise<boolean> {
    const next = await this.#insist(() => this.#parts.log.read(this.call, this.#told, pageSize))
    return next?.some(({ type }) => isStart(type)) ?? false
  }

  /** Once everything up to this `seq` is told, and not at all when the telling stops before. */
  sendAfter(after: number, frame: object) {
    if (this.#hasBegun && after <= this.#told) this.#send(frame)
    else this.#later.push({ after, frame })
  }

  stop() {
    this.#isStopped = true
    this.#cursor.stop()
    this.#queue = []
    this.#later = []
  }

  /** Another socket was told before: what the call is, and what this very app was asked and has not answered. */
  async #pass(isUnsaid: boolean) {
    const call = await this.#insist(this.#parts.callOf)
    if (!call) return
    if (isUnsaid && call.endedAt !== undefined) return this.#finish()
    if (this.isByLine) return // told by the line itself, and asked for no tools
    this.#send({ type: 'call.passed', agent: call.agent, call: this.call, data: { call } })
    const { instance } = this.#listener
    const unanswered = await this.#insist(() => this.#parts.unanswered(this.#told, instance))
    for (const { entry } of unanswered ?? []) this.#send(toolCallOf(JSON.parse(entry) as Entry))
  }

  async #tellAll(entries: readonly KeptEntry[]) {
    for (const entry of entries) await this.#tell(entry)
  }

  #take(entries: readonly ShownEntry[]) {
    if (this.#isStopped) return
    if (this.#queue.length + entries.length > mostWaiting) this.#fallBehind()
    else this.#queue.push(...entries)
    if (!this.#isTelling) void this.#tellWaiting()
  }

  /** What waits is read again from the log, without what is never kept. Whatever is slow, it is not the call. */
  #fallBehind() {
    if (!this.#isBehind)
      this.#parts.logger.warn({ call: this.call, socket: this.socket }, 'an app is told late of a call')
    this.#isBehind = true
    this.#queue = []
  }

  async #tellWaiting() {
    this.#isTelling = true
    while (!this.#isStopped && (this.#isBehind || this.#queue.length > 0)) {
      if (this.#isBehind) {
        this.#isBehind = false
        await this.#cursor.restart(this.#told)
      }
      const next = this.#queue.shift()
      if (next && (next.isEphemeral || next.seq > this.#told)) await this.#tell(next)
    }
    this.#isTelling = false
  }

  async #tell({ seq, type, entry, isEphemeral = false }: Waiting) {
    if (this.#isStopped) return
    if (this.isByLine && type === 'call.routed') return this.#handOver()
    const happened = JSON.parse(entry) as Entry
    const frame = eventOf(happened, this.#listener)
    const beside = messagingEventOf(happened, this.#listener.contact)
    if (frame) {
      if (carriesCall(type)) frame.data = { ...frame.data, call: await this.#callFor(type) }
      this.#send(frame)
      if (beside) this.#send(beside)
      if (this.#isStopped) return // and so the next socket is told
    }
    if (!isEphemeral) this.#moveTo(seq)
    if (type === 'call.ended') this.#finish()
  }

  #handOver() {
    this.stop()
    this.#parts.onHandedOver()
  }

  #finish() {
    this.stop()
    this.#parts.onDone(this.#told)
  }

  /** At its start a call has not ended, however late it is told. */
  async #callFor(type: string): Promise<Call | undefined> {
    const call = await this.#insist(this.#parts.callOf)
    if (!call || !isStart(type)) return call
    const { endedAt: _endedAt, duration: _duration, reason: _reason, ...started } = call
    return started
  }

  #moveTo(seq: number) {
    this.#told = seq
    if (this.#later.length === 0) return
    const due = this.#later.filter(({ after }) => after <= seq)
    this.#later = this.#later.filter(({ after }) => after > seq)
    for (const { frame } of due) this.#send(frame)
  }

  #send(frame: object) {
    if (!this.#isStopped && !this.#parts.send(frame)) this.stop()
  }

  /** The database comes back, or the telling stops. */
  async #insist<T>(work: () => Promise<T>): Promise<T | undefined> {
    while (!this.#isStopped)
      try {
        return await work()
      } catch (error) {
        this.#parts.logger.warn({ err: error, call: this.call }, 'an app cannot be told of a call yet')
        await pause(againAfterMs, undefined, { ref: false })
      }
    return undefined
  }
}
