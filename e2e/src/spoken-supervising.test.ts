import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ModelFake } from '@switchroom/gateway/testing/model-fake'
import { changeRow } from '@switchroom/gateway/testing/vendors'
import { afterwards, temporaryFolder } from '@switchroom/launcher/testing/folders'
import { until } from '@switchroom/launcher/testing/waiting'
import { openDesk, speech, textsOf, typesOf } from './spoken-desk.ts'
import { Phone } from './spoken-phone.ts'

const phoneRate = 8_000
const loud = 500

const model = await ModelFake.start(() => 'Three.')
afterwards({ after }, () => model.stop())
const desk = await openDesk(
  { after },
  { settings: { greeting: { say: 'Hello.' }, record: true } },
  { gateway: { SVC_RECORDINGS: temporaryFolder({ after }), SVC_PROVIDER_KEY_OPENAI: 'sk-0123456789' } },
)
await changeRow(desk.deployment, (row) => {
  row.defaults.llm = 'openai/gpt-4.1-mini'
  row.options['llm/openai'] = { base_url: model.url }
})
const supervisor = (await desk.org.person('admin')).client

/** Seconds in which somebody speaks. */
function spokenSeconds(samples: Int16Array): number {
  const frame = phoneRate / 50
  let frames = 0
  for (let at = 0; at + frame <= samples.length; at += frame)
    if (samples.subarray(at, at + frame).some((sample) => Math.abs(sample) > loud)) frames += 1
  return frames / 50
}

test('somebody takes a spoken call over, speaks into it, gives it back, whispers and ends it; what both said is recorded, the caller left and the agent right', async (t) => {
  const phone = await Phone.call(t, 'hello', desk.worker.sipPort)
  const { id } = await desk.nextCall()
  const act = async (verb: string, text?: string) => {
    const done = await supervisor.post(`/v1/calls/${id}/verbs`, { verb, ...(text !== undefined && { text }) })
    assert.equal(done.status, 202, done.text)
  }
  const untilTyped = (type: string, count = 1) =>
    desk.untilLogged(id, type, (log) => typesOf(log).filter((each) => each === type).length >= count)
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
  assert.equal(model.asked.length, 1)
  const read = JSON.stringify(model.asked[0]?.messages)
  assert.match(read, /Offer them the blue one\./)
  assert.match(read, /A person speaks now\./)

  await act('end')
  assert.equal(await phone.dialog.ended, 'hangup')
  const entries = await desk.untilEnded(id)
  assert.deepEqual(textsOf(entries, 'agent.message'), ['Hello.', 'A person speaks now.', 'Three.'])
  assert.deepEqual(
    entries.filter(({ type }) => type === 'agent.message').map(({ data }) => data['source']),
    ['say', 'human', 'model'],
  )
  assert.equal(textsOf(entries, 'user.message').length, 3)

  const url = `${desk.deployment.url}/v1/calls/${id}/recording`
  const headers = { authorization: `Bearer ${desk.key}` }
  const stored = await until('it is stored', async () => {
    const answer = await fetch(url, { headers })
    return answer.status === 200 && answer
  })
  const wav = Buffer.from(await stored.arrayBuffer())
  assert.deepEqual([wav.readUInt16LE(22), wav.readUInt32LE(24)], [2, phoneRate])
  const samples = new Int16Array(wav.buffer.slice(wav.byteOffset + 44, wav.byteOffset + wav.length))
  const [left, right] = [0, 1].map((side) => samples.filter((_, at) => at % 2 === side))
  assert.ok(left && right)
  const nearly = (one: number, other: number, what: string) =>
    assert.ok(Math.abs(one - other) < 0.5 + 0.1 * other, `${what}: ${one} s in place of ${other} s`)
  const firstSaid = entries.find(({ type }) => type === 'bot.speaking')?.ts ?? 0
  const seconds = left.length / phoneRate
  assert.ok(seconds > (entries.at(-1)?.ts ?? 0) - firstSaid - 0.5, `${seconds} s are not the whole`)
  assert.ok(seconds < phone.secondsHeard + 0.5, `${seconds} s are more than there was`)
  nearly(spokenSeconds(left), 3 * spokenSeconds(question), 'the caller')
  nearly(spokenSeconds(right), spokenSeconds(phone.heard), 'the agent')
})
