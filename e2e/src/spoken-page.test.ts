import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resampled } from '@switchroom/audio/resampler'
import type { Line } from '@switchroom/browser/transcript'
import { until } from '@switchroom/launcher/testing/waiting'
import { missing } from '@switchroom/tools/debian-packages'
import { ForeignPage } from './foreign-page.ts'
import { joined, silence, speech, startVoiceAgent, typesOf, type VoiceDeployment } from './spoken-fixture.ts'

const greeting = 'Hello, this is the shop. What can I do for you today?'
const greeted = { settings: { greeting: { say: greeting } } }

const microphone = (says: Int16Array, silentSeconds: number) =>
  resampled(joined(silence(0.5), says, silence(silentSeconds)), 8_000, 48_000)

async function newToken({ org }: VoiceDeployment) {
  const { client } = await org.serverToken('sandbox', { scopes: ['talk'] })
  const made = await client.post('/v1/tokens', { agent: 'hello' })
  assert.equal(made.status, 200, made.text)
  return { call: made.body.call as string, token: made.body.participant_token as string }
}

async function newKey({ org }: VoiceDeployment, origin: string): Promise<string> {
  const { client } = await org.person('developer')
  const wanted = { label: 'shop', agent: 'hello', env: 'sandbox', origins: [origin] }
  const made = await client.post('/v1/publishable-keys', wanted)
  assert.equal(made.status, 201, made.text)
  return made.body.key as string
}

/** The worker's log, in JSON lines, says why a call ended. */
const whyEnded = (fixture: VoiceDeployment, call: string) =>
  until('the worker says why', () => {
    const lines = fixture.worker.said.split('\n').filter((line) => line.includes('a call is over'))
    return lines.map((line) => JSON.parse(line)).find((line) => line.call === call)?.why as string | undefined
  })

test(
  'Chromium: a page of another origin calls an agent, follows the transcript and the agent’s state, mutes, presses keys, survives a change of network and hangs up',
  { skip: missing('chromium') },
  async (t) => {
    const fixture = await startVoiceAgent(t, greeted)
    const { call, token } = await newToken(fixture)
    const asks = microphone(await speech('What is your name?'), 6)
    const page = await ForeignPage.open(t, fixture, async () => ({ token }), {
      microphone: asks,
      program: 'chromium',
    })
    assert.equal(await page.until('started'), call)
    await page.until('state', (state) => state === 'connected')
    const isSaid = ({ who, text, isFinal }: Line) => who === 'agent' && isFinal && text === greeting
    await page.until('transcript', isSaid)
    assert.ok(page.all<Line>('transcript').some(({ who, isFinal }) => who === 'agent' && !isFinal))
    await page.until('transcript', ({ who, isFinal }: Line) => who === 'user' && isFinal)
    for (const state of ['thinking', 'speaking', 'listening'])
      await page.until('agent', (told) => told === state)

    page.order(`const stop = call.on('levels', (levels) => levels.microphone > 0.01 && tell({ levels }))
      call.on('ended', stop)`)
    await page.until('levels')
    page.order(`call.mute(); tell({ muted: [call.isMuted, call.levels.microphone] }); call.mute(false)`)
    assert.deepEqual(await page.until('muted'), [true, 0])
    page.order(`const { microphones } = await devices()
      await call.setMicrophone(microphones.at(-1).deviceId)
      tell({ microphones: microphones.length })`)
    assert.ok((await page.until<number>('microphones')) > 0)
    page.order(
      `await call.press('5#'); await call.press('x').catch(({ message }) => tell({ refused: message }))`,
    )
    assert.equal(await page.until('refused'), 'Tones are 0 to 9, A to D, * and # (got "x").')

    const since = page.reports
    page.order(`dispatchEvent(new Event('online'))`)
    await page.until('state', (state) => state === 'reconnecting', since)
    await page.until('state', (state) => state === 'connected', since)
    await page.until('transcript', ({ who, isFinal }: Line) => who === 'user' && isFinal, page.reports)

    page.order('call.hangUp()')
    assert.deepEqual(await page.until('ended'), { reason: 'hangup' })
    const log = await fixture.untilEnded(call)
    assert.equal(log.at(-1)?.data['reason'], 'hangup')
    assert.ok(typesOf(log).includes('reconnect.requested'))
    assert.ok(!typesOf(log).includes('call.dtmf_received'))
    assert.match(await whyEnded(fixture, call), /^the (?:page hung up|browser closed its connection)$/)
  },
)

test(
  'Firefox: a page of another origin calls an agent with a publishable key for this origin, follows the transcript, and hangs up when its tab goes elsewhere',
  { skip: missing('firefox-esr'), timeout: 180_000 },
  async (t) => {
    const fixture = await startVoiceAgent(t, greeted)
    const page = await ForeignPage.open(
      t,
      fixture,
      async (origin) => ({ key: await newKey(fixture, origin), page: { path: '/' } }),
      { microphone: new Int16Array(0), program: 'firefox' },
    )
    const call = await page.until<string>('started')
    await page.until('state', (state) => state === 'connected')
    await page.until(
      'transcript',
      ({ who, text, isFinal }: Line) => who === 'agent' && isFinal && text !== '',
    )
    await page.until('agent', (state) => state === 'speaking')
    const { metadata } = await fixture.nextCall()
    assert.deepEqual([metadata['origin'], metadata['page']], [page.browser.origin, { path: '/' }])
    page.order(`location.href = 'about:blank'`)
    assert.equal((await fixture.untilEnded(call)).at(-1)?.data['reason'], 'hangup')
    assert.match(await whyEnded(fixture, call), /^the (?:page hung up|browser closed its connection)$/)
  },
)

test(
  'a browser that is killed without a goodbye ends its call as hangup, and the worker’s log says why',
  { skip: missing('chromium') },
  async (t) => {
    const fixture = await startVoiceAgent(t, greeted)
    const { call, token } = await newToken(fixture)
    const page = await ForeignPage.open(t, fixture, async () => ({ token }), {
      microphone: microphone(silence(0), 120),
      program: 'chromium',
    })
    await page.until('agent', (state) => state === 'speaking')
    page.browser.kill()
    assert.equal((await fixture.untilEnded(call)).at(-1)?.data['reason'], 'hangup')
    assert.match(
      await whyEnded(fixture, call),
      /^the browser is gone, (it sent nothing for \d+\.\d s|its connection failed): its tab/,
    )
  },
)

test(
  'the agent that ends the call tells the page why, and a second page with the same token is refused in a sentence',
  { skip: missing('chromium') },
  async (t) => {
    const fixture = await startVoiceAgent(t, greeted)
    const { call, token } = await newToken(fixture)
    const sound = { microphone: microphone(silence(0), 120), program: 'chromium' } as const
    const page = await ForeignPage.open(t, fixture, async () => ({ token }), sound)
    await page.until('state', (state) => state === 'connected')
    const second = await ForeignPage.open(t, fixture, async () => ({ token }), sound)
    await second.browser.until(({ page: told }) => told?.['failed'] !== undefined)
    assert.deepEqual(second.all('failed'), ['only the browser that is in the call can reconnect to it'])
    const driven = await fixture.nextCall()
    driven.end()
    assert.deepEqual(await page.until('ended'), { reason: 'hangup' })
    assert.equal((await fixture.untilEnded(call)).at(-1)?.data['reason'], 'hangup')
  },
)
