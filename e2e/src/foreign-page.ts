import { spawn } from 'node:child_process'
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { BrowserProgram } from '@switchroom/media/testing/browser-programs'
import { BrowserCaller } from '@switchroom/media/testing/webrtc-browser'
import { root } from './launch.ts'
import type { VoiceDeployment } from './spoken-fixture.ts'

let built: Promise<void> | undefined

/** Once for the process, in one of its own. */
export function buildEmbed(): Promise<void> {
  return (built ??= (async () => {
    const build = spawn(process.execPath, [join(root, 'tools/build-console.mjs')], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const [status] = (await once(build, 'exit')) as [number | null]
    assert.equal(status, 0, 'the console is built')
  })())
}

/** Its first order is what it starts the call with. Tells whatever the call tells, and does what it is ordered to, as a piece of a program. */
const pageOf = (gateway: string) => `<!doctype html><title>shop</title><script type="module">
import { startCall, devices } from ${JSON.stringify(`${gateway}/embed/switchroom.js`)}
const tell = (page) => fetch('/told', { method: 'POST', body: JSON.stringify({ page }) })
const Program = Object.getPrototypeOf(async () => {}).constructor
try {
  const call = await startCall(await (await fetch('/orders')).json())
  tell({ started: call.id, agentName: call.agent })
  for (const name of ['transcript', 'agent', 'state', 'ended']) call.on(name, (event) => tell({ [name]: event }))
  tell({ state: call.state })
  for (const line of call.transcript) tell({ transcript: line })
  for (;;) {
    const order = await (await fetch('/orders')).text()
    await new Program('call', 'devices', 'tell', order)(call, devices, tell)
  }
} catch (error) {
  tell({ failed: error.message })
}
</script>`

/** A page of another origin that calls an agent with the package that the gateway serves. */
export class ForeignPage {
  readonly browser: BrowserCaller

  private constructor(browser: BrowserCaller) {
    this.browser = browser
  }

  static async open(
    t: TestContext,
    { deployment }: VoiceDeployment,
    optionsOf: (origin: string) => Promise<object>,
    { microphone, program }: { microphone: Int16Array; program: BrowserProgram },
  ): Promise<ForeignPage> {
    await buildEmbed()
    const browser = await BrowserCaller.openPage(microphone, pageOf(deployment.url), program)
    t.after(() => browser.stop())
    browser.order(JSON.stringify({ url: deployment.url, ...(await optionsOf(browser.origin)) }))
    return new ForeignPage(browser)
  }

  /** Everything of this name that the page told, after the first `since` reports. */
  all<Told>(name: string, since = 0): Told[] {
    return this.browser.told
      .slice(since)
      .flatMap(({ page }) => (page && name in page ? [page[name] as Told] : []))
  }

  /** The first that fits. */
  async until<Told>(name: string, fits: (told: Told) => boolean = () => true, since = 0): Promise<Told> {
    await this.browser.until(({ page }) => {
      assert.equal(page?.['failed'], undefined)
      return page !== undefined && name in page && fits(page[name] as Told)
    }, since)
    const found = this.all<Told>(name, since).find(fits)
    assert.ok(found !== undefined)
    return found
  }

  get reports(): number {
    return this.browser.told.length
  }

  order(program: string): void {
    this.browser.order(program)
  }
}
