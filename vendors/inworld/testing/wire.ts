import type { HttpAnswer, Seen, Wire } from '@switchroom/kit/testing/wire-fake'

type Json = Record<string, unknown>

/** Inworld on loopback, and what it was asked to say. */
export interface InworldWire extends Wire {
  readonly spoken: Json[]
}

const modes = new Set(['STABLE', 'BALANCED', 'CREATIVE'])
const rates = new Set([8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000])

/** Words, spaces and punctuation, a tenth of a second each. */
function alignment(tokens: readonly string[], from: number) {
  const at = (index: number) => Math.round((from + index) * 10) / 100
  return {
    wordAlignment: {
      words: tokens,
      wordStartTimeSeconds: tokens.map((_, index) => at(index)),
      wordEndTimeSeconds: tokens.map((_, index) => at(index + 1)),
      phoneticDetails: [],
    },
  }
}

const usage = { processedCharactersCount: 20, modelId: 'inworld-tts-2' }

/** Two pieces, of which each says when its words are said. */
async function stream(asked: Json, answer: HttpAnswer) {
  const tokens = String(asked['text']).match(/[\p{L}\p{N}’']+|\s+|[^\p{L}\p{N}\s]+/gu) ?? []
  const half = Math.ceil(tokens.length / 2)
  const isTimed = asked['timestampType'] === 'WORD'
  answer.start({ 'content-type': 'application/json' })
  for (const [said, from, bytes] of [
    [tokens.slice(0, half), 0, 4_801],
    [tokens.slice(half), half, 4_799],
  ] as const) {
    const timestampInfo = isTimed ? alignment(said, from) : null
    const audioContent = Buffer.alloc(bytes, 7).toString('base64')
    await answer.piece(`${JSON.stringify({ result: { audioContent, usage, timestampInfo } })}\n`)
  }
  answer.end()
}

/** What it would refuse of a request; null if nothing. */
function wrongIn({ text, voiceId, modelId, audioConfig, deliveryMode }: Json): string | null {
  const { audioEncoding, sampleRateHertz, speakingRate = 1 } = (audioConfig ?? {}) as Json
  if (typeof text !== 'string' || text.length > 2_000) return 'text must have at most 2000 characters'
  if (!voiceId || !modelId) return 'voiceId and modelId are required'
  if (!['PCM', 'MP3', 'LINEAR16'].includes(String(audioEncoding))) return 'no such encoding'
  if (!rates.has(Number(sampleRateHertz))) return `no sample rate of ${String(sampleRateHertz)}`
  if (Number(speakingRate) < 0.5 || Number(speakingRate) > 1.5) return 'speakingRate must be from 0.5 to 1.5'
  if (deliveryMode !== undefined && !modes.has(deliveryMode as string)) return 'no such deliveryMode'
  return null
}

const voiceList = [
  {
    voiceId: 'Dennis',
    displayName: 'Dennis',
    langCode: 'EN_US',
    description: 'Middle-aged man with a smooth, calm and friendly voice',
    tags: ['Male', 'calm'],
    name: 'workspaces/a/voices/Dennis',
    source: 'SYSTEM',
  },
  { voiceId: 'a__mine', displayName: '', langCode: 'PT', tags: [], source: 'IVC' },
]

export function inworldWire(): InworldWire {
  const wire: InworldWire = {
    spoken: [],
    refusal: (message) => ({ code: 3, message, details: [] }),
    async http({ method, url, headers, body }: Seen, answer) {
      const at = `${method} ${url.pathname}`
      if (!headers.authorization?.startsWith('Basic ')) return answer.json({ code: 16, message: 'no key' })
      if (at === 'GET /voices/v1/voices') return answer.json({ voices: voiceList })
      const asked = JSON.parse(body.toString()) as Json
      const wrong = at === 'POST /tts/v1/voice:stream' ? wrongIn(asked) : `no ${at}`
      if (wrong !== null) return answer.json({ error: { code: 3, message: wrong, details: [] } })
      wire.spoken.push(asked)
      return stream(asked, answer)
    },
  }
  return wire
}
