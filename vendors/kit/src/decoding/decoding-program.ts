import { once } from 'node:events'
import { writeSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import decode from '@audio/decode'
import { decodedRate, mostMemoryBytes, outcomeFd, type Outcome } from './decoding-terms.ts'
import type { MediaFormat } from './media-formats.ts'
import { Mono, mostChannels } from './mono.ts'
import { moovFirst } from './moov-first.ts'
import { wavFormat, type WavFormat } from './wav-format.ts'

// A process of its own for one untrusted file: it reads the file from its input, writes samples to
// its output, and may be killed at any time. A thread would not do: what runs out of memory takes its process along.

/** So little that what a decoder makes of it at once stays small, however much a file promises. */
const pieceBytes = 2_048

// Both go to the whole group of a terminal or a supervisor; this one ends when its host closes its input.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})
process.stdout.on('error', () => end('unreadable'))
process.on('uncaughtException', () => end('unreadable'))
new Worker(new URL('memory-watch.ts', import.meta.url), {
  workerData: { mostBytes: mostMemoryBytes, host: process.ppid },
}).unref()

const [form = '', mostSeconds = ''] = process.argv.slice(2)
const mostBytes = Number(mostSeconds) * decodedRate * 2
const pieces: Buffer[] = []
for await (const piece of process.stdin) pieces.push(piece as Buffer)
const { bytes, decoder, headBytes } = await prepared(form as MediaFormat, Buffer.concat(pieces.splice(0)))

const mono = new Mono(decodedRate)
let written = 0
for (let at = 0; at < bytes.length;) {
  const upTo = at === 0 && headBytes > 0 ? headBytes : at + pieceBytes
  await write(mono.take(await decoder(bytes.subarray(at, upTo))))
  at = upTo
}
await write(mono.take(await decoder()))
await write(mono.end())
process.stdout.end(() => end('decoded'))

/** At once: a runtime that takes down its threads while they still compile at times waits for them forever. */
function end(outcome: Outcome): never {
  writeSync(outcomeFd, outcome)
  process.kill(process.pid, 'SIGKILL')
  throw new Error('a killed process goes on')
}

async function write(samples: Uint8Array) {
  if (samples.length === 0) return
  written += samples.length
  if (written > mostBytes) end('tooLong')
  if (!process.stdout.write(samples)) await once(process.stdout, 'drain')
}

async function prepared(named: MediaFormat, file: Buffer) {
  if (named === 'wav' && !isSane(wavFormat(file))) end('unreadable')
  if (named === 'ogg') return { bytes: file, headBytes: 0, decoder: await decode[codecOfOgg(file)]() }
  if (named !== 'm4a') return { bytes: file, headBytes: 0, decoder: await decode[named]() }
  const ordered = moovFirst(file)
  if (ordered.headBytes === 0) end('unreadable')
  return { ...ordered, decoder: await decode.m4a() }
}

/** The first page of an Ogg file names what is inside. */
function codecOfOgg(file: Buffer): 'opus' | 'oga' | 'flac' {
  const page = file.toString('latin1', 0, 512)
  if (page.includes('OpusHead')) return 'opus'
  return page.includes('\x7fFLAC') ? 'flac' : 'oga'
}

/** With frames of no length nothing would ever be whole; every channel more is as much memory more. */
function isSane(said: WavFormat | undefined): boolean {
  return said !== undefined && said.frameBytes > 0 && said.channels <= mostChannels
}
