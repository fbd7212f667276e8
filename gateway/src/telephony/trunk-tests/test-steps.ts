import type { CarrierAccount } from '@switchroom/contract/carriers'
import { trunkTestSteps, type TestedTrunk, type TrunkTestStep } from '@switchroom/contract/trunk-tests'

const atOnce = { took_ms: 0 }

/** What the registrar last said of an account that registers. */
export function registrationStep({ sip }: CarrierAccount): TrunkTestStep {
  const step = { step: 'registration', ...atOnce } as const
  if (!sip?.registration)
    return { ...step, state: 'skipped', says: 'the account does not register', fix: null }
  const { state, says } = sip.registration
  if (state === 'registered') return { ...step, state: 'ok', says: 'the user is registered', fix: null }
  const why = says === null ? '' : `: ${says}`
  if (state === 'waiting')
    return { ...step, state: 'failed', says: `it is not registered yet${why}`, fix: says }
  return {
    ...step,
    state: 'failed',
    says: `it is not registered${why}`,
    fix: 'check username, password and outbound_host of the account, and whether the carrier locked the user',
  }
}

/** The guards of every dial; null if they let it pass. */
export const guardsStep = (refusal: string | null): TrunkTestStep => ({
  step: 'guards',
  state: refusal === null ? 'ok' : 'failed',
  says: refusal ?? 'the call may be dialled',
  fix:
    refusal === null
      ? null
      : 'call a number of the org itself, or see GET /v1/agents/{agent}/dial/explain for what this one lacks',
  ...atOnce,
})

export const notCalled: TrunkTestStep = {
  step: 'call',
  state: 'skipped',
  says: 'nobody was called: the test ends here',
  fix: 'name a number in call to test a real call, such as a number of the org itself, which then echoes',
  ...atOnce,
}

/** The worker that took the test died, or is very late. */
export const untoldStep = (step: 'options' | 'call'): TrunkTestStep => ({
  step,
  state: 'failed',
  says: 'the worker that ran the test did not report what it found',
  fix: 'test again; if it happens again, look into the log of the worker',
  ...atOnce,
})

/** In the order of the steps. */
export function testedBy(account: string, host: string, tried: readonly TrunkTestStep[]): TestedTrunk {
  const failed = tried.find(({ state }) => state === 'failed')?.step ?? null
  const steps = tried.toSorted(
    (one, other) => trunkTestSteps.indexOf(one.step) - trunkTestSteps.indexOf(other.step),
  )
  return { account, host, ok: failed === null, failed, steps }
}
