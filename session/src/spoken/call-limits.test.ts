import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import type { Entry } from '@switchroom/contract/log'
import { ScriptedTranscriber, ScriptedVoice } from '../../testing/scripted-vendors.ts'
import { SpokenTalk } from '../../testing/spoken-talk.ts'
import { says, ScriptedModel } from '../../testing/talk.ts'
import { leftMs } from './call-limits.ts'

const entry = (type: string, ts: number): Entry => ({
  seq: 1,
  ts,
  call: 'call_1',
  agent: 'desk',
  type,
  ephemeral: false,
  data: {},
})

test('how long a call may still last is counted from its answer, else from its start, and 0 is no limit (S-077, S-078)', () => {
  mock.timers.enable({ apis: ['Date'], now: 1_000_000 })
  try {
    const config = { max_duration_s: 600 }
    const [started, answered] = [entry('call.started', 970), entry('call.answered', 990)]
    assert.equal(leftMs(config, [started]), 570_000)
    assert.equal(leftMs(config, [started, answered]), 590_000)
    assert.equal(leftMs(config, [entry('call.started', 300)]), -100_000)
    assert.equal(leftMs(config, []), 600_000)
    assert.equal(leftMs({}, [started]), null)
    assert.equal(leftMs({ max_duration_s: 0 }, [started]), null)
  } finally {
    mock.timers.reset()
  }
})

test('the longest time of an agent holds from when a call is handed over to it, counted from its start (S-077)', async () => {
  const model = new ScriptedModel('model', says('Sure.'))
  const talk = new SpokenTalk(model, new ScriptedTranscriber('transcriber'), new ScriptedVoice('voice'))
  talk.entries.push(entry('call.started', Date.now() / 1_000 - 59))
  const session = talk.start()
  await session.say('One moment.')
  await session.swap({ ...talk.spokenParts(), config: { max_duration_s: 60 } })
  assert.equal(await talk.ended, 'max_duration')
})
