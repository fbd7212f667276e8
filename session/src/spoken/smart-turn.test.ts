import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sampleRate, speech } from '../../testing/scripted-sound.ts'
import { ScriptedTranscriber, ScriptedVoice } from '../../testing/scripted-vendors.ts'
import { SpokenTalk } from '../../testing/spoken-talk.ts'
import { says, ScriptedModel } from '../../testing/talk.ts'
import { PauseJudge } from './pause-judge.ts'
import { SpeechResampler } from './speech-resampler.ts'
import { loadTurnModel, surenessIn } from './turn-model.ts'

const wholeMs = 2_500
const cutOffMs = 1_500

/** What became of a stretch of speech; the transcribers hear the same words, so that only the sound differs. */
async function turnAfter(ms: number) {
  const transcriber = new ScriptedTranscriber('transcriber', 'The quick brown fox')
  const talk = new SpokenTalk(
    new ScriptedModel('model', says('Sure.')),
    transcriber,
    new ScriptedVoice('voice'),
  )
  talk.endOfTurn = 'smart-turn'
  // the voice of the recording is a machine's, which the model takes for hesitant
  talk.config = { turn: { eot_threshold: 0.25 } }
  talk.start()
  talk.sound.says(speech(ms))
  await talk.untilTrue(() => talk.dataOf('metrics').some(({ stage }) => stage === 'turn'))
  const timings = talk.dataOf('metrics').find(({ stage }) => stage === 'turn')
  await talk.hangUp()
  return {
    probability: Number(talk.dataOf('turn.end')[0]?.['probability']),
    waitedMs: Number(timings?.['turn_end_ms']),
  }
}

test('a model on the worker hears whether a sentence was finished: it ends sooner than one cut off (S-051)', async () => {
  const whole = await turnAfter(wholeMs)
  const cutOff = await turnAfter(cutOffMs)
  assert.ok(whole.probability >= 0.25, `a whole sentence: ${whole.probability}`)
  assert.ok(cutOff.probability < 0.25, `one cut off: ${cutOff.probability}`)
  assert.ok(whole.waitedMs < 1_400, `waited ${whole.waitedMs} ms`)
  assert.ok(cutOff.waitedMs >= 850, `waited ${cutOff.waitedMs} ms`)
})

test('a pause is judged at every rate of sound, by its last moments alone', async () => {
  const judged = []
  for (const rate of [8_000, sampleRate, 48_000]) {
    const resampling = new SpeechResampler(sampleRate, rate)
    const judge = new PauseJudge(rate)
    const { buffer } = speech(wholeMs)
    for (const samples of [...resampling.take(new Uint8Array(buffer)), ...resampling.rest()])
      judge.add(samples)
    judge.add(new Int16Array((rate * 250) / 1_000))
    judged.push((await judge.judge()) ?? Number.NaN)
  }
  for (const probability of judged) assert.ok(probability > 0 && probability < 1, judged.join(' '))
})

test('without the model the likelihood is unknown, and it is warned about once', async () => {
  const warnings: string[] = []
  const warn = ({ message }: Error) => void warnings.push(message)
  process.on('warning', warn)
  assert.equal(await loadTurnModel('there-is-no-such-package'), null)
  await new Promise((resolve) => void setImmediate(resolve))
  process.off('warning', warn)
  assert.equal(warnings.length, 1)
  assert.match(
    String(warnings[0]),
    /^no smart-turn model, so that the framework ends turns: .*no-such-package/,
  )
})

test('how sure the model must be is for each language what its makers say', () => {
  assert.equal(surenessIn('en'), 0.36)
  assert.equal(surenessIn('pt-BR'), 0.32)
  assert.equal(surenessIn(null), 0.36)
  assert.equal(surenessIn('tlh'), 0.36)
})
