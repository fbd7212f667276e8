import { statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { Stage } from '@switchroom/contract/stages'
import type { FastifyBaseLogger } from 'fastify'
import { SettingError } from '@switchroom/process/setting-reader'
import { readRates, type Rate } from './rate-file.ts'

/** The priced models: which of them the platform runs on its own key, and at what price. */
export class RateTable {
  readonly records: readonly Rate[]

  constructor(records: readonly Rate[]) {
    this.records = records
  }

  find(service: Stage, provider: string, model: string): Rate | undefined {
    return this.#of(service).find((rate) => rate.provider === provider && rate.model === model)
  }

  /** The record of a model that only one provider has. */
  findByModel(service: Stage, model: string): Rate | undefined {
    const [found, ...more] = this.#of(service).filter((rate) => rate.model === model)
    return more.length === 0 ? found : undefined
  }

  isManaged(service: Stage, provider: string): boolean {
    return this.managedProviders(service).includes(provider)
  }

  managedProviders(service: Stage): string[] {
    const managed = this.#of(service).filter((rate) => rate.managed)
    return [...new Set(managed.map(({ provider }) => provider))]
  }

  modelsOf(service: Stage, provider: string): string[] {
    return this.#of(service)
      .filter((rate) => rate.provider === provider)
      .map(({ model }) => model)
  }

  #of(service: Stage): Rate[] {
    return this.records.filter((rate) => rate.service === service)
  }
}

/** The rate table from its file; while the file is invalid, the last valid one. */
export class Rates {
  readonly #file: string
  readonly #logger: Pick<FastifyBaseLogger, 'warn'>
  #version = ''
  #reading = Promise.resolve()
  #table: RateTable | undefined
  #failure = ''

  constructor(file: string, logger: Pick<FastifyBaseLogger, 'warn'>) {
    this.#file = file
    this.#logger = logger
  }

  async table(): Promise<RateTable> {
    const version = versionOf(this.#file)
    if (version !== this.#version) {
      this.#version = version // set before the file is read, so that concurrent requests wait for one read
      this.#reading = this.#reading.then(() => this.#read())
    }
    await this.#reading
    if (!this.#table) throw new SettingError(`${this.#failure}: correct it, or name another with SVC_RATES`)
    return this.#table
  }

  async #read() {
    try {
      this.#table = new RateTable(readRates(await readFile(this.#file, 'utf8')))
    } catch (error) {
      this.#failure = `the rate table ${this.#file} ${whyNot(error as NodeJS.ErrnoException)}`
      if (this.#table) this.#logger.warn(`${this.#failure}: the rates from before still apply`)
    }
  }
}

/** Synchronous: a grant asks three times, and would wait for a thread each time. */
function versionOf(file: string): string {
  try {
    const { mtimeNs, size } = statSync(file, { bigint: true })
    return `${mtimeNs} ${size}`
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown'
  }
}

const whyNot = ({ code, message }: NodeJS.ErrnoException) =>
  code === undefined ? message : `cannot be read (${code})`
