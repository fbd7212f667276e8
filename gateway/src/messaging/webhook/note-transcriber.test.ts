import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recording, spokenRate, spokenSeconds } from '@switchroom/kit/testing/recordings'
import { done } from '../../../testing/agents/test-agents.ts'
import {
  accepted,
  asked,
  creditsOf,
  failed,
  fixture,
  forget,
  deployment,
  heard,
  speechToText,
  newNoteLine,
  noteOf,
  receiver,
  retryNow,
  shown,
} from '../../../testing/messaging/voice-note-fixture.ts'

// Measures time: what was heard before the patience ended.

test('speech-to-text that fails or does not take the format leaves it to the fallbacks of the row (ND-75)', async () => {
  const line = await newNoteLine()
  const models = async (note: ReturnType<typeof noteOf>) => {
    const before = asked.length
    await heard(await accepted(line, note))
    return asked.slice(before).map(({ model }) => model)
  }
  assert.deepEqual(await models(noteOf('heard', 'audio/mpeg')), ['keen-ears'])
  assert.deepEqual(await models(noteOf('heard', 'audio/aac')), ['spare-ears'])
  const usual = speechToText.hears
  speechToText.hears = async (said) => (asked.at(-1)?.model === 'keen-ears' ? { text: null } : usual(said))
  assert.deepEqual(await models(noteOf('heard')), ['keen-ears', 'spare-ears'])
  speechToText.hears = usual
  const amr = await accepted(line, noteOf('x', 'audio/amr'))
  await failed(amr)
  await forget(amr)
  assert.match(deployment.log(), /no speech-to-text of desk takes audio\/amr/)
})

test('an agent’s own ears are its ears: no others hear what these cannot (ND-75)', async () => {
  const line = await newNoteLine()
  const { client } = await line.org.person('admin', { production: true })
  done(await client.put('/v1/provider-keys/spare', { key: 'own-key-of-the-org' }))
  const set = (config: object, if_version: number) =>
    client.in('production').put('/v1/agents/desk/settings', { config, if_version })
  done(await set({ stt: 'spare/spare-ears' }, 0))
  await heard(await accepted(line, noteOf('mine')))
  assert.deepEqual(
    [asked.at(-1)?.model, asked.at(-1)?.authorization],
    ['spare-ears', 'Bearer own-key-of-the-org'],
  )
  const before = asked.length
  const mp3 = await accepted(line, noteOf('mine', 'audio/mpeg'))
  await failed(mp3)
  await forget(mp3)
  assert.equal(asked.length, before)
})

test('on a lent key the org pays by the minute, once, and without credits it is not heard', async () => {
  const line = await newNoteLine()
  const before = await creditsOf(line)
  const note = noteOf('Half a minute')
  receiver.during = () => Promise.reject(new Error('broken'))
  await failed(await accepted(line, note))
  receiver.during = () => {}
  assert.equal(await creditsOf(line), before)
  await retryNow()
  await heard(note)
  assert.deepEqual((await fixture.deliver(line, { messages: [note] })).body, { received: 0 })
  assert.equal(await creditsOf(line), before - 2)
  const account = { plan: 'pro', subscribed: true, credits: 0 }
  done(await deployment.operator.put(`/v1/ops/orgs/${line.org.slug}/account`, account))
  const count = asked.length
  const broke = await accepted(line, noteOf('Broke'))
  await failed(broke)
  await forget(broke)
  assert.equal(asked.length, count)
})

test('a voice note without speech is read, not answered, and shown to the app', async () => {
  const line = await newNoteLine()
  const note = noteOf(' ')
  await accepted(line, note)
  const { type, text, messageId } = await shown(note)
  assert.equal(receiver.times(note.id), 0)
  assert.deepEqual([type, text, messageId], ['audio', '', note.id])
  assert.deepEqual(await fixture.claims(line), [{ message_id: note.id, is_read: true }])
})

test('for speech-to-text that takes only WAV a voice note is decoded (ND-75)', async () => {
  const line = await newNoteLine()
  const { client } = await line.org.person('admin', { production: true })
  const config = { stt: 'plain/plain-ears' }
  done(await client.put('/v1/provider-keys/plain', { key: 'own-key-of-the-org' }))
  done(await client.in('production').put('/v1/agents/desk/settings', { config, if_version: 0 }))
  speechToText.hears = async () => ({ text: 'The fox', duration: null })
  const note = noteOf(recording('fox.ogg'))
  const { text } = await heard(await accepted(line, note))
  const { mediaType, bytes } = asked.at(-1)?.body ?? {}
  assert.equal(mediaType, 'audio/wav')
  assert.ok(Math.abs(Number(bytes) - 44 - spokenSeconds * 2 * spokenRate) < 2000, `${String(bytes)} bytes`)
  assert.equal(text, 'The fox')
})

test('the speech-to-text of a fresh machine transcribes a voice note (ND-75)', async () => {
  const line = await newNoteLine()
  const { client } = await line.org.person('admin', { production: true })
  const config = { stt: 'local', language: 'en' }
  done(await client.in('production').put('/v1/agents/desk/settings', { config, if_version: 0 }))
  const { text } = await heard(await accepted(line, noteOf(recording('fox.ogg'))))
  assert.match(text, /quick brown fox/i)
})

test('a voice note that is no sound at all is read as one without speech (ND-75)', async () => {
  const line = await newNoteLine()
  const { client } = await line.org.person('admin', { production: true })
  const config = { stt: 'local' }
  done(await client.in('production').put('/v1/agents/desk/settings', { config, if_version: 0 }))
  const note = noteOf(recording('fox.m4a').subarray(0, 900), 'audio/mp4')
  await accepted(line, note)
  assert.equal((await shown(note)).messageId, note.id)
})
