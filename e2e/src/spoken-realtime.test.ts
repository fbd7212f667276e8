import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeRow } from '@switchroom/gateway/testing/providers/vendors'
import { startWireFake } from '@switchroom/kit/testing/wire-fake'
import { afterwards } from '@switchroom/launcher/testing/folders'
import { RealtimeVendor } from '@switchroom/vendor-openai/testing/realtime-vendor'
import { bakeryScript, bakerySettings, callBakery, menu } from './realtime-bakery.ts'
import { startVoiceAgent, typesOf } from './spoken-fixture.ts'

test('a phone calls an agent on a realtime model: it is greeted, heard, answered with a tool, interrupts, and the org pays for the sound (S-380, S-381, SD-60)', async (t) => {
  const script = bakeryScript((call_id, name) => ({ call_id, name, arguments: '{}' }))
  const vendor = new RealtimeVendor({ ...script, transcriptMs: 150 })
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
  const settings = bakerySettings({ llm: 'openai/gpt-realtime', voice: 'coral' })
  const set = await client.put('/v1/agents/hello/settings', settings)
  assert.equal(set.status, 200, set.text)

  const entries = await callBakery(t, fixture)
  assert.equal(entries.at(-1)?.data['reason'], 'hangup')
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
