import assert from 'node:assert/strict'
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { test, type TestContext } from 'node:test'
import { resampled } from '@switchroom/audio/resampler'
import { missing } from '@switchroom/tools/debian-packages'
import { buildEmbed } from './foreign-page.ts'
import { keyFor, OrderedPage } from './ordered-page.ts'
import { joined, silence, speech, startVoiceAgent, typesOf, type Entry } from './spoken-fixture.ts'

/** A way that packets take between a browser and the worker, until it is closed. */
class Way {
  /** The worker's port. */
  to: number | undefined
  carried = 0
  readonly port: number
  readonly #near: Socket
  readonly #far = createSocket('udp4')
  /** Not always on the loopback address. */
  #browser: RemoteInfo | undefined

  private constructor(near: Socket) {
    this.#near = near
    this.port = near.address().port
    near.on('message', (packet, from) => {
      this.#browser = from
      if (this.to !== undefined) this.#far.send(packet, this.to, '127.0.0.1')
    })
    this.#far.on('message', (packet) => {
      this.carried += 1
      if (this.#browser) near.send(packet, this.#browser.port, this.#browser.address)
    })
    for (const socket of [near, this.#far]) socket.on('error', () => {})
  }

  static async open(t: TestContext): Promise<Way> {
    const near = createSocket('udp4').bind(0, '127.0.0.1')
    await once(near, 'listening')
    const way = new Way(near)
    t.after(() => way.close())
    return way
  }

  close() {
    for (const socket of [this.#near, this.#far]) {
      try {
        socket.close()
      } catch {
        // it is closed already
      }
    }
  }
}

/** Every answer of the gateway leads over the next way, and over no other. */
const leads = (ports: number[]) => `
const asked = globalThis.fetch
const ways = ${JSON.stringify(ports)}
globalThis.fetch = async (address, init) => {
  const response = await asked(address, init)
  if (init?.method !== 'POST' || !String(address).endsWith('/v1/rtc') || !response.ok) return response
  const { sdp, ...more } = await response.json()
  const [, udp, to] = /^a=candidate:\\S+ 1 udp (\\d+) 127\\.0\\.0\\.1 (\\d+)/im.exec(sdp)
  const way = ways.shift()
  tell({ answered: { to: Number(to), way } })
  const isOther = (line) => line.startsWith('a=candidate:') && !line.includes(' 1 udp ' + udp + ' 127.0.0.1 ')
  const lines = sdp.split('\\r\\n').filter((line) => !isOther(line))
  const led = lines.map((line) => (line.startsWith('a=candidate:') ? line.replace(' ' + to + ' ', ' ' + way + ' ') : line))
  return Response.json({ sdp: led.join('\\r\\n'), ...more }, { status: response.status })
}`

test(
  'a call whose way to the worker is cut in its middle finds another one by itself, and the caller is heard and answered over it',
  { skip: missing('chromium'), timeout: 240_000 },
  async (t) => {
    await buildEmbed()
    const greeting = { say: 'Hello.' }
    const fixture = await startVoiceAgent(t, { settings: { greeting } })
    const says = joined(silence(0.5), await speech('What is your name?'), silence(5))
    const page = await OrderedPage.open(t, 'chromium', resampled(says, 8_000, 48_000))
    const key = await keyFor(fixture, page.browser.origin)
    const ways = await Promise.all(Array.from({ length: 8 }, () => Way.open(t)))
    const { url } = fixture.deployment
    const call = await page.tells<string>(
      'started',
      `const { startCall } = await import(${JSON.stringify(`${url}/embed/switchroom.js`)})
      ${leads(ways.map(({ port }) => port))}
      const begun = startCall(${JSON.stringify({ url, key })})
      begun.then((call) => {
        call.on('state', (state) => tell({ state }))
        call.on('ended', (ended) => tell({ ended }))
        globalThis.call = call
        tell({ started: call.id, state: call.state })
      }, (error) => tell({ failed: error.message }))`,
    )
    const { to } = await page.told<{ to: number }>('answered')
    for (const way of ways) way.to = to
    const [first, ...others] = ways
    assert.ok(first)
    await page.told('state', (state) => state === 'connected')
    const isAnswer = ({ type, data }: Entry) => type === 'agent.message' && data['source'] === 'model'
    await fixture.untilLogged(call, 'an answer over the first way', (entries) => entries.some(isAnswer))

    const since = page.browser.told.length
    first.close()
    await page.told('state', (state) => state === 'reconnecting', since)
    await page.told('state', (state) => state === 'connected', since)
    assert.ok(others.some(({ carried }) => carried > 0))
    const carriedBefore = first.carried
    const log = await fixture.untilLogged(call, 'an answer over the second way', (entries) => {
      const asked = typesOf(entries).indexOf('reconnect.requested')
      const heard = entries.findIndex(({ type }, at) => at > asked && type === 'user.message')
      return asked >= 0 && heard >= 0 && entries.slice(heard).some(isAnswer)
    })
    assert.equal(first.carried, carriedBefore)
    assert.ok(!typesOf(log).includes('call.ended'))
    page.browser.order('globalThis.call.hangUp()')
    assert.equal((await fixture.untilEnded(call)).at(-1)?.data['reason'], 'hangup')
  },
)
