import { addressOf } from '@switchroom/kit/addresses'
import { refused } from '@switchroom/kit/failures'
import { connectAhead } from '@switchroom/kit/kept-connections'
import { textOf } from '@switchroom/kit/keywords'
import { evenPieces } from '@switchroom/kit/pcm'
import { ask, piecesOf } from '@switchroom/kit/requests'
import { textPieces } from '@switchroom/kit/text-pieces'
import type { Setting, Voice } from '@switchroom/kit/vendor'
import { accountOf } from './account.ts'
import { localeOf } from './locales.ts'
import { ssmlOf } from './ssml.ts'

/** It says no more than ten minutes at once. */
const mostCharacters = 5_000

/** Both speak many languages. */
const voiceOfModel: Record<string, string> = {
  neural: 'en-US-AvaMultilingualNeural',
  'neural-hd': 'en-US-Ava:DragonHDLatestNeural',
}

const formats: Record<number, string> = {
  8_000: 'raw-8khz-16bit-mono-pcm',
  16_000: 'raw-16khz-16bit-mono-pcm',
  22_050: 'raw-22050hz-16bit-mono-pcm',
  24_000: 'raw-24khz-16bit-mono-pcm',
  44_100: 'raw-44100hz-16bit-mono-pcm',
  48_000: 'raw-48khz-16bit-mono-pcm',
}

export function voice(setting: Setting): Voice {
  const { base, headers, asked } = accountOf(setting, 'voice')
  const { model = 'neural', voice: named, language, sample_rate: sampleRate = 24_000, ...manner } = asked
  const name = textOf(named) ?? voiceOfModel[String(model)]
  if (name === undefined)
    throw refused(`azure has no text-to-speech model "${String(model)}": use neural or neural-hd`)
  const format = formats[Number(sampleRate)]
  if (format === undefined)
    throw refused(`azure speaks at ${Object.keys(formats).join(', ')} Hz, not at ${String(sampleRate)}`)
  const spoken = textOf(language)
  const locale = spoken !== undefined && speaksMany(name) ? localeOf(spoken) : undefined
  return {
    sampleRate: Number(sampleRate),
    connect: () => connectAhead(addressOf(base, '')),
    async *speak(text, signal) {
      for (const piece of textPieces(text, mostCharacters)) {
        const answer = await ask(addressOf(base, '/cognitiveservices/v1'), {
          headers: { ...headers, 'content-type': 'application/ssml+xml', 'x-microsoft-outputformat': format },
          body: ssmlOf(piece, { ...manner, voice: name, locale }),
          signal,
        })
        for await (const pcm of evenPieces(piecesOf(answer))) yield { type: 'audio', pcm }
      }
    },
  }
}

/** Another voice says nothing in a language that is not its own. */
const speaksMany = (name: string) => /Multilingual|Dragon/.test(name)
