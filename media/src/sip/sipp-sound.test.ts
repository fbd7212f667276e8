import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { encodeG711 } from '@switchroom/audio/g711'
import { sine, strengthOf } from '@switchroom/audio/testing/tones'
import { missing } from '@switchroom/tools/debian-packages'
import { legOf, soundServer } from '../../testing/secure-call.ts'
import { openFence, until } from '../../testing/sip-peer.ts'
import { runScenario } from '../../testing/sip-sipp.ts'
import { ask, hear, isAsked, mayHear, answer, plays, scenario, sound } from '../../testing/sipp-scenario.ts'
import type { SipOptions } from './server.ts'

// What sipp sends is sound of its own: it knows nothing of us.

const options = { skip: missing('sipp'), timeout: 60_000 }

function pcmu(samples: Int16Array): Uint8Array {
  const bytes = new Uint8Array(samples.length)
  encodeG711('PCMU', samples, bytes)
  return bytes
}

const tone = { 'tone.ulaw': pcmu(sine(440, 8_000)) }

/** A call of sipp's in which it plays a file until it is hung up on. */
async function playing(
  t: TestContext,
  body: string,
  files: Record<string, Uint8Array> = tone,
  server: Partial<SipOptions> = {},
) {
  const fences = [openFence]
  const near = await soundServer(t, { fences: () => fences, ...server })
  const steps = [
    ask('INVITE', 1, { body }),
    mayHear(100),
    mayHear(180),
    hear(200),
    ask('ACK', 1),
    ...Object.keys(files).map(plays),
    isAsked('BYE'),
    answer('200 OK', {}, ''),
  ]
  const ownWay = ['-default_behaviors', 'none', '-timeout', '50s'] // what it does not expect it leaves unanswered
  const to = ['-s', '+34911222333', `127.0.0.1:${near.server.port}`, '-m', '1', ...ownWay]
  const sipp = await runScenario(scenario(...steps), to, files)
  await until(() => near.calls.length > 0)
  const call = await near.calls[0]
  assert.ok(call)
  return { sipp, call, leg: await legOf(t, call) }
}

const keypad: Record<string, [number, number]> = {
  '1': [697, 1209],
  '5': [770, 1336],
  '9': [852, 1477],
  '#': [941, 1477],
}

/** Keys as a phone without telephone events sends them: 120 ms each, with a pause behind. */
function keysAsSound(keys: string): Int16Array {
  const pieces = Array.from(keys, (key) => {
    const [low, high] = keypad[key] ?? [0, 0]
    const [one, other] = [sine(low, 960), sine(high, 960)]
    return [...one.map((sample, at) => (sample + (other[at] ?? 0)) >> 1), ...new Int16Array(960)]
  })
  return Int16Array.from([...new Int16Array(4_000), ...pieces.flat(), ...new Int16Array(80_000)])
}

test(
  'keys that sipp presses in the sound are reported, since it agreed on no telephone events',
  options,
  async (t) => {
    const body = sound({ line: 'RTP/AVP 0', lines: [] })
    const { sipp, call, leg } = await playing(t, body, { 'keys.ulaw': pcmu(keysAsSound('159#')) })
    let pressed = ''
    leg.onTone((digit) => (pressed += digit))
    // it begins anew: a machine that was late missed the first ones
    await until(() => pressed.endsWith('159#'))
    assert.ok('159#159#'.endsWith(pressed), pressed)
    await call.bye()
    assert.deepEqual(await sipp.done, { status: 0, said: '' })
  },
)

test('sipp behind a router, whose sound comes from elsewhere than it says, is heard', options, async (t) => {
  const { sipp, call, leg } = await playing(t, sound({ address: '192.168.77.7' }))
  for await (const frame of leg.heard()) if (strengthOf(440, frame) > 0.8) break
  await call.bye()
  assert.deepEqual(await sipp.done, { status: 0, said: '' })
})

test('a call in which sipp is heard outlives every OPTIONS that it leaves unanswered', options, async (t) => {
  const timing = { pingEveryMs: 20, t1Ms: 5, t2Ms: 10, t4Ms: 5 }
  const { sipp, call, leg } = await playing(t, sound(), tone, { timing })
  // Three questions are given up on within 1.2 s: it lives on for three.
  let heard = 0
  for await (const frame of leg.heard()) {
    if (strengthOf(440, frame) > 0.8) heard += 1
    if (heard === 150) break
  }
  assert.equal(heard, 150)
  await call.bye()
  assert.deepEqual(await sipp.done, { status: 0, said: '' })
})
