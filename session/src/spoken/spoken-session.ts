import { knobTable } from '@switchroom/contract/knobs'
import { setTimeout as pause } from 'node:timers/promises'
import type { CallReason, Entry, NewEntry } from '@switchroom/contract/log'
import { learn } from '../memory.ts'
import { isOpened } from '../opening.ts'
import { Answering, answeredMs, overheard } from './answering/answering.ts'
import { AudioLevels } from './audio-levels.ts'
import { BargeIn } from './barge-in.ts'
import { CallAudio } from './call-audio.ts'
import { CallLimits, leftMs } from './call-limits.ts'
import { CallLog } from './call-log.ts'
import { connectAhead } from './connecting-ahead.ts'
import { EchoFreeSound } from './echo/echo-free-sound.ts'
import type { Exchange } from './exchange.ts'
import { Hold } from './hold.ts'
import { PausableSound } from './pausable-sound.ts'
import { RealtimeExchange } from './realtime/exchange.ts'
import { Recorder } from './recorder.ts'
import { Replies } from './replies.ts'
import type { SpokenParts } from './spoken-parts.ts'
import { StagedExchange } from './staged-exchange.ts'
import type { VoiceActivity } from './voice-activity.ts'

const learningMs = 15_000
const closingMs = 3_000

/** What a line that hands a call over changes: who answers, with what, and nothing about the sound. */
export type SwappedParts = Pick<
  SpokenParts,
  | 'instructions'
  | 'config'
  | 'endOfTurn'
  | 'models'
  | 'transcribers'
  | 'voices'
  | 'realtime'
  | 'prepare'
  | 'runTools'
  | 'sendsAudioMetrics'
  | 'knowledge'
>

/** One spoken call, from the first word to the last. */
export class SpokenSession {
  #parts: SpokenParts
  readonly #log: CallLog
  readonly #audio: CallAudio
  readonly #limits: CallLimits
  readonly #replies: Replies
  readonly #bargeIn: BargeIn
  #recorder: Recorder | null = null
  #recordedMs = 0
  readonly #levels: { user: AudioLevels; bot: AudioLevels }
  readonly #ended = Promise.withResolvers<CallReason>()
  readonly #silent = Promise.withResolvers<CallReason>()
  #exchange: Exchange
  #isBegun = false
  #isHandedOver = false
  #isOver = false
  #digits = ''
  /** Null unless the call was dialled and nothing has been said yet. */
  readonly #answering: Answering | null

  constructor(given: SpokenParts, entriesSoFar: readonly Entry[]) {
    const tapped = overheard(given, (entries) => this.#answering?.read(entries))
    const line = new PausableSound(given.sound)
    const parts = { ...given, ...tapped, sound: new EchoFreeSound(line) }
    const { sound, config } = parts
    this.#parts = parts
    this.#log = new CallLog(entriesSoFar, parts.keep, () => this.end('failed'))
    this.#answering = this.#answeringOf(entriesSoFar)
    const log = this.#log
    const keep = (entries: readonly NewEntry[]) => log.write(entries)
    const show = (entries: readonly NewEntry[]) => this.#parts.show(entries)
    this.#recorder = this.#recording()
    this.#levels = { user: new AudioLevels('user', show), bot: new AudioLevels('bot', show) }
    this.#limits = new CallLimits({
      idleTimeoutMs: parts.idleTimeoutMs,
      longestMs: leftMs(config, log.entries),
      keep,
      end: (reason) => this.end(reason),
    })
    this.#audio = new CallAudio(sound, {
      arrived: (samples) => this.#arrive(samples),
      frame: (samples) => this.#hear(samples),
      activity: (activity) => this.#notice(activity),
      isWanted: (samples) => this.#isWanted(samples),
      left: () => this.end('hangup'),
      failed: () => this.end('failed'),
    })
    this.#replies = new Replies(parts, {
      log,
      audio: this.#audio,
      cleared: () => this.#recorder?.cleared(),
      onActivity: () => this.#limits.onActivity(),
      onSilence: () => this.#onSilence(),
      end: (reason) => this.end(reason),
      realtime: () => this.#exchange.realtime,
      inOrder: (act) => this.#exchange.inOrder(act),
    })
    this.#bargeIn = new BargeIn({
      sound: line,
      turn: () => this.#parts.config.turn ?? {},
      yieldsTo: (overMs) => this.#replies.yieldsTo(overMs),
    })
    this.#exchange = this.#exchanging()
    const hold = new Hold({
      limits: this.#limits,
      config: () => this.#parts.config,
      write: keep,
      nowMs: parts.nowMs,
    })
    given.sound.onHold?.((isHeld) => {
      if (!this.#isOver && hold.turn(isHeld) && !isHeld) this.#onSilence()
    })
  }

  /**
   * Runs until the call ends; resolves with why. Aborting the signal ends it with `hangup`. Writes every
   * entry but `call.started` and `call.ended`, which are the caller's of `run`.
   */
  async run(signal: AbortSignal): Promise<{ reason: CallReason }> {
    const hangUp = () => this.end('hangup')
    signal.addEventListener('abort', hangUp, { once: true })
    if (signal.aborted) hangUp()
    try {
      await Promise.resolve() // who starts a call may say at once that it is handed over, or muted
      this.#begin()
    } catch {
      this.end('failed')
    }
    const reason = await this.#ended.promise
    signal.removeEventListener('abort', hangUp)
    await this.#fallSilent()
    this.#silent.resolve(reason)
    await this.#learn()
    await this.#log.settled
    return { reason }
  }

  /** Resolves once nothing is said or heard any more: the leg can be hung up while `run` still writes. */
  get silent(): Promise<CallReason> {
    return this.#silent.promise
  }

  #begin() {
    if (this.#isOver) return
    this.#parts.sound.onTone((digit) => this.#press(digit))
    this.#audio.start()
    this.#exchange.start()
    this.#isBegun = true
    const waits = this.#answering?.isWaiting ?? false
    this.#answering?.start(Date.now() - (answeredMs(this.#log.entries) ?? 0))
    if (!waits) this.#open()
  }

  #open() {
    if (!this.#isHandedOver && !isOpened(this.#log.entries)) this.#replies.greet()
    this.#replies.open()
  }

  /** Of a call that was dialled: who answered it, and what then happens. */
  #answeringOf(entries: readonly Entry[]): Answering | null {
    if (answeredMs(entries) === null || isOpened(entries)) return null
    const { sound, config } = this.#parts
    return new Answering({
      sampleRate: sound.sampleRate,
      knob: config.answering_machine,
      keep: (added) => this.#log.write(added),
      goOn: () => {
        if (this.#isOver) return
        if (this.#isHandedOver) return this.#replies.open()
        this.#replies.greet()
        this.#replies.openAfterHello()
      },
      hangUp: () => this.end('hangup'),
      machineSpeaks: () => this.#replies.stop(),
      noMachineAfterAll: () => this.#replies.release(),
      leaveMessage: () => void this.#leaveMessage(),
    })
  }

  async #leaveMessage() {
    const { config, instructions } = this.#parts
    const message = config.answering_machine?.message ?? instructions.greeting?.say
    if (message !== undefined) await this.#replies.leaveMessage(message)
    this.end('hangup')
  }

  async #fallSilent() {
    this.#limits.close()
    this.#answering?.close()
    this.#recorder?.close()
    this.#audio.close()
    const stopped = this.#exchange.stop()
    this.#log.write(this.#exchange.metrics())
    await Promise.race([
      Promise.all([this.#replies.settled, stopped]),
      pause(closingMs, undefined, { ref: false }),
    ])
  }

  /** Says a supervisor's (`human`) or the app's (`say`) words as they are; resolves once they were played, or cut. */
  async say(text: string, source: 'say' | 'human' = 'say', by: string | null = null): Promise<void> {
    if (!this.#isOver && text.trim() !== '') await this.#replies.say(text, source, by)
  }

  /** Says these words after what is being said now. */
  sayNext(text: string): void {
    if (!this.#isOver) this.#replies.sayNext(text)
  }

  /** A whisper is written to the log; the next turn reads it. */
  whisper(text: string): void {
    this.#log.note({ type: 'call.whispered', data: { text } })
  }

  /** The caller stays; the next turn reads why. The entry is in the log already. */
  noteTransfer(told: { to: string; kind: string; ok: boolean; why?: string }): void {
    this.#log.note({ type: 'call.transferred', data: told })
  }

  /** A supervisor or a line speaks: the model is not asked; the caller is still heard and logged. */
  mute(): void {
    this.#replies.hold()
  }

  release(): void {
    this.#replies.release()
  }

  /** Presses keys down the line. */
  async press(digits: string): Promise<void> {
    if (this.#isOver) return
    await this.#parts.sound.sendTones(digits)
    this.#log.write([{ type: 'call.dtmf_sent', data: { callId: this.#parts.callId, digits } }])
  }

  /** A line handed the call over: the same sound, a new agent, which greets. */
  async swap(parts: SwappedParts): Promise<void> {
    if (this.#isOver) return
    this.#isHandedOver = true
    this.#answering?.close()
    this.#parts = { ...this.#parts, ...parts }
    this.#log.write(this.#exchange.metrics())
    if (!this.#exchange.use(this.#parts)) this.#exchangeOtherwise()
    this.#limits.limit(leftMs(this.#parts.config, this.#log.entries))
    this.#replies.swap(this.#parts)
    this.#recorder = this.#recording() // what was being said is cut, so that the two sides begin together
  }

  end(reason: CallReason): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#replies.close()
    this.#ended.resolve(reason)
  }

  #exchanging(): Exchange {
    const [first] = this.#parts.realtime
    const around = {
      log: this.#log,
      replies: () => this.#replies,
      onActivity: () => this.#limits.onActivity(),
      onSilence: () => this.#onSilence(),
      end: (reason: CallReason) => this.end(reason),
    }
    return first ? new RealtimeExchange(this.#parts, first, around) : new StagedExchange(this.#parts, around)
  }

  #exchangeOtherwise() {
    void this.#exchange.stop()
    this.#exchange = this.#exchanging()
    if (this.#isBegun) this.#exchange.start()
  }

  /** By the current agent's settings; a recording that has begun continues. */
  #recording(): Recorder | null {
    const { config, record, sound } = this.#parts
    const isRecorded = config.record ?? knobTable.record.default.value
    if (!isRecorded || !record) return null
    if (this.#recorder) return this.#recorder
    let isTold = false
    return new Recorder(sound, (samples, sampleRate) => {
      if (!isTold)
        this.#log.write([{ type: 'recording.started', data: { atMs: Math.round(this.#recordedMs) } }])
      isTold = true
      this.#recordedMs += (samples.length / 2 / sampleRate) * 1000
      record(samples, sampleRate)
    })
  }

  #arrive(samples: Int16Array) {
    if (this.#isOver) return
    this.#recorder?.heard(samples)
    this.#answering?.hear(samples)
  }

  #hear(samples: Int16Array) {
    if (this.#isOver) return
    this.#exchange.hear(samples)
  }

  #notice(activity: VoiceActivity) {
    if (this.#isOver) return
    this.#bargeIn.notice(activity)
    this.#exchange.notice(activity)
    this.#answering?.notice(activity)
    const { type, samples, isSpeaking: isSpeech, probability: vadProb } = activity
    if (type === 'window' && this.#parts.sendsAudioMetrics)
      this.#levels.user.add(samples, this.#parts.sound.sampleRate, { isSpeech, vadProb })
    if (type === 'started') connectAhead(this.#parts) // those that were kept may have been closed meanwhile
    if (type === 'ended') this.#onSilence()
  }

  #isWanted(samples: Int16Array): boolean {
    if (!this.#replies.plays()) return false
    this.#recorder?.given(samples)
    if (this.#parts.sendsAudioMetrics) this.#levels.bot.add(samples, this.#parts.sound.sampleRate)
    return true
  }

  #onSilence() {
    if (!this.#isOver && !this.#exchange.isSpeaking && !this.#replies.isBusy) this.#limits.onSilence()
  }

  #press(digit: string) {
    if (this.#isOver) return
    this.#digits += digit
    const data = { callId: this.#parts.callId, digit, digits: this.#digits }
    this.#log.write([{ type: 'call.dtmf_received', data }])
    this.#onSilence()
  }

  async #learn() {
    const { contact, instructions, models, nowMs } = this.#parts
    const { memory, facts } = instructions
    const keep = (entries: readonly NewEntry[]) => this.#log.keep(entries)
    const { entries } = this.#log
    const parts = { contact, memory, facts, models, entries, keep, nowMs }
    const learned = await learn(parts, AbortSignal.timeout(learningMs))
    if (learned) this.#log.write([{ type: 'memory.ops', data: { ...learned } }])
  }
}
