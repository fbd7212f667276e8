import type { VoiceEntry } from '@switchroom/contract/speech'
import type { InstalledVendor } from '@switchroom/kit/installed'
import { VendorFailure } from '@switchroom/kit/failures'
import type { Credentials } from '@switchroom/kit/vendor'
import { minuteMs, secondMs, type Clock } from '../../foundation/clock.ts'
import { digestOf } from '../../foundation/secrets.ts'

const freshMs = 5 * minuteMs
/** A voice that was made a moment ago is found once the list is older than this. */
const newMs = 10 * secondMs
/** A vendor that did not answer is not asked again at once: whoever speaks would wait for it. */
const silentMs = 30 * secondMs
const mostLists = 500

interface Listed {
  atMs: number
  /** Null where the vendor did not answer. */
  voices: Promise<VoiceEntry[] | null>
}

interface Key {
  options: Readonly<Record<string, unknown>>
  credentials: Credentials
}

/** What vendors list as their voices, remembered, so that speech does not wait for a list. */
export class VendorVoices {
  readonly #clock: Clock
  readonly #timeoutMs: number
  readonly #lists = new Map<string, Listed>()

  constructor(clock: Clock, timeoutMs: number) {
    this.#clock = clock
    this.#timeoutMs = timeoutMs
  }

  /** As last told; what is old is asked for again, for whoever comes next. Null where the vendor never answered. */
  async list(vendor: InstalledVendor, key: Key): Promise<VoiceEntry[] | null> {
    const { name, listed, voices, ageMs } = await this.#known(vendor, key)
    if (!listed || (!voices && ageMs > silentMs)) return this.#ask(name, vendor, key, null)
    if (ageMs > freshMs) this.#ask(name, vendor, key, voices).catch(() => {}) // whoever comes next hears of it
    return voices
  }

  /** As the vendor tells now, for a voice that the last list did not have. */
  async listAnew(vendor: InstalledVendor, key: Key): Promise<VoiceEntry[] | null> {
    const { name, voices, ageMs } = await this.#known(vendor, key)
    return ageMs > (voices ? newMs : silentMs) ? this.#ask(name, vendor, key, voices) : voices
  }

  async #known(vendor: InstalledVendor, key: Key) {
    const name = digestOf(JSON.stringify([vendor.name, key])).toString('hex')
    const listed = this.#lists.get(name)
    const voices = (await listed?.voices) ?? null
    const atMs = this.#lists.get(name)?.atMs ?? -Infinity // somebody may have asked meanwhile
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
