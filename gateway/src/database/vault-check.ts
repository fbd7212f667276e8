import type { Vault } from '../foundation/sealing.ts'
import { SettingError } from '../foundation/setting-forms.ts'
import { statement, type Queryable } from './database.ts'

const place = 'deployment:vault_check:only'

const keepFirst = statement(`insert into deployment (vault_check) values ($1) on conflict do nothing`)
const readCheck = statement<{ vault_check: Buffer }>(`select vault_check from deployment`)

/** The first start keeps a sealed value; a later start whose key does not open it must not write a thing. */
export async function refuseOtherVaultKey(database: Queryable, vault: Vault) {
  await database.rows(keepFirst, vault.seal('switchroom', place))
  const kept = await database.row(readCheck)
  try {
    if (kept && vault.open(kept.vault_check, place) === 'switchroom') return
  } catch {
    // Any failure to open means the same.
  }
  throw new SettingError("SVC_VAULT_KEY does not open this deployment's secrets")
}
