import type { FirewallList } from '@switchroom/contract/carriers'
import { randomUUID } from 'node:crypto'
import { rename, writeFile } from 'node:fs/promises'
import type { PeriodicTask } from '@switchroom/process/periodic-tasks'
import type { Logger } from 'pino'
import type { Database } from '../../database/database.ts'
import type { Signals } from '../../database/signals.ts'
import { SettingError } from '@switchroom/process/setting-reader'
import { minuteMs, type Clock } from '../../foundation/clock.ts'
import type { TelephonySettings } from '../../foundation/telephony-settings.ts'
import type { Catalogue } from './catalogue.ts'
import * as store from './networks.store.ts'

const port = 5060
const channel = 'switchroom_firewall'
/** What gateways notify each other of, with the id of the change: more may open, or the change is done. */
type Word = 'opens' | 'stands'
/** A change of another gateway that takes longer was abandoned: that gateway died. */
const longestChangeMs = minuteMs

interface Parts {
  database: Database
  clock: Clock
  logger: Logger
  signals: Signals
  catalogue: Catalogue
  settings: Pick<TelephonySettings, 'firewallFile' | 'mediaAddress' | 'sandboxMediaServer'>
}

/** Who may reach port 5060: the catalogue's carriers, and approved networks in use. */
export class Firewall {
  readonly task: PeriodicTask = {
    name: 'networks that an abandoned change left open, or whose notice was lost',
    everyMs: longestChangeMs,
    run: () => this.closeAbandoned(),
  }
  readonly #parts: Parts
  /** What the file holds. */
  #written: readonly string[] = []
  readonly #name = randomUUID()
  #lastChange = 0
  /** How many changes of this gateway are under way: until they are done, nothing is closed. */
  #ownChanges = 0
  /** Those of other gateways, and since when. */
  readonly #otherChanges = new Map<string, number>()
  /** One write at a time: two of one file would mix. */
  #lastWrite: Promise<void> = Promise.resolve()

  constructor(parts: Parts) {
    this.#parts = parts
    if (parts.settings.firewallFile === undefined) return
    const hear = (notice: string) => {
      const [word, id = ''] = notice.split(' ')
      if (id.startsWith(this.#name)) return // its own file is written already
      if (word === 'opens') this.#otherChanges.set(id, parts.clock.now().getTime())
      else this.#otherChanges.delete(id)
      void this.refresh()
    }
    const onMissed = () => {
      this.#otherChanges.clear() // their ends may be among what was missed
      void this.refresh()
    }
    parts.signals.on(channel, hear, onMissed)
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
    const id = `${this.#name}.${(this.#lastChange += 1)}`
    this.#ownChanges += 1
    try {
      await this.#follow('opens', id, added)
      await change()
    } finally {
      this.#ownChanges -= 1
      await this.#follow('stands', id)
    }
  }

  /** Writes the file as the tables are now; while a change is under way it closes nothing. */
  refresh(): Promise<void> {
    return this.#report(this.#write())
  }

  async closeAbandoned(): Promise<void> {
    const oldest = this.#parts.clock.now().getTime() - longestChangeMs
    const abandoned = [...this.#otherChanges].filter(([, since]) => since < oldest)
    for (const [id] of abandoned) this.#otherChanges.delete(id)
    await this.refresh() // also for a change whose notices were lost
  }

  /** Every gateway has a file of its own. */
  #follow(word: Word, id: string, added: readonly string[] = []): Promise<void> {
    const written = this.#report(this.#write(added))
    return written.then(() => this.#parts.signals.send(channel, `${word} ${id}`))
  }

  /** A failed write refuses no change: the next write makes up for it. */
  async #report(written: Promise<unknown>) {
    await written.catch((error: unknown) =>
      this.#parts.logger.error({ err: error }, 'the firewall file was not written'),
    )
  }

  #write(added: readonly string[] = []): Promise<void> {
    const { firewallFile } = this.#parts.settings
    if (firewallFile === undefined) return Promise.resolve()
    const written = this.#lastWrite.then(() => this.#replace(firewallFile, added))
    this.#lastWrite = written.catch(() => {})
    return written
  }

  async #replace(file: string, added: readonly string[]) {
    const list = await this.list() // read in its turn: an older list must not follow a newer one
    const isChanging = this.#ownChanges + this.#otherChanges.size > 0
    const open = isChanging ? this.#written : []
    const networks = [...new Set([...list, ...added, ...open])].toSorted()
    const beside = `${file}.${process.pid}.new`
    await writeFile(beside, networks.map((network) => `${network}\n`).join(''))
    await rename(beside, file) // readers see the old list or the new one, whole
    this.#written = networks
  }
}
