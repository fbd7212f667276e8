import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startChatDeployment } from '@switchroom/gateway/testing/calls/chat-deployment'
import { cuttableLine } from '@switchroom/gateway/testing/cuttable-line'
import { Machine } from '../../testing/terminal.ts'

const chats = await startChatDeployment()
after(() => chats[Symbol.asyncDispose]())
const { deployment, key, model } = chats
const machine = new Machine({ SVC_GATEWAY_URL: deployment.url, SVC_KEY: key })
after(() => machine[Symbol.dispose]())

test('a chat in a terminal shows what the agent says above the line that is typed, and Ctrl-D ends the call', async () => {
  model.reply = ({ messages }) => `You said ${messages.at(-1)?.content}\u001b[2J.`
  const { slug } = await chats.newAgent()
  const terminal = machine.open(['chat', slug])
  const [, call = ''] = await terminal.shows(/Chatting with agent-\w+ in (call_\w+)\. Press Ctrl-D to end\./)
  terminal.type('good morning\r')
  await terminal.shows(`${slug}: You said good morning [2J.`)
  terminal.type('\u0004')
  assert.equal((await terminal.ended()).status, 0)
  const [session] = (await machine.json(['calls', '--agent', slug])).sessions
  assert.deepEqual([session.call, session.state], [call, 'ended'])
})

test('what is piped into a chat is said line by line, each when the one before was answered', async () => {
  model.reply = ({ messages }) => `You said ${messages.at(-1)?.content}.`
  const { slug } = await chats.newAgent({ declares: { greeting: { say: 'Hello.' } } })
  const { status, stdout } = await machine.run(['chat', slug], 'one\ntwo\n')
  assert.equal(status, 0)
  assert.deepEqual(stdout.trimEnd().split('\n'), [
    `${slug}: Hello.`,
    `${slug}: You said one.`,
    `${slug}: You said two.`,
  ])
  const lines = (await machine.run(['chat', slug, '--json'], 'three\n')).stdout.trimEnd().split('\n')
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).text),
    ['Hello.', 'You said three.'],
  )
})

test('a chat with an offline agent is refused with the sentence of the gateway, and without a gateway is 4', async () => {
  const refused = await machine.run(['chat', 'offline-agent'], 'hello\n')
  assert.equal(refused.status, 1)
  assert.match(refused.stderr, /^svc: .*offline-agent/)
  const bad = await machine.run(['chat', 'desk'], 'hello\n', { SVC_KEY: 'svc_live_no' })
  assert.deepEqual([bad.status, bad.stderr], [3, 'svc: this key opens nothing: run svc login\n'])
  const gone = await machine.run(['chat', 'desk'], 'hello\n', { SVC_GATEWAY_URL: 'http://127.0.0.1:1' })
  assert.equal(gone.status, 4)
})

test('Ctrl-C leaves a chat with 130, and its call has ended', async () => {
  const { slug } = await chats.newAgent()
  const terminal = machine.open(['chat', slug])
  await terminal.shows('Press Ctrl-D to end.')
  terminal.type('\u0003')
  assert.equal((await terminal.ended()).status, 130)
  const [session] = (await machine.json(['calls', '--agent', slug])).sessions
  assert.equal(session.state, 'ended')
})

test('a tail follows a call to its end, over a line that breaks, and shows every entry once', async () => {
  model.reply = ({ messages }) => `You said ${messages.at(-1)?.content}.`
  using line = await cuttableLine(deployment.url)
  const { chat } = await chats.newAgent()
  const client = await chat()
  const terminal = machine.open(['tail', client.call], { SVC_GATEWAY_URL: line.url })
  client.say('one')
  await terminal.shows('You said one.')
  line.cut()
  await terminal.shows('(no connection: ')
  client.say('two')
  await terminal.shows('(reconnected)')
  await terminal.shows('You said two.')
  client.send({ type: 'end' })
  const { status, text } = await terminal.ended()
  assert.equal(status, 0, text)
  const types = ['user.message one', 'user.message two', 'agent.message You said one.', 'call.ended hangup']
  for (const words of types) assert.equal(text.split(words).length - 1, 1, `${words} in ${text}`)

  const { stdout } = await machine.run(['tail', client.call, '--json'])
  const seqs = stdout
    .trimEnd()
    .split('\n')
    .map((each) => JSON.parse(each).seq as number)
  assert.deepEqual(
    seqs,
    seqs.map((_, at) => at + 1),
  )
  const later = await machine.run(['tail', client.call, '--json', '--after', String(seqs.length - 1)])
  assert.equal(later.stdout.trimEnd().split('\n').length, 1)
  const shown = await machine.run(['calls', 'show', client.call])
  assert.match(shown.stdout, /contact: one\nagent: You said one\.\n/)
})

test('without a call a tail shows what happens in the org now, until Ctrl-C', async () => {
  const { chat, slug } = await chats.newAgent()
  const client = await chat()
  const terminal = machine.open(['tail'])
  const other = machine.open(['tail', '--agent', slug, '--json'])
  // The relay has no past: it is asked again until both terminals listen, and have heard of Ctrl-C.
  let count = 0
  const saying = setInterval(() => client.say(`word ${(count += 1)}`), 200)
  const shown = [
    terminal.shows(new RegExp(`${client.call} user\\.message word \\d`)),
    other.shows(/"type":"agent\.held"/),
  ]
  await Promise.all(shown).finally(() => clearInterval(saying))
  for (const each of [terminal, other]) {
    each.type('\u0003')
    assert.equal((await each.ended()).status, 130)
  }
  assert.equal((await machine.run(['tail', 'call_nowhere'])).status, 1)
})

test('a call is taken over, spoken in, given back and ended', async () => {
  const { chat } = await chats.newAgent()
  const client = await chat()
  assert.equal((await machine.run(['calls', 'takeover', client.call])).stdout, `${client.call} is held.\n`)
  assert.equal((await machine.run(['calls', 'say', client.call, 'A person speaks.'])).status, 0)
  assert.equal((await client.next('message')).text, 'A person speaks.')
  assert.equal((await machine.run(['calls', 'release', client.call])).stdout, `${client.call} is open.\n`)
  assert.equal((await machine.json(['calls', 'end', client.call])).verb, 'end')
  const ended = await machine.run(['calls', 'whisper', client.call, 'too late'])
  assert.equal(ended.status, 1)
})
