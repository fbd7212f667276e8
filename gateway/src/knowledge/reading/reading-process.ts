import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import type { DocumentFormat } from '@switchroom/contract/knowledge-names'
import { secondMs } from '../../foundation/clock.ts'
import type { ReadChunk } from './chunk-identity.ts'

const program = join(import.meta.dirname, 'read-document.main.ts')
const megabyte = 1024 * 1024

export interface ReadingLimits {
  timeMs: number
  heapMb: number
  /** Of the whole process, which holds more than its heap. */
  memoryMb: number
  outputMb: number
}

export const usualLimits: ReadingLimits = { timeMs: 60 * secondMs, heapMb: 384, memoryMb: 768, outputMb: 64 }
const watchedEveryMs = 100

export interface ReadTask {
  format: DocumentFormat
  name: string
  language: string | null
}

/** What the program answers: chunks, or why there are none. */
export type ReadAnswer = { chunks: ReadChunk[] } | { why: string }

/** The document cannot be read, now or later: a sentence for the person who added it. */
export class Unreadable extends Error {}

/** Reads a document in a process of its own, which knows nothing but the document and dies of it alone. */
export async function readInProcess(
  task: ReadTask,
  content: Buffer,
  signal: AbortSignal,
  limits = usualLimits,
): Promise<ReadChunk[]> {
  signal.throwIfAborted()
  const child = spawn(
    process.execPath,
    [`--max-old-space-size=${limits.heapMb}`, '--no-warnings', program, JSON.stringify(task)],
    { env: {}, stdio: ['pipe', 'pipe', 'ignore'], signal, killSignal: 'SIGKILL' },
  )
  const stopped: { why?: string } = {}
  const stop = (why: string) => {
    stopped.why ??= why
    child.kill('SIGKILL')
  }
  const late = setTimeout(
    () => stop(`reading it took longer than ${limits.timeMs / secondMs} seconds`),
    limits.timeMs,
  )
  const watch = setInterval(() => void watchMemory(child, limits, stop), watchedEveryMs)
  try {
    const [output] = await Promise.all([
      outputOf(child, limits.outputMb, stop),
      once(child, 'exit'),
      send(child.stdin, content),
    ])
    if (stopped.why !== undefined) throw new Unreadable(stopped.why)
    return chunksIn(output)
  } finally {
    clearTimeout(late)
    clearInterval(watch)
    child.kill('SIGKILL')
  }
}

type Child = ChildProcessByStdio<Writable, Readable, null>

async function outputOf({ stdout }: Child, mostMb: number, stop: (why: string) => void): Promise<string> {
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of stdout as AsyncIterable<Buffer>) {
    bytes += piece.length
    if (bytes > mostMb * megabyte) {
      stop(`it holds more than ${mostMb} MB of text`)
      return ''
    }
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString('utf8')
}

/** A program that died meanwhile reads no more of it: how it died says more. */
async function send(stdin: Writable, content: Buffer) {
  await new Promise<void>((resolve) => {
    stdin.on('error', () => resolve())
    stdin.end(content, () => resolve())
  })
}

/** Known on Linux alone; elsewhere only the heap is limited. */
async function watchMemory({ pid }: Child, { memoryMb }: ReadingLimits, stop: (why: string) => void) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  const kilobytes = Number(/^VmRSS:\s*(\d+)/m.exec(status)?.[1] ?? 0)
  if (kilobytes > memoryMb * 1024) stop(`reading it needed more than ${memoryMb} MB of memory`)
}

function chunksIn(output: string): ReadChunk[] {
  let answer: ReadAnswer
  try {
    answer = JSON.parse(output) as ReadAnswer
  } catch {
    throw new Unreadable('it could not be read: it is damaged, or needs more memory than a document may')
  }
  if ('why' in answer) throw new Unreadable(answer.why)
  return answer.chunks
}
