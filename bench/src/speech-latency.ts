import { setTimeout as sleep } from 'node:timers/promises'
import { startWireFake } from '@switchroom/kit/testing/wire-fake'
import { cpuSeconds, memoryMb } from './processes.ts'
import { judge, median, percentile, say } from './report.ts'
import { startVoiceServer } from './voice-server.ts'

const thinkingMs = 120
/** How many are under way at any time, and how many are said in all. */
const loads = [
  { atOnce: 1, speeches: 80 },
  { atOnce: 10, speeches: 200 },
  { atOnce: 50, speeches: 500 },
]
const said = { model: 'openai/gpt-4o-mini-tts', voice: 'openai/coral', input: 'Hello, how can I help you?' }

/** A vendor that thinks a while and then speaks: how much later is its first sound here? */
export async function speechLatency(): Promise<boolean> {
  const fake = await startWireFake({
    refusal: (words) => ({ error: { message: words } }),
    async http(_request, answer) {
      await sleep(thinkingMs)
      answer.start({ 'content-type': 'audio/pcm' })
      for (let piece = 0; piece < 5; piece += 1) await answer.piece(Buffer.alloc(9_600))
      answer.end()
    },
  })
  await using voice = await startVoiceServer('tts/openai', fake.url, { SVC_RATE_SPEECH: '1000000' })
  const { port, gateway, server: speech, key } = voice

  const direct = () => firstSound(`${fake.url}/audio/speech`, 'bench')
  const through = () => firstSound(`http://127.0.0.1:${port}/v1/audio/speech`, key)
  await measured(10, 50, through) // what runs for the first time is compiled first
  let ratioAlone = Number.NaN
  for (const { atOnce, speeches } of loads) {
    const itself = await measured(atOnce, speeches, direct)
    const usedBefore = [gateway.pid, speech.pid].map(cpuSeconds)
    const ours = await measured(atOnce, speeches, through)
    const [gatewayMs = 0, speechMs = 0] = [gateway.pid, speech.pid].map(
      (pid, at) => ((cpuSeconds(pid) - (usedBefore[at] ?? 0)) / speeches) * 1_000,
    )
    const addedMs = (percent: number) => (percentile(ours, percent) - percentile(itself, percent)).toFixed(1)
    say(
      `  ${atOnce} at once: ${addedMs(50)} ms later (p95 ${addedMs(95)} ms) than ${median(itself).toFixed(1)} ms; ` +
        `CPU each: gateway ${gatewayMs.toFixed(1)} ms, voice server ${speechMs.toFixed(1)} ms`,
    )
    if (atOnce === 1) ratioAlone = median(ours) / median(itself)
  }
  say(`  the voice server holds ${memoryMb(speech.pid)} MB`)
  await fake.stop()
  // with more at once it is the cores that everybody here shares which are measured
  return judge('first sound of speech, in times of the same vendor asked directly', ratioAlone, {
    atMost: 1.1,
  })
}

/** Milliseconds to the first sound of each, so many under way at any time. */
async function measured(count: number, total: number, speak: () => Promise<number>): Promise<number[]> {
  const tookMs: number[] = []
  let begun = 0
  const one = async () => {
    while (begun < total) {
      begun += 1
      tookMs.push(await speak())
    }
  }
  await Promise.all(Array.from({ length: count }, one))
  return tookMs
}

async function firstSound(url: string, key: string): Promise<number> {
  const begun = performance.now()
  const answer = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(said),
  })
  const reader = answer.body?.getReader()
  await reader?.read()
  const tookMs = performance.now() - begun
  if (answer.status !== 200) throw new Error(`it answered ${answer.status}`)
  while (!(await reader?.read())?.done);
  return tookMs
}
