import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { pathOf } from '@switchroom/tools/debian-packages'

/** What ffmpeg finds in a sound: how it is coded, and its samples. */
export function decodedByFfmpeg(sound: Uint8Array): { codec: string; rate: number; samples: Int16Array } {
  const ffmpeg = (args: string[]) =>
    spawnSync(pathOf('ffmpeg'), ['-hide_banner', '-nostdin', '-i', 'pipe:0', ...args], {
      input: sound,
      maxBuffer: 64 * 1024 * 1024,
    })
  const { status, stdout, stderr } = ffmpeg(['-f', 's16le', '-ac', '1', 'pipe:1'])
  const said = stderr.toString()
  assert.equal(status, 0, said)
  const [, codec = '', rate = ''] = /Stream #0:0.*?Audio: (\w+).*?(\d+) Hz/.exec(said) ?? []
  // a WAV that is sent before its end is known makes it complain
  if (!codec.startsWith('pcm')) assert.doesNotMatch(said, /invalid|error|corrupt/i, said)
  const whole = Buffer.from(stdout)
  return {
    codec,
    rate: Number(rate),
    samples: new Int16Array(whole.buffer, whole.byteOffset, whole.length / 2),
  }
}

/** A tone of this length, as a voice gives it. */
export function tonePcm(rate: number, seconds: number): Buffer {
  const samples = Int16Array.from(
    { length: Math.round(rate * seconds) },
    (_, at) => 9_000 * Math.sin((2 * Math.PI * 440 * at) / rate),
  )
  return Buffer.from(samples.buffer)
}

/** How many seconds of it sound, in steps of ten milliseconds. */
export function soundingSeconds(samples: Int16Array, rate: number): number {
  const step = rate / 100
  let sounding = 0
  for (let at = 0; at + step <= samples.length; at += step) {
    const level = Math.sqrt(samples.subarray(at, at + step).reduce((sum, one) => sum + one * one, 0) / step)
    if (level > 2_000) sounding += 1
  }
  return sounding / 100
}
