import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { afterwards, type Lasting } from '@switchroom/launcher/testing/folders'
import { SipServer, type IncomingInvite } from '@switchroom/media/sip/server'
import type { Chance } from '../chance.ts'
import { phonePorts } from '../spoken-phone.ts'
import type { Fleet } from './fleet.ts'
import { Reader } from './fleet-logs.ts'
import { spokenAgent } from './fleet-chats.ts'

const pair = { username: 'peer', password: 'secret of peer' }
const caller = '+34910000001'
const everyMs = 2_000

/** The org's carrier, whose people are busy or answer and hang up; and those who were dialled, each number once. */
export class FleetDials {
  /** Answered with 202. */
  readonly taken: { call: string; to: string; reader: Reader }[] = []
  /** No answer came: it may have been done. */
  readonly unknown: string[] = []
  readonly refused: string[] = []
  readonly #fleet: Fleet
  readonly #chance: Chance
  readonly #numbers: string[] = []
  readonly #rang: string[] = []

  private constructor(fleet: Fleet, chance: Chance) {
    this.#fleet = fleet
    this.#chance = chance
  }

  static async open(t: Lasting, fleet: Fleet, chance: Chance): Promise<FleetDials> {
    const dials = new FleetDials(fleet, chance)
    const fence = {
      name: 'trunk',
      networks: ['127.0.0.1/32'],
      numbers: dials.#numbers,
      pair,
      fleet: 'carrier',
    }
    const sip = await SipServer.start({
      host: '127.0.0.1',
      port: 0,
      publicAddress: '127.0.0.1',
      fences: () => [fence],
      isLocalAllowed: false,
      allocatePort: phonePorts.allocate,
      releasePort: phonePorts.release,
      onInvite: (invite) => void dials.#ring(invite).catch(() => {}), // the worker may be gone meanwhile
    })
    afterwards(t, () => sip.stop())
    const account = {
      kind: 'sip',
      ...pair,
      addresses: ['8.8.8.0/24'],
      outbound_host: `127.0.0.1:${sip.port}`,
      outbound_username: pair.username,
      outbound_password: pair.password,
    }
    await fleet.insist('PUT', '/v1/carrier', account)
    await fleet.rows(
      `insert into numbers (number, org, env, agent, origin, managed, account, approved_at, created_at)
       select $1, id, 'sandbox', $2, 'imported', false, $3, now(), now() from orgs where slug = 'acme'`,
      [caller, spokenAgent, pair.username],
    )
    return dials
  }

  async dial(isOver: () => boolean) {
    while (!isOver()) {
      await this.#dialOne(`+3461${String(this.#numbers.length).padStart(7, '0')}`)
      await pause(everyMs)
    }
  }

  /** Nobody rang twice, and what was answered is in the ledger once. */
  async assertOnce() {
    assert.deepEqual(twiceIn(this.#rang), [], 'numbers that rang twice')
    type Row = { call: string | null; to: string }
    const ledger = await this.#fleet.rows<Row>(`select call, called as to from dials where outcome = 'taken'`)
    assert.deepEqual(twiceIn(ledger.map(({ to }) => to)), [], 'numbers that are in the ledger twice')
    const calls = new Set(ledger.map(({ call }) => call))
    assert.deepEqual(
      this.taken.filter(({ call }) => !calls.has(call)),
      [],
      'dials that were answered and are not in the ledger',
    )
    const asked = new Set([...this.taken.map(({ to }) => to), ...this.unknown])
    assert.deepEqual(
      this.#rang.filter((number) => !asked.has(number)),
      [],
      'numbers that rang although their dial was refused',
    )
  }

  async #dialOne(to: string) {
    this.#numbers.push(to)
    await this.#fleet.rows(
      `insert into known_contacts (org, env, contact, first_at)
       select id, 'sandbox', $1, now() from orgs where slug = 'acme'`,
      [to],
    )
    const path = `/v1/agents/${spokenAgent}/dial`
    const answer = await this.#fleet.ask<{ call: string }>('POST', path, { to })
    if (!answer) this.unknown.push(to)
    else if (answer.status !== 202) this.refused.push(`${answer.status} ${JSON.stringify(answer.body)}`)
    else {
      const { call } = answer.body
      this.taken.push({ call, to, reader: new Reader(this.#fleet, call) })
    }
  }

  async #ring(invite: IncomingInvite) {
    this.#rang.push(invite.number ?? '')
    if (this.#chance.below(2) === 0) return invite.reject(486)
    const dialog = await invite.accept()
    await Promise.race([pause(this.#chance.below(3000)), dialog.ended])
    await dialog.bye()
  }
}

export const twiceIn = (items: readonly string[]) =>
  items.filter((item, at) => items.indexOf(item) !== at).toSorted()
