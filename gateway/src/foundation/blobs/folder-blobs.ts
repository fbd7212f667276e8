import { constants } from 'node:fs'
import { access, mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { BlobStoreFailure, type BlobStore } from './blob-store.ts'
import type { ByteRange } from './byte-range.ts'

/** Blobs as files of one folder, which several gateways may share over a network file system. */
export class FolderBlobs implements BlobStore {
  readonly place = 'folder'
  readonly #folder: string
  readonly #setting: string

  constructor(folder: string, setting: string) {
    this.#folder = folder
    this.#setting = setting
  }

  async put(key: string, content: AsyncIterable<Uint8Array>): Promise<number> {
    const path = this.#pathOf(key)
    const part = partOf(path)
    try {
      await this.#doing('written', () => mkdir(dirname(path), { recursive: true, mode: 0o700 }))
      const bytes = await this.#write(part, content)
      await this.#doing('written', () => rename(part, path))
      return bytes
    } catch (error) {
      await rm(part, { force: true }).catch(() => {})
      throw error
    }
  }

  async read(key: string, range?: ByteRange): Promise<Readable | undefined> {
    const path = this.#pathOf(key)
    const file = await this.#doing('read', () =>
      open(path).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error
      }),
    )
    return file?.createReadStream({ ...range })
  }

  async remove(keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.#doing('written', () => rm(this.#pathOf(key), { force: true }))
  }

  async removeUnfinished(key: string): Promise<void> {
    await this.#doing('written', () => rm(partOf(this.#pathOf(key)), { force: true }))
  }

  /** Only a gateway reads a folder. */
  async link() {
    return undefined
  }

  async check(): Promise<void> {
    await this.#doing('written', async () => {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 })
      await access(this.#folder, constants.R_OK | constants.W_OK | constants.X_OK)
    })
  }

  async #write(path: string, content: AsyncIterable<Uint8Array>): Promise<number> {
    await using file = await this.#doing('written', () => open(path, 'wx', 0o600))
    let bytes = 0
    for await (const chunk of content) {
      await this.#doing('written', () => file.appendFile(chunk))
      bytes += chunk.length
    }
    // the row that names it is durable when it is committed, so this must be before
    await this.#doing('written', () => file.sync())
    return bytes
  }

  /** Tells what the disk refuses from what the content fails with. */
  async #doing<T>(done: 'read' | 'written', work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      const { code = String(error) } = error as NodeJS.ErrnoException
      throw new BlobStoreFailure(
        code === 'ENOSPC' || code === 'EDQUOT'
          ? `the disk of ${this.#setting} is full: make room on it`
          : `the folder of ${this.#setting} cannot be ${done} (${code}): check that it is there and belongs to the gateway's user`,
        { cause: error },
      )
    }
  }

  #pathOf(key: string): string {
    return join(this.#folder, key)
  }
}

const partOf = (path: string) => `${path}.part`
