import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { Database } from '@switchroom/gateway/database/database'
import { fleetKey, operatorKey } from '@switchroom/gateway/testing/deployment'
import { messagingSettings } from '@switchroom/gateway/testing/messaging/messaging-deployment'
import { MessagingFake } from '@switchroom/gateway/testing/messaging/messaging-fake'
import { ModelFake } from '@switchroom/gateway/testing/providers/model-fake'
import { afterwards, type Lasting } from '@switchroom/launcher/testing/folders'
import { freePort } from '@switchroom/launcher/testing/free-port'
import { MortalGateway, MortalProxy, MortalWorker } from './mortals.ts'

export interface Answer<Body> {
  status: number
  body: Body
}

const org = 'acme'

/** Two gateways behind a proxy, two workers, one database, and an org. Everybody comes through the proxy. */
export class Fleet {
  readonly gateways: readonly [MortalGateway, MortalGateway]
  readonly workers: readonly [MortalWorker, MortalWorker]
  readonly proxy: MortalProxy
  /** Another one, which stays: tools fail at once while no app is connected at all. */
  readonly appProxy: MortalProxy
  readonly platform: MessagingFake
  readonly model: ModelFake
  readonly database: Database
  /** Opens what apps, dials and readers need. */
  key = ''
  /** The test is over: nobody tries anything again. */
  isOver = false

  private constructor(
    parts: Pick<Fleet, 'gateways' | 'workers' | 'proxy' | 'appProxy' | 'platform' | 'model' | 'database'>,
  ) {
    this.gateways = parts.gateways
    this.workers = parts.workers
    this.proxy = parts.proxy
    this.appProxy = parts.appProxy
    this.platform = parts.platform
    this.model = parts.model
    this.database = parts.database
  }

  /** All of the older release whose folder is given, if one is. */
  static async start(t: Lasting, databaseUrl: string, release?: string): Promise<Fleet> {
    const [platform, model] = [await MessagingFake.start(), await ModelFake.start()]
    afterwards(t, () => Promise.all([platform.stop(), model.stop()]))
    const database = new Database(databaseUrl, () => {})
    afterwards(t, () => database.close())
    const gatewaySettings = {
      ...messagingSettings(platform),
      SVC_PROVIDER_KEY_OPENAI: 'key-of-the-model',
      SVC_TRUSTED_PROXIES: '127.0.0.1',
      SVC_TOOL_TIMEOUT_S: '120', // on a slow machine a gateway is back after many seconds
    }
    const gateway = async (name: string) =>
      new MortalGateway(name, await freePort(), databaseUrl, gatewaySettings)
    const gateways = [await gateway('gateway 1'), await gateway('gateway 2')] as const
    const proxy = new MortalProxy(await freePort(), gateways)
    const appProxy = new MortalProxy(await freePort(), gateways)
    const workerSettings = {
      SVC_GATEWAY_URL: proxy.url,
      SVC_FLEET_KEY: fleetKey,
      SVC_SIP_LOCAL_ORG: org,
      SVC_WORKER_CALLS: '5', // one process waits for them
      SVC_PRIVATE_HOSTS: '127.0.0.1',
    }
    const worker = async (name: string) => new MortalWorker(name, await freePort(), workerSettings)
    const workers = [await worker('worker 1'), await worker('worker 2')] as const
    const fleet = new Fleet({ gateways, workers, proxy, appProxy, platform, model, database })
    for (const mortal of [...fleet.mortals, appProxy]) afterwards(t, () => mortal.kill())
    afterwards(t, () => void (fleet.isOver = true))
    for (const program of [...gateways, ...workers]) program.release = release
    await Promise.all([...gateways, proxy, appProxy].map((mortal) => mortal.start()))
    await Promise.all(workers.map((mortal) => mortal.start()))
    await fleet.#makeOrg()
    return fleet
  }

  get mortals() {
    return [...this.gateways, this.proxy, ...this.workers]
  }

  get address() {
    return { url: this.proxy.url, key: this.key }
  }

  async rows<Row>(sql: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.database.pool.query(sql, values)).rows as Row[]
  }

  /** Asked once. Undefined if no gateway's answer came, so that nobody knows whether it was done. */
  async ask<Body>(
    method: string,
    path: string,
    body?: object,
    key = this.key,
  ): Promise<Answer<Body> | undefined> {
    try {
      const response = await fetch(this.proxy.url + path, {
        method,
        headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      return response.status === 502 ? undefined : { status: response.status, body: JSON.parse(text) as Body }
    } catch {
      return undefined
    }
  }

  /** Asked until a gateway answers other than that it cannot now; only for what may be done twice. */
  async insist<Body>(method: string, path: string, body?: object, key = this.key): Promise<Body> {
    for (;;) {
      const answer = await this.ask<Body>(method, path, body, key)
      if (answer && answer.status < 300) return answer.body
      const isRefused = answer && answer.status !== 503
      if (isRefused || this.isOver)
        throw new Error(`${method} ${path} was answered ${answer?.status} ${JSON.stringify(answer?.body)}`)
      await pause(200)
    }
  }

  async #makeOrg() {
    const operate = <Body>(method: string, path: string, body?: object) =>
      this.insist<Body>(method, path, body, operatorKey)
    type Row = { defaults: Record<string, string>; options: Record<string, object> }
    const row = await operate<Row>('GET', '/v1/ops/providers')
    row.defaults['llm'] = 'openai/gpt-4.1-mini'
    row.options['llm/openai'] = { base_url: this.model.url }
    await operate('PUT', '/v1/ops/providers', row)
    await operate('POST', '/v1/ops/orgs', { slug: org, name: 'Acme' })
    const account = { plan: 'enterprise', subscribed: true, credits: 1_000_000 }
    await operate('PUT', `/v1/ops/orgs/${org}/account`, account)
    // Tests dial faster than an org may by default.
    await operate('PUT', `/v1/ops/orgs/${org}/dialling`, { per_minute: 1000 })
    const token = { label: 'fleet', env: 'sandbox', scopes: ['app', 'talk', 'calls', 'numbers'] }
    this.key = (await operate<{ key: string }>('POST', `/v1/ops/orgs/${org}/keys`, token)).key
  }
}

/** The routes as they are documented, to look answers up. */
export async function documentedStatuses(fleet: Fleet) {
  type Document = { paths: Record<string, Record<string, { responses?: Record<string, unknown> }>> }
  const documents = ['/openapi.json', '/openapi-workers.json'].map((at) => fleet.insist<Document>('GET', at))
  const items = (await Promise.all(documents)).flatMap(({ paths }) => Object.entries(paths))
  const routes = items.flatMap(([path, methods]) => {
    const form = new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`)
    return Object.entries(methods).map(([method, { responses = {} }]) => ({
      form,
      method: method.toUpperCase(),
      isExact: !path.includes('{'),
      statuses: new Set(Object.keys(responses)),
    }))
  })
  return (method: string, path: string): Set<string> => {
    const found = routes.filter((route) => route.method === method && route.form.test(path))
    const [route] = found.toSorted((a, b) => Number(b.isExact) - Number(a.isExact))
    assert.ok(route, `${method} ${path} is a route of the document`)
    return route.statuses
  }
}
