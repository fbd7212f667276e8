import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { after, test } from 'node:test'
import type { Message, Thought } from '@switchroom/kit/vendor'
import { model, patient } from '../testing/speech.ts'

const asked: Message[] = [{ role: 'user', text: 'Hello' }]
const stops: (() => void)[] = []
after(() => {
  for (const stop of stops) stop()
})

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  stops.push(() => {
    server.closeAllConnections()
    server.close()
  })
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}

/** A server that has these models and says which one was asked. */
const servingModels =
  (...names: string[]): RequestListener =>
  (request, response) => {
    if (request.url === '/v1/models')
      response.end(JSON.stringify({ object: 'list', data: names.map((id) => ({ id, object: 'model' })) }))
    else void sayModel(request, response)
  }

async function sayModel(request: IncomingMessage, response: ServerResponse) {
  const { model: named } = (await json(request)) as { model: string }
  const chunk = { choices: [{ delta: { content: `I am ${named}.` }, finish_reason: 'stop' }] }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`)
}

async function answer(keywords: Record<string, unknown>): Promise<string> {
  const thoughts: Thought[] = await Array.fromAsync(model(keywords).think({ messages: asked }, patient()))
  return thoughts.map((thought) => (thought.type === 'text' ? thought.text : '')).join('')
}

const noServer = 'http://127.0.0.1:9/v1' // a port without a server

test('auto is the first model of the server of this machine that makes words', async () => {
  const base_url = await serve(servingModels('nomic-embed-text', 'llama', 'other'))
  assert.equal(await answer({ model: 'auto', base_url }), 'I am llama.')
})

test('auto is the demonstration model if no server answers, answers nonsense, has no model or hangs', async () => {
  const nowhere = [
    noServer,
    await serve((_request, response) => response.end('<html>')),
    await serve(servingModels()),
    await serve(() => {}),
  ]
  for (const base_url of nowhere) {
    const startedAt = performance.now()
    assert.match(await answer({ base_url }), /^I am Switchroom's demonstration model, not a language model/)
    assert.ok(performance.now() - startedAt < 5_000, base_url)
  }
})

test('a server is asked for its models once in a while, not every time', async () => {
  let times = 0
  const models = servingModels('llama')
  const base_url = await serve((request, response) => {
    if (request.url === '/v1/models') times += 1
    models(request, response)
  })
  for (let turn = 0; turn < 3; turn += 1) assert.equal(await answer({ base_url }), 'I am llama.')
  assert.equal(times, 1)
})

test('a named model is one of the server, and refused with a sentence if no server answers', async () => {
  const base_url = await serve(servingModels('llama'))
  assert.equal(await answer({ model: 'other', base_url }), 'I am other.')
  await assert.rejects(answer({ model: 'other', base_url: noServer }), {
    kind: 'refused',
    message: `no model server answers at ${noServer}: start one, or choose the model auto`,
  })
})

test('demonstration is the demonstration model whatever answers', async () => {
  const base_url = await serve(servingModels('llama'))
  assert.match(await answer({ model: 'demonstration', base_url }), /demonstration model/)
})
