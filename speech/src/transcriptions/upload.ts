import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import type { FastifyRequest } from 'fastify'
import { badRequest, Refusal } from '../foundation/refusals.ts'
import type { Hold } from './held-bytes.ts'
import { formatOf, tellingBytes, type MediaFormat } from '@switchroom/kit/decoding/media-formats'

export const mostFileBytes = 26_214_400

const limits = {
  fileSize: mostFileBytes + 1,
  fieldSize: 8 * 1024,
  fieldNameSize: 100,
  fields: 64,
  files: 8,
  parts: 72,
  headerPairs: 64,
}

/** A client that still sends when it is refused may send this much more, so that it reads the refusal. */
const lingering = { mostBytes: 64 * 1024 * 1024, mostMs: 10_000 }

/** The parser never ends a form with a part whose head does not end: after its last byte it gets this long. */
const parsingMs = 1_000

export interface Upload {
  file: Buffer
  form: MediaFormat
  /** The rest of the form, by name. */
  fields: ReadonlyMap<string, unknown>
}

const tooLarge = () =>
  new Refusal(413, 'FILE_TOO_LARGE', `\`file\` is larger than ${mostFileBytes} bytes (25 MB)`)
const noSound = () =>
  new Refusal(
    415,
    'UNSUPPORTED_MEDIA',
    '`file` is none of WAV, MP3, MP4, WebM, Ogg, FLAC, AAC, AIFF and AMR by its content',
  )
const noForm = () => badRequest('body: must be whole multipart/form-data')

/** Reads a form as it comes, and refuses as soon as it can: a client should not send a gigabyte in vain. */
export async function readUpload(request: FastifyRequest, hold: Hold): Promise<Upload> {
  if (!request.isMultipart()) throw badRequest('body: must be multipart/form-data')
  const settled = new AbortController()
  try {
    return await Promise.race([read(request, hold), neverEnding(request, settled.signal)])
  } catch (error) {
    letFinish(request)
    throw error instanceof Refusal ? error : noForm()
  } finally {
    settled.abort()
  }
}

async function neverEnding({ raw }: FastifyRequest, signal: AbortSignal): Promise<never> {
  await once(raw, 'end', { signal })
  await setTimeout(parsingMs, undefined, { signal })
  throw noForm()
}

async function read(request: FastifyRequest, hold: Hold): Promise<Upload> {
  const fields = new Map<string, unknown>()
  let found: Pick<Upload, 'file' | 'form'> | undefined
  for await (const part of request.parts({ limits }))
    if (part.type === 'field') keep(fields, part.fieldname, part.valueTruncated ? null : part.value)
    else if (part.fieldname === 'file' && !found) found = await fileFrom(part.file, hold)
    else await passOver(part.file)
  if (!found) throw badRequest('`file` is required: the audio, as a file of the form')
  return { ...found, fields }
}

/** A name that ends in brackets is a list. */
function keep(fields: Map<string, unknown>, name: string, value: unknown) {
  const before = (fields.get(name) ?? []) as unknown[]
  fields.set(name, name.endsWith('[]') ? [...before, value] : value)
}

async function fileFrom(source: Readable, hold: Hold): Promise<Pick<Upload, 'file' | 'form'>> {
  const pieces: Buffer[] = []
  let length = 0
  for await (const piece of source as AsyncIterable<Buffer>) {
    const before = length
    length += piece.length
    hold.take(piece.length)
    pieces.push(piece)
    const isFirst = before < tellingBytes && length >= tellingBytes
    if (isFirst && !formatOf(Buffer.concat(pieces))) throw noSound()
    if (length > mostFileBytes) throw tooLarge()
  }
  const file = Buffer.concat(pieces)
  if (file.length === 0) throw badRequest('`file` is empty')
  const form = formatOf(file)
  if (!form) throw noSound()
  return { file, form }
}

async function passOver(source: Readable) {
  let length = 0
  for await (const piece of source as AsyncIterable<Buffer>) {
    length += piece.length
    if (length > mostFileBytes) throw tooLarge()
  }
}

function letFinish({ raw }: FastifyRequest) {
  if (raw.readableEnded || raw.destroyed) return
  let left = lingering.mostBytes
  const timer = globalThis.setTimeout(() => raw.destroy(), lingering.mostMs)
  raw.once('close', () => clearTimeout(timer))
  raw.on('data', ({ length }: Buffer) => {
    left -= length
    if (left < 0) raw.destroy()
  })
  raw.unpipe()
  raw.resume()
}
