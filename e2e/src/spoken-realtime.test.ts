import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeRow } from '@switchroom/gateway/testing/providers/vendors'
import { startWireFake } from '@switchroom/kit/testing/wire-fake'
import { afterwards } from '@switchroom/launcher/testing/folders'
import { tool, Type } from '@switchroom/sdk'
import { RealtimeVendor, type Said } from '@switchroom/vendor-openai/testing/realtime-vendor'
import { startVoiceAgent, speech, textsOf, typesOf } from './spoken-fixture.ts'
import { Phone } from './spoken-phone.ts'

const greeting = 'Hello, this is the bakery.'
const tale = Array.from({ length: 60 }, (_, at) => `loaf${at}`).join(' ')

const menu = tool({
  name: 'menu',
  description: 'What there is today',
  parameters: Type.Object({}),
  run: () => 'rye bread and croissants',
})

test('a phone calls an agent on a realtime model: it is greeted, heard, answered with a tool, interrupts, and the org pays for the sound (S-380, S-381, SD-60)', async (t) => {
  const answers: Said[] = [
    { text: 'One.' }, // to the trial of the setting
    { text: 'Let me look.', calls: [{ call_id: 'call_menu', name: 'menu', arguments: '{}' }] },
    { text: 'We have rye bread.' },
    { text: tale },
    { text: 'Goodbye.', calls: [{ call_id: 'call_bye', name: 'hang_up', arguments: '{}' }] },
  ]
  const words = ['What is there today?', 'Tell me a tale.', 'That is enough, goodbye.']
  const vendor = new RealtimeVendor({
    answer: () => answers.shift() ?? { text: 'Pardon?' },
    transcript: () => words.shift() ?? '',
    transcriptMs: 150,
  })
  const fake = await startWireFake(vendor.wire)
  afterwards(t, () => fake.stop())
  const fixture = await startVoiceAgent(
    t,
    { tools: [menu] },
    { gateway: { SVC_PROVIDER_KEY_OPENAI: 'sk-0123456789', SVC_NEW_ORG_CREDITS: '1000' } },
  )
  await changeRow(fixture.deployment, (row) => {
    row.options['llm/openai'] = { base_url: fake.url }
  })
  const { client } = await fixture.org.person('admin')
  const set = await client.put('/v1/agents/hello/settings', {
    config: {
      llm: 'openai/gpt-realtime',
      voice: 'coral',
      language: 'en',
      greeting: { say: greeting },
      hangup: { when: 'the caller says goodbye' },
    },
    team: true,
    if_version: 0,
  })
  assert.equal(set.status, 200, set.text)

  const phone = await Phone.call(t, 'hello', fixture.worker.sipPort)
  const { id } = await fixture.nextCall()
  const untilTyped = (type: string, count = 1) =>
    fixture.untilLogged(id, type, (log) => typesOf(log).filter((each) => each === type).length >= count)
  await untilTyped('bot.finished')
  assert.ok(phone.wasSpokenTo())

  const question = await speech('What is there today?')
  await phone.say(question)
  await untilTyped('bot.finished', 2)
  await phone.say(question)
  await untilTyped('bot.speaking', 3)
  await phone.say(question)
  await untilTyped('bot.interrupted')
  assert.equal(await phone.dialog.ended, 'hangup')
  const entries = await fixture.untilEnded(id)

  assert.equal(entries.at(-1)?.data['reason'], 'hangup')
  assert.deepEqual(textsOf(entries, 'user.message'), [
    'What is there today?',
    'Tell me a tale.',
    'That is enough, goodbye.',
  ])
  const said = textsOf(entries, 'agent.message')
  assert.deepEqual([said[0], said[1], said[3]], [greeting, 'Let me look. We have rye bread.', 'Goodbye.'])
  assert.ok(tale.startsWith(said[2] ?? 'nothing') && said[2] !== tale, said[2])
  const told = /^(user\.message|turn\.end|llm\.toolCall|tool\.result|bot\.interrupted|agent\.message)$/
  assert.deepEqual(
    typesOf(entries).filter((type) => told.test(type)),
    [
      'agent.message',
      'user.message',
      'turn.end',
      'llm.toolCall',
      'tool.result',
      'agent.message',
      'user.message',
      'turn.end',
      'bot.interrupted',
      'agent.message',
      'user.message',
      'turn.end',
      'agent.message',
    ],
  )
  assert.deepEqual(
    entries.filter(({ type }) => type === 'error').map(({ data }) => data),
    [],
  )

  const [, conversation] = vendor.conversations
  assert.equal(vendor.conversations.length, 2)
  assert.deepEqual(conversation?.errors, [])
  assert.partialDeepStrictEqual(conversation?.session, { audio: { output: { voice: 'coral' } } })
  const interrupted = entries.find(({ type }) => type === 'bot.interrupted')
  const truncated = conversation?.events.find(({ type }) => type === 'conversation.item.truncate')
  assert.ok(Math.abs(Number(truncated?.['audio_end_ms']) - Number(interrupted?.data['playedMs'])) <= 1)

  const blocks = entries.filter(({ type, data }) => type === 'metrics' && data['stage'] === 'llm')
  assert.ok(blocks.length >= 5, `${blocks.length} replies have metrics`)
  for (const { data } of blocks)
    assert.partialDeepStrictEqual(data, {
      model: 'gpt-realtime',
      key: 'lent',
      input_audio_tokens: 60,
      output_audio_tokens: 30,
      credits: 0.36,
    })
  const heard = entries.filter(({ data }) => data['stage'] === 'stt' || data['stage'] === 'tts')
  assert.deepEqual(heard, [])
})
