import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { afterwards } from '@switchroom/launcher/testing/folders'
import { until } from '@switchroom/launcher/testing/waiting'
import { header } from '@switchroom/media/sip/message'
import { sine } from '@switchroom/audio/testing/tones'
import { RtpPhone } from '@switchroom/media/testing/rtp-phone'
import { offerOf, SipPeer } from '@switchroom/media/testing/sip-peer'
import { startVoiceAgent, typesOf } from './spoken-fixture.ts'
import { Phone } from './spoken-phone.ts'

const fixture = await startVoiceAgent(
  { after },
  { settings: { greeting: { say: 'Hello.' } } },
  { worker: { SVC_WORKER_CALLS: '2' } },
)
const { worker } = fixture
const called = 'sip:hello@127.0.0.1'

/** A caller whose call is answered. */
async function answeredAt(callId: string, rtpPort = 4000) {
  const peer = await SipPeer.open({ port: worker.sipPort })
  afterwards({ after }, () => peer.close())
  peer.isObliging = true
  peer.request({ method: 'INVITE', to: called, body: offerOf(rtpPort), headers: { 'Call-ID': callId } })
  const answer = await peer.status(200)
  const port = Number(/^m=audio (\d+)/m.exec(answer.body)?.[1])
  const acknowledge = () =>
    peer.request({
      method: 'ACK',
      to: called,
      headers: { 'Call-ID': callId, To: header(answer, 'to') ?? '' },
    })
  return { peer, port, acknowledge }
}

test('calls that are never acknowledged open nothing at the gateway, take no process and no place, and others are answered meanwhile', async () => {
  const processes = await until('one waits', () => worker.processes.length === 1 && worker.processes, 60_000)
  const forged = await Promise.all(
    Array.from({ length: 20 }, (_, at) => answeredAt(`never-acknowledged-${at}`)),
  )
  const thief = await RtpPhone.ring()
  afterwards({ after }, () => thief.close())
  for (const { port } of forged) {
    thief.localPort = port
    for (let at = 0; at < 5; at += 1) thief.say(sine(440, 160, 8000, at * 160))
  }
  assert.deepEqual([await fixture.calls(), worker.processes], [[], processes])
  assert.deepEqual(
    (await fixture.deployment.sql(`select from entries where type = 'callback.requested'`)).rows,
    [],
  )

  const phone = await Phone.call({ after }, 'hello', worker.sipPort)
  const { id } = await fixture.nextCall()
  await phone.untilSpokenTo()
  assert.deepEqual(await fixture.calls(), [id])
  assert.equal(thief.received.length, 0)
  await phone.hangUp()
  await fixture.untilEnded(id)
})

test('the call begins with the ACK, and keys that were pressed since the answer are heard', async () => {
  const before = (await fixture.calls()).length
  const phone = await RtpPhone.ring()
  afterwards({ after }, () => phone.close())
  const { peer, port, acknowledge } = await answeredAt('acknowledged-late', phone.port)
  phone.localPort = port
  for (let at = 0; at < 3; at += 1) phone.press(5, 9000, true)
  await peer.settle()
  assert.equal((await fixture.calls()).length, before)
  acknowledge()
  const { id } = await fixture.nextCall()
  await phone.until(({ length }) => length > 5)
  phone.press(7, 20_000, true)
  const log = await fixture.untilLogged(
    id,
    'both keys were pressed',
    (entries) => typesOf(entries).filter((type) => type === 'call.dtmf_received').length > 1,
  )
  const pressed = log.filter(({ type }) => type === 'call.dtmf_received').map(({ data }) => data['digit'])
  assert.deepEqual(pressed, ['5', '7'])
  peer.request({
    method: 'BYE',
    to: called,
    headers: {
      'Call-ID': 'acknowledged-late',
      CSeq: '2 BYE',
      To: header(await peer.status(200), 'to') ?? '',
    },
  })
  await fixture.untilEnded(id)
})
