import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { vendorIn } from '@switchroom/kit/installed'
import { startWireFake, type HttpAnswer, type Mode, type Seen } from '@switchroom/kit/testing/wire-fake'
import { never, plain, Talk, toolNamed } from '../testing/talk.ts'
import { runTurn } from './turn.ts'

const chunk = (choice: object, more: object = {}) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, finish_reason: null, ...choice }], ...more })}\n\n`
const usage = { prompt_tokens: 21, completion_tokens: 4 }
const callPiece = {
  index: 0,
  id: 'call_0',
  type: 'function',
  function: { name: 'look_up', arguments: '{"order":42}' },
}

/** Asks for the tool first, always under the same id, and then says what the tool returned. */
async function answerAsModel({ body }: Seen, answer: HttpAnswer) {
  const { messages } = JSON.parse(body.toString()) as { messages: { role: string; content: string }[] }
  const last = messages.at(-1)
  answer.start({ 'content-type': 'text/event-stream' })
  const delta = last?.role === 'tool' ? { content: `It is ${last.content}.` } : { tool_calls: [callPiece] }
  await answer.piece(chunk({ delta }))
  await answer.piece(chunk({ delta: {}, finish_reason: 'stop' }, { usage }))
  await answer.piece('data: [DONE]\n\n')
  answer.end()
}

/** A wire of its own: a request that a deadline cut off may arrive long after. */
async function installedModel(t: TestContext, mode: Mode = 'answer') {
  const wire = await startWireFake({
    refusal: (words) => ({ error: { message: words } }),
    http: answerAsModel,
  })
  t.after(() => wire.stop())
  wire.mode = mode
  const vendor = vendorIn(join(import.meta.dirname, '../../vendors/openai'))
  const choice = { model: 'gpt-4.1-mini', credentials: { api_key: 'a key' }, options: { base_url: wire.url } }
  const model = await vendor?.model(choice)
  assert.ok(model)
  const think = model.think.bind(model)
  return { wire, run: { vendor: 'openai', model: 'gpt-4.1-mini', key: 'lent', think } as const }
}

const patient = { ...plain, tools: [toolNamed('look_up')], llmTimeoutMs: 60_000 }

test('turns run on an installed vendor over its real wire, tools and all, whatever ids it gives them', async (t) => {
  const { run } = await installedModel(t)
  const talk = new Talk(run)
  talk.instructions = patient
  talk.answerTool = () => 'on its way'
  for (let turn = 0; turn < 2; turn += 1) await runTurn(talk.hears('Where is order 42?').parts(), never)
  assert.deepEqual(talk.said, ['It is on its way.', 'It is on its way.'])
  const ids = talk.toolsAsked.flatMap(({ calls }) => calls.map(({ id }) => id))
  assert.equal(ids[0], 'call_0')
  assert.equal(new Set(ids).size, 2)
  assert.deepEqual(
    talk.of('metrics').map(({ input_tokens, output_tokens }) => [input_tokens, output_tokens]),
    Array.from({ length: 4 }, () => [21, 4]),
  )
})

test('a connection that hangs is dropped at the deadline, and one that refuses is not asked twice (S-079)', async (t) => {
  const hanging = await installedModel(t, 'hang')
  const talk = new Talk(hanging.run).hears('Hello')
  talk.instructions = { ...plain, llmTimeoutMs: 200 }
  await runTurn(talk.parts(), never)
  assert.equal(talk.of('error')[0]?.['code'], 'llm_timeout')
  while (hanging.wire.open > 0) await new Promise(setImmediate)
  const { wire, run } = await installedModel(t, 'refuse')
  talk.models = [run]
  talk.instructions = patient
  await runTurn(talk.hears('Hello?').parts(), never)
  const detail = 'openai: the fake says no'
  assert.deepEqual(talk.of('error')[1], { code: 'llm_failed', detail, vendor: 'openai' })
  assert.equal(wire.seen.length, 1)
})

test('a single rate limit is waited out within the turn, and the caller hears an answer and no apology', async (t) => {
  const { wire, run } = await installedModel(t, 'busy')
  const talk = new Talk(run)
  talk.instructions = patient
  talk.answerTool = () => 'on its way'
  await runTurn(talk.hears('Where is order 42?').parts(), never)
  assert.deepEqual([talk.said, talk.of('error')], [['It is on its way.'], []])
  assert.equal(wire.seen.length, 3) // refused, asked again, and asked with what the tool returned
})
