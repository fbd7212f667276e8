import type { VoiceEntry } from '@switchroom/contract/speech'
import type { InstalledVendor } from '@switchroom/kit/installed'
import { VendorFailure } from '@switchroom/kit/failures'
import type { Credentials } from '@switchroom/kit/vendor'
import { minuteMs, secondMs, type Clock } from '../../foundation/clock.ts'
import { digestOf } from '../../foundation/secrets.ts'

const freshMs = 5 * minuteMs
/** A new voice is found once the list is older than this. */
const newMs = 10 * secondMs
/** A vendor that did not answer is not asked again before this, because speech would wait for it. */
const silentMs = 30 * secondMs
const mostLists = 500

interface Listed {
  atMs: number
  /** Null if the vendor did not answer. */
  voices: Promise<VoiceEntry[] | null>
}

interface Key {
  options: Readonly<Record<string, unknown>>
  credentials: Credentials
}

/** Caches the vendors' lists of voices, so that speech does not wait for them. */
export class VendorVoices {
  readonly #clock: Clock
  readonly #timeoutMs: number
  readonly #lists = new Map<string, Listed>()

  constructor(clock: Clock, timeoutMs: number) {
    this.#clock = clock
    this.#timeoutMs = timeoutMs
  }

  /** The cached list; an old one is refreshed in the background. Null if the vendor never answered. */
  async list(vendor: InstalledVendor, key: Key): Promise<VoiceEntry[] | null> {
    const { name, listed, voices, ageMs } = await this.#known(vendor, key)
    if (!listed || (!voices && ageMs > silentMs)) return this.#ask(name, vendor, key, null)
    if (ageMs > freshMs) this.#ask(name, vendor, key, voices).catch(() => {}) // the next request reports it
    return voices
  }

  /** Fetches the list now, for a voice that the cached one lacks. */
  async listAnew(vendor: InstalledVendor, key: Key): Promise<VoiceEntry[] | null> {
    const { name, voices, ageMs } = await this.#known(vendor, key)
    return ageMs > (voices ? newMs : silentMs) ? this.#ask(name, vendor, key, voices) : voices
  }

  async #known(vendor: InstalledVendor, key: Key) {
    const name = digestOf(JSON.stringify([vendor.name, key])).toString('hex')
    const listed = this.#lists.get(name)
    const voices = (await listed?.voices) ?? null
    const atMs = this.#lists.get(name)?.atMs ?? -Infinity // another request may have fetched it meanwhile
    return { name, listed, voices, ageMs: this.#clock.now().getTime() - atMs }
  }

  async #ask(
    name: string,
    vendor: InstalledVendor,
    key: Key,
    before: VoiceEntry[] | null,
  ): Promise<VoiceEntry[] | null> {
    const voices = vendor.voices(key, AbortSignal.timeout(this.#timeoutMs)).catch((error: unknown) => {
      if (error instanceof VendorFailure) return before
      throw error
    })
    this.#lists.delete(name)
    this.#lists.set(name, { atMs: this.#clock.now().getTime(), voices })
    const [oldest] = this.#lists.keys()
    if (this.#lists.size > mostLists && oldest !== undefined) this.#lists.delete(oldest)
    return voices
  }
}
