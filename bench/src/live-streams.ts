import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { startWireFake } from '@switchroom/kit/testing/wire-fake'
import { cpuSeconds, memoryMb } from './processes.ts'
import { judge, median, say } from './report.ts'
import { startVoiceServer } from './voice-server.ts'

const frameMs = 40
const seconds = 6
const loads = [
  { streams: 50, rate: 16_000 },
  { streams: 50, rate: 48_000 },
]
const onThisMachine = 10
const speech = readFileSync(
  new URL('../../vendors/kit/testing/recordings/fox.wav', import.meta.url),
).subarray(44)

/** Many speak at once, each at the pace of speech: how much of a core does one of them take? */
export async function liveStreams(): Promise<boolean> {
  const fake = await startWireFake({
    refusal: (words) => ({ err_msg: words }),
    socket(socket) {
      socket.onFrame((frame) => {
        if (typeof frame !== 'string' || !frame.includes('CloseStream')) return
        socket.send({ type: 'Metadata' })
        socket.close()
      })
    },
  })
  await using voice = await startVoiceServer('stt/deepgram', fake.url, {
    SVC_RATE_STREAMS: '1000000',
    SVC_MAX_STREAMS: '1000000',
  })
  const { port, server, key } = voice
  const url = `ws://127.0.0.1:${port}/v1/audio/transcriptions/stream`
  const spoken = (model: string, rate: number, pcm: Buffer) =>
    spokenStream(`${url}?model=${model}&sample_rate=${rate}`, key, rate, pcm)

  await spoken('deepgram/nova-3', 16_000, speech) // what runs for the first time is compiled first
  let slowest = Infinity
  for (const { streams, rate } of loads) {
    const before = cpuSeconds(server.pid)
    const pcm = Buffer.alloc(2 * rate * seconds)
    await Promise.all(Array.from({ length: streams }, () => spoken('deepgram/nova-3', rate, pcm)))
    const carried = (streams * seconds) / (cpuSeconds(server.pid) - before)
    say(`  ${streams} at once at ${rate}: one core carries ${Math.round(carried)}`)
    slowest = Math.min(slowest, carried)
  }
  say(`  the voice server holds ${memoryMb(server.pid)} MB`)

  const local = await Promise.all(
    Array.from({ length: onThisMachine }, () => spoken('local', 16_000, speech)),
  )
  const heard = local.filter(({ refused }) => refused === undefined)
  const lateMs = median(heard.map(({ lastWordsMs }) => lastWordsMs))
  say(
    `  ${onThisMachine} at once on local: ${heard.length} heard, done ${lateMs.toFixed(0)} ms after their last sound`,
  )
  for (const refused of new Set(local.flatMap((one) => one.refused ?? []))) say(`  the others: ${refused}`)
  await fake.stop()
  return judge('seconds of live audio for a second of CPU', slowest, { atLeast: 100 })
}

/** Sends audio at speaking pace and returns the latency of the last words, or why there were none. */
async function spokenStream(address: string, key: string, rate: number, pcm: Buffer) {
  const socket = new WebSocket(address, { headers: { authorization: `Bearer ${key}` } })
  const ready = Promise.withResolvers<void>()
  const over = Promise.withResolvers<string | undefined>()
  socket.addEventListener('message', ({ data }) => {
    const { type, error } = JSON.parse(String(data)) as { type: string; error?: string }
    if (type === 'ready') ready.resolve()
    if (type === 'done' || type === 'error') over.resolve(error)
  })
  socket.addEventListener('close', () => over.resolve('it closed'))
  await Promise.race([ready.promise, over.promise])
  const frameBytes = (2 * rate * frameMs) / 1_000
  const begun = performance.now()
  for (
    let at = 0, frame = 1;
    at < pcm.length && socket.readyState === WebSocket.OPEN;
    at += frameBytes, frame += 1
  ) {
    socket.send(pcm.subarray(at, at + frameBytes))
    await sleep(Math.max(0, begun + frame * frameMs - performance.now()))
  }
  const stopped = performance.now()
  if (socket.readyState === WebSocket.OPEN) socket.send('{"type":"stop"}')
  const refused = await over.promise
  socket.close()
  return { refused, lastWordsMs: performance.now() - stopped }
}
