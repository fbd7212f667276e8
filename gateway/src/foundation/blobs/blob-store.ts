import type { Readable } from 'node:stream'
import type { ByteRange } from './byte-range.ts'

/** The kind of store that a row names, so that a deployment may change from one to the other. */
export type BlobPlace = 'folder' | 'bucket'

/** Who has a link to a blob reads it until then, without a key of ours. */
export interface BlobLink {
  url: string
  expiresAt: Date
}

/**
 * Where large data is kept beside the database: a folder, or a bucket of an object storage. A key is one or more names
 * of letters, digits, `-`, `_` and `.` with slashes between them, and is used for one blob only.
 */
export interface BlobStore {
  readonly place: BlobPlace
  /** Keeps the whole of it or nothing, and answers its bytes. A content that fails fails the same way. */
  put(key: string, content: AsyncIterable<Uint8Array>, mediaType: string): Promise<number>
  /** Undefined if there is no such blob. */
  read(key: string, range?: ByteRange): Promise<Readable | undefined>
  /** Keys without a blob are none the worse. */
  remove(keys: readonly string[]): Promise<void>
  /** Removes what an upload left whose process died before it was whole. */
  removeUnfinished(key: string): Promise<void>
  /** Undefined if only the gateway can read the store. */
  link(key: string, file: { name: string; mediaType: string }): Promise<BlobLink | undefined>
  /** Fails with what an operator should do, if the store cannot be used now. */
  check(): Promise<void>
}

/** The store cannot serve now, or not as it is set: a sentence for the operator, which holds no secret. */
export class BlobStoreFailure extends Error {}
