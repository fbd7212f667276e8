import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeRow } from '@switchroom/gateway/testing/providers/vendors'
import { startWireFake } from '@switchroom/kit/testing/wire-fake'
import { afterwards } from '@switchroom/launcher/testing/folders'
import { LiveVendor } from '@switchroom/vendor-google/testing/live-vendor'
import { bakeryScript, bakerySettings, callBakery, menu } from './realtime-bakery.ts'
import { startVoiceAgent } from './spoken-fixture.ts'

test('a phone calls an agent on Gemini Live: it is greeted, heard, answered with a tool, interrupts, and does not notice a new connection', async (t) => {
  const vendor = new LiveVendor(bakeryScript((id, name) => ({ id, name, arguments: '{}' })))
  const fake = await startWireFake(vendor.wire)
  afterwards(t, () => fake.stop())
  const fixture = await startVoiceAgent(t, { tools: [menu] })
  await changeRow(fixture.deployment, (row) => {
    row.options['llm/google'] = { base_url: fake.url }
  })
  const { client } = await fixture.org.person('admin')
  const brought = await client.put('/v1/provider-keys/google', { key: 'AIza-0123456789' })
  assert.ok(brought.status < 300, brought.text)
  const settings = bakerySettings({ llm: 'google/gemini-3.8-live', voice: 'Kore' })
  const set = await client.put('/v1/agents/hello/settings', settings)
  assert.equal(set.status, 200, set.text)

  const entries = await callBakery(t, fixture, () => vendor.connections.at(-1)?.goesAway())
  const [, first, second] = vendor.connections
  assert.equal(vendor.connections.length, 3)
  assert.deepEqual(
    vendor.connections.flatMap(({ errors }) => errors),
    [],
  )
  assert.equal(first?.setup.sessionResumption?.handle, undefined)
  assert.ok(second?.known.includes('model: We have rye bread.'))
  assert.ok(second?.known.some((one) => one.includes('only this was heard')))
  const used = entries.filter(({ data }) => data['input_audio_tokens'] === 60)
  assert.ok(used.length >= 3, `${used.length} replies have said what they used`)
  for (const { data } of used) assert.partialDeepStrictEqual(data, { model: 'gemini-3.8-live', key: 'yours' })
})
