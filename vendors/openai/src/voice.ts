import { addressOf } from '@switchroom/kit/addresses'
import { connectAhead } from '@switchroom/kit/kept-connections'
import { evenPieces } from '@switchroom/kit/pcm'
import { askJson, piecesOf } from '@switchroom/kit/requests'
import type { Setting, Voice } from '@switchroom/kit/vendor'
import { openAiAddress } from './address.ts'
import { inputsOf } from './inputs.ts'

/** Its `pcm` is always at this rate. */
const sampleRate = 24_000

export function voice({ keywords, credentials }: Setting): Voice {
  const { base_url: base = openAiAddress, voice: named = 'alloy', ...rest } = keywords
  const address = addressOf(String(base), '/audio/speech')
  const headers = { authorization: `Bearer ${credentials['api_key']}` }
  return {
    sampleRate,
    connect: () => connectAhead(address),
    async *speak(text, signal) {
      for (const input of inputsOf(text)) {
        const body = { ...rest, voice: wireVoice(String(named)), input, response_format: 'pcm' }
        const answer = await askJson(address, body, { headers, signal })
        for await (const pcm of evenPieces(piecesOf(answer))) yield { type: 'audio', pcm }
      }
    },
  }
}

/** Its own voices go by name, an account's by id. */
export const wireVoice = (named: string) => (named.startsWith('voice_') ? { id: named } : named)
