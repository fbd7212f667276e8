import assert from 'node:assert/strict'
import { after } from 'node:test'
import { vendorIn } from '@switchroom/kit/installed'
import { startWireFake } from '@switchroom/kit/testing/wire-fake'
import { folder, model } from '@switchroom/vendor-google/testing/live-talk'
import { LiveVendor, type LiveBehaviour } from '@switchroom/vendor-google/testing/live-vendor'
import type { RealtimeRun } from '../src/spoken/spoken-parts.ts'
import { realtimeTalk } from './realtime-talk.ts'

/** A call on Gemini Live: the vendor's adapter, and its wire on loopback. */
export async function liveTalk(behaviour: LiveBehaviour) {
  const vendor = new LiveVendor(behaviour)
  const fake = await startWireFake(vendor.wire)
  after(() => fake.stop())
  const choice = { model, options: { base_url: fake.url }, credentials: { api_key: 'key-of-ana' } }
  const realtime = await vendorIn(folder)?.realtime(choice)
  assert.ok(realtime)
  const { talk } = realtimeTalk()
  const run: RealtimeRun = { vendor: 'google', model, key: 'lent', realtime }
  talk.realtime = [run]
  return { talk, vendor, run }
}
