import { setTimeout as pause } from 'node:timers/promises'
import { VADEventType, type VADEvent } from '@livekit/agents'
import type { CallReason, Entry, NewEntry } from '@switchroom/contract/log'
import { learn } from '../memory.ts'
import { isOpened } from '../opening.ts'
import { vendorsDown } from '../vendors-down.ts'
import { AudioLevels } from './audio-levels.ts'
import { CallAudio } from './call-audio.ts'
import { CallLimits, leftMs } from './call-limits.ts'
import { CallLog } from './call-log.ts'
import { Hearing } from './hearing.ts'
import { PauseJudge } from './pause-judge.ts'
import { Recorder } from './recorder.ts'
import { Replies } from './replies.ts'
import type { SpokenParts } from './spoken-parts.ts'
import { surenessIn } from './turn-model.ts'
import { TurnTaking } from './turn-taking.ts'

const learningMs = 15_000
const closingMs = 3_000

/** What a line that hands a call over changes: who answers, with what, and nothing about the sound. */
export type SwappedParts = Pick<
  SpokenParts,
  | 'instructions'
  | 'config'
  | 'endOfTurn'
  | 'models'
  | 'ears'
  | 'voices'
  | 'prepare'
  | 'runTools'
  | 'sendsAudioMetrics'
>

/** One spoken call, from the first word to the last. */
export class SpokenSession {
  #parts: SpokenParts
  readonly #log: CallLog
  readonly #audio: CallAudio
  readonly #turns: TurnTaking
  readonly #limits: CallLimits
  readonly #replies: Replies
  readonly #recorder: Recorder | null
  readonly #levels: { user: AudioLevels; bot: AudioLevels }
  readonly #down: { stt: Set<string> }
  readonly #ended = Promise.withResolvers<CallReason>()
  readonly #silent = Promise.withResolvers<CallReason>()
  #hearing: Hearing
  /** Where a model ends the turns. */
  #pauses: PauseJudge | null
  #isBegun = false
  #isHandedOver = false
  #isOver = false
  #digits = ''

  constructor(parts: SpokenParts, entriesSoFar: readonly Entry[]) {
    const { sound, callId, config, newMessageId, nowMs, record } = parts
    this.#parts = parts
    this.#log = new CallLog(entriesSoFar, parts.keep, () => this.end('failed'))
    const log = this.#log
    const keep = (entries: readonly NewEntry[]) => log.write(entries)
    const show = (entries: readonly NewEntry[]) => this.#parts.show(entries)
    this.#down = { stt: vendorsDown(entriesSoFar, 'stt') }
    this.#recorder = config.record && record ? new Recorder(sound, record) : null
    this.#levels = { user: new AudioLevels('user', show), bot: new AudioLevels('bot', show) }
    this.#limits = new CallLimits({
      idleTimeoutMs: parts.idleTimeoutMs,
      longestMs: leftMs(config, log.entries),
      keep,
      end: (reason) => this.end(reason),
    })
    this.#audio = new CallAudio(sound, {
      frame: (samples) => this.#hear(samples),
      activity: (event) => this.#notice(event),
      isWanted: (samples) => this.#isWanted(samples),
      left: () => this.end('hangup'),
      failed: () => this.end('failed'),
    })
    this.#replies = new Replies(parts, {
      log,
      audio: this.#audio,
      cleared: () => this.#recorder?.cleared(),
      stirred: () => this.#limits.stirred(),
      quiet: () => this.#quiet(),
      end: (reason) => this.end(reason),
    })
    this.#turns = new TurnTaking({
      callId,
      ...knobsOf(parts),
      keep,
      show,
      newMessageId,
      nowMs,
      judge: async () => (await this.#pauses?.judge()) ?? null,
      stirred: () => this.#limits.stirred(),
      foreseen: (text) => this.#replies.foresee(text),
      interrupted: (leastMs) => {
        if (this.#replies.giveWayTo(leastMs)) this.#turns.continued()
      },
      nothingSaid: () => this.#replies.goOn(),
      turnEnding: () => {
        if (this.#replies.rethink()) this.#turns.continued()
      },
      turnEnded: (timings) => {
        keep(this.#hearing.metrics())
        this.#replies.answer(timings)
        this.#quiet()
      },
    })
    this.#hearing = this.#listening()
    this.#pauses = this.#judging()
  }

  /**
   * Runs until somebody ends the call; resolves with why. Aborting the signal ends it with `hangup`. Writes every
   * entry but `call.started` and `call.ended`, which are the caller's of `run`.
   */
  async run(signal: AbortSignal): Promise<{ reason: CallReason }> {
    const hangUp = () => this.end('hangup')
    signal.addEventListener('abort', hangUp, { once: true })
    if (signal.aborted) hangUp()
    try {
      await this.#begin()
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

  /** Resolves once nothing is said or heard any more: nobody is to wait on the line for what `run` still writes. */
  get silent(): Promise<CallReason> {
    return this.#silent.promise
  }

  async #begin() {
    if (this.#isOver) return
    this.#parts.sound.onTone((digit) => this.#press(digit))
    await this.#audio.start()
    if (this.#isOver) return
    this.#hearing.start()
    this.#isBegun = true
    if (!this.#isHandedOver && !isOpened(this.#log.entries)) this.#replies.greet()
    this.#replies.open()
  }

  async #fallSilent() {
    this.#limits.close()
    this.#turns.close()
    this.#hearing.stop()
    this.#log.write(this.#hearing.metrics())
    await Promise.race([
      Promise.all([this.#replies.settled, this.#audio.close()]),
      pause(closingMs, undefined, { ref: false }),
    ])
  }

  /** Says a supervisor's (`human`) or the app's (`say`) words as they are; resolves once they were played, or cut. */
  async say(text: string, source: 'say' | 'human' = 'say', by: string | null = null): Promise<void> {
    if (!this.#isOver && text.trim() !== '') await this.#replies.say(text, source, by)
  }

  /** A whisper stands in the log; the next turn reads it. */
  whisper(text: string): void {
    this.#log.note({ type: 'call.whispered', data: { text } })
  }

  /** Somebody took the call over: the model is not asked; the caller is still heard and logged. */
  hold(): void {
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
    this.#parts = { ...this.#parts, ...parts }
    this.#log.write(this.#hearing.metrics())
    this.#hearing.stop()
    this.#hearing = this.#listening()
    this.#pauses = this.#judging()
    this.#turns.use(knobsOf(this.#parts))
    this.#limits.limit(leftMs(this.#parts.config, this.#log.entries))
    if (this.#isBegun) this.#hearing.start()
    this.#replies.swap(this.#parts)
  }

  end(reason: CallReason): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#replies.close()
    this.#ended.resolve(reason)
  }

  #listening(): Hearing {
    const { ears, sound } = this.#parts
    const hearing: Hearing = new Hearing({
      ears,
      sampleRate: sound.sampleRate,
      down: this.#down.stt,
      keep: (entries) => this.#log.write(entries),
      heard: (heard) => {
        if (this.#hearing === hearing && !this.#isOver) this.#turns.heard(heard)
      },
      deaf: (vendor, why) => {
        const detail = why instanceof Error ? why.message : String(why)
        this.#log.write([{ type: 'error', data: { code: 'stt_failed', detail, vendor } }])
        this.end('failed')
      },
    })
    return hearing
  }

  #judging(): PauseJudge | null {
    const { endOfTurn, sound } = this.#parts
    return endOfTurn === 'smart-turn' ? new PauseJudge(sound.sampleRate) : null
  }

  #hear(samples: Int16Array) {
    if (this.#isOver) return
    this.#hearing.add(samples)
    this.#recorder?.heard(samples)
  }

  #notice(event: VADEvent) {
    if (this.#isOver) return
    const [frame] = event.frames
    if (event.type === VADEventType.START_OF_SPEECH) {
      if (frame) this.#hearing.speech(frame.data)
      this.#turns.speechStarted(event.speechDuration)
    } else if (event.type === VADEventType.INFERENCE_DONE) {
      if (frame) this.#pauses?.add(frame.data)
      if (frame && event.speaking) this.#hearing.speech(frame.data)
      if (event.speaking) this.#turns.speechGoesOn(event.speechDuration - event.rawAccumulatedSilence)
      const activity = { isSpeech: event.speaking, vadProb: event.probability }
      if (frame && this.#parts.sendsAudioMetrics)
        this.#levels.user.add(frame.data, frame.sampleRate, activity)
    } else if (event.type === VADEventType.END_OF_SPEECH) {
      this.#turns.speechEnded(event.silenceDuration)
      if (!this.#turns.endsByEars) this.#hearing.speechEnded()
      this.#quiet()
    }
  }

  #isWanted(samples: Int16Array): boolean {
    if (!this.#replies.plays()) return false
    this.#recorder?.given(samples)
    if (this.#parts.sendsAudioMetrics) this.#levels.bot.add(samples, this.#parts.sound.sampleRate)
    return true
  }

  #quiet() {
    if (!this.#isOver && !this.#turns.isSpeaking && !this.#replies.isBusy) this.#limits.quiet()
  }

  #press(digit: string) {
    if (this.#isOver) return
    this.#digits += digit
    const data = { callId: this.#parts.callId, digit, digits: this.#digits }
    this.#log.write([{ type: 'call.dtmf_received', data }])
    this.#quiet()
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

const knobsOf = ({ config, endOfTurn, instructions }: SpokenParts) => ({
  turn: config.turn ?? {},
  endOfTurn,
  sureness: surenessIn(instructions.language),
})
