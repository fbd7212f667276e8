import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { after, before, test } from 'node:test'
import { changeRow, speakOverHttp } from '@switchroom/gateway/testing/providers/vendors'
import { until } from '@switchroom/gateway/testing/until'
import { startVoiceDeployment, type VoiceCaller } from '../../testing/voice-deployment.ts'
import { VoiceWire } from '../../testing/voice-wire.ts'

const voice = await startVoiceDeployment({ SVC_PROVIDER_KEY_OPENAI: 'platform-mark-0123456789' })
after(() => voice[Symbol.asyncDispose]())
const { deployment } = voice
const wire = await new VoiceWire().start()
after(() => wire.stop())
before(() => changeRow(deployment, (row) => speakOverHttp(row, wire.url)))

const input =
  'Please tell me what time the station opens in the morning, and whether I can still buy a ticket.'
const onWire = { input, voice: 'openai/coral' }

interface Frame {
  type: string
  data?: string
  word?: string
  start?: number
  end?: number
  [field: string]: unknown
}

/** The frames of an answer; every line but the last is JSON. */
function framesIn(text: string, isWhole = true): Frame[] {
  const lines = text.split('\n\n')
  assert.equal(lines.pop(), '')
  if (isWhole) assert.equal(lines.pop(), 'data: [DONE]')
  return lines.map((line) => {
    assert.ok(line.startsWith('data: {'), line)
    return JSON.parse(line.slice('data: '.length)) as Frame
  })
}

const soundIn = (frames: Frame[]) =>
  Buffer.concat(frames.flatMap(({ data }) => (data === undefined ? [] : [Buffer.from(data, 'base64')])))

async function events(caller: VoiceCaller, body: object) {
  const response = await caller.speak(
    { ...body, timestamps: true },
    {
      headers: {
        authorization: `Bearer ${caller.key}`,
        accept: 'text/event-stream',
        'content-type': 'application/json',
      },
    },
  )
  const text = await response.text()
  assert.equal(response.status, 200, text)
  assert.match(response.headers.get('content-type') ?? '', /^text\/event-stream/)
  assert.equal(response.headers.get('x-svc-characters'), String(Array.from(input).length))
  return { text, requestId: response.headers.get('x-svc-request-id') }
}

test('the events are start, sound and words, done and [DONE]; the sound is the binary body (S-314, S-315, S-316, S-317, S-402, S-403, S-405, S-406, ST-096, SD-72)', async () => {
  const caller = await voice.caller()
  wire.answer = (response) => void response.end(Buffer.alloc(48_000 * 7, 3))
  for (const response_format of ['pcm', 'wav', 'mp3'])
    for (const sample_rate of [16_000, 24_000]) {
      const { text, requestId } = await events(caller, { ...onWire, response_format, sample_rate })
      const frames = framesIn(text)
      const start = { type: 'start', request_id: requestId, format: response_format, sample_rate }
      assert.deepEqual(frames[0], start)
      assert.deepEqual(frames.at(-1), { type: 'done', characters: input.length, audio_ms: 7_000 })
      for (const { type } of frames.slice(1, -1)) assert.ok(['audio', 'word'].includes(type), type)
      const binary = await caller.speech({ ...onWire, response_format, sample_rate })
      assert.ok(soundIn(frames).equals(binary.bytes), `${response_format} at ${sample_rate} is the same`)
    }
})

/** No word after a sound that starts after its end; every word once, in order. */
function assertWordsInPlace(frames: Frame[], sampleRate: number) {
  const words = frames.filter(({ type }) => type === 'word')
  assert.deepEqual(
    words.map((frame) => frame.word),
    input.split(' '),
  )
  let seconds = 0
  let lastStart = 0
  let last = 0
  for (const { type, data = '', start = 0, end = 0 } of frames) {
    if (type === 'audio') {
      lastStart = seconds
      seconds += Buffer.from(data, 'base64').length / 2 / sampleRate
    }
    if (type !== 'word') continue
    assert.ok(start >= last && end >= start, 'times rise')
    assert.ok(end >= lastStart - 0.001, `a word that ends at ${end} comes after the sound at ${lastStart}`)
    last = end
  }
  assert.ok(last <= seconds + 0.001, 'no word ends past the sound')
  const lastSound = frames.findLastIndex(({ type }) => type === 'audio')
  const between = frames.slice(0, lastSound).filter(({ type }) => type === 'word')
  assert.ok(between.length >= 5, 'words come between the sounds')
}

test('words come where they are spoken, estimated for a vendor that gives no times (S-404, ST-097, SD-72)', async () => {
  const caller = await voice.caller()
  for (const seconds of [3, 7, 12]) {
    wire.answer = async (response) => {
      for (let second = 0; second < seconds; second += 1) response.write(Buffer.alloc(48_000, 3))
      response.end()
    }
    assertWordsInPlace(framesIn((await events(caller, onWire)).text), 16_000)
  }
})

test("words come where they are spoken, by the vendor's own times if it gives them (S-404, ST-097, SD-72)", async () => {
  const caller = await voice.caller()
  for (const speed of [0.5, 1, 2]) {
    const { text } = await events(caller, { input, voice: 'local/en-us', sample_rate: 24_000, speed })
    const frames = framesIn(text)
    assertWordsInPlace(frames, 24_000)
    const first = frames.find(({ word }) => word === 'station')
    const estimated = input.indexOf('station') / 15
    assert.ok(Math.abs((first?.start ?? 0) - estimated) > 0.05, 'it is no estimate')
  }
})

test('a failure in the middle is an error and the last that comes; it costs nothing (S-407, ST-096, SD-66, SD-72)', async () => {
  const org = await deployment.newOrg()
  const caller = await voice.caller(org)
  const had = await voice.creditsOf(org)
  let response: ServerResponse | undefined
  wire.answer = (opened) => {
    response = opened
    opened.write(Buffer.alloc(96_000, 3))
  }
  const answer = await caller.speak({ ...onWire, timestamps: true })
  const reader = answer.body?.getReader()
  let text = Buffer.from((await reader?.read())?.value ?? []).toString()
  response?.destroy()
  for (let next = await reader?.read(); !next?.done; next = await reader?.read())
    text += Buffer.from(next?.value ?? []).toString()
  const frames = framesIn(text, false)
  const { error, ...rest } = frames.at(-1) ?? { type: 'none' }
  assert.deepEqual(rest, { type: 'error', code: 'UPSTREAM_ERROR' })
  assert.match(String(error), /^openai did not answer: /)
  assert.equal(frames.filter(({ type }) => type === 'done').length, 0)
  assert.ok(soundIn(frames).length > 0)
  await until('it is given back', async () => (await voice.creditsOf(org)) === had)
})
