import type { Readable } from 'node:stream'
import { Busboy, type BusboyInstance } from '@fastify/busboy'
import { largestDocumentBytes, mostFiles } from '@switchroom/contract/knowledge-names'
import { badRequest, Refusal } from '../../foundation/refusals.ts'
import { nameOfFile } from './document-fields.ts'

const megabyte = 1024 * 1024

export interface UploadedFile {
  name: string
  content: AsyncIterable<Uint8Array>
}

export interface FormFields {
  name?: string
  format?: string
}

/** Reads a form while it arrives: each file is handed on in its turn, the next one when that is kept. */
export function readForm<Kept>(
  body: Readable,
  contentType: string,
  keep: (file: UploadedFile) => Promise<Kept>,
): Promise<{ kept: Kept[]; fields: FormFields }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ kept: Kept[]; fields: FormFields }>()
  const fields: FormFields = {}
  const keeping: Promise<Kept>[] = []
  const form = openForm(contentType)
  const fail = (error: unknown) => {
    body.unpipe(form)
    body.resume() // unread data would keep the sender from reading the refusal
    reject(error)
  }
  form.on('file', (_field, stream, path: string | undefined) => {
    const file = stream as Readable & { truncated?: boolean }
    const kept = Promise.resolve().then(() => {
      const name = nameOfFile(path ?? '')
      return keep({ name, content: bytesOf(file, name) })
    })
    kept.catch((error: unknown) => {
      file.resume()
      fail(error)
    })
    keeping.push(kept)
  })
  form.on('field', (field, value) => {
    if (field === 'name' || field === 'format') fields[field] = value
  })
  form.on('filesLimit', () =>
    fail(badRequest(`an upload has at most ${mostFiles} files: send the rest in another`)),
  )
  form.on('error', () => fail(badRequest('the upload is no multipart/form-data that can be read')))
  form.on('finish', () => {
    Promise.all(keeping).then((kept) => resolve({ kept, fields }), reject)
  })
  body.once('error', () => fail(badRequest('the upload broke off')))
  body.once('close', () => {
    if (!body.readableEnded) fail(badRequest('the upload broke off'))
  })
  body.pipe(form)
  return promise
}

function openForm(contentType: string): BusboyInstance {
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      preservePath: true,
      limits: {
        files: mostFiles,
        fileSize: largestDocumentBytes,
        fields: 10,
        fieldSize: 1000,
        parts: mostFiles + 10,
        headerPairs: 20,
        headerSize: 4000,
      },
    })
  } catch {
    throw badRequest('the upload is no multipart/form-data that can be read')
  }
}

async function* bytesOf(file: Readable & { truncated?: boolean }, name: string) {
  yield* file as AsyncIterable<Buffer>
  if (file.truncated === true) throw tooLarge(name)
}

export const tooLarge = (name: string) =>
  new Refusal(
    413,
    `${name} is larger than ${largestDocumentBytes / megabyte} MB, the most of a document: split it`,
    { connection: 'close' },
  )
