import { memberDefaults } from '@switchroom/contract/knobs'
import type { Entry, NewEntry } from '@switchroom/contract/log'
import type { AnsweringMachine } from '@switchroom/contract/settings'
import type { SpokenParts } from '../spoken-parts.ts'
import type { VoiceActivity } from '../voice-activity.ts'
import { AnswerClassifier, type Verdict } from './answer-classifier.ts'

/** Since the far end answered: then the call goes on, whoever it is. */
const decidedWithinMs = 3_000
/** Sound is judged by its own time, however late it comes; without any, the clock decides so much later. */
const withoutSoundMs = 1_500
/** However late this process came to the call, it listens for this long. */
const leastListeningMs = 2_000
/** Words tell for longer than sound: what a machine says after its first sentence corrects the verdict. */
const correctedWithinMs = 8_000
/** A machine whose beep is not heard gets its message all the same. */
const beepWithinMs = 30_000
const silenceForBeepMs = 4_000

export interface AnsweringParts {
  sampleRate: number
  knob: AnsweringMachine | undefined
  keep: (entries: readonly NewEntry[]) => void
  /** A person, or a machine with which the call goes on: the conversation may begin. */
  goOn: () => void
  /** A machine that nothing is said to. */
  hangUp: () => void
  /** A machine announces that it will record. */
  machineSpeaks: () => void
  /** What spoke was not one that records. */
  noMachineAfterAll: () => void
  /** The machine records: now is the time for the message. */
  leaveMessage: () => void
}

/** When the far end of a dialled call answered, in epoch milliseconds; null if nobody dialled. */
export const answeredMs = (entries: readonly Entry[]): number | null => {
  const answered = entries.find(({ type }) => type === 'call.answered')
  return answered ? answered.ts * 1_000 : null
}

/** Who answered a call that was dialled, and what then happens. */
export class Answering {
  readonly #parts: AnsweringParts
  readonly #classifier: AnswerClassifier
  readonly #words: string[] = []
  #verdict: Verdict | null = null
  #isByWords = false
  #waitMs = Infinity
  #heardMs = 0
  #isWaiting: boolean
  #isListening = true
  /** Sound is heard before the conversation can begin; nothing is decided by then. */
  #isStarted = false
  #awaitsBeep = false
  readonly #timers: NodeJS.Timeout[] = []

  constructor(parts: AnsweringParts) {
    this.#parts = parts
    this.#classifier = new AnswerClassifier(parts.sampleRate)
    this.#isWaiting = actionIn(parts.knob) !== 'go_on'
  }

  /** Whether nothing is said before it is known who answered. */
  get isWaiting(): boolean {
    return this.#isWaiting
  }

  /** The far end answered so long ago. */
  start(agoMs: number) {
    this.#isStarted = true
    const waitMs = Math.max(leastListeningMs, decidedWithinMs - Math.max(0, agoMs))
    this.#waitMs = waitMs
    this.#after(waitMs + withoutSoundMs, () => this.#guess())
    this.#after(correctedWithinMs, () => (this.#isListening = this.#awaitsBeep))
    this.#consider()
  }

  /** Nothing is decided any more: the call is over, or another agent has it. */
  close() {
    this.#isListening = this.#awaitsBeep = false
    for (const timer of this.#timers) clearTimeout(timer)
    if (!this.#isWaiting) return
    this.#isWaiting = false
    this.#parts.goOn()
  }

  hear(samples: Int16Array) {
    if (!this.#isListening) return
    this.#classifier.add(samples)
    this.#consider()
  }

  notice({ type, probability, samples }: Pick<VoiceActivity, 'type' | 'probability' | 'samples'>) {
    if (!this.#isListening || type !== 'window') return
    const ms = (samples.length / this.#parts.sampleRate) * 1_000
    this.#classifier.window(probability, ms)
    this.#heardMs += ms
    this.#consider()
    if (this.#heardMs >= this.#waitMs) this.#guess()
  }

  /** What is written or shown of the call, for the words in it. */
  read(entries: readonly NewEntry[]) {
    if (!this.#isListening) return
    for (const { type, data } of entries) {
      const { text } = data
      if (typeof text !== 'string' || (type !== 'user.speaking' && type !== 'user.message')) continue
      this.#classifier.say([...this.#words, text].join(' '))
      if (type === 'user.message') this.#words.push(text)
      this.#consider()
    }
  }

  #consider() {
    if (!this.#isStarted) return
    if (this.#awaitsBeep) this.#listenForBeep()
    else if (!this.#verdict) {
      const verdict = this.#classifier.verdict()
      if (verdict) this.#decide(verdict)
    }
    if (this.#verdict && !this.#isByWords && this.#isListening) this.#correct(this.#verdict)
  }

  #correct({ by, kind }: Verdict) {
    const corrected = this.#classifier.byWords
    if (!corrected) return
    this.#isByWords = true
    if (corrected.by === by && corrected.kind === kind) return
    if (this.#awaitsBeep) this.#parts.noMachineAfterAll()
    this.#awaitsBeep = false
    this.#decide(corrected)
  }

  #guess() {
    if (!this.#verdict) this.#decide(this.#classifier.guess())
  }

  #decide(verdict: Verdict) {
    const { knob, keep, goOn, hangUp, machineSpeaks } = this.#parts
    this.#verdict = verdict
    keep([{ type: 'call.answered_by', data: { ...verdict } }])
    const action = actionOn(verdict, knob)
    if (action === 'hang_up') return hangUp()
    if (action === 'leave_message') {
      this.#awaitsBeep = true
      machineSpeaks()
      this.#after(beepWithinMs, () => this.#leaveMessage())
      return this.#listenForBeep()
    }
    if (!this.#isWaiting) return
    this.#isWaiting = false
    goOn()
  }

  #listenForBeep() {
    const { hasBeeped, silenceMs } = this.#classifier
    if (hasBeeped || silenceMs >= silenceForBeepMs) this.#leaveMessage()
  }

  #leaveMessage() {
    if (!this.#awaitsBeep) return
    this.#awaitsBeep = this.#isListening = false
    this.#parts.leaveMessage()
  }

  #after(ms: number, act: () => void) {
    this.#timers.push(setTimeout(act, ms).unref())
  }
}

/** The same parts of a call, whose entries are read by another too. */
export const overheard = (
  { keep, show }: Pick<SpokenParts, 'keep' | 'show'>,
  read: (entries: readonly NewEntry[]) => void,
): Pick<SpokenParts, 'keep' | 'show'> => ({
  keep: (entries) => {
    read(entries)
    return keep(entries)
  },
  show: (entries) => {
    read(entries)
    show(entries)
  },
})

const { action: usualAction } = memberDefaults('answering_machine')
const actionIn = (knob: AnsweringMachine | undefined) => knob?.action ?? usualAction

/** A fax hears no message, and who screens calls is told who is calling, as a person is. */
function actionOn({ by, kind }: Verdict, knob: AnsweringMachine | undefined): AnsweringMachine['action'] {
  const action = actionIn(knob)
  if (by !== 'machine' || action === 'go_on') return 'go_on'
  if (action === 'hang_up' || kind === 'fax') return 'hang_up'
  return kind === 'screening' ? 'go_on' : action
}
