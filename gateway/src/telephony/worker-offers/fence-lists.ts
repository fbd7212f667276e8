import { createHash } from 'node:crypto'
import type { Environment } from '@switchroom/contract/scopes'
import type { Database } from '../../database/database.ts'
import type { SealedPlace, Vault } from '../../foundation/sealing.ts'
import { SharedAnswer } from '../../http/shared-answer.ts'
import * as store from './fence-versions.store.ts'
import { readVersion, versionText } from './fence-versions.ts'

/** For workers that have different versions; each answer may be as long as all fences. */
const changesKeptAtMost = 16

/** All fences of an environment at a version. */
export interface WholeList {
  version: string
  /** What gateways of earlier versions call it: the digest of the fences themselves. */
  digest: string
  answer: SharedAnswer
  /** For a worker that knows no versions but digests. */
  answerWithDigest: SharedAnswer
}

/** Answers about fences, each read and written once for all workers that ask for it. */
export class FenceLists {
  readonly #database: Database
  readonly #vault: Vault
  /** The last one of each environment, with the version that it was read for. */
  readonly #whole = new Map<Environment, { for: string; list: Promise<WholeList> }>()
  readonly #changes = new Map<string, Promise<SharedAnswer | undefined>>()

  constructor(database: Database, vault: Vault) {
    this.#database = database
    this.#vault = vault
  }

  /** At this version or a later one. */
  whole(env: Environment, version: string): Promise<WholeList> {
    const last = this.#whole.get(env)
    if (last?.for === version) return last.list
    const kept = { for: version, list: this.#readWhole(env) }
    this.#whole.set(env, kept)
    kept.list.then(
      (list) => (kept.for = list.version),
      () => this.#whole.delete(env),
    )
    return kept.list
  }

  /** What is different at this version, or a later one, since one that a worker has; undefined if that is not known. */
  changes(env: Environment, known: string, version: string): Promise<SharedAnswer | undefined> {
    const key = `${env} ${known} ${version}`
    const kept = this.#changes.get(key)
    if (kept) return kept
    const changes = this.#readChanges(env, known)
    this.#changes.set(key, changes)
    changes.catch(() => this.#changes.delete(key))
    for (const oldest of this.#changes.keys()) {
      if (this.#changes.size <= changesKeptAtMost) break
      this.#changes.delete(oldest)
    }
    return changes
  }

  async #readWhole(env: Environment): Promise<WholeList> {
    const rows = await store.listFences(this.#database, env)
    const [latest] = rows
    if (!latest) throw new Error(`there is no version of the fences of ${env}`)
    const version = versionText(latest)
    const fences = `[${this.#written(rows).join(',')}]`
    const digest = createHash('sha256').update(fences).digest('base64url')
    return {
      version,
      digest,
      answer: new SharedAnswer(`{"version":"${version}","fences":${fences}}`),
      answerWithDigest: new SharedAnswer(`{"version":"${digest}","fences":${fences}}`),
    }
  }

  async #readChanges(env: Environment, known: string): Promise<SharedAnswer | undefined> {
    const version = readVersion(known)
    if (!version) return undefined
    const rows = await store.listChanges(this.#database, env, version)
    const [latest] = rows
    if (!latest) return undefined
    const removed = rows.flatMap(({ name, changed }) => (name === null && changed !== null ? [changed] : []))
    return changesAnswer(versionText(latest), this.#written(rows), removed)
  }

  /** Fences in the words and the order of fields that gateways of earlier versions take the digest of. */
  #written(rows: readonly store.AtVersion<store.WrittenFence>[]): string[] {
    return rows.flatMap(({ name, fleet, terms, networks, numbers, pair }) => {
      if (name === null) return []
      const said = JSON.stringify({ name, fleet, ...terms }).slice(0, -1)
      const opened = pair && this.#vault.open(pair, placeOf(name))
      return `${said},"networks":${networks},"numbers":${numbers},"pair":${opened}}`
    })
  }
}

/** For a worker that has what is before the changes; without any, for one that has this version. */
export const changesAnswer = (
  version: string,
  changed: readonly string[] = [],
  removed: readonly string[] = [],
) =>
  new SharedAnswer(
    `{"version":"${version}","changed":[${changed.join(',')}],"removed":${JSON.stringify(removed)}}`,
  )

export const placeOf = (name: string): SealedPlace => `fences:${name}:pair`
