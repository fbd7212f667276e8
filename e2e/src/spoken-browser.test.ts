import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Resampler } from '@switchroom/media/sound/resampler'
import { BrowserCaller } from '@switchroom/media/testing/webrtc-browser'
import { missing } from '@switchroom/tools/debian-packages'
import { joined, openDesk, silence, speech, textsOf, typesOf, type Entry } from './spoken-desk.ts'

const browserRate = 48_000
/** Louder than this, in dB, somebody speaks. */
const loud = -60

test(
  'a browser with a microphone calls an agent: it is greeted, heard and answered, presses keys that are nothing, and hangs up (N-467)',
  { skip: missing('chromium') },
  async (t) => {
    const desk = await openDesk(t, { settings: { greeting: { say: 'Hello! Say something.' } } })
    const { client } = await desk.org.serverToken('sandbox', { scopes: ['talk'] })
    const made = await client.post('/v1/tokens', { agent: 'hello', metadata: { page: 'e2e' } })
    assert.equal(made.status, 200, made.text)
    const { call, server_url, participant_token } = made.body
    assert.match(server_url, /\/v1\/rtc$/)

    const says = joined(silence(4), await speech('What is your name?'), silence(6))
    const microphone = new Resampler(8_000, browserRate).take(says)
    const browser = await BrowserCaller.call(microphone, async (sdp) => {
      const answer = await fetch(`${desk.deployment.url}/v1/rtc`, {
        method: 'POST',
        headers: { authorization: `Bearer ${participant_token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ sdp }),
      })
      const body = (await answer.json()) as { sdp: string; detail?: string }
      assert.equal(answer.status, 201, body.detail)
      return body.sdp
    })
    t.after(() => browser.stop())
    await browser.until(({ state }) => state === 'connected')
    browser.order('press 5#')
    await browser.until(({ level = -200 }) => level > loud)
    // the microphone's file begins anew when it is over: the first question may be half over by the answer
    const entries = await desk.untilLogged(call, 'it was heard and answered', (log) => {
      const asked = log.findIndex(
        ({ type, data }) => type === 'user.message' && /name/i.test(String(data['text'])),
      )
      const isAnswer = ({ type, data }: Entry) => type === 'agent.message' && data['source'] === 'model'
      return asked >= 0 && log.slice(asked).some(isAnswer)
    })
    assert.ok(!typesOf(entries).includes('call.dtmf_received'))
    assert.deepEqual(typesOf(entries).slice(0, 2), ['call.started', 'bot.speaking'])
    assert.equal(textsOf(entries, 'agent.message')[0], 'Hello! Say something.')
    browser.order('close')
    const ended = await desk.untilLogged(call, 'it has ended', (log) => log.at(-1)?.type === 'call.ended')
    assert.equal(ended.at(-1)?.data['reason'], 'hangup')
  },
)
