import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tool, Type } from '@switchroom/sdk'
import { missing } from '@switchroom/tools/debian-packages'
import { joined, openDesk, silence, speech, textsOf, typesOf } from './spoken-desk.ts'
import { callWithSipp } from './spoken-sipp.ts'

const greeting = 'Hello! Ask me for the time.'

const time = tool({
  name: 'time',
  description: 'Tells the date and the time',
  parameters: Type.Object({}),
  run: () => 'a quarter past three in the afternoon, and it is a lovely day outside with plenty of sun',
})

test(
  'a phone that knows nothing of us calls an agent: it is greeted, heard, answered, interrupts and hangs up, and the log tells it all',
  { skip: missing('sipp') },
  async (t) => {
    const desk = await openDesk(t, { tools: [time], settings: { greeting: { say: greeting } } })
    const question = await speech('What time is it?')
    const says = joined(silence(6), question, silence(5), question, silence(9))
    const { status, output } = await callWithSipp(t, 'hello', desk.worker.sipPort, says)
    assert.equal(status, 0, output)
    const [call = ''] = await desk.calls()
    const entries = await desk.untilLogged(
      call,
      'the call has ended',
      (log) => log.at(-1)?.type === 'call.ended',
    )
    const types = typesOf(entries)
    assert.equal(types[0], 'call.started')
    assert.deepEqual(entries.at(-1)?.data['reason'], 'hangup')
    assert.equal(textsOf(entries, 'agent.message')[0], greeting)
    const questions = textsOf(entries, 'user.message')
    assert.match(questions[0] ?? '', /time/i)
    assert.ok(types.includes('llm.toolCall'), types.join(' '))
    assert.ok(types.includes('bot.interrupted'), types.join(' '))
    const order = [
      'user.message',
      'turn.end',
      'llm.toolCall',
      'tool.result',
      'bot.speaking',
      'bot.interrupted',
    ]
    const places = order.map((type) =>
      types.indexOf(type, type === 'bot.speaking' ? types.indexOf('tool.result') : 0),
    )
    assert.deepEqual(
      places,
      places.toSorted((a, b) => a - b),
    )
  },
)
