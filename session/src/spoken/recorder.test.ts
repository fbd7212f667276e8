import assert from 'node:assert/strict'
import { test } from 'node:test'
import { speech } from '../../testing/scripted-sound.ts'
import { ScriptedTranscriber, ScriptedVoice } from '../../testing/scripted-vendors.ts'
import { SpokenTalk } from '../../testing/spoken-talk.ts'
import { plain, says, ScriptedModel } from '../../testing/talk.ts'

test('the agent that takes a call over says whether it is recorded from then on, and the log says from when', async () => {
  const model = new ScriptedModel('model', says('One moment.'), says('Yes.'))
  const caller = new ScriptedTranscriber('transcriber', 'The workshop, please.', 'Hello?')
  const talk = new SpokenTalk(model, caller, new ScriptedVoice('voice'))
  const recorded: Int16Array[] = []
  talk.record = (samples) => recorded.push(samples.slice())
  const session = talk.start()
  const handOver = async (say: string, record: boolean | undefined) => {
    const { transcribers, voices, models, prepare, runTools, config, realtime } = talk.spokenParts()
    const handed = talk.dataOf('agent.message').length
    await session.swap({
      instructions: { ...plain, greeting: { say } },
      config: { ...config, ...(record !== undefined && { record }) },
      endOfTurn: 'framework',
      models,
      transcribers,
      voices,
      realtime,
      prepare,
      runTools,
      sendsAudioMetrics: false,
    })
    await talk.until('agent.message', handed + 1)
  }
  const side = (right: 0 | 1) =>
    recorded.flatMap((samples) => [...samples].filter((_, at) => at % 2 === right))
  talk.sound.says(speech(700))
  await talk.until('agent.message')
  assert.equal(recorded.length, 0)
  assert.deepEqual(talk.dataOf('recording.started'), [])

  const before = talk.sound.played.length
  await handOver('Workshop, hello.', true)
  const played = talk.sound.played.slice(before).flatMap((frame) => [...frame])
  const sounding = (samples: number[]) => samples.filter((sample) => sample !== 0)
  assert.ok(sounding(played).length > 2_000)
  assert.deepEqual(sounding(side(1)), sounding(played))

  await handOver('Sales, hello.', true)
  await handOver('The archive, hello.', undefined)
  const untilThen = recorded.length
  talk.sound.says(speech(700))
  await talk.until('user.message', 2)
  assert.equal(recorded.length, untilThen)
  assert.ok(side(0).length > 0)
  assert.deepEqual(talk.dataOf('recording.started'), [{ atMs: 0 }])

  const recordedMs = Math.round((side(0).length / talk.sound.sampleRate) * 1000)
  await handOver('Sales again, hello.', true)
  await talk.hangUp()
  assert.deepEqual(talk.dataOf('recording.started'), [{ atMs: 0 }, { atMs: recordedMs }])
})
