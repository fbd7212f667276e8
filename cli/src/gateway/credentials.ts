import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { Failure, reasonOf } from '../terminal/failures.ts'
import { exitCodes } from '../terminal/exit-codes.ts'

export interface SavedKey {
  key: string
  key_id: string
  /** The org's id; its slug is what the key is kept under. */
  org: string
  /** Whether signing in here made it, so that signing out ends it. */
  made_here: boolean
}

export interface SavedGateway {
  /** The slug of the org that commands act in. */
  org: string | null
  orgs: Record<string, SavedKey>
  /** The platform's own key, which opens the operator's endpoints alone. */
  operator?: string
}

interface Saved {
  /** The gateway of the last sign-in. */
  gateway: string | null
  gateways: Record<string, SavedGateway>
}

/** The keys of this user on this machine: one file that only the user may read. */
export class Credentials {
  readonly path: string

  constructor(environment: NodeJS.ProcessEnv) {
    const configs = environment['XDG_CONFIG_HOME'] || join(homedir(), '.config')
    this.path = environment['SVC_CONFIG'] || join(configs, 'switchroom', 'credentials.json')
  }

  get lastGateway(): string | null {
    return this.#read().gateway
  }

  at(url: string): SavedGateway {
    return this.#read().gateways[url] ?? { org: null, orgs: {} }
  }

  /** Commands act in this org from now on. */
  keep(url: string, slug: string, key: SavedKey): void {
    this.#change(url, (gateway) => {
      gateway.orgs[slug] = key
      gateway.org = slug
    })
    this.#actAt(url)
  }

  /** For one command, without acting in that org from now on. */
  keepAside(url: string, slug: string, key: SavedKey): void {
    this.#change(url, (gateway) => void (gateway.orgs[slug] = key))
  }

  keepOperator(url: string, key: string): void {
    this.#change(url, (gateway) => void (gateway.operator = key))
    this.#actAt(url)
  }

  switchTo(url: string, slug: string): void {
    this.#change(url, (gateway) => void (gateway.org = slug))
    this.#actAt(url)
  }

  forget(url: string, slug: string): void {
    this.#change(url, (gateway) => {
      delete gateway.orgs[slug]
      if (gateway.org === slug) gateway.org = Object.keys(gateway.orgs)[0] ?? null
    })
  }

  forgetGateway(url: string): void {
    const saved = this.#read()
    delete saved.gateways[url]
    if (saved.gateway === url) saved.gateway = Object.keys(saved.gateways)[0] ?? null
    this.#write(saved)
  }

  #change(url: string, change: (gateway: SavedGateway) => void): void {
    const saved = this.#read()
    const gateway = saved.gateways[url] ?? { org: null, orgs: {} }
    change(gateway)
    this.#write({ ...saved, gateways: { ...saved.gateways, [url]: gateway } })
  }

  /** Commands that name no gateway speak to this one from now on. */
  #actAt(url: string): void {
    this.#write({ ...this.#read(), gateway: url })
  }

  #read(): Saved {
    let text: string
    try {
      if ((statSync(this.path).mode & 0o077) !== 0) chmodSync(this.path, 0o600) // it was copied with other permissions
      text = readFileSync(this.path, 'utf8')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { gateway: null, gateways: {} }
      throw this.#broken('read', error)
    }
    try {
      const { gateway = null, gateways = {} } = JSON.parse(text) as Partial<Saved>
      return { gateway, gateways }
    } catch {
      throw this.#broken('read', new Error('it is not JSON; delete it and run svc login'))
    }
  }

  #write(saved: Saved): void {
    const temporary = `${this.path}.${process.pid}`
    try {
      mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 })
      writeFileSync(temporary, `${JSON.stringify(saved, null, 2)}\n`, { mode: 0o600 })
      renameSync(temporary, this.path) // whole or not at all
    } catch (error) {
      rmSync(temporary, { force: true })
      throw this.#broken('written', error)
    }
  }

  #broken(how: string, error: unknown): Failure {
    return new Failure(exitCodes.notSignedIn, `${this.path} could not be ${how}: ${reasonOf(error)}`)
  }
}
