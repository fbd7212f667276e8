import assert from 'node:assert/strict'
import { test } from 'node:test'
import { spoken, spokenRate } from '../../testing/speech.ts'
import { loadSilero, VoiceActivity } from './silero.ts'
import { type Said, Stream } from './stream.ts'

test('speech that was heard to its end in the pause after it is not heard again when the pause is over', async () => {
  const { pcm } = await spoken('Please call me back tomorrow morning.')
  const said: Said[] = []
  const format = { sampleRate: spokenRate, channels: 1, encoding: 's16' } as const
  const activity = new VoiceActivity(await loadSilero())
  const stream = new Stream({ kind: 'live', format }, activity, (one) => said.push(one))
  let partials = 0
  let finals = 0
  const audio = Buffer.concat([pcm, Buffer.alloc(2 * spokenRate)])
  for (let at = 0; at < audio.length; at += 2_000) {
    stream.take(audio.subarray(at, at + 2_000))
    while (stream.hasAudio) await stream.listen(64)
    if (stream.hasPartial) await stream.hearPartial(async () => `part ${(partials += 1)}`)
    if (stream.hasFinal) await stream.hearFinal(async () => `final ${(finals += 1)}`)
  }
  const final = said.find((one) => one.type === 'final')
  assert.ok(partials > 1)
  assert.equal(finals, 0)
  assert.equal(final?.text, `part ${partials}`)
})
