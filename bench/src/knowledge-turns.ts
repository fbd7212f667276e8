import { createHash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Database } from '@switchroom/gateway/database/database'
import { StoredChunks } from '@switchroom/gateway/knowledge/search/chunk-index'
import { Stems } from '@switchroom/gateway/knowledge/search/stems'
import { AppClient } from '@switchroom/gateway/testing/agents/app-client'
import { ChatClient } from '@switchroom/gateway/testing/calls/chat-client'
import { ModelFake } from '@switchroom/gateway/testing/providers/model-fake'
import { startBenchDeployment, type BenchDeployment } from './deployment.ts'
import { judge, median, percentile, say } from './report.ts'

const chunks = 10_000
const rounds = 300
const turnsOfOneChat = 10
const ticksPerSecond = 100

const things = 'room suite garden breakfast parking sauna terrace bicycle laundry kitchen'.split(' ')
const facts = 'costs opens closes faces includes excludes allows needs offers lacks'.split(' ')

/** How much later is a model asked because what the turn is about is looked up among 10,000 chunks? */
export async function knowledgeTurns(): Promise<boolean> {
  const model = await ModelFake.start(() => 'Yes.')
  await using deployment = await startBenchDeployment({
    SVC_PROVIDER_KEY_OPENAI: 'bench',
    SVC_LOG_LEVEL: 'warn',
  })
  const key = await prepare(deployment, model)
  const bases = [{ base: 'hotel', deadline_ms: 2_000 }]
  const [plain, knowing] = [
    await hold(deployment, key, 'plain', []),
    await hold(deployment, key, 'knowing', bases),
  ]
  const took = { plain: [] as number[], knowing: [] as number[] }
  const cpuMs = { plain: 0, knowing: 0 }
  for (let round = -turnsOfOneChat; round < rounds; round += 1) {
    for (const [name, agent] of [['plain', plain] as const, ['knowing', knowing] as const]) {
      if (round % turnsOfOneChat === 0) await agent.open()
      const [before, ms] = [cpuOf(deployment.pid), await agent.ask(model, questionOf(round))]
      if (round < 0) continue
      took[name].push(ms)
      cpuMs[name] += cpuOf(deployment.pid) - before
    }
  }
  await model.stop()
  const found = await lookedUp(deployment)
  for (const name of ['plain', 'knowing'] as const)
    say(
      `  ${name}: the model is asked after p50 ${median(took[name]).toFixed(1)} ms, p95 ${percentile(took[name], 95).toFixed(1)} ms; ${(cpuMs[name] / rounds).toFixed(1)} ms of the gateway's CPU for a turn`,
    )
  say(
    `  of ${found.all} look-ups ${found.late} were late and ${found.empty} found nothing; p95 ${found.p95} ms`,
  )
  const added = percentile(took.knowing, 95) - percentile(took.plain, 95)
  return judge('ms later at p95 with 10,000 chunks', added, { atMost: 30 })
}

async function prepare({ ask, databaseUrl }: BenchDeployment, model: ModelFake): Promise<string> {
  const row = await ask('GET', '/v1/ops/providers')
  row.defaults.llm = 'openai/gpt-4.1-mini'
  row.options['llm/openai'] = { base_url: model.url }
  await ask('PUT', '/v1/ops/providers', row)
  const org = await ask('POST', '/v1/ops/orgs', { slug: 'bench' })
  await fill(databaseUrl, org.id)
  const scopes = ['app', 'talk', 'calls']
  return (await ask('POST', '/v1/ops/orgs/bench/keys', { label: 'bench', env: 'sandbox', scopes })).key
}

async function fill(databaseUrl: string, org: string) {
  const database = new Database(databaseUrl, () => {}, { connections: 2 })
  const [id, document] = [`bas_${randomBytes(8).toString('hex')}`, `doc_${randomBytes(8).toString('hex')}`]
  const named = [id, org]
  await database.pool.query(
    `insert into knowledge_bases (id, org, env, base, description, language, created_at, changed_at)
     values ($1, $2, 'sandbox', 'hotel', '', 'en', now(), now())`,
    named,
  )
  await database.pool.query(
    `insert into knowledge_documents (id, base, org, env, name, format, source, state, created_at, changed_at)
     values ($3, $1, $2, 'sandbox', 'hotel.md', 'text', 'text', 'ready', now(), now())`,
    [...named, document],
  )
  const base = { id, org, env: 'sandbox', base: 'hotel', language: 'en', embed: null } as const
  const prepared = await new StoredChunks(database, new Stems(database)).prepare(
    base,
    Array.from({ length: chunks }, (_, at) => chunkOf(at)),
    new AbortController().signal,
  )
  await database.transaction((tx) => prepared.write(tx, document))
  await database.pool.query('analyze')
  await database.close()
}

const nth = (words: readonly string[], at: number) => words[at % words.length] ?? ''

function chunkOf(at: number) {
  const heading = [`House ${at % 97}`]
  const text = Array.from(
    { length: 12 },
    (_, place) =>
      `The ${nth(things, at + place)} of house ${at % 97} ${nth(facts, at * 7 + place)} item${at + place}.`,
  ).join(' ')
  const digest = createHash('sha256').update(`${heading.join()} ${text}`).digest()
  return { id: `chk_${at}`, heading, text, digest }
}

const questionOf = (round: number) =>
  `Can you tell me what the ${nth(things, round + 10)} of house ${(round + 97) % 97} ${nth(facts, round + 20)} please?`

async function hold({ url }: BenchDeployment, key: string, slug: string, docs: readonly object[]) {
  const app = await AppClient.connect(url, key)
  await app.register(slug, { prompt: 'You answer.', declares: { docs } })
  let client: ChatClient | undefined
  return {
    async open() {
      client?.socket.close()
      client = await ChatClient.connect(url, key, { agent: slug })
      await client.next('started')
    },
    /** Resolves with how long it took until the model was asked. */
    async ask(model: ModelFake, text: string): Promise<number> {
      const asked = Promise.withResolvers<number>()
      model.reply = () => {
        asked.resolve(performance.now())
        return 'Yes.'
      }
      const begun = performance.now()
      await client?.ask(text)
      return (await asked.promise) - begun
    },
  }
}

async function lookedUp({ databaseUrl }: BenchDeployment) {
  const database = new Database(databaseUrl, () => {}, { connections: 1 })
  const { rows } = await database.pool.query("select entry from entries where type = 'knowledge.found'")
  await database.close()
  const data = rows.map(({ entry }) => JSON.parse(entry as string).data)
  return {
    all: data.length,
    late: data.filter(({ late }) => late).length,
    empty: data.filter(({ passages }) => passages.length === 0).length,
    p95: percentile(
      data.map(({ ms }) => ms),
      95,
    ),
  }
}

/** Milliseconds of CPU that the process has used. */
function cpuOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return ((Number(fields[11]) + Number(fields[12])) / ticksPerSecond) * 1_000
}
