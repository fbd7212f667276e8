import { randomBytes } from 'node:crypto'
import { AppClient } from '../agents/app-client.ts'
import { ChatClient } from './chat-client.ts'
import { startDeployment, type Deployment, type TestOrg } from '../deployment.ts'
import { ModelFake } from '../providers/model-fake.ts'
import { changeRow } from '../providers/vendors.ts'

export const lentKeys = { openai: 'sk-platform-openai-0123456789', groq: 'gsk-platform-groq-0123456789' }

/** A deployment whose models are fakes: `model` is asked first, `second` when that fails. */
export interface ChatDeployment extends AsyncDisposable {
  deployment: Deployment
  org: TestOrg
  /** A server token of the org's sandbox that opens everything a chat and its app need. */
  key: string
  model: ModelFake
  second: ModelFake
  /** An app that holds a new agent. */
  newAgent: (more?: object, at?: { url: string }) => Promise<ChatAgent>
}

export interface ChatAgent {
  slug: string
  app: AppClient
  chat: (more?: Record<string, string>, at?: { url: string }) => Promise<ChatClient>
}

export async function startChatDeployment(settings: Record<string, string> = {}): Promise<ChatDeployment> {
  const [model, second] = [await ModelFake.start(), await ModelFake.start(() => 'From the second.')]
  const deployment = await startDeployment({
    SVC_PROVIDER_KEY_OPENAI: lentKeys.openai,
    SVC_PROVIDER_KEY_GROQ: lentKeys.groq,
    ...settings,
  })
  await changeRow(deployment, (row) => {
    row.defaults.llm = 'openai/gpt-4.1-mini'
    row.fallbacks.llm = ['groq/openai/gpt-oss-20b']
    row.options['llm/openai'] = { base_url: model.url }
    row.options['llm/groq'] = { base_url: second.url }
  })
  const org = await deployment.newOrg()
  const { key } = await org.serverToken('sandbox', { scopes: ['app', 'talk', 'calls'] })

  return {
    deployment,
    org,
    key,
    model,
    second,
    async newAgent(more = {}, at: { url: string } = deployment) {
      const slug = `agent-${randomBytes(4).toString('hex')}`
      const app = await AppClient.connect(at.url, key)
      const registered = await app.register(slug, more)
      if (registered.type !== 'agent.registered') throw new Error(JSON.stringify(registered))
      const chat = async (asked: Record<string, string> = {}, on: { url: string } = deployment) => {
        const client = await ChatClient.connect(on.url, key, { agent: slug, ...asked })
        await client.next('started')
        return client
      }
      return { slug, app, chat }
    },
    async [Symbol.asyncDispose]() {
      await deployment[Symbol.asyncDispose]()
      await Promise.all([model.stop(), second.stop()])
    },
  }
}

/** What the log of a call holds: its entries, or those of some types. */
export async function entriesOf({ sql }: Pick<Deployment, 'sql'>, call: string, ...types: string[]) {
  const { rows } = await sql('select entry from entries where log = $1 order by seq', [call])
  const entries = rows.map(({ entry }) => JSON.parse(entry) as { seq: number; type: string; data: LogData })
  return types.length === 0 ? entries : entries.filter(({ type }) => types.includes(type))
}

// Tests read fields of entries whose shape they are there to prove.
// oxlint-disable-next-line typescript/no-explicit-any
type LogData = any
