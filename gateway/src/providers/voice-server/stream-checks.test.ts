import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startDeployment, type TestOrg } from '../../../testing/deployment.ts'
import { rateOf, VendorFolder } from '../../../testing/providers/vendor-packages.ts'
import { speechManifest, VoiceServer } from '../../../testing/providers/voice-server.ts'
import { minuteMs } from '../../foundation/clock.ts'

const folder = new VendorFolder().add(speechManifest('managed'))
const deployment = await startDeployment({
  SVC_VENDOR_FOLDERS: folder.path,
  SVC_RATES: folder.write('rates.json', [rateOf('stt', 'managed', true)]),
  SVC_PROVIDER_KEY_MANAGED: 'sk-of-the-platform',
})
after(async () => {
  await deployment[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})
const { clock } = deployment
const voiceServer = new VoiceServer(deployment)
const { grant, judge, settle } = voiceServer

const keyOf = (org: TestOrg, expires_at?: string) =>
  org.serverToken('sandbox', { scopes: ['talk'], ...(expires_at && { expires_at }) })
const streamOf = async (key_id: string, model = 'managed') =>
  (await grant({ doing: 'streams', key_id, model })).id
const heard = (seconds: number, ...grants: string[]) => grants.map((id) => ({ grant: id, seconds }))
const opensNothing = { status: 401, code: 'INVALID_KEY', error: 'this key opens nothing' }

test('a stream whose key was revoked or expired is refused, and the others continue (S-445, SD-76)', async () => {
  const org = await deployment.newOrg()
  const expires_at = new Date(clock.now().getTime() + minuteMs).toISOString()
  const [kept, revoked, brief] = [await keyOf(org), await keyOf(org), await keyOf(org, expires_at)]
  const [goes, cut, runsOut] = [
    await streamOf(kept.key_id),
    await streamOf(revoked.key_id),
    await streamOf(brief.key_id),
  ]
  assert.deepEqual(await judge(heard(10, goes, cut, runsOut)), {})
  await (await org.person('admin')).client.post(`/v1/keys/${revoked.key_id}/revoke`)
  assert.deepEqual(await judge(heard(20, goes, cut, runsOut)), { [cut]: opensNothing })
  clock.forward(minuteMs)
  assert.deepEqual(await judge(heard(30, goes, runsOut)), { [runsOut]: opensNothing })
})

test('a stream of a person who was closed out is refused (SD-76)', async () => {
  const org = await deployment.newOrg()
  const [person, admin] = [await org.person('developer'), await org.person('admin')]
  const { key_id } = await voiceServer.enter('streams', person.key)
  const id = await streamOf(key_id)
  assert.deepEqual(await judge(heard(1, id)), {})
  const closed = await admin.client.patch(`/v1/members/${person.id}`, { status: 'disabled' })
  assert.equal(closed.status, 200, closed.text)
  assert.deepEqual(await judge(heard(2, id)), { [id]: opensNothing })
})

test('a stream of an org whose subscription ended is refused (S-446, SD-66, SD-76)', async () => {
  const [org, other] = [await deployment.newOrg(), await deployment.newOrg()]
  const own = await streamOf((await keyOf(org)).key_id, 'local')
  const others = await streamOf((await keyOf(other)).key_id, 'local')
  await voiceServer.account(org, { subscribed: false })
  const error = 'this org has no subscription: ask the operator for one'
  assert.deepEqual(await judge(heard(1, own, others)), {
    [own]: { status: 402, code: 'SUBSCRIPTION_REQUIRED', error },
  })
})

test("a stream on the platform's key is refused once the org's credits are gone, what runs open counted (S-447, SD-66, SD-76)", async () => {
  const org = await deployment.newOrg()
  await voiceServer.account(org, { credits: 3 })
  const { key_id } = await keyOf(org)
  const [one, two, free] = [await streamOf(key_id), await streamOf(key_id), await streamOf(key_id, 'local')]
  assert.deepEqual(await judge(heard(60, one, two, free)), {})
  const error =
    "this runs on the platform's key, for which the org has no credits left: ask the operator for more, or bring a key of your own"
  const gone = { status: 402, code: 'INSUFFICIENT_CREDITS', error }
  assert.deepEqual(await judge(heard(90, one, two, free)), { [one]: gone, [two]: gone })
  await settle(one, { seconds: 90 })
  await settle(two, { seconds: 90 })
  assert.equal(await voiceServer.credits(org), 0)
})

test('nothing is paid before a stream ends, and it is paid for no less than was reported (SD-66)', async () => {
  const org = await deployment.newOrg()
  const { key_id } = await keyOf(org)
  const id = await streamOf(key_id)
  await judge(heard(120, id))
  await judge(heard(60, id))
  assert.equal(await voiceServer.credits(org), 1000)
  await settle(id, { seconds: 0 })
  assert.equal(await voiceServer.credits(org), 998)
})

test('a stream that ended, and one that does not exist, is refused (SD-76)', async () => {
  const { key_id } = await keyOf(await deployment.newOrg())
  const [id, speech] = [
    await streamOf(key_id),
    await grant({ doing: 'transcriptions', key_id, model: 'local' }),
  ]
  await settle(id, { seconds: 1 })
  const ended = {
    status: 401,
    code: 'INVALID_KEY',
    error: 'this stream was ended already: open another',
  }
  assert.deepEqual(await judge(heard(1, id, 'grant_of_nobody', speech.id)), {
    [id]: ended,
    grant_of_nobody: ended,
    [speech.id]: ended,
  })
  assert.deepEqual(await judge([]), {})
})
