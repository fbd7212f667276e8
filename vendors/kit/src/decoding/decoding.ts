import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { availableParallelism } from 'node:os'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { wavHeader } from '@switchroom/audio/wav'
import { DecodingFailure } from './decoding-failure.ts'
import { decodedRate, outcomeFd } from './decoding-terms.ts'
import type { MediaFormat } from './media-formats.ts'
import { Turns } from './turns.ts'

const program = fileURLToPath(new URL('decoding-program.ts', import.meta.url))
const longestMinutes = 60
const patienceMs = 120_000
const mostHeapMb = 256
/** Each uses one core for its file; one core is left for everything else if there are several. */
const turns = new Turns(Math.max(1, availableParallelism() - 1), 32)

const unreadable = () => new DecodingFailure('unreadable', 'its audio cannot be decoded')
const tooSlow = () => new DecodingFailure('tooSlow', 'its audio takes too long to decode')
const tooLong = (minutes: number) =>
  new DecodingFailure('tooLong', `its audio is longer than ${minutes} minutes`)
const noRoom = () => new DecodingFailure('noRoom', 'no file can be decoded just now: try again in a moment')

export interface Decoded {
  /** A WAV file: one channel of 16-bit samples. */
  wav: Buffer
  seconds: number
}

/** A file of any form as WAV, made in a process of its own that cannot take more time or memory than it may. */
export async function decoded(
  file: Buffer,
  form: MediaFormat,
  signal: AbortSignal,
  mostMinutes = longestMinutes,
): Promise<Decoded> {
  return turns.take(signal, async () => {
    const samples = await samplesOf(file, form, signal, mostMinutes)
    const dataBytes = samples.reduce((total, { length }) => total + length, 0)
    const wav = Buffer.concat([wavHeader({ sampleRate: decodedRate, dataBytes }), ...samples])
    return { wav, seconds: dataBytes / 2 / decodedRate }
  })
}

function samplesOf(
  file: Buffer,
  form: MediaFormat,
  signal: AbortSignal,
  mostMinutes: number,
): Promise<Buffer[]> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer[]>()
  const child = spawn(
    process.execPath,
    [`--max-old-space-size=${mostHeapMb}`, program, form, String(mostMinutes * 60)],
    { stdio: ['pipe', 'pipe', 'ignore', 'pipe'], env: environment() },
  ) as ChildProcessByStdio<Writable, Readable, null> // of four, its types say nothing of each
  child.once('error', () => reject(noRoom()))
  if (child.pid === undefined) return promise // it has no pipes, and says why in a moment
  const kill = () => void child.kill('SIGKILL')
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    kill()
  }, patienceMs)
  signal.addEventListener('abort', kill, { once: true })
  if (signal.aborted) kill()
  const samples: Buffer[] = []
  let outcome = ''
  child.stdout.on('data', (piece: Buffer) => samples.push(piece))
  child.stdio[outcomeFd]?.on('data', (said: Buffer) => (outcome += said.toString()))
  child.once('close', () => {
    clearTimeout(timer)
    signal.removeEventListener('abort', kill)
    if (outcome === 'decoded') resolve(samples)
    else if (signal.aborted) reject(signal.reason as Error)
    else if (isLate) reject(tooSlow())
    else reject(outcome === 'tooLong' ? tooLong(mostMinutes) : unreadable())
  })
  child.stdin.on('error', () => {}) // it has ended early; 'close' says how
  child.stdin.end(file)
  return promise
}

/** Nothing of our settings, which hold keys. */
function environment(): NodeJS.ProcessEnv {
  const { PATH, NODE_COMPILE_CACHE } = process.env
  return { PATH, ...(NODE_COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE }) }
}
