import { setTimeout as pause } from 'node:timers/promises'
import type { EventFrame } from '@switchroom/contract/call-frames'
import type { Call, Entry } from '@switchroom/contract/log'
import type { Logger } from 'pino'
import { minuteMs, secondMs } from '../../foundation/clock.ts'
import type { Log } from '../log/log.ts'
import type { LiveLogs, ShownEntry } from '../log/live-logs.ts'
import { LogCursor } from '../log/log-cursor.ts'
import type { KeptEntry } from '../log/entries.ts'
import {
  carriesCall,
  eventOf,
  isStart,
  messagingEventOf,
  toolCallOf,
  type EventRecipient,
} from './app-events.ts'

const mostWaiting = 1000
const pageSize = 500
const retryAfterMs = secondMs
/** A connected app that has not acknowledged the end of a call after so long never will. */
const endAckWithinMs = minuteMs

/** What an assignment needs to start sending. */
export interface AssignmentStart {
  recipient: EventRecipient
  /** The last `seq` that the previous socket received or, of an app that acknowledges, acknowledged; null if its gateway never reported it. */
  sentUpTo: number | null
}

export interface AppAssignmentParts {
  log: Log
  liveLogs: LiveLogs
  logger: Logger
  /** Whether the app acknowledges what it receives. */
  acknowledges: boolean
  /** False if the socket is closed. */
  send: (frame: object) => boolean
  /** Undefined if the call is assigned to another socket. */
  begin: () => Promise<AssignmentStart | undefined>
  callOf: () => Promise<Call>
  /** Tool calls that this app received before and has not answered. */
  unanswered: (upTo: number, instance: string) => Promise<KeptEntry[]>
  /** The app has every entry up to the end of the call. */
  onDone: (sentUpTo: number) => void
  /** The phone line has routed the call to an agent. */
  onHandedOver: () => void
}

/** The socket that receives a call's events: the agent's connected app, or the phone line that the call came in on. */
export interface NewAssignment {
  call: string
  agent: string
  socket: string
  byLine: boolean
}

type Waiting = KeptEntry & { isEphemeral?: boolean }

/** Sends one call's log, in order, to the app on this gateway that the call is assigned to. */
export class AppAssignment {
  readonly call: string
  readonly agent: string
  readonly socket: string
  /** Whether the socket belongs to the phone line that the call came in on. */
  readonly isByLine: boolean
  readonly #parts: AppAssignmentParts
  #recipient: EventRecipient = { instance: '', wantsAudioMetrics: false, contact: null }
  #sentUpTo = 0
  #acknowledged = 0
  /** Ends the wait for the acknowledgement of `call.ended`. */
  #endTimer: NodeJS.Timeout | undefined
  #isSending = true
  #isStopped = false
  #hasStarted = false
  #isBehind = false
  #queue: Waiting[] = []
  /** Frames that wait until every entry up to `after` is sent. */
  #later: { after: number; frame: object }[] = []
  readonly #cursor: LogCursor

  constructor(assignment: NewAssignment, parts: AppAssignmentParts) {
    this.call = assignment.call
    this.agent = assignment.agent
    this.socket = assignment.socket
    this.isByLine = assignment.byLine
    this.#parts = parts
    this.#cursor = new LogCursor({
      log: this.call,
      liveLogs: parts.liveLogs,
      read: async (after, limit) => (await this.#insist(() => parts.log.read(this.call, after, limit))) ?? [],
      onPage: (entries) => this.#sendEntries(entries),
      onLive: (entries) => this.#take(entries),
    })
  }

  get isStopped(): boolean {
    return this.#isStopped
  }

  /** Behind this `seq` the next socket goes on: the last one acknowledged or, without acknowledgements, sent; null if nothing was. */
  get doneUpTo(): number | null {
    if (!this.#hasStarted) return null
    return this.#parts.acknowledges ? this.#acknowledged : this.#sentUpTo
  }

  /** The app has every event up to `seq`. False if that is no news. */
  acknowledge(seq: number): boolean {
    const upTo = Math.min(seq, this.#sentUpTo)
    if (!this.#parts.acknowledges || this.#isStopped || upTo <= this.#acknowledged) return false
    this.#acknowledged = upTo
    if (this.#endTimer && upTo === this.#sentUpTo) this.#finish()
    return true
  }

  /** Resolves once the app is current and receives entries live. */
  async start() {
    const start = await this.#insist(this.#parts.begin)
    if (!start) return this.stop()
    this.#recipient = start.recipient
    const sentUpTo = start.sentUpTo ?? (await this.#insist(() => this.#parts.log.find(this.call)))?.seq
    if (sentUpTo === undefined) return this.stop()
    this.#sentUpTo = sentUpTo
    this.#acknowledged = sentUpTo
    this.#hasStarted = true
    if (this.#isStopped) return
    if (start.sentUpTo !== 0 && !(await this.#isBeforeStart())) await this.#pass(start.sentUpTo === null)
    const replayed = await this.#insist(() => this.#cursor.start(this.#sentUpTo))
    if (replayed === undefined || this.#isStopped) return
    this.#moveTo(Math.max(this.#sentUpTo, replayed))
    await this.#sendQueue()
  }

  /** Whether the call's start is still ahead of this app in the log. */
  async #isBeforeStart(): Promise<boolean> {
    const next = await this.#insist(() => this.#parts.log.read(this.call, this.#sentUpTo, pageSize))
    return next?.some(({ type }) => isStart(type)) ?? false
  }

  /** Sends the frame once every entry up to `after` is sent; drops it if the assignment stops first. */
  sendAfter(after: number, frame: object) {
    if (this.#hasStarted && after <= this.#sentUpTo) this.#send(frame)
    else this.#later.push({ after, frame })
  }

  stop() {
    this.#isStopped = true
    clearTimeout(this.#endTimer)
    this.#cursor.stop()
    this.#queue = []
    this.#later = []
  }

  /** Introduces a call that another socket received before, with the tool calls that this app has not answered. */
  async #pass(isSentUnknown: boolean) {
    const call = await this.#insist(this.#parts.callOf)
    if (!call) return
    if (isSentUnknown && call.endedAt !== undefined) return this.#finish()
    if (this.isByLine) return // the line sends its own call.passed, and runs no tools
    this.#send({ type: 'call.passed', agent: call.agent, call: this.call, data: { call } })
    const { instance } = this.#recipient
    const unanswered = await this.#insist(() => this.#parts.unanswered(this.#sentUpTo, instance))
    for (const { seq, entry } of unanswered ?? [])
      this.#send(this.#numbered(seq, toolCallOf(JSON.parse(entry) as Entry)))
  }

  async #sendEntries(entries: readonly KeptEntry[]) {
    for (const entry of entries) await this.#sendEntry(entry)
  }

  #take(entries: readonly ShownEntry[]) {
    if (this.#isStopped) return
    if (this.#queue.length + entries.length > mostWaiting) this.#fallBehind()
    else this.#queue.push(...entries)
    if (!this.#isSending) void this.#sendQueue()
  }

  /** Drops the queue and reads the log again, so that a slow app delays no call; ephemeral entries are lost. */
  #fallBehind() {
    if (!this.#isBehind)
      this.#parts.logger.warn(
        { call: this.call, socket: this.socket },
        'an app is too slow for the events of a call',
      )
    this.#isBehind = true
    this.#queue = []
  }

  async #sendQueue() {
    this.#isSending = true
    while (!this.#isStopped && (this.#isBehind || this.#queue.length > 0)) {
      if (this.#isBehind) {
        this.#isBehind = false
        await this.#cursor.restart(this.#sentUpTo)
      }
      const next = this.#queue.shift()
      if (next && (next.isEphemeral || next.seq > this.#sentUpTo)) await this.#sendEntry(next)
    }
    this.#isSending = false
  }

  async #sendEntry({ seq, type, entry, isEphemeral = false }: Waiting) {
    if (this.#isStopped) return
    if (this.isByLine && type === 'call.routed') return this.#handOver()
    const happened = JSON.parse(entry) as Entry
    const frame = eventOf(happened, this.#recipient)
    const beside = messagingEventOf(happened, this.#recipient.contact)
    if (frame) {
      if (carriesCall(type)) frame.data = { ...frame.data, call: await this.#callFor(type) }
      const place = isEphemeral ? undefined : seq
      this.#send(this.#numbered(place, frame, beside !== undefined))
      if (beside) this.#send(this.#numbered(place, beside))
      if (this.#isStopped) return // the next socket receives this entry
    }
    if (!isEphemeral) this.#moveTo(seq)
    if (type === 'call.ended') this.#ended()
  }

  #numbered(seq: number | undefined, frame: EventFrame, hasMore = false): EventFrame {
    if (seq === undefined || !this.#parts.acknowledges) return frame
    return { ...frame, seq, ...(hasMore && { more: true }) }
  }

  #handOver() {
    this.stop()
    this.#parts.onHandedOver()
  }

  #ended() {
    if (!this.#parts.acknowledges) return this.#finish()
    this.#endTimer = setTimeout(() => this.#finish(), endAckWithinMs).unref()
  }

  #finish() {
    this.stop()
    this.#parts.onDone(this.#sentUpTo)
  }

  /** The call as it was at its start: sent late, it may have ended since. */
  async #callFor(type: string): Promise<Call | undefined> {
    const call = await this.#insist(this.#parts.callOf)
    if (!call || !isStart(type)) return call
    const { endedAt: _endedAt, duration: _duration, reason: _reason, ...started } = call
    return started
  }

  #moveTo(seq: number) {
    this.#sentUpTo = seq
    if (this.#later.length === 0) return
    const due = this.#later.filter(({ after }) => after <= seq)
    this.#later = this.#later.filter(({ after }) => after > seq)
    for (const { frame } of due) this.#send(frame)
  }

  #send(frame: object) {
    if (!this.#isStopped && !this.#parts.send(frame)) this.stop()
  }

  /** Retries until the database answers or the assignment stops. */
  async #insist<T>(work: () => Promise<T>): Promise<T | undefined> {
    while (!this.#isStopped)
      try {
        return await work()
      } catch (error) {
        this.#parts.logger.warn(
          { err: error, call: this.call },
          'a call could not be read for its app: retrying',
        )
        await pause(retryAfterMs, undefined, { ref: false })
      }
    return undefined
  }
}
