import type { HttpAnswer, Seen, Wire } from '@switchroom/kit/testing/wire-fake'

type Json = Record<string, unknown>

/** Rime on loopback, and what it was asked to say. */
export interface RimeWire extends Wire {
  readonly spoken: Json[]
}

async function speak({ headers, body }: Seen, answer: HttpAnswer, spoken: Json[]) {
  spoken.push(JSON.parse(body.toString()) as Json)
  answer.start({ 'content-type': String(headers.accept) })
  for (const bytes of [4_801, 4_799, 9_600]) await answer.piece(Buffer.alloc(bytes, 7))
  answer.end()
}

const voiceDetails = [
  {
    speaker: 'astra',
    gender: 'Female',
    age: 'Young Adult',
    country: 'US',
    dialect: 'Standard',
    genre: ['Any'],
    modelId: 'coda',
    lang: 'eng',
    language: 'English',
    description: 'Bright, lively California, quick and expressive.',
    flagship: true,
  },
  {
    speaker: 'liesel',
    gender: 'Female',
    country: 'German',
    dialect: '',
    modelId: 'coda',
    lang: 'ger',
    language: 'German',
  },
  { speaker: 'cove', gender: 'Female', country: 'US', modelId: 'mistv3', lang: 'eng', language: 'English' },
  { speaker: 'mari', gender: 'Female', country: 'US', modelId: 'mistv3', lang: 'eng', language: 'English' },
  { speaker: 'mari', gender: 'Female', country: 'US', modelId: 'mistv3', lang: 'spa', language: 'Spanish' },
]

export function rimeWire(): RimeWire {
  const wire: RimeWire = {
    spoken: [],
    refusal: (message) => ({ message }),
    async http(seen, answer) {
      if (!seen.headers.authorization?.startsWith('Bearer ')) return answer.json('invalid api key')
      if (seen.url.pathname === '/data/voices/voice_details.json') return answer.json(voiceDetails)
      return speak(seen, answer, wire.spoken)
    },
  }
  return wire
}
