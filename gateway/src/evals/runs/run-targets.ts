import { evalTargets, type EvalTarget } from '@switchroom/contract/eval-names'
import type { StartRun } from '@switchroom/contract/evals'
import { ownerOf, scopeOf, type SettingsScope } from '../../agents/scope.ts'
import type { Caller } from '../../foundation/caller.ts'
import { badRequest } from '../../foundation/refusals.ts'

/** Whose settings a run tests, and at which version if it names one. */
export interface RunTarget {
  against: EvalTarget
  scope: SettingsScope
  version: number | undefined
}

/** A run tests what its environment has: a person's draft and the team's copy in the sandbox, else production's. */
export function targetOf(caller: Caller, { agent, against: said, version }: StartRun): RunTarget {
  const against = said === undefined ? usualTarget(caller) : targetNamed(said)
  if (against === 'version' && version === undefined)
    throw badRequest('version: name one, as against is version')
  if (against !== 'version' && version !== undefined)
    throw badRequest(`version is for against version: leave it out, or say against version (got ${against})`)
  const isSandbox = caller.env === 'sandbox'
  if (against === 'yours' && !isSandbox)
    throw badRequest('against yours is a draft of the sandbox: send svc-env sandbox, or say production')
  if (against === 'yours' && ownerOf(caller) === '')
    throw badRequest("against yours is a person's draft, and this key is no person's: say team")
  if (against === 'team' && !isSandbox)
    throw badRequest("against team is the sandbox's: send svc-env sandbox, or say production")
  if (against === 'production' && isSandbox)
    throw badRequest("against production is production's: send svc-env production")
  return { against, scope: scopeOf(caller, agent, against !== 'yours'), version }
}

function usualTarget(caller: Caller): EvalTarget {
  if (caller.env === 'production') return 'production'
  return ownerOf(caller) === '' ? 'team' : 'yours'
}

function targetNamed(said: string): EvalTarget {
  const target = evalTargets.find((known) => known === said)
  if (!target) throw badRequest(`against is one of ${evalTargets.join(', ')}`)
  return target
}
