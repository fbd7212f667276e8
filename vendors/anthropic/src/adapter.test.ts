import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import type { VendorFailure } from '@switchroom/kit/failures'
import { vendorIn } from '@switchroom/kit/installed'
import { conformance } from '@switchroom/kit/testing/conformance'
import { modelConformance } from '@switchroom/kit/testing/model-conformance'
import {
  answers,
  asked,
  call,
  counted,
  onTheirWay,
  text,
  tools,
} from '@switchroom/kit/testing/order-conversation'
import { startWireFake } from '@switchroom/kit/testing/wire-fake'
import type { Thought } from '@switchroom/kit/vendor'
import { ended, lookedUp, said, started, streamError, streams, used, wire } from '../testing/wire.ts'

const folder = join(import.meta.dirname, '..')
const calls = [call('toolu_1', '{"order":42}'), call('toolu_2', '{"order":43}')]

conformance(folder, wire, [
  answers('answers', { messages: asked }, onTheirWay),
  answers('calls tools', { messages: asked, tools }, [text('One moment.'), counted, ...calls]),
  answers('goes on', { messages: lookedUp, tools }, onTheirWay),
  answers('goes on without tools', { messages: lookedUp }, onTheirWay),
])

modelConformance(folder, wire, streams)

/** What the adapter makes of a stream of these events. */
const heard = (...events: string[]) => heardOneByOne([events])

/** What the adapter makes of a vendor that answers the first request with the first events, and so on. */
async function heardOneByOne(streamed: string[][]): Promise<Thought[]> {
  const left = [...streamed]
  const fake = await startWireFake({
    ...wire,
    async http(_, answer) {
      const events = left.length > 1 ? (left.shift() ?? []) : (left[0] ?? [])
      answer.start({ 'content-type': 'text/event-stream' })
      for (const piece of events) await answer.piece(piece)
      answer.end()
    },
  })
  try {
    const choice = { options: { base_url: `${fake.url}/` }, credentials: { api_key: 'mark-of-api_key' } }
    const model = await vendorIn(folder)?.model(choice)
    return await Array.fromAsync(model?.think({ messages: asked }, AbortSignal.timeout(5_000)) ?? [])
  } finally {
    await fake.stop()
  }
}

const failed = (kind: VendorFailure['kind'], message: RegExp) => (error: VendorFailure) =>
  error.kind === kind && message.test(error.message)

test('an answer that ends without its end is no answer (SD-26)', async () => {
  await assert.rejects(heard(started, ...said(0, 'They')), failed('silent', /broke off/))
})

test('an error in the middle of a stream says whose fault it is (SD-26)', async () => {
  const error = (type: string) => heard(started, ...said(0, 'They'), streamError(type, 'sorry'))
  await assert.rejects(error('overloaded_error'), failed('silent', /^sorry$/))
  await assert.rejects(error('api_error'), failed('silent', /^sorry$/))
  await assert.rejects(error('rate_limit_error'), failed('refused', /^sorry$/))
  await assert.rejects(error('invalid_request_error'), failed('refused', /^sorry$/))
})

const overloaded = streamError('overloaded_error', 'Overloaded')
const answered = [started, ...said(0, 'They are on their way.'), ...ended('end_turn')]

test('a vendor that is overloaded before its first word is asked again', async () => {
  const thoughts = await heardOneByOne([[started, overloaded], answered])
  assert.deepEqual(thoughts, [text('They are on their way.'), counted])
})

test('a vendor that is overloaded after its first word is not asked again: it would repeat itself', async () => {
  const begun = [started, ...said(0, 'They'), overloaded]
  await assert.rejects(heardOneByOne([begun, answered]), failed('silent', /^Overloaded$/))
})

test('an answer that the model declines is a refusal in its words (SD-26)', async () => {
  const details = { stop_details: { type: 'refusal', category: 'cyber', explanation: 'not for me' } }
  await assert.rejects(heard(started, ...ended('refusal', details)), failed('refused', /^not for me$/))
})

test('a call without arguments is one with an empty object', async () => {
  const thoughts = await heard(started, ...used(0, 'toolu_1'), ...ended('tool_use'))
  assert.deepEqual(thoughts, [counted, call('toolu_1', '{}')])
})

test('a call that is cut off is no answer', async () => {
  const cut = heard(started, ...used(0, 'toolu_1', '{"order":'), ...ended('max_tokens'))
  await assert.rejects(cut, failed('silent', /cut in the middle of a call/))
})
