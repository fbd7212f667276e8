import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { missing } from '@switchroom/tools/debian-packages'
import { SipTest } from '../../testing/sip-call.ts'
import { openFence, until } from '../../testing/sip-peer.ts'
import { runScenario } from '../../testing/sip-sipp.ts'
import { ask, hear, mayHear, scenario, sound } from '../../testing/sipp-scenario.ts'
import type { SipDialog, SipOptions } from './server.ts'

const run = new SipTest()
afterEach(() => run.stop())

const options = { skip: missing('sipp'), timeout: 60_000 }
const went = { status: 0, said: '' }

/** sipp calls a server that answers every call, and goes through these steps; `onCall` sees all that happens in it. */
async function called(
  steps: readonly string[],
  server: Partial<SipOptions> = {},
  more: readonly string[] = [],
  onCall: (call: SipDialog) => void = () => {},
) {
  const fences = [openFence]
  const calls: Promise<SipDialog>[] = []
  const under = await run.server({ fences: () => fences, ...server }, (invite) => {
    invite.ring()
    const accepted = invite.accept()
    accepted.then(onCall, () => {}) // before the next message is read
    calls.push(accepted)
  })
  const to = ['-s', '+34911222333', `127.0.0.1:${under.server.port}`, '-m', '1', ...more]
  const sipp = await runScenario(scenario(...steps), to)
  return { ...under, calls, sipp }
}

const answered = [mayHear(100), mayHear(180)]
const bye = (sequence: number) => [ask('BYE', sequence), hear(200)]
/** What acknowledges a refusal goes where the request went, by the same branch. */
const refused = (status: number, ...patterns: string[]) => [
  mayHear(100),
  mayHear(180),
  hear(status, ...patterns),
  ask('ACK', 1).replace('Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]', '[last_Via:]'),
]

test('sipp that offers nothing is offered our sound, and answers it in its ACK', options, async () => {
  const { calls, sipp } = await called([
    ask('INVITE', 1),
    ...answered,
    hear(200, 'm=audio [1-9][0-9]* RTP/AVP'),
    ask('ACK', 1, { body: sound({ line: 'RTP/AVP 8', lines: [] }) }),
    ...bye(2),
  ])
  assert.deepEqual(await sipp.done, went)
  const call = await calls[0]
  assert.equal(call?.terms.codec, 'PCMA')
  assert.equal(await call.ended, 'hangup')
})

test(
  'sipp with a line for video, one for text and headers of kilobytes is answered for its sound alone',
  options,
  async () => {
    const body = `${sound()}\nm=video 41000 RTP/AVP 96\na=rtpmap:96 H264/90000\nm=text 41002 RTP/AVP 98`
    const headers = [
      `Subject: ${'long '.repeat(1000)}`,
      ...Array.from({ length: 40 }, (_, at) => `X-Header-${at}: ${'y'.repeat(60)}`),
    ]
    const { calls, sipp } = await called([
      ask('INVITE', 1, { headers, body }),
      ...answered,
      hear(200, 'm=audio [1-9][0-9]* RTP/AVP 0', 'm=video 0 RTP/AVP', 'm=text 0 RTP/AVP'),
      ask('ACK', 1),
      ...bye(2),
    ])
    assert.deepEqual(await sipp.done, went)
    assert.equal((await calls[0])?.terms.codec, 'PCMU')
  },
)

test('sipp whose INVITE comes three times has one call', options, async () => {
  const again = ask('INVITE', 1, { body: sound() })
    .replace('branch=[branch]', 'branch=z9hG4bK-again-[call_number]')
    .replace(' retrans="500"', '')
  const steps = [again, again, again, ...answered, hear(200), ask('ACK', 1), ...bye(2)]
  // What comes between its INVITEs does not stop it.
  const { calls, sipp, server } = await called(steps, { timing: { t1Ms: 100 } }, [
    '-default_behaviors',
    'none',
  ])
  assert.deepEqual(await sipp.done, went)
  assert.equal(calls.length, 1)
  await until(() => server.stats.dialogs === 0)
})

test('sipp whose ACKs are lost now and then is answered until one arrives', options, async () => {
  const steps = [
    ask('INVITE', 1, { body: sound() }),
    ...answered,
    hear(200),
    ask('ACK', 1, {}, ' lost="40"'),
    '<pause milliseconds="1500" />',
    ...bye(2),
  ]
  const timing = { t1Ms: 100, t2Ms: 200 }
  const { calls, sipp } = await called(steps, { timing }, ['-m', '10', '-r', '50'])
  assert.deepEqual(await sipp.done, went)
  const ended = await Promise.all(calls.map(async (call) => (await call).ended))
  assert.deepEqual(
    ended,
    Array.from({ length: 10 }, () => 'hangup'),
  )
})

test('sipp that hangs up while it rings is answered 200 and 487, and no call begins', options, async () => {
  const fences = [openFence]
  const { server, invites } = await run.server({ fences: () => fences }, (invite) => invite.ring())
  const steps = [
    ask('INVITE', 1, { body: sound() }),
    mayHear(100),
    hear(180),
    ask('BYE', 2).replace(' retrans="500"', ''),
    hear(200),
    hear(487),
    ask('ACK', 1),
  ]
  const sipp = await runScenario(scenario(...steps), [
    '-s',
    '+34911222333',
    `127.0.0.1:${server.port}`,
    '-m',
    '1',
  ])
  assert.deepEqual(await sipp.done, went)
  assert.equal(invites[0]?.signal.aborted, true)
  assert.equal(server.stats.dialogs, 0)
})

const key = 'a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:d0RmdmcmVCspeEc3QGZiNWpVLFJhQX1cfHAwJSoj'

test(
  'sipp that offers keys in its SDP is answered with ours, and its sound is encrypted',
  options,
  async () => {
    const { calls, sipp } = await called([
      ask('INVITE', 1, { body: sound({ line: 'RTP/SAVP 0', lines: [key] }) }),
      ...answered,
      hear(200, 'm=audio [1-9][0-9]* RTP/SAVP 0', 'a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:'),
      ask('ACK', 1),
      ...bye(2),
    ])
    assert.deepEqual(await sipp.done, went)
    assert.equal((await calls[0])?.terms.security?.kind, 'sdes')
  },
)

for (const [what, line, lines, encryption, says] of [
  ['speaks G.729 alone', 'RTP/AVP 18', [], 'offered', 'it takes none of Opus, G.722, PCMU and PCMA'],
  ['demands encryption and has no key', 'RTP/SAVP 0', [], 'offered', 'it has no key for its encrypted sound'],
  ['is in the clear where encryption is required', 'RTP/AVP 0', [], 'required', 'its sound is not encrypted'],
  ['is encrypted where encryption is off', 'RTP/SAVP 0', [key], 'off', 'its sound is encrypted'],
] as const)
  test(`sipp that ${what} is refused with 488 and a sentence`, options, async () => {
    const fences = [{ ...openFence, encryption }]
    const { calls, sipp } = await called(
      [ask('INVITE', 1, { body: sound({ line, lines }) }), ...refused(488, says)],
      { fences: () => fences },
    )
    assert.deepEqual(await sipp.done, went)
    assert.equal(calls.length, 0)
  })

test(
  'sipp holds by UPDATE, is inactive, resumes by INVITE and keeps its session alive',
  options,
  async () => {
    const directed = (direction: string) => sound({ lines: [`a=${direction}`] })
    const timer = ['Supported: timer', 'Session-Expires: 90;refresher=uac']
    const steps = [
      ask('INVITE', 1, { headers: timer, body: sound() }),
      ...answered,
      hear(200, 'Session-Expires: *90;refresher=uac'),
      ask('ACK', 1),
      ask('UPDATE', 2, { headers: timer, body: directed('sendonly') }),
      hear(200, 'a=recvonly'),
      ask('UPDATE', 3, { body: directed('inactive') }),
      hear(200, 'a=inactive'),
      ask('UPDATE', 4, { headers: timer }),
      hear(200, 'Session-Expires: *90;refresher=uac'),
      ask('INVITE', 5, { body: directed('sendrecv') }),
      mayHear(100),
      hear(200, 'a=sendrecv'),
      ask('ACK', 5),
      ...bye(6),
    ]
    const held: boolean[] = []
    const { calls, sipp } = await called(steps, {}, [], (call) =>
      call.onTermsChanged((_terms, isHeld) => held.push(isHeld)),
    )
    assert.deepEqual(await sipp.done, went)
    assert.deepEqual(held, [true, false])
    assert.equal(await (await calls[0])?.ended, 'hangup')
  },
)

test('sipp that presses keys by INFO, also by their numbers 10 to 15, is understood', options, async () => {
  const digits = ['1', '#', '10', '11', '12', '15']
  const pressed = digits.flatMap((digit, at) => [
    ask('INFO', 2 + at, { body: `Signal=${digit}\nDuration=160` }).replace(
      'application/sdp',
      'application/dtmf-relay',
    ),
    hear(200),
  ])
  const steps = [
    ask('INVITE', 1, { body: sound() }),
    ...answered,
    hear(200),
    ask('ACK', 1),
    ...pressed,
    ...bye(2 + digits.length),
  ]
  let heard = ''
  const { sipp } = await called(steps, {}, [], (call) => call.onInfoTone((digit) => (heard += digit)))
  assert.deepEqual(await sipp.done, went)
  assert.equal(heard, '1#*#AD')
})

test('sipp whose sound is at a name is sent to its address', options, async () => {
  const findAddress = async () => '127.0.0.1'
  const { calls, sipp } = await called(
    [
      ask('INVITE', 1, { body: sound({ address: 'phone.example' }) }),
      ...answered,
      hear(200),
      ask('ACK', 1),
      ...bye(2),
    ],
    { findAddress },
  )
  assert.deepEqual(await sipp.done, went)
  assert.equal((await calls[0])?.terms.remoteAddress, '127.0.0.1')
})
