import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, relative, sep } from 'node:path'
import type { S3Settings } from '../../src/foundation/blobs/s3-settings.ts'
import { freePort } from '../ports.ts'

interface S3rver {
  run(): Promise<AddressInfo>
  close(): Promise<void>
}
type S3rverClass = new (options: object) => S3rver

// it comes without types
const Server = createRequire(import.meta.url)('@20minutes/s3rver') as S3rverClass

const bucket = 'recordings'
const suffix = '._S3rver_object'

/** An S3 server that others wrote: it checks signatures, ranges and parts as the documentation of S3 says. */
export class S3Server implements AsyncDisposable {
  readonly bucket = bucket
  readonly #folder: string
  readonly #port: number
  #running: S3rver | undefined

  private constructor(folder: string, port: number) {
    this.#folder = folder
    this.#port = port
  }

  static async start(): Promise<S3Server> {
    const server = new S3Server(await mkdtemp(join(tmpdir(), 'switchroom-s3-')), await freePort())
    await server.run()
    return server
  }

  async run() {
    this.#running = new Server({
      address: '127.0.0.1',
      port: this.#port,
      silent: true,
      directory: this.#folder,
      configureBuckets: [{ name: bucket, configs: [] }],
    })
    await this.#running.run()
  }

  /** What it holds stays. */
  async stop() {
    await this.#running?.close()
    this.#running = undefined
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  /** The environment of a gateway that uses it. */
  get environment(): Record<string, string> {
    return {
      SVC_S3_ENDPOINT: this.url,
      SVC_S3_BUCKET: bucket,
      SVC_S3_KEY: 'S3RVER',
      SVC_S3_SECRET: 'S3RVER',
    }
  }

  get settings(): S3Settings {
    const keys = { accessKey: 'S3RVER', secretKey: 'S3RVER' }
    return { endpoint: this.url, region: 'us-east-1', bucket, prefix: '', encryption: {}, ...keys }
  }

  /** The keys of all its objects, and of the parts of uploads that are not complete, by its own files. */
  async keys(): Promise<string[]> {
    const root = join(this.#folder, bucket)
    const files = await readdir(root, { recursive: true, withFileTypes: true })
    return files
      .filter((file) => file.isFile())
      .map((file) => relative(root, join(file.parentPath, file.name)).replaceAll(sep, '/'))
      .filter((path) => path.endsWith(suffix))
      .map((path) => path.slice(0, -suffix.length))
      .toSorted()
  }

  async [Symbol.asyncDispose]() {
    await this.stop()
    await rm(this.#folder, { recursive: true, force: true })
  }
}
