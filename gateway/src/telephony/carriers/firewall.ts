import type { FirewallList } from '@switchroom/contract/carriers'
import { rename, writeFile } from 'node:fs/promises'
import type { Logger } from 'pino'
import { statement, type Database } from '../../database/database.ts'
import type { Signals } from '../../database/signals.ts'
import { SettingError } from '@switchroom/process/setting-reader'
import type { TelephonySettings } from '../../foundation/telephony-settings.ts'
import type { Catalogue } from './catalogue.ts'
import * as store from './networks.store.ts'

const port = 5060
const channel = 'switchroom_firewall'
const tell = statement(`select pg_notify('${channel}', $1)`)
/** What gateways notify each other of: more may open, or the change is done. */
type Word = 'opens' | 'stands'

interface Parts {
  database: Database
  logger: Logger
  signals: Signals
  catalogue: Catalogue
  settings: Pick<TelephonySettings, 'firewallFile' | 'mediaAddress' | 'sandboxMediaServer'>
}

/** Who may reach port 5060: the catalogue's carriers, and approved networks in use. */
export class Firewall {
  readonly #parts: Parts
  /** What the file holds. */
  #written: readonly string[] = []
  /** One write at a time: two of one file would mix. */
  #lastWrite: Promise<void> = Promise.resolve()

  constructor(parts: Parts) {
    this.#parts = parts
    const hear = (word: string) => void this.#report(this.#write(word === 'opens'))
    if (parts.settings.firewallFile !== undefined) parts.signals.on(channel, hear, () => hear('stands'))
  }

  async read(): Promise<FirewallList> {
    return { port, networks: await this.list() }
  }

  async list(): Promise<string[]> {
    const { database, catalogue, settings } = this.#parts
    const approved = (await store.networksInUse(database)).map(({ network }) => network)
    const carriers = catalogue.all.flatMap(({ networks }) => networks)
    const { mediaAddress, sandboxMediaServer } = settings
    const handOver = sandboxMediaServer && mediaAddress !== undefined ? [mediaAddress] : []
    return [...new Set([...carriers, ...approved, ...handOver])].toSorted()
  }

  /** Throws if the file cannot be written, so that a broken firewall stops the start. */
  async start(): Promise<void> {
    await this.#write().catch((error: NodeJS.ErrnoException) => {
      throw error.path === undefined
        ? error
        : new SettingError(`SVC_FIREWALL_FILE cannot be written: ${error.message}`)
    })
  }

  /**
   * Opens what a change added, lets the media plane hear of the change, then closes what it removed. What only the
   * change itself will write down is named in `added`.
   */
  async around(change: () => Promise<void>, added: readonly string[] = []): Promise<void> {
    await this.#follow('opens', added)
    try {
      await change()
    } finally {
      await this.#follow('stands')
    }
  }

  /** Writes the file as the tables are now. */
  refresh(): Promise<void> {
    return this.#report(this.#write())
  }

  /** Every gateway has a file of its own. */
  #follow(word: Word, added: readonly string[] = []): Promise<void> {
    const told = this.#write(word === 'opens', added).then(() => this.#parts.database.rows(tell, word))
    return this.#report(told)
  }

  /** A failed write refuses no change: the next write makes up for it. */
  async #report(written: Promise<unknown>) {
    await written.catch((error: unknown) =>
      this.#parts.logger.error({ err: error }, 'the firewall file was not written'),
    )
  }

  /** Unless it closes nothing, as the tables are now. */
  #write(closesNothing = false, added: readonly string[] = []): Promise<void> {
    const { firewallFile } = this.#parts.settings
    if (firewallFile === undefined) return Promise.resolve()
    const written = this.#lastWrite.then(() =>
      this.#replace(firewallFile, [...added, ...(closesNothing ? this.#written : [])]),
    )
    this.#lastWrite = written.catch(() => {})
    return written
  }

  async #replace(file: string, open: readonly string[]) {
    const list = await this.list() // read in its turn: an older list must not follow a newer one
    const networks = [...new Set([...list, ...open])].toSorted()
    const beside = `${file}.${process.pid}.new`
    await writeFile(beside, networks.map((network) => `${network}\n`).join(''))
    await rename(beside, file) // readers see the old list or the new one, whole
    this.#written = networks
  }
}
