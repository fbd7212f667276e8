import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refused } from '@switchroom/kit/failures'
import type { Thought } from '@switchroom/kit/vendor'
import { type Deed, calls, never, ScriptedModel, says, Talk, toolNamed } from '../testing/talk.ts'
import { unfinishedTurn } from './history.ts'
import { runTurn } from './turn.ts'

const when = 'the person says goodbye'

function talkWith(model: ScriptedModel, { hangup = false, tools = ['look_up', 'book'] } = {}) {
  const talk = new Talk(model)
  talk.instructions = {
    ...talk.instructions,
    tools: tools.map(toolNamed),
    hangup: hangup ? { when } : null,
  }
  return talk
}

async function turnOf(deeds: readonly Deed[], told: Parameters<typeof talkWith>[1] = {}) {
  const model = new ScriptedModel('alpha', ...deeds)
  const talk = talkWith(model, told).hears('Where is order 42?', 'u1')
  const { ends } = await runTurn(talk.parts(), never)
  return { model, talk, ends }
}

test('the calls of a model are kept before the app is asked, and the model continues with the results (N-457, N-458)', async () => {
  const model = new ScriptedModel(
    'alpha',
    [...says('One moment. '), calls('look_up', '{"order":42}', 'c1'), calls('look_up', '{"order":43}', 'c2')],
    says('It is on its way.'),
  )
  const talk = talkWith(model).hears('Where is order 42?', 'u1')
  talk.answerTool = ({ arguments: given }) => `sent ${given}`
  await runTurn(talk.parts(), never)
  assert.deepEqual(talk.steps, [
    'prepare',
    'keep metrics llm.toolCall',
    'tools look_up look_up',
    'prepare',
    'keep metrics agent.message',
  ])
  const toolCalls = [
    { id: 'c1', name: 'look_up', arguments: '{"order":42}' },
    { id: 'c2', name: 'look_up', arguments: '{"order":43}' },
  ]
  assert.deepEqual(talk.of('llm.toolCall'), [{ msgId: 'm1', toolCalls, text: 'One moment.' }])
  assert.deepEqual(talk.toolsAsked, [{ msgId: 'm1', calls: toolCalls }])
  assert.deepEqual(model.asked[0]?.tools, [toolNamed('look_up'), toolNamed('book')])
  const rounds = [
    { role: 'user', text: 'Where is order 42?' },
    { role: 'assistant', text: 'One moment.', calls: toolCalls },
    { role: 'tool', call: 'c1', name: 'look_up', text: 'sent {"order":42}' },
    { role: 'tool', call: 'c2', name: 'look_up', text: 'sent {"order":43}' },
  ]
  assert.deepEqual(model.asked[1]?.messages.slice(1), rounds)
  assert.deepEqual(talk.of('agent.message'), [
    { text: 'It is on its way.', messageId: 'm1', source: 'model', answers: 'u1' },
  ])
  await runTurn(talk.hears('Thanks').parts(), never)
  assert.deepEqual(model.asked[2]?.messages.slice(1, 5), rounds)
})

test('a turn that ends without words after its tools says what it said beside them', async () => {
  const { talk } = await turnOf([[...says('It is booked.'), calls('book')], []])
  assert.deepEqual(talk.said, ['It is booked.'])
  assert.equal(unfinishedTurn(talk.entries), null)
})

test('ids that are missing, said twice or used before in the call are made unique', async () => {
  const round: Thought[] = [
    calls('book', '{}', 'call_0'),
    calls('book', '{}', 'call_0'),
    calls('book', '{}', ''),
  ]
  const { talk } = await turnOf([round, round, [calls('book', '{}', 'x'.repeat(200))], says('Done.')])
  const ids = talk.toolsAsked.flatMap((asked) => asked.calls.map(({ id }) => id))
  assert.equal(ids.length, 7)
  assert.equal(new Set(ids).size, 7)
  assert.equal(ids[0], 'call_0')
  for (const id of ids) assert.match(id, /^call_[\da-f]{1,24}$/)
  await runTurn(talk.hears('Again').parts(), never)
  const later = new ScriptedModel('alpha', [calls('book', '{}', 'call_0')], says('Done.'))
  talk.models = [later]
  await runTurn(talk.hears('And again').parts(), never)
  assert.notEqual(talk.toolsAsked.at(-1)?.calls[0]?.id, 'call_0')
})

test('the app is not asked for arguments that are no JSON object or for tools that do not exist: the model reads why', async () => {
  const given = [
    calls('look_up', '{"order":', 'cut'),
    calls('look_up', '[42]', 'list'),
    calls('guess', '{}', 'guess'),
    calls('book', ' ', 'blank'),
  ]
  const { talk, model } = await turnOf([given, says('Sorry.')])
  assert.deepEqual(talk.of('llm.toolCall'), [
    { msgId: 'm1', toolCalls: [{ id: 'blank', name: 'book', arguments: '{}' }] },
  ])
  const unread = 'The arguments of look_up are no JSON object: call it again.'
  const unknown = 'There is no tool called guess.'
  assert.deepEqual(model.asked[1]?.messages.slice(2), [
    {
      role: 'assistant',
      text: '',
      calls: [
        { id: 'cut', name: 'look_up', arguments: '{}' },
        { id: 'list', name: 'look_up', arguments: '{}' },
        { id: 'guess', name: 'guess', arguments: '{}' },
        { id: 'blank', name: 'book', arguments: '{}' },
      ],
    },
    { role: 'tool', call: 'cut', name: 'look_up', text: unread },
    { role: 'tool', call: 'list', name: 'look_up', text: unread },
    { role: 'tool', call: 'guess', name: 'guess', text: unknown },
    { role: 'tool', call: 'blank', name: 'book', text: 'done' },
  ])
  assert.deepEqual(
    talk.of('error'),
    [unread, unread, unknown].map((detail) => ({ code: 'tool_failed', detail })),
  )
})

test('a round of tool calls that no app can run leaves nothing to wait for', async () => {
  const { talk } = await turnOf([[calls('guess')], says('Sorry.')])
  assert.deepEqual([talk.toolsAsked, talk.of('llm.toolCall'), talk.said], [[], [], ['Sorry.']])
})

test('a tool call without a result is read as such', async () => {
  const model = new ScriptedModel('alpha', [calls('look_up', '{}', 'c1')], says('Sorry.'))
  const talk = talkWith(model).hears('Where?')
  talk.answerTool = () => {}
  await runTurn(talk.parts(), never)
  const text = 'It is not known what became of this.'
  assert.deepEqual(model.asked[1]?.messages.at(-1), { role: 'tool', call: 'c1', name: 'look_up', text })
})

test('after eight rounds of tools the model is asked once more without any', async () => {
  const { talk, model } = await turnOf([[calls('look_up')]])
  assert.equal(talk.toolsAsked.length, 8)
  assert.deepEqual(
    model.asked.map(({ tools }) => tools?.length ?? 0),
    [...Array(8).fill(2), 0],
  )
  assert.deepEqual(talk.said, [])
})

test('a model may hang up only if the agent says when, under a name that no tool of the app has', async () => {
  const names = ({ asked }: ScriptedModel) => asked[0]?.tools?.map(({ name }) => name)
  const without = await turnOf([[...says('Bye.'), calls('hang_up')], says('Bye.')])
  assert.deepEqual(names(without.model), ['look_up', 'book'])
  assert.equal(without.ends, false)
  const withIt = await turnOf([[...says('Bye.'), calls('hang_up')]], { hangup: true })
  assert.deepEqual(names(withIt.model), ['look_up', 'book', 'hang_up'])
  assert.match(withIt.model.asked[0]?.tools?.[2]?.description ?? '', new RegExp(`${when}$`))
  assert.deepEqual([withIt.ends, withIt.talk.said, withIt.model.asked.length], [true, ['Bye.'], 1])
  assert.deepEqual([withIt.talk.toolsAsked, withIt.talk.of('llm.toolCall')], [[], []])
  const clash = await turnOf([[...says('Bye.'), calls('hang_up')], says('Later.')], {
    hangup: true,
    tools: ['hang_up', 'hang_up_2'],
  })
  assert.deepEqual(names(clash.model), ['hang_up', 'hang_up_2', 'hang_up_3'])
  assert.deepEqual([clash.ends, clash.talk.toolsAsked.length], [false, 1])
})

test('a model that hangs up without a word is asked for its last ones', async () => {
  const { talk, model, ends } = await turnOf([[calls('hang_up', '{}', 'h')], says('Goodbye.')], {
    hangup: true,
  })
  assert.deepEqual([ends, talk.said], [true, ['Goodbye.']])
  assert.equal(model.asked[1]?.tools, undefined)
  const text = 'The conversation ends after your next words: say them now.'
  assert.deepEqual(model.asked[1]?.messages.at(-1), { role: 'tool', call: 'h', name: 'hang_up', text })
})

test('it hangs up also when the last words do not come', async () => {
  for (const last of [[], [refused('no credit left')]]) {
    const { talk, ends } = await turnOf([[calls('hang_up')], last], { hangup: true })
    assert.deepEqual([ends, talk.said, talk.of('error').length], [true, [], last.length])
  }
})

test('what is asked of the app together with hanging up is done first', async () => {
  const { talk, ends } = await turnOf([[...says('Booked, bye.'), calls('book'), calls('hang_up')]], {
    hangup: true,
  })
  assert.deepEqual([ends, talk.said], [true, ['Booked, bye.']])
  assert.deepEqual(talk.steps, ['prepare', 'keep metrics llm.toolCall', 'tools book', 'keep agent.message'])
  const onSilence = await turnOf([[calls('book'), calls('hang_up')], says('Booked, bye.')], { hangup: true })
  assert.deepEqual(
    [onSilence.ends, onSilence.talk.said, onSilence.talk.toolsAsked.length],
    [true, ['Booked, bye.'], 1],
  )
})

test('a turn that broke off while its tools ran waits for them, and continues under its own id', async () => {
  const model = new ScriptedModel('alpha', says('Both are on their way.'))
  const talk = talkWith(model).hears('Where are they?', 'u1')
  const asked = ['c1', 'c2'].map((id) => ({ id, name: 'look_up', arguments: '{}' }))
  talk.add('metrics', { stage: 'llm' }).add('llm.toolCall', { msgId: 'before', toolCalls: asked, app: 'i1' })
  talk.add('tool.result', { id: 'c1', name: 'look_up', ok: true, result: { at: 'the door' } })
  talk.hears('Hello?', 'u2')
  await runTurn(talk.parts(), never)
  assert.deepEqual(talk.toolsAsked, [{ msgId: 'before', calls: asked.slice(1) }])
  assert.deepEqual(model.asked[0]?.messages.slice(1), [
    { role: 'user', text: 'Where are they?' },
    { role: 'assistant', text: '', calls: asked },
    { role: 'tool', call: 'c1', name: 'look_up', text: '{"at":"the door"}' },
    { role: 'tool', call: 'c2', name: 'look_up', text: 'done' },
    { role: 'user', text: 'Hello?' },
  ])
  assert.deepEqual(talk.generations, [2])
  assert.deepEqual(talk.of('agent.message'), [
    { text: 'Both are on their way.', messageId: 'before', source: 'model', answers: 'u2' },
  ])
})

test('a turn that broke off after its tools does not ask them again', async () => {
  const model = new ScriptedModel('alpha', says('It is on its way.'))
  const talk = talkWith(model).hears('Where is it?')
  talk.add('llm.toolCall', { msgId: 'before', toolCalls: [{ id: 'c1', name: 'look_up', arguments: '{}' }] })
  talk.add('tool.result', { id: 'c1', name: 'look_up', ok: false, result: 'look_up took too long' })
  await runTurn(talk.parts(), never)
  assert.deepEqual(talk.toolsAsked, [])
  assert.equal(model.asked[0]?.messages.at(-1)?.text, 'look_up took too long')
  assert.equal(talk.of('agent.message')[0]?.['messageId'], 'before')
})

test('what was said beside tools before a restart is not lost', async () => {
  const talk = talkWith(new ScriptedModel('alpha', [])).hears('Book it.')
  const toolCalls = [{ id: 'c1', name: 'book', arguments: '{}' }]
  talk.add('llm.toolCall', { msgId: 'before', toolCalls, text: 'It is booked.' })
  await runTurn(talk.parts(), never)
  assert.deepEqual(talk.said, ['It is booked.'])
})

test('rounds of tools before a restart count', async () => {
  const model = new ScriptedModel('alpha', [calls('look_up')])
  const talk = talkWith(model).hears('Where is it?')
  for (let n = 0; n < 7; n += 1) {
    const toolCalls = [{ id: `c${n}`, name: 'look_up', arguments: '{}' }]
    talk.add('llm.toolCall', { msgId: 'before', toolCalls })
    talk.add('tool.result', { id: `c${n}`, name: 'look_up', ok: true, result: 'no' })
  }
  await runTurn(talk.parts(), never)
  assert.equal(talk.toolsAsked.length, 1)
})
