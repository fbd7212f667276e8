import assert from 'node:assert/strict'
import type { SoundAtVendor } from '@switchroom/kit/testing/rates-conformance'
import type { Seen, SocketAnswer, Wire } from '@switchroom/kit/testing/wire-fake'

const rates = new Set([8_000, 16_000, 24_000, 44_100, 48_000])

type Event = 'Update' | 'StartOfTurn' | 'EagerEndOfTurn' | 'TurnResumed' | 'EndOfTurn'

export const words = [
  { word: 'Book', start: 0.1, end: 0.4, confidence: 0.9 },
  { word: 'it', start: 0.4, end: 0.6, confidence: 0.9 },
  { word: 'please', confidence: 0.9 },
]

const turnInfo = (event: Event, transcript: string) => ({
  type: 'TurnInfo',
  request_id: 'fake',
  event,
  turn_index: 0,
  audio_window_start: 0,
  audio_window_end: 0.8,
  transcript,
  words: words.slice(0, transcript === '' ? 0 : transcript.split(' ').length),
  end_of_turn_confidence: 0.5,
})

/** What it reports of one turn; the words of the next one are only ever updated. */
const told: [Event, string][] = [
  ['Update', ''],
  ['StartOfTurn', 'Book'],
  ['Update', 'Book'],
  ['EagerEndOfTurn', 'Book it'],
  ['TurnResumed', 'Book it'],
  ['Update', 'Book it please'],
]

/** Flux: a turn of the caller from the first audio on, which ends when it is asked to. */
export function fluxListen(
  sound: SoundAtVendor,
  socket: SocketAnswer,
  { url: { searchParams: asked } }: Seen,
) {
  assert.match(asked.get('model') ?? '', /^flux-general-(en|multi)$/)
  const isMulti = asked.get('model') === 'flux-general-multi'
  assert.ok(isMulti || !asked.has('language_hint'), 'only the multilingual model takes a hint')
  assert.equal(asked.get('encoding'), 'linear16')
  sound.rate = Number(asked.get('sample_rate'))
  assert.ok(rates.has(sound.rate), `sample_rate is ${sound.rate}`)
  let sequence = 0
  let isTold = false
  const tell = (message: object) => {
    socket.send({ ...message, sequence_id: sequence })
    sequence += 1
  }
  const tellTurn = (event: Event, transcript: string, more: object = {}) =>
    tell({
      ...turnInfo(event, transcript),
      ...(isMulti && transcript !== '' && { languages: ['en'] }),
      ...more,
    })
  tell({ type: 'Connected', request_id: 'fake' })
  socket.onFrame((frame) => {
    if (typeof frame !== 'string') {
      sound.add(frame)
      if (!isTold) for (const [event, transcript] of told) tellTurn(event, transcript)
      isTold = true
      return
    }
    const { type } = JSON.parse(frame) as { type: string }
    if (type === 'ForceEndTurn') {
      tellTurn('EndOfTurn', 'Book it please', { trigger: 'manual' })
      tellTurn('StartOfTurn', '')
    }
    if (type === 'CloseStream') {
      tellTurn('Update', 'Book it')
      socket.close()
    }
  })
}

/** It accepts the handshake and says no on the socket. */
export const fluxRefusal: NonNullable<Wire['socketRefusal']> = (socket, said) => {
  socket.send({ type: 'Error', sequence_id: 0, code: 'INVALID_PARAMETER', description: said })
  socket.close(1008, 'closed')
}
