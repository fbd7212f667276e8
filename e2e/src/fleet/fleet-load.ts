import assert from 'node:assert/strict'
import type { Lasting } from '@switchroom/launcher/testing/folders'
import type { Chance } from '../chance.ts'
import { documentedStatuses, type Fleet } from './fleet.ts'
import { Apps, FleetChat } from './fleet-chats.ts'
import { FleetContacts } from './fleet-contacts.ts'
import { FleetDials, twiceIn } from './fleet-dials.ts'
import { Appender, Reader } from './fleet-logs.ts'
import { FleetPhones } from './fleet-phones.ts'
import { KeptLogs } from './fleet-verdict.ts'

const chats = 4
const appenders = 4
const contacts = 3
const phones = 2

interface Parts {
  fleet: Fleet
  apps: Apps
  chatting: FleetChat[]
  appending: Appender[]
  writing: FleetContacts
  dials: FleetDials
  calling: FleetPhones
}

/** People who chat, write, call and are called, all at once, and readers of their logs. */
export class FleetLoad {
  readonly #parts: Parts
  readonly #readers: (readonly [call: string, reader: Reader])[]
  readonly #done: Promise<unknown>
  #isOver = false

  private constructor(parts: Parts) {
    this.#parts = parts
    const { fleet, chatting, appending, writing, dials, calling } = parts
    this.#readers = [...chatting, ...appending].map(({ call }) => [call, new Reader(fleet, call)])
    const over = () => this.#isOver || fleet.isOver
    this.#done = Promise.all([
      ...chatting.map((chat) => chat.converse(over)),
      ...appending.map((appender) => appender.append(over)),
      ...Array.from({ length: contacts }, (_, at) => writing.write(`+3460000000${at}`, over)),
      ...Array.from({ length: phones }, () => calling.call(over)),
      dials.dial(over),
    ])
    this.#done.catch(() => {}) // `stop` answers with the failure
  }

  static async begin(t: Lasting, fleet: Fleet, chance: Chance): Promise<FleetLoad> {
    const apps = await Apps.connect(t, fleet)
    const writing = await FleetContacts.open(t, fleet, chance)
    const dials = await FleetDials.open(t, fleet, chance)
    const calling = new FleetPhones(t, fleet, chance)
    const named = Array.from({ length: chats }, (_, at) => `q${at}`)
    const chatting = await Promise.all(named.map((name) => FleetChat.open(t, fleet, name)))
    const appending: Appender[] = []
    while (appending.length < appenders) appending.push(await Appender.open(fleet, chance))
    return new FleetLoad({ fleet, apps, chatting, appending, writing, dials, calling })
  }

  /** Nobody begins anything new; what is under way is waited for. Answers what was done, in words. */
  async stop(): Promise<string> {
    this.#isOver = true
    await this.#done
    const { dials, calling, writing, chatting } = this.#parts
    const { taken, unknown, refused } = dials
    const questions = chatting.reduce((sum, chat) => sum + chat.questions.length, 0)
    return (
      `${questions} questions; ${writing.questions.length} messages; ` +
      `${taken.length} dials, ${unknown.length} without an answer, refused: ${[...new Set(refused)].join(', ')}; ` +
      `${calling.answered.length} phones, ${calling.greeted} greeted, refused: ${[...new Set(calling.refused)].join(', ')}`
    )
  }

  /** Nothing is lost, nothing is doubled, every call ends, every reader has its whole log, and no answer is undocumented. */
  async assertHeld() {
    const { fleet, apps, chatting, appending, writing, dials, calling } = this.#parts
    assert.ok(dials.taken.length > 0 && calling.greeted > 0, 'calls were placed, and came in')
    await writing.assertAnswered()
    const logs = await KeptLogs.read(fleet)
    await logs.assertRead([
      ...this.#readers,
      ...dials.taken.map(({ call, reader }) => [call, reader] as const),
    ])
    for (const chat of chatting) chat.assertWhole(logs.textsOf(chat.call))
    for (const appender of appending) appender.assertWhole(logs.textsOf(appender.call))
    const questions = [...chatting.flatMap((chat) => chat.questions), ...writing.questions]
    const lookedUp = [...apps.lookedUp].map(([question, times]) => `${question}: ${times}`)
    assert.deepEqual(
      lookedUp.toSorted(),
      questions.map((question) => `${question}: 1`).toSorted(),
      'each question was looked up once',
    )
    await dials.assertOnce()
    const callers = await fleet.rows<{ caller: string }>(
      `select caller from calls where channel = 'phone' and direction = 'inbound'`,
    )
    assert.deepEqual(twiceIn(callers.map(({ caller }) => caller)), [], 'phones whose call was opened twice')
    await this.#assertDocumented()
  }

  async #assertDocumented() {
    const { fleet } = this.#parts
    const documented = await documentedStatuses(fleet)
    const wrong = fleet.proxy.passed.filter(
      ({ method, path, status }) => status === 500 || !documented(method, path).has(String(status)),
    )
    assert.deepEqual(wrong, [], 'answers that no route documents')
    const errors = fleet.gateways.flatMap((gateway) => gateway.errors)
    assert.deepEqual(errors, [], 'what gateways wrote as errors')
  }
}
