import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { signedText } from '@switchroom/cli/load/profiles/webhooks'
import { Database } from '@switchroom/gateway/database/database'
import { systemClock } from '@switchroom/gateway/foundation/clock'
import { claimRead } from '@switchroom/gateway/messaging/webhook/claims.store'
import { Claims } from '@switchroom/gateway/messaging/webhook/claims'
import { AppClient } from '@switchroom/gateway/testing/agents/app-client'
import { MessagingFake, type MessagingFault } from '@switchroom/gateway/testing/messaging/messaging-fake'
import type { PlatformLine } from '@switchroom/gateway/testing/messaging/platform-deliveries'
import { startBenchDeployment, type BenchDeployment } from './deployment.ts'
import { judge, median, percentile, say } from './report.ts'
import { sameDriver, sameStatements, type Sent } from './same-statements.ts'

const atOnce = 16
const roundS = 3
const rounds = 5
const perSecond = 20
const measuredS = 20
const contacts = 100
const appSecret = 'bench'
const number = '+34910000001'

/** One claim per statement. */
const claimAlone = `
  insert into message_claims as c (org, message_id, claimed_at, gateway) values ($1, $2, $3, $5)
  on conflict (org, message_id) do update set claimed_at = excluded.claimed_at, gateway = excluded.gateway
  where c.read_at is null and c.claimed_at <= $4
  returning c.org`

/** What the webhook does for a message, and how soon it answers whatever becomes of the platform. */
export async function webhookClaims(): Promise<boolean> {
  const platform = await MessagingFake.start()
  const line = platform.addNumber(number)
  await using deployment = await startBenchDeployment({
    ...platform.settings,
    SVC_MSGAPP_APP_SECRET: appSecret,
    SVC_MSGAPP_VERIFY_TOKEN: 'bench',
    SVC_MSGAPP_ACCESS_TOKEN: platform.platformToken,
    SVC_LOG_LEVEL: 'warn',
  })
  try {
    const org = (await deployment.ask('POST', '/v1/ops/orgs', { slug: 'bench' })).id as string
    const isFast = await claimRates(deployment, org)
    return (await answers(deployment, platform, line)) && isFast
  } finally {
    await platform.stop()
  }
}

/** Claims a second, and messages claimed and read, each against the same statements under pgbench, in turns in one run. */
async function claimRates({ databaseUrl }: BenchDeployment, org: string): Promise<boolean> {
  const database = new Database(databaseUrl, () => {})
  const claims = new Claims(database, systemClock, { id: 'gw_bench', isDead: async () => false })
  const [id, at] = [`('wamid.' || :one || '_' || :two)`, `timestamptz '2030-01-01'`]
  const whose = [`'${org}'`, id]
  const claim = { text: claimAlone, values: [...whose, at, `timestamptz '2020-01-01'`, `'gw_bench'`] }
  const read = { text: claimRead.text, values: [...whose, at, at, `'gw_bench'`] }
  const claimOne = async () => {
    const taken = await claims.take(org, newMessageId())
    if (typeof taken === 'string') throw new Error(`a new message is ${taken}`)
    return taken
  }
  const readOne = async () => {
    const taken = await claimOne()
    await database.transaction((tx) => claims.read(tx, taken))
  }
  const claimed = await sideBySide(databaseUrl, 'claimed', claimOne, [claim])
  const whole = [claim, { text: 'begin' }, read, { text: 'commit' }]
  const claimedAndRead = await sideBySide(databaseUrl, 'claimed and read', readOne, whole)
  await database.close()
  say(`  claimed and read, each in a transaction of its own: ${claimedAndRead.toFixed(2)} of pgbench`)
  return judge('webhook claims against the same statement under pgbench', claimed, { atLeast: 0.6 })
}

/** The median of our rate over that of pgbench. */
async function sideBySide(
  url: string,
  what: string,
  work: () => Promise<unknown>,
  statements: readonly Sent[],
) {
  await timesASecond(work) // warm
  const ratios: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const ours = await timesASecond(work)
    const load = { url, statements, atOnce, seconds: roundS }
    const [theirs, driver] = [await sameStatements(load), await sameDriver(load)]
    ratios.push(ours / theirs)
    say(
      `  round ${round + 1}: ${Math.round(ours)} messages ${what} a second, ${Math.round(theirs)} by pgbench, ${Math.round(driver)} by the bare driver`,
    )
  }
  return median(ratios)
}

async function timesASecond(work: () => Promise<unknown>): Promise<number> {
  const begunMs = performance.now()
  let done = 0
  const keepOn = async () => {
    for (; performance.now() - begunMs < roundS * 1000; done += 1) await work()
  }
  await Promise.all(Array.from({ length: atOnce }, keepOn))
  return (done * 1000) / (performance.now() - begunMs)
}

/** How soon texts are answered while the platform takes replies, hangs on them, and breaks. */
async function answers(deployment: BenchDeployment, platform: MessagingFake, line: PlatformLine) {
  const { ask, url } = deployment
  await ask('POST', '/v1/ops/numbers', {
    org: 'bench',
    number,
    agent: 'desk',
    env: 'production',
    channel: 'msgapp',
  })
  const made = await ask('POST', '/v1/ops/orgs/bench/keys', {
    label: 'app',
    env: 'production',
    scopes: ['app'],
  })
  const app = await AppClient.connect(url, made.key)
  await app.register('desk')
  await deliveries(url, line, 2) // warm
  const faults: [string, MessagingFault | undefined][] = [
    ['well', undefined],
    ['hanging', 'hangs'],
    ['broken', 'breaks'],
  ]
  let isSoon = true
  for (const [name, fault] of faults) {
    platform.fault = () => fault
    const before = platform.requests.length
    const { webhookMs, controlMs } = await deliveries(url, line, measuredS)
    const sends = platform.requests.length - before
    if (sends === 0) throw new Error('no reply was sent: the platform delayed nothing')
    say(
      `  platform ${name}: median ${percentile(webhookMs, 50).toFixed(1)} ms of ${webhookMs.length}, ${sends} sends; a route without a platform request ${percentile(controlMs, 50).toFixed(1)} ms, 99th percentile ${percentile(controlMs, 99).toFixed(1)} ms`,
    )
    const what = `the webhook's answer with the platform ${name}, 99th percentile in ms`
    isSoon = judge(what, percentile(webhookMs, 99), { atMost: 100 }) && isSoon
  }
  await app.close()
  return isSoon
}

interface Took {
  webhookMs: number[]
  /** A route of the same process without a platform request, as the baseline. */
  controlMs: number[]
}

/** Texts of many contacts, evenly over the time, whether or not those before are answered. */
async function deliveries(url: string, line: PlatformLine, seconds: number): Promise<Took> {
  const sent: Promise<number>[] = []
  const controls: Promise<number>[] = []
  for (let count = 0; count < seconds * perSecond; count += 1) {
    sent.push(delivered(url, line, `3460000${String(count % contacts).padStart(4, '0')}`))
    await pause(500 / perSecond)
    controls.push(control(url))
    await pause(500 / perSecond)
  }
  return { webhookMs: await Promise.all(sent), controlMs: await Promise.all(controls) }
}

async function control(url: string): Promise<number> {
  const begunMs = performance.now()
  await (await fetch(`${url}/healthz`)).text()
  return performance.now() - begunMs
}

async function delivered(url: string, line: PlatformLine, from: string): Promise<number> {
  const { body, headers } = signedText(line, from, 'Hello', appSecret)
  const begunMs = performance.now()
  const answer = await fetch(`${url}/v1/msgapp/webhook`, { method: 'POST', headers, body })
  const text = await answer.text()
  const tookMs = performance.now() - begunMs
  if (text !== '{"received":1}') throw new Error(`the webhook answered ${answer.status} ${text}`)
  return tookMs
}

const newMessageId = () => `wamid.${randomBytes(16).toString('hex')}`
