import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AnsweringMachine } from '@switchroom/contract/settings'
import { sampleRate, samplesIn, speech } from '../../../testing/scripted-sound.ts'
import { ScriptedTranscriber, ScriptedVoice } from '../../../testing/scripted-vendors.ts'
import { SpokenTalk } from '../../../testing/spoken-talk.ts'
import { plain, says, ScriptedModel } from '../../../testing/talk.ts'
import { Answering } from './answering.ts'

const message = 'This is the desk. We will call again.'

const tone = (hz: number, ms: number) =>
  Int16Array.from({ length: samplesIn(ms) }, (_, n) => 6_000 * Math.sin((2 * Math.PI * hz * n) / sampleRate))

const pause = (ms: number) => new Int16Array(samplesIn(ms))

/** A call that was dialled and answered just now, by something that says these words. */
function dialled(words: string, knob?: AnsweringMachine) {
  const model = new ScriptedModel('model', says('Sure.'))
  const transcriber = new ScriptedTranscriber('transcriber', words)
  const talk = new SpokenTalk(model, transcriber, new ScriptedVoice('voice'))
  talk.instructions = { ...plain, greeting: { say: 'Hello, this is the desk.' } }
  if (knob) talk.config = { ...talk.config, answering_machine: knob }
  const answered = {
    seq: 1,
    ts: Date.now() / 1_000,
    call: 'call_1',
    agent: 'desk',
    ephemeral: false,
    data: {},
  }
  talk.entries.push({ ...answered, type: 'call.answered' }, { ...answered, seq: 2, type: 'call.started' })
  return { talk, model, transcriber }
}

const said = (talk: SpokenTalk) => talk.dataOf('agent.message').map(({ text }) => text)

test('a person who says hello is greeted once they pause, and the greeting is the answer to it', async () => {
  const { talk, model, transcriber } = dialled('Hello?', { action: 'leave_message', message })
  transcriber.utterances.push('Is my car ready?')
  talk.start()
  talk.sound.says(speech(700))
  assert.deepEqual(await talk.until('call.answered_by'), { by: 'person' })
  await talk.until('user.message')
  await talk.until('bot.finished')
  talk.sound.says(speech(700))
  await talk.until('bot.finished', 2)
  assert.deepEqual(said(talk), ['Hello, this is the desk.', 'Sure.'])
  assert.equal(talk.dataOf('user.message').length, 2)
  assert.equal(model.asked.length, 1)
  await talk.hangUp()
})

test('a voicemail is left the message after its beep and not before, and the call ends', async () => {
  const { talk, model } = dialled('Leave a message after the tone.', { action: 'leave_message', message })
  talk.start()
  talk.sound.says(speech(2_500))
  assert.deepEqual(await talk.until('call.answered_by'), { by: 'machine', kind: 'voicemail' })
  talk.sound.says(pause(300))
  await talk.until('user.message')
  assert.deepEqual(said(talk), [])
  talk.sound.says(tone(1_000, 400))
  assert.equal(await talk.ended, 'hangup')
  assert.deepEqual(said(talk), [message])
  assert.equal(model.asked.length, 0)
})

test('a voicemail is hung up on, if the settings say so', async () => {
  const { talk } = dialled('You have reached Ana.', { action: 'hang_up' })
  talk.start()
  talk.sound.says(speech(2_500))
  assert.equal(await talk.ended, 'hangup')
  assert.deepEqual(talk.dataOf('call.answered_by'), [{ by: 'machine', kind: 'voicemail' }])
  assert.deepEqual(said(talk), [])
})

test('a fax machine is hung up on although a message was to be left', async () => {
  const { talk } = dialled('', { action: 'leave_message', message })
  talk.start()
  talk.sound.says(tone(2_100, 1_500))
  assert.equal(await talk.ended, 'hangup')
  assert.deepEqual(talk.dataOf('call.answered_by'), [{ by: 'machine', kind: 'fax' }])
})

test('a screening service hears the greeting, although it sounded like a voicemail before its words were known', async () => {
  const { talk } = dialled('Please state your name and why you are calling.', {
    action: 'leave_message',
    message,
  })
  talk.start()
  talk.sound.says(speech(2_500))
  await talk.until('agent.message')
  assert.deepEqual(talk.dataOf('call.answered_by').at(-1), { by: 'machine', kind: 'screening' })
  assert.deepEqual(said(talk), ['Hello, this is the desk.'])
  await talk.hangUp()
})

test('unless the settings say what happens the greeting does not wait, and the log says who answered', async () => {
  const { talk } = dialled('Hello?')
  talk.start()
  await talk.until('bot.speaking')
  assert.deepEqual(talk.types('call.answered_by'), [])
  assert.deepEqual(await talk.until('call.answered_by'), { by: 'unknown' })
  await talk.hangUp()
})

test('if nothing is heard the greeting comes after three seconds', async () => {
  const { talk } = dialled('', { action: 'hang_up' })
  talk.start()
  await talk.until('bot.speaking')
  assert.deepEqual(talk.dataOf('call.answered_by'), [{ by: 'unknown' }])
  await talk.hangUp()
})

test('what is heard before the conversation can begin is judged, and acted upon once it can', () => {
  const done: string[] = []
  const answering = new Answering({
    sampleRate,
    knob: { action: 'hang_up' },
    keep: ([entry]) => done.push(String(entry?.data['by'])),
    goOn: () => done.push('goes on'),
    hangUp: () => done.push('hangs up'),
    machineSpeaks: () => {},
    noMachineAfterAll: () => {},
    leaveMessage: () => {},
  })
  const samples = new Int16Array(512)
  const hear = (probability: number, windows: number) => {
    for (let at = 0; at < windows; at += 1) answering.notice({ type: 'window', probability, samples })
  }
  hear(0.9, 15)
  hear(0.1, 30)
  assert.deepEqual(done, [])
  answering.start(0)
  assert.deepEqual(done, ['person', 'goes on'])
  answering.close()
  assert.deepEqual(done, ['person', 'goes on'])
})

test('a caller is never taken for a machine', async () => {
  const { talk } = dialled('Leave a message after the tone.', { action: 'hang_up' })
  talk.entries.splice(0)
  talk.start()
  talk.sound.says(speech(700))
  await talk.until('user.message')
  await talk.until('bot.finished', 2)
  assert.deepEqual(talk.types('call.answered_by'), [])
  await talk.hangUp()
})
