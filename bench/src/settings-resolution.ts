import { Database, statement } from '@switchroom/gateway/database/database'
import { CallSources } from '@switchroom/gateway/calls/records/call-sources'
import { scopesRun } from '@switchroom/gateway/calls/records/versions-run'
import { startBenchDeployment, type BenchDeployment, type OperatorAnswer } from './deployment.ts'
import { judge, median, say } from './report.ts'

const atOnce = 16
const roundMs = 2000
const rounds = 7
const agent = 'desk'

const oneRow = statement<{ id: string }>(`select id, org, agent, env from calls where id = $1`)

/** A call's settings resolved in their one statement, against the read of one row by its key, in turns in one run. */
export async function settingsResolution(): Promise<boolean> {
  await using deployment = await startBenchDeployment()
  const { org, call } = await makeCall(deployment)
  const database = new Database(deployment.databaseUrl, () => {})
  const scope = { org, agent, env: 'sandbox', holder: 'mem_bench' } as const
  const sources = new CallSources(() => ({ own: 'gw_bench', since: new Date() }))
  const resolve = async (named: string | null) => {
    const { record, scopes } = await sources.read(database, scope, named)
    return scopesRun(record, scopes, named)
  }

  const known = () => resolve(call)
  const unopened = () => resolve(null)
  const bare = () => database.row(oneRow, call)
  for (const work of [known, unopened, bare]) await perSecond(work) // warm
  const ratios = { known: [] as number[], unopened: [] as number[] }
  for (let round = 0; round < rounds; round += 1) {
    const [knowns, unopeneds, bares] = [
      await perSecond(known),
      await perSecond(unopened),
      await perSecond(bare),
    ]
    ratios.known.push(knowns / bares)
    ratios.unopened.push(unopeneds / bares)
    const [a, b, c] = [knowns, unopeneds, bares].map(Math.round)
    say(`  round ${round + 1}: ${a} known calls a second, ${b} unopened, ${c} rows by key`)
  }
  await database.close()
  const isFast = judge('settings of a known call against one row by its key', median(ratios.known), {
    atLeast: 0.2,
  })
  const isFastUnopened = judge(
    'settings without a call against one row by its key',
    median(ratios.unopened),
    {
      atLeast: 0.2,
    },
  )
  return isFast && isFastUnopened
}

/** As an org in use has it: a team's settings and lexicon, and a call that runs them. */
async function makeCall({ url, makeKey }: BenchDeployment) {
  const key = await makeKey()
  const ask = async (method: string, path: string, body?: object): Promise<OperatorAnswer> => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const answer = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status} ${await answer.text()}`)
    return answer.json()
  }
  const config = {
    greeting: { say: 'Hello' },
    language: 'en',
    knowledge: 'Open from nine to five. '.repeat(80),
  }
  for (let if_version = 0; if_version < 5; if_version += 1)
    await ask('PUT', `/v1/agents/${agent}/settings`, { config, if_version, team: true })
  const lexicon = { heard: ['Switchroom'] }
  await ask('PUT', `/v1/agents/${agent}/lexicon`, { lexicon, if_version: 0, team: true })
  const { call } = await ask('POST', '/v1/calls', { agent })
  const { org } = await ask('GET', '/v1/whoami')
  return { org, call }
}

async function perSecond(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now()
  let done = 0
  const keepWorking = async () => {
    for (; performance.now() - startedMs < roundMs; done += 1) await work()
  }
  await Promise.all(Array.from({ length: atOnce }, keepWorking))
  return (done * 1000) / (performance.now() - startedMs)
}
