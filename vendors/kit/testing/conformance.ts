import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { VoiceEntry } from '@switchroom/contract/speech'
import { VendorFailure } from '../src/failures.ts'
import { vendorIn, type InstalledVendor, type StageChoice } from '../src/installed.ts'
import type {
  Conversation,
  Heard,
  HeardWord,
  LiveAudio,
  Recording,
  Spoken,
  Thought,
  Transcript,
} from '../src/vendor.ts'
import { startWireFake, type Mode, type Wire, type WireFake } from './wire-fake.ts'

/** One thing a vendor is asked to do, and what it must have answered when all was well. */
export interface Operation {
  name: string
  /** Any bytes are an answer: there is no garbage in raw sound. */
  isRaw?: boolean
  run(vendor: InstalledVendor, choice: StageChoice, signal: AbortSignal): AsyncIterable<unknown>
  expect(pieces: unknown[]): void
}

type Choice = Omit<StageChoice, 'credentials' | 'options'>

export function speaking(
  name: string,
  text: string,
  told: { choice?: Choice; isRaw?: boolean; hasWords?: boolean },
): Operation {
  return {
    name,
    isRaw: told.isRaw ?? false,
    async *run(vendor, choice, signal) {
      yield* (await vendor.voice({ ...told.choice, ...choice })).speak(text, signal)
    },
    expect(pieces) {
      const spoken = pieces as Spoken[]
      const audio = spoken.flatMap((piece) => (piece.type === 'audio' ? [piece.pcm.length] : []))
      assert.ok(audio.length > 0, 'something is said')
      for (const bytes of audio) assert.equal(bytes % 2, 0, 'no piece ends in the middle of a sample')
      const words = spoken.flatMap((piece) => (piece.type === 'word' ? [piece] : []))
      if (told.hasWords)
        assert.deepEqual(
          words.map(({ word }) => word),
          text.split(' '),
        )
      assertAscending(words)
    },
  }
}

export function listening(
  name: string,
  audio: readonly LiveAudio[],
  told: { choice?: Choice; sampleRate?: number; expect: (heard: Heard[]) => void },
): Operation {
  return {
    name,
    async *run(vendor, choice, signal) {
      const transcriber = await vendor.transcriber({ ...told.choice, ...choice })
      if (!transcriber.listen) throw new Error('this transcriber does not listen live')
      yield* transcriber.listen(audioOf(audio), told.sampleRate ?? 16_000, signal)
    },
    expect(pieces) {
      const heard = pieces as Heard[]
      assert.equal(heard[0]?.type, 'ready')
      told.expect(heard)
    },
  }
}

export function transcribing(
  name: string,
  recording: Recording,
  told: { choice?: Choice; expect: (transcript: Transcript) => void },
): Operation {
  return {
    name,
    async *run(vendor, choice, signal) {
      const transcriber = await vendor.transcriber({ ...told.choice, ...choice })
      if (!transcriber.transcribe) throw new Error('this transcriber takes no recording')
      yield await transcriber.transcribe(recording, signal)
    },
    expect(pieces) {
      const [transcript] = pieces as Transcript[]
      assert.ok(transcript)
      assertAscending(transcript.words)
      told.expect(transcript)
    },
  }
}

export function thinking(
  name: string,
  conversation: Conversation,
  told: { choice?: Choice; expect: (thoughts: Thought[]) => void },
): Operation {
  return {
    name,
    async *run(vendor, choice, signal) {
      yield* (await vendor.model({ ...told.choice, ...choice })).think(conversation, signal)
    },
    expect: (pieces) => told.expect(pieces as Thought[]),
  }
}

export function listingVoices(name: string, told: { expect: (voices: VoiceEntry[]) => void }): Operation {
  return {
    name,
    async *run(vendor, choice, signal) {
      yield await vendor.voices(choice, signal)
    },
    expect: (pieces) => told.expect(pieces[0] as VoiceEntry[]),
  }
}

/** What every vendor must hold to, whatever its wire does to it. */
export function conformance(folder: string, wire: Wire, operations: readonly Operation[]) {
  const vendor = vendorIn(folder)
  assert.ok(vendor?.manifest, `${folder} is no vendor`)
  const { fields } = vendor.manifest.credentials
  const credentials = Object.fromEntries(
    fields.map((field) => [field, `mark-of-${field}/+=${'x'.repeat(24)}`]),
  )

  for (const operation of operations)
    describe(`${vendor.name} ${operation.name}`, () => {
      let fake: WireFake
      before(async () => {
        fake = await startWireFake(wire)
      })
      after(() => fake.stop())

      const begin = (mode: Mode, signal: AbortSignal, words = 'no such luck today') => {
        fake.mode = mode
        fake.words = words
        return operation.run(vendor, { options: { base_url: fake.url }, credentials }, signal)
      }
      const letGo = async () => {
        const patience = Date.now() + 1_000
        while (fake.open > 0 && Date.now() < patience) await sleep(5)
        assert.equal(fake.open, 0, 'the connections to the vendor are closed within a second')
      }
      const failure = async (stream: AsyncIterable<unknown>): Promise<VendorFailure> => {
        try {
          await Array.fromAsync(stream)
        } catch (error) {
          assert.ok(error instanceof VendorFailure, String(error))
          return error
        }
        throw new assert.AssertionError({ message: 'it should have failed' })
      }

      test('answers', async () => {
        operation.expect(await Array.fromAsync(begin('answer', patient())))
        await letGo()
      })

      test("refuses in the vendor's own words (SD-26)", async () => {
        const refusal = await failure(begin('refuse', patient()))
        assert.equal(refusal.kind, 'refused')
        assert.match(refusal.message, /no such luck today/)
      })

      test('a fault on the side of the vendor is no answer (SD-26)', async () => {
        assert.equal((await failure(begin('fault', patient()))).kind, 'silent')
      })

      test('an unreachable vendor is no answer (SD-26)', async () => {
        const gone = await startWireFake(wire)
        const choice = { options: { base_url: gone.url }, credentials }
        await gone.stop()
        assert.equal((await failure(operation.run(vendor, choice, patient()))).kind, 'silent')
      })

      test('a vendor that hangs is given up in time and disconnected (SD-26)', async () => {
        const refusal = await failure(begin('hang', AbortSignal.timeout(100)))
        assert.equal(refusal.kind, 'silent')
        assert.match(refusal.message, /no answer in time/)
        await letGo()
      })

      test('a stream that breaks after its first piece is no answer (SD-26)', async () => {
        assert.equal((await failure(begin('break', patient()))).kind, 'silent')
        await letGo()
      })

      test('a vendor that is too busy for the first request is asked again after the time it names', async () => {
        const asked = fake.seen.length
        operation.expect(await Array.fromAsync(begin('busy', patient())))
        assert.ok(fake.seen.length - asked >= 2, 'it was asked again')
        await letGo()
      })

      test('a vendor that stays overloaded is no answer, and says when to ask again', async () => {
        const { kind, retryAfterMs } = await failure(begin('overloaded', patient()))
        assert.equal(kind, 'silent')
        assert.ok(retryAfterMs !== undefined)
        await letGo()
      })

      test('a stream that stalls after its first piece is given up in time and disconnected (SD-26)', async () => {
        const outOfTime = new AbortController()
        const stalled = failure(begin('stall', outOfTime.signal))
        await Promise.race([stalled, fake.stalled])
        outOfTime.abort(new DOMException('no time is left', 'TimeoutError'))
        const { kind, message } = await stalled
        assert.equal(kind, 'silent')
        assert.match(message, /no answer in time/)
        await letGo()
      })

      test('a cancel is heard at once and reaches the vendor within a second', async () => {
        const cancel = new AbortController()
        const hanging = Array.fromAsync(begin('hang', cancel.signal))
        while (fake.open === 0) await sleep(5)
        const started = performance.now()
        cancel.abort()
        await assert.rejects(hanging, { name: 'AbortError' })
        assert.ok(performance.now() - started < 500)
        await letGo()
      })

      test('a vendor that floods gets backpressure, and is disconnected when its reader is gone', async () => {
        const heldBefore = heldBytes()
        let held = 0
        try {
          const flood = begin('flood', AbortSignal.timeout(2_000))[Symbol.asyncIterator]()
          await flood.next()
          await sleep(200) // slower than any flood
          held = heldBytes() - heldBefore
          await flood.return?.()
        } catch (error) {
          assert.ok(error instanceof VendorFailure, String(error))
        }
        await letGo()
        assert.ok(held < 16 * 1024 * 1024, `${held} bytes are held for a reader that takes nothing`)
      })

      if (!operation.isRaw)
        test('garbage is no answer', async () => {
          assert.equal((await failure(begin('garbage', AbortSignal.timeout(2_000)))).kind, 'silent')
          await letGo()
        })

      test('no credential is in an error, however the vendor writes it back (SD-53, ST-075)', async () => {
        const echoes = Object.values(credentials).flatMap((secret) => [
          secret,
          encodeURIComponent(secret),
          Buffer.from(secret).toString('base64'),
          `${secret.slice(0, 16)}…`,
        ])
        const { message } = await failure(begin('refuse', patient(), `bad keys ${echoes.join(' and ')}`))
        assert.match(message, /bad keys \*\*\*/)
        for (const echo of echoes) assert.ok(!message.includes(echo.slice(0, 8)), message)
      })
    })
}

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** What this process really holds, garbage left out. */
function heldBytes(): number {
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

const patient = () => AbortSignal.timeout(10_000)

async function* audioOf(pieces: readonly LiveAudio[]): AsyncIterable<LiveAudio> {
  for (const piece of pieces) yield piece
}

function assertAscending(words: readonly HeardWord[]) {
  let last = 0
  for (const { start, end } of words) {
    assert.ok(start >= last && end >= start, `${start} to ${end} after ${last}`)
    last = start
  }
}
