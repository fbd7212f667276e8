import assert from 'node:assert/strict'
import { once, EventEmitter } from 'node:events'
import { after, test } from 'node:test'
import {
  ActivityHandling,
  Behavior,
  GoogleGenAI,
  Modality,
  TurnCoverage,
  type LiveConnectConfig,
  type LiveServerMessage,
  type Session,
} from '@google/genai'
import { polite } from '@switchroom/kit/testing/realtime-conformance'
import { asks, look, replied } from '@switchroom/kit/testing/realtime-script'
import { startWireFake } from '@switchroom/kit/testing/wire-fake'
import type { RealtimeAsked } from '@switchroom/kit/vendor'
import { LiveTalk } from '../testing/live-talk.ts'
import { LiveVendor, type LiveBehaviour } from '../testing/live-vendor.ts'

const model = 'gemini-3.8-live'
const loud = Buffer.from(
  Int16Array.from({ length: 4_800 }, (_, at) => 6_000 * Math.sin(at / 8)).buffer,
).toString('base64')
const quiet = Buffer.alloc(16_000).toString('base64')
const mimeType = 'audio/pcm;rate=16000'
const manual = { realtimeInputConfig: { automaticActivityDetection: { disabled: true } } }

/** The vendor's own client on our wire, and everything that it received. */
class SdkSession {
  readonly received: LiveServerMessage[] = []
  readonly vendor: LiveVendor
  closing: { code: number; reason: string } | undefined
  session: Session | undefined
  readonly #news = new EventEmitter()

  constructor(vendor: LiveVendor) {
    this.vendor = vendor
  }

  async connect(url: string, config: LiveConnectConfig = {}): Promise<Session> {
    const ai = new GoogleGenAI({ apiKey: 'key-of-ana', httpOptions: { baseUrl: url } })
    this.session = await ai.live.connect({
      model,
      config: {
        responseModalities: [Modality.AUDIO],
        inputAudioTranscription: {},
        outputAudioTranscription: {},
        ...config,
      },
      callbacks: {
        onmessage: (message) => {
          this.received.push(message)
          this.#news.emit('news')
        },
        onclose: ({ code, reason }) => {
          this.closing = { code, reason }
          this.#news.emit('news')
        },
      },
    })
    return this.session
  }

  async until(holds: () => boolean) {
    const signal = AbortSignal.timeout(10_000)
    while (!holds()) await once(this.#news, 'news', { signal })
  }

  untilTurns(count: number) {
    return this.until(() => this.received.filter((one) => one.serverContent?.turnComplete).length >= count)
  }

  get heard(): string {
    return this.received.map((one) => one.serverContent?.inputTranscription?.text ?? '').join('')
  }

  get said(): string {
    return this.received.map((one) => one.serverContent?.outputTranscription?.text ?? '').join('')
  }

  get handle(): string | undefined {
    return this.received.findLast((one) => one.sessionResumptionUpdate?.resumable)?.sessionResumptionUpdate
      ?.newHandle
  }
}

async function started(behaviour: Partial<LiveBehaviour> = {}, config: LiveConnectConfig = {}) {
  const vendor = new LiveVendor({ ...polite, ...behaviour })
  const fake = await startWireFake(vendor.wire)
  after(() => fake.stop())
  const client = new SdkSession(vendor)
  const session = await client.connect(fake.url, config)
  after(() => session.close())
  return { client, session, vendor, url: fake.url }
}

test('the vendor’s client talks to our wire, which detects its turns, and hears an answer', async () => {
  const { client, session, vendor } = await started()
  session.sendRealtimeInput({ audio: { data: loud, mimeType } })
  session.sendRealtimeInput({ audio: { data: quiet, mimeType } })
  await client.untilTurns(1)
  assert.equal(client.heard, 'What time is it?')
  assert.equal(client.said, 'Hello there.')
  const bytes = client.received.map((one) => Buffer.from(one.data ?? '', 'base64').length)
  assert.equal(
    bytes.reduce((sum, length) => sum + length, 0),
    2 * 9_600,
  )
  const last = client.received.findLast((one) => one.usageMetadata)
  assert.equal(last?.usageMetadata?.totalTokenCount, 130)
  assert.deepEqual(vendor.connections[0]?.errors, [])
})

test('the vendor’s client marks activities itself, interrupts an answer, and asks for the next', async () => {
  const answers = ['one two three four five six seven eight', 'Yes?']
  const { client, session, vendor } = await started(
    { answer: () => ({ text: answers.shift() ?? '' }), saysOnly: 2 },
    manual,
  )
  const speak = () => {
    session.sendRealtimeInput({ activityStart: {} })
    session.sendRealtimeInput({ audio: { data: loud, mimeType } })
    session.sendRealtimeInput({ activityEnd: {} })
  }
  speak()
  await client.until(() => client.said === 'one two ')
  vendor.behaviour.saysOnly = Infinity
  speak()
  await client.untilTurns(2)
  assert.ok(client.received.some((one) => one.serverContent?.interrupted))
  assert.doesNotMatch(client.said, /eight/)
  assert.match(client.said, /Yes\?$/)
  session.sendClientContent({ turns: [{ role: 'user', parts: [{ text: 'Well?' }] }] })
  await client.untilTurns(3)
})

test('the vendor’s client answers a call of a tool, and changes instructions and tools during a session', async () => {
  const wanted: object[] = []
  const calls = [{ id: 'c1', name: 'look', arguments: '{"day":"today"}' }]
  const { client, session, vendor } = await started({
    answer(asked) {
      wanted.push(asked)
      return wanted.length === 1 ? { text: 'One moment.', calls } : { text: 'At eight.' }
    },
  })
  const looking = { name: 'look', parametersJsonSchema: { type: 'object' }, behavior: Behavior.BLOCKING }
  session.sendContextUpdate({
    systemInstruction: 'Be brief.',
    tools: { tools: [{ functionDeclarations: [looking] }] },
  })
  session.sendClientContent({ turns: 'When?' })
  await client.until(() => client.received.some((one) => one.toolCall))
  const call = client.received.find((one) => one.toolCall)?.toolCall?.functionCalls?.[0]
  assert.deepEqual(call, { id: 'c1', name: 'look', args: { day: 'today' } })
  session.sendToolResponse({ functionResponses: [{ id: 'c1', name: 'look', response: { output: 'at 8' } }] })
  await client.untilTurns(1)
  session.sendContextUpdate({ tools: { tools: [] } })
  session.sendClientContent({ turns: 'And tomorrow?' })
  await client.untilTurns(2)
  assert.deepEqual(wanted, [
    { instructions: 'Be brief.', tools: ['look'] },
    { instructions: 'Be brief.', tools: ['look'] },
    { instructions: 'Be brief.', tools: [] },
  ])
  assert.deepEqual(vendor.connections[0]?.known.slice(0, 3), [
    'user: When?',
    'model: One moment.',
    'tool: look: at 8',
  ])
})

test('the vendor’s client resumes a session on another connection, which knows what was said', async () => {
  const config = { sessionResumption: {}, contextWindowCompression: { slidingWindow: {} } }
  const { client, session, vendor, url } = await started({}, config)
  session.sendClientContent({ turns: 'My name is Ana.' })
  await client.untilTurns(1)
  vendor.connections[0]?.goesAway('9.5s')
  await client.until(() => client.received.some((one) => one.goAway?.timeLeft === '9.5s'))
  const handle = client.handle ?? ''
  session.close()
  const again = new SdkSession(vendor)
  after(() => again.session?.close())
  await again.connect(url, { ...config, sessionResumption: { handle } })
  assert.deepEqual(vendor.connections[1]?.known, ['user: My name is Ana.', 'model: Hello there.'])
})

test('the vendor’s client reads why a session was refused', async () => {
  const { client, session } = await started({}, manual)
  session.sendRealtimeInput({ activityEnd: {} })
  await client.until(() => client.closing !== undefined)
  assert.deepEqual(client.closing, { code: 1007, reason: 'Precondition check failed.' })
})

test('our messages are those that the vendor’s client sends for the same session', async () => {
  const knobs = { voice: 'Kore', language: 'pt-BR', heard: ['Ana'], temperature: 0.4 }
  const calls = [{ id: 'c1', name: 'look', arguments: '{}' }]
  const answer = () => ({ text: 'One moment.', calls })
  const talk = new LiveTalk({ answer })
  const outcome: RealtimeAsked = {
    type: 'tell',
    message: { role: 'tool', call: 'c1', name: 'look', text: 'at 8' },
  }
  const history: RealtimeAsked = { type: 'tell', message: { role: 'user', text: 'When?' } }
  await talk.run([history, asks('r1'), replied('r1'), outcome, asks('r2'), replied('r2')], { knobs })

  const { client, session, vendor } = await started(
    { answer },
    {
      temperature: 0.4,
      speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: 'Kore' } } },
      realtimeInputConfig: {
        automaticActivityDetection: { disabled: true },
        activityHandling: ActivityHandling.START_OF_ACTIVITY_INTERRUPTS,
        turnCoverage: TurnCoverage.TURN_INCLUDES_ONLY_ACTIVITY,
      },
      inputAudioTranscription: { languageCodes: ['pt-BR'], customVocabulary: ['Ana'] },
      contextWindowCompression: { slidingWindow: {} },
      sessionResumption: {},
    },
  )
  const { parameters: parametersJsonSchema, ...declared } = look
  const declaration = { ...declared, parametersJsonSchema, behavior: Behavior.BLOCKING }
  session.sendContextUpdate({
    systemInstruction: { parts: [{ text: 'Be brief.' }] },
    tools: { tools: [{ functionDeclarations: [declaration] }] },
  })
  session.sendClientContent({ turns: [{ role: 'user', parts: [{ text: 'When?' }] }] })
  await client.until(() => client.received.some((one) => one.toolCall))
  session.sendToolResponse({ functionResponses: [{ id: 'c1', name: 'look', response: { output: 'at 8' } }] })
  await client.until(() => client.received.filter((one) => one.toolCall).length === 2)
  assert.deepEqual(talk.connection().messages, vendor.connections[0]?.messages)
})
