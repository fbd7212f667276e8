import type { Identity } from '@switchroom/contract/identity'
import type { MintedKey } from '@switchroom/contract/keys'
import { environments, type Environment } from '@switchroom/contract/scopes'
import type { OwnOrgList } from '@switchroom/contract/sign-in'
import type { Credentials, SavedKey } from './credentials.ts'
import { Failure, notSignedIn, wrongUsage } from '../terminal/failures.ts'
import { GatewayClient } from './gateway-client.ts'

const usualGateway = 'http://127.0.0.1:8080'

export interface Wanted {
  gateway?: string | undefined
  org?: string | undefined
  env?: string | undefined
}

/** The gateway and the key of a command; environment variables override what is saved. */
export class Account {
  readonly url: string
  readonly env: Environment | undefined
  readonly #credentials: Credentials
  readonly #org: string | undefined
  readonly #givenKey: string | undefined

  constructor(environment: NodeJS.ProcessEnv, credentials: Credentials, wanted: Wanted) {
    this.#credentials = credentials
    const address =
      wanted.gateway ||
      environment['SVC_GATEWAY_URL'] ||
      environment['SVC_URL'] ||
      credentials.lastGateway ||
      usualGateway
    this.url = addressOf(address)
    this.env = environmentOf(wanted.env || environment['SVC_ENV'])
    this.#org = wanted.org
    this.#givenKey = environment['SVC_KEY'] || undefined
    if (this.#givenKey !== undefined && this.#org !== undefined)
      throw wrongUsage('SVC_KEY belongs to one org: unset it, or leave out --org')
  }

  /** Whether the key comes from the environment. */
  get isGiven(): boolean {
    return this.#givenKey !== undefined
  }

  /** The slug of the org whose saved key is used. */
  get slug(): string | null {
    return this.isGiven ? null : (this.#org ?? this.#credentials.at(this.url).org)
  }

  /** Without a key. */
  anonymous(): GatewayClient {
    return new GatewayClient({ url: this.url })
  }

  as(key: string): GatewayClient {
    return new GatewayClient({ url: this.url, key, env: this.env })
  }

  async client(): Promise<GatewayClient> {
    if (this.#givenKey !== undefined) return this.as(this.#givenKey)
    const { org, orgs } = this.#credentials.at(this.url)
    const current = org === null ? undefined : orgs[org]
    if (!current) throw notSignedIn(this.url)
    if (this.#org === undefined || this.#org === org) return this.as(current.key)
    const saved = orgs[this.#org] ?? Object.values(orgs).find((key) => key.org === this.#org)
    if (saved && (await whoIs(this.as(saved.key)))) return this.as(saved.key)
    const [slug, key] = await this.switched(this.#org)
    this.#credentials.keepAside(this.url, slug, key)
    return this.as(key.key)
  }

  /** The stored platform key; without one, the signed-in person's key. */
  async operator(): Promise<GatewayClient> {
    const { operator } = this.#credentials.at(this.url)
    if (this.#givenKey === undefined && operator !== undefined) return this.as(operator)
    return this.client()
  }

  /** A key of the signed-in person for another org of theirs. */
  async switched(org: string): Promise<[slug: string, key: SavedKey]> {
    const { org: here, orgs } = this.#credentials.at(this.url)
    const current = here === null ? undefined : orgs[here]
    if (!current) throw notSignedIn(this.url)
    const client = this.as(current.key)
    const minted = await client.post<MintedKey>('/v1/login/org', { org })
    const { orgs: own } = await client.get<OwnOrgList>('/v1/login/orgs')
    const slug = own.find((each) => each.org === minted.org)?.slug ?? org
    return [slug, { key: minted.key, key_id: minted.key_id, org: minted.org, made_here: true }]
  }
}

/** Undefined if the key no longer works. */
export async function whoIs(client: GatewayClient): Promise<Identity | undefined> {
  return client.get<Identity>('/v1/whoami').catch((error: unknown) => {
    if (error instanceof Failure && error.status === 401) return undefined
    throw error
  })
}

function environmentOf(name: string | undefined): Environment | undefined {
  if (name === undefined) return undefined
  const known = environments.find((each) => each === name)
  if (!known) throw wrongUsage(`unknown environment ${name}: use ${environments.join(' or ')}`)
  return known
}

const isLoopback = (host: string) => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(host)

/** Without a slash at the end, and with a scheme if there was none. */
function addressOf(text: string): string {
  const [host = ''] = text.split(/[/:]/)
  const scheme = isLoopback(host) ? 'http' : 'https'
  const address = /^[a-z]+:\/\//i.test(text) ? text : `${scheme}://${text}`
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.search !== '')
    throw wrongUsage(`${text} is not a gateway address: it must start with http:// or https://`)
  return (url.origin + url.pathname).replace(/(?<!\/)\/+$/, '')
}

/** Whether the connection is unencrypted and leaves this machine. */
export function isOpenOnTheWay(address: string): boolean {
  const { protocol, hostname } = new URL(address)
  return protocol === 'http:' && !isLoopback(hostname)
}
