import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import type { VendorFailure } from '@switchroom/kit/failures'
import { vendorIn } from '@switchroom/kit/installed'
import { conformance } from '@switchroom/kit/testing/conformance'
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
import { lookedUp, ended, event, said, started, used, wire } from '../testing/wire.ts'

const folder = join(import.meta.dirname, '..')
const calls = [call('toolu_1', '{"order":42}'), call('toolu_2', '{"order":43}')]

conformance(folder, wire, [
  answers('answers', { messages: asked }, onTheirWay),
  answers('calls tools', { messages: asked, tools }, [text('One moment.'), counted, ...calls]),
  answers('goes on', { messages: lookedUp, tools }, onTheirWay),
  answers('goes on without tools', { messages: lookedUp }, onTheirWay),
])

/** What the adapter makes of a stream of these events. */
async function heard(...events: string[]): Promise<Thought[]> {
  const fake = await startWireFake({
    ...wire,
    async http(_, answer) {
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
  const error = (type: string) => heard(started, event({ type: 'error', error: { type, message: 'sorry' } }))
  await assert.rejects(error('overloaded_error'), failed('silent', /^sorry$/))
  await assert.rejects(error('rate_limit_error'), failed('refused', /^sorry$/))
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
  await assert.rejects(cut, failed('silent', /not JSON/))
})
