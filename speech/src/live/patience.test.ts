import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '@switchroom/gateway/testing/until'
import { manifestOf, VendorFolder } from '@switchroom/gateway/testing/providers/vendor-packages'
import { LiveClient } from '../../testing/live-client.ts'
import { startLive } from '../../testing/live-server.ts'
import { usualLimits } from './live-limits.ts'

const second = Buffer.alloc(32_000, 1)

test('a vendor has 15 seconds, last words 10, a client 60, a stop 10, and keys are judged every 30 (SD-76, SD-77)', () => {
  assert.deepEqual(usualLimits, {
    vendorMs: 15_000,
    lastWordsMs: 10_000,
    clientMs: 60_000,
    judgeEveryMs: 30_000,
    leavingMs: 10_000,
  })
})

test('a vendor that never takes the connection is a time-out (S-415, SD-76)', async () => {
  await using live = await startLive({ vendorMs: 300 })
  live.wire.fake.mode = 'hang'
  const client = new LiveClient(live.url)
  client.socket.once('open', () => client.send(second))
  assert.deepEqual(await client.refused(), {
    code: 'UPSTREAM_TIMEOUT',
    error: 'deepgram did not answer in time',
    close: 1011,
  })
  assert.equal(client.frames.length, 1)
  await until('nothing is paid', () => live.gateway.settled.at(-1)?.seconds === 0)
  await until('the vendor is cancelled', () => live.wire.fake.open === 0)
})

test('last words that do not come are a time-out, and what was sent is paid (S-415, SD-66, SD-77)', async () => {
  await using live = await startLive({ lastWordsMs: 300 })
  live.wire.answersEnd = false
  const client = new LiveClient(live.url)
  await client.frame('ready')
  client.send(second)
  client.say({ type: 'stop' })
  const { code, close } = await client.refused()
  assert.deepEqual([code, close], ['UPSTREAM_TIMEOUT', 1011])
  await until('it is paid', () => live.gateway.settled.at(-1)?.seconds === 1)
})

test('a vendor may be silent for as long as its client is', async () => {
  await using live = await startLive({ vendorMs: 200, clientMs: 1_000 })
  const client = new LiveClient(live.url)
  await client.frame('ready')
  const begun = performance.now()
  const done = await client.frame('done')
  assert.ok(performance.now() - begun >= 900)
  assert.equal(done['audio_seconds'], 0)
})

test('a client that sends nothing for a minute has stopped (SD-77)', async () => {
  await using live = await startLive({ clientMs: 400 })
  const client = new LiveClient(live.url)
  await client.frame('ready')
  client.send(second)
  assert.equal((await client.frame('final'))['text'], '32000 bytes')
  assert.equal((await client.frame('done'))['audio_seconds'], 1)
  assert.equal(await client.closed, 1000)
})

for (const code of ['INVALID_KEY', 'INSUFFICIENT_CREDITS', 'SUBSCRIPTION_REQUIRED'] as const)
  test(`an open stream whose key opens it no longer ends with ${code} (S-414, SD-76)`, async () => {
    await using live = await startLive({ judgeEveryMs: 50 })
    const [ended, other] = [new LiveClient(live.url), new LiveClient(live.url)]
    await ended.frame('ready')
    await other.frame('ready')
    ended.send(second)
    other.send(second)
    const told = (grant: string) =>
      live.gateway.judged.at(-1)?.streams.find((stream) => stream.grant === grant)?.seconds === 1
    await until('both are asked about, with their seconds', () => told('grant_1') && told('grant_2'))
    live.gateway.refusedStreams = {
      grant_1: { status: 402, code, error: 'no more' },
      grant_9: { status: 401, code, error: 'nobody' },
    }
    const first = await Promise.race([
      ended.frame('error').then(() => ended),
      other.frame('error').then(() => other),
    ])
    assert.deepEqual(await first.refused(), { code, error: 'no more', close: 1008 })
    const rest = first === ended ? other : ended
    assert.equal((await rest.stop())['audio_seconds'], 1)
  })

test('a gateway that does not answer ends no stream', async () => {
  await using live = await startLive({ judgeEveryMs: 50 })
  const client = new LiveClient(live.url)
  await client.frame('ready')
  live.gateway.failures = 3
  await until('it was asked in vain', () => live.gateway.failures === 0)
  await until('it is asked again', () => live.gateway.judged.length > 2)
  client.send(second)
  assert.equal((await client.stop())['audio_seconds'], 1)
})

test('audio that comes faster than its vendor takes it is held back, and all of it arrives (SD-76)', async () => {
  await using live = await startLive()
  const client = new LiveClient(live.url, '?sample_rate=48000')
  await client.frame('ready')
  const piece = Buffer.alloc(960_000)
  for (let sent = 0; sent < 30; sent += 1) client.send(piece)
  const { audio_seconds } = await client.stop()
  assert.equal(audio_seconds, 300)
  const heard = live.wire.streams.at(-1)?.reduce((total, { length }) => total + length, 0) ?? 0
  assert.ok(Math.abs(heard - 300 * 32_000) <= 4, `${heard}`)
})

test('a server that stops lets its streams say their last words', async () => {
  await using live = await startLive()
  const client = new LiveClient(live.url)
  await client.frame('ready')
  client.send(second)
  await until('the vendor heard it', () => live.wire.streams.at(-1)?.length !== 0)
  void live.stop()
  assert.equal((await client.frame('done'))['audio_seconds'], 1)
  assert.equal((await client.frame('final'))['text'], '32000 bytes')
  assert.equal(await client.closed, 1000)
})

test('a server that stops does not wait for ever for last words, and what was sent is paid (SD-66)', async () => {
  await using live = await startLive({ lastWordsMs: 100_000, leavingMs: 300 })
  live.wire.answersEnd = false
  const client = new LiveClient(live.url)
  await client.frame('ready')
  client.send(second)
  await until('the vendor heard it', () => live.wire.streams.at(-1)?.length !== 0)
  await live.stop()
  assert.equal(await client.closed, 1006)
  await until('it is paid', () => live.gateway.settled.at(-1)?.seconds === 1)
})

/** A vendor of which a test writes what it does once it has said that it is ready. */
async function startWithTranscriber(hurried: Parameters<typeof startLive>[0], then: string) {
  const folder = new VendorFolder().add(
    manifestOf('odd', ['stt']),
    `export default { transcriber: () => ({ async *listen(audio, rate, signal) { yield { type: 'ready' }; ${then} } }) }`,
  )
  const live = await startLive(hurried, [folder.path])
  live.gateway.grant = () => ({ vendor: 'odd', model: 'odd-stt-1', credentials: { api_key: 'x' } })
  return {
    live,
    async [Symbol.asyncDispose]() {
      await live[Symbol.asyncDispose]()
      folder[Symbol.dispose]()
    },
  }
}

test('a vendor that takes no audio any more is a time-out, and what was sent is paid (S-415, SD-76)', async () => {
  await using odd = await startWithTranscriber({ vendorMs: 300 }, 'await new Promise(() => {})')
  const client = new LiveClient(odd.live.url)
  await client.frame('ready')
  client.send(second)
  const { code, error, close } = await client.refused()
  assert.deepEqual([code, error, close], ['UPSTREAM_TIMEOUT', 'odd did not answer in time', 1011])
  await until('it is paid', () => odd.live.gateway.settled.at(-1)?.seconds === 1)
})

test('what a vendor does not take is not read from its client (SD-76)', async () => {
  await using odd = await startWithTranscriber({ vendorMs: 1_500 }, 'await new Promise(() => {})')
  const client = new LiveClient(odd.live.url)
  await client.frame('ready')
  for (let sent = 0; sent < 1_000; sent += 1) client.send(second)
  await until('the vendor is given up', () => odd.live.gateway.settled.length === 1)
  assert.ok(
    (odd.live.gateway.settled[0]?.seconds ?? 0) < 30,
    `${odd.live.gateway.settled[0]?.seconds} s were read`,
  )
  client.socket.terminate()
})

test('a vendor that ends before its client did has failed (S-415)', async () => {
  await using odd = await startWithTranscriber({}, 'return')
  const { code, error, close } = await new LiveClient(odd.live.url).refused()
  assert.deepEqual([code, error, close], ['UPSTREAM_ERROR', 'odd stopped listening before the end', 1011])
})

test('a client that never reads pauses its vendor, and is closed', async () => {
  const talk =
    "const text = 'x'.repeat(100_000); for (globalThis.told = 0; ; globalThis.told += 1) { yield { type: 'final', text }; await new Promise(setImmediate) }"
  await using odd = await startWithTranscriber({ clientMs: 500 }, talk)
  const told = () => (globalThis as { told?: number }).told ?? 0
  const client = new LiveClient(odd.live.url)
  await client.handshake
  client.socket.pause()
  await until('the stream is over', () => odd.live.gateway.settled.length === 1)
  assert.ok(told() < 1_000, `${told()} times 100 kB were sent`) // as much as the sockets of the machine hold
  client.socket.terminate()
})
