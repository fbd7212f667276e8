import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { encodeG711 } from '@switchroom/audio/g711'
import { samplesIn } from '@switchroom/audio/testing/recorded-speech'
import { wavOf } from '@switchroom/audio/wav'
import { findVendors } from '@switchroom/kit/installed'
import { wordErrors, wordsOf } from '@switchroom/kit/testing/word-errors'
import { ReceivedSound } from '@switchroom/media/rtp/received-sound'
import { missing, pathOf } from '@switchroom/tools/debian-packages'
import { Chance } from './chance.ts'
import { joined, silence } from './spoken-fixture.ts'

const sampleRate = 8_000
const [frame, frameMs] = [160, 20]
const sentences = ['vm-intro', 'agent-incorrect', 'conf-errormenu', 'pbx-invalid']

interface Line {
  /** Of a hundred packets. */
  lost?: number
  jitterMs?: number
}

/** What arrives of a person's speech behind a line, in PCMU, whose time is counted and not waited for. */
function heardOver({ lost = 0, jitterMs = 0 }: Line, said: Int16Array): Int16Array {
  const chance = new Chance(lost + jitterMs)
  const packets = Array.from({ length: Math.floor(said.length / frame) }, (_, at) => {
    const payload = new Uint8Array(frame)
    encodeG711('PCMU', said.subarray(at * frame, (at + 1) * frame), payload)
    const header = { sequence: at, timestamp: at * frame, ssrc: 7, payloadType: 0, isMarked: false }
    return { packet: { ...header, payload }, atMs: at * frameMs + chance.next() * jitterMs }
  })
  const arriving = packets.filter(() => chance.next() * 100 >= lost).toSorted((a, b) => a.atMs - b.atMs)
  const sound = new ReceivedSound('PCMU', sampleRate)
  const heard: Int16Array[] = []
  for (let nowMs = 0; nowMs < packets.length * frameMs + 1_000; nowMs += frameMs) {
    while (arriving[0] && arriving[0].atMs <= nowMs) {
      const first = arriving.shift()
      if (first) sound.put('PCMU', first.packet)
    }
    heard.push(...[...sound.take()].map((one) => Int16Array.from(one)))
  }
  return joined(...heard)
}

const bytesOf = (samples: Int16Array) =>
  new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength)

test(
  'speech-to-text understands a person over lines that lose up to 20 percent of their packets or delay them by up to 200 ms',
  { skip: missing('asterisk-sounds') },
  async (t) => {
    const transcriber = await findVendors()
      .get('local')
      ?.transcriber({ knobs: { language: 'en' }, credentials: {} })
    const words = async (samples: Int16Array) => {
      const bytes = wavOf(bytesOf(samples), sampleRate)
      const heard = await transcriber?.transcribe?.(
        { bytes, mediaType: 'audio/wav' },
        AbortSignal.timeout(60_000),
      )
      return wordsOf(heard?.text ?? '')
    }
    const people = sentences.map((name) =>
      joined(
        silence(0.5),
        samplesIn(readFileSync(join(pathOf('asterisk-sounds'), `${name}.wav`))),
        silence(0.5),
      ),
    )
    const said = await Promise.all(people.map((one) => words(heardOver({}, one))))
    assert.ok(said.flat().length > 30, said.flat().join(' '))
    const wrongOver = async (line: Line) => {
      const heard = await Promise.all(people.map((one) => words(heardOver(line, one))))
      const wrong = said.reduce((sum, one, at) => sum + wordErrors(one, heard[at] ?? []), 0)
      t.diagnostic(`${JSON.stringify(line)}: ${wrong} of ${said.flat().length} words wrong`)
      return wrong / said.flat().length
    }
    for (const [line, most] of [
      [{ lost: 5 }, 0.12],
      [{ lost: 10 }, 0.17],
      [{ lost: 20 }, 0.25],
      [{ jitterMs: 50 }, 0.15],
      [{ jitterMs: 100 }, 0.15],
      [{ jitterMs: 200 }, 0.15],
    ] as const) {
      const share = await wrongOver(line)
      assert.ok(share <= most, `${JSON.stringify(line)}: ${share}`)
    }
    // the measure itself: hardly anything is left of this one
    assert.ok((await wrongOver({ lost: 80 })) > 0.4)
  },
)
