import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { rootCertificates } from 'node:tls'
import { AwsV4Signer } from 'aws4fetch'
import type { Dispatcher } from 'undici'
import { BlobStoreFailure } from './blob-store.ts'
import type { S3Settings } from './s3-settings.ts'
import { elementIn } from './s3-xml.ts'

/** Before the second and the third try. */
const pausesMs = [200, 1000]
const answersWithinMs = 30_000
const connectsWithinMs = 5000
/** Of what a storage says beside a blob; a listing of 1000 uploads has less. */
const mostText = 2 * 1024 * 1024

export interface S3Request {
  method: 'GET' | 'PUT' | 'POST' | 'DELETE'
  /** Undefined for the bucket itself. */
  key?: string
  query?: Readonly<Record<string, string>>
  headers?: Readonly<Record<string, string>>
  body?: Buffer
}

export interface S3Answer {
  status: number
  headers: Readonly<Record<string, string>>
  text: string
}

/** Signed requests to one bucket, each tried three times if the storage is away or overloaded. */
export class S3Requests {
  readonly #settings: S3Settings
  readonly #caPem: string | undefined
  readonly #signingKeys = new Map<string, ArrayBuffer>()
  #dispatcher: Promise<Dispatcher> | undefined

  constructor(settings: S3Settings, caPem: string | undefined) {
    this.#settings = settings
    this.#caPem = caPem
  }

  /** Whatever it answers, unless it cannot serve or does not take what is set. */
  async ask(request: S3Request): Promise<S3Answer> {
    const { statusCode, headers, body } = await this.#send(request)
    const text = await this.#answered(readText(body))
    return { status: statusCode, headers: flat(headers), text }
  }

  /** The content itself; undefined if there is none. */
  async stream(request: S3Request): Promise<Readable | undefined> {
    const { statusCode, body } = await this.#send(request)
    if (statusCode === 200 || statusCode === 206) return body
    const text = await this.#answered(readText(body))
    if (statusCode === 404 && elementIn(text, 'Code') !== 'NoSuchBucket') return undefined
    throw this.failureOf(statusCode, text)
  }

  /** An address that holds its own signature. */
  async presign(key: string, query: Readonly<Record<string, string>>, expiresS: number): Promise<string> {
    const url = this.#urlOf({ key, query: { ...query, 'X-Amz-Expires': String(expiresS) } })
    const { url: signed } = await this.#signer('GET', url, { signQuery: true }).sign()
    // a space as + is read as a plus by some storages; a plus itself is %2B already
    return signed.href.replaceAll('+', '%20')
  }

  failureOf(status: number, text: string): BlobStoreFailure {
    const code = elementIn(text, 'Code') ?? ''
    const { endpoint, bucket } = this.#settings
    const named = `the object storage at ${new URL(endpoint).host}`
    const why = sentences[code]?.(bucket) ?? refusals[status]?.(bucket)
    return new BlobStoreFailure(
      why ? `${named} ${why}${code && ` (${code})`}` : `${named} answered ${status}${code && ` ${code}`}`,
    )
  }

  async #send(request: S3Request): Promise<Dispatcher.ResponseData> {
    for (const pauseMs of [...pausesMs, undefined]) {
      const answer = await this.#sendOnce(request).catch((error: unknown) => this.#away(error))
      if (!(answer instanceof BlobStoreFailure) && !isPassing(answer.statusCode)) return answer
      const failure =
        answer instanceof BlobStoreFailure
          ? answer
          : this.failureOf(answer.statusCode, await readText(answer.body).catch(() => ''))
      if (pauseMs === undefined) throw failure
      await pause(pauseMs)
    }
    throw new Error('unreachable: the last try answers or fails')
  }

  async #sendOnce({ method, key, query, headers = {}, body }: S3Request) {
    const hash = createHash('sha256')
      .update(body ?? '')
      .digest('hex')
    const url = this.#urlOf({ ...(key !== undefined && { key }), query: query ?? {} })
    const signed = await this.#signer(method, url, {
      headers: { ...headers, 'x-amz-content-sha256': hash },
    }).sign()
    const { request } = await import('undici') // which a gateway with a folder never needs for this
    return request(signed.url, {
      method,
      headers: Object.fromEntries(signed.headers),
      body: body ?? null,
      dispatcher: await (this.#dispatcher ??= this.#newDispatcher()),
      headersTimeout: answersWithinMs,
      bodyTimeout: answersWithinMs,
    })
  }

  #signer(
    method: string,
    url: URL,
    more: { headers?: Record<string, string>; signQuery?: boolean },
  ): AwsV4Signer {
    const { accessKey, secretKey, region } = this.#settings
    return new AwsV4Signer({
      method,
      url: url.href,
      accessKeyId: accessKey,
      secretAccessKey: secretKey,
      service: 's3',
      region,
      cache: this.#signingKeys,
      ...more,
    })
  }

  /** With the bucket in the path, which every storage takes, also one without wildcard names. */
  #urlOf({ key, query }: Pick<S3Request, 'key' | 'query'>): URL {
    const { endpoint, bucket } = this.#settings
    const url = new URL(`${endpoint}/${bucket}${key === undefined ? '' : `/${key}`}`)
    for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, value)
    return url
  }

  async #newDispatcher(): Promise<Dispatcher> {
    const { Agent } = await import('undici')
    const ca = this.#caPem === undefined ? {} : { ca: [...rootCertificates, this.#caPem] }
    return new Agent({ connect: { timeout: connectsWithinMs, ...ca }, allowH2: false })
  }

  #answered<T>(reading: Promise<T>): Promise<T> {
    return reading.catch((error: unknown) => {
      throw this.#away(error)
    })
  }

  #away(error: unknown): BlobStoreFailure {
    const { code, message } = error as { code?: string; message?: string }
    const { host } = new URL(this.#settings.endpoint)
    return new BlobStoreFailure(`the object storage at ${host} does not answer: ${code ?? message}`, {
      cause: error,
    })
  }
}

/** The same request may well succeed in a moment. */
const isPassing = (status: number) => status === 408 || status === 429 || (status >= 500 && status !== 501)

async function readText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > mostText) throw new Error(`an answer of more than ${mostText} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

const flat = (headers: Dispatcher.ResponseData['headers']): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value ?? '')]))

const badCredentials = () => 'refuses its credentials: check SVC_S3_KEY and SVC_S3_SECRET'
const noBucket = (bucket: string) => `has no bucket ${bucket}: make it, or set SVC_S3_BUCKET`
const otherRegion = (bucket: string) =>
  `has the bucket ${bucket} elsewhere: set SVC_S3_REGION and SVC_S3_ENDPOINT to its own`
const denied = (bucket: string) =>
  `does not let SVC_S3_KEY use the bucket ${bucket}: it must read, write and delete objects, and list and abort multipart uploads`

/** By what storages call the reason. */
const sentences: Readonly<Record<string, (bucket: string) => string>> = {
  InvalidAccessKeyId: badCredentials,
  SignatureDoesNotMatch: badCredentials,
  NoSuchBucket: noBucket,
  AccessDenied: denied,
  PermanentRedirect: otherRegion,
  AuthorizationHeaderMalformed: otherRegion,
  RequestTimeTooSkewed: () => "has another time than this machine: set this machine's clock",
}
/** If it gives no reason, as in an answer to HEAD. */
const refusals: Readonly<Record<number, (bucket: string) => string>> = {
  301: otherRegion,
  403: denied,
  404: noBucket,
}
