import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { missing } from '@switchroom/tools/debian-packages'
import { startBaresip } from '../../testing/baresip.ts'
import { freeUdpPort } from '../../testing/free-udp-port.ts'
import { SipTest } from '../../testing/sip-call.ts'
import { startDns, type TestDns } from '../../testing/sip-dns.ts'
import { never, trunkTo, until } from '../../testing/sip-peer.ts'
import { runScenario } from '../../testing/sip-sipp.ts'
import { answer, ask, hear, isAsked, mayHear, scenario, sound } from '../../testing/sipp-scenario.ts'
import { wordsOfSip } from '../failure-words.ts'
import type { RegistrationState, SipDialog } from './server.ts'

const run = new SipTest()
let dns: TestDns
before(async () => (dns = await startDns()))
after(() => dns.close())
afterEach(() => run.stop())

const options = { skip: missing('sipp'), timeout: 60_000 }
const went = { status: 0, said: '' }
const [to, from] = ['+34911222333', '+34600111222']
const pair = { username: 'peer', password: 'secret' }

const carrier = (...steps: readonly string[]) => runScenario(scenario(...steps), ['-m', '1'])

/** Takes the call, and is hung up on. */
const takes = [
  isAsked('INVITE'),
  answer('180 Ringing'),
  answer('200 OK', { body: sound() }),
  isAsked('ACK'),
  isAsked('BYE'),
  answer('200 OK', {}, ''),
]

for (const [status, words] of [
  ['404 Not Found', 'the number was not found at the carrier'],
  ['480 Temporarily Unavailable', 'the phone cannot be reached now'],
  ['486 Busy Here', 'busy'],
  ['603 Decline', 'declined'],
] as const)
  test(`sipp that answers ${status} is reported as: ${words}`, options, async () => {
    const { server } = await run.server()
    const sipp = await carrier(isAsked('INVITE'), answer(status), isAsked('ACK'))
    const code = Number(status.slice(0, 3))
    const refusal = { status: code, reason: status.slice(4) }
    await assert.rejects(server.invite(to, trunkTo(sipp.port), from, never), refusal)
    assert.equal(wordsOfSip(code), words)
    assert.deepEqual(await sipp.done, went)
  })

test(
  'sipp as a proxy that asks for proof, sounds before it answers, and moves its sound later',
  options,
  async () => {
    const { server } = await run.server()
    const moved = sound().replace('[rtpstream_audio_port]', '45000')
    const sipp = await carrier(
      isAsked('INVITE'),
      answer('407 Proof', { headers: ['Proxy-Authenticate: Digest realm="sipp", nonce="abc", qop="auth"'] }),
      isAsked('ACK'),
      isAsked('INVITE', 'Proxy-Authorization: *Digest').replace(
        '<action>',
        `<action>${['From', 'To'].map(keeps).join('')}<ereg regexp="sip:[^>]+" search_in="hdr" header="Contact:" assign_to="contact" />`,
      ),
      answer('183 Session Progress', { body: sound({ line: 'RTP/AVP 8', lines: [] }) }),
      answer('200 OK', { body: sound({ line: 'RTP/AVP 8', lines: [] }) }),
      isAsked('ACK'),
      within('INVITE', moved),
      mayHear(100),
      hear(200, 'm=audio [1-9][0-9]* RTP/AVP'),
      within('ACK'),
      isAsked('BYE'),
      answer('200 OK', {}, ''),
    )
    const call = await server.invite(to, trunkTo(sipp.port, 'udp', pair), from, never)
    assert.equal(call.terms.codec, 'PCMA')
    await until(() => call.terms.remotePort === 45_000)
    await call.bye()
    assert.deepEqual(await sipp.done, went)
  },
)

test(
  'sipp sends a call on to baresip with 302, which takes it',
  { ...options, skip: missing('sipp') || missing('baresip') },
  async (t) => {
    const phone = await startBaresip(t, '')
    const { server } = await run.server({ mayDial: (address) => address === '127.0.0.1' })
    const moved = answer('302 Moved').replace(/Contact: .*/, `Contact: <sip:peer@127.0.0.1:${phone.port}>`)
    const sipp = await carrier(isAsked('INVITE'), moved, isAsked('ACK'))
    const call = await server.invite('peer', trunkTo(sipp.port), from, never)
    assert.deepEqual(await sipp.done, went)
    await until(() => /Call established/.test(phone.said()))
    await call.bye()
    // Another number than the one that was dialled is not asked for.
    const elsewhere = moved.replace('sip:peer@', 'sip:+881612345678@')
    const other = await carrier(isAsked('INVITE'), elsewhere, isAsked('ACK'))
    await assert.rejects(
      server.invite('peer', trunkTo(other.port), from, never),
      /which is not the number that was dialled/,
    )
  },
)

const keeps = (header: string) =>
  `<ereg regexp=".*" search_in="hdr" header="${header}:" assign_to="${header.toLowerCase()}" />`

/** A name whose first address is at one port, and whose second at another. */
function named(name: string, ...ports: readonly number[]): string {
  dns.set('here.example', { A: ['127.0.0.1'] })
  const SRV = ports.map((port, priority) => ({ priority, weight: 0, port, name: 'here.example' }))
  dns.set(`_sip._udp.${name}`, { SRV })
  return name
}

test('a dead first address is left for sipp at the second', options, async () => {
  const { server } = await run.server({ nameServers: [dns.address], timing: { t1Ms: 100 } })
  const sipp = await carrier(...takes)
  const hostname = named('dead.example', await freeUdpPort(), sipp.port)
  const call = await server.invite(to, { ...trunkTo(0), hostname }, from, never)
  await call.bye()
  assert.deepEqual(await sipp.done, went)
})

test(
  'sipp that is out of service is left for the next, and not asked again while it wants to be left alone',
  options,
  async () => {
    const { server } = await run.server({ nameServers: [dns.address] })
    const busy = answer('503 Out', { headers: ['Retry-After: 300 (in a moment)'] })
    const [first, second] = [
      await carrier(isAsked('INVITE'), busy, isAsked('ACK')),
      await runScenario(scenario(...takes), ['-m', '2']),
    ]
    const hostname = named('busy.example', first.port, second.port)
    const calls: SipDialog[] = []
    for (let dialled = 0; dialled < 2; dialled += 1) {
      calls.push(await server.invite(to, { ...trunkTo(0), hostname }, from, never))
      // It is gone after one call: a second one that asked it would wait for it in vain.
      if (dialled === 0) assert.deepEqual(await first.done, went)
    }
    await Promise.all(calls.map((call) => call.bye()))
    assert.deepEqual(await second.done, went)
  },
)

test(
  'sipp as a registrar sees our proof, grants a time, and gets a request that ends the registration',
  options,
  async () => {
    const { server } = await run.server()
    const granted = (seconds: number) =>
      answer('200 OK').replace(/Contact: .*/, `[last_Contact:]\nExpires: ${seconds}`)
    const challenge = ['WWW-Authenticate: Digest realm="sipp", nonce="abc", algorithm=MD5, qop="auth"']
    const sipp = await carrier(
      isAsked('REGISTER'),
      answer('401 Unauthorized', { headers: challenge }),
      isAsked('REGISTER', 'Expires: *300').replace(
        '<action>',
        '<action><verifyauth assign_to="proven" username="peer" password="secret" />',
      ),
      '<nop condexec="proven" condexec_inverse="true"><action><error message="not proven" /></action></nop>',
      granted(300),
      isAsked('REGISTER', 'Expires: *0'),
      granted(0),
    )
    const states: RegistrationState[] = []
    const trunk = trunkTo(sipp.port, 'udp', pair)
    const registration = server.register({ trunk, username: 'peer', onState: (state) => states.push(state) })
    await until(() => states.some(({ state }) => state === 'registered'))
    await registration.stop()
    assert.deepEqual(await sipp.done, went)
    assert.deepEqual(
      states.map(({ state }) => state),
      ['trying', 'registered'],
    )
  },
)

/** What the one who was called asks for, in the call, of the one who called. */
function within(method: string, body = ''): string {
  return ask(method, 1, { body })
    .replace('sip:[service]@[remote_ip]:[remote_port] SIP', '[$contact] SIP')
    .replace(/From: .*/, 'From: [$to];tag=[call_number]')
    .replace(/To: .*/, 'To: [$from]')
}
