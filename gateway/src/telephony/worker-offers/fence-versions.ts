import { createHash } from 'node:crypto'
import { setImmediate as nextTick } from 'node:timers/promises'
import { WorkerFence } from '@switchroom/contract/media-plane'
import type { Environment } from '@switchroom/contract/scopes'
import type { Database } from '../../database/database.ts'
import * as store from './fence-versions.store.ts'

/** Another for gateways that say other things of a fence, so that a worker asks for them anew. */
const form = createHash('sha256').update(JSON.stringify(WorkerFence)).digest('base64url').slice(0, 8)

const writtenForm = /^([\w-]{8})\.(\d{1,15})\.([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/

/** As workers get it, the same from every gateway. */
export const versionText = ({ version, mark }: store.FenceVersion) => `${form}.${version}.${mark}`

/** Undefined if it is none of ours. */
export function readVersion(text: string): store.FenceVersion | undefined {
  const [, its, version, mark] = writtenForm.exec(text) ?? []
  return its === form && mark !== undefined ? { version: Number(version), mark } : undefined
}

/** Which version of the fences is the latest; requests that ask at the same moment share a statement. */
export class FenceVersions {
  readonly #database: Database
  /** Statements that have not been sent yet. */
  readonly #coming = new Map<Environment, Promise<string>>()

  constructor(database: Database) {
    this.#database = database
  }

  latest(env: Environment): Promise<string> {
    const coming = this.#coming.get(env) ?? this.#read(env)
    this.#coming.set(env, coming)
    return coming
  }

  async #read(env: Environment): Promise<string> {
    await nextTick()
    this.#coming.delete(env) // who asks from now on may have heard of a later one
    return versionText(await store.findLatest(this.#database, env))
  }
}
