import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { BrowserCaller, type Told } from '@switchroom/media/testing/webrtc-browser'
import { missing } from '@switchroom/tools/debian-packages'
import axe from 'axe-core'
import { buildEmbed } from './foreign-page.ts'
import { bundledReactPage } from './react-page.ts'
import { startVoiceAgent, typesOf, type VoiceDeployment } from './spoken-fixture.ts'

const greeting = 'Hello, this is the shop.'
const greeted = { settings: { greeting: { say: greeting } } }
const skip = missing('firefox-esr')

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

class FirefoxPage {
  readonly browser: BrowserCaller

  private constructor(browser: BrowserCaller) {
    this.browser = browser
  }

  static async open(t: TestContext): Promise<FirefoxPage> {
    const browser = await BrowserCaller.openPage(new Int16Array(0), page, 'firefox')
    t.after(() => browser.stop())
    return new FirefoxPage(browser)
  }

  /** Does the order, and answers what it tells under this name. */
  async tells<Value>(name: string, order: string): Promise<Value> {
    const since = this.browser.told.length
    this.browser.order(order)
    const isThere = ({ page: told }: Told) => told !== undefined && name in told
    await this.browser.until(isThere, since)
    return this.browser.told.slice(since).find(isThere)?.page?.[name] as Value
  }
}

async function keyFor({ org }: VoiceDeployment, origin: string): Promise<string> {
  const { client } = await org.person('developer')
  const wanted = { label: 'shop', agent: 'hello', env: 'sandbox', origins: [origin] }
  const made = await client.post('/v1/publishable-keys', wanted)
  assert.equal(made.status, 201, made.text)
  return made.body.key as string
}

test(
  'Firefox: a visitor talks and writes to an agent in <switchroom-call>, which axe finds accessible, and sees why it ended',
  { skip, timeout: 240_000 },
  async (t) => {
    await buildEmbed()
    const fixture = await startVoiceAgent(t, greeted)
    const shop = await FirefoxPage.open(t)
    const key = await keyFor(fixture, shop.browser.origin)
    const { url } = fixture.deployment
    const shown = await shop.tells<string[]>(
      'shown',
      `await import(${JSON.stringify(`${url}/embed/switchroom.js`)})
      const made = document.createElement('switchroom-call')
      made.setAttribute('key', ${JSON.stringify(key)})
      document.querySelector('main').append(made)
      globalThis.inside = (selector) => made.shadowRoot.querySelector(selector)
      globalThis.button = (name) =>
        [...made.shadowRoot.querySelectorAll('button')].find((each) => each.textContent === name && each.checkVisibility())
      await until(() => button('Talk'))
      tell({ shown: ['Talk', 'Chat'].filter(button) })`,
    )
    assert.deepEqual(shown, ['Talk', 'Chat'])

    const said = await shop.tells<string>(
      'said',
      `button('Talk').focus()
      button('Talk').click()
      const said = await until(() => inside('[role=log]').textContent.includes(${JSON.stringify(greeting)}) && inside('[role=log]').textContent)
      tell({ said })`,
    )
    assert.ok(said.includes(`hello: ${greeting}`), said)
    const muted = await shop.tells<string[]>(
      'muted',
      `button('Mute').click()
      await until(() => button('Mute').ariaPressed === 'true')
      tell({ muted: [button('Mute').ariaPressed, inside('[role=status]').textContent] })`,
    )
    assert.equal(muted[0], 'true')
    assert.notEqual(muted[1], '')
    const issues = await shop.tells<string[]>(
      'issues',
      `${axe.source}
      const { violations } = await axe.run(document, { resultTypes: ['violations'] })
      tell({ issues: violations.filter(({ impact }) => ['serious', 'critical'].includes(impact)).map(({ id, help }) => id + ': ' + help) })`,
    )
    assert.deepEqual(issues, [])
    const { id } = await fixture.nextCall()
    shop.browser.order(`button('Hang up').click()`)
    assert.equal((await fixture.untilEnded(id)).at(-1)?.data['reason'], 'hangup')

    const written = await shop.tells<string>(
      'written',
      `(await until(() => button('Chat'))).click()
      const input = await until(() => inside('form:not([hidden]) input'))
      await until(() => inside('[role=log]').textContent.includes(${JSON.stringify(greeting)}))
      input.value = 'bread'
      inside('form').requestSubmit()
      await until(() => inside('[role=log]').querySelectorAll('p').length >= 3)
      tell({ written: inside('[role=log]').textContent })`,
    )
    assert.ok(written.includes('You: bread'), written)
    const alert = await shop.tells<string>(
      'alert',
      `button('End chat').click()
      tell({ alert: await until(() => inside('[role=alert]').textContent) })`,
    )
    assert.equal(alert, 'The conversation has ended.')
  },
)

test(
  'Firefox: the React component of docs/browser.md talks to an agent, mutes, and hangs up when it is taken away',
  { skip, timeout: 240_000 },
  async (t) => {
    const code = await bundledReactPage()
    const fixture = await startVoiceAgent(t, greeted)
    const shop = await FirefoxPage.open(t)
    const key = await keyFor(fixture, shop.browser.origin)
    const told = await shop.tells<string>(
      'said',
      `Object.assign(globalThis, ${JSON.stringify({ gateway: fixture.deployment.url, publishableKey: key })})
      await import(URL.createObjectURL(new Blob([${JSON.stringify(code)}], { type: 'text/javascript' })))
      globalThis.button = (name) => [...document.querySelectorAll('button')].find((each) => each.textContent === name)
      ;(await until(() => button('Talk to us'))).click()
      await until(() => document.body.textContent.includes(${JSON.stringify(`agent: ${greeting}`)}))
      button('Mute').click()
      await until(() => button('Mute').ariaPressed === 'true')
      tell({ said: document.querySelector('main').textContent })`,
    )
    assert.ok(told.includes(`agent: ${greeting}`))
    const { id } = await fixture.nextCall()
    const left = await shop.tells<string>(
      'left',
      `button('Remove').click()
      await until(() => document.body.textContent.includes('Nothing here'))
      tell({ left: document.querySelector('main').textContent })`,
    )
    assert.equal(left, 'Nothing here')
    const log = await fixture.untilEnded(id)
    assert.equal(log.at(-1)?.data['reason'], 'hangup')
    assert.ok(typesOf(log).includes('bot.speaking'))
  },
)
