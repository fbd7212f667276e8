import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import type { NewEntry } from '@switchroom/contract/log'
import { knobTable } from '@switchroom/contract/knobs'
import { speech } from '../../testing/scripted-sound.ts'
import { ScriptedTranscriber, ScriptedVoice } from '../../testing/scripted-vendors.ts'
import { SpokenTalk } from '../../testing/spoken-talk.ts'
import { plain, says, ScriptedModel } from '../../testing/talk.ts'
import { CallLimits } from './call-limits.ts'

const talkOf = () =>
  new SpokenTalk(
    new ScriptedModel('model', says('Sure.')),
    new ScriptedTranscriber('transcriber', 'A table.'),
    new ScriptedVoice('voice'),
  )

test('a hold of 15 minutes ends the call, and one that ends before it does not', () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  try {
    for (const heldS of [899, 900]) {
      const [kept, ended] = [[] as NewEntry[], [] as string[]]
      const limits = new CallLimits({
        idleTimeoutMs: 120_000,
        longestMs: null,
        keep: (entries) => kept.push(...entries),
        end: (reason) => ended.push(reason),
      })
      limits.onSilence()
      limits.hold(knobTable.hold_limit_s.default.value)
      limits.onSilence() // the agent has spoken to its end
      mock.timers.tick(heldS * 1_000)
      limits.resume()
      assert.deepEqual(ended, heldS === 900 ? ['idle_timeout'] : [])
      const data = { reason: 'idle_timeout', held_s: 900 }
      assert.deepEqual(kept, heldS === 900 ? [{ type: 'session.timeout', data }] : [])
      limits.close()
    }
  } finally {
    mock.timers.reset()
  }
})

test('a hold without a limit lasts, and silence counts from its end on', () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  try {
    const ended: string[] = []
    const end = (reason: string) => ended.push(reason)
    const limits = new CallLimits({ idleTimeoutMs: 120_000, longestMs: null, keep: () => {}, end })
    limits.hold(null)
    mock.timers.tick(24 * 3_600_000)
    limits.resume()
    limits.onSilence()
    mock.timers.tick(60_000) // it is warned of
    mock.timers.tick(59_000)
    assert.deepEqual(ended, [])
    mock.timers.tick(1_000)
    assert.deepEqual(ended, ['idle_timeout'])
  } finally {
    mock.timers.reset()
  }
})

test('while the other side holds the call nobody is idle, and the log says when it began and ended', async () => {
  const talk = talkOf()
  talk.idleTimeoutMs = 400
  talk.instructions = { ...plain, greeting: { say: 'Hello.' } }
  talk.start()
  talk.sound.holds(true)
  await talk.until('bot.finished')
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  assert.deepEqual(talk.types('session.idleWarning', 'session.timeout'), [])
  talk.sound.holds(true) // said again
  talk.sound.holds(false)
  assert.equal(await talk.ended, 'idle_timeout')
  assert.deepEqual(talk.types('call.on_hold', 'call.off_hold', 'session.idleWarning', 'session.timeout'), [
    'call.on_hold',
    'call.off_hold',
    'session.idleWarning',
    'session.timeout',
  ])
})

test('a hold that is longer than `hold_limit_s` ends the call, and the log says why', async () => {
  const talk = talkOf()
  talk.config = { ...talk.config, hold_limit_s: 1 }
  talk.start()
  talk.sound.holds(true)
  assert.equal(await talk.ended, 'idle_timeout')
  assert.deepEqual(talk.dataOf('session.timeout'), [{ reason: 'idle_timeout', held_s: 1 }])
})

test('what is to be said next waits for what is being said', async () => {
  const talk = talkOf()
  const session = talk.start()
  talk.sound.says(speech(700))
  await talk.until('bot.speaking')
  session.sayNext('One moment, I am connecting you.')
  await talk.until('bot.finished', 2)
  assert.deepEqual(talk.types('bot.interrupted'), [])
  assert.deepEqual(
    talk.dataOf('agent.message').map(({ text }) => text),
    ['Sure.', 'One moment, I am connecting you.'],
  )
  await talk.hangUp()
})
