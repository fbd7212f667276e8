import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { vendorIn } from '@switchroom/kit/installed'
import { conformance, listening } from '@switchroom/kit/testing/conformance'
import { startWireFake, type SocketAnswer, type Wire } from '@switchroom/kit/testing/wire-fake'
import type { TurnInfo } from './turns.ts'

const folder = join(import.meta.dirname, '..')

const words = [
  { word: 'Book', start: 0.1, end: 0.4, confidence: 0.9 },
  { word: 'it', start: 0.4, end: 0.6, confidence: 0.9 },
  { word: 'please', confidence: 0.9 },
]

function turnInfo(event: TurnInfo['event'], transcript: string) {
  return {
    type: 'TurnInfo',
    request_id: 'fake',
    sequence_id: 1,
    event,
    turn_index: 0,
    audio_window_start: 0,
    audio_window_end: 0.8,
    transcript,
    words: words.slice(0, transcript === '' ? 0 : transcript.split(' ').length),
    end_of_turn_confidence: 0.5,
  }
}

/** What it reports of one turn; the words of the next one are only ever updated. */
const told: [TurnInfo['event'], string][] = [
  ['Update', ''],
  ['StartOfTurn', 'Book'],
  ['Update', 'Book'],
  ['EagerEndOfTurn', 'Book it'],
  ['TurnResumed', 'Book it'],
  ['Update', 'Book it please'],
]

function converse(socket: SocketAnswer) {
  let isTold = false
  socket.send({ type: 'Connected', request_id: 'fake', sequence_id: 0 })
  socket.onFrame((frame) => {
    if (typeof frame !== 'string') {
      assert.equal(frame.length, 2560, 'eighty milliseconds at a time')
      if (!isTold) for (const [event, transcript] of told) socket.send(turnInfo(event, transcript))
      isTold = true
      return
    }
    const { type } = JSON.parse(frame) as { type: string }
    if (type === 'ForceEndTurn') {
      socket.send({ ...turnInfo('EndOfTurn', 'Book it please'), trigger: 'manual' })
      socket.send(turnInfo('StartOfTurn', ''))
    }
    if (type === 'CloseStream') {
      socket.send(turnInfo('Update', 'Book it'))
      socket.close()
    }
  })
}

const wire: Wire = {
  refusal: (said) => ({ err_code: 'Bad Request', err_msg: said, request_id: 'fake' }),
  socketRefusal(socket, said) {
    socket.send({ type: 'Error', sequence_id: 0, code: 'INVALID_PARAMETER', description: said })
    socket.close(1008, 'closed')
  },
  socket(socket, { url, headers }) {
    assert.equal(url.pathname, '/v2/listen')
    assert.match(headers.authorization ?? '', /^Token mark-of-api_key/)
    assert.deepEqual(Object.fromEntries(url.searchParams), {
      model: 'flux-general-en',
      eot_threshold: '0.8',
      eager_eot_threshold: '0.4',
      keyterm: 'Switchroom',
      encoding: 'linear16',
      sample_rate: '16000',
    })
    converse(socket)
  },
}

const said = {
  start: 0.1,
  end: 0.6,
  words: words.slice(0, 2).map(({ word, start, end }) => ({ word, start, end })),
}

conformance(folder, wire, [
  listening('ends turns', [new Uint8Array(2560), 'finalize', new Uint8Array(9_000)], {
    choice: {
      model: 'flux-general-en',
      knobs: { language: 'en', heard: ['Switchroom'], eot_threshold: 0.8, eager_eot_threshold: 0.4 },
    },
    expect(heard) {
      assert.deepEqual(heard, [
        { type: 'ready' },
        { type: 'turn', state: 'started' },
        { type: 'partial', text: 'Book' },
        { type: 'partial', text: 'Book it' },
        { type: 'turn', state: 'eager' },
        { type: 'turn', state: 'resumed' },
        { type: 'partial', text: 'Book it please' },
        { type: 'final', text: 'Book it please', ...said },
        { type: 'turn', state: 'ended' },
        { type: 'turn', state: 'started' },
        { type: 'partial', text: 'Book it' },
        { type: 'final', text: 'Book it', ...said },
        { type: 'turn', state: 'ended' },
      ])
    },
  }),
])

async function* aSecond() {
  yield new Uint8Array(32_000)
}

/** What a flux transcriber hears in one second of silence. */
async function hear(answer: Wire, model: string, knobs: Record<string, unknown> = {}) {
  const fake = await startWireFake(answer)
  try {
    const options = { base_url: fake.url }
    const choice = { model, knobs, options, credentials: { api_key: 'key-of-a-test' } }
    const transcriber = await vendorIn(folder)?.transcriber(choice)
    assert.ok(transcriber && !('transcribe' in transcriber))
    const heard = transcriber.listen?.(aSecond(), 16_000, AbortSignal.timeout(5_000))
    assert.ok(heard)
    return { heard: await Array.fromAsync(heard), fake }
  } finally {
    await fake.stop()
  }
}

const endsAtOnce = (close: (socket: SocketAnswer) => void): Wire => ({
  refusal: () => ({}),
  socket(socket) {
    socket.send({ type: 'Connected', request_id: 'fake', sequence_id: 0 })
    socket.onFrame((frame) => typeof frame === 'string' && close(socket))
  },
})

test('only the multilingual model gets a language hint', async () => {
  const { heard, fake } = await hear(
    endsAtOnce((socket) => socket.close()),
    'flux-general-multi',
    { language: 'pt-BR' },
  )
  assert.deepEqual(heard, [{ type: 'ready' }])
  assert.equal(fake.seen[0]?.url.searchParams.get('language_hint'), 'pt')
})

test('a fault that it reports on the socket is no answer (SD-26)', async () => {
  const fault = { type: 'Error', sequence_id: 1, code: 'INTERNAL_SERVER_ERROR', description: 'out of order' }
  const broken = endsAtOnce((socket) => socket.send(fault))
  await assert.rejects(hear(broken, 'flux-general-en'), { kind: 'silent', message: 'out of order' })
})

test('a socket that it closes for our fault is a refusal in its words (SD-26)', async () => {
  const closed = endsAtOnce((socket) => socket.close(1008, 'DATA-0000: no such audio'))
  await assert.rejects(hear(closed, 'flux-general-en'), {
    kind: 'refused',
    message: 'DATA-0000: no such audio',
  })
})
