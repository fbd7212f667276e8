import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { dispose } from '@livekit/rtc-node'
import { spokenPcm } from '@switchroom/kit/testing/recordings'
import { LoopedLine, voiceIn, type Loop } from '../../../testing/looped-line.ts'
import { EchoDetector } from './echo-detector.ts'
import { EchoFreeSound } from './echo-free-sound.ts'

after(dispose)

const rate = 8_000
const playedS = 8

/** What a person says, over and over. */
const said = ((): Int16Array => {
  const pcm = spokenPcm()
  const once = Int16Array.from({ length: pcm.length / 4 }, (_, n) => pcm.readInt16LE(n * 4))
  return Int16Array.from({ length: playedS * rate }, (_, n) => once[n % once.length] ?? 0)
})()

async function heardOn(line: LoopedLine): Promise<Int16Array> {
  const sound = new EchoFreeSound(line)
  void sound.play(said)
  const heard: Int16Array[] = []
  for await (const frame of sound.heard()) heard.push(frame)
  return Int16Array.from(heard.flatMap((frame) => [...frame]))
}

const loops: Loop[] = [0, -20, -30, -42].flatMap((gainDb) =>
  [50, 150, 400, 550].map((delayMs) => ({ gainDb, delayMs })),
)

test('no voice is heard in the echo of what is played, however loud and late it is', async () => {
  for (const loop of loops) {
    const { voiceMs } = await voiceIn(await heardOn(new LoopedLine(said, loop)))
    assert.ok(voiceMs < 100, `${voiceMs} ms of voice at ${loop.gainDb} dB after ${loop.delayMs} ms`)
  }
})

/** A caller begins to speak at this moment, over what is played. */
const speaksAtMs = 5_000

/** How long a voice must be heard before it interrupts. */
async function interruptsAfterMs(heard: Int16Array): Promise<number> {
  for (let untilMs = 320; ; untilMs += 32) {
    const { voiceMs } = await voiceIn(heard.subarray(speaksAtMs * 8, (speaksAtMs + untilMs) * 8))
    if (voiceMs >= 300) return untilMs
    assert.ok(untilMs < 3_000, 'the caller is not heard')
  }
}

test('a caller who speaks over the agent is heard as soon as without echo', async () => {
  const caller = new Int16Array(said.length)
  caller.set(said.subarray(1_600, 1_600 + 20_000), speaksAtMs * 8)
  const aloneMs = await interruptsAfterMs(caller)
  for (const loop of [{ gainDb: -Infinity, delayMs: 0 }, ...loops.filter(({ delayMs }) => delayMs < 500)]) {
    const line = new LoopedLine(said, loop)
    line.caller = caller
    const afterMs = await interruptsAfterMs(await heardOn(line))
    const late = `${afterMs - aloneMs} ms later at ${loop.gainDb} dB after ${loop.delayMs} ms`
    assert.ok(afterMs <= aloneMs + 100, late)
  }
})

test('what a caller says on a line without echo arrives unchanged', async () => {
  const line = new LoopedLine(said, { gainDb: -Infinity, delayMs: 0 })
  line.caller.set(said.subarray(0, 4 * rate), 2 * rate)
  const plain: Int16Array[] = []
  const same = new LoopedLine(said, line.loop)
  same.caller = line.caller
  for await (const frame of same.heard()) plain.push(frame)
  assert.deepEqual(
    (await heardOn(line)).subarray(2 * rate),
    Int16Array.from(plain.flatMap((frame) => [...frame])).subarray(2 * rate),
  )
})

test('an echo that begins in the middle of a call is taken out', async () => {
  const line = new LoopedLine(said, { gainDb: -Infinity, delayMs: 150 })
  const sound = new EchoFreeSound(line)
  void sound.play(said)
  const heard: Int16Array[] = []
  for await (const frame of sound.heard()) {
    heard.push(frame)
    if (heard.length === 200) line.loop = { gainDb: -20, delayMs: 150 } // a loudspeaker is switched on
  }
  const { voiceMs } = await voiceIn(Int16Array.from(heard.flatMap((frame) => [...frame])))
  assert.ok(voiceMs < 400, `${voiceMs} ms of the echo are heard`)
})

test('two who begin to sound at the same moment are not taken for an echo', () => {
  for (let lateMs = 0; lateMs < 300; lateMs += 20) {
    const detector = new EchoDetector(rate)
    const tone = Int16Array.from(
      { length: 3 * rate },
      (_, n) => 6_000 * Math.sin((2 * Math.PI * 300 * n) / rate),
    )
    const voice = new Int16Array(3 * rate)
    voice.set(said.subarray(800, 2 * rate), lateMs * 8)
    for (let at = 0; at < tone.length; at += 160)
      detector.add(tone.subarray(at, at + 160), voice.subarray(at, at + 160))
    assert.equal(detector.echo, 'none', `${lateMs} ms later`)
  }
})
