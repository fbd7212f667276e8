import { addressOf } from '@switchroom/kit/addresses'
import { connectAhead } from '@switchroom/kit/kept-connections'
import { evenPieces } from '@switchroom/kit/pcm'
import { askJson, piecesOf } from '@switchroom/kit/requests'
import { textPieces } from '@switchroom/kit/text-pieces'
import type { Setting, Voice } from '@switchroom/kit/vendor'
import { accountOf } from './account.ts'

/** It refuses a longer text. */
const mostCharacters = 2_000

/** The voice that speaks for a family of models: its voices are models themselves, such as `aura-2-apollo-en`. */
const voiceOfFamily: Record<string, string> = { aura: 'aura-asteria-en', 'aura-2': 'aura-2-thalia-en' }

export function voice(setting: Setting): Voice {
  const { base, headers, asked } = accountOf(setting)
  const { voice: named, model: family, sample_rate: sampleRate = 24_000, ...rest } = asked
  const model = named ?? voiceOfFamily[String(family)] ?? family
  const form = { encoding: 'linear16', container: 'none', sample_rate: sampleRate }
  return {
    sampleRate: Number(sampleRate),
    connect: () => connectAhead(addressOf(base, '')),
    async *speak(text, signal) {
      const url = addressOf(base, '/v1/speak', { ...rest, model, ...form })
      for (const piece of textPieces(text, mostCharacters)) {
        const answer = await askJson(url, { text: piece }, { headers, signal })
        for await (const pcm of evenPieces(piecesOf(answer))) yield { type: 'audio', pcm }
      }
    },
  }
}
