import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startDeployment } from '../../../testing/deployment.ts'
import { VoiceServer } from '../../../testing/providers/voice-server.ts'

const deployment = await startDeployment({ SVC_RATE_SPEECH: '5' })
after(() => deployment[Symbol.asyncDispose]())
const voiceServer = new VoiceServer(deployment)
const { ask } = voiceServer

const newKey = async () => {
  const org = await deployment.newOrg()
  return { org, ...(await org.serverToken('sandbox', { scopes: ['talk'] })) }
}
const speech = (key: string | null, voice = 'local/en-us') =>
  ({ doing: 'speech', key, voice, characters: 10 }) as const
const codeOf = async (asked: ReturnType<typeof speech>) => (await ask(asked)).refusal?.code

test('a caller who was not admitted before is admitted by their key in the grant request (SD-67, SD-68)', async () => {
  const { key, key_id } = await newKey()
  const granted = await Promise.all(Array.from({ length: 20 }, () => ask(speech(key))))
  assert.equal(granted.filter(({ grant }) => grant?.vendor === 'local').length, 5)
  const { refusal } = granted.find((one) => one.refusal) ?? {}
  const error = 'this key asked for speech 5 times in a minute: wait a little before the next'
  assert.deepEqual([refusal?.status, refusal?.code, refusal?.error], [429, 'RATE_LIMITED', error])
  assert.ok(Number(refusal?.retry_after_s) > 50)
  assert.equal((await voiceServer.enter('speech', key)).refusal?.code, 'RATE_LIMITED', 'one count for both')
  assert.ok((await ask({ ...speech(null), key_id })).grant, 'an admitted caller is not counted again')
})

test('the caller is judged before what they ask for: key, subscription, rate, voice (S-444, S-445, S-446, SD-66, SD-67)', async () => {
  const { org, key } = await newKey()
  const wrong = 'local/nosuch'
  assert.equal(await codeOf(speech(null, wrong)), 'MISSING_KEY')
  assert.equal((await ask({ doing: 'speech', characters: 1 })).refusal?.code, 'MISSING_KEY')
  assert.equal(await codeOf(speech('svc_live_invented', wrong)), 'INVALID_KEY')
  await voiceServer.account(org, { subscribed: false })
  for (let tries = 0; tries < 4; tries += 1)
    assert.equal(await codeOf(speech(key, wrong)), 'SUBSCRIPTION_REQUIRED')
  await voiceServer.account(org, { subscribed: true })
  assert.equal(await codeOf(speech(key, wrong)), 'BAD_VOICE')
  assert.equal(await codeOf(speech(key, wrong)), 'RATE_LIMITED')
  await voiceServer.account(org, { subscribed: false })
  assert.equal(await codeOf(speech(key, wrong)), 'SUBSCRIPTION_REQUIRED')
})
