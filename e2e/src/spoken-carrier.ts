import assert from 'node:assert/strict'
import { afterwards, type Lasting } from '@switchroom/launcher/testing/folders'
import { until } from '@switchroom/launcher/testing/waiting'
import { RtpLeg } from '@switchroom/media/rtp/rtp-leg'
import { SipServer, type IncomingInvite, type SipDialog } from '@switchroom/media/sip/server'
import { MediaPorts } from '@switchroom/media/rtp/media-ports'
import { told, type VoiceDeployment } from './spoken-fixture.ts'

/** The SIP account of the fixture's org at a carrier on this machine, and those who answer there. */
export class Carrier {
  readonly from = '+34910000001'
  /** Those that rang, in order. */
  readonly rang: IncomingInvite[] = []
  readonly #fixture: VoiceDeployment
  readonly #sip: SipServer
  readonly #numbers: string[]

  private constructor(fixture: VoiceDeployment, sip: SipServer, numbers: string[]) {
    this.#fixture = fixture
    this.#sip = sip
    this.#numbers = numbers
  }

  static async open(t: Lasting, fixture: VoiceDeployment): Promise<Carrier> {
    const ports = new MediaPorts({ first: 40_000, last: 59_999 })
    const numbers: string[] = []
    const pair = { username: 'peer', password: 'secret of peer' }
    const sip = await SipServer.start({
      host: '127.0.0.1',
      port: 0,
      publicAddress: '127.0.0.1',
      fences: () => [{ name: 'trunk', networks: ['127.0.0.1/32'], numbers, pair, fleet: 'carrier' }],
      isLocalAllowed: false,
      allocatePort: ports.allocate,
      releasePort: ports.release,
      onInvite: (invite) => carrier.rang.push(invite),
    })
    afterwards(t, () => sip.stop())
    const carrier: Carrier = new Carrier(fixture, sip, numbers)
    await carrier.#bring(fixture, pair)
    return carrier
  }

  /** A number of a known contact, which rings here. */
  async reach(number: string): Promise<string> {
    const { deployment, org } = this.#fixture
    this.#numbers.push(number)
    await deployment.sql(
      `insert into known_contacts (org, env, contact, first_at) values ($1, 'sandbox', $2, now())`,
      [org.id, number],
    )
    return number
  }

  /** The next that rings. */
  async nextRing(): Promise<IncomingInvite> {
    await until('it rings', () => this.rang.length > 0, 60_000).catch(async (error: Error) => {
      const last = (await this.#fixture.calls()).at(-1) ?? ''
      throw new Error(`${error.message}; ${told(await this.#fixture.entriesOf(last), this.#fixture.worker)}`)
    })
    const [invite] = this.rang.splice(0, 1)
    assert.ok(invite)
    return invite
  }

  async answer(): Promise<{ dialog: SipDialog; leg: RtpLeg }> {
    const dialog = await (await this.nextRing()).accept()
    const leg = await RtpLeg.open(dialog.terms, {
      hangUp: () => dialog.bye(),
      transfer: (to) => dialog.refer(to),
      ended: dialog.ended,
    })
    return { dialog, leg }
  }

  async #bring(fixture: VoiceDeployment, { username, password }: { username: string; password: string }) {
    const { client } = await fixture.org.serverToken('sandbox', { scopes: ['numbers'] })
    const made = await client.put('/v1/carrier', {
      kind: 'sip',
      username,
      password,
      addresses: ['8.8.8.0/24'],
      outbound_host: `127.0.0.1:${this.#sip.port}`,
      outbound_username: username,
      outbound_password: password,
    })
    assert.ok(made.status < 300, made.text)
    await fixture.deployment.sql(
      `insert into numbers (number, org, env, agent, origin, managed, account, approved_at, created_at)
       values ($1, $2, 'sandbox', 'hello', 'imported', false, 'peer', now(), now())`,
      [this.from, fixture.org.id],
    )
  }
}
