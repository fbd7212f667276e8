import assert from 'node:assert/strict'
import { after } from 'node:test'
import { agentLog } from '@switchroom/gateway/calls/log/entries'
import { startChatDeployment } from '@switchroom/gateway/testing/calls/chat-deployment'
import { screenSentence } from '@switchroom/console/api/screen-sentences'
import { SpokenAgent } from '@switchroom/gateway/testing/calls/spoken-calls'
import { done } from '@switchroom/gateway/testing/agents/test-agents'
import { until } from '@switchroom/gateway/testing/until'
import type { Page } from 'playwright-core'
import { assertUsable, openPage, picture, test } from './browser.ts'
import { assertGood } from './good-pages.ts'

const chats = await startChatDeployment()
after(() => chats[Symbol.asyncDispose]())
const { deployment, org, model } = chats
const { url, sql } = deployment
const { key } = await org.person('admin')

const menu = {
  name: 'menu',
  description: 'What there is today',
  parameters: { type: 'object', properties: {} },
}

test('a live call appears without a reload, is followed turn by turn, taken over, spoken in, returned and ended', async () => {
  await using opened = await openPage({ url, key })
  const { page } = opened
  await page.goto('/calls/live')
  await page.getByText('No live calls').waitFor()

  const agent = await chats.newAgent({ tools: [menu] })
  const chat = await agent.chat()
  await page.getByRole('list', { name: 'Live calls' }).getByRole('link', { name: agent.slug }).click()
  await page.getByRole('heading', { name: 'Chat', level: 1 }).waitFor()

  model.reply = ({ messages }) =>
    messages.at(-1)?.role === 'tool' ? 'Yes, rye.' : { calls: [{ id: 'tool_1', name: 'menu' }] }
  chat.say('Is there bread?')
  const { data } = await agent.app.nextOf('llm.toolCall')
  agent.app.send({
    type: 'tool.result',
    agent: agent.slug,
    call: chat.call,
    id: data.toolCalls[0].id,
    ok: true,
    result: ['rye'],
  })
  const said = page.getByRole('list', { name: 'Conversation' })
  await said.getByText('Is there bread?').waitFor()
  await said.getByText('Yes, rye.').waitFor()
  await page.getByRole('heading', { name: 'Is there bread?', level: 1 }).waitFor()
  await said.getByText('menu').click()
  await said.getByText('["rye"]').waitFor()
  await said.getByText(/^Latency /).click()
  await said.getByText('gpt-4.1-mini').first().waitFor()
  await picture(page, 'call-live')

  await page.getByRole('button', { name: 'Take over' }).click()
  await said.getByText('You took over the call').waitFor()
  assert.equal(await page.getByRole('button', { name: 'Whisper' }).isDisabled(), true)
  await page.getByLabel('Message').fill('A person is here now.')
  await page.getByRole('button', { name: 'Say', exact: true }).click()
  await until('the words come', () => wordsOf(chat.frames).includes('A person is here now.'))
  await said.getByText('A person is here now.').waitFor()

  await page.getByRole('button', { name: 'Return to agent' }).click()
  await said.getByText('You returned the call to the agent').waitFor()
  await page.getByLabel('Message').fill('Offer the oat loaf.')
  await page.getByRole('button', { name: 'Whisper' }).click()
  await said.getByText('You whispered to the agent: Offer the oat loaf.').waitFor()
  assert.ok(!wordsOf(chat.frames).includes('Offer the oat loaf.'))

  await page.getByRole('button', { name: 'End call' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'End call' }).click()
  await said.getByText('Ended: hung up, by A admin').waitFor()
  await chat.next('ended')
  await page.getByRole('heading', { name: 'Supervise' }).waitFor({ state: 'detached' })
  assert.deepEqual(opened.broken, [])
})

const wordsOf = (frames: readonly { type: string; text?: string }[]) =>
  frames.filter(({ type }) => type === 'message').map(({ text }) => text)

test('a call that another member took over shows who, its end is shown at once without another request, and an unknown call shows the gateway’s refusal', async () => {
  const { chat } = await chats.newAgent()
  const { call } = await chat()
  const other = await org.person('supervisor')
  done(await other.client.in('sandbox').post(`/v1/calls/${call}/verbs`, { verb: 'takeover' }))
  await using opened = await openPage({ url, key })
  const { page } = opened
  const asked: string[] = []
  page.on('request', (request) => {
    if (request.url().endsWith(`/v1/calls/${call}/events`)) asked.push(request.url())
  })
  await page.clock.install()
  await page.goto(`/calls/${call}`)
  await page.getByText('A supervisor took over this call').waitFor()
  done(await other.client.in('sandbox').post(`/v1/calls/${call}/verbs`, { verb: 'end' }))
  await page.getByText('Ended', { exact: true }).first().waitFor()
  await page.clock.fastForward(10_000)
  await page.getByRole('link', { name: 'All calls' }).click()
  await page.getByRole('region', { name: 'Calls, newest first' }).waitFor()
  assert.equal(asked.length, 1, 'an ended call is not requested again')
  await page.goto('/calls/call_unknown')
  await page.getByRole('alert').getByText('there is no call call_unknown').waitFor()
  assert.deepEqual(opened.broken, [])
})

test('a spoken call shows the latency of each stage of each answer', async () => {
  const spoken = new SpokenAgent(deployment, org, 'phone-agent')
  await spoken.route()
  await spoken.holdingApp()
  const call = await spoken.open()
  const timings = {
    stage: 'turn',
    messageId: 'm2',
    transcript_ms: 210,
    turn_end_ms: 510,
    first_token_ms: 1150,
    first_audio_ms: 1330,
    heard_ms: 1400,
  }
  const entries = [
    { type: 'user.message', data: { text: 'When do you open?', messageId: 'm1' } },
    { type: 'bot.interrupted', data: { messageId: 'm2', playedMs: 400, reason: 'speech' } },
    { type: 'agent.message', data: { text: 'At eight.', messageId: 'm2', source: 'model' } },
    { type: 'metrics', data: timings },
    { type: 'error', data: { code: 'llm_timeout', detail: 'the model did not answer' } },
  ]
  done(await spoken.append(call, entries, 1))
  const ready = async (page: Page) => {
    const said = page.getByRole('list', { name: 'Conversation' })
    await said.getByText('Interrupted').waitFor()
    await said.getByText(/^Latency /).click()
    for (const step of [
      'Speech-to-text 210 ms',
      'Turn detection 300 ms',
      'Model 640 ms',
      'Text-to-speech 180 ms',
      'Network 70 ms',
    ])
      await said.getByText(step).waitFor()
    await said.getByText('Model too late').waitFor()
  }
  await assertGood({ url, key }, { path: `/calls/${call}`, name: 'call', ready })
})

test('a phone call shows how its line is, and says when it was bad or on hold', async () => {
  const spoken = new SpokenAgent(deployment, org, 'line-agent')
  await spoken.route()
  await spoken.holdingApp()
  const call = await spoken.open()
  const heard = { packets: 500, loss_percent: 12.5, jitter_ms: 30, mos: 2.94 }
  const line = { stage: 'line', codec: 'PCMA', whole: false, round_trip_ms: 84, heard, sent: null }
  const entries = [
    { type: 'call.line_warning', data: { way: 'heard', ...heard, round_trip_ms: 84 } },
    { type: 'call.on_hold', data: {} },
    { type: 'call.off_hold', data: { after_s: 12 } },
    { type: 'metrics', data: line },
    { type: 'session.timeout', data: { reason: 'idle_timeout', held_s: 900 } },
  ]
  done(await spoken.append(call, entries, 1))
  await using opened = await openPage({ url, key })
  const { page } = opened
  await page.goto(`/calls/${call}`)
  for (const text of ['84 ms', '12.5 % lost, jitter 30 ms', 'PCMA', 'Not reported'])
    await page.getByText(text, { exact: true }).waitFor()
  const said = page.getByRole('list', { name: 'Conversation' })
  for (const text of [
    'Bad phone line from the caller: MOS 2.94, 12.5 % lost',
    'The other side put the call on hold',
    'Off hold after 12 s',
    'On hold for 900 s: the call ends',
  ])
    await said.getByText(text).waitFor()
  assert.deepEqual(opened.broken, [])
})

test('a contact is erased from a call after a confirmation, and nothing that they said is left', async () => {
  const spoken = new SpokenAgent(deployment, org, 'erased-contact-agent')
  await spoken.route()
  await spoken.holdingApp()
  const call = await spoken.open()
  done(
    await spoken.append(call, [{ type: 'user.message', data: { text: 'My secret.', messageId: 'm1' } }], 1),
  )
  await using opened = await openPage({ url, key })
  const { page } = opened
  await page.goto(`/calls/${call}`)
  await page.getByRole('list', { name: 'Conversation' }).getByText('My secret.').waitFor()
  await page.getByRole('button', { name: 'Erase contact' }).click()
  const dialog = page.getByRole('dialog')
  await assertUsable(page)
  await picture(page, 'erase')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'hidden' })
  await page.getByRole('button', { name: 'Erase contact' }).click()
  await dialog.getByRole('button', { name: 'Erase permanently' }).click()
  await page.getByRole('heading', { name: 'Calls', level: 1 }).waitFor()
  await page.goto(`/calls/${call}`)
  await page.getByRole('heading', { name: 'Phone call' }).waitFor()
  assert.equal(await page.getByText('My secret.').count(), 0)
  assert.equal(await page.getByRole('button', { name: 'Erase contact' }).count(), 0)
  assert.deepEqual(opened.broken, [])
})

test('Call back dials a requested callback, after it shows the result that the dial would get (N-380, ND-99)', async () => {
  const agent = await chats.newAgent()
  const wanted = {
    number: '+34600111222',
    when: 'tomorrow',
    note: 'about the order',
    channel: 'chat',
    via: 'agent',
  }
  const chat = await agent.chat()
  agent.app.send({ type: 'call.callback', agent: agent.slug, call: chat.call, ...wanted })
  const { client } = await org.person('admin')
  await until('it is listed', async () => {
    const { callbacks } = done(await client.in('sandbox').get(`/v1/callbacks?agent=${agent.slug}`))
    return callbacks.length > 0
  })
  await using opened = await openPage({ url, key })
  const { page } = opened
  await page.goto(`/calls/callbacks?agent=${agent.slug}`)
  await page.getByRole('button', { name: 'Call back +34600111222' }).click()
  const dialog = page.getByRole('dialog', { name: 'Call back' })
  await dialog.getByText(`This call would be refused.`).waitFor()
  const explained = done(
    await client.in('sandbox').get(`/v1/agents/${agent.slug}/dial/explain?to=%2B34600111222`),
  )
  await dialog.getByRole('status').getByText(screenSentence(explained.detail)).waitFor()
  await dialog.getByRole('button', { name: 'Call anyway' }).click()
  await dialog.getByRole('alert').getByText(screenSentence(explained.detail)).waitFor()
  const [row] = done(await client.get('/v1/org/dials')).dials
  assert.deepEqual([row.to, row.outcome, row.agent], ['+34600111222', 'refused', agent.slug])
  await assertUsable(page)
  await picture(page, 'call-back')
  assert.deepEqual(opened.broken, [])
  await assertGood(
    { url, key },
    {
      path: '/calls/callbacks',
      name: 'callbacks',
      ready: (at) => at.getByText('tomorrow: about the order').first().waitFor(),
    },
  )
})

test('a new callback appears at the end of the loaded pages without a reload', async () => {
  const { log } = deployment.gateway.services
  const crowded = await deployment.newOrg()
  const { key: theirs } = await crowded.person('qa')
  await sql(`insert into agents (org, slug, created_at) values ($1, 'crowded-agent', now())`, [crowded.id])
  const ask = (...notes: string[]) =>
    log.append(
      agentLog({ org: crowded.id, env: 'sandbox', agent: 'crowded-agent' }),
      notes.map((note) => ({
        type: 'callback.requested',
        data: { number: '+34600111222', when: '', note, call: 'call_1', channel: 'chat', via: 'agent' },
      })),
    )
  await ask(...Array.from({ length: 101 }, (_, at) => `note ${at}`))
  await using opened = await openPage({ url, key: theirs })
  const { page } = opened
  await page.clock.install()
  await page.goto('/calls/callbacks')
  await page.getByRole('button', { name: 'Show more' }).click()
  await page.getByText('note 100').waitFor()
  await ask('the newest')
  await page.clock.fastForward(30_000)
  await page.getByText('the newest').waitFor()
  assert.deepEqual(opened.broken, [])
})

test('a list of ten thousand calls scrolls to its end, and is filtered by text, state and channel', async () => {
  const crowded = await deployment.newOrg()
  const { key: theirs } = await crowded.person('qa')
  await sql(`insert into agents (org, slug, created_at) values ($1, 'crowded-agent', now())`, [crowded.id])
  await sql(
    `insert into calls (id, org, agent, env, holder, channel, opened_at, settings, canary, caller, called, state, ended_at)
     select 'call_many_' || n, $1, 'crowded-agent', 'sandbox', '', 'phone', now() - n * interval '1 second', '[]', false,
       '+346' || lpad(n::text, 8, '0'), '+34911000000', 'ended', now()
     from generate_series(10000, 1, -1) n`,
    [crowded.id],
  )
  await using opened = await openPage({ url, key: theirs })
  const { page } = opened
  await page.goto('/calls')
  const list = page.getByRole('region', { name: 'Calls, newest first' })
  await list.getByText('+34600000001').waitFor()
  // As the End key does, held down.
  await page.evaluate(
    `globalThis.scrolling = setInterval(() => {
      const list = document.querySelector('.virtual-list')
      list.scrollTop = list.scrollHeight
    }, 10)`,
  )
  await page.getByText('10000 calls', { exact: true }).waitFor({ timeout: 60_000 })
  await list.getByText('+34600010000').waitFor()
  await page.evaluate('clearInterval(globalThis.scrolling)')
  assert.ok((await list.getByRole('listitem').count()) < 60, 'only visible rows are on the page')

  await page.getByLabel('Search').fill('+34600009999')
  await page.getByText('1 call', { exact: true }).waitFor()
  await list.getByText('+34600009999').waitFor()
  await page.getByLabel('State').selectOption('Live')
  await page.getByText('No matching calls').waitFor()
  assert.match(page.url(), /state=open/)
  assert.deepEqual(opened.broken, [])
})

test('the screens of calls fit a phone and a wide screen, and are accessible', async () => {
  const list = { name: 'Calls, newest first' }
  await assertGood(
    { url, key },
    {
      path: '/calls',
      name: 'calls',
      ready: (page) => page.getByRole('region', list).getByRole('link').first().waitFor(),
    },
    {
      path: '/calls/live',
      name: 'calls-live',
      ready: (page) => page.getByRole('list', { name: 'Live calls' }).waitFor(),
    },
  )
  const { key: newcomer } = await (await deployment.newOrg()).person('admin')
  await using empty = await openPage({ url, key: newcomer, width: 360 })
  await empty.page.goto('/calls')
  await empty.page.getByText('No calls yet').waitFor()
  await assertUsable(empty.page)
  await picture(empty.page, 'calls-empty')
})
