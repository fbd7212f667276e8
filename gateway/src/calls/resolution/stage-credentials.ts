import type { StageKey } from '@switchroom/contract/calls'
import type { Stage } from '@switchroom/contract/stages'
import type { Credentials } from '@switchroom/kit/vendor'
import type { OwnKeys } from '../../providers/lent-keys/own-keys.ts'
import type { LentKeys, NamedOrg } from '../../providers/lent-keys/lent-keys.ts'
import type { KeySource } from '../../providers/lent-keys/stage-keys.ts'
import type { ResolvedSettings } from '../records/records.ts'
import type { RunVendor } from './resolved-stages.ts'

/** Undefined if no key runs the vendor, or its key was deleted since the stages were resolved. */
export type CredentialsOf = (stage: Stage, run: RunVendor) => Promise<Credentials | undefined>

/** Reads the credentials that the resolved stages of a call run on. */
export async function stageCredentials(
  { lentKeys, ownKeys }: { lentKeys: LentKeys; ownKeys: OwnKeys },
  org: NamedOrg,
  { row }: Pick<ResolvedSettings, 'row'>,
): Promise<CredentialsOf> {
  const lent = await lentKeys.lentUnder(row, org)
  return async (stage, { vendor, model, source }) => {
    if (source === 'unneeded') return {}
    if (source === 'own') return (await ownKeys.credentialsOf(org, { vendor, model })) ?? undefined
    return source === 'lent' ? lent(stage, vendor) : undefined
  }
}

export const stageKeyOf: Record<KeySource, StageKey> = {
  own: 'yours',
  lent: 'lent',
  unneeded: 'none',
  missing: 'none',
}
