import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { makeCertificates } from '../certificates.ts'
import type { Answer, Client } from '../client.ts'
import { startDeployment, type Deployment, type TestOrg, type TestPerson } from '../deployment.ts'
import { startDnsServer, type DnsServer } from '../dns-server.ts'
import { startHostileProvider, type HostileProvider } from './hostile-provider.ts'
import { client, startIdentityProvider, type Account, type IdentityProvider } from './identity-provider.ts'

/** A deployment whose orgs can sign in with a provider on loopback, and with a hostile one. */
export interface SsoDeployment extends Deployment {
  dns: DnsServer
  provider: IdentityProvider
  hostile: HostileProvider
  /** An org with a provider and a proven domain of its own. */
  ssoOrg: (wanted?: Partial<SsoBody>) => Promise<SsoOrg>
  /** Publishes the record and has it read. */
  prove: (admin: Client, domain: string) => Promise<Answer>
}

export interface SsoBody {
  issuer: string
  client_id: string
  client_secret: string
  domains: string[]
  role: string | null
  required: boolean
}

export interface SsoOrg extends TestOrg {
  admin: TestPerson
  domain: string
  body: SsoBody
  /** What is registered at the provider. */
  redirect_uri: string
}

export const newDomain = () => `corp-${randomBytes(4).toString('hex')}.example`

export async function startSsoDeployment(wanted: Record<string, string> = {}): Promise<SsoDeployment> {
  const certificates = await makeCertificates()
  const dns = await startDnsServer()
  const provider = await startIdentityProvider(certificates, 'idp.example.test')
  const hostile = await startHostileProvider(certificates, 'hostile.example.test')
  for (const name of ['idp.example.test', 'hostile.example.test']) dns.set(name, { A: ['127.0.0.1'] })
  const deployment = await startDeployment({
    SVC_RESOLVER: dns.address,
    SVC_PRIVATE_HOSTS: 'idp.example.test, hostile.example.test',
    SVC_CA_FILE: certificates.caFile,
    ...wanted,
  })

  const prove = async (admin: Client, domain: string) => {
    const { body } = await admin.get('/v1/org/sso')
    const proof = body.proofs.find((known: { domain: string }) => known.domain === domain)
    dns.set(domain, { TXT: ['v=spf1 -all', proof.txt] })
    return admin.post(`/v1/org/sso/domains/${domain}/verify`)
  }

  return {
    ...deployment,
    dns,
    provider,
    hostile,
    prove,
    async ssoOrg(others = {}) {
      const org = await deployment.newOrg()
      const admin = await org.person('admin')
      const domain = newDomain()
      const usual = { issuer: provider.issuer, ...client, domains: [domain], role: null, required: false }
      const body = { ...usual, ...others }
      const put = await admin.client.put('/v1/org/sso', body)
      assert.equal(put.status, 200, put.text)
      provider.register(put.body.redirect_uri)
      for (const named of body.domains) assert.equal((await prove(admin.client, named)).status, 200)
      return { ...org, admin, domain, body, redirect_uri: put.body.redirect_uri }
    },
    async [Symbol.asyncDispose]() {
      await deployment[Symbol.asyncDispose]()
      for (const part of [hostile, provider, dns, certificates]) await part[Symbol.asyncDispose]()
    },
  }
}

/** One browser: it keeps the cookie that a start sets, and brings it along to the callback and to the sign-in. */
export class Browser {
  readonly #anonymous: Client
  #cookie = ''
  #callback = 'https://switchroom.test/v1/login/sso/callback/org_unknown'

  constructor({ anonymous }: Pick<Deployment, 'anonymous'>) {
    this.#anonymous = anonymous
  }

  /** The address at the provider that the start leads to. */
  async begin(slug: string, pairing?: string): Promise<URL> {
    const query = new URLSearchParams({ org: slug, ...(pairing && { pairing }) })
    const answer = await this.#anonymous.get(`/v1/login/sso?${query.toString()}`)
    assert.equal(answer.status, 302, answer.text)
    this.#cookie = answer.headers.getSetCookie()[0]?.split(';')[0] ?? ''
    const departure = new URL(answer.headers.get('location') ?? '', 'https://switchroom.test')
    this.#callback = departure.searchParams.get('redirect_uri') ?? ''
    return departure
  }

  /** Comes back to the address that the start named, or to another one. */
  finish(query: string, { anonymous } = { anonymous: this.#anonymous }, redirectUri = this.#callback) {
    return anonymous.with(this.cookie).get(new URL(redirectUri).pathname + query)
  }

  /** What the console does with the code in its address. */
  redeem(code: string, others: object = {}): Promise<Answer> {
    return this.#anonymous.with(this.cookie).post('/v1/login', { code, ...others })
  }

  get cookie() {
    return { cookie: `other=1; ${this.#cookie}` }
  }

  async signIn({ provider }: SsoDeployment, slug: string, account: Account): Promise<Answer> {
    return this.finish(await provider.signIn((await this.begin(slug)).href, account))
  }

  /** Signs in at the hostile provider, which hands out the id_token made for the nonce. */
  async signInAtHostile(
    { hostile }: SsoDeployment,
    slug: string,
    idToken: (nonce: string) => string | Promise<string>,
  ): Promise<Answer> {
    const { searchParams } = await this.begin(slug)
    hostile.idToken = await idToken(searchParams.get('nonce') ?? '')
    return this.finish(`?code=c&state=${searchParams.get('state')}`)
  }
}

/** The login code that a callback leads to. */
export function loginCode(answer: Answer): string {
  assert.equal(answer.status, 302, answer.text)
  const location = answer.headers.get('location') ?? ''
  assert.match(location, /^\/\?login=lc_[A-Za-z0-9_-]{43}$/)
  return location.slice('/?login='.length)
}

/** Asserts that a callback, or a start, is refused by a redirect that carries the sentence. */
export function refusedAtConsole(answer: Answer, sentence: string) {
  assert.equal(answer.status, 302, answer.text)
  assert.equal(answer.headers.get('location'), `/?refused=${encodeURIComponent(sentence)}`)
  assert.equal(answer.text, '')
}
