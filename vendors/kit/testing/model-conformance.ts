import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { VendorFailure } from '../src/failures.ts'
import { vendorIn, type StageChoice } from '../src/installed.ts'
import type { Conversation, Message, Thought } from '../src/vendor.ts'
import { startWireFake, type Mode, type Wire } from './wire-fake.ts'

/** What a vendor's model sends when things go wrong, event by event as its wire has it. */
export interface ModelStreams {
  /** An answer in words. */
  answered: readonly string[]
  /** One whole call, and one that ends in the middle of its arguments: the answer was as long as it may be. */
  cutCall: readonly string[]
  /** The same, but the connection ends. */
  brokenCall: readonly string[]
  /** A whole answer without a word. */
  thoughtOnly: readonly string[]
  /** Who has the last turn of a request: `user` or `tool`. */
  lastTurnOf: (request: never) => string | undefined
  /** A model that takes a temperature. Default: the manifest's. */
  takesTemperature?: string
  /** Models that refuse one. */
  refuseTemperature?: readonly string[]
  /** Options that the wire needs besides its address. */
  options?: Readonly<Record<string, unknown>>
  /** The wait that `wire.busy` names. */
  busyMs?: number
}

const tools = [{ name: 'look_up', description: 'looks an order up', parameters: { type: 'object' } }]
const asked: Message[] = [{ role: 'user', text: 'Where are orders 42 and 43?' }]
const greeting: Message = { role: 'assistant', text: 'Good morning.' }

/** What every vendor of models must hold to besides `conformance`. */
export function modelConformance(folder: string, wire: Wire, streams: ModelStreams) {
  const vendor = vendorIn(folder)
  assert.ok(vendor?.manifest, `${folder} is no vendor`)

  interface Trial {
    events?: readonly string[]
    /** Refuses what it says no to, and streams the events otherwise. */
    refuses?: (request: Record<string, unknown>) => boolean
    choice?: Partial<StageChoice>
    messages?: Message[]
    mode?: Mode
  }

  /** What the vendor's model makes of a stream, and what it asked for. */
  async function trial({ events = streams.answered, refuses, choice, messages = asked, mode }: Trial) {
    const fake = await startWireFake({
      ...wire,
      async http(request, answer) {
        if (refuses?.(JSON.parse(request.body.toString()) as Record<string, unknown>))
          return answer.json(wire.refusal('temperature is not supported'), 400)
        answer.start({ 'content-type': 'text/event-stream' })
        for (const event of events) await answer.piece(event)
        answer.end()
      },
    })
    fake.mode = mode ?? 'answer'
    const thoughts: Thought[] = []
    let failure: VendorFailure | undefined
    try {
      const credentials = { api_key: 'mark-of-api_key' }
      const options = { base_url: fake.url, ...streams.options }
      const model = await vendor?.model({ options, credentials, ...choice })
      const conversation: Conversation = { messages, tools }
      for await (const thought of model?.think(conversation, AbortSignal.timeout(10_000)) ?? [])
        thoughts.push(thought)
    } catch (error) {
      assert.ok(error instanceof VendorFailure, String(error))
      failure = error
    } finally {
      await fake.stop()
    }
    const requests = fake.seen.map(({ body }) => JSON.parse(body.toString()) as Record<string, unknown>)
    return { thoughts, failure, requests }
  }

  const over = Object.values(streams.options ?? {}).map((option) => ` over ${String(option)}`)
  describe(`${vendor.name} as a model${over.join('')}`, () => {
    const ends: [what: string, messages: Message[]][] = [
      ['the assistant spoke last', [...asked, greeting]],
      ['the caller was cut off before the first word', [greeting, { role: 'user', text: '' }]],
      ['only the assistant spoke', [greeting]],
      ['nothing was said yet', [{ role: 'system', text: 'Greet the caller.' }]],
    ]
    for (const [what, messages] of ends)
      test(`a request ends with a turn of the user if ${what}`, async () => {
        const { failure, requests } = await trial({ messages })
        assert.equal(failure, undefined)
        assert.equal(streams.lastTurnOf(requests[0] as never), 'user')
      })

    for (const cut of ['cutCall', 'brokenCall'] as const)
      test(`a call that is cut in the middle of its arguments is no answer, and none is handed out (${cut})`, async () => {
        const { thoughts, failure } = await trial({ events: streams[cut] })
        assert.equal(failure?.kind, 'silent')
        assert.ok(!thoughts.some(({ type }) => type === 'call'))
      })

    test('an answer of thinking only is no answer, and says so', async () => {
      const { thoughts, failure } = await trial({ events: streams.thoughtOnly })
      assert.equal(failure?.kind, 'silent')
      assert.match(
        failure.message,
        /^it thought and then said nothing: raise its token limit or let it think less$/,
      )
      assert.ok(!thoughts.some(({ type }) => type === 'text' || type === 'call'))
    })

    const knobs = { temperature: 0.3 }
    const isSent = (request: unknown) => JSON.stringify(request).includes('"temperature":0.3')

    test('a temperature is sent to a model that takes one', async () => {
      const { failure, requests } = await trial({ choice: { knobs, model: streams.takesTemperature } })
      assert.equal(failure, undefined)
      assert.ok(isSent(requests[0]))
    })

    for (const model of streams.refuseTemperature ?? [])
      test(`no temperature is sent to ${model}, which refuses it`, async () => {
        const { failure, thoughts } = await trial({ refuses: isSent, choice: { knobs, model } })
        assert.equal(failure, undefined)
        assert.ok(thoughts.some(({ type }) => type === 'text'))
      })

    test('a vendor that refuses a temperature says so in its own words, and is asked once', async () => {
      const choice = { knobs, model: streams.takesTemperature }
      const { failure, requests } = await trial({ refuses: isSent, choice })
      assert.equal(failure?.kind, 'refused')
      assert.match(failure.message, /temperature is not supported/)
      assert.equal(failure.retryAfterMs, undefined)
      assert.equal(requests.length, 1)
    })

    test('a rate limit has the wait that the vendor names', async () => {
      const { failure, requests } = await trial({ mode: 'busy', choice: { retries: 0 } })
      assert.equal(failure?.kind, 'refused')
      assert.equal(failure.retryAfterMs, streams.busyMs ?? 20)
      assert.equal(requests.length, 1)
    })

    test('a rate limit is asked again with the same request, and one that ends is no failure', async () => {
      const { failure, requests } = await trial({ mode: 'busy' })
      assert.equal(failure, undefined)
      assert.equal(requests.length, 2)
      assert.deepEqual(requests[0], requests[1])
    })

    test('a vendor that stays overloaded is asked three times', async () => {
      const { failure, requests } = await trial({ mode: 'overloaded' })
      assert.equal(failure?.kind, 'silent')
      assert.equal(requests.length, 3)
    })
  })
}
