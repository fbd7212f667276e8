import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { vendorIn } from '@switchroom/kit/installed'
import { conformance, listingVoices, speaking } from '@switchroom/kit/testing/conformance'
import { startWireFake, type HttpAnswer, type Seen, type Wire } from '@switchroom/kit/testing/wire-fake'

const folder = join(import.meta.dirname, '..')

const event = (said: { type: string }) => `event: ${said.type}\ndata: ${JSON.stringify(said)}\n\n`

const chunk = (bytes: number) => ({
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

async function speak({ body }: Seen, answer: HttpAnswer) {
  assert.deepEqual(JSON.parse(body.toString()), {
    model_id: 'sonic-3',
    voice: { id: 'voice-1' },
    language: 'pt',
    output_format: { container: 'raw', encoding: 'pcm_s16le', sample_rate: 24_000 },
    generation_config: { speed: 1.2 },
    add_timestamps: true,
    transcript: 'Hello, there you are!',
  })
  answer.start({ 'content-type': 'text/event-stream' })
  for (const said of [
    timestamps(['Hello', 'there'], 0),
    chunk(4801),
    chunk(4799),
    timestamps(['you', 'are'], 1),
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
  assert.equal(url.searchParams.get('limit'), '100')
  const pages: Record<string, object> = {
    first: { data: [voice('v1', ['en-GB']), voice('v2', ['en-US', 'es-MX'])], has_more: true },
    v2: { data: [{ id: 'v3', gender: null }], has_more: true },
    v3: { data: [], has_more: true },
  }
  return answer.json(pages[url.searchParams.get('starting_after') ?? 'first'])
}

const wire: Wire = {
  refusal: (words) => ({ error_code: 'bad', title: 'Bad request', message: words, request_id: 'fake' }),
  async http(seen, answer) {
    assert.match(seen.headers.authorization ?? '', /^Bearer mark-of-api_key/)
    assert.equal(seen.headers['cartesia-version'], '2026-08-14')
    if (seen.url.pathname === '/voices') return listVoices(seen, answer)
    assert.equal(seen.url.pathname, '/tts/sse')
    return speak(seen, answer)
  },
}

conformance(folder, wire, [
  speaking('says a line', 'Hello, there you are!', {
    choice: { knobs: { voice: 'voice-1', language: 'pt-BR', speed: 1.2 } },
    hasWords: true,
  }),
  listingVoices('lists its voices', {
    expect(voices) {
      const said = { description: 'Warm and calm', gender: 'female', accent: 'british' }
      const unknown = { language: null, description: null, gender: null, country: null, accent: null }
      assert.deepEqual(voices, [
        { id: 'v1', name: 'Voice v1', language: 'en-GB', country: 'GB', ...said },
        { id: 'v2', name: 'Voice v2', language: null, country: null, ...said },
        { id: 'v3', name: 'v3', ...unknown },
      ])
    },
  }),
])

async function spoken(events: readonly { type: string }[]) {
  const fake = await startWireFake({
    refusal: () => ({}),
    async http(_seen, answer) {
      answer.start({ 'content-type': 'text/event-stream' })
      for (const said of events) await answer.piece(event(said))
      answer.end()
    },
  })
  try {
    const choice = { options: { base_url: `${fake.url}/` }, credentials: { api_key: 'key-of-a-test' } }
    const speaker = await vendorIn(folder)?.voice(choice)
    assert.ok(speaker)
    return await Array.fromAsync(speaker.speak('hello', AbortSignal.timeout(5_000)))
  } finally {
    await fake.stop()
  }
}

test('a voice that stops in the middle without a word is no answer (SD-26)', async () => {
  await assert.rejects(spoken([chunk(480)]), { kind: 'silent', message: /broke off/ })
})

test('what it finds wrong while it speaks is a refusal, and its own trouble is none (SD-26)', async () => {
  const error = (status_code: number) => ({
    type: 'error',
    done: true,
    status_code,
    error_code: null,
    title: 'Failed',
    message: 'in its words',
    request_id: 'fake',
  })
  await assert.rejects(spoken([chunk(480), error(402)]), { kind: 'refused', message: 'in its words' })
  await assert.rejects(spoken([chunk(480), error(503)]), { kind: 'silent', message: 'in its words' })
})

test('a voice that gives no times gives none', async () => {
  const pieces = await spoken([chunk(480), { type: 'done' }])
  assert.deepEqual(
    pieces.map(({ type }) => type),
    ['audio'],
  )
})
