import type { VoiceEntry } from '@switchroom/contract/speech'
import { refused } from '@switchroom/kit/failures'
import type { Setting, Spoken, Voice } from '@switchroom/kit/vendor'
import type { Message } from './messages.ts'
import { speechPrograms } from './speech-programs.ts'

const sampleRate = 22_050
const onlyModel = 'espeak'
/** espeak brings some that its makers try languages with, such as Xextan-test. */
const isTestVoice = /\btest\b/iu
const speeds = { slowest: 0.25, fastest: 4 }

/** espeak's own usual pace, and the outermost it can speak at. */
const wordsPerMinute = { usual: 175, fewest: 80, most: 450 }

export function localVoice({ keywords }: Setting): Voice {
  return {
    sampleRate,
    async *speak(text, signal): AsyncIterable<Spoken> {
      const exchange = speechPrograms.ask('voice', { type: 'speak', text, ...mannerOf(keywords) }, signal)
      try {
        for await (const { message, bytes } of exchange) {
          if (message.type === 'word') yield wordOf(message)
          if (message.type !== 'audio') continue
          yield { type: 'audio', pcm: bytes }
          exchange.send({ type: 'taken', count: bytes.length })
        }
      } finally {
        exchange.cancel(signal.reason)
      }
    },
  }
}

export async function localVoices(signal: AbortSignal): Promise<VoiceEntry[]> {
  let voices: VoiceEntry[] = []
  for await (const { message } of speechPrograms.ask('voice', { type: 'voices' }, signal))
    if (message.type === 'voices') voices = message['voices'] as VoiceEntry[]
  return voices.filter(({ name }) => !isTestVoice.test(name))
}

/** It has spoken once afterwards. */
export async function warmVoice(signal: AbortSignal): Promise<void> {
  const voice = localVoice({ class: 'TTS', keywords: {}, credentials: {} })
  await Array.fromAsync(voice.speak('Hello.', signal))
}

function mannerOf({ model, voice, language, speed }: Setting['keywords']) {
  if (model !== undefined && model !== onlyModel)
    throw refused(`local speaks with the model ${onlyModel} only`)
  return {
    ...(typeof voice === 'string' && voice.trim() !== '' && { voice }),
    ...(typeof language === 'string' && { language }),
    words_per_minute: paceOf(speed ?? 1),
  }
}

function paceOf(speed: unknown): number {
  if (typeof speed !== 'number' || !(speed >= speeds.slowest && speed <= speeds.fastest))
    throw refused(`local speaks at a speed from ${speeds.slowest} to ${speeds.fastest}`)
  const pace = Math.round(wordsPerMinute.usual * speed)
  return Math.min(Math.max(pace, wordsPerMinute.fewest), wordsPerMinute.most)
}

const wordOf = ({ word, start, end }: Message): Spoken => ({
  type: 'word',
  word: String(word),
  start: Number(start),
  end: Number(end),
})
