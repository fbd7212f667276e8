import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startChatDeployment, type ChatDeployment } from '@switchroom/gateway/testing/calls/chat-deployment'
import { until } from '@switchroom/gateway/testing/until'
import { WatchedLine } from '@switchroom/gateway/testing/watched-line'
import { whyUndocumented } from '@switchroom/tools/asyncapi/frame-checks'
import type { Report, WireDriver } from './wire-driver.ts'

/** What a case has: an SDK in another process, a gateway, and the line between them. */
export class WireFixture {
  readonly driver: WireDriver
  readonly chats: ChatDeployment
  readonly line: WatchedLine
  readonly key: string
  static #names = 0

  constructor(driver: WireDriver, chats: ChatDeployment, line: WatchedLine) {
    this.driver = driver
    this.chats = chats
    this.line = line
    this.key = chats.key
  }

  newName(kind: string): string {
    return `${kind}-${(WireFixture.#names += 1)}`
  }

  /** A process that holds nothing yet, connected over the line. */
  async newApp(key = this.key): Promise<string> {
    const app = this.newName('app')
    await this.driver.ask('connect', { app, url: this.line.url, key })
    return app
  }

  /** An agent that the gateway has registered. */
  async newAgent(options: object = {}) {
    const [app, agent] = [await this.newApp(), this.newName('agent')]
    await this.driver.ask('hold', { app, agent, ...options })
    return { app, agent }
  }

  /** A conversation with the agent; its own connection goes straight to the gateway. */
  async newChat(agent: string, url = this.chats.deployment.url, more: object = {}) {
    const chat = this.newName('chat')
    const asked = { chat, url, key: this.key, agent, contact: '+34911234567', ...more }
    const call: string = await this.driver.ask('openChat', asked)
    if (this.driver.reported({ event: 'ready', agent }).length > 0)
      await this.reported({ event: 'chat.started', agent, call })
    return { chat, call }
  }

  send(chat: string, text: string): Promise<number> {
    return this.driver.ask('send', { chat, text })
  }

  /** The first report with these fields, once it is there. */
  async reported(fields: Record<string, unknown>, many = 1): Promise<Report> {
    const what = `the driver reports ${JSON.stringify(fields)} ${many} times`
    await until(what, () => this.driver.reported(fields).length >= many).catch((error: Error) => {
      const last = JSON.stringify(this.driver.reports.slice(-15)).slice(0, 6000)
      throw new Error(`${error.message}; last: ${last} ${this.driver.stderr}`)
    })
    return this.driver.reported(fields)[many - 1]
  }

  /** The app is back after its connection was cut. */
  async isBack(agent: string, times: number) {
    await this.reported({ event: 'ready', agent }, times)
  }

  /** The frames of this type, once there are so many. */
  async frames(direction: 'to gateway' | 'to client', type: string, many = 1): Promise<Report[]> {
    await until(`${many} ${type} went ${direction}`, () => this.line.frames(direction, type).length >= many)
    return this.line.frames(direction, type)
  }
}

export interface WireCase {
  /** The rule, as a sentence. */
  name: string
  run: (fixture: WireFixture) => Promise<void>
}

/** Runs the cases with an SDK's driver against a real gateway, and holds every frame against docs/asyncapi.json. */
export async function wireSuite(sdk: string, cases: readonly WireCase[], newDriver: () => WireDriver) {
  const chats = await startChatDeployment()
  const driver = newDriver()
  after(async () => {
    await driver[Symbol.asyncDispose]()
    await chats[Symbol.asyncDispose]()
  })
  for (const { name, run } of cases)
    test(`${sdk}: ${name}`, async () => {
      chats.model.reply = () => 'Hello.'
      await using line = await WatchedLine.to(chats.deployment.url)
      await run(new WireFixture(driver, chats, line))
      const undocumented = line.seen.flatMap(({ path, direction, frame }) => {
        const why = whyUndocumented(path, direction, frame)
        return why === undefined ? [] : [`${why}: ${JSON.stringify(frame).slice(0, 400)}`]
      })
      assert.deepEqual(undocumented, [])
    })
}
