import assert from 'node:assert/strict'
import { after } from 'node:test'
import { startChatDeployment } from '@switchroom/gateway/testing/calls/chat-deployment'
import { cuttableLine } from '@switchroom/gateway/testing/cuttable-line'
import { done } from '@switchroom/gateway/testing/agents/test-agents'
import { until } from '@switchroom/gateway/testing/until'
import { openPage, test } from './browser.ts'

const chats = await startChatDeployment()
after(() => chats[Symbol.asyncDispose]())
const { deployment, org, model } = chats
const { url, anonymous, sql } = deployment
const { key, client } = await org.person('admin')

test('unsaved changes of settings and lexicon stay while another member saves a version, until they are discarded', async () => {
  const { slug } = await chats.newAgent()
  const theirs = client.in('sandbox')
  await using opened = await openPage({ url, key })
  const { page } = opened
  await page.goto(`/agents/${slug}/settings`)
  await page.getByLabel('Maximum call duration (seconds)').fill('60')
  const set = { config: { temperature: 0.7 }, if_version: 0 }
  done(await theirs.put(`/v1/agents/${slug}/settings`, set))
  await page.getByRole('button', { name: 'Save change' }).click()
  await page.getByText('My draft: version 1 was saved in the meantime').waitFor()
  assert.equal(await page.getByLabel('Maximum call duration (seconds)').inputValue(), '60')
  await page.getByRole('button', { name: 'Discard my changes' }).click()
  await page.getByText('My draft: version 1.').waitFor()
  assert.equal(await page.getByLabel('Temperature').inputValue(), '0.7')
  assert.equal(await page.getByLabel('Maximum call duration (seconds)').inputValue(), '')

  await page.getByRole('link', { name: 'Lexicon', exact: true }).click()
  await page.getByLabel('Words').fill('rye')
  const words = { lexicon: { said: [], heard: ['sourdough'] }, if_version: 0 }
  done(await theirs.put(`/v1/agents/${slug}/lexicon`, words))
  await page.getByRole('button', { name: 'Save lexicon' }).click()
  await page.getByText('My draft: version 1 was saved in the meantime').waitFor()
  assert.equal(await page.getByLabel('Words').inputValue(), 'rye')
  await page.getByRole('button', { name: 'Discard my changes' }).click()
  await page.getByText('My draft: version 1.').waitFor()
  assert.equal(await page.getByLabel('Words').inputValue(), 'sourdough')
  assert.deepEqual(opened.broken, [])
})

/** The browser asks for the microphone, and waits until `allow()` is called. */
const asking = `{
  const devices = navigator.mediaDevices
  const listen = devices.getUserMedia.bind(devices)
  const allowed = new Promise((resolve) => (globalThis.allow = resolve))
  devices.getUserMedia = async (wanted) => {
    await allowed
    return (globalThis.heard = await listen(wanted))
  }
}`
const isSilent = `globalThis.heard?.getTracks().every(({ readyState }) => readyState === 'ended')`

test('leaving while the browser asks for the microphone closes the microphone, and no call is opened', async () => {
  const { slug } = await chats.newAgent()
  await using opened = await openPage({ url, key, permissions: ['microphone'] })
  const { page, context } = opened
  const asked: string[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/v1/tokens')) asked.push(request.url())
  })
  await context.addInitScript(asking)
  await page.goto(`/agents/${slug}/voice`)
  await page.getByRole('button', { name: 'Start talking' }).click()
  await page.getByRole('button', { name: 'Hang up' }).click()
  await page.getByText('Call ended').waitFor()
  await page.getByRole('button', { name: 'Talk again' }).click()
  await page.getByText('Connecting').waitFor()
  await page.getByRole('link', { name: 'Settings', exact: true }).click()
  await page.getByLabel('Temperature').waitFor()
  await page.evaluate('allow()')
  await until('the microphone was opened and closed', () => page.evaluate<boolean>(isSilent))
  assert.deepEqual([asked, opened.broken], [[], []])
})

test('a message written while a chat has no connection is sent once after it reconnects', async () => {
  model.reply = ({ messages }) => `You said ${String(messages.at(-1)?.content)}.`
  const { slug } = await chats.newAgent()
  using line = await cuttableLine(url)
  await using opened = await openPage({ url: line.url, key })
  const { page } = opened
  await page.clock.install()
  await page.goto(`/agents/${slug}`)
  await page.getByRole('button', { name: 'Start chat' }).click()
  const said = page.getByRole('log', { name: 'Transcript' })
  await page.getByLabel('Message').fill('one')
  await page.getByLabel('Message').press('Enter')
  await said.getByText('You said one.').waitFor()
  await page.clock.pauseAt(Date.now() + 60_000) // nothing reconnects while time is paused
  line.cut()
  await page.getByLabel('Message').fill('two')
  await page.getByLabel('Message').press('Enter')
  await page.clock.resume()
  await said.getByText('You said two.').waitFor()
  assert.equal(await said.getByText('You said two.').count(), 1)
  assert.deepEqual(opened.broken, [])
})

test('a chat that could not be opened shows why, also if the gateway cannot be reached', async () => {
  await using opened = await openPage({ url, key })
  const { page } = opened
  await page.goto('/agents/offline-agent')
  await page.getByRole('button', { name: 'Start chat' }).click()
  await page.getByText('offline-agent is offline: no app is connected. Start its app').waitFor()
  await page.route('**/v1/agents', (route) => route.abort())
  await page.getByRole('button', { name: 'Start chat' }).click()
  await page.getByRole('alert').getByText('The gateway cannot be reached. Check your connection').waitFor()
  assert.deepEqual(opened.broken, [])
})

test('"show all calls" clears a search that found nothing, and a search text may contain spaces', async () => {
  const agent = await chats.newAgent()
  const chat = await agent.chat()
  await using opened = await openPage({ url, key })
  const { page } = opened
  await page.clock.install()
  await page.goto('/calls')
  await page.getByLabel('Search').pressSequentially('no such ')
  await page.getByText('No matching calls').waitFor()
  await page.getByLabel('Search').pressSequentially('words')
  await page.waitForURL(/q=no\+such\+words/)
  await page.getByRole('link', { name: 'show all calls' }).click()
  const list = page.getByRole('region', { name: 'Calls, newest first' })
  await list.getByRole('link', { name: agent.slug }).first().waitFor()
  assert.equal(await page.getByLabel('Search').inputValue(), '')
  const again = page.waitForResponse(/\/v1\/sessions\?/)
  await page.clock.fastForward(15_000)
  await again // automatically, and still for all calls
  assert.equal(new URL(page.url()).search, '')
  chat.send({ type: 'end' })
  assert.deepEqual(opened.broken, [])
})

test('more new calls than a page holds leave no gap in the list', async () => {
  const crowded = await deployment.newOrg()
  const { key: theirs } = await crowded.person('qa')
  await sql(`insert into agents (org, slug, created_at) values ($1, 'crowded-agent', now())`, [crowded.id])
  const insert = (from: number, to: number) =>
    sql(
      `insert into calls (id, org, agent, env, holder, channel, opened_at, settings, canary, state, ended_at)
       select 'call_gap_' || n, $1, 'crowded-agent', 'sandbox', '', 'chat', now() + n * interval '1 second', '[]', false,
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

test('sign-out does not revoke a server token', async () => {
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

test('sign-out takes effect at once, although the gateway does not answer', async () => {
  const admin = await org.person('qa')
  await using opened = await openPage({ url, key: admin.key })
  const { page } = opened
  await page.goto('/agents')
  await page.route('**/revoke', () => {}) // never answered
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  assert.deepEqual(opened.broken, [])
})

test('a double click on an irreversible action asks for confirmation and does not confirm it', async () => {
  const { email } = await org.person('qa')
  await using opened = await openPage({ url, key })
  const { page } = opened
  await page.goto('/team')
  await page.getByRole('row', { name: email }).getByRole('button', { name: 'Edit' }).click()
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

test('a page that cannot be loaded shows an error, leaves the rest working, and loads when it can', async () => {
  await using opened = await openPage({ url, key })
  const { page } = opened
  await page.route('**/assets/team-screen*', (route) => route.abort())
  await page.goto('/agents')
  await page.getByRole('link', { name: 'Team', exact: true }).click()
  await page.getByRole('alert').getByText('This page could not be shown. Reload it.').waitFor()
  await page.getByRole('link', { name: 'Keys', exact: true }).click()
  await page.getByRole('heading', { name: 'Keys', level: 1 }).waitFor()
  await page.goBack()
  await page.getByRole('alert').waitFor()
  await page.unroute('**/assets/team-screen*')
  await page.getByRole('button', { name: 'Reload' }).click()
  await page.getByRole('heading', { name: 'Team', level: 1 }).waitFor()
})

test('the console opened while the gateway cannot be reached offers a retry and keeps the session', async () => {
  await using opened = await openPage({ url, key })
  const { page } = opened
  await page.route('**/v1/ops/whoami', (route) => route.abort())
  await page.clock.install()
  await page.goto('/agents')
  await page.clock.runFor(10_000) // it retries before it shows the error
  await page.getByRole('alert').getByText('The gateway cannot be reached').waitFor()
  await page.unroute('**/v1/ops/whoami')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor()
  assert.equal((await anonymous.as(key).get('/v1/whoami')).status, 200)
  assert.deepEqual(opened.broken, [])
})
