import assert from 'node:assert/strict'
import { test } from 'node:test'
import { missing } from '@switchroom/tools/debian-packages'
import axe from 'axe-core'
import { buildEmbed } from './foreign-page.ts'
import { keyFor, OrderedPage } from './ordered-page.ts'
import { bundledReactPage } from './react-page.ts'
import { startVoiceAgent, typesOf } from './spoken-fixture.ts'

const greeting = 'Hello, this is the shop.'
const greeted = { settings: { greeting: { say: greeting } } }
const skip = missing('firefox-esr')

test(
  'Firefox: a visitor talks and writes to an agent in <switchroom-call>, which axe finds accessible, and sees why it ended',
  { skip, timeout: 240_000 },
  async (t) => {
    await buildEmbed()
    const fixture = await startVoiceAgent(t, greeted)
    const shop = await OrderedPage.open(t, 'firefox')
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
    const shop = await OrderedPage.open(t, 'firefox')
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
