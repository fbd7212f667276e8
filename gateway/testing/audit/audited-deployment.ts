import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import type { AuditAction, AuditEntry } from '@switchroom/contract/audit'
import { auditedRoutes } from './audited-routes.ts'
import { AuditTrail } from './audit-trail.ts'
import { makeCertificates } from '../certificates.ts'
import type { Answer, Client } from '../client.ts'
import { password, type Deployment, type TestOrg, type TestPerson } from '../deployment.ts'
import { startDnsServer, type DnsServer } from '../dns-server.ts'
import { startIdentityProvider, type IdentityProvider } from '../people/identity-provider.ts'
import { startMailServer, type MailServer } from '../mail/mail-server.ts'
import { NumberFixture } from '../telephony/number-fixture.ts'
import { manifestOf, VendorFolder } from '../providers/vendor-packages.ts'

/** The client address of every change under test. */
const place = '203.0.113.77'

export const byMember = ({ id, email }: TestPerson) => ({ kind: 'person', subject: id, email }) as const
/** The platform's own key. */
export const byOperator = { kind: 'operator', key_id: null, name: null } as const

/** What the entries of one request must say. */
interface Expected {
  actions?: AuditAction[]
  /** Null for the deployment. */
  org?: string | null
  actor: Partial<AuditEntry['actor']>
  target: Partial<AuditEntry['target']>
}

interface AuditedServers {
  desk: NumberFixture
  mail: MailServer
  dns: DnsServer
  provider: IdentityProvider
}

/** A deployment on which every audited change can be made, and what was seen of each. */
export class AuditedDeployment implements AsyncDisposable {
  readonly desk: NumberFixture
  readonly mail: MailServer
  readonly dns: DnsServer
  readonly provider: IdentityProvider
  readonly trail: AuditTrail
  readonly anonymous: Client
  readonly operator: Client
  /** Pairs of a route and an action. */
  readonly #seen = new Set<string>()
  readonly #secrets: string[] = [password]
  readonly #parts: AsyncDisposable[]

  private constructor(servers: AuditedServers, parts: AsyncDisposable[]) {
    const { desk, mail, dns, provider } = servers
    this.desk = desk
    this.mail = mail
    this.dns = dns
    this.provider = provider
    this.#parts = parts
    this.trail = new AuditTrail(desk.deployment)
    this.anonymous = this.from(desk.deployment.anonymous)
    this.operator = this.from(desk.deployment.operator)
  }

  static async start(): Promise<AuditedDeployment> {
    const certificates = await makeCertificates()
    const dns = await startDnsServer()
    const provider = await startIdentityProvider(certificates, 'idp.example.test')
    dns.set('idp.example.test', { A: ['127.0.0.1'] })
    dns.set('llm.example.test', { A: ['127.0.0.1'] })
    const mail = await startMailServer()
    const vendors = new VendorFolder().add(manifestOf('mind', ['llm']))
    const kept = `${vendors.path}-kept`
    const desk = await NumberFixture.start({
      settings: {
        SVC_RESOLVER: dns.address,
        SVC_PRIVATE_HOSTS: 'idp.example.test, llm.example.test',
        SVC_CA_FILE: certificates.caFile,
        SVC_SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
        SVC_MAIL_FROM: 'post@switchroom.test',
        SVC_SIGNUP: '1',
        SVC_VENDOR_FOLDERS: vendors.path,
        SVC_VERIFY_FROM: '+15005550006',
        SVC_TRUSTED_PROXIES: '127.0.0.0/8',
        SVC_RECORDINGS: kept,
      },
    })
    const folder = {
      [Symbol.asyncDispose]: async () => {
        vendors[Symbol.dispose]()
        await rm(kept, { recursive: true, force: true })
      },
    }
    return new AuditedDeployment({ desk, mail, dns, provider }, [
      desk,
      provider,
      dns,
      mail,
      certificates,
      folder,
    ])
  }

  get deployment(): Deployment {
    return this.desk.deployment
  }

  /** An org and its admin, who acts from that address. */
  async newOrg(): Promise<{ org: TestOrg; admin: TestPerson }> {
    const org = await this.deployment.newOrg()
    return { org, admin: await this.person(org) }
  }

  async person(org: TestOrg, more: { operator?: boolean } = {}): Promise<TestPerson> {
    const person = await org.person('admin', more)
    return { ...person, client: this.from(person.client) }
  }

  /** A value that must be nowhere in the audit log. */
  secret(value: string): string {
    this.#secrets.push(value)
    return value
  }

  /** The pairs of route and action that no test has met. */
  unseen(routes: Record<string, readonly AuditAction[]>): string[] {
    return Object.entries(routes)
      .flatMap(([route, actions]) => actions.map((action) => `${route} ${action}`))
      .filter((pair) => !this.#seen.has(pair))
  }

  async refuseSecretsInLog() {
    const { rows } = await this.deployment.sql('select * from audit')
    const dump = JSON.stringify(rows)
    assert.ok(dump.includes(place))
    for (const value of this.#secrets) assert.ok(value.length >= 6 && !dump.includes(value), value)
    assert.doesNotMatch(dump, /svc_(?:live|test|op)_|lc_[A-Za-z0-9_-]{20}|\/invitations\//)
  }

  from(client: Client): Client {
    return client.with({ 'x-forwarded-for': place })
  }

  /** Makes the change, and holds what was recorded against what the list of routes and the test say. */
  async audited(route: string, ask: () => Promise<Answer>, expected: Expected): Promise<Answer> {
    const before = new Set((await this.trail.all()).map(({ id }) => id))
    const answer = await ask()
    assert.ok(answer.status < 400, `${route}: ${answer.status} ${answer.text}`)
    await this.deployment.gateway.services.resets.settled()
    const entries = (await this.trail.all()).filter(({ id }) => !before.has(id))
    const { actions = auditedRoutes[route] ?? [], actor, target, org } = expected
    assert.deepEqual(entries.map(({ action }) => action).toSorted(), [...actions].toSorted(), route)
    for (const entry of entries) {
      this.#seen.add(`${route} ${entry.action}`)
      assert.equal(entry.from, place, route)
      if (org !== undefined) assert.equal(entry.org, org, route)
      assertHolds(entry.actor, actor, route)
    }
    const main = entries.at(-1)
    assert.ok(main, route)
    assertHolds(main.target, target, route)
    return answer
  }

  async [Symbol.asyncDispose]() {
    for (const part of this.#parts) await part[Symbol.asyncDispose]()
  }
}

function assertHolds(found: object, wanted: object, route: string) {
  const kept = Object.entries(found).filter(([field]) => field in wanted)
  assert.deepEqual(Object.fromEntries(kept), wanted, route)
}
