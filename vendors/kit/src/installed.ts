import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Duplex } from 'node:stream'
import { pathToFileURL } from 'node:url'
import type { VoiceEntry } from '@switchroom/contract/speech'
import type { Stage } from '@switchroom/contract/stages'
import { silent } from './failures.ts'
import { guardedTranscriber, guardedModel, guardedRealtime, guardedVoice, guardedVoices } from './guarded.ts'
import { classFor, classNamed, keywordsFor, readManifest, type Manifest } from './manifest.ts'
import { listeningAt, withRateGiven } from './sample-rates.ts'
import type { Adapter, Credentials, Transcriber, Model, RealtimeModel, Setting, Voice } from './vendor.ts'

const loadWithinMs = 10_000

/** The method of an adapter that does a stage, and the knob that names the stage's model. */
const methodOf = { llm: 'model', stt: 'transcriber', tts: 'voice' } as const
const modelKnob = { llm: 'llm', stt: 'stt', tts: 'tts_model' } as const

/** What a stage of a call is built from. */
export interface StageChoice {
  /** Default: the manifest's. */
  model?: string | undefined
  /** A class other than the one the model asks for. */
  builds?: string | undefined
  knobs?: Readonly<Record<string, unknown>>
  options?: Readonly<Record<string, unknown>>
  credentials: Credentials
  /** How often a vendor that is too busy is asked again. Default: twice. */
  retries?: number | undefined
}

interface Built {
  adapter: Required<Adapter>
  setting: Setting
  /** Those of its class; undefined for any. */
  rates: readonly number[] | undefined
}

/** A vendor package as it was found; nothing of it runs before it is asked for something. */
export class InstalledVendor {
  readonly name: string
  readonly manifest: Manifest | null
  readonly #folder: string
  readonly #fault: string | null
  #loading: Promise<Adapter> | undefined

  constructor(name: string, folder: string, manifest: Manifest | null, fault: string | null) {
    this.name = name
    this.manifest = manifest
    this.#folder = folder
    this.#fault = fault
  }

  get does(): readonly Stage[] {
    return this.manifest?.does ?? []
  }

  /** A vendor without a key field runs on the platform's own machines and costs nothing. */
  get needsKey(): boolean {
    return this.manifest?.credentials.key !== undefined
  }

  /** Null for a vendor whose adapter loads. */
  async whyBroken(): Promise<string | null> {
    try {
      await this.#adapter()
      return null
    } catch (error) {
      return sentenceOf(error)
    }
  }

  async voice(choice: StageChoice): Promise<Voice> {
    const { adapter, setting } = await this.#built('tts', choice)
    return guardedVoice(() => adapter.voice(setting), choice)
  }

  async transcriber(choice: StageChoice): Promise<Transcriber> {
    const { adapter, setting, rates } = await this.#built('stt', choice)
    return listeningAt(
      rates,
      guardedTranscriber(() => adapter.transcriber(setting), choice),
    )
  }

  async model(choice: StageChoice): Promise<Model> {
    const { adapter, setting } = await this.#built('llm', choice)
    return guardedModel(() => adapter.model(setting), choice)
  }

  /** Whether a model of this choice hears and speaks for itself. */
  isRealtime({ model, builds }: Pick<StageChoice, 'model' | 'builds'>): boolean {
    const manifest = this.manifest?.stages.llm
    return manifest
      ? classNamed(manifest, classFor(manifest, model ?? manifest.model, builds))?.realtime === true
      : false
  }

  async realtime(choice: StageChoice): Promise<RealtimeModel> {
    const { adapter, setting } = await this.#built('llm', choice)
    // no stage of its own, so not checked yet
    if (typeof adapter.realtime !== 'function') throw silent('its adapter has no realtime model')
    return guardedRealtime(() => adapter.realtime(setting), choice)
  }

  async voices(choice: StageChoice, signal: AbortSignal): Promise<VoiceEntry[]> {
    const { adapter, setting } = await this.#built('tts', choice)
    return guardedVoices(adapter, setting, signal)
  }

  /** Loads its adapter, and what its first use would wait for. */
  async warm(signal: AbortSignal): Promise<void> {
    const adapter = await this.#adapter()
    await adapter.warm?.(signal)
  }

  /** Whether processes of ours can share what it runs on this machine; false for one that is broken. */
  async canLend(): Promise<boolean> {
    if (this.needsKey || (await this.whyBroken()) !== null) return false
    const adapter = await this.#adapter()
    return typeof adapter.lend === 'function' && typeof adapter.borrow === 'function'
  }

  async lend(channel: Duplex): Promise<void> {
    const adapter = await this.#adapter()
    adapter.lend?.(channel)
  }

  async borrow(channel: Duplex): Promise<void> {
    const adapter = await this.#adapter()
    adapter.borrow?.(channel)
  }

  async #built(stage: Stage, choice: StageChoice): Promise<Built> {
    const manifest = this.manifest?.stages[stage]
    if (!manifest) throw new Error(`${this.name} does no ${stage}`)
    const broken = await this.whyBroken()
    if (broken !== null) throw silent(broken)
    const adapter = (await this.#adapter()) as Required<Adapter> // checked for what its manifest says it does
    const model = choice.model ?? manifest.model
    const built = classFor(manifest, model, choice.builds)
    const vendorClass = classNamed(manifest, built)
    if (!vendorClass) throw new Error(`${this.name} has no class ${built}`)
    const knobs = { ...choice.knobs, [modelKnob[stage]]: model }
    const keywords = withRateGiven(vendorClass, keywordsFor(vendorClass, choice.options ?? {}, knobs))
    const setting = { class: built, keywords, credentials: choice.credentials }
    return { adapter, setting, rates: vendorClass.sample_rates }
  }

  #adapter(): Promise<Adapter> {
    return (this.#loading ??= this.#fault === null ? this.#load() : Promise.reject(new Error(this.#fault)))
  }

  async #load(): Promise<Adapter> {
    const entry = pathToFileURL(join(this.#folder, entryOf(packageIn(this.#folder)))).href
    const module: { default?: Adapter } = await withinTime(import(entry))
    const adapter = module.default
    if (!adapter) throw new Error('its package exports no adapter')
    for (const stage of this.does)
      if (typeof adapter[methodOf[stage]] !== 'function')
        throw new Error(`its adapter has no ${methodOf[stage]} for ${stage}`)
    if (this.manifest?.stages.tts?.lists_voices && typeof adapter.voices !== 'function')
      throw new Error('its adapter lists no voices')
    return adapter
  }
}

/** The vendors of this deployment: every installed package that carries a manifest. */
export class InstalledVendors {
  /** By name. */
  readonly all: readonly InstalledVendor[]
  readonly #byName: ReadonlyMap<string, InstalledVendor>

  constructor(all: readonly InstalledVendor[]) {
    this.all = all.toSorted((a, b) => (a.name < b.name ? -1 : 1))
    this.#byName = new Map(this.all.map((vendor) => [vendor.name, vendor]))
  }

  get(name: string): InstalledVendor | undefined {
    return this.#byName.get(name)
  }

  /** The vendor of this name that does this stage. */
  doing(stage: Stage, name: string): InstalledVendor | undefined {
    const vendor = this.#byName.get(name)
    return vendor?.does.includes(stage) ? vendor : undefined
  }
}

/** Looks through the packages installed beside this one, and through folders of packages the operator adds. */
export function findVendors(further: readonly string[] = []): InstalledVendors {
  const packages = [...installedFolders(), ...further].flatMap(packagesIn)
  const vendors = new Map<string, InstalledVendor>()
  for (const folder of new Set(packages.map((path) => realpathSync(path)))) {
    const found = vendorIn(folder)
    if (!found) continue
    vendors.set(found.name, vendors.has(found.name) ? claimedTwice(found.name, folder) : found)
  }
  return new InstalledVendors([...vendors.values()])
}

/** A vendor package in this folder, broken or not; undefined if there is no manifest. */
export function vendorIn(folder: string): InstalledVendor | undefined {
  let name = basename(folder)
  try {
    const declared = packageIn(folder)
    if (declared.svcVendor === undefined) return undefined
    if (typeof declared.name === 'string') name = declared.name.slice(declared.name.lastIndexOf('/') + 1)
    const manifest = readManifest(declared.svcVendor)
    return new InstalledVendor(manifest.name, folder, manifest, null)
  } catch (error) {
    return new InstalledVendor(name, folder, null, sentenceOf(error))
  }
}

const claimedTwice = (name: string, folder: string) =>
  new InstalledVendor(name, folder, null, `two installed packages call themselves ${name}`)

/** Every node_modules folder from here to the root, as imports from here would look. */
function installedFolders(): string[] {
  const found: string[] = []
  for (let folder = import.meta.dirname; folder !== dirname(folder); folder = dirname(folder))
    found.push(join(folder, 'node_modules'))
  return found
}

function packagesIn(folder: string): string[] {
  const inside = pathsIn(folder)
  const scoped = inside.filter((path) => basename(path).startsWith('@')).flatMap(pathsIn)
  return [...inside, ...scoped].filter((path) => existsSync(join(path, 'package.json')))
}

/** None if there is no folder: one that an operator named wrongly must not keep a deployment from starting. */
function pathsIn(folder: string): string[] {
  try {
    return readdirSync(folder).map((name) => join(folder, name))
  } catch {
    return []
  }
}

interface Package {
  name?: string
  main?: string
  exports?: string | { '.'?: string | { import?: string; default?: string } }
  svcVendor?: unknown
}

function packageIn(folder: string): Package {
  const text = textAt(join(folder, 'package.json'))
  if (!text.includes('"svcVendor"')) return {}
  try {
    return JSON.parse(text) as Package
  } catch {
    throw new Error('its package.json is not JSON')
  }
}

function textAt(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

function entryOf({ exports, main }: Package): string {
  const root = typeof exports === 'object' ? exports['.'] : exports
  return (typeof root === 'object' ? (root.import ?? root.default) : root) ?? main ?? 'index.js'
}

const sentenceOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

function withinTime<T>(loading: Promise<T>): Promise<T> {
  const late = new Promise<never>((_, reject) => {
    const timer = setTimeout(() => reject(new Error('its adapter did not load in time')), loadWithinMs)
    timer.unref()
    loading.then(
      () => clearTimeout(timer),
      () => clearTimeout(timer),
    )
  })
  return Promise.race([loading, late])
}
