import type { Brand, Discovery } from '@switchroom/contract/discovery'
import type { Settings } from '../../foundation/settings.ts'
import { version } from '../../foundation/version.ts'

export const defaultBrand: Brand = { name: 'Switchroom', logo_url: null, accent: '#2f6fed' }

/** What anybody may know of the deployment before they have a key. */
export class DiscoveryDocument {
  readonly #settings: Pick<Settings, 'signup' | 'minPassword'>

  constructor(settings: Pick<Settings, 'signup' | 'minPassword'>) {
    this.#settings = settings
  }

  read(): Discovery {
    const { signup, minPassword } = this.#settings
    return { version, signup, min_password: minPassword, mail: false, brand: defaultBrand, social: false }
  }
}
