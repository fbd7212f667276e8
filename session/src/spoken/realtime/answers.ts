import type { Entry } from '@switchroom/contract/log'
import type { Lexicon } from '@switchroom/contract/settings'
import { refused, silent } from '@switchroom/kit/failures'
import type { Conversation, Thought } from '@switchroom/kit/vendor'
import { Deadline } from '../../deadline.ts'
import type { ModelRun } from '../../parts.ts'
import type { CallLog } from '../call-log.ts'
import type { RealtimeConversation } from './conversation.ts'
import { RealtimeSpeech } from './speech.ts'

/** How often an answer that broke off is asked for. */
const mostTries = 3

export interface RealtimeAnswersParts {
  conversation: RealtimeConversation
  /** Of the party's sound. */
  sampleRate: number
  /** How long one vendor may say nothing before the next is asked; null if there is no other. */
  patienceMs: number | null
  /** How words are said that the lexicon names. */
  said: Lexicon['said']
  /** The id of the message that is answered before its words are known. */
  awaited: () => string | null
}

/** What makes a realtime model answer as any other: its words are thoughts, and its sound is played beside them. */
export class RealtimeAnswers {
  readonly #parts: RealtimeAnswersParts

  constructor(parts: RealtimeAnswersParts) {
    this.#parts = parts
  }

  get vendor(): string {
    return this.#parts.conversation.run.vendor
  }

  speech(): RealtimeSpeech {
    return new RealtimeSpeech(this.#parts.conversation, this.#parts.sampleRate)
  }

  /** The log as a turn reads it: it answers what was just said, whatever its words are. */
  entries(log: CallLog): readonly Entry[] {
    const messageId = this.#parts.awaited()
    return messageId === null
      ? log.entries
      : log.with({ type: 'user.message', data: { text: '', messageId } })
  }

  /** The connected model, for one message; `cut` aborts once it is not wanted any more. */
  modelFor(speech: RealtimeSpeech, cut: AbortSignal): ModelRun {
    const { conversation } = this.#parts
    return {
      get vendor() {
        return conversation.run.vendor
      },
      get model() {
        return conversation.run.model
      },
      get key() {
        return conversation.run.key
      },
      think: (question, signal) => this.#think(this.#pronounced(question), speech, cut, signal),
    }
  }

  /** No text goes through our hands on its way to the sound: the model itself has to know. */
  #pronounced({ messages, ...question }: Conversation): Conversation {
    const words = this.#parts.said.map(({ word, spoken }) => `${word} is said “${spoken}”.`)
    const text = `# Pronunciation\n\n${words.join('\n')}`
    return { ...question, messages: words.length === 0 ? messages : [...messages, { role: 'system', text }] }
  }

  async *#think(
    question: Conversation,
    speech: RealtimeSpeech,
    cut: AbortSignal,
    signal: AbortSignal,
  ): AsyncIterable<Thought> {
    const { conversation, patienceMs } = this.#parts
    for (let tries = 1; ; tries += 1) {
      const reply = conversation.reply(question)
      speech.add(reply)
      using patience = new Deadline(patienceMs)
      try {
        for await (const thought of reply.thoughts.taken(AbortSignal.any([signal, patience.signal]))) {
          patience.stop()
          yield thought
        }
        return
      } catch (error) {
        const isLate = patience.isOver || (signal.aborted && !cut.aborted)
        const why = isLate ? silent('it said nothing for too long') : error
        if (isLate || patienceMs !== null) conversation.giveUp(reply, why)
        conversation.drop(reply, why)
        signal.throwIfAborted()
        if (tries >= mostTries) throw refused(why instanceof Error ? why.message : String(why))
      }
    }
  }
}
