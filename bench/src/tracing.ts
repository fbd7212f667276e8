import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '@switchroom/launcher/testing/free-port'
import { Agent, Chat, connect } from '@switchroom/sdk'
import { startBenchDeployment } from './deployment.ts'
import { startFakedSpeech } from './faked-speech.ts'
import { startProcess } from './processes.ts'
import { judge, say } from './report.ts'
import { callFrom, cpuOf, prepareOrg, startPhones } from './spoken-calls.ts'

const rounds = 3
const spokenAtOnce = 8
const spokenTurns = 4
const chatsAtOnce = 20
const chatTurns = 20

/** What tracing costs: two deployments under the same load at the same moment, of which one sends its spans. */
export async function tracing(): Promise<boolean> {
  await using parts = new AsyncDisposableStack()
  const collector = createServer((request, response) => {
    request.resume().on('end', () => response.end())
  })
  collector.listen(0, '127.0.0.1')
  await once(collector, 'listening')
  parts.defer(() => void collector.close())
  const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`
  const fake = await startFakedSpeech()
  parts.defer(() => fake.stop())
  const off = await startVoices(parts, fake.url, {})
  const on = await startVoices(parts, fake.url, { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint })
  const phones = await startPhones()
  parts.defer(() => phones.stop())

  const chat = async ({ address, pids }: Voices) => {
    const before = cpuOf(pids.gateway)
    await Promise.all(Array.from({ length: chatsAtOnce }, () => converse(address)))
    return cpuOf(pids.gateway) - before
  }
  const speak = async ({ sipPort, pids }: Voices) => {
    const spent = () => cpuOf(pids.gateway) + cpuOf(pids.worker)
    const before = spent()
    await Promise.all(
      Array.from({ length: spokenAtOnce }, async (_, place) => {
        await sleep(place * 200)
        const phone = await callFrom(phones, sipPort)
        await phone.untilGreeted()
        for (let turn = 0; turn < spokenTurns; turn += 1) {
          await phone.ask()
          await phone.untilQuiet()
        }
        await phone.hangUp()
      }),
    )
    await sleep(6_000) // what is left is sent
    return spent() - before
  }
  const chats = await compared('chats', chatsAtOnce * chatTurns, [off, on], chat)
  const calls = await compared('spoken calls', spokenAtOnce * spokenTurns, [off, on], speak)
  return [
    judge('CPU of spoken calls that are traced, in times of others', calls, { atMost: 1.05 }),
    judge('CPU of chats that are traced, in times of others', chats, { atMost: 1.05 }),
  ].every(Boolean)
}

/** The ratio of the sums over all rounds; the first one warms both up and does not count. */
async function compared(
  what: string,
  turns: number,
  sides: readonly [off: Voices, on: Voices],
  load: (side: Voices) => Promise<number>,
): Promise<number> {
  let [off, on] = [0, 0]
  for (let round = 0; round <= rounds; round += 1) {
    const [offS = 0, onS = 0] = await Promise.all(sides.map(load))
    if (round === 0) continue
    off += offS
    on += onS
  }
  const perTurn = (seconds: number) => `${((1_000 * seconds) / rounds / turns).toFixed(2)} ms`
  say(`  ${what}: CPU a turn ${perTurn(off)} without, ${perTurn(on)} with tracing`)
  return on / off
}

interface Voices {
  address: { url: string; key: string }
  sipPort: number
  pids: { gateway: number; worker: number }
}

async function startVoices(
  parts: AsyncDisposableStack,
  vendorUrl: string,
  settings: Record<string, string>,
): Promise<Voices> {
  const fleetKey = `svc_fleet_${randomBytes(32).toString('base64url')}`
  const gateway = parts.use(
    await startBenchDeployment({
      SVC_FLEET_KEY: fleetKey,
      SVC_PROVIDER_KEY_OPENAI: 'bench',
      SVC_PROVIDER_KEY_DEEPGRAM: 'bench',
      SVC_NEW_ORG_CREDITS: '1000000',
      SVC_LOG_LEVEL: 'warn',
      ...settings,
    }),
  )
  const key = await prepareOrg(gateway.ask, vendorUrl)
  const address = { url: gateway.url, key }
  const app = connect({ app: 'bench', ...address })
  parts.defer(() => app.close())
  await app.hold(
    new Agent({ name: 'bench', prompt: 'You tell the time.', settings: { greeting: { say: 'Hello.' } } }),
  )
  const sipPort = await freePort()
  const worker = parts.use(
    await startProcess('worker/src/main.ts', {
      SVC_GATEWAY_URL: gateway.url,
      SVC_FLEET_KEY: fleetKey,
      SVC_SIP_PORT: String(sipPort),
      SVC_SIP_LOCAL_ORG: 'bench',
      SVC_WORKER_CALLS: String(2 * spokenAtOnce),
      SVC_LOG_LEVEL: 'warn',
      ...settings,
    }),
  )
  return { address, sipPort, pids: { gateway: gateway.pid, worker: worker.pid } }
}

async function converse(address: Voices['address']): Promise<void> {
  const chat = new Chat({ ...address, agent: 'bench' })
  let answered = Promise.withResolvers<void>()
  chat.on('message', () => answered.resolve())
  await chat.started
  await answered.promise // the greeting
  for (let turn = 0; turn < chatTurns; turn += 1) {
    answered = Promise.withResolvers()
    await chat.send('What time is it?')
    await answered.promise
  }
  await chat.end()
}
