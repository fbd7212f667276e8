import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { refused } from '../../../testing/client.ts'
import { startDeployment, type TestOrg } from '../../../testing/deployment.ts'
import { rateOf, VendorFolder } from '../../../testing/providers/vendor-packages.ts'
import { changeRow } from '../../../testing/providers/vendors.ts'
import { speechManifest, VoiceServer } from '../../../testing/providers/voice-server.ts'
import { hourMs, minuteMs, secondMs } from '../../foundation/clock.ts'

const platformKey = 'sk-of-the-platform'
const folder = new VendorFolder().add(speechManifest('managed')).add(speechManifest('private'))
const rates = [
  { ...rateOf('tts', 'managed', true), credits: 0.012 },
  { ...rateOf('stt', 'managed', true), credits: 0.77 },
  rateOf('tts', 'private', false),
  rateOf('stt', 'private', false),
]
const deployment = await startDeployment({
  SVC_VENDOR_FOLDERS: folder.path,
  SVC_RATES: folder.write('rates.json', rates),
  SVC_PROVIDER_KEY_MANAGED: platformKey,
  SVC_PROVIDER_KEY_PRIVATE: platformKey,
})
after(async () => {
  await deployment[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})
const { clock, gateway, sql } = deployment
const voiceServer = new VoiceServer(deployment)
const { grant, ask, settle, credits } = voiceServer
await changeRow(deployment, (row) => void (row.options['tts/managed'] = { base_url: 'https://row.example' }))

/** An org that can afford this much, with a key. */
async function orgWith(amount: number) {
  const org = await deployment.newOrg()
  await voiceServer.account(org, { credits: amount })
  const { key, key_id, client } = await org.serverToken('sandbox', { scopes: ['app'] })
  return { org, key, key_id, client, left: () => voiceServer.credits(org) }
}

const bringKey = async (org: TestOrg, vendor: string) =>
  (await org.person('admin')).client.put(`/v1/provider-keys/${vendor}`, { key: 'sk-own' })

const speech = (key_id: string, characters = 100) =>
  ({ doing: 'speech', key_id, voice: 'managed/anna', characters }) as const

test("a grant names the vendor, model, key and options that serve a request, on the platform's key if the org brought none (S-374, SD-67)", async () => {
  const { key_id } = await orgWith(10)
  const granted = await grant({ ...speech(key_id), language: 'es', speed: 1.5 })
  const { id, ...rest } = granted
  assert.match(id, /^grant_[0-9a-f]{24}$/)
  assert.deepEqual(rest, {
    vendor: 'managed',
    model: 'managed-tts-1',
    builds: null,
    knobs: { voice: 'anna', language: 'es', speed: 1.5 },
    options: { base_url: 'https://row.example' },
    credentials: { api_key: platformKey },
    is_own: false,
  })
})

test('speech costs its characters at the rate, held from the start and kept once spoken (S-370, SD-66)', async () => {
  const { key_id, left } = await orgWith(10)
  const { id } = await grant(speech(key_id, 100))
  assert.equal(await left(), 8.8)
  await settle(id, { spoken: true })
  assert.equal(await left(), 8.8)
})

test('what the vendor failed to speak costs nothing (SD-66)', async () => {
  const { key_id, left } = await orgWith(10)
  const { id } = await grant(speech(key_id))
  await settle(id, { spoken: false })
  assert.equal(await left(), 10)
})

test('a recording costs its minutes at the rate, and nothing before it is heard (S-371, SD-66)', async () => {
  const { key_id, left } = await orgWith(10)
  const asked = { doing: 'transcriptions', key_id, model: 'managed' } as const
  const { id } = await grant(asked)
  assert.equal(await left(), 10)
  await settle(id, { seconds: 120 })
  assert.equal(await left(), 8.46)
  await settle((await grant(asked)).id, {})
  assert.equal(await left(), 8.46)
})

test('a live stream is paid at its end, below zero too (SD-66)', async () => {
  const { key_id, left } = await orgWith(0.5)
  const { id } = await grant({ doing: 'streams', key_id, model: 'managed' })
  await settle(id, { seconds: 90 })
  assert.equal(await left(), -0.655)
})

test("on the org's own key the vendor sees that key and nothing is charged (S-372, S-375, S-383, SD-66)", async () => {
  const { org, key_id, left } = await orgWith(0)
  await bringKey(org, 'managed')
  const own = { api_key: 'sk-own' }
  const spoken = await grant(speech(key_id, 5000))
  const heard = await grant({ doing: 'transcriptions', key_id, model: 'managed' })
  const live = await grant({ doing: 'streams', key_id, model: 'managed' })
  for (const { credentials, is_own } of [spoken, heard, live])
    assert.deepEqual([credentials, is_own], [own, true])
  await settle(spoken.id, { spoken: true })
  await settle(heard.id, { seconds: 600 })
  await settle(live.id, { seconds: 600 })
  assert.equal(await left(), 0)
})

test('if only an own key runs a vendor, the platform never lends its own (S-385, SD-67)', async () => {
  const { org, key_id } = await orgWith(10)
  const asked = [
    { ...speech(key_id), voice: 'private/anna' },
    { doing: 'transcriptions', key_id, model: 'private' },
    { doing: 'streams', key_id, model: 'private/private-stt-1' },
  ] as const
  const error = '`model`: the platform lends this org no private, and the org brought no key for it'
  for (const one of asked)
    assert.deepEqual(await ask(one), { refusal: { status: 400, code: 'BAD_MODEL', error } })
  await bringKey(org, 'private')
  for (const one of asked) assert.equal((await grant(one)).is_own, true)
})

test('speech is refused when the credits do not reach for it, to the last digit (S-447, SD-66)', async () => {
  const { key_id, left } = await orgWith(1.2)
  const error =
    'this costs 1.212 credits, which the org does not have: ask the operator for more, or bring a key of your own'
  assert.deepEqual(await ask(speech(key_id, 101)), {
    refusal: { status: 402, code: 'INSUFFICIENT_CREDITS', error },
  })
  assert.equal(await left(), 1.2)
  await grant(speech(key_id, 100))
  assert.equal(await left(), 0)
})

test("hearing is refused without credits on the platform's key alone (S-447, SD-66)", async () => {
  const { org, key_id } = await orgWith(0)
  const error =
    "this runs on the platform's key, for which the org has no credits left: ask the operator for more, or bring a key of your own"
  for (const doing of ['transcriptions', 'streams'] as const) {
    const refusal = { status: 402, code: 'INSUFFICIENT_CREDITS', error }
    assert.deepEqual(await ask({ doing, key_id, model: 'managed' }), { refusal })
    assert.equal((await grant({ doing, key_id, model: 'local' })).vendor, 'local')
  }
  await voiceServer.account(org, { credits: 0.000000001 })
  await grant({ doing: 'transcriptions', key_id, model: 'managed' })
})

test('a vendor that needs no key costs nothing, also without credits (SD-65, SD-66)', async () => {
  const { key_id, left } = await orgWith(0)
  const { id, is_own } = await grant({
    doing: 'speech',
    key_id,
    model: 'local/auto',
    voice: 'local/en-us',
    characters: 5000,
  })
  assert.equal(is_own, false)
  await settle(id, { spoken: true })
  assert.equal(await left(), 0)
})

test('of 50 concurrently with credits for three, three are granted (SD-66)', async () => {
  const { key_id, left } = await orgWith(3.7)
  const granted = await Promise.all(Array.from({ length: 50 }, () => ask(speech(key_id, 100))))
  assert.equal(granted.filter((one) => one.grant).length, 3)
  assert.equal(granted.filter(({ refusal }) => refusal?.code === 'INSUFFICIENT_CREDITS').length, 47)
  assert.equal(await left(), 0.1)
})

test('a grant is settled once, however often and with whatever else it is said (SD-66)', async () => {
  const { key_id, left } = await orgWith(10)
  const { id } = await grant({ doing: 'transcriptions', key_id, model: 'managed' })
  await Promise.all(Array.from({ length: 20 }, () => settle(id, { seconds: 60 })))
  assert.equal(await left(), 9.23)
  await settle(id, { seconds: 600 })
  assert.equal(await left(), 9.23)
  const failed = await grant(speech(key_id))
  await Promise.all(Array.from({ length: 20 }, () => settle(failed.id, { spoken: false })))
  assert.equal(await left(), 9.23)
})

test('a settlement of an unknown grant, or of negative seconds, is refused (SD-66)', async () => {
  const path = '/v1/voice/grants/grant_of_nobody/settlement'
  refused(await voiceServer.client.post(path, { spoken: true }), 404, 'there is no grant grant_of_nobody')
  refused(await voiceServer.client.post(path, { seconds: -1 }), 400, 'seconds: must be >= 0')
})

test('what is held for speech of a voice server that died is given back, and paid if it was spoken after all (SD-66)', async () => {
  const { key_id, left } = await orgWith(10)
  const [lost, slow] = [await grant(speech(key_id)), await grant(speech(key_id))]
  clock.forward(hourMs)
  const { id } = await grant(speech(key_id))
  assert.equal(await left(), 6.4)
  await Promise.all([gateway.services.grants.deleteExpired(), gateway.services.grants.deleteExpired()])
  assert.equal(await left(), 8.8)
  await settle(slow.id, { spoken: true })
  assert.equal(await left(), 7.6)
  await settle(lost.id, { spoken: false })
  await settle(id, { spoken: true })
  assert.equal(await left(), 7.6)
})

test('a stream whose voice server died is paid as far as it was reported, once, and the rest if it comes back (SD-66)', async () => {
  const { key_id, left } = await orgWith(10)
  const { id } = await grant({ doing: 'streams', key_id, model: 'managed' })
  await voiceServer.judge([{ grant: id, seconds: 60 }])
  clock.forward(89 * secondMs)
  await gateway.services.housekeeping.run()
  assert.equal(await left(), 10)
  clock.forward(secondMs)
  await Promise.all([gateway.services.grants.deleteExpired(), gateway.services.grants.deleteExpired()])
  assert.equal(await left(), 9.23)
  assert.deepEqual(await voiceServer.judge([{ grant: id, seconds: 120 }]), {})
  await gateway.services.grants.deleteExpired()
  assert.equal(await left(), 9.23)
  await settle(id, { seconds: 180 })
  assert.equal(await left(), 7.69)
})

test('grants are forgotten when no voice server can settle them any more (SD-66)', async () => {
  const { org, key_id } = await orgWith(10)
  const [settled, open] = [await grant(speech(key_id)), await grant(speech(key_id))]
  await settle(settled.id, { spoken: true })
  const kept = async () =>
    (await sql('select id from voice_grants where org = $1', [org.id])).rows.map(({ id }) => id)
  clock.forward(hourMs - minuteMs)
  await gateway.services.grants.deleteExpired()
  assert.equal((await kept()).length, 2)
  clock.forward(minuteMs)
  await gateway.services.grants.deleteExpired()
  assert.deepEqual(await kept(), [open.id])
  clock.forward(24 * hourMs)
  await gateway.services.grants.deleteExpired()
  assert.deepEqual(await kept(), [])
})

test('a key that died since it entered is granted nothing (S-445, SD-01)', async () => {
  const { org, key_id, key } = await orgWith(10)
  assert.equal((await voiceServer.enter('speech', key)).key_id, key_id)
  assert.equal((await (await org.person('admin')).client.post(`/v1/keys/${key_id}/revoke`)).status, 200)
  const refusal = { status: 401, code: 'INVALID_KEY', error: 'this key opens nothing' }
  assert.deepEqual(await ask(speech(key_id)), { refusal })
  assert.deepEqual(await ask(speech('nobody')), { refusal })
})

test("a key of an org spends that org's credits and no other's (SD-66)", async () => {
  const [mine, other] = [await orgWith(10), await orgWith(10)]
  await settle((await grant(speech(mine.key_id))).id, { spoken: true })
  assert.deepEqual([await mine.left(), await other.left()], [8.8, 10])
  assert.equal(await credits(other.org), 10)
})
