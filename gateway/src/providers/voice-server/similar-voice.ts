import { openAiVoices } from '@switchroom/contract/openai-names'
import type { SpeechVoice } from '@switchroom/contract/voice-server'
import { primaryTag } from '@switchroom/kit/languages'

type Heard = Pick<SpeechVoice, 'id' | 'gender' | 'languages'>

/**
 * The voice that speaks for one of OpenAI's: of the language, with its usual accent and of the same gender as far as
 * there are such. The same name is always the same voice, and different names are different ones while there are enough.
 */
export function similarVoice<Voice extends Heard>(
  name: string,
  voices: readonly Voice[],
  language: string | null,
): Voice | undefined {
  const wanted = language ?? 'en'
  const usual = new Intl.Locale(wanted).maximize().region
  const speaking = preferred(voices, ({ languages }) => languages.some((tag) => primaryTag(tag) === wanted))
  const native = preferred(speaking, ({ languages }) => languages.some((tag) => regionOf(tag) === usual))
  const alike = preferred(native, ({ gender }) => gender === openAiVoices[name])
  const names = Object.keys(openAiVoices).filter((other) => openAiVoices[other] === openAiVoices[name])
  return alike[names.indexOf(name) % alike.length]
}

/** Those that have it, or all of them if none has. */
function preferred<One>(all: readonly One[], has: (one: One) => boolean): readonly One[] {
  const having = all.filter(has)
  return having.length > 0 ? having : all
}

const regionOf = (tag: string) => /-([a-z]{2})$/i.exec(tag)?.[1]?.toUpperCase()
