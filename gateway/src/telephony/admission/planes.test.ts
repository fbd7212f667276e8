import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MediaPlane } from '@switchroom/media/plane'
import { LiveKitFake } from '@switchroom/media/testing/livekit-fake'
import { testEnvironment } from '../../../testing/deployment.ts'
import { readSettings } from '../../foundation/settings.ts'
import { Planes } from './planes.ts'

// Only distinguished from the others here; its own tests are beside it.
const embedded = {} as MediaPlane
const mediaServer = (prefix: string, { url, key, secret }: { url: string; key: string; secret: string }) => ({
  [`${prefix}_URL`]: url,
  [`${prefix}_KEY`]: key,
  [`${prefix}_SECRET`]: secret,
})
const planesOf = (wanted: Record<string, string>) =>
  new Planes(readSettings(testEnvironment('postgresql://nowhere', wanted)).telephony, embedded)
const one = { url: 'http://127.0.0.1:1', key: 'key', secret: 'secret' }
const two = { ...one, url: 'http://127.0.0.1:2' }

test("a media server that is set serves both environments, and the sandbox's own serves it alone", () => {
  const shared = planesOf(mediaServer('SVC_MEDIA', one))
  assert.equal(shared.of('sandbox'), shared.of('production'))
  assert.notEqual(shared.of('sandbox'), embedded)
  assert.equal(shared.areSeparate, false)
  const separate = planesOf({ ...mediaServer('SVC_MEDIA', one), ...mediaServer('SVC_SANDBOX_MEDIA', two) })
  assert.notEqual(separate.of('sandbox'), separate.of('production'))
  assert.equal(separate.areSeparate, true)
  const half = planesOf(mediaServer('SVC_SANDBOX_MEDIA', two))
  assert.equal(half.of('production'), embedded)
  assert.equal(half.areSeparate, true)
})

test('one media server that both environments name is one plane', () => {
  const same = planesOf({ ...mediaServer('SVC_MEDIA', one), ...mediaServer('SVC_SANDBOX_MEDIA', one) })
  assert.equal(same.of('sandbox'), same.of('production'))
  assert.equal(same.areSeparate, false)
})

test("what production hands over is admitted on the sandbox's own media server alone (N-391)", async () => {
  const [production, sandbox] = await Promise.all([LiveKitFake.start(), LiveKitFake.start()])
  const handed = { address: '203.0.113.7', fleet: 'sandbox' }
  await planesOf(mediaServer('SVC_MEDIA', production.address)).handOver(handed)
  await planesOf({
    ...mediaServer('SVC_MEDIA', production.address),
    ...mediaServer('SVC_SANDBOX_MEDIA', sandbox.address),
  }).handOver(handed)
  assert.deepEqual(production.store.trunks, [])
  assert.deepEqual(
    [...sandbox.store.trunks, ...sandbox.store.rules].map(({ name }) => name),
    ['hand-over', 'hand-over'],
  )
  await Promise.all([production.stop(), sandbox.stop()])
})
