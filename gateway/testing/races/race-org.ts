import { AppClient } from '../agents/app-client.ts'
import { done } from '../agents/test-agents.ts'
import type { TestOrg, TestPerson } from '../deployment.ts'
import type { MessagingNumberFake } from '../messaging/messaging-fake.ts'
import { siteOf, type RaceWorld, type Site } from './race-world.ts'
import { newNumber } from '../calls/spoken-calls.ts'

export const tool = { name: 'time', description: 'the time', parameters: {} }
export const template = { name: 'reminder', components: [{ type: 'BODY', text: 'See you at noon.' }] }

/** Its phone numbers: one in each environment, and one of the sandbox that waits for an extension. */
type Lines = Readonly<Record<'sandbox' | 'production' | 'waiting', string>>

/** An org in which operations meet: its agent is held by an app, answers numbers, dials and writes. */
export class RaceOrg implements AsyncDisposable {
  readonly world: RaceWorld
  readonly org: TestOrg
  readonly admin: TestPerson
  /** Another org, of which some of its people are members too. */
  readonly elsewhere: TestOrg
  readonly agent = 'desk'
  readonly lines: Lines
  readonly messagingLine: MessagingNumberFake
  readonly sites: readonly [Site, Site]
  readonly #apps: AppClient[]
  #isClosing = false

  private constructor(parts: {
    world: RaceWorld
    org: TestOrg
    admin: TestPerson
    elsewhere: TestOrg
    lines: Lines
    messagingLine: MessagingNumberFake
    apps: AppClient[]
  }) {
    this.world = parts.world
    this.org = parts.org
    this.admin = parts.admin
    this.elsewhere = parts.elsewhere
    this.lines = parts.lines
    this.messagingLine = parts.messagingLine
    this.#apps = parts.apps
    for (const { socket } of parts.apps) {
      socket.on('error', (error) => parts.world.unanswered.add(error))
      socket.on('close', (code) => {
        if (!this.#isClosing) parts.world.unanswered.count(`a close of an app's socket with ${code}`)
      })
    }
    const [first, other] = parts.world.gateways
    this.sites = [siteOf(first, parts.admin.key), siteOf(other, parts.admin.key)]
  }

  static async open(world: RaceWorld): Promise<RaceOrg> {
    const { first, servers, sql } = world
    const org = await first.newOrg()
    const elsewhere = await first.newOrg()
    const admin = await org.person('admin', { production: true })
    const account = { plan: 'pro', subscribed: true, credits: 1_000_000 }
    done(await first.operator.put(`/v1/ops/orgs/${org.slug}/account`, account))
    done(await first.operator.put(`/v1/ops/orgs/${org.slug}/dialling`, { per_minute: 1000, per_day: 10_000 }))
    done(await admin.client.put('/v1/provider-keys/openai', { key: 'sk-of-the-org-0123456789' }))
    const apps: AppClient[] = []
    for (const env of ['sandbox', 'production'] as const) {
      const { key } = await org.serverToken(env)
      apps.push(await holdingApp(first.url, key))
    }
    const peer = { kind: 'sip', username: 'peer', password: 'word of the peer', addresses: ['8.8.8.0/24'] }
    done(await admin.client.put('/v1/carrier', { ...peer, outbound_host: 'sip.peer.example' }))
    const lines = { sandbox: newNumber(), production: newNumber(), waiting: newNumber() }
    for (const [place, number] of Object.entries(lines))
      await sql(
        `insert into numbers (number, org, env, agent, origin, managed, account, approved_at, created_at)
         values ($1, $2, $3, 'desk', 'imported', false, 'peer', now(), now())`,
        [number, org.id, place === 'production' ? place : 'sandbox'],
      )
    await apps[0]?.ask({ type: 'line.register', number: lines.waiting, extensionMs: 10_000 })
    const number = newNumber()
    const messagingLine = servers.messaging.addNumber(number)
    servers.messaging.addTemplate(messagingLine, template)
    const { phone_number_id, access_token } = messagingLine
    done(await admin.client.put('/v1/carrier', { phone_number_id, access_token }))
    const routed = { number, agent: 'desk', channel: 'msgapp', account: phone_number_id }
    done(await admin.client.post('/v1/numbers', routed))
    return new RaceOrg({ world, org, admin, elsewhere, lines, messagingLine, apps })
  }

  async [Symbol.asyncDispose]() {
    this.#isClosing = true
    for (const app of this.#apps) await app.close()
  }
}

/** Answers every tool and every turn that is to be prepared. */
async function holdingApp(url: string, key: string): Promise<AppClient> {
  const app = await AppClient.connect(url, key)
  const registered = await app.register('desk', { tools: [tool], preparing: { timeoutMs: 10_000 } })
  if (registered.type !== 'agent.registered') throw new Error(JSON.stringify(registered))
  app.socket.on('message', (sent: Buffer) => {
    const { type, call, data } = JSON.parse(sent.toString())
    if (type === 'llm.toolCall')
      for (const { id } of data.toolCalls) app.send({ type: 'tool.result', call, id, result: 'noon' })
    if (type === 'call.preparing') app.send({ type: 'preparing.settled', call, turn: data.turn, set: {} })
  })
  return app
}
