import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { missing } from '@switchroom/tools/debian-packages'
import { SipTest } from '../../testing/sip-call.ts'
import { never, offerOf, openFence, trunkTo, type SipPeer } from '../../testing/sip-peer.ts'
import { runSipp } from '../../testing/sip-sipp.ts'
import { answerChallenge } from './digest.ts'
import { headersOf } from './message.ts'
import { type SipDialog, type SipFence, SipRefused } from './server.ts'

const run = new SipTest()
afterEach(() => run.stop())

type Pair = { username: string; password: string }
const pairOf = (username: string): Pair => ({ username, password: `word of ${username}` })

const fenceOf = (org: string, numbers: string[], more: Partial<SipFence> = {}): SipFence => ({
  ...openFence,
  name: `${org}/sandbox/sip/pbx`,
  networks: ['127.0.0.1'],
  numbers,
  ...more,
})

async function asking(...fences: SipFence[]) {
  const under = await run.server({ fences: () => fences })
  const peer = await run.peer(under.server)
  let last = 0
  /** How an INVITE for a user is answered, with the pair that is known, once it was asked for. */
  const invite = async (user: string, pair?: Pair): Promise<number> => {
    const callId = `asked-${(last += 1)}`
    const to = `sip:${user}@127.0.0.1`
    const asked = await answer(peer, to, callId, 1)
    if (asked.status !== 401 || !pair) return asked.status
    const proof = answerChallenge(headersOf(asked, 'www-authenticate'), 'INVITE', to, pair) ?? ''
    return (await answer(peer, to, callId, 2, { Authorization: proof })).status
  }
  return { ...under, invite }
}

async function answer(peer: SipPeer, to: string, callId: string, number: number, more = {}) {
  const headers = { 'Call-ID': callId, CSeq: `${number} INVITE`, ...more }
  peer.request({ method: 'INVITE', to, body: offerOf(4000), headers })
  const found = await peer.find((message) => message.callId === callId && message.cseq.number === number)
  assert.ok('status' in found)
  return found
}

test('an extension is asked for by its digits alone, whatever else is tried in the user part', async () => {
  const { invite, invites } = await asking(fenceOf('org_a', ['201@pbx/org_a', '+34911222333']))
  const tricks = [
    '2010',
    '20',
    '0201',
    '+201',
    '201%40pbx',
    '201%40pbx%2Forg_a',
    '%32%30%31x',
    '201%00',
    '201*',
    '',
  ]
  for (const user of tricks) assert.equal(await invite(user), 404, user)
  assert.equal(invites.length, 0)
  for (const user of ['201', '%32%30%31', '201;phone-context=pbx.example'])
    assert.equal(await invite(user), 100)
  assert.deepEqual(
    invites.map(({ number }) => number),
    ['201@pbx/org_a', '201@pbx/org_a', '201@pbx/org_a'],
  )
  assert.equal(await invite('34911222333'), 100)
  assert.equal(invites.at(-1)?.number, '+34911222333')
})

test('an extension that two orgs have at one address goes to the one whose pair is proven, and to neither without a proof', async () => {
  const [one, other] = [pairOf('one'), pairOf('other')]
  const { invite, invites } = await asking(
    fenceOf('org_a', ['201@pbx/org_a'], { pair: one }),
    fenceOf('org_b', ['201@pbx/org_b'], { pair: other }),
  )
  assert.equal(await invite('201'), 401)
  assert.equal(await invite('201', { ...other, password: 'guess' }), 403)
  assert.equal(await invite('201', other), 100)
  assert.equal(await invite('201', one), 100)
  assert.deepEqual(
    invites.map(({ number, fence }) => [number, fence?.name]),
    [
      ['201@pbx/org_b', 'org_b/sandbox/sip/pbx'],
      ['201@pbx/org_a', 'org_a/sandbox/sip/pbx'],
    ],
  )
})

test('an org that proves its calls by address alone takes none of those that another org at the same address proves by digest', async () => {
  const one = pairOf('one')
  const { invite, invites } = await asking(
    fenceOf('org_b', ['201@pbx/org_b', '202@pbx/org_b'], { pair: null }),
    fenceOf('org_a', ['201@pbx/org_a'], { pair: one }),
  )
  assert.equal(await invite('201'), 401)
  assert.equal(await invite('201', one), 100)
  assert.equal(await invite('202'), 100)
  assert.deepEqual(
    invites.map(({ number }) => number),
    ['201@pbx/org_a', '202@pbx/org_b'],
  )
})

test('of two orgs that both prove an extension by one address neither is called', async () => {
  const { invite, invites } = await asking(
    fenceOf('org_a', ['201@pbx/org_a'], { pair: null }),
    fenceOf('org_b', ['201@pbx/org_b'], { pair: null }),
  )
  assert.equal(await invite('201'), 404)
  assert.equal(invites.length, 0)
})

test('a registrar that asks for the registered user reaches the extension of that name before any other number', async () => {
  const registered = { pair: null, registered_as: '201' }
  const { invite, invites } = await asking(
    fenceOf('org_a', ['+34911222333'], { ...registered, name: 'org_a/production/sip/201' }),
    fenceOf('org_a', ['201@201/org_a'], { ...registered, name: 'org_a/sandbox/sip/201' }),
  )
  assert.equal(await invite('201'), 100)
  assert.equal(invites[0]?.number, '201@201/org_a')
})

test('a phone of the PBX that calls is named by its extension, however many digits it has, and a number by its number', async () => {
  const { server, invites } = await run.server({ fences: () => [fenceOf('org_a', ['201@pbx/org_a'])] })
  const peer = await run.peer(server)
  const callers = [
    ['105', '105'],
    ['105000', '105000'],
    ['34600111222', '+34600111222'],
  ] as const
  for (const [at, [user]] of callers.entries()) {
    const more = { From: `<sip:${user}@127.0.0.1>;tag=1`, 'P-Asserted-Identity': `<sip:${user}@127.0.0.1>` }
    await answer(peer, 'sip:201@127.0.0.1', `from-${at}`, 1, more)
  }
  assert.deepEqual(
    invites.map(({ from }) => from),
    callers.map(([, from]) => from),
  )
})

const skip = missing('sipp')
const went = { status: 0, said: '' }

test('sipp as a PBX calls an extension, and finds the Contact that it hangs up at', { skip }, async () => {
  const pair = { username: 'peer', password: 'secret' }
  const fences = [fenceOf('org_a', ['201@peer/org_a'], { pair })]
  const { server, invites, calls } = await run.answering({ fences: () => fences })
  const sipp = await runSipp('extension-caller', ['-s', '201', `127.0.0.1:${server.port}`, '-m', '2'])
  assert.deepEqual(await sipp.done, went)
  assert.deepEqual(
    invites.map(({ number, from }) => [number, from]),
    [
      ['201@peer/org_a', '105'],
      ['201@peer/org_a', '105'],
    ],
  )
  assert.deepEqual(await Promise.all(calls.map(async (call) => (await call).ended)), ['hangup', 'hangup'])
})

test(
  'sipp as a PBX is dialled at an extension from an extension, each without its account',
  { skip },
  async () => {
    const { server } = await run.server()
    const sipp = await runSipp('extension-callee', ['-m', '1'])
    const trunk = trunkTo(sipp.port, 'udp', { username: 'peer', password: 'secret' })
    let dialled: SipDialog | undefined
    // It may not listen yet.
    while (!dialled)
      dialled = await server.invite('105@peer', trunk, '201@peer', never).catch((error: unknown) => {
        if (error instanceof SipRefused && error.status === 408) return undefined
        throw error
      })
    await dialled.ended
    assert.deepEqual(await sipp.done, went)
  },
)
