import type { Brand, Discovery } from '@switchroom/contract/discovery'
import type { Settings } from '../../foundation/settings.ts'
import { version } from '../../foundation/version.ts'

/** What a client without a key may know of the deployment. */
export class DiscoveryDocument {
  readonly #settings: Pick<Settings, 'signup' | 'minPassword'>
  readonly #canMail: () => Promise<boolean>
  readonly #brand: () => Promise<Brand>

  constructor(
    settings: Pick<Settings, 'signup' | 'minPassword'>,
    canMail: () => Promise<boolean>,
    brand: () => Promise<Brand>,
  ) {
    this.#settings = settings
    this.#canMail = canMail
    this.#brand = brand
  }

  async read(): Promise<Discovery> {
    const { signup, minPassword } = this.#settings
    const [mail, brand] = await Promise.all([this.#canMail(), this.#brand()])
    return { version, signup, min_password: minPassword, mail, brand, social: false }
  }
}
