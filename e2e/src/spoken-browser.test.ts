import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resampled } from '@switchroom/audio/resampler'
import { BrowserCaller } from '@switchroom/media/testing/webrtc-browser'
import { missing } from '@switchroom/tools/debian-packages'
import { Carrier } from './spoken-carrier.ts'
import {
  joined,
  startVoiceAgent,
  startVoiceDeployment,
  silence,
  speech,
  typesOf,
  type Entry,
  type VoiceDeployment,
} from './spoken-fixture.ts'
import { runExample } from './spoken-example.ts'
import { firstCaller, recordings, toneHz, travel } from './spoken-journey.ts'

const greeting = 'Hello! Ask me for the time.'
/** Louder than this, in dB, counts as speech. */
const loud = -60
const nearHz = 30

/** The microphone's file begins anew when it is over: what is to be said once is followed by much silence. */
const microphone = (says: Int16Array, silentSeconds = 120) =>
  resampled(joined(silence(0.5), says, silence(silentSeconds)), 8_000, 48_000)

/** A page of the org's own calls the agent. */
async function callFromBrowser({ deployment, org }: VoiceDeployment, microphoneSound: Int16Array) {
  const { client } = await org.serverToken('sandbox', { scopes: ['talk'] })
  const made = await client.post('/v1/tokens', { agent: 'hello', metadata: { page: 'e2e' } })
  assert.equal(made.status, 200, made.text)
  const { call, server_url, participant_token } = made.body
  assert.match(server_url, /\/v1\/rtc$/)
  const browser = await BrowserCaller.call(microphoneSound, async (sdp) => {
    const answer = await fetch(`${deployment.url}/v1/rtc`, {
      method: 'POST',
      headers: { authorization: `Bearer ${participant_token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ sdp }),
    })
    const body = (await answer.json()) as { sdp: string; detail?: string }
    assert.equal(answer.status, 201, body.detail)
    return body.sdp
  })
  return { browser, call: call as string }
}

test(
  'a browser with a microphone calls the example agent: it is greeted, heard, answered, presses keys that have no effect, interrupts, is put through to a person and hangs up, and the log has all of it (N-467, N-504)',
  { skip: missing('chromium') },
  async (t) => {
    const fixture = await startVoiceDeployment(t)
    const carrier = await Carrier.open(t, fixture)
    const person = await carrier.reach('+34610000071')
    await runExample(t, fixture, { greeting, person })
    const recorded = await recordings()
    const first = await firstCaller(t, fixture, recorded)
    const { browser, call } = await callFromBrowser(fixture, microphone(silence(0)))
    t.after(() => browser.stop())
    await browser.until(({ state }) => state === 'connected')
    await first.hangUp()
    browser.order('press 5#')
    await browser.until(({ level = -200 }) => level > loud)
    await travel({
      fixture,
      carrier,
      call,
      person,
      greeting,
      say: (sentence) => browser.speak(microphone(recorded[sentence])),
      untilToneHeard: () =>
        browser.until(
          ({ hz = 0, level = -200 }) => level > loud && Math.abs(hz - toneHz) < nearHz,
          browser.told.length,
        ),
      hangUp: async () => browser.order('close'),
    })
    const entries = await fixture.entriesOf(call)
    assert.ok(!typesOf(entries).includes('call.dtmf_received'))
    const line = entries.findLast(({ type, data }) => type === 'metrics' && data['stage'] === 'line')
    assert.deepEqual([line?.data['codec'], line?.data['whole']], ['opus', true])
  },
)

test(
  'a browser is not sent on cold, for no carrier dials for it: the log says so in a sentence, and the caller stays with the agent',
  { skip: missing('chromium') },
  async (t) => {
    const fixture = await startVoiceAgent(t)
    const carrier = await Carrier.open(t, fixture)
    const to = await carrier.reach('+34610000072')
    const asksAgainAndAgain = microphone(await speech('What is your name?'), 10)
    const { browser, call } = await callFromBrowser(fixture, asksAgainAndAgain)
    t.after(() => browser.stop())
    const driven = await fixture.nextCall()
    void driven.transfer(to, { kind: 'cold' })
    const isAnswer = ({ type, data }: Entry) => type === 'agent.message' && data['source'] === 'model'
    const log = await fixture.untilLogged(call, 'the outcome and an answer are logged', (entries) => {
      const told = typesOf(entries).indexOf('call.transferred')
      return told >= 0 && entries.slice(told).some(isAnswer)
    })
    const why = 'a call from a browser cannot be sent on to a number'
    assert.deepEqual(
      log.filter(({ type }) => type.includes('transfer')).map(({ type, data }) => [type, data]),
      [
        ['transfer.requested', { to, kind: 'cold' }],
        ['call.transferred', { to, kind: 'cold', ok: false, why }],
      ],
    )
    assert.equal(carrier.rang.length, 0)
    browser.order('close')
    await fixture.untilEnded(call)
  },
)

test(
  'a browser that restarts ICE in the middle of its call, with the token of the call, is heard and answered as before',
  { skip: missing('chromium') },
  async (t) => {
    const fixture = await startVoiceAgent(t)
    const asksAgainAndAgain = microphone(await speech('What is your name?'), 5)
    const { browser, call } = await callFromBrowser(fixture, asksAgainAndAgain)
    t.after(() => browser.stop())
    const isAnswer = ({ type, data }: Entry) => type === 'agent.message' && data['source'] === 'model'
    await fixture.untilLogged(call, 'a first answer', (entries) => entries.some(isAnswer))
    browser.order('restart')
    await browser.until(({ state }) => state === 'restarted')
    await fixture.untilLogged(call, 'an answer after it', (entries) => {
      const asked = typesOf(entries).indexOf('reconnect.requested')
      const heard = entries.findIndex(({ type }, at) => at > asked && type === 'user.message')
      return asked >= 0 && heard >= 0 && entries.slice(heard).some(isAnswer)
    })
    browser.order('leave')
    assert.equal((await fixture.untilEnded(call)).at(-1)?.data['reason'], 'hangup')
  },
)
