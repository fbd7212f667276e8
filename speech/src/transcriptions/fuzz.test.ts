import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { until } from '@switchroom/gateway/testing/until'
import * as fc from 'fast-check'
import { startTranscriberWire, type TranscriberWire } from '../../testing/transcriber-wire.ts'
import { formOf, transcribe, type Part } from '../../testing/form-caller.ts'
import { LiveClient } from '../../testing/live-client.ts'
import { aiff, recording, silentAmr, spokenPcm } from '@switchroom/kit/testing/recordings'
import { startWithFakeGateway } from '../../testing/speech-server.ts'

let speech: Awaited<ReturnType<typeof startWithFakeGateway>>
let wire: TranscriberWire
const seed = randomInt(2 ** 31 - 1)

before(async () => {
  wire = await startTranscriberWire()
  speech = await startWithFakeGateway()
  const heardHere = { vendor: 'local', model: 'moonshine-tiny' }
  speech.gateway.grant = ({ model }) =>
    model === 'local'
      ? heardHere
      : {
          vendor: 'deepgram',
          model: 'nova-3',
          options: { base_url: wire.fake.url },
          credentials: { api_key: 'their key' },
        }
})
after(async () => {
  await speech[Symbol.asyncDispose]()
  await wire.fake.stop()
})

const statuses = new Set([200, 400, 413, 415, 502])

/** The sender's fault, unless it is a vendor's. */
function assertDocumented(
  { status, body }: { status: number; body?: { error: string; code: string } },
  of: string,
) {
  assert.ok(statuses.has(status), `${status} ${JSON.stringify(body)} of ${of} with seed ${seed}`)
  if (status !== 200) assert.deepEqual(Object.keys(body ?? {}), ['error', 'code'])
}

const recordings = [
  ...['fox.wav', 'fox.mp3', 'fox.m4a', 'fox.webm', 'fox.ogg', 'fox-vorbis.ogg', 'fox.flac', 'fox.aac'].map(
    recording,
  ),
  aiff(spokenPcm(), 16_000),
  silentAmr(),
]

/** Of a whole, and not nearly always nothing, as numbers of this kind otherwise are. */
const share = fc.nat({ max: 1_000 }).map((thousandths) => thousandths / 1_000)

/** A recording that was cut, filled with other bytes or written twice. */
const garbled = fc
  .tuple(
    fc.constantFrom(...recordings),
    fc.array(fc.tuple(share, fc.uint8Array({ maxLength: 12 })), {
      maxLength: 8,
    }),
    share,
  )
  .map(([file, changes, kept]) => {
    const copy = Buffer.from(file.subarray(0, Math.ceil(kept * Math.min(file.length, 30_000))))
    for (const [where, bytes] of changes)
      copy.set(
        bytes.slice(0, copy.length),
        Math.floor(where * (copy.length - Math.min(bytes.length, copy.length))),
      )
    return copy
  })

const anyBytes = fc.oneof(
  garbled,
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
)
const anyField = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom('en', 'true', 'json', 'local', 'x'.repeat(20_000)),
)
const anyName = fc.oneof(
  fc.constantFrom(
    'model',
    'language',
    'diarize',
    'response_format',
    'file',
    '__proto__',
    'constructor',
    'file[]',
  ),
  fc.string({ maxLength: 10 }),
)

test('1,100 forms of any fields and files are answered as documented', async () => {
  const property = fc.asyncProperty(
    fc.dictionary(anyName, anyField, { maxKeys: 5 }),
    anyBytes,
    fc.boolean(),
    async (fields, bytes, isFirst) => {
      const file = { file: { bytes } }
      const named = Object.fromEntries(Object.entries(fields).filter(([name]) => name !== 'model'))
      const parts: Record<string, Part> = isFirst ? { ...file, ...named } : { ...named, ...file }
      assertDocumented(await transcribe(speech.url, formOf(parts)), JSON.stringify(Object.keys(parts)))
    },
  )
  await fc.assert(property, { numRuns: 1_100, seed, endOnFailure: true })
})

test('500 bodies that are hardly forms are answered as documented', async () => {
  const whole = Buffer.from(
    '--x\r\nContent-Disposition: form-data; name="language"\r\n\r\nen\r\n' +
      '--x\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\nContent-Type: audio/wav\r\n\r\n' +
      'RIFF\0\0\0\0WAVEfmt \r\n--x--\r\n',
  )
  const type = fc.constantFrom(
    'multipart/form-data; boundary=x',
    'multipart/form-data; boundary=',
    'multipart/form-data; boundary="--x"',
    'multipart/mixed; boundary=x',
    'text/plain',
    'multipart/form-data',
  )
  const change = fc.tuple(fc.nat({ max: whole.length - 1 }), fc.nat({ max: 255 }))
  const property = fc.asyncProperty(
    fc.array(change, { maxLength: 6 }),
    fc.nat({ max: whole.length }),
    type,
    async (changes, length, contentType) => {
      const body = Buffer.from(whole)
      for (const [at, byte] of changes) body[at] = byte
      const sent = body.subarray(0, length)
      assertDocumented(
        await transcribe(speech.url, sent, { headers: { 'content-type': contentType } }),
        sent.toString('latin1'),
      )
    },
  )
  await fc.assert(property, { numRuns: 500, seed, endOnFailure: true })
})

test('forty garbled recordings are decoded, or refused, and no decoder is left behind', async () => {
  const seen = new Set<number>()
  const property = fc.asyncProperty(garbled, async (bytes) => {
    const answer = await transcribe(speech.url, { model: 'local', file: { bytes } })
    assertDocumented(answer, bytes.subarray(0, 64).toString('hex'))
    seen.add(answer.status)
  })
  await fc.assert(property, { numRuns: 40, seed, endOnFailure: true })
  for (const status of [200, 415]) assert.ok(seen.has(status), `none was answered ${status}`)
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'ppid=,args='])
  const left = stdout.split('\n').filter((line) => line.trim().startsWith(`${process.pid} `))
  assert.ok(!left.some((line) => line.includes('decoding-program')), left.join('\n'))
})

test('600 streams of any query and any frames end as documented, and hold nothing after', async () => {
  const query = fc.dictionary(
    fc.constantFrom('sample_rate', 'encoding', 'diarize', 'language', 'model', 'x'),
    fc.oneof(
      fc.constantFrom('8000', '48000', 'mulaw', 'linear16', 'true', 'en'),
      fc.string({ unit: 'binary', maxLength: 20 }),
    ),
  )
  const frame = fc.oneof(
    fc.uint8Array({ maxLength: 5_000 }),
    fc.string({ maxLength: 50 }),
    fc.constantFrom('{"type":"finalize"}', '{"type":"stop"}', '{"type":"stop"', '[]', '{"type":{}}'),
    fc.json({ maxDepth: 2 }),
  )
  const property = fc.asyncProperty(query, fc.array(frame, { maxLength: 12 }), async (given, frames) => {
    const words = Object.fromEntries(
      Object.entries(given).filter(([name, value]) => name !== 'model' || value !== 'local'),
    )
    const client = new LiveClient(speech.url, `?${new URLSearchParams(words).toString()}`)
    assert.equal((await client.handshake).status, 101)
    for (const sent of frames) client.socket.send(sent)
    client.socket.send('{"type":"stop"}')
    const close = await client.closed
    const last = client.frames.at(-1)
    if (last?.type === 'done') assert.equal(close, 1000)
    else assert.deepEqual([last?.type, close], ['error', 1008], JSON.stringify([words, client.frames, seed]))
  })
  await fc.assert(property, { numRuns: 600, seed, endOnFailure: true })
  await until('every vendor is cancelled', () => wire.fake.open === 0)
  await until(
    'every grant is settled once',
    () => speech.gateway.settled.length === new Set(speech.gateway.settled.map(({ grant }) => grant)).size,
  )
  assert.ok(
    !speech.log().includes('"level":"error"'),
    speech
      .log()
      .split('\n')
      .find((line) => line.includes('"level":"error"')),
  )
})

test('the memory is as it was after a thousand more uploads', async () => {
  const send = (count: number) =>
    Promise.all(
      Array.from({ length: 20 }, async () => {
        for (let sent = 0; sent < count / 20; sent += 1) {
          const bytes =
            sent % 3 === 0
              ? Buffer.alloc(500_000, 'no sound ')
              : Buffer.concat([recording('fox.wav'), Buffer.alloc(200_000)])
          assertDocumented(await transcribe(speech.url, { file: { bytes } }), 'an upload')
          wire.fake.seen.length = 0
        }
      }),
    )
  await send(200)
  const usedBefore = process.memoryUsage().rss
  await send(1_000)
  const grown = process.memoryUsage().rss - usedBefore
  assert.ok(grown < 200 * 1024 * 1024, `grew by ${Math.round(grown / 1024 / 1024)} MB`)
})
