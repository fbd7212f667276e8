import type { Brand, ChangeBrand } from '@switchroom/contract/discovery'
import { changedFields, recordAudit } from '../../audit/recording.ts'
import type { Database } from '../../database/database.ts'
import type { Operator } from '../../foundation/caller.ts'
import { badRequest } from '../../foundation/refusals.ts'
import { codePoints } from '../../foundation/text.ts'
import * as store from './brand.store.ts'

const defaults: Brand = { name: 'Switchroom', logo_url: null, accent: '#2f6fed' }

/** How the deployment calls itself in its pages and letters. */
export class Brands {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async read(): Promise<Brand> {
    return brandOf(await store.readBrand(this.#database))
  }

  async change(by: Operator, wanted: ChangeBrand): Promise<Brand> {
    const named = {
      ...(wanted.name !== undefined && { name: nameOf(wanted.name) }),
      ...(wanted.logo_url !== undefined && { logo_url: logoOf(wanted.logo_url) }),
      ...(wanted.accent !== undefined && { accent: accentOf(wanted.accent) }),
    }
    return this.#database.transaction(async (tx) => {
      const before = await store.lockBrand(tx)
      const changed = { ...before, ...named }
      await store.writeBrand(tx, changed)
      const detail = changedFields(before, changed)
      await recordAudit(tx, by, 'platform.brand_changed', { kind: 'platform' }, { detail })
      return brandOf(changed)
    })
  }
}

const brandOf = (stored: store.StoredBrand | undefined): Brand => ({
  name: stored?.name ?? defaults.name,
  logo_url: stored?.logo_url ?? defaults.logo_url,
  accent: stored?.accent ?? defaults.accent,
})

function nameOf(typed: string): string | null {
  const name = typed.trim()
  if (codePoints(name).length > 60 || /\p{Cc}/u.test(name))
    throw badRequest('name is one line of at most 60 characters')
  return name || null
}

function logoOf(typed: string): string | null {
  if (typed === '') return null
  const url = URL.canParse(typed) ? new URL(typed) : undefined
  const isFit = url?.protocol === 'https:' && typed.startsWith('https://') && !url.username && !url.password
  if (!isFit || typed.length > 2048) throw badRequest('logo_url is an https address')
  return typed
}

function accentOf(typed: string): string | null {
  if (typed === '') return null
  if (!/^#[0-9a-f]{6}$/i.test(typed)) throw badRequest('accent is #rrggbb')
  return typed.toLowerCase()
}
