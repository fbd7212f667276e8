import assert from 'node:assert/strict'
import { until } from '@switchroom/launcher/testing/waiting'
import type { Lasting } from '@switchroom/launcher/testing/folders'
import type { RtpLeg } from '@switchroom/media/rtp/rtp-leg'
import { sine } from '@switchroom/audio/testing/tones'
import type { Carrier } from './spoken-carrier.ts'
import { speech, textsOf, told, type Entry, type VoiceDeployment } from './spoken-fixture.ts'
import { Phone } from './spoken-phone.ts'

const sentences = {
  time: 'What time is it?',
  person: 'I want to speak to a person.',
  hello: 'Good morning, are you there?',
} as const
export type Sentence = keyof typeof sentences

/** Louder than this counts as speech. */
const loud = 500
const toneSeconds = 60
/** A caller without an answer for so long repeats: speech-to-text that is still loading keeps only the last seconds. */
const patienceMs = 20_000
const mostTimes = 6
/** What the second person of a transfer plays. */
export const toneHz = 1000

/** What a caller of the example agent says, as a phone sends it. */
export async function recordings(): Promise<Record<Sentence, Int16Array>> {
  const { time, person, hello } = sentences
  return { time: await speech(time), person: await speech(person), hello: await speech(hello) }
}

/** A caller of the example agent, with recordings for a voice. */
export interface Journey {
  fixture: VoiceDeployment
  carrier: Carrier
  call: string
  person: string
  greeting: string
  say: (sentence: Sentence) => Promise<void>
  /** Waits until the caller hears the tone, if this caller can report what they hear. */
  untilToneHeard?: () => Promise<void>
  hangUp: () => Promise<void>
}

/** Is greeted, asks the time, interrupts, is answered, is put through to a person, and hangs up. */
export async function travel(journey: Journey): Promise<void> {
  const { fixture, carrier, call, person, greeting, say, hangUp } = journey
  await untilSaid(journey, 'it has greeted', (entry) => entry.type === 'bot.finished')
  const { cut, at } = await interrupt(journey)
  await untilUnderstood(journey, 'time', at)
  const wholeIn = (entries: Entry[]) => finishedIn(entries.slice(at))
  const answered = await fixture.untilLogged(call, 'it has answered', (entries) => !!wholeIn(entries))
  const whole = wholeIn(answered) ?? ''
  await ask(journey, 'person')
  const { dialog, leg } = await carrier.answer()
  await untilSaid(journey, 'they are put through', ({ type }) => type === 'call.transferred')
  const heard = untilHeard(leg)
  await say('hello')
  await heard
  void leg.play(sine(toneHz, toneSeconds * leg.sampleRate, leg.sampleRate))
  await journey.untilToneHeard?.()
  await hangUp()
  assert.equal(await dialog.ended, 'hangup')
  assertTold(await fixture.untilEnded(call), { greeting, person, cut, whole })
}

/** Asks the time and talks over the answer, again if a busy machine cut the sound too short to interrupt. */
async function interrupt(journey: Journey): Promise<{ cut: string; at: number }> {
  const { fixture, call, say } = journey
  let log: Entry[] = []
  for (let times = 1; times <= mostTimes; times += 1) {
    const cut = await ask(journey, 'time')
    await untilSaid(journey, 'it answers', isOf('bot.speaking', cut))
    await say('time')
    const ends = [isOf('bot.interrupted', cut), isOf('bot.finished', cut)]
    log = await fixture.untilLogged(call, 'the answer ends', (entries) =>
      entries.some((entry) => ends.some((isEnd) => isEnd(entry))),
    )
    const at = log.findIndex(isOf('bot.interrupted', cut))
    if (at >= 0) return { cut, at }
  }
  return assert.fail(`no answer was interrupted: ${told(log, fixture.worker)}`)
}

/** A first call waits until speech-to-text and the voice are loaded, in the process that takes the next call too. */
export async function firstCaller(
  t: Lasting,
  fixture: VoiceDeployment,
  recorded: Record<Sentence, Int16Array>,
): Promise<Phone> {
  const phone = await Phone.call(t, 'hello', fixture.worker.sipPort)
  const call = await until('it calls', async () => (await fixture.calls())[0], 60_000)
  await ask({ fixture, call, say: (sentence) => phone.say(recorded[sentence]) }, 'time')
  return phone
}

/** Says it, again if it was not understood, until the agent runs the tool of that name; answers in which turn. */
export async function ask(
  { fixture, call, say }: Pick<Journey, 'fixture' | 'call' | 'say'>,
  sentence: Exclude<Sentence, 'hello'>,
): Promise<string> {
  const from = (await fixture.entriesOf(call)).length
  await say(sentence)
  return untilUnderstood({ fixture, call, say }, sentence, from)
}

async function untilUnderstood(
  { fixture, call, say }: Pick<Journey, 'fixture' | 'call' | 'say'>,
  sentence: Exclude<Sentence, 'hello'>,
  from: number,
): Promise<string> {
  let log: Entry[] = []
  const answers = () =>
    log.slice(from).filter(({ type }) => type === 'llm.toolCall' || type === 'bot.speaking')
  for (let times = 1; times <= mostTimes; times += 1) {
    const misunderstood = answers().length
    const isAnswered = async () => {
      log = await fixture.entriesOf(call)
      return answers().length > misunderstood
    }
    await until('it is answered', isAnswered, patienceMs).catch(() => {}) // not even heard, so that it is said again
    const understood = answers().find((entry) => toolOf(entry) === sentence)
    if (understood) return String(understood.data['msgId'])
    await say(sentence)
  }
  return assert.fail(`${sentence} was not understood: ${told(log, fixture.worker)}`)
}

/** The turn in which the agent said the time to the end. */
function finishedIn(log: readonly Entry[]): string | undefined {
  const turns = log.filter((entry) => toolOf(entry) === 'time').map(({ data }) => String(data['msgId']))
  return turns.find((turn) => log.some(isOf('bot.finished', turn)))
}

const untilSaid = ({ fixture, call }: Journey, what: string, isThere: (entry: Entry) => boolean) =>
  fixture.untilLogged(call, what, (log) => log.some(isThere))

export const isOf = (type: string, messageId: string) => (entry: Entry) =>
  entry.type === type && entry.data['messageId'] === messageId

const toolOf = ({ type, data }: Entry) =>
  type === 'llm.toolCall' ? (data['toolCalls'] as { name: string }[])[0]?.name : undefined

async function untilHeard(leg: RtpLeg): Promise<void> {
  for await (const frame of leg.heard()) if (frame.some((sample) => Math.abs(sample) > loud)) return
  assert.fail('no speech was heard')
}

/** The whole call, in the order in which it happened, whatever was misunderstood in between. */
function assertTold(
  log: readonly Entry[],
  { greeting, person, cut, whole }: { greeting: string; person: string; cut: string; whole: string },
) {
  const is = (type: string, data: Record<string, unknown> = {}) => ({ type, data })
  const asked = [is('user.message'), is('turn.end'), is('llm.toolCall'), is('tool.result', { ok: true })]
  const to = { to: person, kind: 'warm' }
  const story = [
    is('call.started'),
    is('bot.speaking', { text: greeting }),
    is('bot.finished'),
    is('agent.message', { text: greeting, source: 'say' }),
    ...asked,
    is('bot.speaking', { messageId: cut }),
    is('bot.interrupted', { messageId: cut, reason: 'user_speech' }),
    is('agent.message', { messageId: cut, source: 'model' }),
    ...asked,
    is('bot.speaking', { messageId: whole }),
    is('bot.finished', { messageId: whole }),
    is('agent.message', { messageId: whole, source: 'model' }),
    is('metrics', { stage: 'tts', messageId: whole, vendor: 'local' }),
    is('metrics', { stage: 'turn', messageId: whole }),
    is('user.message'),
    is('turn.end'),
    is('llm.toolCall'),
    is('transfer.requested', to),
    is('tool.result', { name: 'person', ok: true }),
    is('call.transferred', { ...to, ok: true }),
    is('call.ended', { reason: 'hangup' }),
  ]
  let at = 0
  for (const { type, data } of story) {
    const fits = (entry: Entry) =>
      entry.type === type && Object.entries(data).every(([field, value]) => entry.data[field] === value)
    const found = log.findIndex((entry, place) => place >= at && fits(entry))
    assert.ok(found >= 0, `after ${at} entries there is no ${type} ${JSON.stringify(data)}: ${lines(log)}`)
    at = found + 1
  }
  assert.equal(at, log.length)
  assertAnswered(log, cut, whole)
}

/** What was spoken, and that every step to it came after the one before. */
function assertAnswered(log: readonly Entry[], cut: string, whole: string) {
  const spoken = (id: string) => textsOf(log.filter(isOf('agent.message', id)), 'agent.message')[0] ?? ''
  const result = log.findLast(({ type, data }) => type === 'tool.result' && data['name'] === 'time')
  const answer = `${String(result?.data['result'])}.`
  assert.ok(spoken(whole).endsWith(answer), lines(log))
  assert.ok(!spoken(cut).includes(answer), lines(log))
  const turn = log.find((entry) => isOf('metrics', whole)(entry) && entry.data['stage'] === 'turn')?.data
  const steps = ['transcript_ms', 'turn_end_ms', 'first_token_ms', 'first_audio_ms', 'heard_ms'] as const
  const timings = steps.map((step) => Number(turn?.[step]))
  assert.deepEqual(
    timings,
    timings.toSorted((a, b) => a - b),
  )
  assert.ok(
    timings.every((ms) => ms >= 0),
    String(timings),
  )
}

const lines = (log: readonly Entry[]) =>
  log.map(({ type, data }) => `${type} ${JSON.stringify(data)}`).join('\n')
