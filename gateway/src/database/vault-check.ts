import type { SealedPlace, Vault } from '../foundation/sealing.ts'
import { SettingError } from '@switchroom/process/setting-reader'
import { statement, type Database, type Queryable, type Transaction } from './database.ts'

export const vaultCheckPlace: SealedPlace = 'deployment:vault_check:only'

interface Kept {
  vault_check: Buffer
  /** The ids of the keys that something may be sealed under; null in a deployment older than they are. */
  vault_keys: string[] | null
}

const keepFirst = statement(`
  insert into deployment (vault_check, vault_keys) values ($1, $2) on conflict do nothing`)
const read = statement<Kept>(`select vault_check, vault_keys from deployment`)
const hold = statement<Kept>(`select vault_check, vault_keys from deployment for update`)
const setKeys = statement(`update deployment set vault_keys = $1`)
const setCheck = statement(`update deployment set vault_check = $1, vault_keys = $2`)

/** The first start keeps a sealed value; a later start whose keys do not open everything must not write a thing. */
export async function refuseOtherVaultKey(database: Queryable, vault: Vault) {
  await database.rows(keepFirst, vault.seal('switchroom', vaultCheckPlace), vault.keyIds.slice(0, 1))
  keysOf(await database.row(read), vault)
}

/** From now on something may be sealed under this gateway's key. Once the others know that it runs, and seals with it. */
export function claimVaultKey(database: Database, vault: Vault): Promise<void> {
  return database.transaction(async (tx) => {
    const keys = await heldVaultKeys(tx, vault)
    const [own] = vault.keyIds
    if (!keys.includes(own)) await tx.rows(setKeys, [...keys, own])
  })
}

/** The keys that something may be sealed under, held until the end of the transaction. */
export async function heldVaultKeys(tx: Transaction, vault: Vault): Promise<string[]> {
  return keysOf(await tx.row(hold), vault)
}

export async function vaultKeys(database: Queryable, vault: Vault): Promise<string[]> {
  return keysOf(await database.row(read), vault)
}

/** Nothing is sealed under another key any more. */
export async function dropOtherKeys(tx: Transaction, vault: Vault) {
  await tx.rows(setCheck, vault.seal('switchroom', vaultCheckPlace), vault.keyIds.slice(0, 1))
}

function keysOf(kept: Kept | undefined, vault: Vault): string[] {
  const checkKey = kept && keyIdOf(kept.vault_check, vault)
  const keys = kept?.vault_keys ?? (checkKey === undefined ? [] : [checkKey])
  const isKnown = (id: string) => vault.keyIds.includes(id)
  if (checkKey !== undefined && keys.every(isKnown)) return keys
  if (keys.some(isKnown))
    throw new SettingError(
      'SVC_VAULT_KEY is one of the two keys that this deployment is sealed with while its key is changed: give both, as new,old',
    )
  throw new SettingError("SVC_VAULT_KEY does not open this deployment's secrets")
}

function keyIdOf(check: Buffer, vault: Vault): string | undefined {
  try {
    return vault.keyIdOf(check, vaultCheckPlace)
  } catch {
    return undefined
  }
}
