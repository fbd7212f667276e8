import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { vendorIn } from '../src/installed.ts'
import type { Message, RealtimeTold, RealtimeUsage, ToolCall } from '../src/vendor.ts'
import { conformance, type Operation } from './conformance.ts'
import {
  asks,
  converse,
  isAudio,
  isEnded,
  isFinal,
  replied,
  Script,
  spoken,
  wordsOf,
  type Step,
} from './realtime-script.ts'
import { startWireFake, type Wire } from './wire-fake.ts'

export interface RealtimeSaid {
  text: string
  calls?: ToolCall[]
}

/** How a model behaves: what it answers, and what it makes of the party's words. */
export interface RealtimeBehaviour {
  answer: (wanted: { instructions: string; tools: string[] }) => RealtimeSaid | Error
  /** Null if it cannot make out the words. */
  transcript: (nth: number) => string | null
  betweenWordsMs?: number
}

/** The wire of a vendor whose model behaves so. */
export interface RealtimeFake {
  wire: Wire
  /** What was said or told in the last conversation, as text. */
  known: () => string
  /** What the vendor refused. */
  errors: () => string[]
}

export interface RealtimeCandidate {
  /** Of the vendor's package. */
  folder: string
  model: string
  usage: RealtimeUsage
  fake: (behaviour: RealtimeBehaviour) => RealtimeFake
}

export const polite = {
  answer: () => ({ text: 'Hello there.' }),
  transcript: () => 'What time is it?',
} satisfies RealtimeBehaviour

/** What every vendor of a model that hears and speaks must hold to. */
export function realtimeConformance({ folder, model, usage, fake }: RealtimeCandidate) {
  const conversing: Operation = {
    name: 'converses',
    run: (_vendor, choice, signal) =>
      converse(folder, new Script(asks('r1'), replied('r1')), { model, ...choice }, signal),
    expect(pieces) {
      const told = pieces as RealtimeTold[]
      assert.equal(told[0]?.type, 'ready')
      assert.equal(wordsOf(told, 'r1'), 'Hello there.')
      assert.ok(told.some(replied('r1')))
    },
  }
  conformance(folder, fake(polite).wire, [conversing])

  async function conversed(behaviour: Partial<RealtimeBehaviour>, ...steps: Step[]) {
    const { wire, known, errors } = fake({ ...polite, ...behaviour })
    const server = await startWireFake(wire)
    after(() => server.stop())
    const choice = { model, options: { base_url: server.url }, credentials: { api_key: 'key-of-ana' } }
    const signal = AbortSignal.timeout(10_000)
    const told = await Array.fromAsync(converse(folder, new Script(...steps), choice, signal))
    assert.deepEqual(errors(), [])
    return { told, known: known() }
  }
  const inputRate = async () => {
    const realtime = await vendorIn(folder)?.realtime({ model, credentials: { api_key: 'key-of-ana' } })
    return realtime?.inputRate ?? realtime?.sampleRate ?? 0
  }

  describe(`${model} as a realtime model`, () => {
    test('hears a turn begin and end, and then its words, whether it is answered or not', async () => {
      const { told } = await conversed({}, ...spoken(await inputRate(), 300), isFinal)
      const kinds = told.map((one) => (one.type === 'turn' ? one.state : one.type))
      assert.deepEqual(
        kinds.filter((kind) => kind !== 'partial'),
        ['ready', 'started', 'ended', 'final'],
      )
      const turns = new Set(told.flatMap((one) => ('turn' in one ? [one.turn] : [])))
      assert.equal(turns.size, 1)
      const final = told.find(isFinal)
      assert.equal(final?.type === 'final' && final.text, 'What time is it?')
    })

    test('answers what was said only when it is asked to, with the instructions and tools of that answer', async () => {
      const wanted: object[] = []
      const answer: RealtimeBehaviour['answer'] = (asked) => {
        wanted.push(asked)
        return { text: 'At eight.' }
      }
      const steps = [...spoken(await inputRate(), 300), isEnded, asks('r1'), replied('r1')]
      const { told } = await conversed({ answer }, ...steps, asks('r2', 'Be kind.', []), replied('r2'))
      const final = told.find(isFinal)
      assert.equal(final?.type === 'final' && final.text, 'What time is it?')
      assert.deepEqual(wanted, [
        { instructions: 'Be brief.', tools: ['look'] },
        { instructions: 'Be kind.', tools: [] },
      ])
      assert.deepEqual([wordsOf(told, 'r1'), wordsOf(told, 'r2')], ['At eight.', 'At eight.'])
    })

    test('says a text as it is, and calls no tool for it', async () => {
      let asked = 0
      const answer = () => ({ text: `${(asked += 1)}` })
      const { told } = await conversed(
        { answer },
        { type: 'say', reply: 's1', text: 'Good evening.' },
        replied('s1'),
      )
      assert.equal(wordsOf(told, 's1'), 'Good evening.')
      assert.equal(asked, 0)
    })

    test('a reply is sound and words, calls tools, and continues once it knows what came of them', async () => {
      const calls = [{ id: 'c1', name: 'look', arguments: '{"day":"today"}' }]
      const said: RealtimeSaid[] = [{ text: 'One moment.', calls }, { text: 'At eight.' }]
      const outcome: Message = { role: 'tool', call: 'c1', name: 'look', text: 'open at eight' }
      const { told, known } = await conversed(
        { answer: () => said.shift() ?? { text: '' } },
        asks('r1'),
        replied('r1'),
        { type: 'tell', message: outcome },
        asks('r2'),
        replied('r2'),
      )
      const call = told.find(({ type }) => type === 'call')
      assert.deepEqual(call, { type: 'call', reply: 'r1', ...calls[0] })
      assert.deepEqual([wordsOf(told, 'r1'), wordsOf(told, 'r2')], ['One moment.', 'At eight.'])
      const bytes = told.flatMap((one) => (one.type === 'audio' ? [one.pcm.length] : []))
      assert.ok(bytes.length >= 4 && bytes.every((length) => length % 2 === 0))
      assert.match(known, /open at eight/)
    })

    test('each reply says what it used, with its end or after it', async () => {
      const isUsed = (told: RealtimeTold) =>
        told.type === 'used' || (told.type === 'replied' && told.usage !== null)
      const { told } = await conversed({}, asks('r1'), isUsed)
      assert.deepEqual(
        told.flatMap((one) => ('usage' in one && one.usage ? [{ reply: one.reply, ...one.usage }] : [])),
        [{ reply: 'r1', ...usage }],
      )
    })

    test('what was said before is in the conversation', async () => {
      const tell = (message: Message) => ({ type: 'tell', message }) as const
      const calls = [{ id: 'c1', name: 'look', arguments: '{}' }]
      const { known } = await conversed(
        {},
        tell({ role: 'user', text: 'When?' }),
        tell({ role: 'assistant', text: 'Let me look.', calls }),
        tell({ role: 'tool', call: 'c1', name: 'look', text: 'at nine' }),
        tell({ role: 'system', text: 'The shop closes soon.' }),
        asks('r1'),
        replied('r1'),
      )
      assert.match(known, /When\?.*Let me look\..*at nine.*The shop closes soon\./s)
    })

    test('a stopped reply says nothing more, and the next one follows it', async () => {
      const { told } = await conversed(
        { answer: () => ({ text: 'one two three four five six seven eight' }), betweenWordsMs: 100 },
        asks('r1'),
        isAudio,
        { type: 'stop', reply: 'r1' },
        asks('r2'),
        replied('r1'),
        replied('r2'),
      )
      const order = told.flatMap((one) => (one.type === 'replied' ? [one.reply] : []))
      assert.deepEqual(order, ['r1', 'r2'])
      assert.ok(wordsOf(told, 'r1').length < wordsOf(told, 'r2').length)
      assert.equal(wordsOf(told, 'r2'), 'one two three four five six seven eight')
    })

    test('a reply that is stopped before it was asked for is never made', async () => {
      let asked = 0
      const answer = () => ({ text: `number ${(asked += 1)} of many` })
      const { told } = await conversed(
        { answer, betweenWordsMs: 100 },
        asks('r1'),
        isAudio,
        asks('r2'),
        { type: 'stop', reply: 'r2' },
        replied('r1'),
        asks('r3'),
        replied('r3'),
      )
      assert.deepEqual([wordsOf(told, 'r1'), wordsOf(told, 'r3')], ['number 1 of many', 'number 2 of many'])
    })

    test('a failed reply has a reason, and the conversation continues', async () => {
      const said = [new Error('You exceeded the quota of key-of-ana'), { text: 'Hello.' }]
      const { told } = await conversed(
        { answer: () => said.shift() ?? { text: '' } },
        asks('r1'),
        replied('r1'),
        asks('r2'),
        replied('r2'),
      )
      const [first, second] = told.flatMap((one) => (one.type === 'replied' ? [one.failure] : []))
      assert.ok(typeof first === 'string' && first !== '' && !first.includes('key-of-ana'), String(first))
      assert.equal(second, null)
      assert.equal(wordsOf(told, 'r2'), 'Hello.')
    })

    test('takes no written conversation', async () => {
      const choice = { model, credentials: { api_key: 'key-1' } }
      await assert.rejects(async () => vendorIn(folder)?.model(choice), {
        message: 'a realtime model speaks and hears for itself: it takes no written conversation',
      })
    })
  })
}
