import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { done } from '@switchroom/gateway/testing/agents/test-agents'
import { afterwards, temporaryFolder } from '@switchroom/launcher/testing/folders'
import { until } from '@switchroom/launcher/testing/waiting'
import { SipRefused } from '@switchroom/media/sip/server'
import { offerOf, SipPeer } from '@switchroom/media/testing/sip-peer'
import { Agent, PhoneLine, type Call } from '@switchroom/sdk'
import { startVoiceAgent, speech, typesOf } from './spoken-fixture.ts'
import { Phone, type PhoneOptions } from './spoken-phone.ts'

const fixture = await startVoiceAgent(
  { after },
  { settings: { greeting: { say: 'Hello.' } } },
  {
    gateway: { SVC_DOMAIN: 'voice.example', SVC_RECORDINGS: temporaryFolder({ after }) },
    worker: { SVC_SIP_LOCAL_ORG: '' },
  },
)
const { deployment, worker } = fixture
const { operator } = deployment

/** A SIP peer of an org at an address of this machine, which the org could not name, and its number. */
async function bringPeer(org: typeof fixture.org, username: string, address: string, number: string) {
  const { client } = await org.person('admin')
  const pair = { username, password: `word of ${username}` }
  const stand = `8.8.8.${address.split('.').at(-1)}`
  done(await client.put('/v1/carrier', { ...pair, addresses: [stand] }))
  await deployment.sql('update networks set network = $1 where network = $2', [address, stand])
  await deployment.sql('update carrier_accounts set networks = array[$1] where account = $2', [
    address,
    username,
  ])
  done(await client.post('/v1/numbers', { number, agent: 'hello' }))
  return pair
}

async function move(network: string, from: string, word: 'approve' | 'refuse') {
  const { networks } = done(await operator.get(`/v1/ops/networks?state=${from}`))
  const { id } = networks.find((row: { network: string }) => row.network === network)
  done(await operator.post(`/v1/ops/networks/${id}/${word}`))
}

const [ours, theirs] = ['+14155550001', '+14155550002']
const pair = await bringPeer(fixture.org, 'acme', '127.0.0.2', ours)
await bringPeer(await deployment.newOrg(), 'other', '127.0.0.3', theirs)
await move('127.0.0.3', 'waiting', 'approve')

const peerAt = async (address: string) => {
  const peer = await SipPeer.open({ port: worker.sipPort }, address)
  afterwards({ after }, () => peer.close())
  return peer
}
const insider = await peerAt('127.0.0.3')
await insider.settle() // the worker knows that fence

/** What the worker answers to an address; what it sent before it answered another source has arrived. */
async function heardAt(address: string, method = 'OPTIONS', number = ours): Promise<(number | string)[]> {
  const peer = await peerAt(address)
  const body = method === 'INVITE' ? offerOf(4000) : ''
  peer.request({ method, to: `sip:${number}@127.0.0.1`, body })
  await insider.settle()
  await peer.caughtUp()
  return peer.heard
}

const call = (to: string, more: PhoneOptions = {}) =>
  Phone.call({ after }, to, worker.sipPort, { host: '127.0.0.2', pair, ...more })

test('a network that waits for the operator gets no answer whatever, and one that is approved is let in while the worker runs', async () => {
  assert.deepEqual(await heardAt('127.0.0.2'), [])
  assert.deepEqual(await heardAt('127.0.0.2', 'INVITE'), [])
  await move('127.0.0.2', 'waiting', 'approve')
  const peer = await peerAt('127.0.0.2')
  await peer.settle()
})

test('a call comes in through its fence: its peer proves itself, its number leads to the agent, and the agent is heard', async () => {
  const phone = await call(ours)
  const { id, from, to } = await fixture.nextCall()
  assert.deepEqual([from, to], ['+15550100100', ours])
  await phone.untilSpokenTo()
  await phone.hangUp()
  const entries = await fixture.untilEnded(id)
  assert.equal(entries.at(-1)?.data['reason'], 'hangup')
})

test('who is outside every fence gets no answer, a number of another fence is not there, and a wrong word is refused', async () => {
  const before = (await fixture.calls()).length
  for (const method of ['OPTIONS', 'INVITE', 'REGISTER'])
    assert.deepEqual(await heardAt('127.0.0.4', method), [])
  await assert.rejects(call(theirs), new SipRefused(404, 'Not Found'))
  await assert.rejects(call('hello'), new SipRefused(404, 'Not Found'))
  assert.deepEqual(await heardAt('127.0.0.3', 'INVITE', ours), [404])
  const wrong = { ...pair, password: 'another word' }
  await assert.rejects(call(ours, { pair: wrong }), new SipRefused(403, 'Forbidden'))
  assert.deepEqual(await heardAt('127.0.0.2', 'INVITE'), [401])
  assert.equal((await fixture.calls()).length, before)
})

test('a line collects an extension before it hears of the call, speaks for itself, and hands the call to an agent on the same sound (N-469, N-470, N-476, N-480)', async () => {
  const line = new PhoneLine({ number: ours, extensionMs: 10_000 })
  let rang: Call | undefined
  line.on('call', (ringing) => void (rang = ringing))
  await fixture.switchroom.hold(line)
  const phone = await call(ours)
  await phone.leg.sendTones('12#')
  const onLine = await until('the line has it', () => rang, 60_000)
  assert.equal(onLine.extension, '12')
  onLine.say('Who do you want?')
  await phone.untilSpokenTo()
  const isSaid = (text: string) => (log: { type: string; data: Record<string, unknown> }[]) =>
    log.some(({ type, data }) => type === 'agent.message' && data['text'] === text)
  const before = await fixture.untilLogged(onLine.id, 'the line spoke', isSaid('Who do you want?'))
  assert.ok(!isSaid('Hello.')(before))
  assert.ok(!typesOf(before).includes('call.dtmf_received'), typesOf(before).join(' '))

  assert.deepEqual(await line.route(onLine, 'hello'), { routed: true })
  assert.equal((await fixture.nextCall()).id, onLine.id)
  await fixture.untilLogged(onLine.id, 'the agent greets', isSaid('Hello.'))
  await phone.leg.sendTones('5')
  await phone.say(await speech('What is your name?'))
  const answered = await fixture.untilLogged(onLine.id, 'the agent answers', (log) =>
    log.some(({ type, data }) => type === 'agent.message' && data['source'] === 'model'),
  )
  const pressed = answered.filter(({ type }) => type === 'call.dtmf_received').map(({ data }) => data)
  assert.deepEqual(pressed, [{ callId: onLine.id, digit: '5', digits: '5' }])
  await phone.hangUp()
  await fixture.untilEnded(onLine.id)
})

test('a line without an extension hands a call on at once, and the agent that takes it says whether it is recorded', async () => {
  const line = new PhoneLine({ number: ours, extensionMs: 0 })
  const rang: Call[] = []
  line.on('call', (ringing) => void rang.push(ringing))
  const recorded = new Agent({
    name: 'recorded',
    prompt: 'You are the host.',
    settings: { record: true, greeting: { say: 'Hello.' } },
  })
  for (const one of [line, recorded]) await fixture.switchroom.hold(one)
  const headers = { authorization: `Bearer ${fixture.key}` }
  const recordingOf = (id: string) => fetch(`${deployment.url}/v1/calls/${id}/recording`, { headers })

  const phone = await call(ours)
  const onLine = await until('the line has it', () => rang.shift(), 60_000)
  assert.deepEqual(await line.route(onLine, 'recorded'), { routed: true })
  await fixture.untilLogged(onLine.id, 'the agent greets', (log) => typesOf(log).includes('bot.finished'))
  await phone.hangUp()
  await fixture.untilEnded(onLine.id)
  await until('it is stored', async () => (await recordingOf(onLine.id)).status === 200)
})

test('an approval that is withdrawn closes the fence at once, and a call that came through it continues', async () => {
  const before = await fixture.calls()
  const phone = await call(ours)
  const isNew = (one: string) => !before.includes(one)
  const id = await until('the call is open', async () => (await fixture.calls()).find(isNew), 30_000)
  await move('127.0.0.2', 'approved', 'refuse')
  const deadline = Date.now() + 30_000
  while ((await heardAt('127.0.0.2')).length > 0) assert.ok(Date.now() < deadline, 'it is still answered')
  assert.deepEqual(await heardAt('127.0.0.2', 'INVITE'), [])
  assert.ok(!typesOf(await fixture.entriesOf(id)).includes('call.ended'))
  await phone.hangUp()
  await fixture.untilEnded(id)
})
