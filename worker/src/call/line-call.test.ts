import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Entry, NewEntry } from '@switchroom/contract/log'
import type { Config } from '@switchroom/contract/settings'
import type { InstalledVendors } from '@switchroom/kit/installed'
import type { Heard, Spoken, Thought } from '@switchroom/kit/vendor'
import { until } from '@switchroom/launcher/testing/waiting'
import type { Leg, LegEnd } from '@switchroom/media/leg'
import { MediaError } from '@switchroom/media/plane'
import { dispose } from '@switchroom/media/testing/livekit-person'
import { pino } from 'pino'
import { GatewayRefusal, type GatewayClient } from '../gateway-client.ts'
import { SpokenCall } from './spoken-call.ts'
import type { DialLeg } from './transfers.ts'

after(() => dispose())

const sampleRate = 16_000
const frame = new Int16Array(sampleRate / 50)

/** A silent caller whose playback takes no time. */
class SilentLeg implements Leg {
  readonly sampleRate = sampleRate
  readonly #over = Promise.withResolvers<LegEnd>()
  readonly ended = this.#over.promise
  #isOver = false
  playedMs = 0
  /** The clips that were begun between what is said, and null for each end. */
  readonly between: (Int16Array | null)[] = []

  async *heard() {
    for (; !this.#isOver; await pause(20)) yield frame
  }

  async play(samples: Int16Array) {
    this.playedMs += (samples.length / sampleRate) * 1_000
  }

  async hangUp() {
    this.#isOver = true
    this.#over.resolve('hangup')
  }

  playBetween(clip: Int16Array | null) {
    this.between.push(clip)
  }

  clear() {}
  async drained() {}
  onTone() {}
  async sendTones() {}
  async transfer() {}
}

/** Hands on what comes, to one reader after the other. */
class Queue<Item> {
  #items: Item[] = []

  add(item: Item) {
    this.#items.push(item)
  }

  async *read(signal: AbortSignal): AsyncIterable<Item> {
    for (; !signal.aborted; await pause(5)) yield* this.#items.splice(0)
  }
}

/** What the caller says, what others want of the call, and what came of it. */
function lineCall(
  extensionMs = 0,
  otherwise: Record<string, () => Promise<unknown>> = {},
  endsAt: number | null = null,
  { dial = () => assert.fail('no dial is expected'), knobs = {} }: { dial?: DialLeg; knobs?: Config } = {},
) {
  const leg = new SilentLeg()
  const [heard, wishes, kept] = [new Queue<Heard>(), new Queue<Entry>(), [] as NewEntry[]]
  let asked = 0
  const speak = async function* (): AsyncIterable<Spoken> {
    yield { type: 'audio', pcm: new Uint8Array(3_200) }
  }
  const listen = async function* (_: unknown, _rate: number, signal: AbortSignal): AsyncIterable<Heard> {
    yield { type: 'ready' }
    yield* heard.read(signal)
  }
  const think = async function* (): AsyncIterable<Thought> {
    asked += 1
    yield { type: 'text', text: 'At eight.' }
  }
  const vendor = {
    isRealtime: () => false,
    transcriber: async () => ({ listen }),
    voice: async () => ({ sampleRate, speak }),
    model: async () => ({ think }),
  }
  const named = { vendor: 'one', model: 'm', key: 'yours', credentials: {}, builds: null, options: {} }
  const stage = { ...named, fallbacks: [], language: null, temperature: null, voice: null }
  const stages = { llm: stage, stt: { ...stage, end_of_turn: 'framework' }, tts: stage }
  const config = { greeting: { say: 'Hello.' }, llm_timeout_s: 5, max_duration_s: 0, ...knobs }
  const gateway = {
    config: async () => ({ stages, config, lexicon: { said: [], heard: [] } }),
    providerKeys: async () => ({ stages }),
    instructions: async () => ({
      prompt: '',
      contact: null,
      send_audio_metrics: false,
      facts: [],
      tools: [],
      call: { metadata: {} },
    }),
    prepare: async () => ({ set: {} }),
    entriesOf: async () => [],
    follow: (_: string, _after: number, signal: AbortSignal) => wishes.read(signal),
    append: async (_: string, { entries }: { entries: NewEntry[] }) => void kept.push(...entries),
    beat: async () => {},
    ...otherwise,
  }
  const call = new SpokenCall(
    {
      gateway: gateway as unknown as GatewayClient,
      vendors: { doing: () => vendor } as unknown as InstalledVendors,
      logger: pino({ level: 'silent' }),
      leg,
      dial,
      join: () => assert.fail('no join is expected'),
      tellLanguage: () => {},
      tellVendors: () => {},
      idleTimeoutMs: 60_000,
      recordingFormat: 'wav',
      unsentRecordings: { send: async () => {} },
    },
    { call: 'call_1', org: 'org_1', env: 'sandbox', agent: 'desk', line: { extensionMs } },
    endsAt,
  )
  const told = (type: string) => kept.filter((entry) => entry.type === type).map(({ data }) => data)
  return {
    call,
    leg,
    told,
    keys: async () => ({ stages }),
    asked: () => asked,
    says: (text: string) => heard.add({ type: 'final', text }),
    wants: (type: string, data: Record<string, unknown>) =>
      wishes.add({ seq: 1, ts: 0, call: 'call_1', agent: 'desk', type, ephemeral: false, data }),
    untilSaid: (text: string) =>
      until(`${text} is said`, () => told('agent.message').some((message) => message['text'] === text)),
  }
}

test('on a line there is no greeting and no model answers what the caller says, before and after a takeover, until an agent is handed the call', async () => {
  const { call, told, asked, says, wants, untilSaid } = lineCall()
  const running = call.run()
  says('The workshop, please.')
  await until('the caller is heard', () => told('turn.end').length === 1)
  wants('say.requested', { text: 'One moment.' })
  await untilSaid('One moment.')
  wants('call.taken_over', {})
  wants('call.released', {})
  wants('say.requested', { text: 'Still there?' })
  await untilSaid('Still there?')
  says('Yes.')
  await until('they are heard again', () => told('turn.end').length === 2)
  wants('say.requested', { text: 'Here you are.' })
  await untilSaid('Here you are.')
  assert.deepEqual(
    told('agent.message').map((message) => message['text']),
    ['One moment.', 'Still there?', 'Here you are.'],
  )
  assert.equal(asked(), 0)
  wants('call.routed', { agent: 'workshop' })
  await untilSaid('Hello.')
  says('When is my car ready?')
  await untilSaid('At eight.')
  assert.equal(asked(), 1)
  call.end('hangup', 'the test ends it')
  await running
  assert.deepEqual(told('call.ended'), [{ reason: 'hangup' }])
})

test('a line that released a call while its extension was collected receives no extension, and the call continues', async () => {
  const tellExtension = () => Promise.reject(new GatewayRefusal(409, 'it is on no line'))
  const { call, wants, untilSaid, told } = lineCall(20, { tellExtension })
  const running = call.run()
  wants('call.routed', { agent: 'workshop' })
  await untilSaid('Hello.')
  call.end('hangup', 'the test ends it')
  await running
  assert.deepEqual([told('error'), told('call.ended')], [[], [{ reason: 'hangup' }]])
})

test('an agent that cannot be run ends the call that it is handed, and the log says why', async () => {
  let asked = 0
  const { stages } = await lineCall().keys()
  const providerKeys = async () => {
    asked += 1
    if (asked > 1) throw new GatewayRefusal(403, 'workshop has no voice')
    return { stages }
  }
  const { call, wants, untilSaid, told } = lineCall(0, { providerKeys })
  const running = call.run()
  wants('say.requested', { text: 'One moment.' })
  await untilSaid('One moment.')
  wants('call.routed', { agent: 'workshop' })
  await running
  assert.deepEqual(told('error'), [{ code: 'llm_failed', detail: 'workshop has no voice' }])
  assert.deepEqual(told('call.ended'), [{ reason: 'failed' }])
})

test('a call that has a time of its own to end ends then, though its agent has no longest time (S-078)', async () => {
  const { call, told } = lineCall(0, {}, Date.now() + 1_000)
  await call.run()
  assert.deepEqual(told('session.timeout'), [{ reason: 'max_duration' }])
  assert.deepEqual(told('call.ended'), [{ reason: 'max_duration' }])
})

test('a line that hands a call on before anything is asked about its own agent hands it on', async () => {
  let asked = 0
  const { stages } = await lineCall().keys()
  const providerKeys = async () => {
    asked += 1
    if (asked === 1) throw new GatewayRefusal(404, 'there is no call of desk')
    return { stages }
  }
  const data = { agent: 'workshop' }
  const routed = { seq: 1, ts: 0, call: 'call_1', agent: 'desk', type: 'call.routed', ephemeral: false, data }
  const { call, untilSaid, told } = lineCall(0, { providerKeys, entriesOf: async () => [routed] })
  const running = call.run()
  await untilSaid('Hello.')
  call.end('hangup', 'the test ends it')
  await running
  assert.deepEqual([told('error'), told('call.ended')], [[], [{ reason: 'hangup' }]])
})

test('a caller who waits for the other person of a warm transfer hears the message and the tones of the settings', async () => {
  const ringing = Promise.withResolvers<Leg>()
  const knobs = { hold_message: 'I am connecting you.', hold_music: true }
  const trunk = { hostname: 'carrier.example', transport: 'udp', auth_username: '', auth_password: '' }
  const fallbacks = [{ account: 'backup', trunk }]
  const outboundTrunk = async () => ({ trunk, from: '+15550100', fallbacks, caller: '+15550101' })
  const dials: unknown[] = []
  const { call, leg, told, wants, untilSaid } = lineCall(0, { outboundTrunk }, null, {
    dial: (dial) => (dials.push(dial), ringing.promise),
    knobs,
  })
  const running = call.run()
  wants('transfer.requested', { to: '+15550199', kind: 'warm' })
  await untilSaid('I am connecting you.')
  assert.deepEqual(
    leg.between.map((clip) => clip?.length),
    [4 * sampleRate],
  )
  assert.ok(leg.between[0]?.some((sample) => Math.abs(sample) > 1_000))
  ringing.reject(new MediaError('nobody answered'))
  await until('the caller stays', () => told('call.transferred').length === 1)
  await until('the tones end', () => leg.between.at(-1) === null)
  // The other person is called as the gateway says, with who is forwarded.
  assert.deepEqual(dials, [{ to: '+15550199', from: '+15550100', trunk, fallbacks, caller: '+15550101' }])
  call.end('hangup', 'the test ends it')
  await running
})

test('a transfer that is refused before anybody is called, and one without these settings, say and play nothing', async () => {
  const refused = async () => {
    throw new GatewayRefusal(403, 'it may not be dialled now')
  }
  const knobs = { hold_message: 'I am connecting you.', hold_music: true }
  const { call, leg, told, wants } = lineCall(0, { outboundTrunk: refused }, null, { knobs })
  const running = call.run()
  wants('transfer.requested', { to: '+15550199', kind: 'warm' })
  await until('the caller stays', () => told('call.transferred').length === 1)
  call.end('hangup', 'the test ends it')
  await running
  assert.deepEqual(told('agent.message'), [])
  assert.ok(leg.between.every((clip) => clip === null))
})
