import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refused, silent } from '@switchroom/kit/failures'
import { speech } from '../../testing/scripted-sound.ts'
import {
  ScriptedTranscriber,
  ScriptedVoice,
  ScriptedBatchTranscriber,
} from '../../testing/scripted-vendors.ts'
import { SpokenTalk } from '../../testing/spoken-talk.ts'
import { plain, says, ScriptedModel } from '../../testing/talk.ts'

const unhandled: unknown[] = []
process.on('unhandledRejection', (error) => unhandled.push(error))

test('transcribers that take whole utterances hear each stretch of speech', async () => {
  const transcriber = new ScriptedBatchTranscriber('transcriber', 'A table, please.')
  const talk = new SpokenTalk(
    new ScriptedModel('model', says('Sure.')),
    transcriber,
    new ScriptedVoice('voice'),
  )
  talk.start()
  talk.sound.says(speech(700))
  assert.equal((await talk.until('user.message'))['text'], 'A table, please.')
  assert.equal(transcriber.recordings.length, 1)
  const [{ bytes, mediaType } = { bytes: Buffer.alloc(0), mediaType: '' }] = transcriber.recordings
  assert.equal(mediaType, 'audio/wav')
  assert.ok(bytes.length > 44 + 2 * 16_000 * 0.6)
  await talk.hangUp()
})

test('an utterance that one vendor could not transcribe is heard by the next', async () => {
  const broken = new ScriptedBatchTranscriber('broken', silent('gone'))
  const good = new ScriptedBatchTranscriber('good', 'A table, please.')
  const talk = new SpokenTalk(new ScriptedModel('model', says('Sure.')), broken, new ScriptedVoice('voice'))
  talk.transcribers.push(good)
  talk.start()
  talk.sound.says(speech(700))
  assert.equal((await talk.until('user.message'))['text'], 'A table, please.')
  assert.deepEqual(talk.dataOf('vendor.switched'), [
    { stage: 'stt', vendor: 'broken', state: 'down', serves: 'good' },
  ])
  await talk.hangUp()
})

test('transcribers that break off in the middle of a call are followed by the next, which hear the rest', async () => {
  const broken = new ScriptedTranscriber('broken')
  const good = new ScriptedTranscriber('good', 'A table, please.')
  const talk = new SpokenTalk(new ScriptedModel('model', says('Sure.')), broken, new ScriptedVoice('voice'))
  talk.transcribers.push(good)
  talk.start()
  talk.sound.says(speech(900))
  await talk.until('speech.started')
  broken.hears(new Error('the socket broke'))
  await talk.until('agent.message')
  assert.deepEqual(talk.dataOf('vendor.switched'), [
    { stage: 'stt', vendor: 'broken', state: 'down', serves: 'good' },
  ])
  assert.ok(good.heardBytes > 0)
  await talk.hangUp()
})

test('a call that no transcribers hear any more fails, and the log says why', async () => {
  const transcriber = new ScriptedTranscriber('transcriber')
  transcriber.broken = refused('the key is wrong')
  const talk = new SpokenTalk(
    new ScriptedModel('model', says('Sure.')),
    transcriber,
    new ScriptedVoice('voice'),
  )
  talk.start()
  assert.equal(await talk.ended, 'failed')
  assert.deepEqual(talk.dataOf('error'), [
    { code: 'stt_failed', detail: 'the key is wrong', vendor: 'transcriber' },
  ])
})

test('a voice that fails is replaced by the next before the caller notices', async () => {
  const broken = new ScriptedVoice('broken')
  const good = new ScriptedVoice('good', 8_000)
  broken.deed = { fails: new TypeError('undefined is not a function') }
  const talk = new SpokenTalk(
    new ScriptedModel('model', says('Sure.')),
    new ScriptedTranscriber('transcriber'),
    broken,
  )
  talk.voices.push(good)
  talk.instructions = { ...plain, greeting: { say: 'Hello there, how can I help?' } }
  const session = talk.start()
  await talk.until('agent.message')
  assert.deepEqual(talk.dataOf('vendor.switched'), [
    { stage: 'tts', vendor: 'broken', state: 'down', serves: 'good' },
  ])
  assert.deepEqual(good.asked, ['Hello there, how can I help?'])
  // it is left alone for a while
  await session.say('One moment.')
  assert.deepEqual(broken.asked.length, 1)
  assert.deepEqual(talk.dataOf('vendor.switched').length, 1)
  await talk.hangUp()
})

test('a voice that breaks off in the middle of a sentence is followed by the next one with the rest', async () => {
  const broken = new ScriptedVoice('broken')
  const good = new ScriptedVoice('good')
  broken.deed = { breaksAfter: 3 }
  const talk = new SpokenTalk(
    new ScriptedModel('model', says('Sure.')),
    new ScriptedTranscriber('transcriber'),
    broken,
  )
  talk.voices.push(good)
  talk.instructions = { ...plain, greeting: { say: 'Hello there, how can I help?' } }
  talk.start()
  await talk.until('agent.message')
  assert.deepEqual(good.asked, ['can I help?'])
  assert.deepEqual(
    talk.dataOf('bot.word').map(({ word }) => word),
    ['Hello', 'there,', 'how', 'can', 'I', 'help?'],
  )
  assert.equal(talk.dataOf('agent.message')[0]?.['text'], 'Hello there, how can I help?')
  const characters = talk.dataOf('metrics').map(({ vendor, characters: said }) => [vendor, said])
  assert.deepEqual(characters, [
    ['broken', 28],
    ['good', 11],
  ])
  await talk.hangUp()
})

test('words that no voice can say are in no message, and after three such messages the call fails', async () => {
  const broken = new ScriptedVoice('broken')
  broken.deed = { fails: refused('no credit') }
  const talk = new SpokenTalk(
    new ScriptedModel('model', says('Sure.')),
    new ScriptedTranscriber('transcriber'),
    broken,
  )
  talk.instructions = { ...plain, greeting: { say: 'Hello.' } }
  const session = talk.start()
  await session.say('One.')
  await session.say('Two.')
  assert.equal(await talk.ended, 'failed')
  assert.deepEqual(talk.dataOf('agent.message'), [])
  assert.deepEqual(talk.dataOf('error')[0], { code: 'tts_failed', detail: 'no credit', vendor: 'broken' })
  assert.equal(talk.dataOf('error').length, 3)
})

test('a model that breaks off is followed by the next one, and what was not heard of it is not said', async () => {
  const long = 'This is what the first one had to say before it broke off in the middle of everything. '
  const talk = new SpokenTalk(
    new ScriptedModel('broken', [...says('Well, let me see. '), ...says(long, long), silent('gone')]),
    new ScriptedTranscriber('transcriber', 'A table, please.'),
    new ScriptedVoice('voice'),
  )
  talk.models.push(new ScriptedModel('good', says('Your table is booked.')))
  talk.start()
  talk.sound.says(speech(700))
  await talk.until('agent.message')
  assert.match(String(talk.dataOf('agent.message')[0]?.['text']), /Your table is booked\.$/)
  assert.doesNotMatch(String(talk.dataOf('agent.message')[0]?.['text']), /everything\..*everything\./)
  assert.deepEqual(talk.dataOf('vendor.switched'), [
    { stage: 'llm', vendor: 'broken', state: 'down', serves: 'good' },
  ])
  await talk.hangUp()
})

test('a model that says nothing in time is answered for with a sentence that is said aloud', async () => {
  const voice = new ScriptedVoice('voice')
  const transcriber = new ScriptedTranscriber('transcriber', 'A table, please.')
  const talk = new SpokenTalk(new ScriptedModel('model', ['silence']), transcriber, voice)
  talk.instructions = { ...plain, llmTimeoutMs: 300, language: 'es' }
  talk.start()
  talk.sound.says(speech(700))
  const { text, source } = await talk.until('agent.message')
  assert.deepEqual([text, source], ['Perdona, ¿puedes repetirlo?', 'say'])
  assert.deepEqual(voice.asked, ['Perdona, ¿puedes repetirlo?'])
  assert.equal(talk.dataOf('error')[0]?.['code'], 'llm_timeout')
  await talk.hangUp()
})

test('whatever breaks, nothing is left to end the process', () => {
  assert.deepEqual(unhandled, [])
})
