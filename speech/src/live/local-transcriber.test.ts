import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { LiveClient } from '../../testing/live-client.ts'
import { startLive } from '../../testing/live-server.ts'
import { spokenPcm, spokenSeconds } from '@switchroom/kit/testing/recordings'

let live: Awaited<ReturnType<typeof startLive>>

before(async () => {
  live = await startLive({ vendorMs: 120_000, lastWordsMs: 120_000 }) // the machine may be busy with other tests
  live.gateway.grant = () => ({}) // what the fake grants by itself is local
})
after(() => live[Symbol.asyncDispose]())

test('speech is heard for real, at twice its pace and in odd pieces (S-148, S-353)', async () => {
  const client = new LiveClient(live.url)
  await client.frame('ready')
  const pcm = spokenPcm()
  for (let at = 0; at < pcm.length; at += 1_601) client.send(pcm.subarray(at, at + 1_601))
  const done = await client.stop()
  assert.equal(done['audio_seconds'], Math.round(spokenSeconds * 1_000) / 1_000)
  const said = client.frames.filter(({ type }) => type === 'final').map(({ text }) => text)
  assert.match(said.join(' '), /quick brown fox/i)
})

test('each of ten clients that speak to local at once is understood, or refused with a sentence', async () => {
  const pcm = spokenPcm()
  const speak = async () => {
    const client = new LiveClient(live.url)
    for (let at = 0; at < pcm.length; at += 3_200) {
      if (at === 0) await client.handshake
      if (client.socket.readyState === client.socket.OPEN) client.send(pcm.subarray(at, at + 3_200))
      await sleep(100)
    }
    if (client.socket.readyState === client.socket.OPEN) client.say({ type: 'stop' })
    await client.closed
    return client.frames
  }
  const all = await Promise.all(Array.from({ length: 10 }, speak))
  const refused = all.filter((frames) => frames.at(-1)?.type === 'error')
  for (const [frame] of refused)
    assert.match(
      String(frame?.['error']),
      /^local refused: local speech-to-text already transcribes \d+ streams, /,
    )
  const heard = all.filter((frames) => frames.at(-1)?.type === 'done')
  assert.ok(heard.length >= 4 && heard.length + refused.length === 10)
  for (const frames of heard) assert.match(JSON.stringify(frames), /quick brown fox/i)
})
