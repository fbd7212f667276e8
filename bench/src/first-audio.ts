import { setTimeout as sleep } from 'node:timers/promises'
import { startWireFake, type WireFake } from '@switchroom/kit/testing/wire-fake'
import { startBenchDeployment } from './deployment.ts'
import { judge, median, percentile, say } from './report.ts'

const thinkingMs = 120
const rounds = 60
const samplesOfOneKey = 30

/** A vendor that thinks a while and then says one piece: how much later does it come through us? */
export async function firstAudio(): Promise<boolean> {
  const fake = await startWireFake({
    refusal: (words) => ({ error: { message: words } }),
    async http(_request, answer) {
      await sleep(thinkingMs)
      answer.start({ 'content-type': 'audio/pcm' })
      await answer.piece(Buffer.alloc(9_600))
      answer.end()
    },
  })
  await using deployment = await startBenchDeployment({ SVC_PROVIDER_KEY_OPENAI: 'bench' })
  const { url, ask } = deployment
  const row = await ask('GET', '/v1/ops/providers')
  row.models['tts/openai'] = ['gpt-4o-mini-tts']
  row.options['tts/openai'] = { base_url: fake.url }
  await ask('PUT', '/v1/ops/providers', row)
  await ask('POST', '/v1/ops/orgs', { slug: 'bench' })

  const direct: number[] = []
  const through: number[] = []
  let key = ''
  for (let round = 0; round < rounds; round += 1) {
    if (round % samplesOfOneKey === 0)
      key = (
        await ask('POST', '/v1/ops/orgs/bench/keys', { label: 'bench', env: 'sandbox', scopes: ['app'] })
      ).key
    direct.push(await timed(() => speakDirectly(fake)))
    through.push(await timed(() => sample(url, key)))
  }
  await fake.stop()
  say(`  the vendor itself: p50 ${median(direct).toFixed(1)} ms, p99 ${percentile(direct, 99).toFixed(1)} ms`)
  say(
    `  through a sample: p50 ${median(through).toFixed(1)} ms, p99 ${percentile(through, 99).toFixed(1)} ms`,
  )
  return judge(
    'first audio through us, in times of the same vendor asked directly',
    median(through) / median(direct),
    {
      atMost: 1.1,
    },
  )
}

async function timed(work: () => Promise<Response>): Promise<number> {
  const begun = performance.now()
  const answer = await work()
  await answer.arrayBuffer()
  if (answer.status !== 200) throw new Error(`it answered ${answer.status}`)
  return performance.now() - begun
}

const post = (url: string, key: string, body: object) =>
  fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

const speakDirectly = (fake: WireFake) =>
  post(`${fake.url}/audio/speech`, 'bench', { model: 'gpt-4o-mini-tts', voice: 'coral', input: 'Hello.' })

const sample = (url: string, key: string) =>
  post(`${url}/v1/voices/sample`, key, { tts: 'openai', voice: 'coral', text: 'Hello.' })
