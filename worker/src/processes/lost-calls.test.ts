import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { SipTest } from '@switchroom/media/testing/sip-call'
import { never, trunkTo } from '@switchroom/media/testing/sip-peer'
import { pino } from 'pino'
import { tellLostCaller } from './lost-calls.ts'
import { Sentences } from '../sentences.ts'

const run = new SipTest()
afterEach(() => run.stop())

/** A caller's phone, and the worker's end of the call. */
async function standing() {
  const { server, calls } = await run.answering()
  const near = await run.server()
  const phone = await near.server.invite('+34911222333', trunkTo(server.port), '+15550100100', never)
  const dialog = await calls[0]
  assert.ok(dialog)
  return { phone, caller: { dialog, terms: dialog.terms } }
}

test('a caller whose process broke hears so in their language, and then the worker hangs up', async (context) => {
  const { phone, caller } = await standing()
  const sentences = new Sentences(pino({ level: 'silent' }))
  const said: unknown[] = []
  context.mock.method(sentences, 'play', async (...words: unknown[]) => {
    said.push(...words, await Promise.race([phone.ended, Promise.resolve('on the line')]))
  })
  await tellLostCaller(sentences, { call: 'call_1', language: 'es', callsBack: true, caller })
  assert.deepEqual(said, ['lost', 'es', true, caller.terms, 'on the line'])
  assert.deepEqual(await Promise.all([phone.ended, caller.dialog.ended]), ['hangup', 'hangup'])
})

test('a caller who cannot hear the sentence is hung up on all the same, and a browser is left to notice', async (context) => {
  const { phone, caller } = await standing()
  const sentences = new Sentences(pino({ level: 'silent' }))
  context.mock.method(sentences, 'play', () => Promise.reject(new Error('no sound')))
  const lost = { call: 'call_1', language: undefined, callsBack: false }
  await assert.rejects(tellLostCaller(sentences, { ...lost, caller }), { message: 'no sound' })
  assert.equal(await phone.ended, 'hangup')
  await tellLostCaller(sentences, { ...lost, caller: undefined })
})
