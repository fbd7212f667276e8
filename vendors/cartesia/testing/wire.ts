import assert from 'node:assert/strict'
import type { HttpAnswer, Seen, Wire } from '@switchroom/kit/testing/wire-fake'

const rates = new Set([8_000, 16_000, 22_050, 24_000, 44_100, 48_000])
/** The newest day of its wire. */
const version = '2026-08-14'

export const event = (said: { type: string }) => `event: ${said.type}\ndata: ${JSON.stringify(said)}\n\n`

export const chunk = (bytes: number) => ({
  type: 'chunk',
  data: Buffer.alloc(bytes, 7).toString('base64'),
  done: false,
  status_code: 206,
  step_time: 12.5,
})

const timestamps = (words: string[], from: number) => ({
  type: 'timestamps',
  done: false,
  status_code: 206,
  word_timestamps: {
    words,
    start: words.map((_, at) => from + at / 2),
    end: words.map((_, at) => from + at / 2 + 0.4),
  },
})

interface Request {
  model_id: string
  voice: string | { id: string }
  transcript: string
  output_format: { container: string; encoding: string; sample_rate: number }
  add_timestamps?: boolean
}

async function speak({ body }: Seen, answer: HttpAnswer) {
  const asked = JSON.parse(body.toString()) as Request
  assert.match(asked.model_id, /^sonic-/)
  assert.ok(typeof asked.voice === 'string' ? asked.voice : asked.voice.id)
  const { container, encoding, sample_rate: rate } = asked.output_format
  assert.deepEqual([container, encoding], ['raw', 'pcm_s16le'])
  assert.ok(rates.has(rate), `sample_rate is ${rate}`)
  const words = asked.transcript.split(/\W+/).filter(Boolean)
  const half = Math.ceil(words.length / 2)
  const timed = (said: string[], from: number) => (asked.add_timestamps ? [timestamps(said, from)] : [])
  answer.start({ 'content-type': 'text/event-stream' })
  for (const said of [
    ...timed(words.slice(0, half), 0),
    chunk(4801),
    chunk(4799),
    ...timed(words.slice(half), 1),
    chunk(9600),
    { type: 'done', done: true, status_code: 200 },
  ])
    await answer.piece(event(said))
  answer.end()
}

const voice = (id: string, locales: string[]) => ({
  id,
  name: `Voice ${id}`,
  description: 'Warm and calm',
  tagline: '',
  language: 'en',
  locales: locales.map((locale, at) => ({ locale, is_native: at === 0 })),
  gender: 'feminine',
  accent: 'british',
  access: 'public',
  visibility: 'all',
  is_owner: false,
  created_at: '2026-01-01T00:00:00Z',
})

function listVoices({ url }: Seen, answer: HttpAnswer) {
  const pages: Record<string, object> = {
    first: { data: [voice('v1', ['en-GB']), voice('v2', ['en-US', 'es-MX'])], has_more: true },
    v2: { data: [{ id: 'v3', gender: null }], has_more: true },
    v3: { data: [], has_more: true },
  }
  return answer.json(pages[url.searchParams.get('starting_after') ?? 'first'])
}

/** Cartesia: speech with times, and voices. */
export const cartesiaWire: Wire = {
  refusal: (words) => ({ error_code: 'bad', title: 'Bad request', message: words, request_id: 'fake' }),
  async http(seen, answer) {
    assert.match(seen.headers.authorization ?? '', /^Bearer ./)
    assert.equal(seen.headers['cartesia-version'], version)
    if (seen.url.pathname === '/voices') return listVoices(seen, answer)
    assert.equal(seen.url.pathname, '/tts/sse')
    return speak(seen, answer)
  },
}
