import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { vendorIn } from '@switchroom/kit/installed'
import { polite, realtimeConformance } from '@switchroom/kit/testing/realtime-conformance'
import {
  asks,
  converse,
  isAudio,
  isEnded,
  look,
  replied,
  Script,
  wordsOf,
} from '@switchroom/kit/testing/realtime-script'
import { startWireFake, type SocketAnswer } from '@switchroom/kit/testing/wire-fake'
import type { RealtimeAsked } from '@switchroom/kit/vendor'
import { folder, LiveTalk, model } from '../testing/live-talk.ts'
import { LiveVendor } from '../testing/live-vendor.ts'

const usage = { inputTokens: 90, outputTokens: 40, inputAudioTokens: 60, outputAudioTokens: 30 }

realtimeConformance({
  folder,
  model,
  usage,
  fake(behaviour) {
    const vendor = new LiveVendor(behaviour)
    return {
      wire: vendor.wire,
      known: () => vendor.connections.at(-1)?.known.join('\n') ?? '',
      errors: () => vendor.connections.flatMap(({ errors }) => errors),
    }
  },
})

const of = (talk: LiveTalk, kind: 'clientContent' | 'contextUpdate' | 'realtimeInput' | 'toolResponse') =>
  talk.connection().messages.flatMap((message) => (message[kind] ? [message[kind]] : []))
const loud = (ms: number) =>
  new Uint8Array(Int16Array.from({ length: ms * 16 }, (_, at) => 6_000 * Math.sin(at / 8)).buffer)
const started: RealtimeAsked = { type: 'speech', state: 'started' }
const ended: RealtimeAsked = { type: 'speech', state: 'ended' }

test('a session is opened with what the agent is set to: its turns are ours to mark, and it lasts as long as the call', async () => {
  const talk = new LiveTalk()
  const knobs = { voice: 'Kore', language: 'pt-BR', heard: ['Switchroom', 'Ana'], temperature: 0.4 }
  await talk.run([asks('r1'), replied('r1')], { knobs })
  const { seen, setup, messages } = talk.connection()
  assert.equal(seen.headers['x-goog-api-key'], 'key-of-ana')
  assert.equal(seen.url.search, '')
  assert.deepEqual(messages[0]?.setup, {
    model: 'models/gemini-3.8-live',
    generationConfig: {
      responseModalities: ['AUDIO'],
      temperature: 0.4,
      speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: 'Kore' } } },
    },
    realtimeInputConfig: {
      automaticActivityDetection: { disabled: true },
      activityHandling: 'START_OF_ACTIVITY_INTERRUPTS',
      turnCoverage: 'TURN_INCLUDES_ONLY_ACTIVITY',
    },
    inputAudioTranscription: { languageCodes: ['pt-BR'], customVocabulary: ['Switchroom', 'Ana'] },
    outputAudioTranscription: {},
    contextWindowCompression: { slidingWindow: {} },
    sessionResumption: {},
  })
  const declared = { name: 'look', description: 'looks', behavior: 'BLOCKING' }
  assert.deepEqual(setup.tools, [
    { functionDeclarations: [{ ...declared, parametersJsonSchema: look.parameters }] },
  ])
})

test('only speech is sent, with the moment before it, and is answered once a reply is asked for', async () => {
  const talk = new LiveTalk()
  const quiet = new Uint8Array(32_000)
  const told = await talk.run([
    quiet,
    quiet,
    started,
    loud(300),
    ended,
    quiet,
    isEnded,
    asks('r1'),
    replied('r1'),
  ])
  assert.equal(wordsOf(told, 'r1'), 'Hello there.')
  const { heardBytes, strayBytes } = talk.connection()
  assert.deepEqual([heardBytes, strayBytes], [quiet.length + 9_600, 0])
  assert.deepEqual(of(talk, 'realtimeInput'), [{ activityStart: {} }, { activityEnd: {} }])
})

test('instructions and tools are sent when they change', async () => {
  const talk = new LiveTalk()
  const say: RealtimeAsked = { type: 'say', reply: 's1', text: 'Wait.' }
  await talk.run([
    asks('r1'),
    replied('r1'),
    asks('r2'),
    replied('r2'),
    asks('r3', 'Be kind.'),
    replied('r3'),
    say,
    replied('s1'),
    asks('r4', 'Be kind.'),
    replied('r4'),
  ])
  const changed = of(talk, 'contextUpdate').map((update) => Object.keys(update))
  assert.deepEqual(changed, [['systemInstruction', 'tools'], ['systemInstruction'], ['tools'], ['tools']])
})

test('a caller who talks over a reply is sent once the session stops it, and the model learns how much was heard', async () => {
  const talk = new LiveTalk({ answer: () => ({ text: 'one two three four five six' }), saysOnly: 2 })
  const told = await talk.run([
    asks('r1'),
    isAudio,
    isAudio,
    started,
    loud(100),
    { act: () => assert.equal(talk.connection().heardBytes, 0) },
    { type: 'stop', reply: 'r1' },
    { type: 'cut', item: 'r1', heardMs: 250 },
    { act: () => (talk.vendor.behaviour.saysOnly = Infinity) },
    loud(100),
    ended,
    replied('r1'),
    asks('r2'),
    replied('r2'),
  ])
  assert.deepEqual(talk.errors, [])
  assert.equal(talk.connection().heardBytes, 6_400)
  const [, note] = of(talk, 'clientContent')
  const text = 'You were interrupted. Of your last answer only this was heard: “one”'
  assert.deepEqual(note, { turns: [{ role: 'user', parts: [{ text }] }], turnComplete: false })
  assert.equal(wordsOf(told, 'r2'), 'one two three four five six')
})

test('what was on its way when a reply was stopped is not said by the next one', async () => {
  const said = ['one two three', 'Yes?']
  const talk = new LiveTalk({ answer: () => ({ text: said.shift() ?? '' }), saysOnly: 2, late: 'too late' })
  const told = await talk.run([
    asks('r1'),
    isAudio,
    isAudio,
    { type: 'stop', reply: 'r1' } as const,
    asks('r2'),
    replied('r2'),
  ])
  assert.deepEqual([wordsOf(told, 'r1'), wordsOf(told, 'r2')], ['one two ', 'Yes?'])
  const note = 'You were interrupted before the end of your last answer: the rest of it was not heard.'
  assert.ok(talk.connection().known.includes(`user: ${note}`))
})

test('an answer that was played in part after it was made is cut in what the model knows', async () => {
  const talk = new LiveTalk({ answer: () => ({ text: 'one two three four' }), playsMs: 10_000 })
  const cut: RealtimeAsked = { type: 'cut', item: 'r1', heardMs: 400 }
  await talk.run([asks('r1'), replied('r1'), cut, started, loud(100), ended, asks('r2'), replied('r2')])
  const known = talk.connection().known.join('\n')
  assert.match(known, /model: one two three four\n.*only this was heard: “one two”\nuser: What time/)
})

test('a turn that the model never finished playing is over for the caller when it was made', async () => {
  const talk = new LiveTalk({ playsMs: 60_000 })
  const told = await talk.run([asks('r1'), replied('r1'), asks('r2'), replied('r2')])
  assert.deepEqual([wordsOf(told, 'r1'), wordsOf(told, 'r2')], ['Hello there.', 'Hello there.'])
  assert.ok(told.some((one) => one.type === 'used' && one.reply === 'r1'))
})

test('what comes of a call that the vendor cancelled is a note', async () => {
  const calls = [{ id: 'c1', name: 'look', arguments: '{}' }]
  const said = [{ text: 'One moment.', calls }, { text: 'Yes?' }, { text: 'At eight.' }]
  const talk = new LiveTalk({ answer: () => said.shift() ?? { text: '' } })
  const outcome: RealtimeAsked = {
    type: 'tell',
    message: { role: 'tool', call: 'c1', name: 'look', text: 'at eight' },
  }
  const told = await talk.run([
    asks('r1'),
    replied('r1'),
    started,
    loud(100),
    ended,
    talk.until(() => talk.connection().heardBytes > 0),
    asks('r2'),
    replied('r2'),
    outcome,
    asks('r3'),
    replied('r3'),
  ])
  assert.deepEqual(talk.errors, [])
  assert.deepEqual(of(talk, 'toolResponse'), [])
  assert.ok(talk.connection().known.includes('user: What came of look: at eight'))
  assert.equal(wordsOf(told, 'r3'), 'At eight.')
})

test('models whose instructions are fixed, or that do not wait for tools, are refused by name', async () => {
  const build = (named: string) =>
    vendorIn(folder)?.realtime({ model: named, credentials: { api_key: 'key-1' } })
  for (const named of ['gemini-3.1-flash-live-preview', 'gemini-2.5-flash-native-audio-preview-12-2025'])
    await assert.rejects(async () => build(named), {
      kind: 'refused',
      message: `${named} takes no other instructions during a call: choose gemini-3.8-live`,
    })
  await assert.rejects(async () => build('gemini-3.8-live-extended-thinking'), {
    message: 'gemini-3.8-live-extended-thinking does not wait for its tools: choose gemini-3.8-live',
  })
})

test('a setting that the vendor does not take is refused in its words', async () => {
  const wire = {
    ...new LiveVendor(polite).wire,
    socket: (socket: SocketAnswer) =>
      socket.onFrame(() => socket.close(1007, 'Voice nova is not supported.')),
  }
  const fake = await startWireFake(wire)
  after(() => fake.stop())
  const choice = { model, options: { base_url: fake.url }, credentials: { api_key: 'key-1' } }
  const talk = Array.fromAsync(converse(folder, new Script(), choice, AbortSignal.timeout(5_000)))
  await assert.rejects(talk, { kind: 'refused', message: 'Voice nova is not supported.' })
})
