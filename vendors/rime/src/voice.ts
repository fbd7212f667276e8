import { addressOf } from '@switchroom/kit/addresses'
import { refused } from '@switchroom/kit/failures'
import { connectAhead } from '@switchroom/kit/kept-connections'
import { keywordsAmong, textOf } from '@switchroom/kit/keywords'
import { evenPieces } from '@switchroom/kit/pcm'
import { askJson, piecesOf } from '@switchroom/kit/requests'
import { textPieces } from '@switchroom/kit/text-pieces'
import type { Setting, Voice } from '@switchroom/kit/vendor'
import { accountOf } from './account.ts'
import { codeOf, familyOf, firstVoice } from './languages.ts'

/** It refuses a longer text. */
const mostCharacters = 1_000
const rates: Record<string, number[]> = {
  coda: [8_000, 16_000, 22_050, 24_000, 44_100, 48_000],
  mist: [8_000, 16_000, 22_050, 24_000, 44_100],
}
const ofMist = ['pauseBetweenBrackets', 'phonemizeBetweenBrackets', 'inlineSpeedAlpha']

export function voice(setting: Setting): Voice {
  const { base, headers, asked } = accountOf(setting)
  const { samplingRate = 24_000 } = asked
  const language = textOf(asked['lang'])
  const model = String(asked['modelId'])
  const spoken = rates[familyOf(model)] ?? []
  if (!spoken.includes(Number(samplingRate)))
    throw refused(`${model} of rime speaks at ${spoken.join(', ')} Hz, not at ${String(samplingRate)}`)
  const body = {
    modelId: model, // without one it speaks with another model
    speaker: asked['speaker'] ?? firstVoice(model, language ?? 'en'),
    lang: language === undefined ? undefined : codeOf(language),
    samplingRate: Number(samplingRate),
    ...paceOf(model, asked['speed']),
    ...keywordsAmong(asked, ofMist),
  }
  const url = addressOf(base, '/v1/rime-tts')
  return {
    sampleRate: Number(samplingRate),
    connect: () => connectAhead(url),
    async *speak(text, signal) {
      for (const piece of textPieces(text, mostCharacters)) {
        const asking = { headers: { ...headers, accept: 'audio/L16' }, signal }
        const answer = await askJson(url, { text: piece, ...body }, asking)
        for await (const pcm of evenPieces(piecesOf(answer))) yield { type: 'audio', pcm }
      }
    },
  }
}

/** Its models count how long a text takes, and the older ones call that by another name. */
function paceOf(model: string, speed: unknown): Record<string, number> {
  if (speed === undefined) return {}
  const slowness = Math.round(1_000 / Number(speed)) / 1_000
  return model === 'mist' || model === 'mistv2' ? { speedAlpha: slowness } : { timeScaleFactor: slowness }
}
