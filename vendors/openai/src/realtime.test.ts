import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { RealtimeAsked } from '@switchroom/kit/vendor'
import { polite, realtimeConformance } from '@switchroom/kit/testing/realtime-conformance'
import {
  asks,
  converse,
  isAudio,
  isFinal,
  look,
  replied,
  Script,
} from '@switchroom/kit/testing/realtime-script'
import { startWireFake } from '@switchroom/kit/testing/wire-fake'
import { RealtimeVendor, type Behaviour, type Wanted } from '../testing/realtime-vendor.ts'

const folder = join(import.meta.dirname, '..')
const model = 'gpt-realtime-2.1'
const usage = { inputTokens: 90, outputTokens: 40, inputAudioTokens: 60, outputAudioTokens: 30 }

realtimeConformance({
  folder,
  model,
  usage,
  fake(behaviour) {
    const answer = (wanted: Wanted) => {
      const said = behaviour.answer(wanted)
      if (said instanceof Error) return said
      return { ...said, calls: said.calls?.map(({ id, ...call }) => ({ call_id: id, ...call })) ?? [] }
    }
    const vendor = new RealtimeVendor({ ...behaviour, answer })
    return {
      wire: vendor.wire,
      known: () => JSON.stringify(vendor.conversations.at(-1)?.events),
      errors: () => vendor.conversations.flatMap(({ errors }) => errors),
    }
  },
})

async function conversed(behaviour: Partial<Behaviour>, script: Script, knobs = {}, options = {}) {
  const vendor = new RealtimeVendor({ ...polite, ...behaviour })
  const fake = await startWireFake(vendor.wire)
  after(() => fake.stop())
  const choice = {
    model,
    knobs,
    options: { base_url: fake.url, ...options },
    credentials: { api_key: 'key-of-ana' },
  }
  const told = await Array.fromAsync(converse(folder, script, choice, AbortSignal.timeout(10_000)))
  const [conversation] = vendor.conversations
  assert.ok(conversation)
  return { told, conversation }
}

test('a conversation is opened with what the agent is set to, and the vendor never answers by itself (SD-60)', async () => {
  const knobs = { voice: 'coral', language: 'pt-BR', heard: ['Switchroom', 'Ana'], endpointing_ms: 300 }
  const { conversation } = await conversed({}, new Script(asks('r1'), replied('r1')), knobs, { speed: 1.1 })
  assert.equal(conversation.seen.url.search, '?model=gpt-realtime-2.1')
  assert.equal(conversation.seen.headers.authorization, 'Bearer key-of-ana')
  const format = { type: 'audio/pcm', rate: 24_000 }
  assert.deepEqual(conversation.session, {
    type: 'realtime',
    output_modalities: ['audio'],
    audio: {
      input: {
        format,
        transcription: { model: 'gpt-live-transcribe', language: 'pt', keywords: ['Switchroom', 'Ana'] },
        turn_detection: {
          type: 'server_vad',
          create_response: false,
          interrupt_response: false,
          silence_duration_ms: 300,
        },
      },
      output: { format, voice: 'coral', speed: 1.1 },
    },
  })
  assert.deepEqual(conversation.events.at(-1), {
    type: 'response.create',
    event_id: 'r1',
    response: {
      instructions: 'Be brief.',
      tools: [{ type: 'function', ...look }],
      tool_choice: 'auto',
      metadata: { reply: 'r1' },
    },
  })
})

test('what the party says is a turn with its words, once it was quiet for long enough', async () => {
  const loud = new Uint8Array(Int16Array.from({ length: 4_800 }, (_, at) => 6_000 * Math.sin(at / 8)).buffer)
  const script = new Script(loud, new Uint8Array(24_000), isFinal)
  const { told, conversation } = await conversed({}, script)
  assert.equal(conversation.heardBytes, loud.length + 24_000)
  const turn = 'item_3'
  assert.deepEqual(told, [
    { type: 'ready' },
    { type: 'turn', state: 'started', turn },
    { type: 'turn', state: 'ended', turn },
    { type: 'partial', turn, text: 'What ' },
    { type: 'partial', turn, text: 'What time ' },
    { type: 'partial', turn, text: 'What time is ' },
    { type: 'partial', turn, text: 'What time is it?' },
    { type: 'final', turn, text: 'What time is it?' },
  ])
  const unclear = await conversed(
    { transcript: () => null },
    new Script(loud, new Uint8Array(24_000), isFinal),
  )
  assert.deepEqual(unclear.told.at(-1), { type: 'final', turn, text: null })
})

test('a reply is sound and its words, tools that it calls, and what it cost', async () => {
  const calls = [{ call_id: 'c1', name: 'look', arguments: '{"day":"today"}' }]
  const { told } = await conversed(
    { answer: () => ({ text: 'One moment.', calls }) },
    new Script(asks('r1'), replied('r1')),
  )
  const item = 'item_5'
  const pcm = (n: number) => (told[n]?.type === 'audio' ? told[n].pcm : new Uint8Array())
  assert.deepEqual(told, [
    { type: 'ready' },
    { type: 'text', reply: 'r1', text: 'One ' },
    { type: 'audio', reply: 'r1', item, pcm: pcm(2) },
    { type: 'text', reply: 'r1', text: 'moment.' },
    { type: 'audio', reply: 'r1', item, pcm: pcm(4) },
    { type: 'call', reply: 'r1', id: 'c1', name: 'look', arguments: '{"day":"today"}' },
    { type: 'replied', reply: 'r1', failure: null, usage },
  ])
  assert.deepEqual([pcm(2).length, pcm(4).length], [9_600, 9_600])
})

test('what was said before, and what became of a tool, is in the conversation', async () => {
  const calls = [{ id: 'c1', name: 'look', arguments: '{}' }]
  const tell = (message: Extract<RealtimeAsked, { type: 'tell' }>['message']): RealtimeAsked => {
    return { type: 'tell', message }
  }
  const script = new Script(
    tell({ role: 'user', text: 'When?' }),
    tell({ role: 'assistant', text: 'Let me look.', calls }),
    tell({ role: 'tool', call: 'c1', name: 'look', text: 'at eight' }),
    tell({ role: 'system', text: 'The shop closes soon.' }),
    asks('r1', 'Be brief.', []),
    replied('r1'),
  )
  const { conversation } = await conversed({}, script)
  assert.deepEqual(conversation.errors, [])
  assert.deepEqual(
    conversation.events.slice(1, -1).map(({ item }) => item),
    [
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'When?' }] },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Let me look.' }] },
      { type: 'function_call', call_id: 'c1', name: 'look', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c1', output: 'at eight' },
      { type: 'message', role: 'system', content: [{ type: 'input_text', text: 'The shop closes soon.' }] },
    ],
  )
  assert.partialDeepStrictEqual(conversation.events.at(-1), { response: { tool_choice: 'none' } })
})

test('a text is said as it is, whatever was said before it', async () => {
  const script = new Script({ type: 'say', reply: 's1', text: 'Good evening.' }, replied('s1'))
  const { told, conversation } = await conversed({}, script)
  const words = told.map((one) => (one.type === 'text' ? one.text : '')).join('')
  assert.equal(words, 'Good evening.')
  const response = conversation.events.at(-1)?.['response'] as { input: unknown; tool_choice: string }
  assert.deepEqual([response.input, response.tool_choice], [[], 'none'])
})

test('a stopped reply is cancelled and cut, and the next one waits until it is over', async () => {
  const script = new Script(
    asks('r1'),
    isAudio,
    { type: 'stop', reply: 'r1' },
    asks('r2'),
    replied('r1'),
    { type: 'cut', item: 'item_5', heardMs: 120.7 },
    replied('r2'),
  )
  const long = { answer: () => ({ text: 'one two three four five six seven eight' }), betweenWordsMs: 30 }
  const { told, conversation } = await conversed(long, script)
  assert.deepEqual(conversation.errors, [])
  const order = told.flatMap((one) => (one.type === 'replied' ? [one.reply] : []))
  assert.deepEqual(order, ['r1', 'r2'])
  assert.ok(told.filter((one) => 'reply' in one && one.reply === 'r1').length < 8)
  const types = conversation.events.map(({ type }) => type)
  assert.deepEqual(types.slice(1), [
    'response.create',
    'response.cancel',
    'response.create',
    'conversation.item.truncate',
  ])
  const cut = { item_id: 'item_5', content_index: 0, audio_end_ms: 120 }
  assert.deepEqual(conversation.events.at(-1), { type: 'conversation.item.truncate', ...cut })
})

test('a failed reply has the vendor’s reason, and the conversation continues', async () => {
  const said = [new Error('You exceeded the quota of key-of-ana'), { text: 'Hello.' }]
  const { told } = await conversed(
    { answer: () => said.shift() ?? { text: '' } },
    new Script(asks('r1'), replied('r1'), asks('r2'), replied('r2')),
  )
  const ends = told.flatMap((one) => (one.type === 'replied' ? [one.failure] : []))
  assert.deepEqual(ends, ['You exceeded the quota of ***', null])
})

test('a refused event does not affect the others', async () => {
  const script = new Script({ type: 'cut', item: 'nowhere', heardMs: 5 }, asks('r1'), replied('r1'))
  const { told, conversation } = await conversed({}, script)
  assert.deepEqual(conversation.errors, ["Item 'nowhere' not found."])
  assert.equal(told.at(-1)?.type, 'replied')
})

test('a setting that the vendor does not take is refused in its words', async () => {
  const vendor = new RealtimeVendor(polite)
  const fake = await startWireFake({
    ...vendor.wire,
    socket(socket) {
      socket.onFrame(() => {
        const error = {
          type: 'invalid_request_error',
          message: "Invalid value: 'nova'.",
          event_id: 'opening',
        }
        socket.send({ type: 'error', error })
      })
    },
  })
  after(() => fake.stop())
  const choice = { model, options: { base_url: fake.url }, credentials: { api_key: 'key-1' } }
  const talk = Array.fromAsync(converse(folder, new Script(), choice, AbortSignal.timeout(5_000)))
  await assert.rejects(talk, { kind: 'refused', message: "Invalid value: 'nova'." })
})
