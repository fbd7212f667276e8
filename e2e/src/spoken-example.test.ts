import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { text as allOf } from 'node:stream/consumers'
import { after, test, type TestContext } from 'node:test'
import { openChat } from '@switchroom/sdk'
import { until } from '@switchroom/launcher/testing/waiting'
import { root } from './launch.ts'
import { Carrier } from './spoken-carrier.ts'
import { startVoiceDeployment, textsOf } from './spoken-fixture.ts'
import { runExample } from './spoken-example.ts'
import { ask, isOf, recordings } from './spoken-journey.ts'
import { Phone } from './spoken-phone.ts'

const greeting = 'Hello.'
const fixture = await startVoiceDeployment({ after })
const carrier = await Carrier.open({ after }, fixture)
const recorded = await recordings()

/** Calls the example agent and asks for a person; answers in which turn it takes that up. */
async function askForPerson(t: TestContext) {
  const before = (await fixture.calls()).length
  const phone = await Phone.call(t, 'hello', fixture.worker.sipPort)
  const call = await until('the call is opened', async () => (await fixture.calls())[before], 60_000)
  await fixture.untilLogged(call, 'it has greeted', (log) => log.some(({ type }) => type === 'bot.finished'))
  const turn = await ask({ fixture, call, say: (sentence) => phone.say(recorded[sentence]) }, 'person')
  return { phone, call, turn }
}

test('the example agent says in a chat that only calls are put through', async (t) => {
  await runExample(t, fixture, { greeting, person: '+34610000081' })
  const { deployment, key } = fixture
  const chat = openChat({ url: deployment.url, key, agent: 'hello' })
  t.after(() => chat.end())
  const said: string[] = []
  chat.on('message', ({ text }) => void said.push(text))
  await chat.started
  await chat.send('I want to speak to a person.')
  const sentence = 'Only callers can be transferred, and this is a text conversation.'
  await until('it answers', () => said.some((text) => text.endsWith(sentence)))
})

test('lines that are given to the chat of a terminal are answered one after the other before it ends', async (t) => {
  await runExample(t, fixture, { greeting })
  const env = { ...process.env, SVC_URL: fixture.deployment.url, SVC_KEY: fixture.key }
  const chat = spawn(process.execPath, ['examples/hello/chat.ts'], { cwd: root, env })
  chat.stdin.end('What time is it?\n\nI want to speak to a person.\n')
  const lines = (await allOf(chat.stdout)).trim().split('\n')
  assert.equal(lines.length, 3, lines.join('\n'))
  assert.equal(lines[0], `hello: ${greeting}`)
  assert.match(lines[1] ?? '', / \d{4} at \d\d:\d\d\.$/)
  assert.match(lines[2] ?? '', /Only callers can be transferred/)
})

test('the example agent says which setting names the person that callers are put through to, if it is not set', async (t) => {
  await runExample(t, fixture, { greeting })
  const { phone, call, turn } = await askForPerson(t)
  const log = await fixture.untilLogged(call, 'it has answered', (entries) =>
    entries.some(isOf('agent.message', turn)),
  )
  const sentence = 'No person to transfer to: set HELLO_PERSON to their number.'
  const [said = ''] = textsOf(log.filter(isOf('agent.message', turn)), 'agent.message')
  assert.ok(said.endsWith(sentence), said)
  await phone.hangUp()
  await fixture.untilEnded(call)
})

test('a caller of the example agent whose transfer is not answered hears so, and stays with the agent', async (t) => {
  const person = await carrier.reach('+34610000082')
  await runExample(t, fixture, { greeting, person })
  const { phone, call } = await askForPerson(t)
  const invite = await carrier.nextRing()
  invite.reject(486, 'Busy Here')
  const log = await fixture.untilLogged(call, 'the agent says that there was no answer', (entries) =>
    textsOf(entries, 'agent.message').includes('I am sorry, there was no answer.'),
  )
  const told = log.find(({ type }) => type === 'call.transferred')
  const why = 'busy (486 Busy Here)'
  assert.deepEqual(told?.data, { to: person, kind: 'warm', ok: false, why })
  await phone.hangUp()
  await fixture.untilEnded(call)
})
