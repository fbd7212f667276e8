import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { refused, type Client } from '../../../testing/client.ts'
import { startDeployment, type TestOrg } from '../../../testing/deployment.ts'
import { changeRow, speakOverHttp, startSpeechFake } from '../../../testing/providers/vendors.ts'

const platformKey = 'platform-mark-0123456789'
const deployment = await startDeployment({
  SVC_PROVIDER_KEY_OPENAI: platformKey,
  SVC_SAMPLE_TIMEOUT_S: '2',
})
after(() => deployment[Symbol.asyncDispose]())
const fake = await startSpeechFake()
after(() => fake.stop())

before(() =>
  changeRow(deployment, (row) => {
    speakOverHttp(row, fake.url)
    row.lines = { en: 'An English line.', es: 'Una frase.', 'pt-BR': 'Uma frase do Brasil.' }
  }),
)

const upwards = (a: number, b: number) => a - b
const path = '/v1/voices/sample'
const wanted = { tts: 'openai', voice: 'coral' }

async function developer(org?: TestOrg): Promise<Client> {
  const { client } = await (org ?? (await deployment.newOrg())).person('developer')
  return client
}
const lastSaid = () => JSON.parse(fake.seen.at(-1)?.body.toString() ?? '{}') as Record<string, unknown>
const creditsOf = async (org: TestOrg) =>
  (await deployment.operator.get(`/v1/ops/orgs/${org.slug}/account`)).body.credits as number

test('a sample is the WAV itself, whole, with its timing in the header (S-270, S-271, S-272, S-273, SD-62)', async () => {
  fake.mode = 'answer'
  const answer = await (await developer()).post(path, wanted)
  assert.equal(answer.status, 200, answer.text)
  assert.equal(answer.headers.get('content-type'), 'audio/wav')
  const { bytes } = answer
  assert.equal(bytes.length, 44 + 3 * 4_800)
  assert.deepEqual(
    [bytes.toString('latin1', 0, 4), bytes.readUInt32LE(4), bytes.readUInt32LE(24), bytes.readUInt32LE(40)],
    ['RIFF', bytes.length - 8, 24_000, 3 * 4_800],
  )
  const timing = /^first-audio;dur=(\d+(?:\.\d)?), total;dur=(\d+(?:\.\d)?)$/.exec(
    answer.headers.get('server-timing') ?? '',
  )
  assert.ok(timing && Number(timing[2]) >= Number(timing[1]), String(timing))
})

test('samples need the scope pipeline, or a server token that opens app (S-262, S-364, SD-05)', async () => {
  fake.mode = 'answer'
  const org = await deployment.newOrg()
  const words = await org.person('supervisor')
  refused(await words.client.post(path, wanted), 403, /^this key does not open pipeline/)
  const ci = await org.serverToken('sandbox', { scopes: ['app'] })
  assert.equal((await ci.client.post(path, wanted)).status, 200)
  const reader = await org.serverToken('sandbox', { scopes: ['calls'] })
  refused(await reader.client.post(path, wanted), 403, /^this key does not open pipeline/)
})

test('without a text the line of the language is said, else one in English (S-275, S-276, SD-62)', async () => {
  fake.mode = 'answer'
  const client = await developer()
  const said = async (language?: string) => {
    assert.equal((await client.post(path, { ...wanted, ...(language && { language }) })).status, 200)
    return lastSaid()['input']
  }
  assert.equal(await said('es'), 'Una frase.')
  assert.equal(await said('es-MX'), 'Una frase.')
  assert.equal(await said('pt-BR'), 'Uma frase do Brasil.')
  assert.equal(await said('pt'), 'An English line.')
  assert.equal(await said('ja'), 'An English line.')
  assert.equal(await said(), 'An English line.')
  await changeRow(deployment, (row) => (row.lines = {}))
  assert.equal(await said(), 'Hello, this is how I sound.')
})

test('a text is at most 400 characters and not blank (S-277, S-422, S-466, SD-62)', async () => {
  fake.mode = 'answer'
  const client = await developer()
  const emoji = '😀'.repeat(400)
  assert.equal((await client.post(path, { ...wanted, text: emoji })).status, 200)
  assert.equal(lastSaid()['input'], emoji)
  const tooLong = '`text` is at most 400 characters: cut it shorter'
  refused(await client.post(path, { ...wanted, text: `${emoji}.` }), 400, tooLong)
  const blank = '`text` is blank: leave it out to hear the usual line'
  for (const text of ['', ' \n', null]) refused(await client.post(path, { ...wanted, text }), 400, blank)
})

test('the words are read as settings read them, in the same sentences (S-274, S-416, S-417)', async () => {
  const client = await developer()
  const asked = fake.seen.length
  const table: [object, string][] = [
    [{ tts: ' ' }, '`tts` is blank'],
    [{ tts: null }, '`tts` is blank'],
    [{ voice: '' }, '`voice` is blank'],
    [{ model: ' ' }, '`tts_model` is blank'],
    [{ language: '' }, '`language` is blank'],
    [{ language: 'English' }, '`language` is a tag such as en or pt-BR'],
    [{ tts: 'nosuch' }, 'this build has no plugin for nosuch'],
    [{ tts: 'openai/tts-1' }, '`tts` names a vendor alone: its model goes into `tts_model`'],
    [{ voice: 'x'.repeat(201) }, '`voice` is at most 200 characters'],
  ]
  for (const [change, sentence] of table)
    refused(await client.post(path, { ...wanted, ...change }), 400, sentence)
  refused(await client.post(path, { tts: 'openai' }), 422, /voice/)
  assert.equal(fake.seen.length, asked, 'no vendor was asked')
})

test('a vendor that the platform does not lend is refused, and so is a model it has no price for (SD-22, SD-62)', async () => {
  const client = await developer()
  const sentence = '`tts`: the platform lends this org no openai, and the org brought no key for it'
  refused(await client.post(path, { ...wanted, model: 'unpriced' }), 400, sentence)
  await changeRow(deployment, (row) => (row.withheld = { openai: 'all' }))
  refused(await client.post(path, wanted), 400, sentence)
  await changeRow(deployment, (row) => (row.withheld = {}))
})

test('the sample runs on the key a call would use: the own one first, and then it costs nothing (S-374, S-375, S-383, ST-079)', async () => {
  fake.mode = 'answer'
  const org = await deployment.newOrg()
  const client = await developer(org)
  const admin = (await org.person('admin')).client
  const had = await creditsOf(org)
  assert.equal((await client.post(path, { ...wanted, text: 'x'.repeat(100) })).status, 200)
  assert.equal(fake.seen.at(-1)?.headers.authorization, `Bearer ${platformKey}`)
  const paid = had - (await creditsOf(org))
  assert.ok(paid > 0, 'a hundred characters cost something')

  assert.equal((await admin.put('/v1/provider-keys/openai', { key: 'own-mark' })).status, 200)
  assert.equal((await client.post(path, wanted)).status, 200)
  assert.equal(fake.seen.at(-1)?.headers.authorization, 'Bearer own-mark')
  assert.equal(await creditsOf(org), had - paid)

  assert.equal((await admin.delete('/v1/provider-keys/openai')).status, 204)
  assert.equal((await client.post(path, { ...wanted, text: 'x'.repeat(200) })).status, 200)
  assert.equal(fake.seen.at(-1)?.headers.authorization, `Bearer ${platformKey}`)
  assert.ok(Math.abs(had - 3 * paid - (await creditsOf(org))) < 1e-9, 'twice the characters cost twice')
})

test('a sample the org cannot pay for is refused, and of two concurrently one is paid (S-370, SD-66)', async () => {
  fake.mode = 'answer'
  const org = await deployment.newOrg()
  const client = await developer(org)
  const had = await creditsOf(org)
  await client.post(path, { ...wanted, text: 'x'.repeat(100) })
  const cost = had - (await creditsOf(org))
  const account = { plan: 'pro', subscribed: true, credits: cost * 1.5 }
  assert.equal((await deployment.operator.put(`/v1/ops/orgs/${org.slug}/account`, account)).status, 200)
  const both = await Promise.all([1, 2].map(() => client.post(path, { ...wanted, text: 'x'.repeat(100) })))
  assert.deepEqual(both.map(({ status }) => status).toSorted(upwards), [200, 402])
  const poor = both.find(({ status }) => status === 402)
  assert.ok(poor)
  refused(
    poor,
    402,
    /^this sample costs [\d.]+ credits, which the org does not have: ask the operator for more$/,
  )
})

test('a vendor that refuses or does not answer is 502 in its own words, and costs nothing (S-279, S-280, S-435)', async () => {
  const org = await deployment.newOrg()
  const client = await developer(org)
  const had = await creditsOf(org)
  fake.mode = 'refuse'
  fake.words = `no voice coral for ${platformKey}`
  refused(await client.post(path, wanted), 502, 'openai refused: no voice coral for ***')
  fake.mode = 'hang'
  refused(await client.post(path, wanted), 502, 'openai did not answer: no answer in time')
  fake.mode = 'fault'
  fake.words = 'out of order'
  refused(await client.post(path, wanted), 502, 'openai did not answer: out of order')
  fake.mode = 'break'
  refused(await client.post(path, wanted), 502, /^openai did not answer: /)
  assert.equal(await creditsOf(org), had)
  assert.ok(!deployment.log().includes(platformKey), 'no credential is in the log')
})

test('more than thirty samples a minute on one key are 429; refused bodies do not count, failed vendors do (S-278, S-434, S-467, ST-084, SD-62)', async () => {
  const org = await deployment.newOrg()
  const client = await developer(org)
  fake.mode = 'answer'
  for (let i = 0; i < 5; i += 1) assert.equal((await client.post(path, { ...wanted, text: ' ' })).status, 400)
  fake.mode = 'refuse'
  for (let i = 0; i < 5; i += 1) assert.equal((await client.post(path, wanted)).status, 502)
  fake.mode = 'answer'
  const many = await Promise.all(Array.from({ length: 26 }, () => client.post(path, wanted)))
  assert.equal(many.filter(({ status }) => status === 200).length, 25)
  const late = many.find(({ status }) => status === 429)
  assert.ok(late)
  const tooMany = 'this key made thirty samples in a minute: wait a little before the next'
  refused(late, 429, tooMany)
  assert.match(late.headers.get('retry-after') ?? '', /^[1-9]\d?$/)
  assert.equal((await (await developer(org)).post(path, wanted)).status, 200)
  deployment.clock.forward(45_000)
  refused(await client.post(path, wanted), 429, tooMany)
  deployment.clock.forward(16_000)
  assert.equal((await client.post(path, wanted)).status, 200)
})
