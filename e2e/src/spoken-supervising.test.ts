import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ModelFake } from '@switchroom/gateway/testing/providers/model-fake'
import { changeRow } from '@switchroom/gateway/testing/providers/vendors'
import { afterwards, temporaryFolder } from '@switchroom/launcher/testing/folders'
import { startVoiceAgent, speech, textsOf, typesOf } from './spoken-fixture.ts'
import { Phone } from './spoken-phone.ts'
import { assertNearly, assertWhole, recordingOf, spokenSeconds } from './spoken-recording.ts'

const phoneRate = 8_000

const model = await ModelFake.start(() => 'Three.')
afterwards({ after }, () => model.stop())
const fixture = await startVoiceAgent(
  { after },
  { settings: { greeting: { say: 'Hello.' }, record: true } },
  { gateway: { SVC_RECORDINGS: temporaryFolder({ after }), SVC_PROVIDER_KEY_OPENAI: 'sk-0123456789' } },
)
await changeRow(fixture.deployment, (row) => {
  row.defaults.llm = 'openai/gpt-4.1-mini'
  row.options['llm/openai'] = { base_url: model.url }
})
const supervisor = (await fixture.org.person('admin')).client

test('a supervisor takes a spoken call over, speaks into it, gives it back, whispers and ends it; what both said is recorded, the caller left and the agent right', async (t) => {
  const phone = await Phone.call(t, 'hello', fixture.worker.sipPort)
  const { id } = await fixture.nextCall()
  const act = async (verb: string, text?: string) => {
    const done = await supervisor.post(`/v1/calls/${id}/verbs`, { verb, ...(text !== undefined && { text }) })
    assert.equal(done.status, 202, done.text)
  }
  const untilTyped = (type: string, count = 1) =>
    fixture.untilLogged(id, type, (log) => typesOf(log).filter((each) => each === type).length >= count)
  await untilTyped('bot.finished')

  await act('takeover')
  const question = await speech('What is your name?')
  // what would be thought of the first is thought of by the end of the second
  for (const turn of [1, 2]) {
    await phone.say(question)
    await untilTyped('turn.end', turn)
  }
  assert.equal(model.asked.length, 0)
  const before = phone.secondsHeard
  await act('say', 'A person speaks now.')
  await phone.untilSpokenTo(before)
  await untilTyped('bot.finished', 2)
  assert.equal(model.asked.length, 0)

  await act('release')
  await act('whisper', 'Offer them the blue one.')
  await phone.say(question)
  await untilTyped('bot.finished', 3)
  const read = JSON.stringify(model.asked.at(-1)?.messages) // it may have been asked ahead for nothing before
  assert.match(read, /Offer them the blue one\./)
  assert.match(read, /A person speaks now\./)

  await act('end')
  assert.equal(await phone.dialog.ended, 'hangup')
  const entries = await fixture.untilEnded(id)
  assert.deepEqual(textsOf(entries, 'agent.message'), ['Hello.', 'A person speaks now.', 'Three.'])
  assert.deepEqual(
    entries.filter(({ type }) => type === 'agent.message').map(({ data }) => data['source']),
    ['say', 'human', 'model'],
  )
  assert.equal(textsOf(entries, 'user.message').length, 3)

  const { left, right } = await recordingOf(fixture, id, phoneRate)
  const seconds = left.length / phoneRate
  assertWhole(seconds, entries)
  assert.ok(seconds < phone.secondsHeard + 0.5, `${seconds} s are more than there was`)
  assertNearly(spokenSeconds(left, phoneRate), 3 * spokenSeconds(question, phoneRate), 'the caller')
  assertNearly(spokenSeconds(right, phoneRate), spokenSeconds(phone.heard, phoneRate), 'the agent')
})
