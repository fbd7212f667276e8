import type { Config } from '@switchroom/contract/settings'
import { isPicked } from '../../agents/canary/pick.ts'
import type { KnownRecord, RanScope, ScopeSource } from './resolution.store.ts'

/** What a scope supplies to a call. */
export interface ScopeRun extends RanScope {
  config: Config
}

/** What each scope runs: as the call record says, if there is one, else by the canary's pick. */
export function scopesRun(
  record: Pick<KnownRecord, 'settings'> | null,
  scopes: readonly ScopeSource[],
  call: string | null,
): ScopeRun[] {
  return scopes.map((scope, place) => {
    const recorded = record?.settings[place]
    return recorded ? { ...recorded, config: contentOf(scope, recorded.version) } : pickedRun(scope, call)
  })
}

const contentOf = ({ rows }: ScopeSource, version: number | null): Config =>
  rows.find((row) => row.version === version)?.content ?? {}

/** The canary's version on a call it picks, on every other the newest beside it; without a call nothing is picked. */
function pickedRun({ holder, canary, rows }: ScopeSource, call: string | null): ScopeRun {
  const picked = canary !== null && call !== null && isPicked(call, canary.share)
  const ran = newestOf(rows.filter(({ version }) => (version === canary?.version) === picked))
  return { holder, version: ran?.version ?? null, picked, config: ran?.content ?? {} }
}

const newestOf = (rows: ScopeSource['rows']) => rows.toSorted((one, other) => other.version - one.version)[0]

/** The nearest scope whose row set a knob: its version is the call's. */
export const nearestSet = (scopes: readonly ScopeRun[]): ScopeRun | undefined =>
  scopes.find(({ config }) => Object.keys(config).length > 0)
