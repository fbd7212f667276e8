import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { AppClient } from '@switchroom/gateway/testing/agents/app-client'
import { ChatClient } from '@switchroom/gateway/testing/calls/chat-client'
import { startChatDeployment } from '@switchroom/gateway/testing/calls/chat-deployment'
import { until } from '@switchroom/gateway/testing/until'
import { root } from '@switchroom/tools/test-files'

const page = readFileSync(join(root, 'docs/protocol.md'), 'utf8')
const example = page.split('```')[1] ?? ''
const lines = example.split('\n').filter((line) => /^[<>] /.test(line))

const chats = await startChatDeployment()
after(() => chats[Symbol.asyncDispose]())
const { deployment, key, model } = chats

/** A frame of the page; what it leaves out with an ellipsis is left out. */
const frameIn = (line: string) =>
  JSON.parse(line.slice(2).replaceAll(/, … ?/g, '').replaceAll('{…}', '{}')) as Record<string, unknown>

test('the conversation on the page of the protocol goes as it is written, frame by frame', async () => {
  assert.equal(lines.length, 9)
  model.reply = ({ messages }) =>
    messages.at(-1)?.role === 'tool'
      ? 'Rye bread and croissants.'
      : { calls: [{ id: 'tool_1', name: 'menu', arguments: {} }] }
  const app = await AppClient.connect(deployment.url, key)
  let call = ''
  let chat: ChatClient | undefined
  for (const line of lines) {
    const written = frameIn(line)
    if (line.startsWith('>')) {
      app.send({ ...written, ...('call' in written && { call }) })
      continue
    }
    if (written['type'] === 'chat.started')
      chat = await ChatClient.connect(deployment.url, key, { agent: 'desk' })
    if (written['type'] === 'user.message')
      chat?.send({ type: 'message', text: 'What do you have?', id: 'm1' })
    if (written['type'] === 'call.ended') chat?.send({ type: 'end' })
    const came = await until(`${String(written['type'])} comes`, () =>
      app.frames.find(({ type }) => type === written['type']),
    )
    if (written['type'] === 'chat.started') call = came.call
    assert.deepEqual(Object.keys(came).toSorted(), Object.keys(written).toSorted(), line)
    const { text, toolCalls, reason, source } = (written['data'] ?? {}) as Record<string, unknown>
    if (text !== undefined) assert.equal(came.data.text, text)
    if (toolCalls !== undefined) assert.deepEqual(came.data.toolCalls, toolCalls)
    if (reason !== undefined) assert.equal(came.data.reason, reason)
    if (source !== undefined) assert.equal(came.data.source, source)
  }
  await app.close()
})
