import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { tool, Type } from '@switchroom/sdk'
import { speech, textsOf, typesOf, type VoiceAgentFixture } from './spoken-fixture.ts'
import { Phone } from './spoken-phone.ts'

const greeting = 'Hello, this is the bakery.'
const tale = Array.from({ length: 60 }, (_, at) => `loaf${at}`).join(' ')
const saidByCaller = ['What is there today?', 'Tell me a tale.', 'That is enough, goodbye.']

export const menu = tool({
  name: 'menu',
  description: 'What there is today',
  parameters: Type.Object({}),
  run: () => 'rye bread and croissants',
})

/** What a realtime model of the bakery hears and answers; a vendor calls tools in its own way. */
export function bakeryScript<Call>(callOf: (id: string, name: string) => Call) {
  const answers: { text: string; calls?: Call[] }[] = [
    { text: 'One.' }, // to the trial of the setting
    { text: 'Let me look.', calls: [callOf('call_menu', 'menu')] },
    { text: 'We have rye bread.' },
    { text: tale },
    { text: 'Goodbye.', calls: [callOf('call_bye', 'hang_up')] },
  ]
  const words = [...saidByCaller]
  return { answer: () => answers.shift() ?? { text: 'Pardon?' }, transcript: () => words.shift() ?? '' }
}

export const bakerySettings = (model: { llm: string; voice: string }) => ({
  config: {
    ...model,
    language: 'en',
    greeting: { say: greeting },
    hangup: { when: 'the caller says goodbye' },
  },
  team: true,
  if_version: 0,
})

/** A phone is greeted, asks, interrupts and says goodbye; answers the entries of its call. */
export async function callBakery(t: TestContext, fixture: VoiceAgentFixture, afterFirstAnswer = () => {}) {
  const phone = await Phone.call(t, 'hello', fixture.worker.sipPort)
  const { id } = await fixture.nextCall()
  const untilTyped = (type: string, count = 1) =>
    fixture.untilLogged(id, type, (log) => typesOf(log).filter((each) => each === type).length >= count)
  await untilTyped('bot.finished')
  assert.ok(phone.wasSpokenTo())

  const question = await speech('What is there today?')
  await phone.say(question)
  await untilTyped('bot.finished', 2)
  afterFirstAnswer()
  await phone.say(question)
  await untilTyped('bot.speaking', 3)
  await phone.say(question)
  await untilTyped('bot.interrupted')
  assert.equal(await phone.dialog.ended, 'hangup')
  const entries = await fixture.untilEnded(id)

  assert.deepEqual(textsOf(entries, 'user.message'), saidByCaller)
  const said = textsOf(entries, 'agent.message')
  assert.deepEqual([said[0], said[1], said[3]], [greeting, 'Let me look. We have rye bread.', 'Goodbye.'])
  assert.ok(tale.startsWith(said[2] ?? 'nothing') && said[2] !== tale, said[2])
  const failures = entries.filter(({ type }) => type === 'error' || type === 'vendor.switched')
  assert.deepEqual(
    failures.map(({ data }) => data),
    [],
  )
  return entries
}
