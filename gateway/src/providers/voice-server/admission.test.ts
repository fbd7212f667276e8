import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { refused } from '../../../testing/client.ts'
import { startDeployment } from '../../../testing/deployment.ts'
import { VoiceServer } from '../../../testing/providers/voice-server.ts'
import { voiceDoings } from '@switchroom/contract/voice-server'
import { minuteMs, secondMs } from '../../foundation/clock.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { clock, sql } = deployment
const voiceServer = new VoiceServer(deployment)
const { enter } = voiceServer

const newKey = async () => {
  const org = await deployment.newOrg()
  return { org, ...(await org.serverToken('sandbox', { scopes: ['talk'] })) }
}
const anonymous = { org: '', key_id: '' }
const missing = { status: 401, code: 'MISSING_KEY', error: 'this door takes an API key' }
const opensNothing = { status: 401, code: 'INVALID_KEY', error: 'this key opens nothing' }
const limited = (error: string, retry_after_s: number) => ({
  status: 429,
  code: 'RATE_LIMITED',
  error,
  retry_after_s,
})

test("the voice server's questions take the fleet's key and no other (SD-67)", async () => {
  const { client } = await newKey()
  const { client: admin } = await (await deployment.newOrg()).person('admin')
  const body = { doing: 'speech', key: null }
  refused(await deployment.anonymous.post('/v1/voice/entries', body), 401, 'this door takes an API key')
  for (const other of [client, admin])
    refused(await other.post('/v1/voice/entries', body), 403, "this door takes the fleet's key")
  refused(await deployment.operator.post('/v1/voice/entries', body), 401, 'this key opens nothing')
  for (const [method, path] of [
    ['POST', '/v1/voice/grants'],
    ['POST', '/v1/voice/grants/x/settlement'],
    ['POST', '/v1/voice/streams'],
    ['GET', '/v1/voice/voices'],
  ] as const)
    refused(await client.send(method, path), 403, "this door takes the fleet's key")
})

test('a request without a key is MISSING_KEY, wherever it goes (S-290, S-366, S-444, SD-67)', async () => {
  for (const doing of voiceDoings)
    for (const key of [null, '', 'two words'])
      assert.deepEqual(await enter(doing, key), { ...anonymous, refusal: missing })
})

test('a key that is unknown, revoked or expired is INVALID_KEY at once (S-445, SD-01, SD-67)', async () => {
  assert.deepEqual(await enter('speech', 'svc_live_invented'), { ...anonymous, refusal: opensNothing })
  const { org, key, key_id } = await newKey()
  assert.deepEqual(await enter('speech', key), { org: org.id, key_id, env: 'sandbox' })
  await (await org.person('admin')).client.post(`/v1/keys/${key_id}/revoke`)
  assert.deepEqual(await enter('speech', key), { ...anonymous, refusal: opensNothing })
  const expires_at = new Date(clock.now().getTime() + minuteMs).toISOString()
  const brief = await org.serverToken('production', { expires_at })
  assert.equal((await enter('speech', brief.key)).key_id, brief.key_id)
  clock.forward(minuteMs)
  const error = `this key expired at ${expires_at}`
  assert.deepEqual(await enter('speech', brief.key), {
    ...anonymous,
    refusal: { status: 401, code: 'INVALID_KEY', error },
  })
})

test('any live key enters, of either environment, whatever it opens (SD-67)', async () => {
  const org = await deployment.newOrg()
  const { key, key_id } = await org.serverToken('production', { scopes: ['talk'] })
  assert.deepEqual(await enter('streams', key), { org: org.id, key_id, env: 'production' })
  for (const role of ['qa', 'developer', 'admin'] as const) {
    const person = await org.person(role, { production: role === 'admin' })
    assert.equal((await enter('speech', person.key)).org, org.id)
  }
})

test('an org without a subscription gets the list of voices and nothing else, own key or not (S-446, SD-66)', async () => {
  const { org, key, key_id } = await newKey()
  await (await org.person('admin')).client.put('/v1/provider-keys/openai', { key: 'sk-own' })
  await voiceServer.account(org, { subscribed: false })
  const error = 'this org has no subscription: ask the operator for one'
  const refusal = { status: 402, code: 'SUBSCRIPTION_REQUIRED', error }
  for (const doing of ['speech', 'transcriptions', 'streams'] as const)
    assert.deepEqual(await enter(doing, key), { ...anonymous, refusal })
  assert.deepEqual(await enter('voices', key), { org: org.id, key_id, env: 'sandbox' })
  await voiceServer.account(org, { subscribed: true })
  assert.deepEqual(await enter('speech', key), { org: org.id, key_id, env: 'sandbox' })
})

test('a key may ask so often in a minute, each thing counted by itself and each key by itself (S-451, SD-68)', async () => {
  const counts = { speech: 120, voices: 120, transcriptions: 60, streams: 60 }
  const words = {
    speech: 'speech',
    voices: 'voices',
    transcriptions: 'transcriptions',
    streams: 'live transcriptions',
  }
  const [{ org, key, key_id }, other] = [await newKey(), await newKey()]
  for (const doing of voiceDoings) {
    const entered = await Promise.all(Array.from({ length: counts[doing] + 5 }, () => enter(doing, key)))
    const over = entered.filter(({ refusal }) => refusal)
    assert.equal(over.length, 5, doing)
    const error = `this key asked for ${words[doing]} ${counts[doing]} times in a minute: wait a little before the next`
    const { refusal } = await enter(doing, key)
    assert.equal(refusal?.error, error)
    assert.deepEqual([refusal?.status, refusal?.code], [429, 'RATE_LIMITED'])
    assert.ok(Number(refusal?.retry_after_s) > 0 && Number(refusal?.retry_after_s) <= 60)
    assert.equal((await enter(doing, other.key)).refusal, undefined)
  }
  clock.forward(minuteMs)
  for (const doing of voiceDoings)
    assert.deepEqual(await enter(doing, key), { org: org.id, key_id, env: 'sandbox' })
})

test('the minute slides: a try is free again sixty seconds after it was made (SD-68)', async () => {
  await using strict = await deployment.another({ SVC_RATE_VOICES: '2', SVC_RATE_SPEECH: '0' })
  const { key } = await newKey()
  const server = new VoiceServer(strict)
  const error = 'this key asked for voices 2 times in a minute: wait a little before the next'
  const isOpen = async () => (await server.enter('voices', key)).refusal === undefined
  assert.equal(await isOpen(), true)
  strict.clock.forward(40 * secondMs)
  assert.equal(await isOpen(), true)
  const { refusal } = await server.enter('voices', key)
  const wait = refusal?.retry_after_s ?? 0
  assert.deepEqual(refusal, limited(error, wait))
  assert.ok(wait > 10 && wait <= 20, String(wait))
  strict.clock.forward(20 * secondMs)
  assert.equal(await isOpen(), true)
  assert.equal(await isOpen(), false)
  assert.equal((await server.enter('speech', key)).refusal?.code, 'RATE_LIMITED')
})

test('a missing subscription is reported before the rate limit, and the request still counts (SD-67, SD-68)', async () => {
  await using strict = await deployment.another({ SVC_RATE_SPEECH: '1' })
  const { org, key } = await newKey()
  const server = new VoiceServer(strict)
  await server.account(org, { subscribed: false })
  for (let tries = 0; tries < 3; tries += 1)
    assert.equal((await server.enter('speech', key)).refusal?.code, 'SUBSCRIPTION_REQUIRED')
  await server.account(org, { subscribed: true })
  assert.equal((await server.enter('speech', key)).refusal?.code, 'RATE_LIMITED')
})

test('a key has at most so many streams open, on all voice servers together (S-451, SD-68)', async () => {
  await using strict = await deployment.another({ SVC_MAX_STREAMS: '3' })
  const [{ key, key_id }, other] = [await newKey(), await newKey()]
  const server = new VoiceServer(strict)
  const asked = { doing: 'streams', key_id, model: 'local' } as const
  const refusal = limited('this key has 3 live transcriptions open: end one before the next', 5)
  const granted = await Promise.all(Array.from({ length: 10 }, () => server.ask(asked)))
  const open = granted.flatMap(({ grant }) => (grant ? [grant.id] : []))
  assert.equal(open.length, 3)
  for (const one of granted) if (!one.grant) assert.deepEqual(one, { refusal })
  assert.deepEqual((await server.enter('streams', key)).refusal, refusal)
  assert.equal((await server.enter('speech', key)).refusal, undefined)
  assert.equal((await server.enter('streams', other.key)).refusal, undefined)
  await server.settle(open[0] ?? '', { seconds: 1 })
  assert.equal((await server.enter('streams', key)).refusal, undefined)
  await server.grant(asked)
})

test('a stream that its voice server has not asked about for 90 seconds is not open any more (SD-68)', async () => {
  await using strict = await deployment.another({ SVC_MAX_STREAMS: '1' })
  const { key, key_id } = await newKey()
  const server = new VoiceServer(strict)
  const { id } = await server.grant({ doing: 'streams', key_id, model: 'local' })
  const isFull = async () => (await server.enter('streams', key)).refusal !== undefined
  strict.clock.forward(80 * secondMs)
  assert.deepEqual(await server.judge([{ grant: id, seconds: 80 }]), {})
  strict.clock.forward(80 * secondMs)
  assert.equal(await isFull(), true)
  strict.clock.forward(10 * secondMs)
  assert.equal(await isFull(), false)
})

test('a key is written down as used when it comes to a voice server (SD-67)', async () => {
  const { key, key_id } = await newKey()
  await enter('voices', key)
  await deployment.gateway.services.authentication.settled()
  const { rows } = await sql('select last_used_at from keys where id = $1', [key_id])
  assert.notEqual(rows[0].last_used_at, null)
})
