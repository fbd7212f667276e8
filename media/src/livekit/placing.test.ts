import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { decodeJwt } from 'jose'
import { LiveKitFake } from '../../testing/livekit-fake.ts'
import { callIn } from './names.ts'
import { LiveKitPlane } from './livekit-plane.ts'
import { LiveKitServer } from './server.ts'
import type { PlacedCall } from '../plane.ts'

const call: PlacedCall = {
  call: 'call_1',
  org: 'org_a',
  env: 'production',
  agent: 'desk',
  fleet: 'night-shift',
  to: '+15550100001',
  from: '+15550100002',
  trunk: { hostname: 'pstn.example', transport: 'tls', auth_username: 'svc-org_a', auth_password: 'a word' },
  account: 'acme',
  maxDurationS: 600,
}

let fake: LiveKitFake
let plane: LiveKitPlane
beforeEach(async () => {
  fake = await LiveKitFake.start()
  plane = new LiveKitPlane(fake.address)
})
afterEach(() => fake.stop())

const result = (signal = new AbortController().signal) => plane.place(call, signal)
const place = async (signal?: AbortSignal) => (await result(signal)).outcome

test("a call is placed into a room of its own, to which the environment's fleet was sent first", async () => {
  assert.equal(await place(), 'answered')
  assert.deepEqual(
    fake.requests.map(({ method }) => method),
    ['CreateDispatch', 'ListParticipants', 'CreateSIPParticipant'],
  )
  const [sent] = fake.asked('CreateDispatch')
  const { metadata, ...dispatch } = sent?.body ?? {}
  assert.deepEqual(dispatch, { agentName: 'night-shift', room: 'call-call_1' })
  assert.deepEqual(JSON.parse(String(metadata)), {
    call: 'call_1',
    org: 'org_a',
    agent: 'desk',
    env: 'production',
    max_duration_s: 600,
  })
  assert.deepEqual([...fake.dials.rooms.keys()], ['call-call_1'])
})

test('the trunk, the ring and the longest call are sent with the dial, so that the media plane cuts it (N-259, N-260)', async () => {
  await place()
  const [dial] = fake.asked('CreateSIPParticipant')
  assert.deepEqual(dial?.body, {
    sipCallTo: '+15550100001',
    sipNumber: '+15550100002',
    roomName: 'call-call_1',
    participantIdentity: 'sip-participant',
    trunk: {
      hostname: 'pstn.example',
      transport: 'SIP_TRANSPORT_TLS',
      authUsername: 'svc-org_a',
      authPassword: 'a word',
    },
    ringingTimeout: '60s',
    maxCallDuration: '600s',
    waitUntilAnswered: true,
  })
})

test('what a trunk says of encryption, numbers and identity is sent with the dial', async () => {
  const terms = {
    encryption: 'required',
    number_form: 'plain',
    from_domain: 'voice.example',
    identity: 'p_asserted_identity',
  } as const
  await plane.place({ ...call, trunk: { ...call.trunk, ...terms } }, new AbortController().signal)
  const { sipCallTo, sipNumber, headers, media, trunk } = fake.asked('CreateSIPParticipant')[0]?.body ?? {}
  assert.deepEqual([sipCallTo, sipNumber], ['15550100001', '15550100002'])
  assert.deepEqual(headers, { 'P-Asserted-Identity': '<sip:15550100002@voice.example>' })
  assert.deepEqual(media, { encryption: 'SIP_MEDIA_ENCRYPT_REQUIRE' })
  assert.equal((trunk as { fromHost?: string }).fromHost, 'voice.example')
})

test('a second person is shown the caller who is forwarded, and Diversion names our number, if the trunk wants that', async () => {
  const server = new LiveKitServer(fake.address)
  const { to, from, trunk } = call
  const caller = '+34911222333'
  await server.bring('call-call_1', 'guest', { to, from, caller, trunk: { ...trunk, identity: 'diversion' } })
  await server.bring('call-call_1', 'guest', { to, from, caller, trunk })
  const read = fake.asked('CreateSIPParticipant').map(({ body }) => [body['sipNumber'], body['headers']])
  assert.deepEqual(read, [
    [caller, { Diversion: `<sip:${from}@pstn.example>;reason=deflection;counter=1` }],
    [from, undefined],
  ])
})

test('a trunk with certificates of its own is not dialled by a media server, which cannot use them', async () => {
  const trunk = { ...call.trunk, ca_certificates: 'PEM' }
  const why = 'a LiveKit server cannot use the certificates of an account: take them off'
  assert.deepEqual(await plane.place({ ...call, trunk }, new AbortController().signal), {
    outcome: 'dial_failed',
    sip_status: null,
    sip_reason: null,
    why,
    account: 'acme',
  })
  assert.deepEqual(fake.asked('CreateSIPParticipant'), [])
})

for (const [outcome, statuses] of [
  ['busy', [486, 600, 603]],
  ['no_answer', [408, 480, 487]],
  ['dial_failed', [403, 404, 500, 503, 504]],
] as const)
  test(`a far end that answers ${statuses.join(', ')} is ${outcome} (N-255, N-256, N-257, N-258)`, async () => {
    for (const status of statuses) {
      fake.dials.go(status)
      assert.equal(await place(), outcome)
    }
    assert.equal(fake.dials.rooms.size, 0) // no worker waits in an empty room
  })

test('a far end that rings until the end of the ring is no_answer (N-257)', async () => {
  fake.dials.go('ring out')
  const why = 'there was no answer within 60 s'
  const unheard = { outcome: 'no_answer', sip_status: null, sip_reason: null, why, account: 'acme' }
  assert.deepEqual(await result(), unheard)
})

test('what the far end answered is reported with its status, its reason and in words', async () => {
  fake.dials.go(603)
  assert.deepEqual(await result(), {
    outcome: 'busy',
    sip_status: 603,
    sip_reason: 'Decline',
    why: 'declined (603 Decline)',
    account: 'acme',
  })
  fake.dials.go(404)
  const { sip_status, why } = await result()
  assert.deepEqual([sip_status, why], [404, 'the number was not found at the carrier (404 Not Found)'])
  fake.refuse('CreateSIPParticipant', 'invalid_argument', 'missing room name')
  assert.equal((await result()).why, 'missing room name')
})

test('a media server that refuses the worker or the dial, or is not there, is dial_failed (N-258)', async () => {
  fake.refuse('CreateDispatch', 'unavailable', 'no workers')
  assert.equal(await place(), 'dial_failed')
  assert.equal(fake.asked('CreateSIPParticipant').length, 0)
  fake.refuse('CreateSIPParticipant', 'invalid_argument', 'missing room name')
  assert.equal(await place(), 'dial_failed')
  fake.dieAfter(0, true)
  assert.equal(await place(), 'dial_failed')
})

test('nothing is asked twice of a media server that failed', async () => {
  fake.refuse('CreateSIPParticipant', 'unavailable', 'try later')
  await place()
  assert.equal(fake.asked('CreateSIPParticipant').length, 1)
})

test(
  'an abort hangs up, and an answer that comes just then is hung up too',
  { timeout: 20_000 },
  async () => {
    fake.dials.go('hold')
    const hangUp = new AbortController()
    const placed = place(hangUp.signal)
    while (fake.dials.held.length === 0) await new Promise(setImmediate)
    fake.dials.endWithRooms = false
    hangUp.abort()
    assert.equal(await placed, 'no_answer')
    assert.equal(fake.dials.rooms.size, 0)
    fake.dials.held[0]?.answer()
    while (fake.asked('DeleteRoom').length < 2) await new Promise(setImmediate)
    assert.equal(fake.dials.rooms.size, 0)
  },
)

test('a call that was aborted before its dial is not dialled', async () => {
  assert.equal(await place(AbortSignal.abort()), 'no_answer')
  assert.equal(fake.asked('CreateSIPParticipant').length, 0)
  assert.equal(fake.dials.rooms.size, 0)
})

test("a browser's token opens the room of its call and a microphone there, for as long as it was asked for", async () => {
  const { url, token } = await plane.ticket({ ...call, ttlS: 60 })
  assert.match(url, /^ws:/)
  const { exp = 0, nbf = 0, iss, sub, video, roomConfig, ...more } = decodeJwt(token)
  assert.deepEqual([exp - nbf, iss, sub, more], [60, fake.key, 'browser', {}])
  assert.deepEqual(video, {
    roomJoin: true,
    room: 'call-call_1',
    canPublish: true,
    canPublishSources: ['microphone'],
    canSubscribe: true,
    canPublishData: false,
  })
  const { agents } = roomConfig as { agents: { agentName: string; metadata: string }[] }
  assert.deepEqual(
    agents.map(({ agentName, metadata }) => [agentName, JSON.parse(metadata)]),
    [['night-shift', { call: 'call_1', org: 'org_a', agent: 'desk', env: 'production' }]],
  )
})

test('a transfer sends the one on the phone on to another number', async () => {
  await place()
  await plane.transfer('call_1', '+15550100003')
  assert.deepEqual(fake.dials.transfers, [{ room: 'call-call_1', to: 'tel:+15550100003' }])
})

test('a transfer that fails says why', async () => {
  await assert.rejects(plane.transfer('call_2', '+15550100003'), {
    name: 'MediaError',
    message: 'requested room does not exist',
  })
  fake.dials.dispatch({ room: 'call-call_2', agentName: 'night-shift' })
  await assert.rejects(plane.transfer('call_2', '+15550100003'), {
    message: 'no phone is in the call',
  })
  await place()
  fake.refuse('TransferSIPParticipant', 'permission_denied', 'sip status 603: Decline', {
    sip_status_code: '603',
    sip_status: 'Decline',
  })
  await assert.rejects(plane.transfer('call_1', '+15550100003'), {
    message: 'declined (603 Decline)',
  })
})

test('hanging up ends the room, and is nothing when the call is over', async () => {
  await place()
  await plane.hangUp('call_1')
  assert.equal(fake.dials.rooms.size, 0)
  await plane.hangUp('call_1')
  fake.refuse('DeleteRoom', 'internal', 'no node is there')
  await assert.rejects(plane.hangUp('call_1'), { name: 'MediaError', message: 'no node is there' })
})

test('a call that a phone made is hung up in the room that the SIP service named', async () => {
  for (const room of ['call-_+15550100009_a1', 'call-_+15550100009_b2'])
    fake.dials.dispatch({ room, agentName: 'night-shift' })
  await plane.hangUp(callIn('call-_+15550100009_b2'))
  assert.deepEqual([...fake.dials.rooms.keys()], ['call-_+15550100009_a1'])
})

test('a call for which no worker came is not dialled, and the room is gone', async () => {
  fake.dials.haveWorkers = false
  const message = 'no worker of the fleet night-shift took the call: start one, and dial again'
  await assert.rejects(place(), { name: 'MediaError', message })
  assert.equal(fake.asked('CreateSIPParticipant').length, 0)
  assert.equal(fake.dials.rooms.size, 0)
})
