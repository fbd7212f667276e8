import { refused, silent } from '@switchroom/kit/failures'
import type { RealtimeAsked, Setting, Voice } from '@switchroom/kit/vendor'
import { realtime } from './realtime.ts'

/** A realtime model as a voice: the vendor's speech endpoint and its models end on 2027-01-06. */
export function realtimeVoice(setting: Setting): Voice {
  const model = realtime(setting)
  return {
    sampleRate: model.sampleRate,
    async *speak(text, signal) {
      const over = Promise.withResolvers<void>()
      try {
        for await (const told of model.converse(saying(text, over.promise), signal)) {
          if (told.type === 'audio') yield { type: 'audio', pcm: told.pcm }
          if (told.type !== 'replied') continue
          if (told.failure !== null) throw refused(told.failure)
          return
        }
        throw silent('it broke off in the middle of its answer')
      } finally {
        over.resolve()
      }
    },
  }
}

/** The conversation lasts until what it asks for ends. */
async function* saying(text: string, over: Promise<void>): AsyncIterable<RealtimeAsked> {
  yield { type: 'say', reply: 'line', text }
  await over
}
