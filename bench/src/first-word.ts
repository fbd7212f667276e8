import { setTimeout as sleep } from 'node:timers/promises'
import { findVendors } from '@switchroom/kit/installed'
import { startWireFake } from '@switchroom/kit/testing/wire-fake'
import { answerResponses } from '@switchroom/vendor-openai/testing/responses-wire'
import OpenAI from 'openai'
import { judge, median, percentile, say } from './report.ts'

const thinkingMs = 60
const rounds = 120
const warmUp = 10

const model = 'gpt-6-luna'
const question = 'Where is order 42?'

/** A model that thinks a while: how much later does its first word come through the kit than through OpenAI's client? */
export async function firstWord(): Promise<boolean> {
  const fake = await startWireFake({
    refusal: (words) => ({ error: { message: words } }),
    async http(seen, answer) {
      await sleep(thinkingMs)
      await answerResponses(seen, answer, () => ({ text: ['On', ' its', ' way.'] }))
    },
  })
  const client = new OpenAI({ apiKey: 'bench', baseURL: fake.url })
  const kit = await findVendors()
    .get('openai')
    ?.model({ model, credentials: { api_key: 'bench' }, options: { base_url: fake.url, api: 'responses' } })
  if (!kit) throw new Error('the vendor openai is not installed')

  const throughClient = async () => {
    const stream = await client.responses.create({ model, input: question, stream: true, store: false })
    for await (const event of stream) if (event.type === 'response.output_text.delta') return
  }
  const throughKit = async () => {
    const messages = [{ role: 'user' as const, text: question }]
    for await (const thought of kit.think({ messages }, AbortSignal.timeout(10_000)))
      if (thought.type === 'text') return
  }
  const ours: number[] = []
  const theirs: number[] = []
  for (let round = -warmUp; round < rounds; round += 1) {
    const pair = [await timed(throughClient), await timed(throughKit)] as const
    if (round < 0) continue
    theirs.push(pair[0])
    ours.push(pair[1])
  }
  await fake.stop()
  for (const [name, took] of [['OpenAI’s own client', theirs] as const, ['the kit', ours] as const])
    say(`  ${name}: p50 ${median(took).toFixed(1)} ms, p99 ${percentile(took, 99).toFixed(1)} ms`)
  return judge(
    'first word through the kit, in times of the vendor’s own client',
    median(ours) / median(theirs),
    {
      atMost: 1.05,
    },
  )
}

async function timed(work: () => Promise<void>): Promise<number> {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}
