import { Vault } from '../../src/foundation/sealing.ts'
import { done } from '../agents/test-agents.ts'
import type { Answer } from '../client.ts'
import { password, type TestPerson } from '../deployment.ts'
import { deliver, messagesTo } from '../messaging/messaging-deliveries.ts'
import { pageKey } from '../telephony/page-keys.ts'
import { until } from '../until.ts'
import type { RaceOrg } from './race-org.ts'
import { appSecret, type RaceWorld, type Site } from './race-world.ts'

/** Sends the request of an operation through one of the gateways. */
export type Shot = (site: Site) => Promise<Answer>

let last = 0

/**
 * What the operations of one round act on. Each thing is made once, by the first that wants it, so that operations on a
 * member or a number meet at the same one.
 */
export class Round {
  readonly org: RaceOrg
  readonly id = (last += 1)
  readonly #made = new Map<string, Promise<unknown>>()

  constructor(org: RaceOrg) {
    this.org = org
  }

  get world(): RaceWorld {
    return this.org.world
  }

  /** Where things are made. */
  get site(): Site {
    return this.org.sites[0]
  }

  once<T>(what: string, make: () => Promise<T>): Promise<T> {
    const made = this.#made.get(what) ?? make()
    this.#made.set(what, made)
    return made as Promise<T>
  }

  /** A name that no other round uses. */
  name = (prefix: string) => `${prefix}-${this.id}`
  #digits = (prefix: string, length: number) => `${prefix}${String(this.id).padStart(length, '0')}`

  get email() {
    return `ana-${this.id}@example.com`
  }
  /** Of Spain, where neither consent nor hours are asked. */
  get contact() {
    return this.#digits('+3461', 7)
  }
  get number() {
    return this.#digits('+1415', 7)
  }
  get phone() {
    return this.#digits('+4420794', 5)
  }

  /** Who has a letter and no seat yet. */
  invited = () =>
    this.once('invited', async () => {
      const body = { email: this.email, role: 'qa', name: 'Ana' }
      const { member, token } = done(await this.site.admin.post('/v1/members', body))
      return { id: member.id as string, token: token as string }
    })

  person = (): Promise<TestPerson> => this.once('person', () => this.org.org.person('admin'))

  /** The token of a letter that resets the password of the person. */
  reset = () =>
    this.once('reset', async () => {
      const { id } = await this.person()
      return done(await this.site.admin.post(`/v1/members/${id}/reset`)).token as string
    })

  key = () => this.once('key', () => this.org.org.serverToken('sandbox'))

  loginCode = () =>
    this.once('login code', async () => {
      const { key } = await this.person()
      return done(await this.site.as(key).post('/v1/login/codes')).code as string
    })

  pairing = () =>
    this.once('pairing', async () => {
      return done(await this.site.anonymous.post('/v1/login/pairings', { device: 'box' })).code as string
    })

  approvedPairing = () =>
    this.once('approved pairing', async () => {
      const { key } = await this.person()
      const { code } = done(await this.site.anonymous.post('/v1/login/pairings', { device: 'box' }))
      done(await this.site.as(key).post(`/v1/login/pairings/${code}`, {}))
      return code as string
    })

  /** An org that signs up, with its code: the letter may be on its way to a mailbox that a round has set. */
  signUp = () =>
    this.once('sign-up', async () => {
      const email = `founder-${this.id}@example.com`
      const body = { org: this.name('founded'), email, password }
      done(await this.fromAnywhere(this.site).post('/v1/signup', body))
      const mac = new Vault(this.world.first.settings.vaultKey).mac('123456', `sign_ups:code:${email}`)
      await this.world.sql('update sign_ups set code_mac = $2 where email = $1', [email, mac])
      return { email, code: '123456' }
    })

  /** From an address that has not asked for anything yet. */
  fromAnywhere = ({ anonymous }: Site) =>
    anonymous.with({ 'x-forwarded-for': `203.0.${(this.id >> 8) % 256}.${this.id % 256}` })

  /** An agent of three versions, with a canary. */
  agent = () =>
    this.once('agent', async () => {
      const slug = this.name('agent')
      for (const version of [0, 1, 2]) {
        const body = { config: { max_duration_s: version + 60 }, if_version: version }
        done(await this.site.live.put(`/v1/agents/${slug}/settings`, body))
      }
      done(await this.site.live.put(`/v1/agents/${slug}/settings/canary`, { version: 1, share: 50 }))
      return slug
    })

  modelEndpoint = () =>
    this.once('model endpoint', async () => {
      const name = this.name('llama')
      done(await this.site.admin.post('/v1/model-endpoints', this.endpointOf(name)))
      return name
    })

  endpointOf = (name: string) => ({
    name,
    base_url: `http://llm.example.test:${this.world.servers.endpoint.port}/v1`,
    model: 'llama-3.3',
    key: 'sk-endpoint-of-the-races-0123456789',
  })

  peerOf = (username: string) => ({
    kind: 'sip',
    username,
    password: 'word of the peer',
    addresses: ['8.8.4.0/24'],
    outbound_host: 'sip.peer.example',
    auth: 'ip',
    register: true,
  })

  /** A SIP peer of the org. */
  peer = () =>
    this.once('peer', async () => {
      const username = this.name('peer')
      done(await this.site.admin.put('/v1/carrier', this.peerOf(username)))
      return username
    })

  /** A network of that peer, which waits for the operator. */
  network = () =>
    this.once('network', async () => {
      const account = this.name('wide')
      const body = { ...this.peerOf(account), addresses: [`81.${this.id % 256}.64.0/28`] }
      done(await this.site.admin.put('/v1/carrier', body))
      const { networks } = done(await this.site.operator.get('/v1/ops/networks'))
      const found = networks.find(
        ({ org }: { org: string }) => org === this.org.org.id || org === this.org.org.slug,
      )
      return String(found?.id)
    })

  /** An account at the carrier whose API the platform speaks. */
  apiAccount = () =>
    this.once('API account', async () => {
      const { login } = this.world.servers.carrier.account()
      done(await this.site.admin.put('/v1/carrier', login))
      return login
    })

  /** A number that rings through the peer. */
  routed = () =>
    this.once('routed number', async () => {
      const account = await this.peer()
      done(await this.site.admin.post('/v1/numbers', { number: this.number, agent: 'desk', account }))
      return this.number
    })

  /** A number that the org points here itself. */
  hooked = () =>
    this.once('hooked number', async () => {
      const number = this.#digits('+1416', 7)
      done(await this.site.admin.post('/v1/numbers', { number, agent: 'desk', hooked: true }))
      return number
    })

  /** A call that a worker runs. */
  spoken = () =>
    this.once('spoken call', async () => {
      const body = { number: this.org.lines.sandbox, from: this.contact, worker: this.name('worker') }
      return done(await this.site.fleet.post('/v1/worker/calls', body)).call as string
    })

  /** A base without documents. */
  base = () =>
    this.once('base', async () => {
      const base = this.name('base')
      await this.world.sql(
        `insert into knowledge_bases (id, org, env, base, description, created_at, changed_at)
         values ($2, $1, 'sandbox', $2, '', now(), now())`,
        [this.org.org.id, base],
      )
      return base
    })

  /** A call that waits for its extension. */
  waiting = () =>
    this.once('waiting call', async () => {
      const body = { number: this.org.lines.waiting, from: this.contact, worker: this.name('worker') }
      return done(await this.site.fleet.post('/v1/worker/calls', body)).call as string
    })

  opened = () =>
    this.once('opened call', async () => {
      const { call } = done(await this.site.admin.post('/v1/calls', { agent: 'desk', channel: 'chat' }))
      await this.world.sql('update calls set contact = $2 where id = $1', [call, this.contact])
      return call as string
    })

  browser = () =>
    this.once('browser', async () => {
      const opened = done(await this.site.admin.post('/v1/tokens', { agent: 'desk' }))
      return { call: opened.call as string, token: opened.participant_token as string }
    })

  pageKey = () =>
    this.once('publishable key', async () => {
      const made = done(await this.site.admin.post('/v1/publishable-keys', pageKey(this.name('page'))))
      return { id: made.id as string, key: made.key as string }
    })

  /** Somebody who may be dialled. */
  known = () =>
    this.once('known contact', async () => {
      for (const env of ['sandbox', 'production'])
        await this.world.sql(
          `insert into known_contacts (org, env, contact, first_at) values ($1, $2, $3, now()) on conflict do nothing`,
          [this.org.org.id, env, this.contact],
        )
      return this.contact
    })

  /** A dial that a worker has taken and says nothing of. */
  dialled = () =>
    this.once('dialled call', async () => {
      const to = await this.known()
      const { call } = done(await this.site.live.post('/v1/agents/desk/dial', { to }))
      return { call: call as string, worker: await this.world.crew.takenBy(call) }
    })

  deliver = (url: string, text: string) =>
    deliver(
      url,
      appSecret,
      messagesTo(this.org.messagingLine, { contact: this.contact, text: { body: text } }),
    )

  /** A contact who wrote and was answered. */
  thread = () =>
    this.once('thread', async () => {
      await this.deliver(this.site.url, 'Hello')
      await until('it is answered', () => this.world.servers.messaging.textsTo(this.contact).length > 0)
      return this.contact
    })

  grant = () =>
    this.once('grant', async () => {
      const { key_id } = await this.key()
      const { grant } = done(await this.site.fleet.post('/v1/voice/grants', this.speechOf(key_id)))
      return grant.id as string
    })

  speechOf = (key_id: string) => ({
    doing: 'speech',
    key_id,
    voice: 'managed/anna',
    characters: 100,
    model: null,
    language: null,
  })
}
