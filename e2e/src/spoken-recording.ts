import assert from 'node:assert/strict'
import { until } from '@switchroom/launcher/testing/waiting'
import type { Entry, VoiceAgentFixture } from './spoken-fixture.ts'

/** Louder than this counts as speech. */
const loud = 500
const framesASecond = 50

/** Both sides of a call's recording: the caller left, the agent right. */
export async function recordingOf(
  { deployment, key }: Pick<VoiceAgentFixture, 'deployment' | 'key'>,
  call: string,
  sampleRate: number,
): Promise<{ left: Int16Array; right: Int16Array }> {
  const url = `${deployment.url}/v1/calls/${call}/recording`
  const headers = { authorization: `Bearer ${key}` }
  const stored = await until('it is stored', async () => {
    const answer = await fetch(url, { headers })
    return answer.status === 200 && answer
  })
  const wav = Buffer.from(await stored.arrayBuffer())
  assert.deepEqual([wav.readUInt16LE(22), wav.readUInt32LE(24)], [2, sampleRate])
  const samples = new Int16Array(wav.buffer.slice(wav.byteOffset + 44, wav.byteOffset + wav.length))
  const side = (offset: number) => samples.filter((_, at) => at % 2 === offset)
  return { left: side(0), right: side(1) }
}

/** From the agent's first word to the end. */
export function assertWhole(seconds: number, entries: readonly Entry[]): void {
  const firstSaid = entries.find(({ type }) => type === 'bot.speaking')?.ts ?? 0
  assert.ok(seconds > (entries.at(-1)?.ts ?? 0) - firstSaid - 0.5, `${seconds} s are not the whole`)
}

/** Seconds with speech in them. */
export function spokenSeconds(samples: Int16Array, sampleRate: number): number {
  const frame = sampleRate / framesASecond
  let frames = 0
  for (let at = 0; at + frame <= samples.length; at += frame)
    if (samples.subarray(at, at + frame).some((sample) => Math.abs(sample) > loud)) frames += 1
  return frames / framesASecond
}

export function assertNearly(seconds: number, wanted: number, what: string): void {
  assert.ok(Math.abs(seconds - wanted) < 0.5 + 0.15 * wanted, `${what}: ${seconds} s in place of ${wanted} s`)
}
