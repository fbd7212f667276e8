import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { afterwards } from '@switchroom/launcher/testing/folders'
import { ToneSender } from '@switchroom/media/rtp/telephone-events'
import { header } from '@switchroom/media/sip/message'
import { startBaresip } from '@switchroom/media/testing/baresip'
import { loudPart, RtpPhone } from '@switchroom/media/testing/rtp-phone'
import { SipPeer } from '@switchroom/media/testing/sip-peer'
import { missing } from '@switchroom/tools/debian-packages'
import { startVoiceAgent, typesOf, type Entry } from './spoken-fixture.ts'

const fixture = await startVoiceAgent(
  { after },
  { settings: { greeting: { say: 'Hello.' } } },
  { worker: { SVC_WORKER_CALLS: '1' } },
)
const called = 'sip:hello@127.0.0.1'

const offerOf = (port: number) =>
  [
    'v=0',
    'o=- 1 1 IN IP4 127.0.0.1',
    's=-',
    'c=IN IP4 127.0.0.1',
    't=0 0',
    `m=audio ${port} RTP/AVP 9`,
    '',
  ].join('\r\n')

test('a phone in G.722 without telephone events hears the agent, its audible keys are reported, and it gets keys by INFO', async () => {
  const phone = await RtpPhone.ring('G722')
  const peer = await SipPeer.open({ port: fixture.worker.sipPort })
  afterwards({ after }, () => {
    phone.close()
    peer.close()
  })
  const headers = { 'Call-ID': 'wide', Allow: 'INVITE, ACK, BYE, INFO' }
  peer.request({ method: 'INVITE', to: called, body: offerOf(phone.port), headers })
  const answer = await peer.status(200)
  phone.localPort = Number(/^m=audio (\d+) RTP\/AVP 9\r$/m.exec(answer.body)?.[1])
  const within = { 'Call-ID': 'wide', To: header(answer, 'to') ?? '' }
  peer.request({ method: 'ACK', to: called, headers: within })
  const call = await fixture.nextCall()
  await phone.until(() => loudPart(phone.heard).length > 4000)

  const tones = new ToneSender(16_000)
  void tones.send('4*')
  for (let tone = tones.next(0, null); tone?.kind === 'samples'; tone = tones.next(0, null))
    phone.say(tone.samples)
  const log = await fixture.untilLogged(
    call.id,
    'both keys were pressed',
    (entries) => typesOf(entries).filter((type) => type === 'call.dtmf_received').length > 1,
  )
  const pressed = log.filter(({ type }) => type === 'call.dtmf_received').map(({ data }) => data['digit'])
  assert.deepEqual(pressed, ['4', '*'])

  call.sendTones('1#')
  // one that was answered late comes again
  const said = new Set<string>()
  while (said.size < 2) {
    const info = await peer.asked('INFO')
    said.add(info.body)
    peer.received.length = 0
    peer.answer(info, '200 OK')
  }
  assert.deepEqual([...said], ['Signal=1\r\nDuration=160\r\n', 'Signal=#\r\nDuration=160\r\n'])
  peer.request({ method: 'BYE', to: called, headers: { ...within, CSeq: '2 BYE' } })
  await fixture.untilEnded(call.id)
})

test(
  'baresip that says back all it hears, as the echo of a PBX does, neither interrupts the agent nor is answered',
  { skip: missing('baresip') },
  async (t) => {
    const phone = await startBaresip(t, '')
    phone.type(`/dial sip:hello@127.0.0.1:${fixture.worker.sipPort}\n`)
    const call = await fixture.nextCall()
    call.say('We are open from nine in the morning until six in the evening, and on Saturdays until noon.')
    const isSaid = (times: number) => (log: Entry[]) =>
      typesOf(log).filter((type) => type === 'bot.finished').length >= times
    await fixture.untilLogged(call.id, 'the greeting and the sentence were said', isSaid(2))
    // an answer to its own words would come now
    call.say('On Sundays we are closed.')
    const log = await fixture.untilLogged(call.id, 'that was said, too', isSaid(3))
    const wrong = typesOf(log).filter((type) => type === 'bot.interrupted' || type === 'user.message')
    assert.deepEqual(wrong, [])
    phone.type('b')
    await fixture.untilEnded(call.id)
  },
)
