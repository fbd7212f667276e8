import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { secondMs } from '../clock.ts'
import { BlobStoreFailure, type BlobLink, type BlobStore } from './blob-store.ts'
import type { ByteRange } from './byte-range.ts'
import { S3Requests } from './s3-requests.ts'
import type { S3Settings } from './s3-settings.ts'
import { elementIn, elementsIn, escaped } from './s3-xml.ts'

/** The smallest that storages take: each upload under way holds one in memory, and sends it again if it must. */
const partBytes = 5 * 1024 * 1024
const linkS = 300

interface Part {
  number: number
  etag: string
}

/** Blobs as objects of a bucket, for any number of gateways. */
export class S3Blobs implements BlobStore {
  readonly place = 'bucket'
  readonly #settings: S3Settings
  readonly #requests: S3Requests

  constructor(settings: S3Settings, caPem?: string) {
    this.#settings = settings
    this.#requests = new S3Requests(settings, caPem)
  }

  /** One request for what is short, parts for what is longer. */
  async put(key: string, content: AsyncIterable<Uint8Array>, mediaType: string): Promise<number> {
    const object = this.#objectOf(key)
    const headers = { 'content-type': mediaType, ...this.#settings.encryption }
    let bytes = 0
    let upload: string | undefined
    const parts: Part[] = []
    try {
      for await (const { part, isLast } of inParts(content)) {
        bytes += part.length
        if (isLast && upload === undefined) {
          await this.#demand({ method: 'PUT', key: object, headers, body: part })
          return bytes
        }
        upload ??= await this.#begin(object, headers)
        parts.push(await this.#putPart(object, upload, parts.length + 1, part))
      }
      if (upload !== undefined) await this.#complete(object, upload, parts)
      return bytes
    } catch (error) {
      // if this fails too, its caller's ledger of uploads has it removed later
      if (upload !== undefined) await this.#abort(object, upload).catch(() => {})
      throw error
    }
  }

  read(key: string, range?: ByteRange): Promise<Readable | undefined> {
    const headers = range && { range: `bytes=${range.start}-${range.end}` }
    return this.#requests.stream({ method: 'GET', key: this.#objectOf(key), ...(headers && { headers }) })
  }

  async remove(keys: readonly string[]): Promise<void> {
    if (keys.length === 0) return
    const objects = keys.map((key) => `<Object><Key>${escaped(this.#objectOf(key))}</Key></Object>`)
    const body = Buffer.from(`<Delete><Quiet>true</Quiet>${objects.join('')}</Delete>`)
    const headers = {
      'content-type': 'application/xml',
      'content-md5': createHash('md5').update(body).digest('base64'),
    }
    const answer = await this.#demand({ method: 'POST', query: { delete: '' }, headers, body })
    const refused = elementsIn(answer.text, 'Error').find((error) => elementIn(error, 'Code') !== 'NoSuchKey')
    if (refused !== undefined) throw this.#requests.failureOf(answer.status, refused)
  }

  async removeUnfinished(key: string): Promise<void> {
    const object = this.#objectOf(key)
    const answer = await this.#requests.ask({ method: 'GET', query: { uploads: '', prefix: object } })
    if (answer.status === 501) return // a storage without such lists removes them itself, or never
    if (answer.status >= 300) throw this.#requests.failureOf(answer.status, answer.text)
    for (const upload of elementsIn(answer.text, 'Upload')) {
      const id = elementIn(upload, 'UploadId')
      if (id !== undefined && elementIn(upload, 'Key') === object) await this.#abort(object, id)
    }
  }

  async link(key: string, { name, mediaType }: { name: string; mediaType: string }): Promise<BlobLink> {
    const expiresAt = new Date(Date.now() + linkS * secondMs)
    const query = {
      'response-content-disposition': `attachment; filename="${name}"`,
      'response-content-type': mediaType,
    }
    return { url: await this.#requests.presign(this.#objectOf(key), query, linkS), expiresAt }
  }

  async check(): Promise<void> {
    // not HEAD, whose answer gives no reason
    const { prefix } = this.#settings
    await this.#demand({ method: 'GET', query: { 'list-type': '2', 'max-keys': '1', prefix } })
  }

  async #begin(object: string, headers: Record<string, string>): Promise<string> {
    const { text } = await this.#demand({ method: 'POST', key: object, query: { uploads: '' }, headers })
    const id = elementIn(text, 'UploadId')
    if (id === undefined) throw new BlobStoreFailure('the object storage began an upload without an id')
    return id
  }

  async #putPart(object: string, upload: string, number: number, body: Buffer): Promise<Part> {
    const query = { partNumber: String(number), uploadId: upload }
    const { headers } = await this.#demand({ method: 'PUT', key: object, query, body })
    return { number, etag: headers['etag'] ?? '' }
  }

  async #complete(object: string, upload: string, parts: readonly Part[]): Promise<void> {
    const listed = parts.map(
      ({ number, etag }) => `<Part><PartNumber>${number}</PartNumber><ETag>${escaped(etag)}</ETag></Part>`,
    )
    const body = Buffer.from(`<CompleteMultipartUpload>${listed.join('')}</CompleteMultipartUpload>`)
    const answer = await this.#demand({
      method: 'POST',
      key: object,
      query: { uploadId: upload },
      headers: { 'content-type': 'application/xml' },
      body,
    })
    // it begins to answer before it knows, so that a failure comes with 200 too
    if (elementIn(answer.text, 'Error') !== undefined || elementIn(answer.text, 'ETag') === undefined)
      throw this.#requests.failureOf(answer.status, answer.text)
  }

  async #abort(object: string, upload: string): Promise<void> {
    const answer = await this.#requests.ask({ method: 'DELETE', key: object, query: { uploadId: upload } })
    if (answer.status >= 300 && answer.status !== 404)
      throw this.#requests.failureOf(answer.status, answer.text)
  }

  async #demand(request: Parameters<S3Requests['ask']>[0]) {
    const answer = await this.#requests.ask(request)
    if (answer.status >= 300) throw this.#requests.failureOf(answer.status, answer.text)
    return answer
  }

  #objectOf(key: string): string {
    return this.#settings.prefix + key
  }
}

/** Parts of one size and a last one, which may be empty if it is the only one. */
async function* inParts(
  content: AsyncIterable<Uint8Array>,
): AsyncGenerator<{ part: Buffer; isLast: boolean }> {
  let waiting: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of content) {
    let rest = chunk
    while (bytes + rest.length > partBytes) {
      const room = partBytes - bytes
      yield { part: Buffer.concat([...waiting, rest.subarray(0, room)]), isLast: false }
      rest = rest.subarray(room)
      waiting = []
      bytes = 0
    }
    waiting.push(rest)
    bytes += rest.length
  }
  yield { part: Buffer.concat(waiting), isLast: true }
}
