import { execFile } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Transcriber, Model, Setting, Spoken, Voice } from '@switchroom/kit/vendor'
import adapter from '../src/adapter.ts'

const run = promisify(execFile)
const patienceMs = 60_000

const settingOf = (keywords: Setting['keywords']): Setting => ({ class: 'any', keywords, credentials: {} })

// The adapter has all three: its manifest says so.
export const voice = (keywords: Setting['keywords'] = {}): Voice => adapter.voice!(settingOf(keywords))
export const transcriber = (keywords: Setting['keywords'] = {}): Required<Transcriber> =>
  adapter.transcriber!(settingOf(keywords)) as Required<Transcriber>
export const model = (keywords: Setting['keywords'] = {}): Model => adapter.model!(settingOf(keywords))
export const voices = () => adapter.voices!(settingOf({}), patient())

export const patient = () => AbortSignal.timeout(patienceMs)

export const spokenRate = 22_050

export async function spoken(text: string, keywords: Setting['keywords'] = {}) {
  const pieces = await Array.fromAsync(voice(keywords).speak(text, patient()))
  return { pcm: pcmOf(pieces), words: pieces.filter((piece) => piece.type === 'word') }
}

export const pcmOf = (pieces: readonly Spoken[]) =>
  Buffer.concat(pieces.flatMap((piece) => (piece.type === 'audio' ? [piece.pcm] : [])))

/** Audio at twice the pace of speech, to keep tests short. */
export async function* atPace(pcm: Uint8Array, sampleRate: number): AsyncIterable<Uint8Array> {
  const pieceBytes = 2 * Math.round(sampleRate / 10)
  for (let at = 0; at < pcm.length; at += pieceBytes) {
    yield pcm.subarray(at, at + pieceBytes)
    await pause(50)
  }
}

/** How much of what was said is in what was heard, word by word, whatever the punctuation. */
export function shareHeard(said: string, heard: string): number {
  const wanted = wordsOf(said)
  const found = new Set(wordsOf(heard))
  return wanted.filter((word) => found.has(word)).length / wanted.length
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}']+/gu) ?? []

/** Our programs among the processes, as the machine sees them. */
export async function programsUnder(parent: number, path: string): Promise<number[]> {
  const { stdout } = await run('ps', ['-A', '-o', 'pid=,ppid=,args='])
  return stdout
    .split('\n')
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/u.exec(line))
    .filter((found) => Number(found?.[2]) === parent && found?.[3]?.includes(path))
    .map((found) => Number(found?.[1]))
}

export async function until(isSo: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const late = performance.now() + patienceMs
  while (!(await isSo())) {
    if (performance.now() > late) throw new Error(`never: ${what}`)
    await pause(10)
  }
}

export const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
