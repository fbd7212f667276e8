import assert from 'node:assert/strict'
import { test } from 'node:test'
import { speech } from '../../testing/scripted-sound.ts'
import { ScriptedTranscriber, ScriptedVoice } from '../../testing/scripted-vendors.ts'
import { SpokenTalk } from '../../testing/spoken-talk.ts'
import { plain, says, ScriptedModel, type Deed } from '../../testing/talk.ts'

function talkOf(deeds: Deed[], ...utterances: string[]) {
  const transcriber = new ScriptedTranscriber('transcriber', ...utterances)
  const voice = new ScriptedVoice('voice')
  const model = new ScriptedModel('model', ...deeds)
  return { transcriber, voice, model, talk: new SpokenTalk(model, transcriber, voice) }
}

test('while the log takes nothing the caller is heard and answered to the last word', async () => {
  const { talk, voice } = talkOf([says('Sure. ', 'At eight then')], 'A table.')
  const kept = Promise.withResolvers<void>()
  talk.before = (step) => (step.startsWith('keep') ? kept.promise : Promise.resolve())
  talk.start()
  talk.sound.says(speech(700))
  await talk.until('bot.finished')
  assert.equal(voice.asked.join(' '), 'Sure. At eight then')
  assert.deepEqual(talk.entries, [])
  kept.resolve()
  assert.equal(await talk.hangUp(), 'hangup')
  assert.equal(talk.of('agent.message')[0]?.['text'], 'Sure. At eight then')
})

test('a call whose log is lost ends', async () => {
  const { talk } = talkOf([says('Sure.')], 'A table.')
  talk.before = (step) =>
    step.startsWith('keep user.message') ? Promise.reject(new Error('gone')) : Promise.resolve()
  talk.start()
  talk.sound.says(speech(700))
  assert.equal(await talk.ended, 'failed')
})

test('a party that leaves while everything is busy leaves no work behind', async () => {
  const { talk, model } = talkOf(
    [[...says('Well, let me see what there is to be had. '), 'silence']],
    'When?',
  )
  talk.start()
  talk.sound.says(speech(700))
  await talk.until('bot.word', 2)
  talk.sound.says(speech(400))
  await talk.until('speech.started', 2)
  const leftMs = performance.now()
  talk.sound.leaves()
  assert.equal(await talk.ended, 'hangup')
  assert.ok(performance.now() - leftMs < 2_000)
  assert.equal(model.open, 0)
  assert.equal(talk.dataOf('bot.interrupted')[0]?.['reason'], 'call_ended')
})

test('the leg is hung up before memory is learned', async () => {
  const { talk } = talkOf([says('Sure.'), says('{"ops": []}')], 'The table at the window.')
  talk.contact = '+34600000001'
  talk.instructions = { ...plain, memory: { remember: ['where they sit'], forget: [] } }
  const learned = Promise.withResolvers<void>()
  const session = talk.start()
  talk.sound.says(speech(700))
  await talk.untilTrue(() => talk.dataOf('metrics').some(({ stage }) => stage === 'turn'))
  talk.before = (step) => (step === 'keep metrics' ? learned.promise : Promise.resolve())
  let isTold = false
  void talk.ended?.then(() => (isTold = true))
  session.end('hangup')
  assert.equal(await session.silent, 'hangup')
  await talk.untilTrue(() => talk.dataOf('metrics').at(-1)?.['purpose'] === 'memory')
  assert.equal(isTold, false)
  learned.resolve()
  assert.equal(await talk.ended, 'hangup')
})

for (const when of ['before anything is said', 'in the middle of a greeting'])
  test(`a call that is handed over ${when} is greeted by the new agent, once`, async () => {
    const { talk, transcriber, voice } = talkOf([says('No.')])
    talk.instructions = { ...plain, greeting: { say: 'Hello from the line, one moment please.' } }
    const session = talk.start()
    const isBegun = when !== 'before anything is said'
    if (isBegun) await talk.until('bot.word', 2)
    const next = talkOf([says('It is ready.')], 'Is my car ready?')
    const swapping = session.swap({
      ...talk.spokenParts(),
      instructions: { ...plain, greeting: { say: 'Workshop, hello.' } },
      models: [next.model],
      transcribers: [next.transcriber],
      voices: [next.voice],
    })
    await swapping
    await talk.untilTrue(() => talk.dataOf('agent.message').at(-1)?.['text'] === 'Workshop, hello.')
    talk.sound.says(speech(700))
    await talk.untilTrue(() => talk.dataOf('agent.message').at(-1)?.['text'] === 'It is ready.')
    assert.deepEqual(next.voice.asked, ['Workshop, hello.', 'It is ready.'])
    assert.equal(voice.asked.length, Number(isBegun))
    assert.deepEqual([transcriber.listened, next.transcriber.listened], [Number(isBegun), 1])
    await talk.hangUp()
  })
