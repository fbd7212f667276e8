import assert from 'node:assert/strict'
import { after } from 'node:test'
import { startChatDeployment } from '@switchroom/gateway/testing/calls/chat-deployment'
import { cuttableLine } from '@switchroom/gateway/testing/cuttable-line'
import { done } from '@switchroom/gateway/testing/agents/test-agents'
import { until } from '@switchroom/gateway/testing/until'
import { openPage, test } from './browser.ts'

const house = await startChatDeployment()
after(() => house[Symbol.asyncDispose]())
const { deployment, org, model } = house
const { url, nobody, sql } = deployment
const { key, client } = await org.person('admin')

test('what somebody changed in the settings and the lexicon stays while a colleague saves another version, until they drop it', async () => {
  const { slug } = await house.newAgent()
  const theirs = client.in('sandbox')
  await using opened = await openPage({ url, key })
  const { page } = opened
  await page.goto(`/agents/${slug}/settings`)
  await page.getByLabel('Longest call in seconds').fill('60')
  const set = { config: { temperature: 0.7 }, if_version: 0 }
  done(await theirs.put(`/v1/agents/${slug}/settings`, set))
  await page.getByRole('button', { name: 'Save the change' }).click()
  await page.getByText('Yours is at version 1 meanwhile').waitFor()
  assert.equal(await page.getByLabel('Longest call in seconds').inputValue(), '60')
  await page.getByRole('button', { name: 'Drop my changes and take it up' }).click()
  await page.getByText('Yours is at version 1.').waitFor()
  assert.equal(await page.getByLabel('Temperature').inputValue(), '0.7')
  assert.equal(await page.getByLabel('Longest call in seconds').inputValue(), '')

  await page.getByRole('link', { name: 'Lexicon', exact: true }).click()
  await page.getByLabel('Words').fill('rye')
  const words = { lexicon: { said: [], heard: ['sourdough'] }, if_version: 0 }
  done(await theirs.put(`/v1/agents/${slug}/lexicon`, words))
  await page.getByRole('button', { name: 'Save the lexicon' }).click()
  await page.getByText('Yours is at version 1 meanwhile').waitFor()
  assert.equal(await page.getByLabel('Words').inputValue(), 'rye')
  await page.getByRole('button', { name: 'Drop my changes and take it up' }).click()
  await page.getByText('Yours is at version 1.').waitFor()
  assert.equal(await page.getByLabel('Words').inputValue(), 'sourdough')
  assert.deepEqual(opened.broken, [])
})

/** The browser asks whether the page may listen, and waits for the answer until `allow()` is called. */
const workerRequests = `{
  const devices = navigator.mediaDevices
  const listen = devices.getUserMedia.bind(devices)
  const allowed = new Promise((resolve) => (globalThis.allow = resolve))
  devices.getUserMedia = async (wanted) => {
    await allowed
    return (globalThis.heard = await listen(wanted))
  }
}`
const isSilent = `globalThis.heard?.getTracks().every(({ readyState }) => readyState === 'ended')`

test('whoever leaves while the browser still asks for the microphone is not listened to afterwards, and no call is opened', async () => {
  const { slug } = await house.newAgent()
  await using opened = await openPage({ url, key, permissions: ['microphone'] })
  const { page, context } = opened
  const asked: string[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/v1/tokens')) asked.push(request.url())
  })
  await context.addInitScript(workerRequests)
  await page.goto(`/agents/${slug}/voice`)
  await page.getByRole('button', { name: 'Start talking' }).click()
  await page.getByRole('button', { name: 'Hang up' }).click()
  await page.getByText('The call is over').waitFor()
  await page.getByRole('button', { name: 'Talk again' }).click()
  await page.getByText('Connecting').waitFor()
  await page.getByRole('link', { name: 'Settings', exact: true }).click()
  await page.getByLabel('Temperature').waitFor()
  await page.evaluate('allow()')
  await until('the microphone was opened and closed', () => page.evaluate<boolean>(isSilent))
  assert.deepEqual([asked, opened.broken], [[], []])
})

test('what is said while a chat has no connection is said when it has one again, once', async () => {
  model.reply = ({ messages }) => `You said ${String(messages.at(-1)?.content)}.`
  const { slug } = await house.newAgent()
  using line = await cuttableLine(url)
  await using opened = await openPage({ url: line.url, key })
  const { page } = opened
  await page.clock.install()
  await page.goto(`/agents/${slug}`)
  await page.getByRole('button', { name: 'Start a chat' }).click()
  const said = page.getByRole('log', { name: 'What was said' })
  await page.getByLabel('Message').fill('one')
  await page.getByLabel('Message').press('Enter')
  await said.getByText('You said one.').waitFor()
  await page.clock.pauseAt(Date.now() + 60_000) // nothing connects again until time goes on
  line.cut()
  await page.getByLabel('Message').fill('two')
  await page.getByLabel('Message').press('Enter')
  await page.clock.resume()
  await said.getByText('You said two.').waitFor()
  assert.equal(await said.getByText('You said two.').count(), 1)
  assert.deepEqual(opened.broken, [])
})

test('a chat that could not be opened says why, also where the gateway cannot be asked', async () => {
  await using opened = await openPage({ url, key })
  const { page } = opened
  await page.goto('/agents/nobody-holds-it')
  await page.getByRole('button', { name: 'Start a chat' }).click()
  await page.getByText('Nobody holds nobody-holds-it here: start the app that holds it').waitFor()
  await page.route('**/v1/agents', (route) => route.abort())
  await page.getByRole('button', { name: 'Start a chat' }).click()
  await page.getByRole('alert').getByText('The gateway cannot be reached: check your connection').waitFor()
  assert.deepEqual(opened.broken, [])
})

test('a search that found nothing is over when every call is shown, and a space in it is no end of it', async () => {
  const agent = await house.newAgent()
  const chat = await agent.chat()
  await using opened = await openPage({ url, key })
  const { page } = opened
  await page.clock.install()
  await page.goto('/calls')
  await page.getByLabel('Search').pressSequentially('no such ')
  await page.getByText('No call is like this').waitFor()
  await page.getByLabel('Search').pressSequentially('words')
  await page.waitForURL(/q=no\+such\+words/)
  await page.getByRole('link', { name: 'show every call' }).click()
  const list = page.getByRole('region', { name: 'Calls, newest first' })
  await list.getByRole('link', { name: agent.slug }).first().waitFor()
  assert.equal(await page.getByLabel('Search').inputValue(), '')
  const again = page.waitForResponse(/\/v1\/sessions\?/)
  await page.clock.fastForward(15_000)
  await again // by itself, and still for every call
  assert.equal(new URL(page.url()).search, '')
  chat.send({ type: 'end' })
  assert.deepEqual(opened.broken, [])
})

test('more calls than a page holds come at once, and none is missing between them and those that were read', async () => {
  const crowded = await deployment.newOrg()
  const { key: theirs } = await crowded.person('qa')
  await sql(`insert into agents (org, slug, created_at) values ($1, 'desk', now())`, [crowded.id])
  const insert = (from: number, to: number) =>
    sql(
      `insert into calls (id, org, agent, env, holder, channel, opened_at, settings, canary, state, ended_at)
       select 'call_gap_' || n, $1, 'desk', 'sandbox', '', 'chat', now() + n * interval '1 second', '[]', false,
         'ended', now()
       from generate_series($2::int, $3::int) n`,
      [crowded.id, from, to],
    )
  await insert(1, 120)
  await using opened = await openPage({ url, key: theirs })
  const { page } = opened
  await page.clock.install()
  await page.goto('/calls')
  await page.getByText('100 calls so far').waitFor()
  await insert(121, 370)
  await page.clock.fastForward(15_000)
  await page.getByText('100 calls so far').waitFor()
  await page.evaluate(
    `globalThis.scrolling = setInterval(() => {
      const list = document.querySelector('.virtual-list')
      list.scrollTop = list.scrollHeight
    }, 10)`,
  )
  await page.clock.runFor(3000)
  await page.getByText('370 calls', { exact: true }).waitFor()
  assert.deepEqual(opened.broken, [])
})

test('a server token that somebody signed in with lives on when they sign out', async () => {
  const token = await org.serverToken('sandbox')
  await using opened = await openPage({ url })
  const { page } = opened
  await page.goto('/')
  await page.getByText('Sign in with a key').click()
  await page.getByLabel('Key').fill(token.key)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  assert.equal((await token.client.get('/v1/whoami')).status, 200)
})

test('whoever signs out is out at once, although the gateway does not answer', async () => {
  const admin = await org.person('qa')
  await using opened = await openPage({ url, key: admin.key })
  const { page } = opened
  await page.goto('/agents')
  await page.route('**/revoke', () => {}) // never answered
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  assert.deepEqual(opened.broken, [])
})

test('a double click on what cannot be taken back asks, and does not answer the question', async () => {
  const { email } = await org.person('qa')
  await using opened = await openPage({ url, key })
  const { page } = opened
  await page.goto('/team')
  await page.getByRole('row', { name: email }).getByRole('button', { name: 'Change' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Remove' }).dblclick()
  const sure = dialog.getByRole('button', { name: 'Yes, remove' })
  await sure.waitFor()
  await dialog.getByLabel('Agents').focus()
  await dialog.getByRole('button', { name: 'Remove', exact: true }).click()
  await sure.click()
  await page.getByRole('row', { name: email }).waitFor({ state: 'detached' })
  assert.deepEqual(opened.broken, [])
})

test('a part that cannot be loaded says so, leaves the rest standing, and is there when it can', async () => {
  await using opened = await openPage({ url, key })
  const { page } = opened
  await page.route('**/assets/team-screen*', (route) => route.abort())
  await page.goto('/agents')
  await page.getByRole('link', { name: 'Team', exact: true }).click()
  await page.getByRole('alert').getByText('This page could not be shown: load it again.').waitFor()
  await page.getByRole('link', { name: 'Keys', exact: true }).click()
  await page.getByRole('heading', { name: 'Keys', level: 1 }).waitFor()
  await page.goBack()
  await page.getByRole('alert').waitFor()
  await page.unroute('**/assets/team-screen*')
  await page.getByRole('button', { name: 'Load it again' }).click()
  await page.getByRole('heading', { name: 'Team', level: 1 }).waitFor()
})

test('whoever opens the console while the gateway cannot be reached tries again, and is still signed in', async () => {
  await using opened = await openPage({ url, key })
  const { page } = opened
  await page.route('**/v1/ops/whoami', (route) => route.abort())
  await page.clock.install()
  await page.goto('/agents')
  await page.clock.runFor(10_000) // it tries by itself before it says so
  await page.getByRole('alert').getByText('The gateway cannot be reached').waitFor()
  await page.unroute('**/v1/ops/whoami')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor()
  assert.equal((await nobody.as(key).get('/v1/whoami')).status, 200)
  assert.deepEqual(opened.broken, [])
})
