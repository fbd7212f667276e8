import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { BrowserProgram } from '@switchroom/media/testing/browser-programs'
import { BrowserCaller, type Told } from '@switchroom/media/testing/webrtc-browser'
import type { VoiceDeployment } from './spoken-fixture.ts'

/** A page of another origin; an order is a piece of a program, which fails the test if it throws. */
const page = `<!doctype html><html lang="en"><title>Shop</title><main><h1>Shop</h1></main><script type="module">
const tell = (page) => fetch('/told', { method: 'POST', body: JSON.stringify({ page }) })
const until = async (look) => {
  for (;;) {
    const found = look()
    if (found) return found
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
const Program = Object.getPrototypeOf(async () => {}).constructor
try {
  for (;;) await new Program('tell', 'until', await (await fetch('/orders')).text())(tell, until)
} catch (error) {
  fetch('/told', { method: 'POST', body: JSON.stringify({ failed: String(error) }) })
}
</script></html>`

export class OrderedPage {
  readonly browser: BrowserCaller

  private constructor(browser: BrowserCaller) {
    this.browser = browser
  }

  static async open(
    t: TestContext,
    program: BrowserProgram,
    microphone: Int16Array = new Int16Array(0),
  ): Promise<OrderedPage> {
    const browser = await BrowserCaller.openPage(microphone, page, program)
    t.after(() => browser.stop())
    return new OrderedPage(browser)
  }

  /** The first that it told under this name and that fits, after the first `since` reports. */
  async told<Value>(name: string, fits: (value: Value) => boolean = () => true, since = 0): Promise<Value> {
    const isThere = ({ page: told }: Told) => told !== undefined && name in told && fits(told[name] as Value)
    await this.browser.until(isThere, since)
    return this.browser.told.slice(since).find(isThere)?.page?.[name] as Value
  }

  /** Does the order, and answers what it tells under this name. */
  async tells<Value>(name: string, order: string): Promise<Value> {
    const since = this.browser.told.length
    this.browser.order(order)
    return this.told<Value>(name, () => true, since)
  }
}

/** A publishable key of the agent `hello` for pages of this origin. */
export async function keyFor({ org }: VoiceDeployment, origin: string): Promise<string> {
  const { client } = await org.person('developer')
  const wanted = { label: 'shop', agent: 'hello', env: 'sandbox', origins: [origin] }
  const made = await client.post('/v1/publishable-keys', wanted)
  assert.equal(made.status, 201, made.text)
  return made.body.key as string
}
