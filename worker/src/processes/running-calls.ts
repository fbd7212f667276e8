import type { BrowserOffer } from '@switchroom/contract/media-plane'
import { environments, type Environment } from '@switchroom/contract/scopes'
import type { OpenedWorkerCall } from '@switchroom/contract/worker'
import type { MediaTerms } from '@switchroom/media/rtp/media-terms'
import type { SipDialog, SipServer } from '@switchroom/media/sip/server'
import type { Reading } from '@switchroom/process/meters'
import type { Logger } from 'pino'
import type { CallProcessHandle } from './call-process-handle.ts'
import { CallProcesses } from './call-processes.ts'
import type { HeldPort } from './held-port.ts'
import type { LentVendors } from './lent-vendors.ts'
import { MachineUse } from './machine-use.ts'
import { PhoneLegs } from './phone-legs.ts'
import type { FromProcess, LegDial, RoomTask, SentenceAsked } from '../process-messages.ts'

const ringForMs = 60_000

/** Dials through a trunk. */
export type Dial = SipServer['invite']

/** A process that has a place for a phone call, which is not answered yet. */
export interface PhonePlace {
  /** Binds its sound; rejects with a `MediaError` if the port cannot be had. A port that is held is handed over. */
  open: (terms: MediaTerms, held?: HeldPort) => Promise<void>
  run: (opened: OpenedWorkerCall, dialog: SipDialog, endsAt: number | null, callsBack: boolean) => void
  /** The call is not to be answered after all. */
  giveBack: () => void
}

interface RunningCall {
  process: CallProcessHandle
  channel: 'phone' | 'web'
  env: Environment
  /** The caller's; none for a browser. */
  leg: string | undefined
  language: string | undefined
  callsBack: boolean
  room?: RoomEnds
}

/** What becomes of a call in a room. */
export interface RoomEnds {
  over: () => void
  /** Its process is gone; resolves when the caller has heard so. */
  lost: (language: string | undefined) => Promise<void>
}

/** A call whose process is gone; its caller is still on the phone. */
export interface LostCall {
  call: string
  language: string | undefined
  /** Whether there is a number to call back. */
  callsBack: boolean
  caller: { dialog: SipDialog; terms: MediaTerms } | undefined
}

export interface RunningCallsParts {
  worker: string
  capacity: number
  callsPerProcess: number
  placesAhead: number
  lent: LentVendors
  logger: Logger
  dialLeg: (dial: LegDial, signal: AbortSignal) => Promise<SipDialog>
  onLost: (lost: LostCall) => Promise<void>
  /** A call that ran ended with its process. */
  onLostProcess?: (call: string) => void
  /** One of the worker's own sentences, at 8 kHz. */
  clipOf: (asked: SentenceAsked) => Int16Array | undefined
}

/** Every call of this worker: which process runs it, and the signalling of its legs. */
export class RunningCalls {
  readonly processes: CallProcesses
  readonly #parts: RunningCallsParts
  readonly #calls = new Map<string, RunningCall>()
  readonly #legs = new PhoneLegs()
  /** Second persons who are being called, by the process and its request. */
  readonly #dialling = new Map<string, { call: string; giveUp: () => void }>()
  readonly #emptied = new Set<() => void>()
  readonly #machineUse = new MachineUse()
  #reserved = 0
  /** Answered, and not acknowledged yet: they take no place, and are waited for. */
  #unacknowledged = 0

  constructor(parts: RunningCallsParts) {
    this.#parts = parts
    this.processes = new CallProcesses({
      ...parts,
      usesMachine: () => this.#machineUse.isLikely,
      onMessage: (process, message) => this.#take(process, message),
      onLost: (calls) => this.#lost(calls),
    })
  }

  get count(): number {
    return this.#calls.size + this.#reserved
  }

  /** By channel and environment. */
  countLive(): Reading[] {
    const counts = new Map<string, number>()
    for (const channel of ['phone', 'web']) for (const env of environments) counts.set(`${channel} ${env}`, 0)
    for (const { channel, env } of this.#calls.values())
      counts.set(`${channel} ${env}`, (counts.get(`${channel} ${env}`) ?? 0) + 1)
    return Array.from(counts, ([kind, calls]) => [calls, ...kind.split(' ')] as const)
  }

  get isFull(): boolean {
    return this.count >= this.#parts.capacity
  }

  /** A place for a call that is being opened; undefined when every one is taken. To be given back, once. */
  reserve(): (() => void) | undefined {
    if (this.isFull) return undefined
    return this.occupy()
  }

  /** Counts, whether there is a place or not. */
  occupy(): () => void {
    this.#reserved += 1
    let isGivenBack = false
    return () => {
      if (isGivenBack) return
      isGivenBack = true
      this.#reserved -= 1
      this.#tellWhenEmpty()
    }
  }

  /** A caller is being answered, who takes a place once they acknowledge it. To be given back, once. */
  awaitCaller(): () => void {
    this.#unacknowledged += 1
    return () => {
      this.#unacknowledged -= 1
      this.#tellWhenEmpty()
    }
  }

  placeForPhone(call: string): PhonePlace {
    const process = this.processes.take(call)
    const leg = this.#legs.newId()
    return {
      open: (terms, held) => this.#legs.open({ leg, call, process }, terms, held),
      run: (opened, dialog, endsAt, callsBack) => {
        this.#legs.add(leg, call, dialog, process)
        this.#calls.set(call, {
          process,
          channel: 'phone',
          env: opened.env,
          leg,
          language: undefined,
          callsBack,
        })
        process.send({ type: 'run', task: { kind: 'phone', opened, leg, terms: dialog.terms, endsAt } })
        if (process.isOver) this.#lost([call]) // it ended before the call was its own
      },
      giveBack: () => {
        process.send({ type: 'leg.ended', leg, end: 'hangup' })
        this.processes.giveBack(process, call)
      },
    }
  }

  runBrowser(offer: BrowserOffer): void {
    const process = this.processes.take(offer.call)
    this.#calls.set(offer.call, { ...unheard, process, channel: 'web', env: offer.env })
    process.send({ type: 'run', task: { kind: 'browser', offer } })
  }

  runRoom(task: RoomTask, room: RoomEnds): void {
    const process = this.processes.take(task.call)
    const channel = task.way === 'known' ? 'web' : 'phone'
    this.#calls.set(task.call, { ...unheard, process, channel, env: task.env, room })
    process.send({ type: 'run', task })
  }

  /** Vendors of this machine end what they loaded when it is not used for some minutes. */
  keepWarm(): void {
    if (this.#machineUse.isLikely) this.processes.sendAll({ type: 'warm' })
  }

  /** This one ends now. */
  end(call: string): void {
    this.#calls.get(call)?.process.send({ type: 'call.end', call })
  }

  /** Every call ends now, in order. */
  endAll(): void {
    this.processes.sendAll({ type: 'end' })
  }

  async untilNone(): Promise<void> {
    if (this.#isEmpty) return
    await new Promise<void>((resolve) => this.#emptied.add(resolve))
  }

  get #isEmpty(): boolean {
    return this.count + this.#unacknowledged === 0
  }

  #take(process: CallProcessHandle, message: FromProcess): void {
    if (message.type === 'ready') return
    if (message.type === 'process.delay') return process.tellDelay(message.longestMs)
    if (message.type === 'call.over') return this.#over(process, message.call)
    if (message.type === 'call.language') {
      const running = this.#calls.get(message.call)
      if (running) running.language = message.language
    } else if (message.type === 'leg.hangUp')
      void this.#legs
        .get(message.leg)
        ?.dialog.bye()
        .catch(() => {})
    else if (message.type === 'call.vendors') this.#machineUse.note(message.onMachine)
    else if (message.type === 'leg.sound') this.#legs.get(message.leg)?.dialog.tellSound(message.sound)
    else if (message.type === 'leg.opened') this.#legs.opened(message.leg, message.failure)
    else if (message.type === 'leg.keys') this.#legs.keepKeys(message.leg, message.keys)
    else if (message.type === 'sentence') this.#sentence(process, message)
    else if (message.type === 'leg.refer') void this.#refer(process, message)
    else if (message.type === 'leg.press') void this.#press(process, message)
    else if (message.type === 'leg.dial') void this.#dial(process, message)
    else this.#dialling.get(dialKey(process, message.ask))?.giveUp()
  }

  #sentence(process: CallProcessHandle, { asked, ask }: { asked: SentenceAsked; ask: number }): void {
    const samples = this.#parts.clipOf(asked)
    const clip = samples && Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength)
    process.send({ type: 'answer', ask, failure: null, ...(clip && { clip: clip.toString('base64') }) })
  }

  #over(process: CallProcessHandle, call: string): void {
    const room = this.#calls.get(call)?.room
    this.#calls.delete(call)
    this.processes.giveBack(process, call)
    this.#hangUpLegs(call)
    room?.over()
    this.#tellWhenEmpty()
  }

  async #refer(process: CallProcessHandle, { leg, to, ask }: { leg: string; to: string; ask: number }) {
    const found = this.#legs.get(leg)
    try {
      if (!found) throw new Error('the caller is gone')
      await found.dialog.refer(to)
      process.send({ type: 'answer', ask, failure: null })
    } catch (error) {
      process.send({ type: 'answer', ask, failure: sentenceOf(error) })
    }
  }

  async #press(process: CallProcessHandle, { leg, key, ask }: { leg: string; key: string; ask: number }) {
    try {
      await this.#legs.get(leg)?.dialog.sendInfoTone(key)
      process.send({ type: 'answer', ask, failure: null })
    } catch (error) {
      process.send({ type: 'answer', ask, failure: sentenceOf(error) })
    }
  }

  async #dial(process: CallProcessHandle, { call, dial, ask }: { call: string; dial: LegDial; ask: number }) {
    const key = dialKey(process, ask)
    const giveUp = new AbortController()
    this.#dialling.set(key, { call, giveUp: () => giveUp.abort() })
    const late = setTimeout(() => giveUp.abort(), ringForMs)
    try {
      const dialog = await this.#parts.dialLeg(dial, giveUp.signal)
      if (this.#calls.has(call)) {
        const leg = this.#legs.newId()
        this.#legs.add(leg, call, dialog, process)
        process.send({ type: 'answer', ask, failure: null, dialled: { leg, terms: dialog.terms } })
      } else {
        process.send({ type: 'answer', ask, failure: 'the call is over' })
        await dialog.bye()
      }
    } catch (error) {
      process.send({ type: 'answer', ask, failure: sentenceOf(error) })
    } finally {
      clearTimeout(late)
      this.#dialling.delete(key)
    }
  }

  #lost(calls: string[]): void {
    for (const call of calls) {
      const running = this.#calls.get(call)
      if (running) this.#parts.onLostProcess?.(call)
      this.#calls.delete(call)
      const caller = running?.leg === undefined ? undefined : this.#legs.release(running.leg)
      this.#hangUpLegs(call)
      const giveBack = this.occupy() // until the caller has heard so
      const { room, language, callsBack = false } = running ?? {}
      const told = room ? room.lost(language) : this.#parts.onLost({ call, language, callsBack, caller })
      void told
        .catch((error: unknown) =>
          this.#parts.logger.warn({ err: error, call }, 'a lost caller was not told'),
        )
        .finally(giveBack)
    }
  }

  #hangUpLegs(call: string): void {
    for (const dialling of this.#dialling.values()) if (dialling.call === call) dialling.giveUp()
    this.#legs.hangUp(call)
  }

  #tellWhenEmpty(): void {
    if (!this.#isEmpty) return
    for (const tell of this.#emptied) tell()
    this.#emptied.clear()
  }
}

/** A call without a phone of ours. */
const unheard = { leg: undefined, language: undefined, callsBack: false }

const dialKey = ({ pid }: CallProcessHandle, ask: number) => `${pid}/${ask}`

const sentenceOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
