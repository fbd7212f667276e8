import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { after, before, test } from 'node:test'
import { changeRow, speakOverHttp } from '@switchroom/gateway/testing/providers/vendors'
import { until } from '@switchroom/gateway/testing/until'
import { refusedWith, startVoiceDeployment } from '../../testing/voice-deployment.ts'
import { VoiceWire } from '../../testing/voice-wire.ts'

const platformKey = 'platform-mark-0123456789'
const voice = await startVoiceDeployment({ SVC_PROVIDER_KEY_OPENAI: platformKey, SVC_SPEECH_TIMEOUT_S: '1' })
after(() => voice[Symbol.asyncDispose]())
const { deployment } = voice
const wire = await new VoiceWire().start()
after(() => wire.stop())
before(() => changeRow(deployment, (row) => speakOverHttp(row, wire.url)))

const wanted = { input: 'Hello there.', voice: 'openai/coral' }
const half = Buffer.alloc(24_000, 1)
const refuse =
  (status: number, message: string): VoiceWire['answer'] =>
  (response) =>
    void response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(JSON.stringify({ error: { message } }))

/** What a client of a new org has paid, once every grant is settled. */
async function payer() {
  const org = await deployment.newOrg()
  const had = await voice.creditsOf(org)
  const unsettled = async () =>
    (await deployment.sql('select id from voice_grants where settled_at is null')).rows.length
  return {
    caller: await voice.caller(org),
    paid: async () => {
      await until('all is settled', async () => (await unsettled()) === 0)
      return had - (await voice.creditsOf(org))
    },
  }
}

test('a vendor that fails before the first byte is 502 in its own words, without its secrets, and costs nothing (S-452, SD-66, SD-71)', async () => {
  const { caller, paid } = await payer()
  const table: [VoiceWire['answer'], string | RegExp][] = [
    [refuse(400, `no voice for ${platformKey}`), 'openai refused: no voice for ***'],
    [refuse(500, 'out of order'), 'openai did not answer: out of order'],
    [(response) => void response.destroy(), /^openai did not answer: /],
    [(response) => void response.end(), 'openai did not answer: it said nothing'],
  ]
  for (const [answer, sentence] of table)
    for (const timestamps of [false, true]) {
      wire.answer = answer
      refusedWith(await caller.speech({ ...wanted, timestamps }), 502, 'UPSTREAM_ERROR', sentence)
    }
  assert.equal(await paid(), 0)
  assert.ok(!voice.speech.log().includes(platformKey), 'no credential is in the log')
})

test('a voice that stays silent is 502 and never 504, and is cancelled (ST-098, SD-71)', async () => {
  const { caller, paid } = await payer()
  wire.answer = () => {}
  const begun = performance.now()
  const answer = await caller.speech(wanted)
  refusedWith(answer, 502, 'UPSTREAM_ERROR', 'openai did not answer: no answer in time')
  assert.ok(performance.now() - begun >= 1_000, 'not before its time')
  await until('the vendor is cancelled', () => wire.open === 0)
  assert.equal(await paid(), 0)
})

test('after the first byte a failure cuts the connection without the closing chunk, and costs nothing (SD-66, SD-71)', async () => {
  const breaks: VoiceWire['answer'][] = [
    async (response) => {
      response.write(half)
      await until('the caller hears it', () => hears)
      response.destroy()
    },
    (response) => void response.write(half), // and sends no more
  ]
  let hears = false
  for (const answer of breaks)
    for (const response_format of ['pcm', 'wav', 'mp3']) {
      const { caller, paid } = await payer()
      wire.answer = answer
      hears = false
      const response = await caller.speak({ ...wanted, response_format })
      assert.equal(response.status, 200)
      const reader = response.body?.getReader()
      assert.ok(((await reader?.read())?.value?.length ?? 0) > 0)
      hears = true
      await assert.rejects(async () => {
        while (!(await reader?.read())?.done);
      }, /terminated/)
      assert.equal(await paid(), 0)
    }
})

test('a caller that hangs up stops the vendor within a second and pays if they heard any of it (S-320, ST-095, SD-66, SD-71)', async () => {
  for (const timestamps of [false, true]) {
    const { caller, paid } = await payer()
    wire.answer = (response) => void response.write(half)
    const leaving = new AbortController()
    const response = await caller.speak({ ...wanted, timestamps }, { signal: leaving.signal })
    await response.body?.getReader().read()
    const cancelled = wire.cancelledAt.length
    const left = performance.now()
    leaving.abort()
    await until('the vendor is cancelled', () => wire.cancelledAt.length > cancelled)
    assert.ok((wire.cancelledAt.at(-1) ?? Infinity) - left < 1_000)
    assert.ok((await paid()) > 0)
  }
  const { caller, paid } = await payer()
  wire.answer = () => {}
  const leaving = new AbortController()
  const asked = wire.asked
  const answer = caller.speak(wanted, { signal: leaving.signal })
  await until('the vendor is asked', () => wire.asked > asked)
  leaving.abort()
  await assert.rejects(answer)
  await until('the vendor is cancelled', () => wire.open === 0)
  assert.equal(await paid(), 0)
})

test('a listener who takes their time holds the vendor back, and hears all of it', async () => {
  const wholeBytes = 40_000_000
  const piece = Buffer.alloc(100_000, 1)
  let writtenBytes = 0
  let heldSince: number | undefined
  wire.answer = async (response) => {
    for (; writtenBytes < wholeBytes; writtenBytes += piece.length) {
      if (response.write(piece)) continue
      heldSince = performance.now()
      await once(response, 'drain')
      heldSince = undefined
    }
    response.end()
  }
  const { caller } = await payer()
  const request = httpRequest(`${voice.url}/v1/audio/speech`, {
    method: 'POST',
    headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json' },
  })
  request.end(JSON.stringify({ ...wanted, input: 'x'.repeat(5_000), sample_rate: 24_000 }))
  const [answer] = (await once(request, 'response')) as [IncomingMessage]
  await until('the vendor is held back', () => performance.now() - (heldSince ?? Infinity) > 500)
  assert.ok(writtenBytes < wholeBytes / 2, `${writtenBytes} bytes were sent after the caller hung up`)
  let heardBytes = 0
  for await (const heard of answer) heardBytes += (heard as Buffer).length
  assert.equal(heardBytes, wholeBytes)
})

test('a vendor that does not stop talking is stopped (SD-71)', async () => {
  const { caller, paid } = await payer()
  wire.answer = (response) => {
    const talk = () => {
      while (!response.destroyed && response.write(half));
    }
    response.on('drain', talk)
    talk()
  }
  const response = await caller.speak(wanted)
  await assert.rejects(response.arrayBuffer(), /terminated/)
  await until('the vendor is cancelled', () => wire.open === 0)
  assert.equal(await paid(), 0)
})
