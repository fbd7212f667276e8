import type { Config } from '@switchroom/contract/settings'
import { isPicked } from '../../agents/canary/pick.ts'
import type { KnownHead, RanScope, ScopeReading } from './resolution.store.ts'

/** What a scope supplies to a call. */
export interface ScopeRun extends RanScope {
  config: Config
}

/** What each scope runs: as the head row says, where there is one, else as the call is picked now. */
export function scopesRun(
  head: KnownHead | null,
  scopes: readonly ScopeReading[],
  call: string | null,
): ScopeRun[] {
  return scopes.map((scope, place) => {
    const recorded = head?.settings[place]
    return recorded ? { ...recorded, config: scope.rows[0]?.content ?? {} } : pickedRun(scope, call)
  })
}

/** The canary's version on a call it picks, on every other the newest beside it; without a call nothing is picked. */
function pickedRun({ holder, canary, rows }: ScopeReading, call: string | null): ScopeRun {
  const picked = canary !== null && call !== null && isPicked(call, canary.share)
  const ran = rows.find(({ version }) => (version === canary?.version) === picked)
  return { holder, version: ran?.version ?? null, picked, config: ran?.content ?? {} }
}

/** The nearest scope whose row set a knob: its version is the call's. */
export const nearestSet = (scopes: readonly ScopeRun[]): ScopeRun | undefined =>
  scopes.find(({ config }) => Object.keys(config).length > 0)
